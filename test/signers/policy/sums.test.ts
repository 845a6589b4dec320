import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import type { AssetAmount } from '../../../src/core/chain/amounts.ts'
import type { SignError } from '../../../src/core/sign/errors.ts'
import {
  explainDraft,
  explainRequest,
  requireSigned,
  signDraft,
  signRequest,
} from '../../../src/index.ts'
import {
  type CountedPayment,
  formatPolicy,
  type ParsedPolicy,
  parsePolicy,
  type RecordedPayment,
  type RequestedPayment,
  type SumUse,
} from '../../../src/signers/policy/index.ts'
import { coins, keysOf, owners, paying, proven, transfer } from '../../core/sign/fixtures.ts'
import { AVAX, base, local, policyOf } from './fixtures.ts'

const TOKEN = formatID(new Uint8Array(32).fill(7))

/** A store and a clock, and payments of which nothing but amounts matters. */
class Ledger {
  readonly records: RecordedPayment[] = []
  /** What leaves by payments; a content is the position in it, from 1 on. */
  private readonly contents: (readonly AssetAmount[])[] = []
  private readonly policy: ParsedPolicy
  now = 1_000_000n

  constructor(policy: ParsedPolicy) {
    this.policy = policy
  }

  /** Claims a payment; returns why it is refused, or undefined. */
  async pay(key: string, amount: bigint, assetID = AVAX): Promise<SumUse | undefined> {
    return this.claim(key, [[assetID, amount]])
  }

  async claim(
    key: string,
    amounts: readonly (readonly [assetID: string, amount: bigint])[],
  ): Promise<SumUse | undefined> {
    const totals = amounts.map(([assetID, amount]) => ({
      assetID,
      spent: amount + 5n,
      paid: amount,
      burned: 0n,
    }))
    const digest = new Uint8Array(32)
    let recorded: readonly CountedPayment[] = []
    try {
      await this.policy.sums!.claim({
        store: this,
        now: this.now,
        context: local,
        effect: [{ totals }],
        payments: [{ key, digest, content: new Uint8Array(), generated: true }],
        content: {
          decode: (content) => this.decode(content!),
          withLeaves: (_, leaves) => new Uint8Array([this.contents.push(leaves)]),
        },
        record: async (payments) => {
          recorded = payments
          const [{ content }] = payments as [CountedPayment]
          this.records.push({ key, status: 'pending', digest, content })
        },
      })
    } catch (error) {
      const { sum } = error as SignError
      if (sum === undefined) throw error
      expect(error).toMatchObject({ name: 'SignError', code: 'POLICY_SUM' })
      return sum
    }
    expect(recorded).toMatchObject([{ key, generated: false }])
    return undefined
  }

  end(i: number, status: 'accepted' | 'rejected' | 'canceled'): void {
    this.records[i] = { ...this.records[i]!, status, endedAt: this.now }
  }

  decode(content: Uint8Array): RequestedPayment {
    const [at = 0] = content
    return { kind: 'sendAll', outputs: [], other: [], leaves: this.contents[at - 1] }
  }

  async *list(): AsyncGenerator<RecordedPayment> {
    yield* this.records
  }
}

type Step =
  | { readonly do: 'pay'; readonly amount: bigint }
  | { readonly do: 'end'; readonly at: number; readonly as: 'accepted' | 'rejected' | 'canceled' }
  | { readonly do: 'pass'; readonly seconds: number }

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('pay'), amount: fc.bigInt(0n, 60n) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('end'),
        at: fc.nat(50),
        as: fc.constantFrom('accepted', 'accepted', 'rejected', 'canceled'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('pass'), seconds: fc.integer({ min: -5, max: 40 }) }),
    },
  ),
  { maxLength: 40 },
) as fc.Arbitrary<Step[]>

const limits = [
  { amount: 100n, seconds: 60 },
  { amount: 40n, seconds: 10 },
]

