import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { DevNode, FaultKind } from '../../../src/devnode/index.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { createWallet, type Wallet, WalletError } from '../../../src/wallet/index.ts'
import { memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { runs } from '../../helpers/runs.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { intercepted } from '../requests.ts'
import { addressOf, direct, fee, people, produceBlocks, scene } from '../setup.ts'

const [me] = people as [KeyChain]

/** One run of a program that pays, and what happens to it. */
type Run = {
  /** Requests and claims, before and after each, until the process ends. */
  readonly steps: number
  readonly batch: number
  /** Where in the list of withdrawals it begins. */
  readonly shift: number
  /** Whether it resumes and reads the status first; otherwise it pays at once and omits the keys that KEYS_TAKEN names. */
  readonly isCareful: boolean
  readonly fault: FaultKind
  /** Which of its claims fails, and whether it is recorded nevertheless. */
  readonly failingClaim: { readonly at: number; readonly isRecorded: boolean }
  /** The store cannot record outcomes. */
  readonly forgetsOutcomes: boolean
  /** Another program with the same keys spends UTXOs before this one can. */
  readonly hasRival: boolean
  /** Blocks are made during the run. */
  readonly makesBlocks: boolean
  /** The node forgets its mempool afterwards. */
  readonly restarts: boolean
}

const withdrawals = Array.from({ length: 9 }, (_, i) => ({
  id: `w${i + 1}`,
  to: new Uint8Array(20).fill(i + 1),
  amount: BigInt(i + 1),
}))

/** Runs until everything is paid, something fails, or the process ends. */
async function execute(node: DevNode, inner: Store, run: Run): Promise<void> {
  let left = run.steps
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  // A process that has ended sees neither answers nor errors.
  const step = async () => {
    if (--left > 0) return
    end()
    await new Promise<never>(() => {})
  }
  let claims = 0
  const store: Store = {
    ...inner,
    claim: async (claim) => {
      await step()
      const isFailing = claims++ === run.failingClaim.at
      if (!isFailing || run.failingClaim.isRecorded) await inner.claim(claim)
      await step()
      if (isFailing) throw new Error('disk full')
    },
    recordAcceptance: async (acceptance) => {
      await step()
      if (run.forgetsOutcomes) throw new Error('disk full')
      await inner.recordAcceptance(acceptance)
      await step()
    },
  }
  let rivals = run.hasRival ? 1 : 0
  const confirm = async () => {
    if (rivals-- > 0) {
      produceBlocks(node)
      const clock = virtualClock()
      const fetch = intercepted(
        (url, init) => node.fetch(url, init),
        async (_, next) => {
          const reply = await next()
          produceBlocks(node)
          return reply
        },
      )
      const client = createNodeClient({ url: 'http://node.test', fetch, clock })
      const rival = createWallet({ client, keys: me, clock })
      await rival.sendAll({ to: me.addresses[0]! })
    }
    return true
  }
  const clock = virtualClock()
  const fetch = intercepted(
    (url, init) => node.fetch(url, init),
    async (_, next) => {
      await step()
      try {
        return await next()
      } finally {
        if (run.makesBlocks) produceBlocks(node)
        await step()
      }
    },
  )
  const client = createNodeClient({ url: 'http://node.test', fetch, clock })
  const wait = { timeoutMs: 2_000 }
  const wallet = createWallet({ client, keys: me, clock, store, confirm, wait })
  await Promise.race([ended, payAll(wallet, run)])
}

async function payAll(wallet: Wallet, { batch, shift, isCareful }: Run): Promise<void> {
  let list = [...withdrawals.slice(shift), ...withdrawals.slice(0, shift)]
  if (isCareful) {
    await wallet.resume()
    const payments = await wallet.payments(list.map(({ id }) => id))
    list = list.filter((_, i) => !['pending', 'accepted'].includes(payments[i]!.status))
  }
  while (list.length > 0) {
    const part = list.slice(0, batch)
    const outputs = part.map(({ id: _, ...output }) => output)
    try {
      await wallet.transfer({ outputs }, { keys: part.map(({ id }) => id) })
      list = list.slice(batch)
    } catch (error) {
      if (!(error instanceof WalletError) || error.code !== 'KEYS_TAKEN') throw error
      list = list.filter(({ id }) => !error.keys.includes(id))
    }
  }
}

/** What each withdrawal has received, by the node. */
async function received(node: DevNode): Promise<bigint[]> {
  const sums = new Map<string, bigint>()
  const addresses = withdrawals.map(({ to }) => to)
  for await (const { utxos } of direct(node).utxoPages({ addresses }))
    for (const { output } of utxos) {
      if (output.type !== 'secp256k1fx.TransferOutput') continue
      const name = hex.encode(output.addresses[0]!)
      sums.set(name, (sums.get(name) ?? 0n) + output.amount)
    }
  return addresses.map((address) => sums.get(hex.encode(address)) ?? 0n)
}

describe('withdrawals in batches', () => {
  const anyRun: fc.Arbitrary<Run> = fc.record({
    steps: fc.integer({ min: 1, max: 90 }),
    batch: fc.integer({ min: 1, max: 5 }),
    shift: fc.nat(withdrawals.length - 1),
    isCareful: fc.boolean(),
    fault: fc.constantFrom<FaultKind>('lost', 'bad-gateway', 'cut', 'false-refusal', 'vanished'),
    failingClaim: fc.record({ at: fc.nat(8), isRecorded: fc.boolean() }),
    forgetsOutcomes: fc.boolean(),
    hasRival: fc.boolean(),
    makesBlocks: fc.boolean(),
    restarts: fc.boolean(),
  })

  test.prop([fc.array(anyRun, { minLength: 1, maxLength: 6 })], runs(25))(
    'are each paid exactly once, wherever the process ends and however it continues',
    async (list) => {
      const { node } = await scene({ blocks: 'manual' })
      for (let i = 0; i < 4; i++) node.fund(addressOf(me), 100n * fee)
      const store = memoryStore()
      for (const run of list) {
        node.injectFault({ kind: run.fault, on: 'avm.issueTx', after: run.shift % 3 })
        await execute(node, store, run).catch(() => {})
        if (run.restarts) node.restart()
        const paid = await received(node)
        for (const [i, { amount }] of withdrawals.entries()) expect([0n, amount]).toContain(paid[i])
      }
      const calm: Run = {
        ...list[0]!,
        steps: Number.POSITIVE_INFINITY,
        isCareful: true,
        failingClaim: { at: -1, isRecorded: true },
        forgetsOutcomes: false,
        hasRival: false,
        makesBlocks: true,
      }
      // Each remaining fault may fail one of these runs.
      for (let i = 0; i <= list.length; i++) await execute(node, store, calm).catch(() => {})
      await execute(node, store, calm)
      expect(await received(node)).toEqual(withdrawals.map(({ amount }) => amount))
      const records = await store.payments(withdrawals.map(({ id }) => id))
      expect(records.map(({ status }) => status)).toEqual(withdrawals.map(() => 'accepted'))
      for await (const _ of store.attempts()) expect.unreachable('nothing should be pending')
    },
  )
})
