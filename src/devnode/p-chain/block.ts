import { sha256 } from '../../core/base/hash/sha256.ts'
import { REGISTERED_TYPES } from '../../core/chain/p/transferables.ts'
import { type SignedTx, signedTx } from '../../core/chain/p/tx.ts'
import { encode } from '../../core/codec/codec.ts'
import { type Codec, type Union, union } from '../../core/codec/io.ts'

/** The first block, which commits the genesis, and has no time. */
type CommitBlock = {
  readonly type: 'ApricotCommitBlock'
  /** The ID of the genesis. */
  readonly parentID: Uint8Array
  readonly height: bigint
}

type StandardBlock = {
  readonly type: 'BanffStandardBlock'
  /** Unix seconds. */
  readonly time: bigint
  readonly parentID: Uint8Array
  readonly height: bigint
  readonly txs: readonly SignedTx[]
}

/** A block of the P-Chain. */
export type PBlockFields = CommitBlock | StandardBlock

/** A block with its bytes and ID. */
export type StoredPBlock = {
  readonly fields: PBlockFields
  readonly bytes: Uint8Array
  readonly id: Uint8Array
}

const commitBlock: Codec<CommitBlock> = (io, v) => ({
  type: 'ApricotCommitBlock',
  parentID: io.id(v.parentID),
  height: io.u64(v.height),
})

const standardBlock: Codec<StandardBlock> = (io, v) => ({
  type: 'BanffStandardBlock',
  time: io.u64(v.time),
  parentID: io.id(v.parentID),
  height: io.u64(v.height),
  txs: io.list(v.txs, signedTx),
})

const blocks: Union<PBlockFields> = /* @__PURE__ */ union<PBlockFields>(REGISTERED_TYPES, {
  ApricotCommitBlock: [2, commitBlock],
  BanffStandardBlock: [32, standardBlock],
})

const block: Codec<PBlockFields> = (io, v) => io.typed(v, blocks)

/** Encodes a block (avalanchego `vms/platformvm/block`). Its ID is the hash of its bytes. */
export function storedPBlock(fields: PBlockFields): StoredPBlock {
  const bytes = encode(block, fields)
  return { fields, bytes, id: sha256(bytes) }
}

/** The times of the genesis of Mainnet and Fuji, and the first of all other networks, in unix seconds. */
const PUBLIC_START = 1_599_696_000n
const LOCAL_START = 1_721_016_000n
/** Networks without a fixed genesis begin anew after 270 days. */
const LOCAL_PERIOD = 23_328_000n

/**
 * The time of a network's genesis for a node that starts at a time (avalanchego `genesis/config.go`). A clock that is
 * set to a time before the first genesis gets an earlier one, because the chain cannot begin in the future.
 */
export function startTime(networkID: number, now: bigint): bigint {
  const isPublic = networkID === 1 || networkID === 5
  const first = isPublic ? PUBLIC_START : LOCAL_START
  if (isPublic && now >= first) return first
  const elapsed = now - first
  const periods = elapsed / LOCAL_PERIOD - (elapsed < 0n && elapsed % LOCAL_PERIOD !== 0n ? 1n : 0n)
  return first + periods * LOCAL_PERIOD
}

/** The first block, which follows the genesis. */
export function genesisPBlock(genesisID: Uint8Array): StoredPBlock {
  return storedPBlock({ type: 'ApricotCommitBlock', parentID: genesisID, height: 0n })
}
