import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { keyChainSigner } from '../../../src/core/sign/signers.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { systemClock } from '../../../src/node/clock.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { createWallet, type Wallet } from '../../../src/wallet/index.ts'
import { fileStore, memoryStore } from '../../../src/wallet/store/index.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { errorFor, resultFor } from '../requests.ts'
import { addressOf, balanceOf, fee, now, people, scene } from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

/** A scene with a store in a file, and what restores the file from a copy. */
async function fileScene(options: Parameters<typeof scene>[0] = {}) {
  const at = await scene(options)
  for (let i = 0; i < 6; i++) at.node.fund(addressOf(me), 5n * fee)
  const directory = await mkdtemp(join(tmpdir(), 'avmkit-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'store')
  const copy = join(directory, 'copy')
  let store = fileStore(path)
  onTestFinished(() => store.close())
  return {
    ...at,
    // Files are read in the time of the machine.
    open: (options: Parameters<typeof at.wallet>[0] = {}) =>
      at.wallet({ store, clock: systemClock, ...options }),
    restart: async () => {
      await store.close()
      store = fileStore(path)
    },
    compact: () => store.compact(),
    backUp: async () => {
      await store.close()
      await copyFile(path, copy)
      store = fileStore(path)
    },
    restore: async () => {
      await store.close()
      await copyFile(copy, path)
      store = fileStore(path)
    },
  }
}

describe('a store that is restored from an older copy', () => {
  it('returns the receipt of a payment that was made since', async () => {
    const at = await fileScene()
    await at.open().transfer({ to: addressOf(third), amount: 1n }, { key: 'before' })
    await at.backUp()
    const { txID } = await at.open().transfer(payment, { key: 'a' })
    await at.restore()
    const mine = at.open()
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'unknown' }])
    expect(await mine.transfer(payment, { key: 'a' })).toMatchObject({ txID })
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted', txID }])
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('returns the receipt of a batch that was made since, with the same keys', async () => {
    const at = await fileScene()
    await at.open().balances()
    await at.backUp()
    const outputs = [payment, { to: addressOf(third), amount: 7n }]
    const { txID } = await at.open().transfer({ outputs }, { keys: ['a', 'b'] })
    await at.restore()
    const mine = at.open()
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'PAYMENT_MAYBE_MADE',
      txID,
      keys: ['a'],
    })
    expect(await mine.transfer({ outputs }, { keys: ['a', 'b'] })).toMatchObject({ txID })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('does not pay again what another key has paid, unless the caller says so', async () => {
    const at = await fileScene()
    await at.open().balances()
    await at.backUp()
    const { txID } = await at.open().transfer(payment, { key: 'a' })
    await at.restore()
    const mine = at.open()
    await expect(mine.transfer(payment, { key: 'b' })).rejects.toMatchObject({
      code: 'PAYMENT_MAYBE_MADE',
      txID,
      keys: ['b'],
    })
    await mine.transfer(payment, { key: 'b', again: true })
    expect(await balanceOf(at.node, you)).toBe(10n)
    // Other payments are made.
    await mine.transfer({ ...payment, amount: 6n }, { key: 'c' })
    expect(await balanceOf(at.node, you)).toBe(16n)
  })

  it('returns the receipt of a payment that was pending, canceled and made again since', async () => {
    let isBroken = false
    const at = await fileScene({
      intercept: (call, next) => {
        if (call.tx !== undefined && isBroken) throw new TypeError('fetch failed')
        return next()
      },
    })
    await at.open().balances()
    isBroken = true
    const early = at.open({ wait: { timeoutMs: 200 } })
    await expect(early.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'TX_PENDING',
    })
    await at.backUp()
    isBroken = false
    expect(await at.open().cancel('a')).toMatchObject({ status: 'canceled' })
    const { txID } = await at.open().transfer(payment, { key: 'a' })
    await at.restore()
    expect(await at.open().transfer(payment, { key: 'a' })).toMatchObject({ txID })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('is not certain with external signers', async () => {
    const at = await fileScene()
    const signers = [keyChainSigner(me)]
    await at.open({ keys: undefined, signers }).balances()
    await at.backUp()
    const { txID } = await at.open({ keys: undefined, signers }).transfer(payment, { key: 'a' })
    await at.restore()
    const mine = at.open({ keys: undefined, signers })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'PAYMENT_MAYBE_MADE',
      txID,
    })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('fails with STORE_BEHIND if too many blocks are newer, and works after recover', async () => {
    const at = await fileScene()
    await at.open().balances()
    await at.backUp()
    const { txID } = await at.open().transfer(payment, { key: 'a' })
    for (let i = 0; i < 12; i++) at.node.fund(addressOf(third), 1n)
    await at.restore()
    const mine = at.open({ maxBehind: 10 })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'STORE_BEHIND',
    })
    // Payments without a key never read them.
    await mine.transfer({ to: addressOf(third), amount: 1n })
    const { unrecorded } = await mine.recover({ fromHeight: 1n })
    expect(unrecorded.map((one) => one.txID)).toContainEqual(txID)
    expect(await mine.transfer(payment, { key: 'a' })).toMatchObject({ txID })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('is not used while a server does not have the newest blocks any more', async () => {
    let last = 1_000n
    const at = await fileScene({
      intercept: (call, next) =>
        call.method === 'avm.getBlockByHeight' && BigInt(call.params.height as string) > last
          ? errorFor(call, "couldn't get block at height: not found")
          : next(),
    })
    await at.open().balances()
    await at.backUp()
    const height = await at.client.avm.getHeight({})
    const { txID } = await at.open().transfer(payment, { key: 'a' })
    for (let i = 0; i < 20; i++) at.node.fund(addressOf(third), 1n)
    await at.restore()
    const mine = at.open()
    await mine.balances()
    last = height
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'REPLY_MISMATCH',
    })
    last = 1_000n
    expect(await mine.transfer(payment, { key: 'a' })).toMatchObject({ txID })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('is not used while the node is below all blocks that it knows', async () => {
    let last = 1_000n
    const at = await fileScene({
      intercept: (call, next) =>
        call.method === 'avm.getBlockByHeight' && BigInt(call.params.height as string) > last
          ? errorFor(call, "couldn't get block at height: not found")
          : call.method === 'avm.getHeight' && last < 1_000n
            ? resultFor(call, { height: String(last) })
            : next(),
    })
    await at.open().balances()
    await at.backUp()
    const { txID } = await at.open().transfer(payment, { key: 'a' })
    for (let i = 0; i < 20; i++) at.node.fund(addressOf(third), 1n)
    await at.restore()
    last = 2n
    await expect(at.open().transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'STORE_AHEAD',
    })
    last = 1_000n
    expect(await at.open().transfer(payment, { key: 'a' })).toMatchObject({ txID })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  const before: {
    readonly [what: string]: (mine: Wallet) => Promise<unknown>
  } = {
    'another payment': (mine) => mine.transfer({ ...payment, amount: 3n }, { key: 'b' }),
    'a payment without a key': (mine) => mine.transfer({ ...payment, amount: 3n }),
    'reading its balances': (mine) => mine.balances(),
    recover: (mine) => mine.recover({ fromHeight: 1n }),
  }
  for (const [what, act] of Object.entries(before))
    it(`returns the receipt of a payment that was made since after ${what} and a restart`, async () => {
      const at = await fileScene()
      await at.open().transfer({ to: addressOf(third), amount: 1n }, { key: 'before' })
      await at.backUp()
      const { txID } = await at.open().transfer(payment, { key: 'a' })
      // More than the wallet reads again after a walk, and so many that the store is told a newer one.
      for (let i = 0; i < 80; i++) at.node.fund(addressOf(third), 1n)
      await at.restore()
      await act(at.open())
      await at.compact()
      await at.restart()
      const paid = await balanceOf(at.node, you)
      expect(await at.open().transfer(payment, { key: 'a' })).toMatchObject({ txID })
      expect(await balanceOf(at.node, you)).toBe(paid)
      await at.restart()
      expect(await at.open().payments(['a'])).toMatchObject([{ status: 'accepted', txID }])
    })

  it('reports progress while it reads blocks', async () => {
    const at = await fileScene()
    await at.open().balances()
    await at.backUp()
    for (let i = 0; i < 40; i++) at.node.fund(addressOf(third), 1n)
    await at.restore()
    const heights: bigint[] = []
    const mine = at.open({ onCatchUp: ({ height, end }) => heights.push(end - height) })
    await mine.transfer(payment, { key: 'a' })
    expect(heights.length).toBeGreaterThan(1)
    expect(heights.at(-1)).toBe(0n)
  })
})

describe('a store that was not restored', () => {
  it('knows a payment without a key that an earlier process made', async () => {
    const at = await fileScene()
    await at.open().transfer(payment)
    await at.backUp()
    await at.open().transfer(payment)
    await at.backUp()
    await at.open().transfer(payment, { key: 'a' })
    expect(await balanceOf(at.node, you)).toBe(15n)
  })
})

describe('a fence', () => {
  it('keeps transactions from being accepted that were signed before', async () => {
    const at = await scene()
    for (let i = 0; i < 4; i++) at.node.fund(addressOf(me), 5n * fee)
    const lost = at.wallet()
    const signed = await lost.sign(await lost.prepare.transfer(payment))
    if (!signed.complete) throw new Error('incomplete')
    const mine = at.wallet()
    const { fenceTxIDs } = await mine.recover({ fromHeight: 1n, fence: true })
    expect(fenceTxIDs).toHaveLength(1)
    await expect(at.client.avm.issueTx({ tx: signed.bytes })).rejects.toMatchObject({
      name: 'RpcError',
    })
    await mine.transfer(payment, { key: 'a' })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('names the UTXOs that it does not spend', async () => {
    const at = await scene()
    for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 5n * fee)
    const mine = at.wallet()
    const { release } = await mine.prepare.transfer(payment)
    const { leftBehind } = await mine.recover({ fromHeight: 1n, fence: true })
    expect(leftBehind).toMatchObject([{ reason: 'reserved', amount: 5n * fee }])
    release()
    expect(await mine.recover({ fromHeight: 1n, fence: true })).toMatchObject({ leftBehind: [] })
  })
})

describe('a chain that begins anew', () => {
  /** A wallet of a new chain with the store of an old one; both have the same chain ID. */
  async function renewed(blocks: number) {
    const store = memoryStore()
    const old = await scene()
    old.node.fund(addressOf(me), 9n * fee)
    for (let i = 0; i < 3; i++) old.node.fund(addressOf(third), 1n)
    await old.wallet({ store }).transfer(payment, { key: 'a' })
    await old.wallet({ store }).balances()
    const node = await createDevNode({ now: now + 5 })
    onTestFinished(() => node.close())
    node.fund(addressOf(me), 9n * fee)
    for (let i = 1; i < blocks; i++) node.fund(addressOf(third), 2n)
    const clock = virtualClock()
    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch, clock })
    return { node, wallet: createWallet({ client, keys: me, clock, store }) }
  }

  it('is noticed by its blocks', async () => {
    const { node, wallet } = await renewed(20)
    await expect(wallet.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'STORE_MISMATCH',
    })
    await expect(wallet.payments()).rejects.toMatchObject({ code: 'STORE_MISMATCH' })
    expect(await balanceOf(node, you)).toBe(0n)
  })

  it('is not used while it is lower', async () => {
    const { node, wallet } = await renewed(1)
    for (const key of ['b', undefined])
      await expect(wallet.transfer(payment, { key })).rejects.toMatchObject({ code: 'STORE_AHEAD' })
    expect(await wallet.balances()).toMatchObject([{ spendable: 9n * fee }])
    expect(await balanceOf(node, you)).toBe(0n)
  })
})
