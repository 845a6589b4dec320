import { describe, expect, it } from 'vitest'
import { addressOf, balanceOf, fee } from '../setup.ts'
import { type Behavior, badServer } from './bad-servers.ts'
import {
  inReplacedTime,
  type Position,
  replacedClock,
  TOTAL,
  type TrustScene,
  trustScene,
  you,
} from './setup.ts'

/** An honest server that takes so long for every answer. */
function slowServer(ms: number): Behavior {
  return ({ clock }) =>
    async (_, next) => {
      await clock.sleep(ms)
      return next()
    }
}

const BAD = [
  ['says that nothing is found', 7_000],
  ['has no blocks', 9_000],
  ['leaves out all UTXOs', 3_000],
  ['serves three forged blocks', 3_000],
] as const

const POSITIONS: readonly (readonly [bad: Position, slow: Position])[] = [
  ['first', 'second'],
  ['first', 'third'],
  ['third', 'first'],
]

/** Pays, and reads balances until they include the change. */
async function payAndWait({ wallet, clock }: TrustScene): Promise<void> {
  const mine = wallet({ wait: { timeoutMs: 240_000 } })
  await mine.transfer({ to: addressOf(you), amount: 5n }, { key: 'a' })
  for (let tries = 0; ; tries++) {
    const [balance] = await mine.balances()
    if (balance?.spendable === TOTAL - fee - 5n) return
    expect(tries).toBeLessThan(60)
    await clock.sleep(1_000)
  }
}

describe('with one honest server that is fast and one that is slow', () => {
  for (const [behavior, ms] of BAD)
    for (const [bad, slow] of POSITIONS)
      it(`a payment ends if the ${bad} ${behavior}: the ${slow} takes ${ms} ms`, async () => {
        const servers = { [bad]: badServer(behavior), [slow]: slowServer(ms) }
        const at = await trustScene(servers, { clock: replacedClock })
        await inReplacedTime(() => payAndWait(at))
        expect(await balanceOf(at.node, you)).toBe(5n)
      })
})