describe('sums over time', () => {
  it('allow exactly what a model allows, and what is free when they say so', async () => {
    const policy = policyOf({ sums: limits.map((limit) => ({ ...limit, assetID: AVAX })) })
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const ledger = new Ledger(policy)
        // What leaves in the model: the amount and the second of acceptance, undefined while it may still come.
        const model: { amount: bigint; at?: bigint | undefined; gone?: boolean }[] = []
        for (const step of all) {
          if (step.do === 'pass') ledger.now += BigInt(step.seconds)
          else if (step.do === 'end') {
            const payment = model[step.at]
            if (payment === undefined || payment.at !== undefined || payment.gone) continue
            ledger.end(step.at, step.as)
            if (step.as === 'accepted') payment.at = ledger.now
            else payment.gone = true
          } else {
            const { now } = ledger
            const usedIn = (seconds: number, when: bigint) =>
              model
                .filter(({ gone }) => !gone)
                .filter(({ at = now }) => at + BigInt(seconds) >= when)
                .reduce((sum, { amount }) => sum + amount, 0n)
            const fits = (when: bigint) =>
              limits.every(({ amount, seconds }) => usedIn(seconds, when) + step.amount <= amount)
            const refused = await ledger.pay(`k${model.length}`, step.amount)
            expect(refused === undefined).toBe(step.amount === 0n || fits(now))
            if (refused === undefined) model.push({ amount: step.amount })
            else {
              const { used, left, amount, seconds, requested, freeAt } = refused
              expect([requested, used]).toEqual([step.amount, usedIn(seconds, now)])
              expect(left).toBe(used > amount ? 0n : amount - used)
              if (freeAt === undefined) expect(requested > amount).toBe(true)
              else expect([fits(freeAt - 1n), fits(freeAt)]).toEqual([false, true])
            }
          }
        }
      }),
    )
  })

  it('never let more be accepted within a period than the limit, if clocks are right', async () => {
    const policy = policyOf({ sums: limits.map((limit) => ({ ...limit, assetID: AVAX })) })
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const ledger = new Ledger(policy)
        for (const [i, step] of all.entries())
          if (step.do === 'pass') ledger.now += BigInt(Math.abs(step.seconds))
          else if (step.do === 'pay') await ledger.pay(`k${i}`, step.amount)
          else if (ledger.records[step.at]?.status === 'pending') ledger.end(step.at, step.as)
        const accepted = ledger.records.flatMap(({ status, endedAt, content }) =>
          status === 'accepted'
            ? [{ at: endedAt!, paid: ledger.decode(content!).leaves![0]?.amount ?? 0n }]
            : [],
        )
        for (const { amount, seconds } of limits)
          for (const { at } of accepted) {
            const within = accepted.filter((one) => one.at >= at && one.at <= at + BigInt(seconds))
            expect(within.reduce((sum, { paid }) => sum + paid, 0n) <= amount).toBe(true)
          }
      }),
    )
  })

  it('check concurrent claims one after the other', async () => {
    const ledger = new Ledger(policyOf({ sums: [{ assetID: AVAX, amount: 100n, seconds: 60 }] }))
    const all = await Promise.all(Array.from({ length: 10 }, (_, i) => ledger.pay(`k${i}`, 20n)))
    expect(all.filter((refused) => refused === undefined).length).toBe(5)
  })

  it('count for the longest of their times', async () => {
    const sums = [
      { assetID: AVAX, amount: 40n, seconds: 10 },
      { assetID: AVAX, amount: 60n, seconds: 60 },
    ]
    for (const given of [sums, sums.toReversed()]) {
      const ledger = new Ledger(policyOf({ sums: given }))
      expect(await ledger.pay('a', 40n)).toBeUndefined()
      ledger.end(0, 'accepted')
      ledger.now += 30n
      expect(await ledger.pay('b', 21n)).toMatchObject({ seconds: 60, used: 40n, left: 20n })
      expect(await ledger.pay('b', 20n)).toBeUndefined()
    }
  })

  it('limit each asset on its own', async () => {
    const sums = [
      { assetID: AVAX, amount: 10n, seconds: 60 },
      { assetID: TOKEN, amount: 5n, seconds: 60 },
    ]
    const ledger = new Ledger(policyOf({ sums }))
    expect(await ledger.pay('a', 10n)).toBeUndefined()
    expect(await ledger.pay('b', 5n, TOKEN)).toBeUndefined()
    expect(await ledger.pay('c', 1n, TOKEN)).toMatchObject({ amount: 5n })
    expect(await ledger.pay('d', 1_000n, formatID(new Uint8Array(32).fill(8)))).toBeUndefined()
  })
})

