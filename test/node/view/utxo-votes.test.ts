import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { notIn, utxosIn, votedUTXOs } from '../../../src/node/view/utxo-votes.ts'
import { anyUTXO } from '../../helpers/arbitraries.ts'
import { honestMajority } from './assignments.ts'
import { utxoOf } from './fake-servers.ts'

const P = { sourceChain: new Uint8Array(32).fill(1) }
const [a, b, c] = [utxoOf(1), utxoOf(2), utxoOf(3)] as const
const falseA = utxoOf(1, 99n)

function listed(...lists: readonly (readonly UTXO[])[]) {
  return lists.map((utxos, i) => ({ server: `${i}`, set: setOf(utxos) }))
}

function setOf(utxos: readonly UTXO[], source = {}): UTXOSet {
  const set = new UTXOSet()
  set.add([...utxos], source)
  return set
}

const sorted = (utxos: readonly UTXO[]) => utxosIn(setOf(utxos), {})

describe('votedUTXOs', () => {
  type Case = readonly [
    lists: readonly (readonly UTXO[])[],
    quorum: number,
    agreed: readonly UTXO[],
    disputed: readonly (readonly [UTXO, listedBy: string, missingFrom: string])[],
  ]
  const cases: { readonly [name: string]: Case } = {
    'takes what all list': [
      [
        [a, b],
        [a, b],
      ],
      2,
      [a, b],
      [],
    ],
    'takes an empty list of all': [[[], []], 2, [], []],
    'takes what enough list, although the first does not': [[[b], [a, b], [a, b]], 2, [a, b], []],
    'drops what enough do not list, although the first does': [[[a, b], [b], [b]], 2, [b], []],
    'disputes what one of two lists': [[[a, b], [b]], 2, [b], [[a, '0', '1']]],
    'disputes what only the second lists': [[[b], [a, b]], 2, [b], [[a, '1', '0']]],
    'disputes both contents of a UTXO': [
      [[a], [falseA]],
      2,
      [],
      [
        [a, '0', '1'],
        [falseA, '1', '0'],
      ],
    ],
    'takes the content that enough list': [[[falseA], [a], [a]], 2, [a], []],
    'disputes what two of three list with quorum 3': [[[a], [a], []], 3, [], [[a, '01', '2']]],
    'takes what as many list as do not, for blocks to decide': [[[a], [a], [], []], 2, [a], []],
    'disputes every difference with quorum 1': [[[a], [a, b], [a]], 1, [a], [[b, '1', '02']]],
    'keeps servers apart that list different UTXOs': [[[a], [b], [c]], 2, [], []],
  }
  for (const [name, [lists, quorum, agreed, disputed]] of Object.entries(cases))
    it(name, () => {
      const voted = votedUTXOs(listed(...lists), quorum, [{}])
      expect(utxosIn(voted.set, {})).toEqual(sorted(agreed))
      expect(
        voted.disputed.map(({ utxo, listedBy, missingFrom }) => [
          utxo,
          listedBy.join(''),
          missingFrom.join(''),
        ]),
      ).toEqual(disputed)
    })

  it('keeps the UTXOs of sources apart', () => {
    const both = setOf([a])
    both.add([b], P)
    const lists = [
      { server: 'a', set: both },
      { server: 'b', set: setOf([a]) },
    ]
    const { set, disputed } = votedUTXOs(lists, 2, [{}, P])
    expect([utxosIn(set, {}), utxosIn(set, P)]).toEqual([[a], []])
    expect(disputed).toEqual([{ utxo: b, source: P, listedBy: ['a'], missingFrom: ['b'] }])
  })

  const pool = fc.uniqueArray(anyUTXO, {
    maxLength: 6,
    selector: ({ txID, outputIndex }) => `${txID} ${outputIndex}`,
  })
  test.prop([honestMajority(2), pool, pool, fc.array(fc.array(fc.boolean()))])(
    'gives what honest servers list, whatever fewer liars than the quorum list',
    ({ isLiar, quorum }, real, invented, choices) => {
      const changed = real.flatMap((utxo) =>
        'amount' in utxo.output
          ? [{ ...utxo, output: { ...utxo.output, amount: utxo.output.amount ^ 1n } } as UTXO]
          : [],
      )
      const lies = [...real, ...changed, ...invented]
      const lists = isLiar.map((liar, i) => (liar ? lies.filter((_, j) => choices[i]?.[j]) : real))
      const { set, disputed } = votedUTXOs(listed(...lists), quorum, [{}])
      expect(utxosIn(set, {})).toEqual(sorted(real))
      expect(disputed).toEqual([])
    },
  )
})

describe('votedUTXOs of entries that cannot be decoded', () => {
  const junk = '0x000012'
  const withJunk = (...entries: string[]) => {
    const set = setOf([a])
    set.add(entries)
    return set
  }
  for (const [name, sets, quorum, count] of [
    ['keeps what all list', [withJunk(junk), withJunk(junk)], 2, 1],
    ['drops what only the first lists', [withJunk(junk), withJunk(), withJunk()], 2, 0],
    ['keeps what only the first does not list', [withJunk(), withJunk(junk), withJunk(junk)], 2, 1],
    ['keeps what any server lists with quorum 1', [withJunk(), withJunk(junk)], 1, 1],
  ] as const)
    it(name, () => {
      const lists = sets.map((set, i) => ({ server: `${i}`, set }))
      expect(votedUTXOs(lists, quorum, [{}]).set.opaque()).toHaveLength(count)
    })
})

describe('notIn', () => {
  it('has UTXOs that are missing or have other content', () => {
    expect(notIn(setOf([falseA, b]), setOf([a, b, c]))).toEqual([a, c])
  })

  it('is empty for equal sets', () => {
    expect(notIn(setOf([a, b]), setOf([b, a]))).toEqual([])
  })
})
