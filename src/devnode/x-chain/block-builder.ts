import { AvmError } from '../../core/base/errors.ts'
import type { Block } from '../../core/chain/x/block.ts'
import { MAX_SIZE, VERSION_SIZE } from '../../core/codec/codec.ts'
import { DevNodeError } from '../errors.ts'
import type { VerifyInBlock } from './block-rules.ts'
import { BlockView } from './block-view.ts'
import type { ChainTx, VerifiedTx } from './execute.ts'
import type { StateView } from './semantic.ts'
import type { Tip } from './state.ts'

/** Maximum number of transaction bytes in a block built by the node. */
export const TARGET_BLOCK_SIZE = 131_072

/** Size of a block without transactions: version, type, parent, height, time, root, count. */
const EMPTY_BLOCK_SIZE = 2 + 4 + 32 + 8 + 8 + 32 + 4

/** The candidates that go into a block, and the reasons why others are dropped. */
export type Packed = {
  readonly included: readonly VerifiedTx[]
  readonly dropped: readonly { readonly item: ChainTx; readonly error: AvmError }[]
}

/** Rejects more transactions than one block can contain. */
export function checkBlockSize(items: readonly ChainTx[]): void {
  const size = items.reduce((sum, { bytes }) => sum + bytes.length - VERSION_SIZE, EMPTY_BLOCK_SIZE)
  if (size > MAX_SIZE)
    throw new DevNodeError(
      'BLOCK_TOO_LARGE',
      `block too large: ${size} bytes, at most ${MAX_SIZE} allowed`,
    )
}

/**
 * Verifies the candidates in order, each on the state after the previous ones, until one exceeds the remaining size.
 * A small transaction does not overtake a large one that has to wait. Follows `vms/avm/block/builder/builder.go`.
 *
 * @param maxSize - of all included transactions together, in bytes
 */
export function packBlock(
  candidates: readonly ChainTx[],
  base: StateView,
  verify: VerifyInBlock,
  maxSize: number,
): Packed {
  const view = new BlockView(base)
  const included: VerifiedTx[] = []
  const dropped: { item: ChainTx; error: AvmError }[] = []
  let remaining = maxSize
  for (const item of candidates) {
    if (item.bytes.length > remaining) break
    try {
      verify(item, view)
      included.push(view.include(item))
      remaining -= item.bytes.length
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      dropped.push({ item, error })
    }
  }
  return { included, dropped }
}

/** Returns the block with these transactions that follows the tip. */
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
