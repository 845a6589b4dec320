import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createNodeClient } from '../../../src/node/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { fileStore, type Store } from '../../../src/wallet/store/index.ts'
import { errorFor, type Interceptor, intercepted, resultFor } from '../requests.ts'
import { AVAX, addressOf, fee, people } from '../setup.ts'
import { DAY, limited, me, policyOf, refusal, short, switchable, you } from './limited.ts'

const to = addressOf(you)
const isPending = { code: 'TX_PENDING' }

afterEach(() => {
  vi.restoreAllMocks()
})

describe('sendAll under sums', () => {
  it('counts what its first attempt paid, although a replacement pays less', async () => {
    let shown = fee
    const intercept: Interceptor = (call, next) => {
      // The fee that the node tells first is too low.
      if (call.tx !== undefined) shown = 2n * fee
      return call.method === 'avm.getTxFee'
        ? resultFor(call, { txFee: String(shown), createAssetTxFee: String(shown) })
        : next()
    }
    const fees = { txFee: 2n * fee }
    const { mine, node } = await limited({ policy: policyOf(120n * fee), intercept, fees })
    const { explanation } = await mine.sendAll({ to })
    expect(explanation!.totals).toMatchObject([{ paid: 118n * fee }])
    node.fund(addressOf(me), 10n * fee)
    const { sum } = await refusal(mine.transfer({ to, amount: fee + 1n }))
    expect(sum).toMatchObject({ used: 119n * fee, left: fee })
    await mine.transfer({ to, amount: fee })
  })

  it('pays no more under its key than it has recorded', async () => {
    const { node: down, intercept } = switchable()
    const { mine, node } = await limited({ policy: policyOf(200n * fee), intercept })
    down.isDown = true
    await expect(mine.sendAll({ to }, { key: 'a', ...short })).rejects.toMatchObject(isPending)
    down.isDown = false
    await mine.cancel('a')
    // The fee of the cancellation is replaced, so that the same amount is there.
    node.fund(addressOf(me), fee + 1n)
    const { message, hint } = await refusal(mine.sendAll({ to }, { key: 'a' }))
    expect(message).toContain('more than the record of "a" says')
    expect(hint).toBe('cancel it if it is pending, and pay under another key')
    await mine.transfer({ to: addressOf(me), amount: 1n, burn: [{ assetID: AVAX, amount: 1n }] })
    node.fund(addressOf(me), fee)
    await mine.sendAll({ to }, { key: 'a' })
    node.fund(addressOf(me), 100n * fee)
    const { sum } = await refusal(mine.transfer({ to, amount: 81n * fee }))
    expect(sum).toMatchObject({ used: 119n * fee + 1n })
  })
})

describe('several keys in one transaction', () => {
  it('count in payouts that are made again after one of them was canceled', async () => {
    const { node, intercept } = switchable()
    const { mine } = await limited({ intercept })
    const payments = [20n, 30n, 40n].map((amount, i) => ({ key: `p${i}`, to, amount }))
    node.isDown = true
    await expect(mine.payouts({ payments }, short)).rejects.toMatchObject(isPending)
    expect((await refusal(mine.transfer({ to, amount: 11n }))).sum).toMatchObject({ used: 90n })
    node.isDown = false
    await mine.cancel('p0')
    expect(await mine.payouts({ payments: payments.slice(1) })).toMatchObject({ paid: 2 })
    expect((await refusal(mine.transfer({ to, amount: 31n }))).sum).toMatchObject({ used: 70n })
    await mine.transfer({ to, amount: 20n }, { key: 'p0' })
    expect((await refusal(mine.transfer({ to, amount: 11n }))).sum).toMatchObject({ used: 90n })
    const leaves = (await mine.payments(['p0', 'p1', 'p2'])).map(({ details }) => details!.leaves)
    expect(leaves).toEqual([20n, 30n, 40n].map((amount) => [{ assetID: AVAX, amount }]))
  })

  it('count what is destroyed with each of them', async () => {
    const { mine } = await limited({ policy: policyOf(109n) })
    const outputs = [40n, 50n].map((amount) => ({ to, amount }))
    const burn = [{ assetID: AVAX, amount: 10n }]
    const { sum } = await refusal(mine.transfer({ outputs, burn }, { keys: ['a', 'b'] }))
    expect(sum).toMatchObject({ requested: 110n })
    await mine.transfer({ outputs, burn })
    expect((await refusal(mine.transfer({ to, amount: 10n }))).sum).toMatchObject({ used: 100n })
  })
})

