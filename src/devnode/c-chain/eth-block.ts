import { keccak_256 } from '@noble/hashes/sha3.js'
import { concat } from '../../core/base/bytes/concat.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { encodeBytes, encodeList, encodeNumber } from '../../core/chain/c/rlp.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'

/** The header fields and atomic transactions in which blocks of the C-Chain differ. */
export type EthBlockParts = {
  readonly number: bigint
  readonly parentHash: Uint8Array
  readonly stateRoot: Uint8Array
  readonly miner: Uint8Array
  readonly difficulty: bigint
  readonly gasLimit: bigint
  /** Unix milliseconds. */
  readonly timeMs: bigint
  /** Since Fortuna, the state of the fee algorithm. */
  readonly extraData: Uint8Array
  /** In wei per unit of gas. */
  readonly baseFee: bigint
  /** Gas that the atomic transactions use. */
  readonly atomicGas: bigint
  /** The atomic transactions as the chain stores them; empty without any. */
  readonly atomicTxs: Uint8Array
  readonly atomicTxsHash: Uint8Array
  /** Number of atomic transactions. */
  readonly txCount: number
}

/** A block of the C-Chain with its hash. It never contains ordinary transactions. */
export type EthBlock = EthBlockParts & { readonly hash: Uint8Array; readonly size: number }

const ZERO_HASH = /* @__PURE__ */ new Uint8Array(32)
const NO_LOGS = /* @__PURE__ */ new Uint8Array(256)
const NO_NONCE = /* @__PURE__ */ new Uint8Array(8)
/** Keccak-256 of an empty RLP list. */
const NO_UNCLES = '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
/** The root of an empty trie: there are no transactions and receipts. */
const EMPTY_ROOT = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
/** Since Granite, the initial excess of the minimum time between blocks. */
const MIN_DELAY_EXCESS = 7_970_124n
/** Fees are burned at this address, which is the miner of all blocks but the genesis. */
export const BLACKHOLE = '0100000000000000000000000000000000000000'
/** The gas capacity of a block at the lowest target of gas per second. */
const GAS_CAPACITY = 10_000_000n

/** The state root of the local network's genesis (`graft/coreth`); that of others is not known here. */
const LOCAL_STATE_ROOT = '3283022557b0e7ad755ac1739dbff2937186a2ed160772ba6c6009cb327a638f'

/** The genesis block. Its hash is that of the real network for the local network. */
export function genesisBlock(networkID: number): EthBlock {
  return hashed({
    number: 0n,
    parentHash: ZERO_HASH,
    stateRoot: networkID === 12345 ? hex.decode(LOCAL_STATE_ROOT) : ZERO_HASH,
    miner: new Uint8Array(20),
    difficulty: 0n,
    gasLimit: 100_000_000n,
    timeMs: 1_607_144_400_000n,
    extraData: new Uint8Array(1),
    baseFee: 225_000_000_000n,
    atomicGas: 0n,
    atomicTxs: new Uint8Array(0),
    atomicTxsHash: ZERO_HASH,
    txCount: 0,
  })
}

/** The block after a parent. */
export function nextBlock(
  parent: EthBlock,
  block: Pick<EthBlockParts, 'stateRoot' | 'timeMs' | 'baseFee' | 'atomicGas'> & {
    readonly txs: readonly Uint8Array[]
  },
): EthBlock {
  const { stateRoot, timeMs, baseFee, atomicGas } = block
  const atomicTxs = encodeTxs(block.txs)
  return hashed({
    number: parent.number + 1n,
    parentHash: parent.hash,
    stateRoot,
    miner: hex.decode(BLACKHOLE),
    difficulty: 1n,
    gasLimit: GAS_CAPACITY,
    timeMs,
    // Capacity, excess and target excess, as after a pause of five seconds, when the capacity is full again; then an
    // empty list of results for contracts, with a codec version.
    extraData: concat([...[GAS_CAPACITY - atomicGas, atomicGas, 0n].map(u64), new Uint8Array(6)]),
    baseFee,
    atomicGas,
    atomicTxs,
    atomicTxsHash: keccak_256(encodeBytes(atomicTxs)),
    txCount: block.txs.length,
  })
}

/** The unix time of a block in seconds. */
export function timeOf({ timeMs }: EthBlock): bigint {
  return timeMs / 1000n
}

