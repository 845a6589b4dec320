import { describe, expect, it } from 'vitest'
import { hex } from '../../src/core/base/encoding/hex.ts'
import type { KeyChain } from '../../src/core/crypto/keychain.ts'
import { type TransferCall, WalletError } from '../../src/wallet/index.ts'
import { memoryStore } from '../../src/wallet/store/index.ts'
import { addressOf, balanceOf, fee, people, produceBlocks, scene } from './setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const to = addressOf(you)
const payment = { to, amount: 5n }

/** As many outputs of 5 as there are keys. */
const outputsFor = (...keys: string[]) => ({ outputs: keys.map(() => payment) })

/** Fails a test in which anything is signed. */
const never = { confirm: () => expect.unreachable('nothing should be signed') }

describe('a payment with a key', () => {
  it('is made once, however often it is requested', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store })
    const [first, second] = await Promise.all([
      mine.transfer(payment, { key: 'invoice 1' }),
      mine.transfer(payment, { key: 'invoice 1' }),
    ])
    expect(second.txID).toEqual(first.txID)
    const later = await wallet({ store }).transfer(payment, { key: 'invoice 1' })
    expect(later).toEqual({ txID: first.txID })
    expect(await balanceOf(node, you)).toBe(5n)
    await mine.transfer(payment, { key: 'invoice 2' })
    expect(await balanceOf(node, you)).toBe(10n)
  })

  it('is made once by two wallets that share a store', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 6; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const pay = () => wallet({ store }).transfer(payment, { key: 'invoice 1' })
    const receipts = await Promise.all(Array.from({ length: 5 }, pay))
    expect(new Set(receipts.map(({ txID }) => hex.encode(txID))).size).toBe(1)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is made once by wallets that share a store and would spend different UTXOs', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const utxos = (await wallet().utxos()).ofType('secp256k1fx.TransferOutput')
    const pay = (pinned: (typeof utxos)[number]) =>
      wallet({ store }).transfer({ ...payment, choose: { pinned: [pinned] } }, { key: 'a' })
    const receipts = await Promise.all(utxos.map(pay))
    expect(new Set(receipts.map(({ txID }) => hex.encode(txID))).size).toBe(1)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is made once if the same signed transaction is submitted under it again', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store })
    const signed = await mine.sign(await mine.prepare.transfer(payment))
    if (!signed.complete) throw new Error('incomplete')
    await Promise.all([mine.submit(signed), mine.submit(signed)])
    await mine.submit(signed, { key: 'a' })
    expect(await mine.submit(signed, { key: 'a' })).toEqual({ txID: signed.txID })
    expect(await wallet({ store }).submit(signed, { key: 'a' })).toEqual({ txID: signed.txID })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('cannot be given to a transaction that is pending under another key', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    const signed = await mine.sign(await mine.prepare.transfer(payment))
    if (!signed.complete) throw new Error('incomplete')
    const pending = { code: 'TX_PENDING', txID: signed.txID }
    await expect(mine.submit(signed, { key: 'a' })).rejects.toMatchObject(pending)
    await expect(mine.submit(signed, { key: 'b' })).rejects.toMatchObject({ code: 'TX_CLAIMED' })
    await expect(mine.submit(signed)).rejects.toMatchObject({ ...pending, keys: ['a'] })
    expect(await mine.payments()).toMatchObject([{ key: 'a', status: 'pending' }])
  })

  it('refuses a second signed transaction with other content under it', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    const one = await mine.sign(await mine.prepare.transfer(payment))
    const other = await mine.sign(await mine.prepare.transfer(payment))
    if (!one.complete || !other.complete) throw new Error('incomplete')
    await mine.submit(one, { key: 'a' })
    await expect(mine.submit(other, { key: 'a' })).rejects.toMatchObject({ code: 'KEY_CONFLICT' })
    expect(await balanceOf(node, you)).toBe(5n)
  })
})

