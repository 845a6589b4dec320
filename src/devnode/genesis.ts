import { type Block, encodeBlock } from '../chain/block.ts'
import { type Genesis, genesisTx } from '../chain/genesis.ts'
import { txID } from '../chain/ids.ts'
import { encodeTx } from '../chain/tx.ts'
import { sha256 } from '../hash/sha256.ts'
import { chainTx } from './execute.ts'
import { ChainState } from './state.ts'

/** When networks without dates of their own have all upgrades: 2020-12-05 05:00 UTC. */
const GENESIS_TIME = 1_607_144_400n

/**
 * The parent of a fresh chain's first block: the vertex that ended the time before blocks, which
 * the node makes from the chain's ID (version 1, height 0, no parents).
 */
function stopVertexID(chainID: Uint8Array): Uint8Array {
  const vertex = new Uint8Array(2 + 32 + 8 + 4)
  vertex[1] = 1
  vertex.set(chainID, 2)
  return sha256(vertex)
}

/** Block 0, which holds no transactions: the genesis assets are simply there. */
function genesisBlock(chainID: Uint8Array): Block {
  return {
    type: 'StandardBlock',
    parentID: stopVertexID(chainID),
    height: 0n,
    time: GENESIS_TIME,
    merkleRoot: new Uint8Array(32),
    txs: [],
  }
}

/** The state that a chain starts from. */
export function genesisState(genesis: Genesis, chainID: Uint8Array): ChainState {
  const state = new ChainState()
  for (const asset of genesis.assets) {
    const tx = genesisTx(asset)
    const bytes = encodeTx(tx)
    state.addGenesisTx(chainTx(tx, bytes, txID(bytes)))
  }
  const block = genesisBlock(chainID)
  state.applyBlock(block, encodeBlock(block), [])
  return state
}
