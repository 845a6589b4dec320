import { describe, expect, it } from 'vitest'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import { decodeTx, encodeTx } from '../../../src/core/chain/x/tx.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { Wallet } from '../../../src/wallet/index.ts'
import { type Confirm, createWallet } from '../../../src/wallet/index.ts'
import { memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { errorFor, resultFor } from '../requests.ts'
import {
  addressOf,
  balanceOf,
  direct,
  fee,
  people,
  produceBlocks,
  type Scene,
  scene,
} from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }
const pending = { code: 'TX_PENDING' }

async function attemptsOf(store: Store, key?: string) {
  const attempts = []
  for await (const attempt of store.attempts(key)) attempts.push(attempt)
  return attempts
}

/** A wallet whose first transaction never arrives at the node, and the key under which it is claimed. */
async function sceneWithoutFirst(): Promise<Scene & { mine: Wallet; claimed: Promise<string> }> {
  let first: string | undefined
  const at = await scene({
    intercept: ({ txID, tx }, next) => {
      if (tx === undefined) return next()
      first ??= txID
      if (txID === first) throw new TypeError('fetch failed')
      return next()
    },
  })
  at.node.fund(addressOf(me), 3n * fee)
  const store = memoryStore()
  let resolve = (_key: string) => {}
  const claimed = new Promise<string>((done) => {
    resolve = done
  })
  const mine = at.wallet({
    store: {
      ...store,
      claim: async (claim) => store.claim(claim).then(() => resolve(claim.payments[0]!.key)),
    },
  })
  return { ...at, mine, claimed }
}

/** A node that makes blocks only once `makesBlocks` is set; then with every request. */
async function manualScene(): Promise<Scene & { makesBlocks: boolean }> {
  const state = { makesBlocks: false }
  const at = await scene({
    blocks: 'manual',
    intercept: (_, next) => {
      if (state.makesBlocks) produceBlocks(at.node)
      return next()
    },
  })
  return Object.assign(state, at)
}

