import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { encodeBlock } from '../../../src/core/chain/x/block.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { type Attempt, memoryStore } from '../../../src/wallet/store/index.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { errorFor, intercepted, resultFor } from '../requests.ts'
import { addressOf, balanceOf, fee, now, people, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

/** Error messages of the node, of every kind that the client distinguishes. */
const MESSAGES = [
  'missing 0x prefix to hex encoding',
  'odd length hex string',
  'encoding/hex: invalid byte: U+007A',
  'input string is smaller than the checksum size',
  'invalid input checksum',
  'unsupported encoding in method',
  "couldn't unpack codec version",
  'unknown codec version',
  'unknown type ID',
  'does not implement interface',
  'max slice length exceeded',
  'insufficient length for input',
  'trailing buffer space',
  'byte array exceeds maximum length',
  'unexpected EOF',
  'mempool is full',
  'name is too short',
  'must have at least one operation',
  'no import inputs',
  'tx has wrong network ID',
  'tx has wrong chain ID',
  'memo exceeds maximum length',
  'output has no value',
  'output is unspendable',
  'outputs not sorted',
  'inputs not sorted and unique',
  'insufficient funds',
  'overflow',
  'attempt to double spend an input',
  'payload too large',
  'wrong number of credentials',
  'failed to verify transfer: failed to get utxo 2x: not found',
  "asset IDs in the input don't match the utxo",
  'failed to verify transfer: not found',
  'not an asset',
  'wrong utxo type',
  'utxo amount and input amount are not equal',
  'output is time locked',
  'invalid signature',
  'wrong signature',
  'mismatched subnetIDs',
  'tx too large',
  'conflicts with other tx',
  'not found',
  'a message that nobody has seen before',
]

describe('an error message for a transaction that was accepted', () => {
  for (const message of MESSAGES)
    it(`does not end the payment: ${message}`, async () => {
      const { node, wallet } = await scene({
        intercept: async (call, next) => {
          const reply = await next()
          return call.tx === undefined ? reply : errorFor(call, message)
        },
      })
      for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
      const store = memoryStore()
      const { txID } = await wallet({ store }).transfer(payment, { key: 'a' })
      expect(await wallet({ store }).transfer(payment, { key: 'a' })).toEqual({ txID })
      expect(await balanceOf(node, you)).toBe(5n)
    })
})

describe('an error message for a transaction that is accepted much later', () => {
  for (const message of ['wrong signature', 'odd length hex string', 'payload too large'])
    it(`leaves the payment pending until then: ${message}`, async () => {
      const taken: Uint8Array[] = []
      let isHonest = false
      const { node, wallet, client } = await scene({
        intercept: (call, next) => {
          if (isHonest || call.tx === undefined) return next()
          taken.push(call.tx)
          return errorFor(call, message)
        },
      })
      for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
      const mine = wallet({ wait: { timeoutMs: 20_000 } })
      const pending = { code: 'TX_PENDING', cause: { message: expect.stringContaining(message) } }
      for (let run = 0; run < 2; run++)
        await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
      isHonest = true
      const results = await Promise.allSettled(taken.map((tx) => client.avm.issueTx({ tx })))
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      await mine.transfer(payment, { key: 'a' })
      expect(await balanceOf(node, you)).toBe(5n)
    })
})

describe('a rejection that a node remembers', () => {
  it('is overcome by a variant with the same inputs and outputs', async () => {
    const issued: string[] = []
    let isLocked = false
    const { node, wallet } = await scene({
      intercept: async (call, next) => {
        if (call.tx === undefined) return next()
        issued.push(hex.encode(call.tx))
        // By the clock of the node, which was set back for the first request.
        node.setTime(isLocked ? now : now - 1_000)
        isLocked = true
        return next()
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const locktime = BigInt(now - 100)
    node.setTime(now)
    const own = { to: addressOf(me), amount: 2n * fee, locktime }
    isLocked = true
    await wallet().transfer(own)
    isLocked = false
    issued.length = 0
    const seen = await wallet().transfer({ to: addressOf(you), amount: 5n })
    expect(seen.txID).toBeDefined()
    expect(new Set(issued).size).toBe(2)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('of a lagging node is overcome at another server without a variant', async () => {
    const node = await createDevNode({ now })
    const lagging = await createDevNode({ now })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const clock = virtualClock()
    const issued: string[] = []
    const client = createNodeClient({
      url: ['http://a.test', 'http://b.test'],
      clock,
      fetch: (url, init) =>
        intercepted(
          (to, request) => node.fetch(to, request),
          ({ tx, host }, next) => {
            if (tx === undefined) return next()
            issued.push(`${host} ${hex.encode(tx)}`)
            return host === 'a.test' ? lagging.fetch(url, init) : next()
          },
        )(url, init),
    })
    await createWallet({ client, keys: me, clock }).transfer(payment)
    expect(issued.map((text) => text.slice(0, 6))).toEqual(['a.test', 'b.test'])
    expect(new Set(issued.map((text) => text.slice(7))).size).toBe(1)
    expect(await balanceOf(node, you)).toBe(5n)
    await Promise.all([node.close(), lagging.close()])
  })

  it('of the only node, which lagged, is overcome by a variant', async () => {
    const behind = await createDevNode({ now })
    let hasCaughtUp = false
    const issued: string[] = []
    const { node, wallet, client } = await scene({
      intercept: async (call, next, init) => {
        if (call.tx !== undefined) issued.push(hex.encode(call.tx))
        // It does not get the transaction before the payment, which would be issued to it again.
        const isPayment = call.tx !== undefined && hex.encode(call.tx) !== issued[0]
        const isForLagging = hasCaughtUp || isPayment
        return isForLagging ? behind.fetch('http://node.test/ext/bc/X', init) : next()
      },
    })
    for (const each of [node, behind]) each.fund(addressOf(me), 9n * fee)
    const mine = wallet({ wait: { timeoutMs: 20_000 } })
    await mine.transfer({ to: addressOf(me), amount: fee })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    const height = await client.avm.getHeight({})
    behind.acceptBlock(encodeBlock(await client.avm.getBlockByHeight({ height })))
    hasCaughtUp = true
    const refused = new Set(issued.slice(1))
    issued.length = 0
    await mine.transfer(payment, { key: 'a' })
    // The node would refuse again what it refused while it lagged.
    expect(refused.has(issued.at(-1)!)).toBe(false)
    expect(await balanceOf(behind, you)).toBe(5n)
    await behind.close()
  })

  it('of every attempt makes a bounded number of variants, all with the same inputs', async () => {
    const issued: string[] = []
    const { node, wallet } = await scene({
      intercept: (call, next) => {
        if (call.tx === undefined) return next()
        issued.push(hex.encode(call.tx))
        return errorFor(call, 'output is time locked')
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 600_000 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'TX_PENDING',
    })
    expect(new Set(issued).size).toBe(9)
    expect(issued.length).toBeGreaterThan(12)
    let attempts = 0
    for await (const { keys } of store.attempts()) {
      expect(keys).toEqual(['a'])
      attempts++
    }
    expect(attempts).toBe(9)
    await mine.cancel('a', { wait: { timeoutMs: 100 } }).catch(() => {})
    expect(await balanceOf(node, you)).toBe(0n)
  })

  it('of a transaction with too low a fee leaves its replacement as many variants', async () => {
    let shown = fee / 2n
    const low = new Set<string>()
    let first: string | undefined
    const { node, wallet } = await scene({
      intercept: (call, next) => {
        if (call.method === 'avm.getTxFee')
          return resultFor(call, { txFee: String(shown), createAssetTxFee: String(shown) })
        if (call.tx === undefined) return next()
        const bytes = hex.encode(call.tx)
        if (shown < fee) low.add(bytes)
        if (low.has(bytes)) return next()
        // A server remembers that it has refused the replacement.
        first ??= bytes
        return bytes === first ? errorFor(call, 'output is time locked') : next()
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 600_000 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'TX_PENDING',
    })
    const attempts: Attempt[] = []
    for await (const attempt of store.attempts()) attempts.push(attempt)
    expect(attempts).toHaveLength(9)
    shown = fee
    await mine.transfer(payment, { key: 'a' })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('makes no variant without keys in memory: the same bytes are issued again', async () => {
    const issued: string[] = []
    let refuses = true
    const { node, wallet } = await scene({
      remembersDrops: false,
      intercept: (call, next) => {
        if (call.tx === undefined) return next()
        issued.push(hex.encode(call.tx))
        return refuses ? errorFor(call, 'output is time locked') : next()
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    await expect(
      wallet({ store, wait: { timeoutMs: 9_000 } }).transfer(payment, { key: 'a' }),
    ).rejects.toMatchObject({ code: 'TX_PENDING' })
    const claimed: string[] = []
    for await (const { bytes } of store.attempts()) claimed.push(hex.encode(bytes))
    issued.length = 0
    // The next process has no keys; it resumes what is in the store.
    const watching = wallet({ store, keys: undefined, addresses: [addressOf(me)] })
    refuses = false
    expect(await watching.resume()).toMatchObject([{ status: 'accepted' }])
    expect(claimed).toContain(issued[0])
    expect(new Set(issued).size).toBe(1)
    expect(await balanceOf(node, you)).toBe(5n)
  })
})

describe('a variant that cannot be claimed', () => {
  it('does not end the call: another process may have recorded the acceptance', async () => {
    const store = memoryStore()
    let issues = 0
    const { node, wallet } = await scene({
      intercept: async (call, next) => {
        const isHidden = call.method === 'avm.getTx' || call.method === 'avm.getBlockByHeight'
        if (isHidden && issues > 0 && issues < 3) return errorFor(call, 'not found')
        if (call.tx === undefined) return next()
        issues++
        await next()
        for await (const { txID, inputs } of store.attempts('a'))
          await store.recordAcceptance({ txID, inputs })
        return errorFor(call, 'output is time locked')
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const { txID } = await wallet({ store }).transfer(payment, { key: 'a' })
    expect(issues).toBe(3)
    expect(await store.payments(['a'])).toMatchObject([{ status: 'accepted', txID }])
    expect(await balanceOf(node, you)).toBe(5n)
  })
})
