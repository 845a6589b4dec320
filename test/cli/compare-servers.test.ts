import { describe, expect, it } from 'vitest'
import {
  compareServers,
  heightsToCompare,
  type ServerAnswer,
} from '../../src/cli/chains/compare-servers.ts'

/** A server with blocks up to a height, named by a letter and their height; `null` for one that gives no height. */
function answer(server: string, tip: number | null, chain = 'a', from = 0): ServerAnswer {
  if (tip === null) return { server, height: undefined, blocks: new Map(), error: 'no answer' }
  const heights = Array.from({ length: tip + 1 - from }, (_, i) => from + i)
  const blocks = new Map(heights.map((height) => [BigInt(height), `${chain}${height}`]))
  return { server, height: BigInt(tip), blocks }
}

/** A server that reports a height and has no such block. */
const boasting: ServerAnswer = { ...answer('z', 5), height: 99n }

const [a, b, c] = [answer('a', 5), answer('b', 5), answer('c', 5)]

const cases: readonly {
  readonly name: string
  readonly answers: readonly ServerAnswer[]
  readonly quorum: number
  readonly agreeing: number
  readonly height?: bigint
  readonly blockID?: string
  readonly states: readonly string[]
}[] = [
  {
    name: 'uses one server',
    answers: [a],
    quorum: 1,
    agreeing: 1,
    height: 5n,
    blockID: 'a5',
    states: ['used true'],
  },
  {
    name: 'uses all that show the same block',
    answers: [a, b, c],
    quorum: 2,
    agreeing: 3,
    height: 5n,
    blockID: 'a5',
    states: ['used true', 'used true', 'used true'],
  },
  {
    name: 'compares a server that is ahead at the common height',
    answers: [answer('z', 7), a, b],
    quorum: 2,
    agreeing: 3,
    height: 5n,
    blockID: 'a5',
    states: ['used true', 'used true', 'used true'],
  },
  {
    name: 'does not use a server without an answer',
    answers: [a, answer('z', null), b],
    quorum: 2,
    agreeing: 2,
    height: 5n,
    blockID: 'a5',
    states: ['used true', 'unreachable undefined: no answer', 'used true'],
  },
  {
    name: 'does not use a server that is behind',
    answers: [a, answer('z', 4), answer('y', 2), b],
    quorum: 2,
    agreeing: 2,
    height: 5n,
    blockID: 'a5',
    states: [
      'used true',
      'behind true: 1 block behind',
      'behind true: 3 blocks behind',
      'used true',
    ],
  },
  {
    name: 'does not call a server behind that has another chain',
    answers: [a, answer('z', 3, 'z'), b],
    quorum: 2,
    agreeing: 2,
    height: 5n,
    blockID: 'a5',
    states: [
      'used true',
      'otherBlock false: shows another block at height 3 than other servers',
      'used true',
    ],
  },
  {
    name: 'does not use a server with another block, also if it is ahead',
    answers: [answer('y', 5, 'z'), answer('z', 9, 'z', 5), a, b, c],
    quorum: 2,
    agreeing: 3,
    height: 5n,
    blockID: 'a5',
    states: [
      'otherBlock false: shows another block at height 5 than other servers',
      'otherBlock false: shows another block at height 5 than other servers',
      'used true',
      'used true',
      'used true',
    ],
  },
  {
    name: 'ignores a height without a block',
    answers: [boasting, a, b],
    quorum: 1,
    agreeing: 2,
    height: 5n,
    blockID: 'a5',
    states: ['noBlock undefined: returns no block at height 99', 'used true', 'used true'],
  },
  {
    name: 'agrees on nothing if two servers show different blocks',
    answers: [a, answer('z', 5, 'z')],
    quorum: 1,
    agreeing: 0,
    height: 5n,
    states: [
      'otherBlock false: shows another block at height 5 than other servers',
      'otherBlock false: shows another block at height 5 than other servers',
    ],
  },
  {
    name: 'agrees on nothing if fewer than the quorum show the same block',
    answers: [a, b, answer('z', 5, 'z')],
    quorum: 3,
    agreeing: 0,
    height: 5n,
    states: Array.from(
      { length: 3 },
      () => 'otherBlock false: shows another block at height 5 than other servers',
    ),
  },
  {
    name: 'has no common height if fewer than the quorum answer',
    answers: [answer('y', null), answer('z', null), c],
    quorum: 2,
    agreeing: 0,
    states: [
      'unreachable undefined: no answer',
      'unreachable undefined: no answer',
      'unconfirmed undefined: too few servers confirm its block at height 5',
    ],
  },
  {
    name: 'does not accuse a server whose block nobody else returns',
    answers: [a, { ...answer('z', 7, 'a', 7) }],
    quorum: 2,
    agreeing: 0,
    height: 5n,
    states: [
      'unconfirmed undefined: too few servers confirm its block at height 5',
      'noBlock undefined: returns no block at height 5',
    ],
  },
]

describe('compareServers', () => {
  it.each(cases)('$name', ({ answers, quorum, agreeing, height, blockID, states }) => {
    const found = compareServers(answers, quorum)
    expect(found).toMatchObject({ quorum, agreeing })
    expect([found.height, found.blockID]).toEqual([height, blockID])
    expect(
      found.servers.map(({ state, agreed, reason }) =>
        reason === undefined ? `${state} ${agreed}` : `${state} ${agreed}: ${reason}`,
      ),
    ).toEqual(states)
    expect(found.servers.map(({ server }) => server)).toEqual(answers.map(({ server }) => server))
  })
})

describe('heightsToCompare', () => {
  it('are the common height and those of servers below it', () => {
    const answers = [a, answer('y', 2), answer('z', 2), answer('x', 9), boasting, b]
    expect(heightsToCompare(answers, 2)).toEqual([5n, 2n])
    expect(heightsToCompare(answers, 1)).toEqual([9n, 5n, 2n])
    expect(heightsToCompare([answer('y', null), a], 2)).toEqual([])
  })
})