describe('cancel', () => {
  it('spends an input of the payment back to the wallet', async () => {
    const at = await manualScene()
    const { node, wallet } = at
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    node.restart()
    at.makesBlocks = true
    const canceled = await mine.cancel('a')
    expect(canceled.status).toBe('canceled')
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'canceled', txID: canceled.txID }])
    expect([await balanceOf(node, you), await balanceOf(node, me)]).toEqual([0n, 2n * fee])
    expect(await mine.balances()).toMatchObject([{ spendable: 2n * fee, reserved: 0n }])
    expect(await attemptsOf(store)).toEqual([])
    // Again: nothing more happens.
    expect(await mine.cancel('a')).toEqual(canceled)
    expect(await balanceOf(node, me)).toBe(2n * fee)
  })

  it('reports that the payment was faster', async () => {
    const at = await manualScene()
    const { node, wallet } = at
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    const failure = await mine.transfer(payment, { key: 'a' }).catch((error) => error)
    // The mempool has the payment, so it refuses the cancellation.
    at.makesBlocks = true
    const result = await mine.cancel('a', { wait: { timeoutMs: 60_000 } })
    expect(result).toEqual({ status: 'accepted', txID: failure.txID })
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted' }])
    expect(await balanceOf(node, you)).toBe(5n)
    expect(await mine.balances()).toMatchObject([{ reserved: 0n }])
  })

  for (const key of ['a key', undefined])
    it(`reports that the payment was accepted while it drafted, with nothing left: ${key}`, async () => {
      let isCanceling = false
      const at = await scene({
        blocks: 'manual',
        intercept: ({ method }, next) => {
          if (isCanceling && method === 'avm.getTxFee') produceBlocks(at.node)
          return next()
        },
      })
      at.node.fund(addressOf(me), 3n * fee)
      produceBlocks(at.node)
      const store = memoryStore()
      const mine = at.wallet({ store, wait: { timeoutMs: 300 } })
      const failure = await mine
        .sendAll({ to: addressOf(you) }, key === undefined ? {} : { key })
        .catch((error) => error)
      expect(failure).toMatchObject(pending)
      isCanceling = true
      const { txID } = failure
      const other = at.wallet({ store })
      expect(await other.cancel(failure.keys[0])).toEqual({ status: 'accepted', txID })
    })

  it('of an accepted payment returns it', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    const { txID } = await mine.transfer(payment, { key: 'a' })
    expect(await mine.cancel('a')).toEqual({ status: 'accepted', txID })
  })

  it('of an unknown key is KEY_UNKNOWN', async () => {
    const { wallet } = await scene()
    await expect(wallet().cancel('a')).rejects.toMatchObject({ code: 'KEY_UNKNOWN', keys: ['a'] })
  })

  it('ends the call that waits for the payment', async () => {
    const { node, mine, claimed } = await sceneWithoutFirst()
    const paying = mine.transfer(payment, { key: 'a' })
    const ended = expect(paying).rejects.toMatchObject({ code: 'PAYMENT_CANCELED', keys: ['a'] })
    await claimed
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    await ended
    expect(await balanceOf(node, you)).toBe(0n)
  })

  it('of a transaction of a sweep ends the sweep, which does not count it as moved', async () => {
    const { node, mine, claimed } = await sceneWithoutFirst()
    const sweeping = mine.sweep({ to: addressOf(you) })
    const ended = expect(sweeping).rejects.toMatchObject({ code: 'PAYMENT_CANCELED' })
    expect(await mine.cancel(await claimed)).toMatchObject({ status: 'canceled' })
    await ended
    expect([await balanceOf(node, you), await balanceOf(node, me)]).toEqual([0n, 2n * fee])
  })

  it('continues in another process with the cancellation that was claimed', async () => {
    const at = await manualScene()
    const { node, wallet } = at
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const early = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(early.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    node.restart()
    await expect(early.cancel('a')).rejects.toMatchObject(pending)
    node.restart()
    const before = await attemptsOf(store, 'a')
    expect(before.map(({ kind }) => kind)).toEqual(['payment', 'cancellation'])
    at.makesBlocks = true
    const later = wallet({ store })
    const confirm = () => expect.unreachable('nothing should be signed')
    expect(await later.cancel('a', { confirm })).toEqual({
      status: 'canceled',
      txID: before[1]!.txID,
    })
  })

  it('of one key of a batch rejects the whole transaction; the others can be paid again', async () => {
    const at = await manualScene()
    const { node, wallet } = at
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 500 } })
    const outputs = [payment, { to: addressOf(third), amount: 7n }]
    await expect(mine.transfer({ outputs }, { keys: ['a', 'b'] })).rejects.toMatchObject(pending)
    node.restart()
    at.makesBlocks = true
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    expect(await mine.payments(['a', 'b'])).toMatchObject([
      { status: 'canceled' },
      { status: 'rejected' },
    ])
    await mine.transfer(outputs[1]!, { key: 'b' })
    expect([await balanceOf(node, you), await balanceOf(node, third)]).toEqual([0n, 7n])
  })

  it('of one key of several is reported by resume for that key, and the others as rejected', async () => {
    const at = await manualScene()
    const { node, wallet } = at
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const early = wallet({ store, wait: { timeoutMs: 500 } })
    const outputs = [payment, { to: addressOf(third), amount: 7n }]
    await expect(early.transfer({ outputs }, { keys: ['a', 'b'] })).rejects.toMatchObject(pending)
    node.restart()
    await expect(early.cancel('a')).rejects.toMatchObject(pending)
    at.makesBlocks = true
    const [first, second, ...rest] = await wallet({ store }).resume()
    expect(first).toMatchObject({ keys: ['a'], status: 'canceled' })
    expect(second).toEqual({ keys: ['b'], status: 'rejected', txID: first!.txID })
    expect(rest).toEqual([])
  })

  it('of one key of several ends the call that waits for them with this key', async () => {
    const { node, mine, claimed } = await sceneWithoutFirst()
    const outputs = [payment, { to: addressOf(third), amount: 7n }]
    const paying = mine.transfer({ outputs }, { keys: ['a', 'b'] })
    const ended = expect(paying).rejects.toMatchObject({ code: 'PAYMENT_CANCELED', keys: ['a'] })
    await claimed
    await mine.cancel('a')
    await ended
    await mine.transfer(outputs[1]!, { key: 'b' })
    expect([await balanceOf(node, you), await balanceOf(node, third)]).toEqual([0n, 7n])
  })

  it('of one key of a batch leaves the others rejected, also if a variant of it is accepted', async () => {
    let rejections = 0
    let makesBlocks = false
    const { node, wallet } = await scene({
      blocks: 'manual',
      intercept: (call, next) => {
        if (makesBlocks) produceBlocks(node)
        const isRefused = makesBlocks && call.method === 'avm.issueTx' && rejections++ < 2
        return isRefused ? errorFor(call, 'tx conflicts with other tx: x') : next()
      },
    })
    node.fund(addressOf(me), 5n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    const outputs = [payment, { ...payment, amount: 6n }]
    const keys = ['a', 'b']
    await expect(mine.transfer({ outputs }, { keys })).rejects.toMatchObject(pending)
    node.restart()
    makesBlocks = true
    const { status } = await mine.cancel('a', { wait: { timeoutMs: 60_000 } })
    expect([status, rejections > 2]).toEqual(['canceled', true])
    expect(await mine.payments(keys)).toMatchObject([
      { status: 'canceled' },
      { status: 'rejected' },
    ])
  })

  it('of a payment whose inputs are not listed any more is CANNOT_CANCEL', async () => {
    const { node, wallet, client } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    // More blocks than the wallet reads again after its initial walk.
    for (let i = 0; i < 12; i++) node.fund(addressOf(third), 1n)
    const store = memoryStore()
    const early = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(early.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    const [attempt] = await attemptsOf(store)
    // Spent by an unknown transaction: the node hides it and its block.
    node.produceBlock()
    const height = await client.avm.getHeight({})
    const hidden = await scene({
      intercept: (call, next) =>
        call.method === 'avm.getTx' ||
        (call.method === 'avm.getBlockByHeight' && call.params.height === String(height))
          ? errorFor(call, 'not found')
          : next(),
    })
    hidden.node.restore(node.snapshot())
    const later = hidden.wallet({ store, wait: { timeoutMs: 500 } })
    await expect(later.cancel('a')).rejects.toMatchObject({
      code: 'CANNOT_CANCEL',
      keys: ['a'],
      txID: attempt!.txID,
    })
    expect(await later.payments(['a'])).toMatchObject([{ status: 'pending' }])
  })

  it('conflicts with every variant of the payment', async () => {
    let refuses = true
    const issued: Uint8Array[] = []
    const { node, wallet } = await scene({
      intercept: (call, next) => {
        if (call.tx === undefined) return next()
        issued.push(call.tx)
        return refuses ? errorFor(call, 'output is time locked') : next()
      },
    })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 30_000 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    const attempts = await attemptsOf(store)
    expect(attempts.length).toBeGreaterThan(2)
    refuses = false
    // Coin selection alone would prefer this one.
    node.fund(addressOf(me), 90n * fee)
    await mine.balances()
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    const inputs = decodeTx(issued.at(-1)!).unsignedTx.inputs.map(utxoKey)
    for (const attempt of attempts)
      expect(attempt.inputs.some((id) => inputs.includes(utxoKey(id)))).toBe(true)
    for (const { bytes } of attempts)
      await expect(mine.submit(bytes, { wait: { timeoutMs: 500 } })).rejects.toBeDefined()
    expect(await balanceOf(node, you)).toBe(0n)
  })

  it('ends if a third transaction spends the inputs of both', async () => {
    const at = await manualScene()
    const { node, wallet, client } = at
    node.fund(addressOf(me), 3n * fee)
    const rival = await wallet().sign(
      await wallet().prepare.transfer({ to: addressOf(third), amount: 7n }),
    )
    if (!rival.complete) throw new Error('incomplete')
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    node.restart()
    await client.avm.issueTx({ tx: encodeTx(rival.signedTx) })
    at.makesBlocks = true
    const ended = await mine.cancel('a', { wait: { timeoutMs: 60_000 } })
    expect(ended).toEqual({ status: 'canceled', txID: rival.txID })
    expect(await mine.payments(['a'])).toMatchObject([ended])
    expect(await attemptsOf(store)).toEqual([])
    expect(await mine.balances()).toMatchObject([{ reserved: 0n }])
  })
})

