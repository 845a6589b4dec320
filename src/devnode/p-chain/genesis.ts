import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import { type NetworkContext, networks, P_CHAIN_ID } from '../../core/chain/networks.ts'
import { type UTXO, utxo } from '../../core/chain/p/utxo.ts'
import { asciiID } from '../../core/chain/x/fx.ts'
import { createXChainTx } from '../../core/chain/x/genesis.ts'
import { encode } from '../../core/codec/codec.ts'
import type { Codec } from '../../core/codec/io.ts'
import { genesisTx, type StoredGenesisTx, storedGenesisTx } from './genesis-txs.ts'
import {
  LOCAL_REWARD_OWNER,
  LOCAL_STAKE,
  LOCAL_STAKE_OWNER,
  LOCAL_VALIDATORS,
} from './local-validators.ts'

/** The genesis of the P-Chain. */
export type PGenesis = {
  /** The parent of the first block. */
  readonly id: Uint8Array
  /** The transactions of which the bytes are known: the validators, sorted by end time, then the blockchains. */
  readonly txs: readonly StoredGenesisTx[]
}

/** Genesis balances of the local network: address and nAVAX. */
const LOCAL_BALANCES: readonly (readonly [string, bigint])[] = [
  ['3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c', 20_000_000_000_000_000n],
  ['3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c', 10_000_000_000_000_000n],
  ['e0cfe8cae22827d032805ded484e393ce51cbedb', 10_000_000_000_000_000n],
]

/** The message of all balances: the Ethereum address of their owner. */
const LOCAL_BALANCE_MESSAGE = 'b3d82b1367d362de99ab59a658165aff520cbd4d'

/** The message of the genesis itself. */
const LOCAL_MESSAGE = '{{ fun_quote }}'

/** The node lists the validators in the order of its heap: these are their positions in the order of their end times. */
const HEAP_ORDER = [0, 1, 3, 4, 2]

/** All AVAX of the local network without potential rewards, on the X-Chain and P-Chain, in nAVAX. */
const LOCAL_INITIAL_SUPPLY = 360_000_000_000_000_000n

/** The genesis of the local network's C-Chain. */
const LOCAL_C_CHAIN_GENESIS =
  '{"config":{"chainId":43112,"homesteadBlock":0,"daoForkBlock":0,"daoForkSupport":true,"eip150Block":0,"eip150Hash":"0x2086799aeebeae135c246c65021c82b4e15a2c451340993aacfd2751886514f0","eip155Block":0,"eip158Block":0,"byzantiumBlock":0,"constantinopleBlock":0,"petersburgBlock":0,"istanbulBlock":0,"muirGlacierBlock":0,"apricotPhase1BlockTimestamp":0,"apricotPhase2BlockTimestamp":0},"nonce":"0x0","timestamp":"0x5FCB13D0","extraData":"0x00","gasLimit":"0x5f5e100","difficulty":"0x0","mixHash":"0x0000000000000000000000000000000000000000000000000000000000000000","coinbase":"0x0000000000000000000000000000000000000000","alloc":{"8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC":{"balance":"0x295BE96E64066972000000"}},"number":"0x0","gasUsed":"0x0","parentHash":"0x0000000000000000000000000000000000000000000000000000000000000000"}'

type GenesisData = {
  readonly utxos: readonly UTXO[]
  readonly validators: readonly StoredGenesisTx[]
  readonly chains: readonly StoredGenesisTx[]
  /** Unix seconds. */
  readonly time: bigint
}

const messagedUTXO: Codec<UTXO> = (io, v) => {
  io.struct(v, utxo)
  io.blob(hex.decode(LOCAL_BALANCE_MESSAGE))
  return v
}

const storedTx: Codec<StoredGenesisTx> = (io, v) => {
  io.struct(v.tx, genesisTx)
  return v
}

/** Follows `Genesis` of `vms/platformvm/genesis`. It only encodes. */
const genesisData: Codec<GenesisData> = (io, v) => {
  io.list(v.utxos, messagedUTXO)
  io.list(v.validators, storedTx)
  io.list(v.chains, storedTx)
  io.u64(v.time)
  io.u64(LOCAL_INITIAL_SUPPLY)
  io.text(LOCAL_MESSAGE)
  return v
}

/** The balances of the local network's genesis in the order of their output indices. */
export function localUTXOs(assetID: Uint8Array): UTXO[] {
  return LOCAL_BALANCES.map(([address, amount], outputIndex) => ({
    txID: P_CHAIN_ID,
    outputIndex,
    assetID,
    output: transferOutput(amount, address),
  }))
}

/**
 * Returns the genesis that begins at a time in unix seconds. Networks other than the local one have no validators, and a
 * hash stands in for the ID of their genesis, of which only the X-Chain is known here.
 *
 * @param xGenesis - genesis data of the X-Chain
 */
export function pGenesis(context: NetworkContext, xGenesis: Uint8Array, time: bigint): PGenesis {
  const { networkID, chainID, assetID } = context
  const xChain = storedGenesisTx(createXChainTx(networkID, xGenesis))
  const standIn = sha256(new TextEncoder().encode(`P-Chain of network ${networkID} at ${time}`))
  if (networkID !== networks.local.networkID) return { id: standIn, txs: [xChain] }
  const cChain = storedGenesisTx({
    type: 'CreateChainTx',
    networkID,
    chainName: 'C-Chain',
    vmID: asciiID('evm'),
    fxIDs: [],
    genesisData: new TextEncoder().encode(LOCAL_C_CHAIN_GENESIS),
  })
  const validators = LOCAL_VALIDATORS.map(({ nodeID, duration, signer, shares }) =>
    storedGenesisTx({
      type: 'AddPermissionlessValidatorTx',
      networkID,
      nodeID,
      start: time,
      end: time + duration,
      weight: LOCAL_STAKE,
      signer,
      stake: [{ assetID, output: transferOutput(LOCAL_STAKE, LOCAL_STAKE_OWNER) }],
      rewardsOwner: ownedBy(LOCAL_REWARD_OWNER),
      shares,
    }),
  )
  const chains = [xChain, cChain]
  const data: GenesisData = {
    utxos: localUTXOs(assetID),
    validators: HEAP_ORDER.map((position) => validators[position]!),
    chains,
    time,
  }
  // With other balances on the X-Chain, the total supply is another one.
  const isLocal = equalBytes(chainID, networks.local.chainID)
  const id = isLocal ? sha256(encode(genesisData, data)) : standIn
  return { id, txs: [...validators, ...chains] }
}

function ownedBy(address: string) {
  return { locktime: 0n, threshold: 1, addresses: [hex.decode(address)] }
}

function transferOutput(amount: bigint, address: string) {
  return { type: 'secp256k1fx.TransferOutput' as const, amount, ...ownedBy(address) }
}
