import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { KeyChain } from '../../src/crypto/index.ts'
import type { DevNode, FaultKind } from '../../src/devnode/index.ts'
import { hex } from '../../src/encoding/index.ts'
import { createNodeClient, type Fetch } from '../../src/rpc/index.ts'
import {
  createWallet,
  type Journal,
  type JournalEntry,
  memoryJournal,
  readPayments,
  type Wallet,
  WalletError,
} from '../../src/wallet/index.ts'
import { runs } from '../devnode/runs.ts'
import { fakeClock } from '../rpc/fake-clock.ts'
import { addressOf, balanceOf, fee, people, quiet, scene } from './setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const to = addressOf(you)

/** A payment of so many parts, each of 5. */
const parts = (...keys: string[]) => ({ outputs: keys.map(() => ({ to, amount: 5n })) })

/** Answers the sendings of some with these words, as a node that refuses them. */
function refusing(words: () => string | undefined) {
  return (fetch: Fetch): Fetch =>
    async (url, init) => {
      const message = String(init.body).includes('"avm.issueTx"') ? words() : undefined
      if (message === undefined) return fetch(url, init)
      const id = /"id":(\d+)/.exec(String(init.body))![1]
      const error = JSON.stringify({ code: -32000, message, data: null })
      return new Response(`{"jsonrpc":"2.0","error":${error},"id":${id}}`, {
        headers: { 'content-type': 'application/json' },
      })
    }
}

const WRONG = 'failed to verify transfer: invalid signature'