describe('cancel of a payment that another transaction has rejected', () => {
  /** A wallet whose first attempt has a rival, and which asks for confirmation of the second. */
  async function rejectedScene() {
    let first: string | undefined
    const { node, wallet } = await scene({
      intercept: ({ tx, txID }, next) => {
        if (tx !== undefined) first ??= txID
        if (tx !== undefined && txID === first) throw new TypeError('fetch failed')
        return next()
      },
    })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    let answer = () => {}
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve
    })
    let confirmed = 0
    const confirm: Confirm = async (_, { utxos }) => {
      if (confirmed++ > 0) {
        asked()
        await isAnswered
        return true
      }
      const rival = createWallet({ client: direct(node), keys: me })
      const choose = { pinned: utxos }
      await rival.transfer({ to: addressOf(third), amount: 7n, choose })
      return true
    }
    return { node, wallet, store, confirm, isAsked, answer: () => answer() }
  }

  for (const which of ['the same', 'another'])
    it(`ends the call that is about to make it again, in ${which} wallet`, async () => {
      const { node, wallet, store, confirm, isAsked, answer } = await rejectedScene()
      const mine = wallet({ store })
      const paying = mine.transfer(payment, { key: 'a', confirm })
      const ended = expect(paying).rejects.toMatchObject({ code: 'PAYMENT_CANCELED', keys: ['a'] })
      await isAsked
      const canceling = which === 'another' ? wallet({ store }) : mine
      expect(await canceling.cancel('a')).toMatchObject({ status: 'canceled' })
      answer()
      await ended
      expect(await mine.payments(['a'])).toMatchObject([{ status: 'canceled' }])
      expect(await balanceOf(node, you)).toBe(0n)
      // A new call is a new decision.
      await mine.transfer(payment, { key: 'a' })
      expect(await balanceOf(node, you)).toBe(5n)
    })
})

