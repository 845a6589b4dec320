import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { txID as idOf, utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import type { SignedTx } from '../../../src/core/chain/x/tx.ts'
import {
  conflictingInputs,
  issuedOf,
  PendingAttempts,
} from '../../../src/wallet/payments/attempts.ts'
import type { Attempt } from '../../../src/wallet/store/index.ts'

const input = (n: number): UTXOID => ({ txID: new Uint8Array(32).fill(n), outputIndex: n })

/** A transaction that spends these inputs. The memo tells apart those with equal inputs. */
function txOf(inputs: readonly number[], memo = 0): SignedTx {
  return {
    unsignedTx: {
      type: 'BaseTx',
      networkID: 1,
      blockchainID: new Uint8Array(32),
      outputs: [],
      inputs: inputs.map((n) => ({
        ...input(n),
        assetID: new Uint8Array(32),
        input: { type: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [0] },
      })),
      memo: Uint8Array.of(memo),
    },
    credentials: [],
  }
}

function attemptOf(
  keys: readonly string[],
  inputs: readonly number[],
  { kind = 'payment', memo = 0, fromHeight = 1n }: Partial<Attempt> & { memo?: number } = {},
): Attempt & { readonly tx: SignedTx } {
  const tx = txOf(inputs, memo)
  const bytes = new Uint8Array()
  return { kind, keys, txID: idOf(tx), bytes, inputs: inputs.map(input), fromHeight, tx }
}

const paymentsOf = (keys: readonly string[]) =>
  keys.map((key) => ({ key, digest: new Uint8Array(32) }))

/** Pending attempts, and a function that ends attempts with a transaction as if it was proven. */
function tracked(...attempts: readonly (Attempt & { readonly tx: SignedTx })[]) {
  const pending = new PendingAttempts()
  const groups = attempts.map((attempt) => pending.add(attempt, paymentsOf(attempt.keys)))
  const accept = (tx: SignedTx) => {
    pending.consider(tx)
    const candidates = [...pending.candidates.values()]
    return candidates.flatMap((candidate) => pending.endAttempts(candidate))
  }
  return { pending, groups, accept }
}

describe('issuedOf', () => {
  it('is the newest attempt, but an import goes before exports that were claimed after it', () => {
    const first = attemptOf(['a'], [1], { kind: 'export' })
    const second = attemptOf(['a'], [1], { kind: 'export', memo: 1 })
    expect(issuedOf(tracked(first, second).groups[0]!)).toBe(second)
    const imported = attemptOf(['a'], [1, 2], { kind: 'import' })
    expect(issuedOf(tracked(first, imported, second).groups[0]!)).toBe(imported)
  })
})

describe('conflictingInputs', () => {
  const find = (attempts: readonly (readonly number[])[], gone: readonly number[] = []) =>
    conflictingInputs(
      attempts.map((inputs) => attemptOf(['a'], inputs)),
      (id) => !gone.includes(id.outputIndex),
    )?.map(({ outputIndex }) => outputIndex)

  it('selects one input that all attempts share', () => {
    expect(find([[1, 2], [3, 2], [2]])).toEqual([2])
  })

  it('selects several if no input is shared by all', () => {
    const found = find([
      [1, 2],
      [2, 3],
      [4, 5],
    ])
    expect(found).toHaveLength(2)
    expect(found).toContain(2)
  })

  it('does not select inputs that are not available', () => {
    expect(find([[1, 2], [1]], [2])).toEqual([1])
    expect(
      find(
        [
          [1, 2],
          [2, 3],
        ],
        [2],
      ),
    ).toEqual([1, 3])
  })

  it('is undefined if an attempt has no available input', () => {
    expect(find([[1, 2], [2]], [2])).toBeUndefined()
    expect(find([[]])).toBeUndefined()
  })

  it('is empty without attempts', () => {
    expect(find([])).toEqual([])
  })

  const numbers = fc.uniqueArray(fc.nat(6), { maxLength: 4 })
  test.prop([fc.array(numbers, { maxLength: 5 }), fc.array(fc.nat(6))])(
    'spends an available input of every attempt, or says that there is none',
    (attempts, gone) => {
      const found = find(attempts, gone)
      const isPossible = attempts.every((inputs) => inputs.some((n) => !gone.includes(n)))
      expect(found !== undefined).toBe(isPossible)
      for (const inputs of isPossible ? attempts : [])
        expect(inputs.some((n) => found!.includes(n) && !gone.includes(n))).toBe(true)
      expect(new Set(found).size).toBe(found?.length ?? 0)
    },
  )
})

describe('PendingAttempts', () => {
  it('groups attempts by their keys', () => {
    const one = attemptOf(['a', 'b'], [1, 2])
    const variant = attemptOf(['a', 'b'], [1, 2], { memo: 1 })
    const cancellation = attemptOf(['a'], [1], { kind: 'cancellation', memo: 2 })
    const other = attemptOf(['c'], [3], { fromHeight: 7n })
    const { pending, groups } = tracked(one, variant, cancellation, other)
    expect(groups[1]).toBe(groups[0])
    expect(groups[2]).toBe(groups[0])
    expect(groups[3]).not.toBe(groups[0])
    expect(pending.groups).toEqual([groups[0], groups[3]])
    expect(pending.group('b')).toBe(groups[0])
    expect(pending.groupOf(variant.txID)).toBe(groups[0])
    expect(pending.searchFrom()).toBe(1n)
    // The same attempt again is not added.
    expect(pending.add(one, paymentsOf(one.keys)).attempts).toHaveLength(3)
  })

  it('does not consider transactions that spend none of the inputs', () => {
    const { pending } = tracked(attemptOf(['a'], [1, 2]))
    pending.consider(txOf([3, 4]))
    expect(pending.candidates.size).toBe(0)
    pending.consider(txOf([3, 2]))
    expect(pending.candidates.size).toBe(1)
  })

  it('accepts the payment of an attempt that was accepted, whichever it is', () => {
    const one = attemptOf(['a'], [1, 2])
    const other = attemptOf(['a'], [2, 3], { memo: 1 })
    for (const accepted of [one, other]) {
      const { pending, groups, accept } = tracked(one, other)
      expect(accept(accepted.tx)).toEqual([groups[0]])
      expect(groups[0]!.outcome).toEqual({ status: 'accepted', txID: accepted.txID })
      expect(groups[0]!.attempts).toEqual([])
      expect(pending.groups).toEqual([])
      expect(pending.group('a')).toBeUndefined()
      expect(pending.searchFrom()).toBeUndefined()
      expect(pending.candidates.size).toBe(0)
    }
  })

  it('rejects the payment once every attempt has a rival', () => {
    const { pending, groups, accept } = tracked(
      attemptOf(['a'], [1, 2]),
      attemptOf(['a'], [2, 3], { memo: 1 }),
    )
    const [group] = groups
    accept(txOf([1]))
    expect(group!.outcome).toBeUndefined()
    expect(group!.attempts).toHaveLength(1)
    expect(pending.group('a')).toBe(group)
    const rival = txOf([3])
    accept(rival)
    expect(group!.outcome).toEqual({ status: 'rejected', txID: idOf(rival) })
    expect(pending.groups).toEqual([])
  })

  it('cancels the payment if the cancellation was accepted', () => {
    const cancellation = attemptOf(['a'], [1, 9], { kind: 'cancellation', memo: 1 })
    const { groups, accept } = tracked(attemptOf(['a'], [1, 2]), cancellation)
    accept(cancellation.tx)
    expect(groups[0]!.outcome).toEqual({ status: 'canceled', txID: cancellation.txID })
  })

  it('is still pending if a payment remains that the cancellation does not conflict with', () => {
    const cancellation = attemptOf(['a'], [1], { kind: 'cancellation', memo: 1 })
    const { groups, accept } = tracked(
      attemptOf(['a'], [1, 2]),
      cancellation,
      attemptOf(['a'], [2], { memo: 2 }),
    )
    accept(cancellation.tx)
    expect(groups[0]!.outcome).toBeUndefined()
    expect(groups[0]!.attempts).toHaveLength(1)
  })

  it('accepts the payment if it was faster than the cancellation', () => {
    const payment = attemptOf(['a'], [1, 2])
    const { pending, groups, accept } = tracked(
      payment,
      attemptOf(['a'], [1, 9], { kind: 'cancellation', memo: 1 }),
    )
    accept(payment.tx)
    expect(groups[0]!.outcome).toEqual({ status: 'accepted', txID: payment.txID })
    expect(pending.groups).toEqual([])
  })

  it('ends several groups with one transaction, and wakes those who wait', () => {
    const { groups, accept } = tracked(attemptOf(['a'], [1]), attemptOf(['b'], [2]))
    let woken = 0
    for (const { wake } of groups) wake.add(() => woken++)
    expect(accept(txOf([1, 2]))).toEqual(groups)
    expect(groups.map(({ outcome }) => outcome?.status)).toEqual(['rejected', 'rejected'])
    expect(woken).toBe(2)
  })

  it('begins a new group for a new attempt after a rejection', () => {
    const { pending, groups, accept } = tracked(attemptOf(['a'], [1]))
    accept(txOf([1], 7))
    const next = attemptOf(['a'], [5])
    expect(pending.add(next, paymentsOf(['a']))).not.toBe(groups[0])
    expect(pending.group('a')?.attempts).toEqual([next])
  })

  const numbers = fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 })
  test.prop([
    fc.array(numbers, { minLength: 1, maxLength: 6 }),
    fc.array(numbers, { maxLength: 4 }),
  ])(
    'ends exactly the attempts that share an input with an accepted transaction',
    (lists, rivals) => {
      const attempts = lists.map((inputs, i) => attemptOf([`k${i % 3}`], inputs, { memo: i }))
      const { pending, accept } = tracked(...attempts)
      for (const [i, inputs] of rivals.entries()) accept(txOf(inputs, 100 + i))
      const spent = new Set(rivals.flat().map((n) => utxoKey(input(n))))
      const left = attempts.filter(({ inputs }) => !inputs.some((id) => spent.has(utxoKey(id))))
      const found = pending.groups.flatMap((group) => group.attempts)
      expect(new Set(found)).toEqual(new Set(left))
    },
  )
})
