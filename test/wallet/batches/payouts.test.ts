import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import {
  affordable,
  costOf,
  groupPayouts,
  shortagesOf,
  shortageText,
} from '../../../src/wallet/batches/payout-funds.ts'
import { PayoutsError } from '../../../src/wallet/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { addressOf, balanceOf, people, scene } from '../setup.ts'

const context = networks.local
const { assetID: avax, txFee: fee } = context
const other = new Uint8Array(32).fill(7)
const [me, you] = people as [(typeof people)[0], (typeof people)[0]]
const to = addressOf(you)

const row = (line: number, amount: bigint, memo = '', assetID = avax) => ({
  line,
  memo,
  assetID,
  amount,
})

describe('the funds of payouts', () => {
  const rows = [row(1, 10n), row(2, 20n, 'a'), row(3, 30n), row(4, 5n, '', other)]

  it('cover all payments and one fee per transaction', () => {
    const costs = costOf(groupPayouts(rows, 100), context)
    expect(costs).toEqual([
      { assetID: avax, amount: 60n + 2n * fee },
      { assetID: other, amount: 5n },
    ])
    const shortages = shortagesOf(costs, [{ assetID: avax, amount: 59n + 2n * fee }])
    expect(shortages).toEqual([
      { assetID: avax, needed: 60n + 2n * fee, available: 59n + 2n * fee },
      { assetID: other, needed: 5n, available: 0n },
    ])
    const known = new Map([[hex.encode(avax), { symbol: 'AVAX', denomination: 9 }]])
    const large = { assetID: avax, needed: 1_500_400_000_000n, available: 110_000_000_000n }
    expect(shortageText([large], known)).toBe('needs 1,500.4 AVAX, has 110')
  })

  it('are spent in the order of the list, and stop at the first payment that does not fit', () => {
    const paid = (amount: bigint) =>
      affordable(rows, [{ assetID: avax, amount }], 100, context)
        .flat()
        .map(({ line }) => line)
    expect(paid(fee + 9n)).toEqual([])
    expect(paid(fee + 10n)).toEqual([1])
    // The second payment has another memo, so it needs another transaction.
    expect(paid(fee + 30n)).toEqual([1])
    expect(paid(2n * fee + 30n)).toEqual([1, 2])
    expect(paid(1_000_000_000n)).toEqual([1, 2, 3])
  })

  const anyRows = fc.array(
    fc.record({
      memo: fc.constantFrom('', 'aa'),
      assetID: fc.constantFrom(avax, other),
      amount: fc.bigInt(1n, 5n * fee),
    }),
    { maxLength: 12 },
  )
  test.prop([
    anyRows,
    fc.bigInt(0n, 20n * fee),
    fc.bigInt(0n, 20n * fee),
    fc.integer({ min: 1, max: 4 }),
  ])('pay the longest affordable beginning of any list', (list, native, token, size) => {
    const funds = [
      { assetID: avax, amount: native },
      { assetID: other, amount: token },
    ]
    const paid = affordable(list, funds, size, context).flat()
    expect(paid).toEqual(list.slice(0, paid.length))
    // By adding one payment after the other.
    let count = 0
    let [left, leftToken, inTx, memo] = [native, token, size, '']
    for (const one of list) {
      const isNew = inTx === size || one.memo !== memo || count === 0
      if (isNew) left -= fee
      if (one.assetID === avax) left -= one.amount
      else leftToken -= one.amount
      if (left < 0n || leftToken < 0n) break
      inTx = isNew ? 1 : inTx + 1
      memo = one.memo
      count++
    }
    expect(paid).toHaveLength(count)
    const groups = groupPayouts(list, size)
    expect(groups.flat()).toHaveLength(list.length)
    expect(groups.every((group) => group.length <= size)).toBe(true)
    expect(groups.every((group) => new Set(group.map((one) => one.memo)).size === 1)).toBe(true)
  })
})