/** A node whose fee is doubled when the first transaction arrives. */
async function raisingScene(): Promise<Scene> {
  let isRaised = false
  return scene({
    fees: { txFee: 2n * fee },
    intercept: (call, next) => {
      if (call.tx !== undefined) isRaised = true
      if (isRaised || call.method !== 'avm.getTxFee') return next()
      return resultFor(call, { txFee: String(fee), createAssetTxFee: String(fee) })
    },
  })
}

describe('a cancellation whose fee is too low', () => {
  it('is replaced by one with the right fee', async () => {
    let isWrong = true
    const { node, wallet } = await scene({
      fees: { txFee: 2n * fee },
      intercept: (call, next) => {
        if (!isWrong || call.method !== 'avm.getTxFee') return next()
        return resultFor(call, { txFee: String(fee), createAssetTxFee: String(fee) })
      },
    })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 9n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      ...pending,
      hint: expect.stringContaining('cancel it'),
    })
    await expect(mine.cancel('a')).rejects.toMatchObject(pending)
    isWrong = false
    expect(await mine.cancel('a', { wait: { timeoutMs: 5000 } })).toMatchObject({
      status: 'canceled',
    })
    expect([await balanceOf(node, you), await balanceOf(node, me)]).toEqual([0n, 25n * fee])
    expect(await attemptsOf(store)).toEqual([])
    expect(await mine.balances()).toMatchObject([{ reserved: 0n }])
  })
})

