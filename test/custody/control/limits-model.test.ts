import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LimitRule } from '../../../src/custody/index.ts'
import { empty } from '../postgres.ts'
import { receiver, scene } from '../setup.ts'
import { claimNext, endAttempts, passTime, tryClaim } from './claims.ts'
import { choose, type ModelPayout, type ModelRule, mayClaim } from './model.ts'

// `AVMKIT_LIMIT_RUNS=500 npx vitest run test/custody/control/limits-model` runs more of them.
const numRuns = Number(process.env.AVMKIT_LIMIT_RUNS ?? 12)

/** Times are multiples of this, so that the time that the test itself takes does not matter. */
const STEP = 10_000
const PEOPLE = ['ann', 'ben', 'cem', 'dia']
const OTHER = new Uint8Array(32).fill(9)
const BIG = 2n ** 64n - 1n

const units = fc.constantFrom<{ [asset: string]: bigint }>(
  { native: 1n },
  { other: 1n },
  { native: 3n, other: 2n },
)
const most = fc.oneof(fc.bigInt(0n, 30n), fc.constantFrom(BIG, 2n * BIG))
const span = fc.integer({ min: 1, max: 4 }).map((n) => n * STEP)
const rule: fc.Arbitrary<ModelRule> = fc.oneof(
  fc.record({
    type: fc.constant('limit' as const),
    per: fc.constantFrom('payout', 'destination', 'reference', 'total', 'total'),
    amount: most,
    seconds: span,
    units,
  }),
  fc.record({
    type: fc.constant('approvals' as const),
    amount: most,
    count: fc.integer({ min: 1, max: 2 }),
    approvers: fc.constantFrom(undefined, ['ann', 'ben'], PEOPLE),
    units,
  }),
  fc.constant({ type: 'allow' as const, destinations: ['0', '1'] }),
  fc.record({ type: fc.constant('delay' as const), seconds: span }),
)
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      to: fc.constantFrom('0', '1', '2'),
      asset: fc.constantFrom('native', 'native', 'other'),
      reference: fc.constantFrom(undefined, '', 'u', 'v'),
      amount: fc.oneof(fc.bigInt(1n, 12n), fc.constant(BIG)),
      requester: fc.constantFrom(...PEOPLE),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), pick: fc.nat() }) },
  { weight: 4, arbitrary: fc.constant({ do: 'work' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      steps: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      pick: fc.nat(),
      by: fc.constantFrom('ann', 'Ann', 'ben', 'BEN', 'cem', 'dia'),
      isApproved: fc.nat(4).map((n) => n > 0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      pick: fc.nat(),
      status: fc.constantFrom('accepted' as const, 'canceled' as const, 'queued' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('rule' as const),
      name: fc.nat(3),
      rule: fc.option(rule),
    }),
  },
)

function ruleOf(name: string, given: ModelRule, native: Uint8Array): LimitRule {
  if (given.type === 'allow')
    return { name, type: 'allow', destinations: given.destinations.map((n) => receiver(Number(n))) }
  if (given.type === 'delay') return { name, ...given }
  const assets = Object.entries(given.units).map(([asset, unit]) => ({
    assetID: asset === 'native' ? native : OTHER,
    unit,
  }))
  if (given.type === 'approvals') {
    const { type, amount, count, approvers } = given
    return { name, type, amount, count, approvers, assets }
  }
  const { type, per, amount, seconds } = given
  return { name, type, per, amount, assets, ...(per !== 'payout' && { seconds }) }
}

it('limits stop exactly what they mean, in whatever order things happen', async () => {
  const { database, open, settings } = await scene()
  const custody = await open()
  const ready = await settings()
  const native = ready.context.assetID
  let claims = 0
  let refusals = 0
  const property = fc.asyncProperty(
    fc.array(rule, { minLength: 1, maxLength: 3 }),
    fc.array(action, { minLength: 10, maxLength: 30 }),
    async (first, actions) => {
      await empty(database)
      const own = await settings()
      const rules = new Map<string, ModelRule>()
      const set = async (name: string, given: ModelRule | null) => {
        if (given !== null) {
          await custody.setLimit(ruleOf(name, given, native))
          rules.set(name, given)
        } else if (rules.delete(name)) await custody.removeLimit(name)
      }
      for (const [i, one] of first.entries()) await set(`rule-${i}`, one)
      const all: ModelPayout[] = []
      let now = 0
      const claim = (claimed: readonly ModelPayout[]) => {
        for (const payout of claimed) Object.assign(payout, { status: 'pending', at: now })
      }
      const pick = (status: ModelPayout['status'], n: number) => {
        const some = all.filter((one) => one.status === status)
        return some[n % Math.max(1, some.length)]
      }
      for (const one of actions) {
        const held = [...rules.values()]
        if (one.do === 'request') {
          const { to, asset, reference, amount, requester } = one
          const key = `p${all.length}`
          all.push({
            key,
            to,
            asset,
            reference,
            amount,
            requester,
            requestedAt: now,
            status: 'queued',
            at: 0,
            decisions: [],
          })
          const assetID = asset === 'native' ? native : OTHER
          await custody
            .actingFor(requester)
            .requestPayouts([{ key, to: receiver(Number(to)), amount, assetID, reference }])
        } else if (one.do === 'claim') {
          // Some of the queue, chosen by the bits of a number: a worker that does not care for limits.
          const some = all.filter(
            ({ status }, i) => status === 'queued' && (one.pick >> (i % 30)) & 1,
          )
          if (some.length === 0) continue
          const isAllowed = mayClaim(all, some, held, now)
          expect(
            await tryClaim(
              database,
              some.map(({ key }) => key),
            ),
          ).toBe(isAllowed)
          if (isAllowed) claim(some)
          if (isAllowed) claims++
          else refusals++
        } else if (one.do === 'work') {
          await database.query(
            'UPDATE @.payments SET recheck_at = NULL WHERE recheck_at IS NOT NULL',
          )
          const chosen = choose(all, held, now)
          expect(await claimNext(database, own)).toEqual(chosen.map(({ key }) => key))
          claim(chosen)
        } else if (one.do === 'pass') {
          now += one.steps * STEP
          await passTime(database, one.steps * STEP)
        } else if (one.do === 'decide') {
          const payout = pick('queued', one.pick)
          if (payout === undefined) continue
          const { by, isApproved } = one
          const acting = custody.actingFor(by)
          if (isApproved && by.toLowerCase() === payout.requester) {
            await expect(acting.approve([payout.key])).rejects.toMatchObject({
              code: 'APPROVAL_REFUSED',
            })
            continue
          }
          if (isApproved) await acting.approve([payout.key])
          else {
            await acting.deny([payout.key])
            await custody.release([payout.key])
          }
          payout.decisions.push({ by, isApproved })
        } else if (one.do === 'end') {
          const payout = pick('pending', one.pick)
          if (payout === undefined) continue
          await endAttempts(database, [payout.key], one.status)
          payout.status = one.status
        } else await set(`rule-${one.name}`, one.rule)
      }
    },
  )
  await fc.assert(property, { numRuns })
  expect(claims).toBeGreaterThan(0)
  expect(refusals).toBeGreaterThan(0)
}, 600_000)
