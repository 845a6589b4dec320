import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import {
  chooseWithin,
  type LimitedPayout,
  type LimitSum,
  valueFor,
} from '../../../src/custody/control/allowance.ts'

const bytes = (n: number, length: number) => new Uint8Array(length).fill(n)
const address = (n: number) => bytes(n, 20)
const asset = (n: number) => bytes(n, 32)

/** A payout of asset 1 to address 1 for no reference. */
const payout = (seq: string, amount: bigint, more: Partial<LimitedPayout> = {}): LimitedPayout => ({
  seq,
  address: address(1),
  assetID: asset(1),
  amount,
  reference: undefined,
  ...more,
})

/** A sum over all payouts of asset 1, in its own unit. */
const sumOf = (amount: bigint, more: Partial<LimitSum> = {}): LimitSum => ({
  id: '1',
  rule: 'rule',
  amount,
  units: new Map([[hex.encode(asset(1)), 1n]]),
  destination: undefined,
  account: undefined,
  used: 0n,
  ...more,
})

const units = (list: { readonly [asset: number]: bigint }) =>
  new Map(Object.entries(list).map(([n, unit]) => [hex.encode(asset(Number(n))), unit]))

describe('valueFor', () => {
  it.each([
    [1n, 10n, 1n],
    [9n, 10n, 1n],
    [10n, 10n, 1n],
    [11n, 10n, 2n],
    [20n, 10n, 2n],
    [21n, 10n, 3n],
    [7n, 1n, 7n],
    [2n ** 64n - 1n, 1n, 2n ** 64n - 1n],
  ])('counts %d in units of %d as %d', (amount, unit, value) => {
    expect(valueFor(payout('1', amount), sumOf(0n, { units: units({ 1: unit }) }))).toBe(value)
  })

  it('knows no value of an asset that the rule does not name', () => {
    expect(valueFor(payout('1', 5n, { assetID: asset(2) }), sumOf(0n))).toBeUndefined()
  })
})

describe('chooseWithin', () => {
  const chosen = (payouts: readonly LimitedPayout[], sums: readonly LimitSum[]) => {
    const { allowed, stopped } = chooseWithin(payouts, sums)
    return {
      allowed: allowed.map(({ seq }) => seq).join(' '),
      stopped: stopped.map(
        ({ payout, sum, value, used }) => `${payout.seq} by ${sum.rule}: ${used} + ${value}`,
      ),
    }
  }

  it('allows everything without sums', () => {
    expect(chosen([payout('1', 5n)], [])).toEqual({ allowed: '1', stopped: [] })
  })

  it.each<[string, bigint, bigint, string]>([
    ['reaches', 3n, 10n, '1'],
    ['would exceed', 4n, 10n, ''],
    ['has exceeded before, because the limit was lowered,', 11n, 10n, ''],
  ])('compares a payout with a sum that it %s', (_, used, amount, allowed) => {
    expect(chosen([payout('1', 7n)], [sumOf(amount, { used })]).allowed).toBe(allowed)
  })

  it('counts what was chosen before, and passes over what does not fit', () => {
    const payouts = [payout('1', 4n), payout('2', 5n), payout('3', 4n), payout('4', 1n)]
    expect(chosen(payouts, [sumOf(10n, { used: 2n })])).toEqual({
      allowed: '1 3',
      stopped: ['2 by rule: 6 + 5', '4 by rule: 10 + 1'],
    })
  })

  it('counts a payout in all of its sums, or, if one of them is full, in none', () => {
    const all = sumOf(10n, { rule: 'all' })
    const narrow = sumOf(3n, { rule: 'narrow', destination: address(1) })
    const payouts = [
      payout('1', 4n),
      payout('2', 6n, { address: address(2) }),
      payout('3', 3n),
      payout('4', 4n, { address: address(2) }),
    ]
    // The second takes 6 of 10: what the first one would have taken is not missing. The third takes 3.
    expect(chosen(payouts, [all, narrow])).toEqual({
      allowed: '2 3',
      stopped: ['1 by narrow: 0 + 4', '4 by all: 9 + 4'],
    })
  })

  it('tells the groups of addresses, references and all payouts apart', () => {
    const sums = [
      sumOf(100n, { rule: 'all' }),
      sumOf(5n, { rule: 'to 1', destination: address(1) }),
      sumOf(6n, { rule: 'to 2', destination: address(2) }),
      sumOf(7n, { rule: 'of a', account: 'a' }),
      // Payouts without a reference are a group of their own.
      sumOf(4n, { rule: 'of nobody', account: '' }),
    ]
    const at = (seq: string, amount: bigint, to: number, reference?: string) =>
      payout(seq, amount, { address: address(to), reference })
    expect(
      chosen(
        [
          at('1', 5n, 1, 'a'),
          at('2', 1n, 1, 'b'),
          at('3', 3n, 2, 'a'),
          at('4', 2n, 2, 'a'),
          at('5', 5n, 3),
          at('6', 4n, 3),
          at('7', 4n, 2),
          at('8', 4n, 2, 'b'),
        ],
        sums,
      ),
    ).toEqual({
      allowed: '1 4 6 8',
      stopped: [
        '2 by to 1: 5 + 1',
        '3 by of a: 5 + 3',
        '5 by of nobody: 0 + 5',
        '7 by of nobody: 4 + 4',
      ],
    })
  })

  it.each([
    [5n, 9n, 'first'],
    [9n, 5n, 'second'],
  ])('compares with all rules of a group: %d and %d', (first, second, stricter) => {
    for (const group of [{}, { destination: address(1) }, { account: '' }]) {
      const sums = [
        sumOf(first, { rule: 'first', ...group }),
        sumOf(second, { rule: 'second', ...group }),
      ]
      expect(chosen([payout('1', 6n), payout('2', 5n)], sums)).toEqual({
        allowed: '2',
        stopped: [`1 by ${stricter}: 0 + 6`],
      })
    }
  })

  it('adds several assets in the unit of the rule, and ignores others', () => {
    const sum = sumOf(3n, { units: units({ 1: 10n, 2: 1n }) })
    const payouts = [
      payout('1', 11n),
      payout('2', 1n, { assetID: asset(2) }),
      payout('3', 1n, { assetID: asset(2) }),
      payout('4', 1n),
      payout('5', 1_000n, { assetID: asset(3) }),
    ]
    expect(chosen(payouts, [sum])).toEqual({
      allowed: '1 2 5',
      stopped: ['3 by rule: 3 + 1', '4 by rule: 3 + 1'],
    })
  })
})
