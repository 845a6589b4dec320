import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { FollowedBlock } from '../../../src/node/blocks/block-reader.ts'
import {
  agreedBlocks,
  breaksChain,
  contradictionOf,
  isDisputed,
  mostVotes,
} from '../../../src/node/view/block-votes.ts'
import { honestMajority } from './assignments.ts'
import { blocksOf, branchOf } from './fake-servers.ts'

const chain = blocksOf(8)
const branch = branchOf(chain, 2, 5)
const other = blocksOf(8, 1)
/** The next block is the one at height 1. */
const parentID = chain[0]!.blockID
const next = (blocks: readonly FollowedBlock[], to = blocks.length) => blocks.slice(1, to)

function shownBy(...lists: readonly (readonly FollowedBlock[])[]) {
  return lists.map((blocks, server) => ({ server, blocks }))
}

const heights = (blocks: readonly FollowedBlock[]) =>
  blocks.map(({ block }) => Number(block.height))

describe('agreedBlocks', () => {
  const cases: {
    readonly [name: string]: readonly [readonly (readonly FollowedBlock[])[], number, number[]]
  } = {
    'are none without servers': [[], 1, []],
    'are none if nobody has a block': [[[], [], []], 2, []],
    'are all that enough servers show': [[next(chain), next(chain)], 2, [1, 2, 3, 4, 5, 6, 7]],
    'end with the last block that enough servers show': [[next(chain, 3), next(chain)], 2, [1, 2]],
    'end before a branch': [[next(chain), next(branch)], 2, [1, 2]],
    'follow the branch with more servers': [
      [next(branch), next(chain, 5), next(chain)],
      2,
      [1, 2, 3, 4],
    ],
    'are none if each server shows another chain': [[next(chain), next(other)], 2, []],
    'are none if those that agree do not follow the parent': [[next(other), next(other)], 2, []],
    'need the same servers for all blocks': [
      // The second and third agree on block 3 of the branch; the second showed the chain before.
      [next(chain, 3), [...next(chain, 3), branch[3]!], [other[1]!, other[2]!, branch[3]!]],
      2,
      [1, 2],
    ],
    'are what one server shows with quorum 1': [[next(chain, 4)], 1, [1, 2, 3]],
  }
  for (const [name, [lists, quorum, expected]] of Object.entries(cases))
    it(name, () => {
      const agreed = agreedBlocks(shownBy(...lists), quorum, parentID)
      expect(heights(agreed)).toEqual(expected)
      expect(agreed).toEqual(chain.slice(1, 1 + agreed.length))
    })

  it('may begin with any block if there is no parent', () => {
    expect(agreedBlocks(shownBy(next(other), next(other)), 2, undefined)).toEqual(next(other))
  })

  const forged = fc.record({ at: fc.nat({ max: 6 }), length: fc.integer({ min: 0, max: 6 }) })
  test.prop([honestMajority(), fc.array(forged), fc.array(fc.nat({ max: 7 }))])(
    'are a prefix of the honest chain as long as the quorum-th honest list',
    ({ isLiar, quorum }, lies, lengths) => {
      const lists = isLiar.map((liar, i) => {
        const { at, length } = lies[i] ?? { at: 0, length: 6 }
        return liar ? next(branchOf(chain, at, length)) : next(chain, 1 + (lengths[i] ?? 7))
      })
      const honest = lists.filter((_, i) => !isLiar[i]).map(({ length }) => length)
      const agreed = agreedBlocks(shownBy(...lists), quorum, parentID)
      expect(agreed).toEqual(chain.slice(1, 1 + agreed.length))
      expect(agreed.length).toBeGreaterThanOrEqual(honest.sort((a, b) => b - a)[quorum - 1]!)
    },
  )
})

describe('mostVotes', () => {
  for (const [name, lists, votes] of [
    ['is 0 without servers', [], 0],
    ['does not count servers without a block', [[], [], next(chain)], 1],
    ['counts servers with the same next block', [next(chain), next(branch), next(other)], 2],
    ['does not count blocks that do not follow', [next(other), next(other)], 0],
  ] as const)
    it(name, () => expect(mostVotes(shownBy(...lists), parentID)).toBe(votes))
})

describe('isDisputed', () => {
  for (const [name, lists, expected] of [
    ['no server', [], false],
    ['servers without a block', [[], [], next(chain)], false],
    ['the same next block, whatever follows it', [next(chain), next(branch)], false],
    ['a block that does not follow', [next(chain), next(other)], false],
    ['different next blocks', [next(chain), [], next(branchOf(chain, 0, 1))], true],
  ] as const)
    it(`is ${expected} for ${name}`, () =>
      expect(isDisputed(shownBy(...lists), parentID)).toBe(expected))

  it('compares any blocks if there is no parent', () => {
    expect(isDisputed(shownBy(next(chain), next(other)), undefined)).toBe(true)
  })
})

describe('breaksChain', () => {
  for (const [name, blocks, parent, expected] of [
    ['a block that follows', next(chain), parentID, false],
    ['a block of another chain', next(other), parentID, true],
    ['no block', [], parentID, false],
    ['any block without a parent', next(other), undefined, false],
  ] as const)
    it(`is ${expected} for ${name}`, () => expect(breaksChain({ blocks }, parent)).toBe(expected))
})

describe('contradictionOf', () => {
  for (const [name, blocks, agreed, height] of [
    ['the same blocks', next(chain), next(chain), undefined],
    ['fewer blocks', next(chain, 3), next(chain), undefined],
    ['more blocks', next(chain), next(chain, 3), undefined],
    ['no block', [], next(chain), undefined],
    ['a branch after the agreed blocks', next(branch), next(chain, 3), undefined],
    ['a branch within the agreed blocks', next(branch), next(chain), 3n],
    ['another chain', next(other), next(chain), 1n],
  ] as const)
    it(`is ${height} for ${name}`, () => expect(contradictionOf({ blocks }, agreed)).toBe(height))
})
