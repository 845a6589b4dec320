import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { txID as idOf, utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { encodeTx, type SignedTx } from '../../../src/core/chain/x/tx.ts'
import { Pending } from '../../../src/wallet/evidence/pending.ts'
import { issuedOf } from '../../../src/wallet/machine/facts.ts'
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
  const bytes = encodeTx(tx)
  return { kind, keys, txID: idOf(tx), bytes, inputs: inputs.map(input), fromHeight, tx }
}

const paymentsOf = (keys: readonly string[]) =>
  keys.map((key) => ({ key, digest: new Uint8Array(32) }))

/** Pending attempts, and a function that ends attempts with a transaction as if it was proven. */
function tracked(...attempts: readonly (Attempt & { readonly tx: SignedTx })[]) {
  const pending = new Pending()
  for (const attempt of attempts) pending.add(attempt, paymentsOf(attempt.keys))
  const keys = [...new Set(attempts.flatMap((attempt) => attempt.keys))]
  const woken: number[] = []
  pending.await(keys, () => woken.push(1))
  const accept = (tx: SignedTx) =>
    pending.record({
      txID: idOf(tx),
      inputs: tx.unsignedTx.inputs.map(({ txID, outputIndex }) => ({ txID, outputIndex })),
      bytes: encodeTx(tx),
    })
  const groups = () => pending.claims.groups()
  return { pending, accept, woken, groups }
}

it('an attempt that is drafted again is the newest one, which is issued next', () => {
  const first = attemptOf(['a', 'b'], [1, 2])
  const second = attemptOf(['a', 'b'], [2, 3])
  const { pending } = tracked(first, second)
  const issued = (keys: string[]) => issuedOf(pending.claims.attemptsFor(keys))
  expect(issued(['a', 'b'])).toBe(second)
  pending.add(attemptOf(['a', 'b'], [1, 2]), paymentsOf(['a', 'b']))
  for (const keys of [['a', 'b'], ['a'], ['b']]) expect(issued(keys)).toBe(first)
  expect([...pending.claims.attempts.values()]).toEqual([second, first])
})

describe('issuedOf', () => {
  it('is the newest attempt, but an import goes before exports that were claimed after it', () => {
    const first = attemptOf(['a'], [1], { kind: 'export' })
    const second = attemptOf(['a'], [1], { kind: 'export', memo: 1 })
    expect(issuedOf([first, second])).toBe(second)
    const imported = attemptOf(['a'], [1, 2], { kind: 'import' })
    expect(issuedOf([first, imported, second])).toBe(imported)
  })
})