describe('payments', () => {
  it('tells how each of them stands', async () => {
    let words: string | undefined
    const { node, wallet } = await scene({ through: refusing(() => words) })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    const { txID } = await mine.transfer(parts('a', 'b'), { keys: ['a', 'b'] })
    words = WRONG
    await expect(mine.transfer(parts('c'), { key: 'c' })).rejects.toMatchObject({
      code: 'SIG_INVALID',
    })
    words = 'failed to verify transfer: output is time locked'
    await expect(mine.transfer(parts('d'), { key: 'd' })).rejects.toMatchObject({ code: 'TX_OPEN' })
    expect(await mine.payments(['e', 'd', 'c', 'b', 'a'])).toMatchObject([
      { key: 'e', due: true, status: 'unknown' },
      { key: 'd', due: false, status: 'open' },
      { key: 'c', due: true, status: 'refused' },
      { key: 'b', due: false, status: 'accepted', txID },
      { key: 'a', due: false, status: 'accepted', txID },
    ])
    expect((await mine.payments()).map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('asks the journal again where an entry may have been written', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    for (const isWritten of [true, false]) {
      const kept = memoryJournal()
      const journal: Journal = {
        load: kept.load,
        append: async (entry) => {
          if (isWritten) await kept.append(entry)
          throw new Error('disk full')
        },
      }
      const mine = wallet({ journal })
      await expect(mine.transfer(parts('a'), { key: 'a' })).rejects.toMatchObject({
        code: 'JOURNAL_FAILED',
      })
      const status = isWritten ? 'open' : 'unknown'
      expect(await mine.payments(['a'])).toMatchObject([{ due: !isWritten, status }])
    }
  })
})

describe('a transaction of several payments', () => {
  it('is made once, in whatever order they are named', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const journal = memoryJournal()
    const { txID } = await wallet({ journal }).transfer(parts('a', 'b'), { keys: ['a', 'b'] })
    const again = wallet({ journal })
    const options = { keys: ['b', 'a'] }
    expect(await again.transfer(parts('b', 'a'), options)).toEqual({ txID })
    expect(await balanceOf(node, you)).toBe(10n)
  })

  const shifted: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['some are new', ['b', 'c'], ['b']],
    ['some are left out', ['a'], ['a']],
    ['they stand in two others', ['a', 'b', 'x'], ['a', 'b', 'x']],
    ['all stand and one is new', ['a', 'b', 'c'], ['a', 'b']],
  ]
  for (const [what, keys, taken] of shifted)
    it(`is refused before anything is signed where ${what}`, async () => {
      const { node, wallet } = await scene()
      for (let i = 0; i < 4; i++) node.fund(addressOf(me), 3n * fee)
      const journal = memoryJournal()
      await wallet({ journal }).transfer(parts('a', 'b'), { keys: ['a', 'b'] })
      await wallet({ journal }).transfer(parts('x'), { key: 'x' })
      const later = wallet({ journal, confirm: () => expect.unreachable() })
      const failure = later.transfer(parts(...keys), { keys })
      await expect(failure).rejects.toBeInstanceOf(WalletError)
      await expect(failure).rejects.toMatchObject({ code: 'KEYS_TAKEN', keys: taken })
      expect(await journal.load()).toHaveLength(4)
      expect(await balanceOf(node, you)).toBe(15n)
    })

  it('is refused where one of them is still open', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    await expect(mine.transfer(parts('a', 'b'), { keys: ['a', 'b'] })).rejects.toMatchObject({
      code: 'TX_OPEN',
    })
    await expect(mine.transfer(parts('b', 'c'), { keys: ['b', 'c'] })).rejects.toMatchObject({
      code: 'KEYS_TAKEN',
      keys: ['b'],
    })
  })

  it('is refused where it would make one of them twice', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    for (const names of [{ keys: ['a', 'b', 'a'] }, { key: 'a', keys: ['a'] }])
      await expect(wallet().transfer(parts('a', 'b'), names)).rejects.toMatchObject({
        code: 'KEYS_REPEATED',
        keys: ['a'],
      })
    expect(await balanceOf(node, you)).toBe(0n)
  })

  it('may have them in others where it was refused for good', async () => {
    let words: string | undefined = WRONG
    const { node, wallet } = await scene({ through: refusing(() => words) })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    await expect(mine.transfer(parts('a', 'b'), { keys: ['a', 'b'] })).rejects.toMatchObject({
      code: 'SIG_INVALID',
    })
    words = undefined
    await mine.transfer(parts('b', 'c'), { keys: ['b', 'c'] })
    await mine.transfer(parts('a'), { key: 'a' })
    expect(await balanceOf(node, you)).toBe(15n)
  })

  it('waits for others at the same time that share one of them', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    const results = await Promise.allSettled([
      mine.transfer(parts('a', 'b'), { keys: ['a', 'b'] }),
      mine.transfer(parts('b', 'c'), { keys: ['b', 'c'] }),
      mine.transfer(parts('c', 'd'), { keys: ['c', 'd'] }),
      mine.transfer(parts('b', 'a'), { keys: ['b', 'a'] }),
    ])
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'KEYS_TAKEN', keys: ['b'] } },
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ])
    expect(await balanceOf(node, you)).toBe(20n)
  })

  it('is named when it is resumed', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const journal = memoryJournal()
    const early = wallet({ journal, wait: { timeoutMs: 500 } })
    await expect(early.transfer(parts('a', 'b'), { keys: ['a', 'b'] })).rejects.toMatchObject({
      code: 'TX_OPEN',
    })
    node.produceBlock()
    const [settled] = await wallet({ journal }).resume()
    expect(settled).toMatchObject({ status: 'accepted', keys: ['a', 'b'] })
  })
})

