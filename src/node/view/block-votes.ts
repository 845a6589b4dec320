import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { FollowedBlock } from '../blocks/block-reader.ts'

/** The next blocks that a server shows, in order; none if it has no further block. */
export type ShownBlocks = { readonly server: number; readonly blocks: readonly FollowedBlock[] }

/**
 * The blocks, from the next one on, that at least `quorum` servers show.
 *
 * @param parentID - ID of the last agreed block, which the next one must follow; undefined if there is none
 */
export function agreedBlocks(
  shown: readonly ShownBlocks[],
  quorum: number,
  parentID: Uint8Array | undefined,
): FollowedBlock[] {
  const agreed: FollowedBlock[] = []
  let supporters = shown
  for (let parent = parentID; ; parent = agreed.at(-1)!.blockID) {
    const at = agreed.length
    const votes = new Map<string, ShownBlocks[]>()
    for (const one of supporters) {
      const block = one.blocks[at]
      if (block === undefined || !follows(block, parent)) continue
      const name = hex.encode(block.blockID)
      votes.set(name, [...(votes.get(name) ?? []), one])
    }
    const winners = [...votes.values()].find(({ length }) => length >= quorum)
    if (winners === undefined) return agreed
    agreed.push(winners[0]!.blocks[at]!)
    supporters = winners
  }
}

/** How many servers show the same next block, at most. */
export function mostVotes(shown: readonly ShownBlocks[], parentID: Uint8Array | undefined): number {
  const next = nextBlocks(shown, parentID)
  return Math.max(0, ...next.map((block) => next.filter((other) => isSame(block, other)).length))
}

/** Whether servers show different next blocks. Blocks that do not follow the last agreed one are ignored. */
export function isDisputed(
  shown: readonly ShownBlocks[],
  parentID: Uint8Array | undefined,
): boolean {
  const [first, ...others] = nextBlocks(shown, parentID)
  return first !== undefined && others.some((other) => !isSame(first, other))
}

function nextBlocks(
  shown: readonly ShownBlocks[],
  parentID: Uint8Array | undefined,
): FollowedBlock[] {
  return shown.flatMap(({ blocks: [block] }) =>
    block !== undefined && follows(block, parentID) ? [block] : [],
  )
}

/** Whether the first block of a server breaks the chain of parents. */
export function breaksChain(
  { blocks: [first] }: Pick<ShownBlocks, 'blocks'>,
  parentID: Uint8Array | undefined,
): boolean {
  return first !== undefined && !follows(first, parentID)
}

/** Height of the first agreed block for which a server shows another one; undefined if there is none. */
export function contradictionOf(
  { blocks }: Pick<ShownBlocks, 'blocks'>,
  agreed: readonly FollowedBlock[],
): bigint | undefined {
  const at = agreed.findIndex((block, i) => blocks[i] !== undefined && !isSame(block, blocks[i]))
  return agreed[at]?.block.height
}

function follows({ block }: FollowedBlock, parentID: Uint8Array | undefined): boolean {
  return parentID === undefined || equalBytes(block.parentID, parentID)
}

function isSame(a: FollowedBlock, b: FollowedBlock): boolean {
  return equalBytes(a.blockID, b.blockID)
}
