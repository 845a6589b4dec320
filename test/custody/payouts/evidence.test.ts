import { describe, expect, it } from 'vitest'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { type EndedPayout, planEvidence } from '../../../src/custody/payouts/evidence.ts'

const id = (n: number) => ({ txID: new Uint8Array(32).fill(n), outputIndex: 0 })
const rival = new Uint8Array(32).fill(9)

/** An attempt that spent UTXOs and that a rival with these unspent outputs ended. */
function ended(inputs: number[], evidence: number[], isVouched = false): EndedPayout {
  return { inputs: inputs.map(id), evidence: evidence.map(id), decidedBy: rival, isVouched }
}

/** The plan for payouts with these ended attempts, with numbers for UTXOs. */
function plan(attempts: { readonly [payout: string]: readonly EndedPayout[] }, free: number[]) {
  const names = new Set(free.map((n) => utxoKey(id(n))))
  const isFree = (one: UTXOID) => names.has(utxoKey(one))
  const found = planEvidence(Object.keys(attempts), (name) => attempts[name]!, isFree)
  return {
    ...found,
    pinned: found.pinned.map(({ txID }) => txID[0]),
    unproven: [...found.unproven],
  }
}

describe('planEvidence', () => {
  const nothing = { payable: [], pinned: [], waiting: [], unproven: [] }
  const stranded = { ...ended([1], []), decidedBy: undefined }
  for (const [name, attempts, free, expected] of [
    ['nothing for a first attempt', { a: [] }, [], { payable: ['a'] }],
    ['an output of the rival', { a: [ended([1], [2])] }, [2], { payable: ['a'], pinned: [2] }],
    ['an input of the attempt', { a: [ended([1], [2])] }, [1], { payable: ['a'], pinned: [1] }],
    [
      'such an input if the rival has no output',
      { a: [ended([1], [])] },
      [1],
      { payable: ['a'], pinned: [1] },
    ],
    [
      'one UTXO for each attempt',
      { a: [ended([1], [2]), ended([3], [4])] },
      [2, 4],
      { payable: ['a'], pinned: [2, 4] },
    ],
    [
      'a UTXO that payouts share',
      { a: [ended([1], [2, 3])], b: [ended([4], [3])] },
      [2, 3],
      { payable: ['a', 'b'], pinned: [3] },
    ],
    [
      'no UTXO that another transaction spends',
      { a: [ended([1], [2])], b: [] },
      [],
      { payable: ['b'], waiting: ['a'] },
    ],
    [
      'all attempts to be shown',
      { a: [ended([1], [2]), ended([3], [4])] },
      [2],
      { waiting: ['a'] },
    ],
    [
      'an operator if nothing shows the rival',
      { a: [ended([1], [])] },
      [],
      { unproven: [['a', rival]] },
    ],
    ['no operator twice', { a: [ended([1], [], true)] }, [], { payable: ['a'] }],
    [
      'outputs although an operator was asked',
      { a: [ended([1], [2], true)] },
      [],
      { waiting: ['a'] },
    ],
    ['nothing after a block was taken back', { a: [stranded] }, [], { payable: ['a'] }],
  ] as const)
    it(`requires ${name}`, () => {
      expect(plan(attempts, [...free])).toEqual({ ...nothing, ...expected })
    })

  it('takes as many payouts as have room for what they must spend', () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`p${n}`, [ended([], [n])]]),
    )
    const free = Array.from({ length: 200 }, (_, n) => n)
    expect(plan(many, free).payable).toEqual(Object.keys(many).slice(0, 100))
  })
})
