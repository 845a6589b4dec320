import { describe, expect, it } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { type Claim, memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { resultFor } from '../requests.ts'
import { addressOf, balanceOf, fee, people, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

/** A store, and a copy of it that has only the first claim. */
async function backedUp(): Promise<{ readonly store: Store; readonly backup: Store }> {
  const [store, backup] = [memoryStore(), memoryStore()]
  const binding = { networkID: networks.local.networkID, chainID: networks.local.chainID }
  const known = await store.bind(binding)
  await backup.bind(binding)
  let claims = 0
  const claim = async (one: Claim) => {
    await store.claim(one)
    if (claims++ === 0) await backup.claim(one)
  }
  const bind: Store['bind'] = async (one) => ({ ...(await backup.bind(one))!, id: known!.id })
  return { store: { ...store, claim }, backup: { ...backup, bind } }
}

/** A payment whose first attempt paid too little, so that it was replaced after the backup. */
async function replacedSince() {
  let asked = 0
  const { node, wallet } = await scene({
    intercept: (call, next) =>
      call.method === 'avm.getTxFee' && asked++ === 0
        ? resultFor(call, { txFee: '500000', createAssetTxFee: '500000' })
        : next(),
  })
  for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
  const { store, backup } = await backedUp()
  const { txID } = await wallet({ store }).transfer(payment, { key: 'a' })
  return { node, mine: wallet({ store: backup }), txID }
}

describe('an older copy of a store with an attempt that was replaced since', () => {
  it('returns the receipt of the later attempt', async () => {
    const { node, mine, txID } = await replacedSince()
    expect(await mine.transfer(payment, { key: 'a' })).toMatchObject({ txID })
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted', txID }])
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('does so after a fence', async () => {
    const { node, mine, txID } = await replacedSince()
    const { unrecorded } = await mine.recover({ fromHeight: 1n, fence: true })
    expect(unrecorded.map((one) => one.txID)).toContainEqual(txID)
    expect(await mine.transfer(payment, { key: 'a' })).toMatchObject({ txID })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('does not report the payment as canceled', async () => {
    const { mine, txID } = await replacedSince()
    await mine.resume()
    expect(await mine.cancel('a')).toEqual({ status: 'accepted', txID })
  })
})
