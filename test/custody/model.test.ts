import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Custody } from '../../src/custody/index.ts'
import { empty } from './postgres.ts'
import { AVAX, balances, keysOf, receiver, scene, textOf, until } from './setup.ts'

// `AVMKIT_CUSTODY_RUNS=200 npx vitest run test/custody/model` runs more of them.
const numRuns = Number(process.env.AVMKIT_CUSTODY_RUNS ?? 6)

const RECEIVERS = [0, 1, 2]
const customers = [21, 22, 23].map((byte) => textOf(keysOf(byte).addresses[0]!))

/** A payout as the model sees it. Nothing is pending while no worker runs. */
type ModelPayout = {
  readonly to: number
  readonly amount: bigint
  status: 'queued' | 'held' | 'canceled' | 'paid'
}

const key = fc.constantFrom('a', 'b', 'c', 'd')
const amount = fc.bigInt(1n, 3n).map((n) => n * AVAX)
const customer = fc.nat(customers.length - 1)
const requests = fc.uniqueArray(
  fc.record({ key, to: fc.constantFrom(...RECEIVERS), amount: fc.constantFrom(AVAX, 2n * AVAX) }),
  { minLength: 1, maxLength: 3, selector: (one) => one.key },
)
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 2 })
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('request' as const), requests }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('hold', 'release', 'cancel'), keys }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('deposit' as const), customer, amount }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('watch' as const), customer }) },
  // A worker runs until nothing is left to do; requests arrive meanwhile.
  { weight: 3, arbitrary: fc.record({ do: fc.constant('work' as const), requests }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
)

/** The statuses from which a change is allowed, and the status that follows. */
const CHANGES = {
  hold: { from: ['queued', 'held'], to: 'held' },
  release: { from: ['queued', 'held'], to: 'queued' },
  cancel: { from: ['queued', 'held', 'canceled'], to: 'canceled' },
} as const

/** The code of the error that an action gives, undefined if it succeeds. */
async function codeOf(done: Promise<unknown>): Promise<unknown> {
  return done.then(
    () => undefined,
    (error: { readonly code?: unknown }) => error.code,
  )
}

it('requests, deposits and blocks lead to what the model says, in whatever order they come', async () => {
  const world = await scene()
  const { node, database, hot, open, work } = world
  node.fund(hot, 1_000n * AVAX)
  const start = node.snapshot()
  const property = fc.asyncProperty(
    fc.array(action, { minLength: 10, maxLength: 20 }),
    async (actions) => {
      node.restore(start)
      await empty(database)
      let custody: Custody = await open()
      const payouts = new Map<string, ModelPayout>()
      const deposited: { readonly customer: number; readonly amount: bigint }[] = []
      const watched = new Set<number>()

      const request = async (list: readonly { key: string; to: number; amount: bigint }[]) => {
        const isConflict = list.some(({ key, to, amount }) => {
          const known = payouts.get(key)
          return known !== undefined && (known.to !== to || known.amount !== amount)
        })
        const asked = custody.requestPayouts(list.map((one) => ({ ...one, to: receiver(one.to) })))
        if (isConflict) return expect(await codeOf(asked)).toBe('KEY_CONFLICT')
        const added = list.filter(({ key }) => !payouts.has(key))
        expect(await asked).toEqual({ added: added.length, known: list.length - added.length })
        for (const { key, ...content } of added) payouts.set(key, { ...content, status: 'queued' })
      }
      const change = async (name: keyof typeof CHANGES, concerned: readonly string[]) => {
        const { from, to } = CHANGES[name]
        const found = concerned.map((key) => payouts.get(key))
        const code = found.includes(undefined)
          ? 'PAYOUT_UNKNOWN'
          : found.every((one) => (from as readonly string[]).includes(one!.status))
            ? undefined
            : 'PAYOUT_STATUS'
        expect(await codeOf(custody[name](concerned))).toBe(code)
        if (code === undefined) for (const one of found) one!.status = to
      }
      const runWorker = async (meanwhile: Parameters<typeof request>[0]) => {
        const stop = work(custody)
        try {
          await request(meanwhile)
          for (const one of payouts.values()) if (one.status === 'queued') one.status = 'paid'
          const paid = [...payouts.values()].filter(({ status }) => status === 'paid').length
          const credited = deposited.filter((one) => watched.has(one.customer)).length
          await until('done', async () => {
            const { payouts: counts, problems } = await custody.status()
            if (problems.length > 0 || counts.paid < paid) return false
            return (await custody.deposits()).length >= credited
          })
        } finally {
          await stop()
        }
      }
      const compareStatuses = async () => {
        const stated = (await custody.payouts()).map(({ key, status, held }) => [
          key,
          held ? 'held' : status,
        ])
        expect(stated).toEqual([...payouts].map(([key, { status }]) => [key, status]))
      }
      const compareChain = async () => {
        const found = await custody.deposits()
        expect(found.map(({ cursor }) => cursor)).toEqual(found.map((_, i) => BigInt(i + 1)))
        const credited = found.map((one) => `${one.address} ${one.amount} ${one.reference}`)
        const expected = deposited
          .filter((one) => watched.has(one.customer))
          .map((one) => `${customers[one.customer]} ${one.amount} user ${one.customer}`)
        expect(credited.sort()).toEqual(expected.sort())
        const received = RECEIVERS.map((to) =>
          [...payouts.values()]
            .filter((one) => one.status === 'paid' && one.to === to)
            .reduce((sum, one) => sum + one.amount, 0n),
        )
        expect(await balances(world, ...RECEIVERS)).toEqual(received)
        expect(await custody.audit()).toMatchObject({ balanced: true, faults: [] })
      }

      for (const one of actions) {
        if (one.do === 'request') await request(one.requests)
        else if (one.do === 'deposit') {
          node.fund(customers[one.customer]!, one.amount)
          deposited.push(one)
        } else if (one.do === 'watch') {
          const { customer } = one
          await custody.watch([{ address: customers[customer]!, reference: `user ${customer}` }])
          watched.add(customer)
        } else if (one.do === 'restart') custody = await open()
        else if (one.do === 'work') {
          await runWorker(one.requests)
          await compareChain()
        } else await change(one.do as keyof typeof CHANGES, one.keys)
        await compareStatuses()
      }
      await runWorker([])
      await compareStatuses()
      await compareChain()
    },
  )
  await fc.assert(property, { numRuns })
}, 600_000)