describe('a payment whose fee was raised', () => {
  it('is replaced by an attempt with the new fee that spends one of the same inputs', async () => {
    const { node, wallet } = await raisingScene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 2n * fee)
    const store = memoryStore()
    const claims: Uint8Array[] = []
    const mine = wallet({
      store: {
        ...store,
        claim: async (claim) => {
          claims.push(claim.bytes)
          await store.claim(claim)
          // Coin selection alone would prefer this one for the next attempt.
          if (claims.length === 1) node.fund(addressOf(me), 90n * fee)
        },
      },
    })
    await mine.transfer(payment, { key: 'a' })
    expect(claims).toHaveLength(2)
    const [first, second] = claims.map((bytes) => decodeTx(bytes).unsignedTx.inputs.map(utxoKey))
    expect(second!.some((id) => first!.includes(id))).toBe(true)
    expect(await balanceOf(node, you)).toBe(5n)
    expect(await balanceOf(node, me)).toBe(94n * fee - 5n)
    expect(await attemptsOf(store)).toEqual([])
    expect(await mine.balances()).toMatchObject([{ reserved: 0n }])
  })

  it('is replaced also if another payment has learned the new fee before', async () => {
    const { node, wallet } = await raisingScene()
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 9n * fee)
    const mine = wallet()
    const keys = ['a', 'b', 'c', 'd']
    await Promise.all(keys.map((key) => mine.transfer(payment, { key })))
    expect(await balanceOf(node, you)).toBe(20n)
    expect(await balanceOf(node, me)).toBe(28n * fee - 20n)
  })

  it('ends at its time limit if reserved UTXOs would pay the new fee', async () => {
    let shown = fee
    let isDownUntil = 0
    const at = await scene({
      intercept: (call, next) => {
        if (call.method === 'avm.getTxFee')
          return resultFor(call, { txFee: String(shown), createAssetTxFee: String(shown) })
        if (call.tx === undefined) return next()
        if (at.clock.now() < isDownUntil) throw new TypeError('fetch failed')
        return errorFor(call, 'insufficient funds')
      },
    })
    const { node, wallet, clock } = at
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 10_000, resendMs: 1_000 } })
    await mine.prepare.transfer(payment)
    const start = clock.now()
    isDownUntil = start + 6_000
    const confirm = () => {
      shown = 2n * fee
      return true
    }
    const paid = mine.transfer({ ...payment, amount: 2n * fee }, { confirm })
    await expect(paid).rejects.toMatchObject(pending)
    expect(clock.now() - start).toBeLessThan(12_000)
  })

  it('asks for confirmation of the new attempt, and stays pending without it', async () => {
    const { node, wallet } = await raisingScene()
    node.fund(addressOf(me), 9n * fee)
    const fees: bigint[] = []
    const mine = wallet({ wait: { timeoutMs: 5_000 } })
    const confirm = ({ fee: asked }: { readonly fee: bigint }) => fees.push(asked) < 2
    await expect(mine.transfer(payment, { key: 'a', confirm })).rejects.toMatchObject(pending)
    expect(fees).toEqual([fee, 2n * fee])
    // The caller can still cancel it, with the fee of now.
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    expect([await balanceOf(node, you), await balanceOf(node, me)]).toEqual([0n, 7n * fee])
  })
})

describe('a cancellation whose payment is rejected', () => {
  it('does not keep UTXOs reserved', async () => {
    let makesBlocks = false
    let isDown = false
    const at = await scene({
      blocks: 'manual',
      intercept: ({ method }, next) => {
        if (makesBlocks) produceBlocks(at.node)
        if (isDown && method === 'avm.issueTx') throw new TypeError('fetch failed')
        return next()
      },
    })
    for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 2n * fee)
    const store = memoryStore()
    const mine = at.wallet({ store, wait: { timeoutMs: 500 } })
    const pinned = (await mine.utxos()).ofType('secp256k1fx.TransferOutput')
    const paying = mine.transfer({ ...payment, choose: { pinned } }, { key: 'a' })
    await expect(paying).rejects.toMatchObject(pending)
    at.node.restart()
    await expect(mine.cancel('a')).rejects.toMatchObject(pending)
    at.node.restart()
    const [payer, cancellation] = await attemptsOf(store)
    // A rival spends the input of the payment that the cancellation does not spend.
    const other = at.wallet()
    const spent = cancellation!.inputs.map(utxoKey)
    const free = payer!.inputs.filter((id) => !spent.includes(utxoKey(id)))
    expect(free).toHaveLength(1)
    const draft = await other.prepare.transfer({
      to: addressOf(third),
      amount: 5n,
      choose: { pinned: free },
    })
    const rival = await other.sign(draft)
    if (!rival.complete) throw new Error('incomplete')
    await at.client.avm.issueTx({ tx: rival.bytes })
    makesBlocks = true
    isDown = true
    expect(await mine.resume()).toMatchObject([{ status: 'rejected', txID: rival.txID }])
    expect(await attemptsOf(store)).toEqual([])
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'rejected' }])
    expect(await mine.balances()).toMatchObject([{ reserved: 0n }])
    expect(await mine.resume()).toEqual([])
  })
})