describe('a payment under a name', () => {
  it('is not made again because a refusal before it was not written down', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 3n * fee)
    const kept = memoryJournal()
    const journal: Journal = {
      load: kept.load,
      append: async (entry) => {
        if (entry.type === 'refused') throw new Error('disk full')
        await kept.append(entry)
      },
    }
    let shown = 0
    const confirm = async () => {
      if (shown++ > 0) return true
      // Another program spends all that there is now, and something comes in afterwards.
      await wallet().sendAll({ to: addressOf(third) })
      node.fund(addressOf(me), 3n * fee)
      return true
    }
    const { txID } = await wallet({ journal, confirm }).transfer(parts('a'), { key: 'a' })
    node.fund(addressOf(me), 3n * fee)
    const entries = await kept.load()
    expect(entries.map(({ type }) => type)).toEqual(['signed', 'signed', 'accepted'])
    expect(await wallet({ journal }).transfer(parts('a'), { key: 'a' })).toEqual({ txID })
    // Even if the acceptance was not written down either.
    const short: Journal = { ...kept, load: async () => entries.slice(0, 2) }
    expect(await wallet({ journal: short }).transfer(parts('a'), { key: 'a' })).toEqual({ txID })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is made once where its transaction comes from other hands', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const journal = memoryJournal()
    const mine = wallet({ journal })
    const one = await mine.sign(await mine.prepare.transfer(parts('a')))
    const other = await mine.sign(await mine.prepare.transfer(parts('a')))
    if (!one.complete || !other.complete) throw new Error('incomplete')
    await mine.submit(one, { key: 'a' })
    expect(await mine.submit(other, { key: 'a' })).toEqual({ txID: one.txID })
    expect(await wallet({ journal }).submit(other, { key: 'a' })).toEqual({ txID: one.txID })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('stands for a transaction that got the name later', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const journal = memoryJournal()
    const mine = wallet({ journal })
    const signed = await mine.sign(await mine.prepare.transfer(parts('a')))
    if (!signed.complete) throw new Error('incomplete')
    const { txID } = signed
    await Promise.all([mine.submit(signed), mine.submit(signed, { key: 'a' })])
    await mine.submit(signed, { key: 'b' })
    expect(readPayments(await journal.load(), ['a', 'b'])).toEqual([
      { key: 'a', due: false, status: 'accepted', txID },
      { key: 'b', due: false, status: 'accepted', txID },
    ])
    expect(await balanceOf(node, you)).toBe(5n)
  })
})

/** One life of a program that pays, and what happens to it. */
type Life = {
  /** After how many steps, to the node and to the disk and back, it dies; a step later if alive then. */
  readonly steps: number
  readonly batch: number
  /** Where in the list of withdrawals it begins. */
  readonly shift: number
  /** Whether it looks what is due; else it just pays, and leaves out what it is told is taken. */
  readonly careful: boolean
  readonly fault: FaultKind
  /** Which of its entries meets a full disk, and whether it is there all the same. */
  readonly fullDisk: { readonly at: number; readonly isWritten: boolean }
  /** The ends of transactions that it cannot write down. */
  readonly forgets: readonly JournalEntry['type'][]
  /** Another program with the same keys spends coins before this one can. */
  readonly rival: boolean
  /** Blocks are made while it lives; else sending ends in doubt. */
  readonly blocks: boolean
  /** The node forgets what is pending when this life is over. */
  readonly restart: boolean
}

const withdrawals = Array.from({ length: 9 }, (_, i) => ({
  id: `w${i + 1}`,
  to: new Uint8Array(20).fill(i + 1),
  amount: BigInt(i + 1),
}))

/** Lives until everything is paid, something went wrong, or death comes. */
async function live(node: DevNode, disk: JournalEntry[], life: Life): Promise<void> {
  let left = life.steps
  let die = () => {}
  const death = new Promise<void>((resolve) => {
    die = resolve
  })
  // Who is dead does nothing any more: neither answers nor failures reach it.
  const step = async () => {
    if (--left > 0) return
    die()
    await new Promise<never>(() => {})
  }
  const block = () => {
    try {
      node.produceBlock()
    } catch {
      // Nothing is pending.
    }
  }
  const fetch: Fetch = async (url, init) => {
    await step()
    try {
      return await node.fetch(url, init)
    } finally {
      if (life.blocks) block()
      await step()
    }
  }
  let appended = 0
  const journal: Journal = {
    load: async () => {
      await step()
      return [...disk]
    },
    append: async (entry) => {
      await step()
      const isFull = appended++ === life.fullDisk.at
      const isLost = (isFull && !life.fullDisk.isWritten) || life.forgets.includes(entry.type)
      if (!isLost) disk.push(entry)
      await step()
      if (isFull || isLost) throw new Error('disk full')
    },
  }
  let rivals = life.rival ? 1 : 0
  const confirm = async () => {
    if (rivals-- > 0) {
      block()
      const prompt: Fetch = (url, init) => node.fetch(url, init).finally(block)
      const own = { clock: fakeClock(), url: 'http://node.test', fetch: prompt }
      const rival = createWallet({ client: createNodeClient(own), keys: me, clock: own.clock })
      await rival.sendAll({ to: me.addresses[0]! })
    }
    return true
  }
  const clock = fakeClock()
  const client = createNodeClient({ url: 'http://node.test', fetch, clock })
  const wait = { timeoutMs: 2_000 }
  const wallet = createWallet({ client, keys: me, clock, journal, confirm, wait })
  await Promise.race([death, pay(wallet, life)])
}

