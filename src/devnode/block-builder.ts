import type { Block } from '../chain/block.ts'
import { MAX_SIZE } from '../codec/codec.ts'
import { AvmError } from '../errors.ts'
import type { VerifyInBlock } from './block-rules.ts'
import { BlockView } from './block-view.ts'
import { DevNodeError } from './errors.ts'
import type { ChainTx, VerifiedTx } from './execute.ts'
import type { StateView } from './semantic.ts'
import type { Tip } from './state.ts'

/** Bytes of transactions that the node fills a block with, at most. */
export const TARGET_BLOCK_SIZE = 131_072

/** Bytes of a block without transactions: version, type, parent, height, time, root, count. */
const EMPTY_BLOCK_SIZE = 2 + 4 + 32 + 8 + 8 + 32 + 4
const VERSION_SIZE = 2

/** Which of the candidates go into a block, and why others never will. */
export type Packed = {
  readonly included: readonly VerifiedTx[]
  readonly dropped: readonly { readonly item: ChainTx; readonly error: AvmError }[]
}

/** Refuses more than one block can hold. */
export function checkBlockSize(items: readonly ChainTx[]): void {
  const size = items.reduce((sum, { bytes }) => sum + bytes.length - VERSION_SIZE, EMPTY_BLOCK_SIZE)
  if (size > MAX_SIZE)
    throw new DevNodeError(
      'BLOCK_TOO_LARGE',
      `expected a block of at most ${MAX_SIZE} bytes, found ${size}`,
    )
}

/**
 * Verifies the candidates one after the other, each on the state that those before it leave, until
 * one exceeds what is left of `room`: a small one does not overtake a large one that has to wait.
 * Follows `vms/avm/block/builder/builder.go`.
 */
export function packBlock(
  candidates: readonly ChainTx[],
  base: StateView,
  verify: VerifyInBlock,
  room: number,
): Packed {
  const view = new BlockView(base)
  const included: VerifiedTx[] = []
  const dropped: { item: ChainTx; error: AvmError }[] = []
  let left = room
  for (const item of candidates) {
    if (item.bytes.length > left) break
    try {
      verify(item, view)
      included.push(view.include(item))
      left -= item.bytes.length
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      dropped.push({ item, error })
    }
  }
  return { included, dropped }
}

/** The block that holds these transactions and follows the tip. */
export function blockOf(txs: readonly VerifiedTx[], tip: Tip, time: bigint): Block {
  return {
    type: 'StandardBlock',
    parentID: tip.id,
    height: tip.height + 1n,
    time,
    merkleRoot: new Uint8Array(32),
    txs: txs.map(({ item }) => item.tx),
  }
}
