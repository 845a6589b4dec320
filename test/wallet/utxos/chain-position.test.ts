import { describe, expect, it } from 'vitest'
import type { FollowedBlock } from '../../../src/node/blocks/block-reader.ts'
import { type Applied, firstAfter, withBlock } from '../../../src/wallet/utxos/chain-position.ts'

const reference = (height: bigint, byte = Number(height)) => ({
  height,
  blockID: new Uint8Array(32).fill(byte),
})

const followed = (height: bigint, byte?: number) => {
  const { blockID } = reference(height, byte)
  return { blockID, block: { height, txs: [] } } as unknown as FollowedBlock
}

it.each([
  [0n, undefined, 1n],
  [7n, undefined, 1n],
  [8n, undefined, 1n],
  [9n, undefined, 2n],
  [100n, undefined, 93n],
  [100n, 93n, 93n],
  [100n, 94n, 93n],
  [100n, 5n, 5n],
])(
  'after a walk at height %s, with attempts from %s on, blocks are applied from %s on',
  (height, searchFrom, first) => {
    expect(firstAfter(height, searchFrom)).toBe(first)
  },
)

describe('the newest blocks', () => {
  const [two, three] = [reference(2n), reference(3n)] as const
  it.each<[string, Applied, FollowedBlock, Applied]>([
    ['the first block has no parent', {}, followed(3n), { tip: three, parent: undefined }],
    ['the next one has', { tip: two }, followed(3n), { tip: three, parent: two }],
    [
      'a gap leaves the parent',
      { tip: two },
      followed(5n),
      { tip: reference(5n), parent: undefined },
    ],
    [
      'the same block again',
      { tip: three, parent: two },
      followed(3n),
      { tip: three, parent: two },
    ],
    [
      'an older block again',
      { tip: three, parent: two },
      followed(2n),
      { tip: three, parent: two },
    ],
  ])('%s', (_, before, block, after) => {
    expect(withBlock(before, block)).toEqual(after)
  })

  it('another block at the height of the newest one is of another chain', () => {
    expect(() => withBlock({ tip: three }, followed(3n, 9))).toThrow(
      expect.objectContaining({ code: 'BLOCK_PARENT_MISMATCH' }),
    )
  })
})