async function pay(wallet: Wallet, { batch, shift, careful }: Life): Promise<void> {
  let list = [...withdrawals.slice(shift), ...withdrawals.slice(0, shift)]
  if (careful) {
    await wallet.resume()
    const payments = await wallet.payments(list.map(({ id }) => id))
    list = list.filter((_, i) => payments[i]!.due)
  }
  while (list.length > 0) {
    const outputs = list.slice(0, batch)
    try {
      await wallet.transfer({ outputs }, { keys: outputs.map(({ id }) => id) })
      list = list.slice(batch)
    } catch (error) {
      if (!(error instanceof WalletError) || error.code !== 'KEYS_TAKEN') throw error
      list = list.filter(({ id }) => !error.keys.includes(id))
    }
  }
}

/** What each of the withdrawals has brought, by the node. */
async function received(node: DevNode): Promise<bigint[]> {
  const sums = new Map<string, bigint>()
  const addresses = withdrawals.map(({ to: address }) => address)
  for await (const { utxos } of quiet(node).utxoPages({ addresses }))
    for (const { output } of utxos) {
      if (output.type !== 'secp256k1fx.TransferOutput') continue
      const name = hex.encode(output.addresses[0]!)
      sums.set(name, (sums.get(name) ?? 0n) + output.amount)
    }
  return addresses.map((address) => sums.get(hex.encode(address)) ?? 0n)
}

describe('withdrawals in batches', () => {
  const anyLife: fc.Arbitrary<Life> = fc.record({
    steps: fc.integer({ min: 1, max: 90 }),
    batch: fc.integer({ min: 1, max: 5 }),
    shift: fc.nat(withdrawals.length - 1),
    careful: fc.boolean(),
    fault: fc.constantFrom<FaultKind>('lost', 'bad-gateway', 'cut', 'false-refusal', 'vanished'),
    fullDisk: fc.record({ at: fc.nat(8), isWritten: fc.boolean() }),
    forgets: fc.subarray<JournalEntry['type']>(['accepted', 'refused']),
    rival: fc.boolean(),
    blocks: fc.boolean(),
    restart: fc.boolean(),
  })

  test.prop([fc.array(anyLife, { minLength: 1, maxLength: 6 })], runs(40))(
    'are each paid exactly once, wherever the program dies and however it goes on',
    async (lives) => {
      const { node } = await scene({ blocks: 'manual' })
      for (let i = 0; i < 4; i++) node.fund(addressOf(me), 100n * fee)
      const disk: JournalEntry[] = []
      for (const life of lives) {
        node.injectFault({ kind: life.fault, on: 'avm.issueTx', after: life.shift % 3 })
        await live(node, disk, life).catch(() => {})
        if (life.restart) node.restart()
        const paid = await received(node)
        expect(withdrawals.map(({ amount }, i) => paid[i] === 0n || paid[i] === amount)).toEqual(
          withdrawals.map(() => true),
        )
      }
      const calm: Life = {
        ...lives[0]!,
        steps: Number.POSITIVE_INFINITY,
        careful: true,
        fullDisk: { at: -1, isWritten: true },
        forgets: [],
        rival: false,
        blocks: true,
      }
      // Faults that no life has met yet may still come up; each is met once.
      for (let i = 0; i < lives.length; i++) await live(node, disk, calm).catch(() => {})
      await live(node, disk, calm)
      expect(await received(node)).toEqual(withdrawals.map(({ amount }) => amount))
      const ids = withdrawals.map(({ id }) => id)
      expect(readPayments(disk, ids).map(({ status }) => status)).toEqual(
        withdrawals.map(() => 'accepted'),
      )
    },
  )
})