describe('a key with other content', () => {
  const assetID = new Uint8Array(32).fill(7)
  const others: readonly (readonly [string, TransferCall])[] = [
    ['amount', { to, amount: 6n }],
    ['recipient', { to: addressOf(third), amount: 5n }],
    ['second recipient', { to: [to, addressOf(third)], threshold: 1, amount: 5n }],
    ['locktime', { ...payment, locktime: 9n }],
    ['asset', { ...payment, assetID }],
    ['memo', { ...payment, memo: 'for somebody else' }],
    ['number of outputs', { outputs: [payment, payment] }],
    ['burned amount', { ...payment, burn: [{ amount: 7n }] }],
  ]
  for (const [what, call] of others)
    it(`is KEY_CONFLICT before anything is signed: ${what}`, async () => {
      const { node, wallet } = await scene()
      for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
      const store = memoryStore()
      await wallet({ store }).transfer(payment, { key: 'a' })
      const later = wallet({ store, ...never })
      await expect(later.transfer(call, { key: 'a' })).rejects.toMatchObject({
        code: 'KEY_CONFLICT',
        keys: ['a'],
        conflicts: [
          { key: 'a', recorded: expect.any(Uint8Array), requested: expect.any(Uint8Array) },
        ],
        message: expect.stringContaining(
          `key "a" belongs to another payment: recorded is 0.000000005 AVAX to ${addressOf(you)}`,
        ),
      })
      // One key has no further ones.
      await expect(later.transfer(call, { key: 'a' })).rejects.not.toMatchObject({
        message: expect.stringContaining('further'),
      })
      expect(await balanceOf(node, you)).toBe(5n)
    })

  it('is KEY_CONFLICT for another kind of payment', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    await wallet({ store }).transfer(payment, { key: 'a' })
    const later = wallet({ store, ...never })
    const conflict = { code: 'KEY_CONFLICT', keys: ['a'] }
    const asset = { name: 'Coupon', symbol: 'CPN', holders: [payment] }
    const exported = { to: addressOf(you, 'P'), amount: 5n, destinationChain: 'P' }
    await expect(later.sendAll({ to }, { key: 'a' })).rejects.toMatchObject(conflict)
    await expect(later.createAsset(asset, { key: 'a' })).rejects.toMatchObject(conflict)
    await expect(later.export(exported, { key: 'a' })).rejects.toMatchObject(conflict)
    const burnt = { assetID: new Uint8Array(32).fill(7) }
    await expect(later.burnProperty(burnt, { key: 'a' })).rejects.toMatchObject(conflict)
  })

  it('is KEY_CONFLICT while the first payment is pending or canceled', async () => {
    let makesBlocks = false
    const { node, wallet } = await scene({
      blocks: 'manual',
      intercept: (_, next) => {
        if (makesBlocks) produceBlocks(node)
        return next()
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    const other = () => mine.transfer({ to, amount: 6n }, { key: 'a', ...never })
    await expect(other()).rejects.toMatchObject({ code: 'KEY_CONFLICT' })
    node.restart()
    const canceling = mine.cancel('a', { wait: { timeoutMs: 60_000 } })
    makesBlocks = true
    expect(await canceling).toMatchObject({ status: 'canceled' })
    await expect(other()).rejects.toMatchObject({ code: 'KEY_CONFLICT' })
    await mine.transfer(payment, { key: 'a' })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is KEY_CONFLICT for one key of a batch', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    await mine.transfer(outputsFor('a', 'b'), { keys: ['a', 'b'] })
    const outputs = [payment, { to, amount: 6n }]
    await expect(mine.transfer({ outputs }, { keys: ['b', 'a'], ...never })).rejects.toMatchObject({
      code: 'KEY_CONFLICT',
      keys: ['a'],
    })
  })
})

describe('a key that is no key', () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ['a number', { key: 42 }],
    ['null', { key: null }],
    ['empty', { key: '' }],
    ['an object', { key: { toString: () => 'a' } }],
    ['257 characters', { key: 'x'.repeat(257) }],
    ['half of a surrogate pair', { key: 'for the party 🎉'.slice(0, -1) }],
    ['the name of a generated key', { key: 'auto-1' }],
    ['undefined beside a key', { keys: [undefined, 'b'] }],
    ['a hole beside a key', { keys: Object.assign([], { 1: 'b' }) }],
    ['a number beside a key', { keys: ['a', 2] }],
    ['one key for two outputs', { keys: ['a'] }],
    ['no keys for two outputs', { keys: [] }],
    ['three keys for two outputs', { keys: ['a', 'b', 'c'] }],
    ['a text instead of a list', { keys: 'ab' }],
    ['key and keys', { key: 'a', keys: ['a', 'b'] }],
  ]
  for (const [what, options] of wrong)
    it(`is refused before anything is signed: ${what}`, async () => {
      const { node, wallet } = await scene()
      for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
      const store = memoryStore()
      const mine = wallet({ store, ...never })
      const failure = mine.transfer(outputsFor('a', 'b'), options as { key: string })
      const error = await failure.catch((thrown) => thrown)
      const { key, keys = [] } = options as { key?: unknown; keys?: unknown }
      const isText = [key ?? '', ...(Array.isArray(keys) ? keys : [{}])].every(
        (one) => typeof one === 'string',
      )
      // Only texts are keys, though not all of them.
      if (isText && key !== null) expect(error).toMatchObject({ code: 'BAD_KEY' })
      else
        expect(error).toMatchObject({ name: 'ArgumentError', path: expect.stringMatching('key') })
      for await (const _ of store.list()) expect.unreachable('nothing should be claimed')
    })

  it('is refused by every method that takes keys', async () => {
    const { wallet } = await scene()
    const mine = wallet()
    const invalid = { code: 'ENC_INVALID' }
    await expect(mine.payments([42 as unknown as string])).rejects.toMatchObject(invalid)
    await expect(mine.cancel(42 as unknown as string)).rejects.toMatchObject(invalid)
    const bad = { code: 'BAD_KEY' }
    await expect(mine.payments([''])).rejects.toMatchObject(bad)
    await expect(mine.cancel('')).rejects.toMatchObject(bad)
  })

  it('is refused in the wrong place or with another spelling, before anything is signed', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet(never)
    for (const options of ['a', 5] as unknown as object[])
      await expect(mine.transfer(payment, options)).rejects.toMatchObject({ code: 'ENC_INVALID' })
    const unknown = { code: 'UNKNOWN_OPTION' }
    for (const options of [{ Key: 'a' }, { KEYS: ['a'] }])
      await expect(mine.transfer(payment, options as object)).rejects.toMatchObject(unknown)
    for (const member of [{ key: 'a' }, { keys: ['a'] }, { KEY: 'a' }])
      await expect(mine.transfer({ ...payment, ...member })).rejects.toMatchObject(unknown)
  })

  it('may have 256 characters of any kind', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 9n * fee)
    const mine = wallet()
    for (const key of ['🎉'.repeat(128), '\u0000', ' ', 'ä\n"\\'])
      await mine.transfer(payment, { key })
    expect(await balanceOf(node, you)).toBe(20n)
  })
})