describe('a payment that is made again', () => {
  it('pays no more of a limited asset than its record says, whatever it pays of others', async () => {
    const ledger = new Ledger(policyOf({ sums: [{ assetID: AVAX, amount: 100n, seconds: 60 }] }))
    const pay = (token: bigint, avax: bigint) =>
      ledger.claim('a', [
        [TOKEN, token],
        [AVAX, avax],
      ])
    expect(await pay(5n, 60n)).toBeUndefined()
    ledger.end(0, 'rejected')
    await expect(pay(6n, 61n)).rejects.toMatchObject({
      code: 'POLICY_SUM',
      message: 'refused to sign: pays 0.000000061 AVAX, more than the record of "a" says',
    })
    expect(await pay(6n, 60n)).toBeUndefined()
    expect(await pay(4n, 59n)).toBeUndefined()
  })
})

describe('a transaction that is submitted under another key', () => {
  const policy = policyOf({ sums: [{ assetID: AVAX, amount: 1_000n, seconds: 60 }] })
  const draft = transfer(coins(owners(1, 0)), {
    outputs: [{ assetID: local.assetID, output: paying(9_000n, owners(1, 5)) }],
  })
  const accept = ['BURN', 'HIGH_FEE', 'FEE_ABOVE_KNOWN'] as never
  const { signedTx } = requireSigned(signDraft(draft, keysOf(0), { accept }))
  const digest = new Uint8Array(32).fill(3)
  const claim = (record: RecordedPayment) =>
    policy.sums!.claim({
      store: {
        list: async function* () {
          yield record
        },
      },
      now: 100n,
      context: local,
      effect: { signedTx, ours: keysOf(0).addresses },
      payments: [{ key: 'b', digest, content: new Uint8Array() }],
      content: { decode: () => undefined, withLeaves: (content) => content },
    })

  it('counts once if it can still be accepted, or was within the time', async () => {
    await claim({ key: 'a', status: 'pending', digest })
    await claim({ key: 'a', status: 'accepted', digest, endedAt: 40n })
  })

  it('counts if it was rejected before, or is another one', async () => {
    for (const record of [
      { key: 'a', status: 'rejected', digest, endedAt: 90n },
      { key: 'a', status: 'pending', digest: new Uint8Array(32) },
    ] as const)
      await expect(claim(record)).rejects.toMatchObject({ code: 'POLICY_SUM' })
  })
})

