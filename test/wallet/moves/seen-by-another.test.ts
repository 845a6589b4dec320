import { expect, it } from 'vitest'
import { formatAddress } from '../../../src/core/base/encoding/address.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { resultFor } from '../requests.ts'
import { AVAX, moveScene, stranger } from './setup.ts'

it('an export is not the end of its move for a wallet that only knew the UTXOs it spends as evidence', async () => {
  let isWithheld = true
  let isListed = true
  const { wallet, ledger } = await moveScene({
    store: memoryStore(),
    intercept: (call, next) => {
      if (call.method === 'avm.issueTx' && isWithheld) return resultFor(call, { txID: call.txID })
      if (call.method === 'platform.getUTXOs' && !isListed)
        return resultFor(call, { numFetched: '0', utxos: [], endIndex: { address: '', utxo: '' } })
      return next()
    },
  })
  const wait = { timeoutMs: 30_000 }
  const other = wallet({ wait })
  const to = formatAddress({ chain: 'X', hrp: 'local', address: stranger.addresses[0]! })
  await expect(
    other.transfer({ to, amount: 70n * AVAX }, { key: 'a', wait: { timeoutMs: 500 } }),
  ).rejects.toMatchObject({ code: 'TX_PENDING' })
  isWithheld = false
  expect(await other.cancel('a')).toMatchObject({ status: 'canceled' })
  // The export spends the outputs of the cancellation, and its process stops before the import.
  isListed = false
  const call = { from: 'X', to: 'P', amount: 95n * AVAX } as const
  await expect(
    wallet({ wait: { timeoutMs: 2000 } }).move(call, { key: 'm' }),
  ).rejects.toMatchObject({ code: 'MOVE_UNFINISHED' })
  // The other process reads the block.
  await other.balances()
  expect(await wallet().payments(['m'])).toMatchObject([{ status: 'pending' }])
  isListed = true
  await wallet({ wait }).move(call, { key: 'm' })
  expect(await ledger.balance('P')).toBeGreaterThan(190n * AVAX)
})