describe('a payment without outputs', () => {
  it('is refused instead of paying a fee for nothing', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet(never)
    const failure = { code: 'NOTHING_TO_PAY' }
    const outputs: never[] = []
    await expect(mine.transfer({ outputs })).rejects.toMatchObject(failure)
    await expect(mine.transfer({ outputs }, { key: 'a' })).rejects.toMatchObject(failure)
    await expect(mine.transfer({ outputs }, { keys: [] })).rejects.toMatchObject(failure)
    await expect(mine.prepare.transfer({ outputs })).rejects.toMatchObject(failure)
    await expect(mine.export({ outputs, destinationChain: 'P' })).rejects.toMatchObject(failure)
    expect(await balanceOf(node, me)).toBe(3n * fee)
  })
})

describe('a store of another network', () => {
  it('is STORE_MISMATCH in every method, and reports no payment as accepted', async () => {
    const right = await scene()
    const wrong = await scene({ networkID: 4242 })
    right.node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    await right.wallet({ store }).transfer(payment, { key: 'a' })
    const mine = wrong.wallet({ store, ...never })
    const mismatch = { code: 'STORE_MISMATCH' }
    const outputs = [{ to: you.addresses[0]!, amount: 5n }]
    await expect(mine.transfer({ outputs }, { key: 'a' })).rejects.toMatchObject(mismatch)
    await expect(mine.resume()).rejects.toMatchObject(mismatch)
    await expect(mine.payments(['a'])).rejects.toMatchObject(mismatch)
    await expect(mine.cancel('a')).rejects.toMatchObject(mismatch)
    await expect(mine.sweep({ to: you.addresses[0]! })).rejects.toMatchObject(mismatch)
    await expect(mine.balances()).rejects.toMatchObject(mismatch)
  })

  it('does not end a pending payment', async () => {
    const right = await scene({ blocks: 'manual' })
    const wrong = await scene({ networkID: 4242 })
    right.node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const first = right.wallet({ store, wait: { timeoutMs: 1_000 } })
    await expect(first.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'TX_PENDING',
    })
    await expect(wrong.wallet({ store }).resume()).rejects.toMatchObject({ code: 'STORE_MISMATCH' })
    right.node.produceBlock()
    const later = right.wallet({ store })
    expect(await later.payments(['a'])).toMatchObject([{ status: 'pending' }])
    await later.resume()
    expect(await later.payments(['a'])).toMatchObject([{ status: 'accepted' }])
    expect(await balanceOf(right.node, you)).toBe(5n)
  })
})

