import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { FollowedBlock } from '../../node/blocks/block-reader.ts'
import { BlockError } from '../../node/errors.ts'
import type { BlockReference } from '../store/store.ts'

/**
 * Number of blocks before the start height of the initial walk that are applied again: pages may come from servers
 * that far behind.
 */
const MARGIN = 8n

/** The newest blocks that were applied. */
export type Applied = {
  /** The highest block that was applied or, before the first one, that a server returned. */
  readonly tip?: BlockReference | undefined
  /** The block before it, if it was applied as well. */
  readonly parent?: BlockReference | undefined
}

/**
 * Height of the first block to apply after a walk that began at a height.
 *
 * @param searchFrom - lowest height of a block that may decide a pending attempt
 */
export function firstAfter(height: bigint, searchFrom: bigint | undefined): bigint {
  const start = max(1n, height + 1n - MARGIN)
  return min(start, searchFrom ?? start)
}

/**
 * The newest blocks after a further one. After a rewind, blocks that were applied before are read again, possibly from a
 * server of another chain. Comparing the highest one is sufficient, because its ID depends on all blocks before it.
 *
 * @throws BlockError `BLOCK_PARENT_MISMATCH` if another block has the height of the highest one
 */
export function withBlock(applied: Applied, { block, blockID }: FollowedBlock): Applied {
  const { tip, parent } = applied
  const { height } = block
  if (tip?.height === height && !equalBytes(tip.blockID, blockID))
    throw new BlockError(height, tip.blockID, blockID)
  if (tip !== undefined && height <= tip.height) return applied
  return { tip: { height, blockID }, parent: tip?.height === height - 1n ? tip : parent }
}

/** The larger of two heights. */
export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The smaller of two heights. */
export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