describe('wallet.payouts', () => {
  const payments = (count: number, amount = fee) =>
    Array.from({ length: count }, (_, i) => ({ key: `w${i}`, to, amount }))

  it('pays nothing if the funds do not suffice for all, and says what is missing', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ confirm: () => expect.unreachable() as never })
    const error = await mine.payouts({ payments: payments(3), size: 2 }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(PayoutsError)
    expect(error).toMatchObject({
      code: 'PAYOUT_SHORT',
      message: 'needs 0.005 AVAX, has 0.003: nothing was paid',
      shortages: [{ assetID: avax, needed: 5n * fee, available: 3n * fee }],
      result: { paid: 0, paidBefore: 0, notPaid: 3, next: 0, txIDs: [] },
    })
    expect(await balanceOf(node, you)).toBe(0n)
  })

  it('counts neither what is locked nor what is reserved', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    const held = await mine.prepare.transfer({ to, amount: fee })
    await expect(mine.payouts({ payments: payments(3) })).rejects.toMatchObject({
      code: 'PAYOUT_SHORT',
      shortages: [{ needed: 4n * fee, available: 3n * fee }],
    })
    held.release()
    expect(await mine.payouts({ payments: payments(3) })).toMatchObject({ paid: 3, notPaid: 0 })
  })

  it('with partial pays in order and names the next one, and later the rest', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 5n * fee)
    const mine = wallet({ store: memoryStore() })
    const call = { payments: payments(5), size: 2, partial: true }
    expect(await mine.prepare.payouts(call)).toMatchObject({ transactions: 2, fee: 2n * fee })
    const plans: number[] = []
    const confirmPlan = ({ payments: planned }: { payments: readonly unknown[] }) =>
      plans.push(planned.length) > 0
    const first = await mine.payouts(call, { confirmPlan })
    expect(first).toMatchObject({ paid: 3, paidBefore: 0, notPaid: 2, next: 3 })
    expect(first.txIDs).toHaveLength(2)
    expect(await balanceOf(node, you)).toBe(3n * fee)
    expect(await mine.payouts(call, { confirmPlan })).toMatchObject({
      paid: 0,
      notPaid: 2,
      next: 3,
    })
    node.fund(addressOf(me), 3n * fee)
    const rest = await mine.payouts({ ...call, partial: false }, { confirmPlan })
    expect(rest).toMatchObject({ paid: 2, paidBefore: 3, notPaid: 0 })
    expect(rest).not.toHaveProperty('next')
    expect(await balanceOf(node, you)).toBe(5n * fee)
    expect(plans).toEqual([3, 2])
  })

  it('pays nothing under a key with other content, and nothing without confirmation', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 50n * fee)
    const mine = wallet()
    await mine.payouts({ payments: payments(1) })
    await expect(
      mine.payouts({
        payments: [
          { key: 'new', to, amount: fee },
          { key: 'w0', to, amount: 7n },
        ],
      }),
    ).rejects.toMatchObject({ code: 'KEY_CONFLICT', keys: ['w0'] })
    await expect(
      mine.payouts({ payments: payments(2) }, { confirmPlan: () => 'yes' as never }),
    ).rejects.toMatchObject({ code: 'NOT_CONFIRMED' })
    await expect(
      mine.payouts({ payments: [...payments(2), ...payments(2)] }),
    ).rejects.toMatchObject({ code: 'KEYS_REPEATED' })
    expect(await balanceOf(node, you)).toBe(fee)
  })

  it('ends with what was paid before an error', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 50n * fee)
    let asked = 0
    const mine = wallet()
    const error = await mine
      .payouts({ payments: payments(5), size: 2 }, { confirm: () => ++asked < 3 })
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(PayoutsError)
    expect(error).toMatchObject({
      code: 'BATCH_UNFINISHED',
      cause: { code: 'NOT_CONFIRMED' },
      result: { paid: 4, paidBefore: 0, notPaid: 1, next: 4 },
    })
    expect(await balanceOf(node, you)).toBe(4n * fee)
    expect(await mine.payouts({ payments: payments(5), size: 2 })).toMatchObject({
      paid: 1,
      paidBefore: 4,
    })
  })
})