describe('a transaction of several payments', () => {
  it('is made once, in whatever order they are listed', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const outputs = [payment, { to, amount: 6n }]
    const { txID } = await wallet({ store }).transfer({ outputs }, { keys: ['a', 'b'] })
    const again = wallet({ store, ...never })
    const reversed = { outputs: outputs.toReversed() }
    expect(await again.transfer(reversed, { keys: ['b', 'a'] })).toEqual({ txID })
    expect(await balanceOf(node, you)).toBe(11n)
  })

  const mixtures: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['some are new', ['b', 'c'], ['b']],
    ['they were made by two transactions', ['a', 'b', 'x'], ['a', 'b', 'x']],
    ['all were made and one is new', ['a', 'b', 'c'], ['a', 'b']],
  ]
  for (const [what, keys, taken] of mixtures)
    it(`is KEYS_TAKEN before anything is signed if ${what}`, async () => {
      const { node, wallet } = await scene()
      for (let i = 0; i < 4; i++) node.fund(addressOf(me), 3n * fee)
      const store = memoryStore()
      await wallet({ store }).transfer(outputsFor('a', 'b'), { keys: ['a', 'b'] })
      await wallet({ store }).transfer(payment, { key: 'x' })
      const later = wallet({ store, ...never })
      const failure = later.transfer(outputsFor(...keys), { keys })
      await expect(failure).rejects.toBeInstanceOf(WalletError)
      await expect(failure).rejects.toMatchObject({ code: 'KEYS_TAKEN', keys: taken })
      expect(await balanceOf(node, you)).toBe(15n)
    })

  it('is KEYS_TAKEN if one of them is pending in another', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    await expect(mine.transfer(outputsFor('a', 'b'), { keys: ['a', 'b'] })).rejects.toMatchObject({
      code: 'TX_PENDING',
      keys: ['a', 'b'],
    })
    for (const keys of [['b', 'c'], ['a']])
      await expect(mine.transfer(outputsFor(...keys), { keys, ...never })).rejects.toMatchObject({
        code: 'KEYS_TAKEN',
        keys: [keys[0]],
      })
  })

  it('is KEYS_REPEATED if it would make one of them twice', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const keys = ['a', 'b', 'a']
    await expect(wallet().transfer(outputsFor(...keys), { keys, ...never })).rejects.toMatchObject({
      code: 'KEYS_REPEATED',
      keys: ['a'],
    })
  })

  it('runs after concurrent calls that share one of its keys', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    const pay = (...keys: string[]) => mine.transfer(outputsFor(...keys), { keys })
    const results = await Promise.allSettled([
      pay('a', 'b'),
      pay('b', 'c'),
      pay('c', 'd'),
      pay('b', 'a'),
    ])
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'KEYS_TAKEN', keys: ['b'] } },
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ])
    expect(await balanceOf(node, you)).toBe(20n)
  })
})

describe('payments', () => {
  it('returns the status of each payment, in the order of the keys', async () => {
    let isHeld = false
    const { node, wallet } = await scene({
      intercept: ({ method }, next) => {
        if (isHeld && method === 'avm.issueTx') throw new TypeError('fetch failed')
        return next()
      },
    })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    const { txID } = await mine.transfer(outputsFor('a', 'b'), { keys: ['a', 'b'] })
    await mine.transfer(payment)
    isHeld = true
    await expect(mine.transfer(payment, { key: 'd' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    expect(await mine.payments(['e', 'd', 'b', 'a'])).toMatchObject([
      { key: 'e', status: 'unknown' },
      { key: 'd', status: 'pending' },
      { key: 'b', status: 'accepted', txID },
      { key: 'a', status: 'accepted', txID },
    ])
    // Without keys: all that the store remembers; a payment with a generated key is forgotten once it has ended.
    expect((await mine.payments()).map(({ key }) => key)).toEqual(['a', 'b', 'd'])
  })
})