/** Adds the hash and the size. Follows `HeaderSerializable` of `graft/coreth/plugin/evm/customtypes`. */
export function hashed(parts: EthBlockParts): EthBlock {
  const header = encodeList([
    encodeBytes(parts.parentHash),
    encodeBytes(hex.decode(NO_UNCLES)),
    encodeBytes(parts.miner),
    encodeBytes(parts.stateRoot),
    encodeBytes(hex.decode(EMPTY_ROOT)), // transactions
    encodeBytes(hex.decode(EMPTY_ROOT)), // receipts
    encodeBytes(NO_LOGS),
    encodeNumber(parts.difficulty),
    encodeNumber(parts.number),
    encodeNumber(parts.gasLimit),
    encodeNumber(0n), // gas used
    encodeNumber(parts.timeMs / 1000n),
    encodeBytes(parts.extraData),
    encodeBytes(ZERO_HASH), // mix digest
    encodeBytes(NO_NONCE),
    encodeBytes(parts.atomicTxsHash),
    encodeNumber(parts.baseFee),
    encodeNumber(parts.atomicGas),
    encodeNumber(0n), // block gas cost
    encodeNumber(0n), // blob gas used
    encodeNumber(0n), // excess blob gas
    encodeBytes(ZERO_HASH), // parent beacon root
    encodeNumber(parts.timeMs),
    encodeNumber(MIN_DELAY_EXCESS),
  ])
  const none = encodeList([])
  const version = encodeNumber(0n)
  const block = encodeList([header, none, none, version, encodeBytes(parts.atomicTxs)])
  return { ...parts, hash: keccak_256(header), size: block.length }
}

/** A header as `eth_getHeaderByNumber` prints it. */
export function headerJSON(block: EthBlock): string {
  return stringifyJSON(headerMembers(block))
}

/** A block as `eth_getBlockByNumber` prints it. */
export function blockJSON(block: EthBlock): string {
  const members = {
    ...headerMembers(block),
    blockExtraData: data(block.atomicTxs),
    size: quantity(BigInt(block.size)),
    transactions: [],
    uncles: [],
  }
  // Go sorts the members.
  return stringifyJSON(
    Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))),
  )
}

/** The members of a header, sorted as by Go. */
function headerMembers(block: EthBlock): { readonly [member: string]: string } {
  return {
    baseFeePerGas: quantity(block.baseFee),
    blobGasUsed: '0x0',
    blockGasCost: '0x0',
    difficulty: quantity(block.difficulty),
    excessBlobGas: '0x0',
    extDataGasUsed: quantity(block.atomicGas),
    extDataHash: data(block.atomicTxsHash),
    extraData: data(block.extraData),
    gasLimit: quantity(block.gasLimit),
    gasUsed: '0x0',
    hash: data(block.hash),
    logsBloom: data(NO_LOGS),
    minDelayExcess: quantity(MIN_DELAY_EXCESS),
    miner: data(block.miner),
    mixHash: data(ZERO_HASH),
    nonce: data(NO_NONCE),
    number: quantity(block.number),
    parentBeaconBlockRoot: data(ZERO_HASH),
    parentHash: data(block.parentHash),
    receiptsRoot: `0x${EMPTY_ROOT}`,
    sha3Uncles: `0x${NO_UNCLES}`,
    stateRoot: data(block.stateRoot),
    timestamp: quantity(timeOf(block)),
    timestampMilliseconds: quantity(block.timeMs),
    // Every block has the difficulty 1, except the genesis.
    totalDifficulty: quantity(block.number),
    transactionsRoot: `0x${EMPTY_ROOT}`,
  }
}

/** A number as hex digits without leading zeros. */
export function quantity(value: bigint): string {
  return `0x${value.toString(16)}`
}

function data(bytes: Uint8Array): string {
  return `0x${hex.encode(bytes)}`
}

/** A list of transactions has one codec version, and its transactions none. */
function encodeTxs(txs: readonly Uint8Array[]): Uint8Array {
  if (txs.length === 0) return new Uint8Array(0)
  const count = new Uint8Array(4)
  new DataView(count.buffer).setUint32(0, txs.length)
  return concat([txs[0]!.subarray(0, 2), count, ...txs.map((tx) => tx.subarray(2))])
}

function u64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value)
  return bytes
}
