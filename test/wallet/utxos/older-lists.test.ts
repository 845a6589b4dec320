import { expect, it } from 'vitest'
import { createWallet, type Wallet } from '../../../src/wallet/index.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { addressOf, direct } from '../setup.ts'
import type { Behavior } from '../trust/bad-servers.ts'
import { me, trustScene, you } from '../trust/setup.ts'

it('UTXOs that are spent while servers list them do not return to the set', async () => {
  let spend: (() => Promise<unknown>) | undefined
  // All servers answer truly, but a block is accepted, and read, before their answers arrive.
  const late: Behavior =
    ({ clock }) =>
    ({ method }, next) =>
      method !== 'avm.getUTXOs' || spend === undefined
        ? next()
        : next().then(async (reply) => {
            await clock.sleep(100)
            const first = spend
            spend = undefined
            await first?.()
            return reply
          })
  const { node, wallet } = await trustScene({ first: late, second: late, third: late })
  // A set remembers what was removed from it; this wallet has never had what is spent.
  const mine = wallet()
  const other = createWallet({ client: direct(node), keys: me, clock: virtualClock() })
  const spendable = async (of: Wallet) => (await of.balances())[0]!.spendable
  const amount = (await spendable(other)) / 2n
  spend = () => other.transfer({ to: addressOf(you), amount })
  await mine.balances({ sourceChain: 'P' })
  expect(spend).toBeUndefined()
  expect(await spendable(mine)).toBe(await spendable(other))
  expect(await mine.checkUTXOs()).toEqual({ missing: [], extra: [] })
})
