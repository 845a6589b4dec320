import { parseID } from '../../core/base/encoding/ids.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { type Block, encodeBlock } from '../../core/chain/x/block.ts'
import { type Genesis, genesisTx } from '../../core/chain/x/genesis.ts'
import { txID } from '../../core/chain/x/ids.ts'
import { encodeTx } from '../../core/chain/x/tx.ts'
import { DevNodeError } from '../errors.ts'
import { upgradesOf } from '../upgrades.ts'
import { chainTx } from './execute.ts'
import { ChainState } from './state.ts'

/**
 * The parent of the first block: the stop vertex of the DAG that preceded blocks. For a chain that never had a DAG, the
 * node derives it from the chain ID (version 1, height 0, no parents).
 */
function stopVertexID({ networkID, chainID, chainAlias }: NetworkContext): Uint8Array {
  const known = parseID(upgradesOf(networkID).cortinaXChainStopVertexID)
  if (chainAlias === 'X' && known.some((byte) => byte !== 0)) return known
  const vertex = new Uint8Array(2 + 32 + 8 + 4)
  vertex[1] = 1
  vertex.set(chainID, 2)
  return sha256(vertex)
}

/** Block 0, without transactions: genesis assets are in no block. */
function genesisBlock(context: NetworkContext): Block {
  return {
    type: 'StandardBlock',
    parentID: stopVertexID(context),
    height: 0n,
    time: BigInt(Date.parse(upgradesOf(context.networkID).cortinaTime) / 1000),
    merkleRoot: new Uint8Array(32),
    txs: [],
  }
}

/**
 * Refuses a genesis with two assets of one alias, with which a node does not start (`initGenesis` of
 * `vms/avm/vm.go`).
 *
 * @throws DevNodeError `BAD_OPTION`
 */
export function requireUniqueAliases({ assets }: Genesis): void {
  const aliases = assets.map(({ alias }) => alias)
  const repeated = aliases.find((alias, i) => aliases.indexOf(alias) < i)
  if (repeated !== undefined)
    throw new DevNodeError('BAD_OPTION', `two assets of the genesis have the alias ${repeated}`)
}

/** Returns the initial state of a chain. */
export function genesisState(genesis: Genesis, context: NetworkContext): ChainState {
  const state = new ChainState()
  for (const asset of genesis.assets) {
    const tx = genesisTx(asset)
    const bytes = encodeTx(tx)
    state.addGenesisTx(chainTx(tx, bytes, txID(bytes)))
  }
  const block = genesisBlock(context)
  state.applyBlock(block, encodeBlock(block), [])
  return state
}
