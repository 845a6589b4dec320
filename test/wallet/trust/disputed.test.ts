import { describe, expect, it } from 'vitest'
import type { BatchResult, Wallet } from '../../../src/wallet/index.ts'
import { AVAX, addressOf, balanceOf, fee, utxosOf } from '../setup.ts'
import { badServer } from './bad-servers.ts'
import {
  AMOUNTS,
  EXPORTED_TOTAL,
  me,
  POSITIONS,
  type Position,
  SERVERS,
  TOTAL,
  type TrustScene,
  trustScene,
  UNIT,
  urls,
  you,
} from './setup.ts'

const to = addressOf(you)
const OMITS = badServer('leaves out some UTXOs')
const OMITS_ALL = badServer('leaves out all UTXOs')
const DOWN = badServer('refuses connections')

/** Which server leaves UTXOs out and which cannot be reached; the remaining one is honest. */
const ORDERS: readonly (readonly [omits: Position, down: Position])[] = POSITIONS.flatMap((omits) =>
  POSITIONS.filter((down) => down !== omits).map((down) => [omits, down] as const),
)

/** The amount that `leaves out some UTXOs` leaves out: every second UTXO. */
async function omitted({ node }: TrustScene): Promise<bigint> {
  const amounts = (await utxosOf(node, me)).map(({ output }) =>
    'amount' in output ? output.amount : 0n,
  )
  expect(amounts).toHaveLength(AMOUNTS.length)
  return amounts.filter((_, i) => i % 2 === 0).reduce((a, b) => a + b)
}

/** Some of them, for calls that read the same as a sweep. */
const SOME_ORDERS: typeof ORDERS = [
  ['first', 'second'],
  ['third', 'first'],
]

/** What is disputed. Each entry must name a server; nothing else may be left behind. */
function disputedIn(leftBehind: BatchResult['leftBehind']): bigint {
  for (const entry of leftBehind) {
    expect(entry).toMatchObject({ reason: 'disputed', assetID: AVAX })
    const named = [...(entry.listedBy ?? []), ...(entry.missingFrom ?? [])]
    expect(SERVERS.some((name) => named.includes(name))).toBe(true)
  }
  return leftBehind.reduce((sum, { amount }) => sum + amount, 0n)
}

/** What a call says to be disputed: its error, or members of its result. */
async function said(call: Promise<unknown>): Promise<bigint | 'fails'> {
  type Result = { readonly leftBehind?: BatchResult['leftBehind']; readonly disputed?: bigint }
  const result = await call.then(
    (value) => value as Result | readonly Result[],
    (error) => {
      expect(error).toMatchObject({ code: expect.any(String) })
      return undefined
    },
  )
  if (result === undefined) return 'fails'
  if ('leftBehind' in result) return disputedIn(result.leftBehind ?? [])
  return [result].flat().reduce((sum, { disputed = 0n }) => sum + disputed, 0n)
}

describe('with one server that lists UTXOs, one that does not and one that cannot be reached', () => {
  for (const [omits, down] of ORDERS) {
    const name = `the ${omits} leaves out, the ${down} is down`

    it(`sweep reports the disputed UTXOs and moves the others: ${name}`, async () => {
      const at = await trustScene({ [omits]: OMITS, [down]: DOWN })
      const amount = await omitted(at)
      const { leftBehind, moved } = await at.wallet().sweep({ to })
      expect(disputedIn(leftBehind)).toBe(amount)
      expect(moved).toEqual([{ assetID: AVAX, amount: TOTAL - amount - fee }])
      expect(await balanceOf(at.node, me)).toBe(amount)
    })
  }

  for (const [omits, down] of SOME_ORDERS) {
    const name = `the ${omits} leaves out, the ${down} is down`

    it(`a plan of a sweep reports them: ${name}`, async () => {
      const at = await trustScene({ [omits]: OMITS, [down]: DOWN })
      const { leftBehind } = await at.wallet().prepare.sweep({ to })
      expect(disputedIn(leftBehind)).toBe(await omitted(at))
    })

    it(`consolidate and import report them: ${name}`, async () => {
      const at = await trustScene({ [omits]: OMITS_ALL, [down]: DOWN })
      const merged = await at.wallet().consolidate()
      expect([merged.txIDs, disputedIn(merged.leftBehind)]).toEqual([[], TOTAL])
      const imported = await at.wallet().import({ sourceChain: 'P' })
      expect([imported.txIDs, disputedIn(imported.leftBehind)]).toEqual([[], EXPORTED_TOTAL])
      expect(await balanceOf(at.node, me)).toBe(TOTAL)
    })

    it(`sendAll and balances do not pass for complete: ${name}`, async () => {
      const at = await trustScene({ [omits]: OMITS, [down]: DOWN })
      const amount = await omitted(at)
      expect(['fails', amount]).toContain(await said(at.wallet().balances()))
      expect(['fails', amount]).toContain(await said(at.wallet().sendAll({ to })))
      expect(await balanceOf(at.node, me)).toBeGreaterThanOrEqual(amount)
    })

    it(`transfer spends only what is agreed: ${name}`, async () => {
      const at = await trustScene({ [omits]: OMITS, [down]: DOWN })
      const agreed = TOTAL - (await omitted(at))
      const mine = at.wallet()
      await expect(mine.transfer({ to, amount: agreed })).rejects.toMatchObject({
        code: 'BUILDER_INSUFFICIENT_FUNDS',
      })
      await mine.transfer({ to, amount: agreed - fee })
      expect(await balanceOf(at.node, you)).toBe(agreed - fee)
    })
  }
})

