import { fc } from '@fast-check/vitest'
import { expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { createdUTXOs } from '../../../src/core/chain/x/created.ts'
import { accountFromMnemonic } from '../../../src/core/crypto/hd/account.ts'
import { memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { runs } from '../../helpers/runs.ts'
import { addressOf, balanceOf, direct, fee, people, scene } from '../setup.ts'

const account = accountFromMnemonic(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
)
const you = people[1]!
/** More than the payments that can be pending at once, so that each has a change address of its own. */
const GAP = 8
const UTXOS = 8

/** A process that ends before or after a call of the store: the write of indexes, the claim, or any call by its number. */
type Kill = { readonly at: 'indexes' | 'claim' | 'none' | number; readonly after: boolean }

/** A store whose process is killed at a call: this call and all later ones fail. */
function killing(store: Store, { at, after }: Kill): Store {
  let isDead = false
  let calls = 0
  const guarded = async <T>(isHere: boolean, call: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Error('killed')
    if (!isHere && calls++ !== at) return call()
    isDead = true
    if (after) await call()
    throw new Error('killed')
  }
  return {
    ...store,
    bind: (binding) =>
      guarded(at === 'indexes' && binding.indexes !== undefined, () => store.bind(binding)),
    claim: (claim) => guarded(at === 'claim', () => store.claim(claim)),
    assertOwned: () => guarded(false, () => store.assertOwned()),
    recordAcceptance: (acceptance) => guarded(false, () => store.recordAcceptance(acceptance)),
    payments: (keys) => guarded(false, () => store.payments(keys)),
  }
}

const kill: fc.Arbitrary<Kill> = fc.record({
  at: fc.oneof(
    fc.constantFrom('indexes' as const, 'claim' as const, 'none' as const),
    fc.nat({ max: 16 }),
  ),
  after: fc.boolean(),
})

it('an account loses nothing and uses no change address twice, killed at any claim', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(kill, { minLength: 2, maxLength: 6 }),
      fc.boolean(),
      async (kills, late) => {
        const here = await scene()
        const store = memoryStore()
        const first = account.watch.address({ change: 0, index: 0 })
        for (let i = 0; i < UTXOS; i++)
          here.node.fund(addressOf({ addresses: [first] } as unknown as typeof you), 100n * fee)
        const open = (own: Store) =>
          here.wallet({ keys: undefined, account, freshChange: true, gapLimit: GAP, store: own })
        const unfinished: (() => Promise<unknown>)[] = []
        for (const [i, one] of kills.entries()) {
          const key = `payment ${i}`
          const pay = (own: Store) =>
            open(own).transfer({ to: addressOf(you), amount: 5n }, { key })
          await pay(killing(store, one)).catch(() => {})
          if (!late) await pay(store)
          else unfinished.push(() => pay(store))
        }
        // If late, a killed process has left its claim pending while others paid.
        for (const finish of unfinished) await finish()
        const { length } = kills
        expect(await balanceOf(here.node, you)).toBe(5n * BigInt(length))
        // Of a new process, and of one that has only the mnemonic.
        const left = BigInt(UTXOS) * 100n * fee - BigInt(length) * (fee + 5n)
        for (const wallet of [open(store), open(memoryStore())]) {
          const balances = await wallet.balances()
          expect(balances.map((balance) => balance.spendable)).toEqual([left])
        }
        const client = direct(here.node)
        const paid: string[] = []
        for (let height = 1n; height <= (await client.avm.getHeight({})); height++) {
          const { txs } = await client.avm.getBlockByHeight({ height })
          for (const tx of txs)
            for (const { output } of createdUTXOs(tx))
              paid.push(...output.addresses.map(hex.encode))
        }
        const indexes = Array.from({ length: 16 }, (_, index) => {
          const address = hex.encode(account.watch.address({ change: 1, index }))
          return paid.filter((one) => one === address).length
        })
        expect(Math.max(...indexes)).toBe(1)
        expect(indexes.filter((count) => count === 1)).toHaveLength(length)
        // A search from the words alone reaches each one from the one before it.
        const found = indexes.flatMap((count, index) => (count === 1 ? [index] : []))
        for (const [i, index] of found.entries())
          expect(index - (found[i - 1] ?? -1)).toBeLessThanOrEqual(GAP)
        await here.node.close()
      },
    ),
    runs(20),
  )
})
