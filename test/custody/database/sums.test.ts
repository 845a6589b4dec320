import { expect, it, vi } from 'vitest'
import { databaseStore } from '../../../src/custody/database/store.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import type { Store } from '../../../src/wallet/store/index.ts'
import { limited, me, policyOf, refusal, you } from '../../wallet/payments/limited.ts'
import { addressOf } from '../../wallet/setup.ts'
import { newDatabase } from '../postgres.ts'

it('a wallet on the tables counts payments with and without keys for the sums of its policy', async () => {
  const { node } = await limited()
  // The clock of the database is a real one.
  vi.restoreAllMocks()
  const fetch: typeof node.fetch = (url, init) => node.fetch(url, init)
  const client = createNodeClient({ url: 'http://node.test', fetch })
  const database = await newDatabase()
  const open = (store: Store) =>
    createWallet({ client, keys: me, store, signing: { policy: policyOf() } })
  const to = addressOf(you)
  const mine = open(databaseStore(database))
  await mine.transfer({ to, amount: 30n })
  await mine.transfer({ to, amount: 40n }, { key: 'a' })
  const both = [20n, 20n].map((amount) => mine.transfer({ to, amount }))
  const ends = (await Promise.allSettled(both)).map(({ status }) => status)
  expect(ends.toSorted()).toEqual(['fulfilled', 'rejected'])
  const again = open(databaseStore(database))
  expect((await refusal(again.transfer({ to, amount: 11n }))).sum).toMatchObject({ used: 90n })
  await again.transfer({ to, amount: 10n })
})
