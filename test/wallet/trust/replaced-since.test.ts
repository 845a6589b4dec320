import { describe, expect, it } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { keyChainSigner } from '../../../src/core/sign/signers.ts'
import type { Wallet, WalletOptions } from '../../../src/wallet/index.ts'
import { type Claim, memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { errorFor, resultFor } from '../requests.ts'
import { addressOf, balanceOf, fee, people, scene } from '../setup.ts'

const [me, you, other, third] = people as [KeyChain, KeyChain, KeyChain, KeyChain]
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

/** A store, and a copy of it that gets all changes until `stop` is called. */
async function copied(): Promise<{ store: Store; backup: Store; stop: () => void }> {
  const [store, backup] = [memoryStore(), memoryStore()]
  let isCopied = true
  const changed = async <T>(change: (store: Store) => Promise<T>): Promise<T> => {
    if (isCopied) await change(backup)
    return change(store)
  }
  const both: Store = {
    ...store,
    // Also tells which blocks were applied.
    bind: (one) => changed((of) => of.bind(one)),
    claim: (one) => changed((of) => of.claim(one)),
    cancel: (key) => changed((of) => of.cancel(key)),
    recordAcceptance: (one) => changed((of) => of.recordAcceptance(one)),
  }
  const bind: Store['bind'] = async (one) => {
    const { id } = (await store.bind(one))!
    return { ...(await backup.bind(one))!, id }
  }
  const stop = () => {
    isCopied = false
  }
  return { store: both, backup: { ...backup, bind }, stop }
}

/** A payment whose first attempt paid too little, so that it was replaced after the backup. */
async function replacedSince(
  pay = (mine: Wallet) => mine.transfer(payment, { key: 'a' }),
  own: Partial<WalletOptions> = {},
) {
  let asked = 0
  const { node, wallet } = await scene({
    intercept: (call, next) =>
      call.method === 'avm.getTxFee' && asked++ === 0
        ? resultFor(call, { txFee: '500000', createAssetTxFee: '500000' })
        : next(),
  })
  for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
  const { store, backup } = await backedUp()
  const { txID } = await pay(wallet({ ...own, store }))
  return { node, mine: wallet({ ...own, store: backup }), txID }
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

  describe('with a batch', () => {
    const two = { outputs: [payment, { to: addressOf(other), amount: 6n }] }
    const both = () => replacedSince((mine) => mine.transfer(two, { keys: ['b', 'a'] }))

    it('does not report one of its payments as canceled', async () => {
      const { mine, txID } = await both()
      await mine.resume()
      expect(await mine.cancel('a')).toEqual({ status: 'accepted', txID })
      expect(await mine.payments(['a', 'b'])).toMatchObject([
        { status: 'accepted', txID },
        { status: 'accepted', txID },
      ])
    })

    it('returns its receipt for one of its payments', async () => {
      const { node, mine, txID } = await both()
      await mine.resume()
      expect(await mine.transfer(two.outputs[1]!, { key: 'a' })).toMatchObject({ txID })
      expect(await balanceOf(node, other)).toBe(6n)
    })

    it('returns its receipt whatever the order of its keys', async () => {
      const { node, mine, txID } = await both()
      await mine.resume()
      const reversed = { outputs: two.outputs.toReversed() }
      expect(await mine.transfer(reversed, { keys: ['a', 'b'] })).toMatchObject({ txID })
      expect(await balanceOf(node, other)).toBe(6n)
    })

    it('does not pay what it has made together with something else', async () => {
      const { node, mine, txID } = await both()
      await mine.resume()
      const more = { outputs: [payment, { to: addressOf(third), amount: 7n }] }
      await expect(mine.transfer(more, { keys: ['b', 'c'] })).rejects.toMatchObject({
        code: 'PAYMENT_MAYBE_MADE',
        keys: ['b'],
        txID,
      })
      expect(await balanceOf(node, you)).toBe(5n)
      expect(await balanceOf(node, third)).toBe(0n)
    })
  })

  it('says that the payment may be made if an external signer has signed', async () => {
    const { node, mine, txID } = await replacedSince(undefined, {
      keys: undefined,
      signers: [keyChainSigner(me)],
    })
    await mine.resume()
    const maybe = { code: 'PAYMENT_MAYBE_MADE', keys: ['a'], txID }
    await expect(mine.cancel('a')).rejects.toMatchObject(maybe)
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(maybe)
    expect(await balanceOf(node, you)).toBe(5n)
  })
})

/** A scene whose node can refuse all transactions. */
async function refusingScene(funds = 3n * fee) {
  const node = { refuses: false }
  const made = await scene({
    intercept: (call, next) =>
      node.refuses && call.method === 'avm.issueTx' ? errorFor(call, 'insufficient funds') : next(),
  })
  for (let i = 0; i < 3; i++) made.node.fund(addressOf(me), funds)
  /** Makes a payment that stays pending. */
  const pend = async (mine: Wallet) => {
    node.refuses = true
    const limited = { key: 'a', wait: { timeoutMs: 1000 } }
    await expect(mine.transfer(payment, limited)).rejects.toMatchObject({ code: 'TX_PENDING' })
    node.refuses = false
  }
  const cancelPending = async (mine: Wallet) => {
    await pend(mine)
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
  }
  return { ...made, pend, cancelPending }
}

it('an older copy of a store cancels a payment that was rejected by what cannot have made it', async () => {
  const { node, wallet, cancelPending } = await refusingScene()
  const { store, backup } = await backedUp()
  const external = { keys: undefined, signers: [keyChainSigner(me)] }
  await cancelPending(wallet({ ...external, store }))
  const mine = wallet({ ...external, store: backup })
  expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
  expect(await balanceOf(node, you)).toBe(0n)
})

it('an older copy of a store does not say that a payment is canceled that was made again since', async () => {
  const { node, wallet, cancelPending } = await refusingScene()
  const { store, backup, stop } = await copied()
  const first = wallet({ store })
  await first.transfer({ to: addressOf(other), amount: 1n }, { key: 'earlier' })
  await cancelPending(first)
  stop()
  const { txID } = await first.transfer(payment, { key: 'a' })
  expect(await wallet({ store: backup }).cancel('a')).toEqual({ status: 'accepted', txID })
  expect(await balanceOf(node, you)).toBe(5n)
})

it('an older copy of a store records what was made again since, however many transactions follow', async () => {
  const { node, wallet, pend } = await refusingScene(30n * fee)
  const { store, backup, stop } = await copied()
  const first = wallet({ store })
  await first.transfer({ to: addressOf(other), amount: 1n }, { key: 'earlier' })
  await pend(first)
  stop()
  await first.cancel('a')
  const { txID } = await first.transfer(payment, { key: 'a' })
  for (let i = 0; i < 20; i++) await first.sendAll({ to: addressOf(me) })
  const mine = wallet({ store: backup })
  expect(await mine.transfer(payment, { key: 'a' })).toMatchObject({ txID })
  expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted', txID }])
  expect(await balanceOf(node, you)).toBe(5n)
})

it('a payment is canceled whatever the same keys have paid with another store', async () => {
  const { node, wallet, pend } = await refusingScene()
  const store = memoryStore()
  const mine = wallet({ store })
  await pend(mine)
  const excluded: UTXOID[] = []
  for await (const { inputs } of store.attempts()) excluded.push(...inputs)
  await wallet().transfer({ ...payment, choose: { excluded } }, { key: 'a' })
  expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
  expect(await balanceOf(node, you)).toBe(5n)
})
