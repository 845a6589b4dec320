import { decode, encode, MAX_SIZE } from '../../codec/codec.ts'
import { type Codec, type Union, union } from '../../codec/io.ts'
import { REGISTERED_TYPES } from './fx.ts'
import { type SignedTx, signedTx } from './tx.ts'

/** A block of the X-Chain, which has only this type. */
export type Block = {
  readonly type: 'StandardBlock'
  readonly parentID: Uint8Array
  readonly height: bigint
  /** Unix seconds. */
  readonly time: bigint
  /** 32 zero bytes in every accepted block. */
  readonly merkleRoot: Uint8Array
  /** In order of execution. */
  readonly txs: readonly SignedTx[]
}

const standardBlock: Codec<Block> = (io, v) => ({
  type: 'StandardBlock',
  parentID: io.id(v.parentID),
  height: io.u64(v.height),
  time: io.u64(v.time),
  merkleRoot: io.id(v.merkleRoot),
  txs: io.list(v.txs, signedTx),
})

const blocks: Union<Block> = /* @__PURE__ */ union<Block>(REGISTERED_TYPES, {
  StandardBlock: [20, standardBlock],
})

/** Codec of a block with its type ID. */
export const block: Codec<Block> = (io, v) => io.typed(v, blocks)

/**
 * Decodes a block and its transactions.
 *
 * @throws CodecError
 */
export function decodeBlock(bytes: Uint8Array): Block {
  return decode(block, bytes, MAX_SIZE)
}

/**
 * Encodes a block. The SHA-256 of the result is the block ID.
 *
 * @throws CodecError
 */
export function encodeBlock(value: Block): Uint8Array {
  return encode(block, value)
}