describe('a signer without a record of payments', () => {
  const sums = [{ assetID: AVAX, amount: 1_000n, seconds: 86_400 }]
  const policy = policyOf({ sums })
  const mine = owners(1, 0)
  const paying9 = (to: ReturnType<typeof owners>) =>
    transfer(coins(mine), {
      outputs: [{ assetID: local.assetID, output: paying(9_000_000_000n, to) }],
    })
  const draft = { ...paying9(owners(1, 5)) }

  it('refuses unless the danger is accepted, which its explanation states', () => {
    const accept = ['BURN', 'HIGH_FEE'] as const
    const { warnings } = explainDraft(draft, { ours: keysOf(0), policy })
    expect(warnings.find(({ code }) => code === 'UNCHECKED_SUM')).toMatchObject({
      danger: true,
      message: expect.stringContaining('0.000001 AVAX within 86400 s'),
    })
    const sign = (codes: readonly string[]) =>
      signDraft(draft, keysOf(0), { policy, accept: codes as never })
    expect(() => sign(accept)).toThrow(expect.objectContaining({ code: 'UNCHECKED_SUM' }))
    expect(sign([...accept, 'UNCHECKED_SUM']).complete).toBe(true)
    const request = proven(draft)
    expect(
      explainRequest(request, { ours: keysOf(0), policy }).warnings.map(({ code }) => code),
    ).toContain('UNCHECKED_SUM')
    expect(() => signRequest(request, keysOf(0), { policy, accept })).toThrow(
      expect.objectContaining({ code: 'UNCHECKED_SUM' }),
    )
  })

  it('has nothing to check if nothing leaves, or other assets do', () => {
    const codes = (one: typeof draft, given: ParsedPolicy) =>
      explainDraft(one, { ours: keysOf(0), policy: given }).warnings.map(({ code }) => code)
    const returning = transfer(coins(mine), {
      outputs: [{ assetID: local.assetID, output: paying(10_000_000_000n - local.txFee, mine) }],
    })
    expect(codes(returning, policy)).not.toContain('UNCHECKED_SUM')
    const other = policyOf({ sums: [{ assetID: TOKEN, amount: 1n, seconds: 1 }] })
    expect(codes(draft, other)).not.toContain('UNCHECKED_SUM')
  })
})

describe('the file', () => {
  const sum = { assetID: AVAX, amount: 5n, seconds: 60 }
  const fileOf = (sums: unknown) =>
    JSON.stringify({ format: 'avmkit-policy', version: 1, ...base, sums })

  it('keeps sums in any order, and its checksum covers them', () => {
    const other = { assetID: TOKEN, amount: 5n, seconds: 60 }
    const [one, two] = [policyOf({ sums: [sum, other] }), policyOf({ sums: [other, sum] })]
    expect(one.checksum).toBe(two.checksum)
    expect(parsePolicy(formatPolicy(one.rules)).rules).toEqual(
      parsePolicy(formatPolicy(two.rules)).rules,
    )
    const checksums = [
      policyOf({}),
      policyOf({ sums: [sum] }),
      policyOf({ sums: [{ ...sum, amount: 6n }] }),
      policyOf({ sums: [{ ...sum, seconds: 61 }] }),
      policyOf({ sums: [{ ...sum, assetID: TOKEN }] }),
    ].map(({ checksum }) => checksum)
    expect(new Set(checksums).size).toBe(5)
    expect(policyOf({}).sums).toBeUndefined()
    expect(one.sums!.limits).toMatchObject(
      [sum, other].map(({ amount, seconds }) => ({ amount, seconds })),
    )
  })

  it('is refused with sums that are malformed, repeated or too many', () => {
    const text = { ...sum, amount: '5' }
    expect(parsePolicy(fileOf([text])).rules.sums).toEqual([sum])
    for (const [sums, path] of [
      [text, 'sums'],
      [[{ ...text, amount: 5 }], 'sums[0].amount'],
      [[{ ...text, amount: '-5' }], 'sums[0].amount'],
      [[{ ...text, seconds: 0 }], 'sums[0].seconds'],
      [[{ ...text, seconds: 1.5 }], 'sums[0].seconds'],
      [[{ ...text, seconds: 315_360_001 }], 'sums[0].seconds'],
      [[{ ...text, assetID: 'AVAX' }], 'sums[0].assetID'],
      [[{ ...text, days: 1 }], 'sums[0].days'],
      [[{ amount: '5', seconds: 1 }], 'sums[0].assetID'],
      [[text, { ...text, amount: '6' }], 'sums'],
      [Array.from({ length: 101 }, (_, i) => ({ ...text, seconds: i + 1 })), 'sums'],
    ] as const)
      expect(() => parsePolicy(fileOf(sums))).toThrow(expect.objectContaining({ path }))
  })
})