describe('UTXOs that only one of two reachable servers lists', () => {
  for (const [bad, down] of ORDERS)
    it(`are not spent if they were spent long ago: the ${bad} lists them, the ${down} is down`, async () => {
      const stale = badServer('lists UTXOs that were spent long ago')
      const at = await trustScene({ [bad]: stale, [down]: DOWN })
      const { leftBehind, moved } = await at.wallet().sweep({ to })
      expect(moved).toEqual([{ assetID: AVAX, amount: TOTAL - fee }])
      expect(disputedIn(leftBehind)).toBe(100n * UNIT)
    })

  it('are swept once the third server can be reached', async () => {
    const at = await trustScene({ first: OMITS_ALL, third: DOWN })
    const mine = at.wallet()
    expect(disputedIn((await mine.sweep({ to })).leftBehind)).toBe(TOTAL)
    at.setBad(false)
    expect(await mine.sweep({ to })).toMatchObject({ utxoCount: AMOUNTS.length, leftBehind: [] })
    expect(await balanceOf(at.node, you)).toBe(TOTAL - fee)
  })

  it('are swept if the third server fails only for a moment', async () => {
    let failures = 0
    const at = await trustScene({
      first: OMITS_ALL,
      second: () => (_, next) => (failures++ < 2 ? new Response('', { status: 503 }) : next()),
    })
    expect(await at.wallet().sweep({ to })).toMatchObject({ leftBehind: [] })
    expect(await balanceOf(at.node, you)).toBe(TOTAL - fee)
  })

  for (const position of ['first', 'second'] as const)
    it(`are disputed with two servers and a quorum of 2: the ${position} leaves out`, async () => {
      const at = await trustScene({ [position]: OMITS_ALL }, { url: urls.slice(0, 2) })
      const { txIDs, leftBehind } = await at.wallet().sweep({ to })
      expect([txIDs, disputedIn(leftBehind)]).toEqual([[], TOTAL])
    })
})

describe('with a single server that can be reached', () => {
  const calls: {
    readonly [name: string]: readonly [bigint, (wallet: Wallet) => Promise<unknown>]
  } = {
    sweep: [TOTAL, (wallet) => wallet.sweep({ to })],
    sendAll: [TOTAL, (wallet) => wallet.sendAll({ to })],
    import: [EXPORTED_TOTAL, (wallet) => wallet.import({ sourceChain: 'P' })],
    consolidate: [TOTAL, (wallet) => wallet.consolidate()],
    balances: [TOTAL, (wallet) => wallet.balances()],
  }
  for (const [name, [amount, call]] of Object.entries(calls))
    for (const position of POSITIONS)
      it(`${name} does not pass for complete and signs nothing: it is the ${position}`, async () => {
        const others = POSITIONS.filter((other) => other !== position)
        const at = await trustScene(Object.fromEntries(others.map((other) => [other, DOWN])))
        const confirm = () => {
          throw new Error('asked to sign')
        }
        const mine = at.wallet({ confirm, wait: { timeoutMs: 20_000 } })
        expect(['fails', amount]).toContain(await said(call(mine)))
        expect(at.requests.map(({ method }) => method)).not.toContain('avm.issueTx')
      })
})