/** A folder that is removed when the test ends. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-sums-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('a journal', () => {
  it('that was compacted and opened again counts all payments, with and without keys', async () => {
    const { node } = await limited()
    vi.restoreAllMocks()
    const fetch: typeof node.fetch = (url, init) => node.fetch(url, init)
    const client = createNodeClient({ url: 'http://node.test', fetch })
    const path = join(newFolder(), 'journal')
    const open = (store: Store) =>
      createWallet({ client, keys: me, store, signing: { policy: policyOf() } })
    const first = fileStore(path)
    await open(first).transfer({ to, amount: 30n })
    await open(first).transfer({ to, amount: 40n }, { key: 'a' })
    await first.compact()
    await first.close()
    const second = fileStore(path)
    const mine = open(second)
    expect((await refusal(mine.transfer({ to, amount: 31n }))).sum).toMatchObject({ used: 70n })
    await mine.transfer({ to, amount: 30n })
    await second.close()
  })
})

describe('a process that is killed', () => {
  it('has recorded what counts before anything is issued', async () => {
    const folder = newFolder()
    const path = join(folder, 'journal')
    const { node } = await limited()
    vi.restoreAllMocks()
    let atIssue: Uint8Array | undefined
    const client = createNodeClient({
      url: 'http://node.test',
      fetch: intercepted(
        (url, init) => node.fetch(url, init),
        (call, next) => {
          if (call.tx === undefined) return next()
          atIssue ??= readFileSync(path)
          return errorFor(call, 'mempool is full')
        },
      ),
    })
    const open = ({ store }: { readonly store: Store }) =>
      createWallet({ client, keys: me, store, signing: { policy: policyOf() } })
    const first = fileStore(path)
    const pending = open({ store: first }).transfer({ to, amount: 30n }, short)
    await expect(pending).rejects.toMatchObject(isPending)
    await first.close()
    /** What is in the file if only so many of its bytes were written. */
    const used = async (size: number) => {
      const copy = join(folder, `${size}`)
      writeFileSync(copy, atIssue!.subarray(0, size))
      const store = fileStore(copy)
      const { sum } = await refusal(open({ store }).transfer({ to, amount: 101n }))
      let attempts = 0
      for await (const _ of store.attempts()) attempts++
      await store.close()
      return [sum!.used, attempts]
    }
    const { length } = atIssue!
    expect(await used(length)).toEqual([30n, 1])
    // Killed while the claim was written: it is neither counted nor issued.
    for (const size of [length - 1, length - 100]) expect(await used(size)).toEqual([0n, 0])
  })
})

describe('a cancellation', () => {
  it('is not counted, and dangerous where the policy does not see it return', async () => {
    const [, , third] = people
    const vaults = [{ name: 'Cold', threshold: 1, members: [addressOf(third!)] }]
    const { node, intercept } = switchable()
    const policy = policyOf(100n, DAY, { vaults })
    const { mine, store } = await limited({ intercept, policy, accept: ['FOREIGN_CHANGE'] })
    node.isDown = true
    const vault = addressOf(third!)
    const call = { to: vault, amount: 5n, changeTo: vault }
    await expect(mine.transfer(call, { key: 'a', ...short })).rejects.toMatchObject(isPending)
    node.isDown = false
    await expect(mine.cancel('a')).rejects.toMatchObject({ code: 'UNCHECKED_SUM' })
    expect((await store.payments(['a']))[0]).toMatchObject({ status: 'pending' })
    await mine.cancel('a', { accept: ['UNCHECKED_SUM'] })
    expect((await store.payments(['a']))[0]).toMatchObject({ status: 'canceled' })
  })
})

describe('imports', () => {
  it('count if they pay others', async () => {
    const { mine, node } = await limited({ policy: policyOf(10n * fee) })
    const call = { sourceChain: 'P' } as const
    node.exportFrom('P', { address: me.addresses[0]!, amount: 50n * fee })
    await mine.import(call)
    node.exportFrom('P', { address: me.addresses[0]!, amount: 8n * fee })
    await mine.import({ ...call, to })
    node.exportFrom('P', { address: me.addresses[0]!, amount: 5n * fee })
    const { sum } = await refusal(mine.import({ ...call, to }))
    expect(sum).toMatchObject({ used: 7n * fee, requested: 4n * fee })
  })
})

describe('records', () => {
  it('without a time of acceptance count always', async () => {
    const { store, open, pass } = await limited()
    const timeless: Store = {
      ...store,
      list: async function* () {
        for await (const { endedAt: _, ...record } of store.list()) yield record
      },
    }
    const mine = open({ store: timeless })
    await mine.transfer({ to, amount: 60n }, { key: 'a' })
    pass(10 * DAY)
    expect((await refusal(mine.transfer({ to, amount: 41n }))).sum).toMatchObject({ used: 60n })
  })

  it('of a wallet without the policy that destroy something count as much as the limit', async () => {
    const { mine, free, store } = await limited()
    const call = { to: addressOf(me), amount: 1n, burn: [{ assetID: AVAX, amount: 80n }] }
    await free({ store }).transfer(call, { key: 'a' })
    expect((await refusal(mine.transfer({ to, amount: 1n }))).sum).toMatchObject({ unknown: 'a' })
  })

  it('of an amount that is not known are not paid again under their keys', async () => {
    const { node, intercept } = switchable()
    const { mine, free, store } = await limited({ intercept, policy: policyOf(1000n * fee) })
    const without = free({ store })
    node.isDown = true
    await expect(without.sendAll({ to }, { key: 'a', ...short })).rejects.toMatchObject(isPending)
    node.isDown = false
    await without.cancel('a')
    const { message } = await refusal(mine.sendAll({ to }, { key: 'a' }))
    expect(message).toContain('more than the record of "a" says')
    await mine.sendAll({ to }, { key: 'b' })
  })

  it('with generated keys are those of no caller', async () => {
    const { node, intercept } = switchable()
    const { mine, open, store } = await limited({ intercept })
    await mine.transfer({ to, amount: 1n })
    await mine.transfer({ to, amount: 1n }, { key: 'a' })
    const entries = await mine.history({ fromHeight: 1n })
    expect(entries.flatMap(({ keys = [] }) => keys)).toEqual(['a'])
    node.isDown = true
    await expect(mine.transfer({ to, amount: 1n }, short)).rejects.toMatchObject(isPending)
    const records: (boolean | undefined)[] = []
    for await (const { generated } of store.list()) records.push(generated)
    expect(records).toEqual([false, false, false])
    node.isDown = false
    expect(await open().resume()).toMatchObject([{ status: 'accepted' }])
    expect((await refusal(mine.transfer({ to, amount: 98n }))).sum).toMatchObject({ used: 3n })
  })
})