describe('pending payments', () => {
  it('are grouped by the transactions that make them', () => {
    const one = attemptOf(['a', 'b'], [1, 2])
    const variant = attemptOf(['a', 'b'], [1, 2], { memo: 1 })
    const cancellation = attemptOf(['a'], [1], { kind: 'cancellation', memo: 2 })
    const other = attemptOf(['c'], [3], { fromHeight: 7n })
    const { pending, groups } = tracked(one, variant, other, cancellation)
    expect(groups()).toMatchObject([
      { payments: [{ key: 'a' }, { key: 'b' }], attempts: [one, variant, cancellation] },
      { payments: [{ key: 'c' }], attempts: [other] },
    ])
    expect(pending.claims.groupOf('b')?.attempts).toHaveLength(3)
    expect(pending.claims.groupOf('d')).toBeUndefined()
    expect(pending.attempt(variant.txID)).toBe(variant)
    expect(pending.searchFrom()).toBe(1n)
    // The same attempt again is not added.
    pending.add(one, paymentsOf(one.keys))
    expect(pending.claims.attemptsFor(['a'])).toHaveLength(3)
  })

  it('are not touched by transactions that spend none of their inputs', () => {
    const { pending } = tracked(attemptOf(['a'], [1, 2]))
    expect(pending.isTouched([input(3), input(4)])).toBe(false)
    expect(pending.isTouched([input(3), input(2)])).toBe(true)
  })

  it('end as accepted with an attempt that was accepted, whichever it is', () => {
    const one = attemptOf(['a'], [1, 2])
    const other = attemptOf(['a'], [2, 3], { memo: 1 })
    for (const accepted of [one, other]) {
      const { pending, accept, groups, woken } = tracked(one, other)
      expect(new Set(accept(accepted.tx).map(utxoKey))).toEqual(
        new Set([1, 2, 3].map((n) => utxoKey(input(n)))),
      )
      const { txID } = accepted
      expect(pending.ending('a')).toEqual({ status: 'accepted', txID, attempt: accepted })
      expect(groups()).toEqual([])
      expect(pending.searchFrom()).toBeUndefined()
      expect(woken).toHaveLength(1)
      expect(pending.wasAdded(txID)).toBe(true)
    }
  })

  it('end as rejected once every attempt has a rival', () => {
    const { pending, accept, groups } = tracked(
      attemptOf(['a'], [1, 2]),
      attemptOf(['a'], [2, 3], { memo: 1 }),
    )
    // The second attempt still spends the input that both have.
    expect(accept(txOf([1], 8)).map(utxoKey)).toEqual([utxoKey(input(1))])
    expect(pending.ending('a')).toBeUndefined()
    expect(groups()[0]?.attempts).toHaveLength(1)
    const rival = txOf([3], 9)
    accept(rival)
    expect(pending.ending('a')).toMatchObject({ status: 'rejected', txID: idOf(rival) })
    expect(groups()).toEqual([])
  })

  it('end as rejected if what created an input of the attempt has a rival', () => {
    const parent = txOf([1])
    const output = { txID: idOf(parent), outputIndex: 0 }
    const attempt = attemptOf(['a'], [2])
    const { pending, accept } = tracked({ ...attempt, inputs: [output] })
    pending.ancestors.add(idOf(parent), [input(1)])
    expect(pending.isTouched([input(1)])).toBe(true)
    const ends = pending.impossibleWith({ txID: idOf(txOf([1], 7)), inputs: [input(1)] })
    expect(ends.map(({ txID }) => txID)).toEqual([attempt.txID])
    accept(parent)
    expect(pending.ending('a')).toBeUndefined()
  })

  it('end as canceled if the cancellation was accepted', () => {
    const cancellation = attemptOf(['a'], [1, 9], { kind: 'cancellation', memo: 1 })
    const { pending, accept } = tracked(attemptOf(['a'], [1, 2]), cancellation)
    accept(cancellation.tx)
    expect(pending.ending('a')).toMatchObject({ status: 'canceled', txID: cancellation.txID })
  })

  it('do not end if an attempt remains that the cancellation does not conflict with', () => {
    const cancellation = attemptOf(['a'], [1], { kind: 'cancellation', memo: 1 })
    const { pending, accept, groups } = tracked(
      attemptOf(['a'], [1, 2]),
      cancellation,
      attemptOf(['a'], [2], { memo: 2 }),
    )
    accept(cancellation.tx)
    expect(pending.ending('a')).toBeUndefined()
    expect(groups()[0]?.attempts).toHaveLength(1)
  })

  it('end as accepted if they were faster than the cancellation', () => {
    const payment = attemptOf(['a'], [1, 2])
    const { pending, accept, groups } = tracked(
      payment,
      attemptOf(['a'], [1, 9], { kind: 'cancellation', memo: 1 }),
    )
    accept(payment.tx)
    expect(pending.ending('a')).toMatchObject({ status: 'accepted', txID: payment.txID })
    expect(groups()).toEqual([])
  })

  it('of several transactions end with one, which wakes the calls that wait', () => {
    const { pending, accept } = tracked(attemptOf(['a'], [1]), attemptOf(['b'], [2]))
    const woken: string[] = []
    const forget = pending.await(['a'], () => woken.push('a'))
    pending.await(['b'], () => woken.push('b'))
    pending.await(['c'], () => woken.push('c'))
    forget()
    accept(txOf([1, 2], 7))
    expect(['a', 'b'].map((key) => pending.ending(key)?.status)).toEqual(['rejected', 'rejected'])
    expect(woken).toEqual(['b'])
  })

  it('are pending again with a new attempt, and forgotten when no call waits for them', () => {
    const pending = new Pending()
    const one = attemptOf(['a'], [1])
    pending.add(one, paymentsOf(['a']))
    const forget = pending.await(['a'], () => {})
    pending.record({ txID: idOf(txOf([1], 7)), inputs: [input(1)] })
    expect(pending.ending('a')?.status).toBe('rejected')
    const next = attemptOf(['a'], [5])
    pending.add(next, paymentsOf(['a']))
    expect(pending.ending('a')).toBeUndefined()
    expect(pending.claims.groupOf('a')?.attempts).toEqual([next])
    pending.record({ txID: next.txID, inputs: next.inputs })
    expect(pending.ending('a')?.status).toBe('accepted')
    forget()
    expect(pending.ending('a')).toBeUndefined()
    expect(pending.claims.payments.size).toBe(0)
  })

  const numbers = fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 })
  test.prop([
    fc.array(numbers, { minLength: 1, maxLength: 6 }),
    fc.array(numbers, { maxLength: 4 }),
  ])(
    'lose exactly the attempts that share an input with an accepted transaction',
    (lists, rivals) => {
      const attempts = lists.map((inputs, i) => attemptOf([`k${i % 3}`], inputs, { memo: i }))
      const { groups, accept } = tracked(...attempts)
      for (const [i, inputs] of rivals.entries()) accept(txOf(inputs, 100 + i))
      const spent = new Set(rivals.flat().map((n) => utxoKey(input(n))))
      const left = attempts.filter(({ inputs }) => !inputs.some((id) => spent.has(utxoKey(id))))
      expect(new Set(groups().flatMap((group) => group.attempts))).toEqual(new Set(left))
    },
  )
})
