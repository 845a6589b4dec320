import { fc } from '@fast-check/vitest'
import { expect, it } from 'vitest'
import { accountFromMnemonic } from '../../../src/core/crypto/hd/account.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { runs } from '../../helpers/runs.ts'
import { addressOf, type people, scene } from '../setup.ts'

const account = accountFromMnemonic(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
)
const at = (change: number, index: number) =>
  addressOf({
    addresses: [account.watch.address({ change, index })],
  } as unknown as (typeof people)[0])

/** A payment to a position of the account, before or after the wallet is opened. */
type Deposit = { readonly change: number; readonly index: number; readonly isLater: boolean }

const deposit: fc.Arbitrary<Deposit> = fc.record({
  change: fc.nat({ max: 1 }),
  index: fc.nat({ max: 24 }),
  isLater: fc.boolean(),
})

/** The indexes that can be found: each at most `gap` after the one before it, or after the beginning. */
function reachable(deposits: readonly Deposit[], change: number, gap: number): number[] {
  const indexes = new Set(deposits.filter((one) => one.change === change).map(({ index }) => index))
  const found: number[] = []
  for (const index of [...indexes].sort((a, b) => a - b))
    if (index <= (found.at(-1) ?? -1) + gap) found.push(index)
  return found
}

it('a wallet finds what is within the gap, in whatever order it was paid, and receives after it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(deposit, { maxLength: 8 }),
      fc.integer({ min: 1, max: 8 }),
      async (deposits, gapLimit) => {
        const here = await scene()
        const store = memoryStore()
        const open = () => here.wallet({ keys: undefined, account, gapLimit, store })
        const pay = (isLater: boolean) => {
          for (const one of deposits)
            if (one.isLater === isLater) here.node.fund(at(one.change, one.index), 1n)
        }
        pay(false)
        const wallet = open()
        await wallet.balances()
        pay(true)
        const [receive, change] = [0, 1].map((branch) => reachable(deposits, branch, gapLimit))
        const isFound = ({ change: branch, index }: Deposit) =>
          [receive, change][branch]!.includes(index)
        // A wallet that was open meanwhile, one that opens now, and one that knows only the words.
        for (const one of [wallet, open(), here.wallet({ keys: undefined, account, gapLimit })]) {
          const used = (await one.addresses()).filter(({ isUsed }) => isUsed)
          // More addresses are watched than the gap demands, so that more may be found, but only what was paid.
          const indexes = (name: string) =>
            used.filter(({ branch }) => branch === name).map(({ index }) => index!)
          expect(indexes('receive')).toEqual(expect.arrayContaining(receive!))
          expect(indexes('change')).toEqual(expect.arrayContaining(change!))
          for (const { branch, index } of used)
            expect(deposits).toContainEqual(
              expect.objectContaining({ change: branch === 'change' ? 1 : 0, index }),
            )
          const total = (await one.balances()).reduce((sum, { spendable }) => sum + spendable, 0n)
          expect(total).toBeGreaterThanOrEqual(BigInt(deposits.filter(isFound).length))
          expect(total).toBe(
            BigInt(
              deposits.filter((d) =>
                indexes(d.change === 1 ? 'change' : 'receive').includes(d.index),
              ).length,
            ),
          )
          const last = indexes('receive').at(-1) ?? -1
          expect(await one.receiveAddress()).toBe(at(0, last + 1))
        }
        await here.node.close()
      },
    ),
    runs(60),
  )
})
