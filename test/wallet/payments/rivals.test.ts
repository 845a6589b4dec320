import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { type Block, encodeBlock } from '../../../src/core/chain/x/block.ts'
import type { Credential } from '../../../src/core/chain/x/fx.ts'
import { hashToSign, txID as idOf } from '../../../src/core/chain/x/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../../src/core/chain/x/tx.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { walletKeys } from '../../../src/wallet/accounts/wallet-keys.ts'
import type { Wallet } from '../../../src/wallet/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { WalletState } from '../../../src/wallet/wallet-state.ts'
import { type Call, errorFor, resultFor, silence } from '../requests.ts'
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

async function signedBy(wallet: Wallet, amount = 7n) {
  const signed = await wallet.sign(await wallet.prepare.transfer({ to: addressOf(third), amount }))
  if (!signed.complete) throw new Error('incomplete')
  return signed
}

describe('an accepted transaction of another holder of the keys', () => {
  it('rejects the payment, which is then made with other UTXOs', async () => {
    const { node, wallet, client } = await scene({ blocks: 'manual' })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    const [attempt] = [...(await all(store.attempts()))]
    node.restart()
    const [input] = attempt!.inputs
    const other = wallet()
    const prepared = await other.prepare.transfer({
      to: addressOf(third),
      amount: 7n,
      choose: { pinned: [input!] },
    })
    const rival = await other.sign(prepared)
    if (!rival.complete) throw new Error('incomplete')
    await client.avm.issueTx({ tx: rival.bytes })
    produceBlocks(node)
    expect(await mine.resume()).toMatchObject([
      { keys: ['a'], status: 'rejected', txID: rival.txID },
    ])
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'rejected', txID: rival.txID }])
    expect(await mine.balances()).toMatchObject([{ reserved: 0n }])
    const paying = mine.transfer(payment, { key: 'a', wait: { timeoutMs: 60_000 } })
    while ((await mine.payments(['a']))[0]?.status !== 'pending') await mine.balances()
    await mine.balances()
    produceBlocks(node)
    await paying
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('does not keep the whole balance of an asset from being sent later, of which it left nothing', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const to = addressOf(me)
    const holders = [{ to, amount: 9n }]
    const { txID: assetID } = await wallet().createAsset({ name: 'Token', symbol: 'TOK', holders })
    let isTaken = false
    const confirm = async () => {
      // Another holder of the keys sends the token away. Only the change, of AVAX, shows it.
      const isFirst = !isTaken
      isTaken = true
      if (isFirst) await wallet().sendAll({ to: addressOf(third), assetID })
      return true
    }
    const mine = wallet({ store: memoryStore(), wait: { timeoutMs: 30_000 } })
    const sendAll = () => mine.sendAll({ to: addressOf(you), assetID }, { key: 'a', confirm })
    const unpaid = await sendAll().catch((error) => error)
    expect(unpaid).toMatchObject({ code: 'BUILDER_INSUFFICIENT_FUNDS' })
    // A UTXO that pays the fee and is no evidence, since it is the largest.
    node.fund(addressOf(me), 9n * fee)
    const other = wallet({ keys: third })
    node.fund(addressOf(third), 3n * fee)
    await other.transfer({ to, amount: 9n, assetID })
    await sendAll()
    expect(await balanceOf(node, you, assetID)).toBe(9n)
  })

  it('is found in blocks that were applied while the caller confirmed', async () => {
    // The wallet follows blocks for another payment while the confirmation of this one takes its time.
    const { node, wallet } = await scene()
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 30_000 } })
    let asked = 0
    const confirm = async () => {
      if (asked++ > 0) return true
      await wallet().sendAll({ to: addressOf(third) })
      node.fund(addressOf(me), 9n * fee)
      await mine.balances()
      return true
    }
    // It pays others, so that nothing shows that it was accepted but the word of the server.
    const paying = mine.transfer(payment, { key: 'a', confirm })
    await expect(paying).rejects.toMatchObject({ code: 'PAYMENT_REJECTED' })
    await mine.transfer(payment, { key: 'a', confirm })
    expect(asked).toBe(2)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is found in blocks that were applied before the claim of another process was read', async () => {
    const { node, wallet, client } = await scene({ blocks: 'manual' })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const one = wallet({ store, wait: { timeoutMs: 500 } })
    const other = wallet({ store })
    await other.balances()
    await expect(one.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    node.restart()
    const everything = await wallet().sign(await wallet().prepare.sendAll({ to: addressOf(third) }))
    if (!everything.complete) throw new Error('incomplete')
    await client.avm.issueTx({ tx: everything.bytes })
    produceBlocks(node)
    await other.balances()
    expect(await other.resume({ wait: { timeoutMs: 30_000 } })).toMatchObject([
      { status: 'rejected', txID: everything.txID },
    ])
  })

  it('is found there also if it has spent only some of the inputs', async () => {
    let isRefusing = false
    const { node, wallet, client } = await scene({
      blocks: 'manual',
      // A refusal that does not make the wallet search old blocks.
      intercept: ({ method }, next) =>
        isRefusing && method === 'avm.issueTx' ? new Response('no', { status: 403 }) : next(),
    })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const one = wallet({ store, wait: { timeoutMs: 500 } })
    const other = wallet({ store })
    await other.balances()
    // It needs both UTXOs.
    const large = { ...payment, amount: 4n * fee }
    await expect(one.transfer(large, { key: 'a' })).rejects.toMatchObject(pending)
    node.restart()
    const [spent] = (await wallet().utxos()).ofType('secp256k1fx.TransferOutput')
    const draft = await wallet().prepare.sendAll({
      to: addressOf(third),
      choose: { only: [spent!] },
    })
    const rival = await wallet().sign(draft)
    if (!rival.complete) throw new Error('incomplete')
    await client.avm.issueTx({ tx: rival.bytes })
    produceBlocks(node)
    isRefusing = true
    await other.balances()
    expect(await other.resume({ wait: { timeoutMs: 30_000 } })).toMatchObject([
      { status: 'rejected', txID: rival.txID },
    ])
  })

  it('is PAYMENT_REJECTED after as many new attempts as are allowed', async () => {
    const { node, wallet } = await scene({
      url: ['http://a.test', 'http://b.test', 'http://c.test'],
    })
    for (let i = 0; i < 5; i++) node.fund(addressOf(me), 3n * fee)
    let asked = 0
    const confirm = async () => {
      asked++
      await wallet().sendAll({ to: addressOf(third) })
      node.fund(addressOf(me), 3n * fee)
      return true
    }
    const mine = wallet({ maxRebuilds: 2 })
    const failure = await mine.transfer(payment, { key: 'a', confirm }).catch((error) => error)
    expect(failure).toMatchObject({ code: 'PAYMENT_REJECTED', keys: ['a'] })
    expect(asked).toBe(3)
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'rejected', txID: failure.txID }])
    expect(await balanceOf(node, you)).toBe(0n)
  })

  it('counts for a UTXO of the genesis block, too', async () => {
    const ewoq = new KeyChain(['PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'])
    const { node, wallet } = await scene()
    let asked = 0
    const confirm = async () => {
      if (asked++ > 0) return true
      await wallet({ keys: ewoq }).sendAll({ to: addressOf(third) })
      node.fund(ewoq.addresses[0]!, 9n * fee)
      return true
    }
    const mine = wallet({ keys: ewoq })
    await expect(mine.transfer(payment, { key: 'a', confirm })).rejects.toMatchObject({
      code: 'PAYMENT_REJECTED',
    })
    await mine.transfer(payment, { key: 'a', confirm })
    expect(asked).toBe(2)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('counts for an imported UTXO, too', async () => {
    const { node, wallet, client } = await scene({ blocks: 'manual' })
    node.exportFrom('P', { address: me.addresses[0]!, amount: 5n * fee })
    const rivals = await wallet().prepare.import({ sourceChain: 'P', to: addressOf(third) })
    const [draft] = rivals.drafts()
    const rival = await wallet().sign(draft!)
    if (!rival.complete) throw new Error('incomplete')
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(mine.import({ sourceChain: 'P' })).rejects.toMatchObject({
      code: 'BATCH_UNFINISHED',
    })
    node.restart()
    await client.avm.issueTx({ tx: rival.bytes })
    produceBlocks(node)
    expect(await mine.resume()).toMatchObject([{ status: 'rejected', txID: rival.txID }])
    expect(await all(store.attempts())).toEqual([])
  })
})

describe('an accepted transaction with signatures of several variants of a payment', () => {
  it('is the payment', async () => {
    const { node, wallet } = await scene({
      // Rejections that are remembered make the wallet sign a variant.
      intercept: (call, next) =>
        call.tx === undefined ? next() : errorFor(call, 'tx conflicts with other tx: x'),
    })
    for (let i = 0; i < 6; i++) node.fund(addressOf(me), 2n * fee)
    const store = memoryStore()
    const several = { to: addressOf(you), amount: 3n * fee }
    const mine = wallet({ store, wait: { timeoutMs: 3_000 } })
    await expect(mine.transfer(several, { key: 'a' })).rejects.toMatchObject(pending)
    const [one, other] = (await all(store.attempts())).map(({ bytes }) => decodeTx(bytes))
    // A server that was sent both can issue this one.
    const mixed = { ...one!, credentials: [one!.credentials[0]!, ...other!.credentials.slice(1)] }
    const txID = idOf(mixed)
    await direct(node).avm.issueTx({ tx: encodeTx(mixed) })
    expect(await wallet({ store }).resume()).toMatchObject([{ status: 'accepted', txID }])
    expect(await wallet({ store }).transfer(several, { key: 'a' })).toEqual({ txID })
  })
})

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Makes a payment that spends four UTXOs and stays pending. */
async function pendingOfSeveral({ node, wallet }: Scene) {
  for (let i = 0; i < 4; i++) node.fund(addressOf(me), fee)
  const store = memoryStore()
  const everything = { to: addressOf(you), amount: 3n * fee }
  const paying = wallet({ store, wait: { timeoutMs: 500 } }).transfer(everything, { key: 'a' })
  await expect(paying).rejects.toMatchObject(pending)
  const [attempt] = await all(store.attempts())
  return { store, attempt: attempt!, tx: decodeTx(attempt!.bytes) }
}

/** Puts a transaction into a block after the last one, and answers as if that block were accepted. */
function forger(at: () => Scene) {
  const blocks = new Map<string, string>()
  const txs = new Map<string, string>()
  return {
    answer: (call: Call): Response | undefined => {
      const block = blocks.get(String(call.params.height))
      if (call.method === 'avm.getBlockByHeight' && block !== undefined)
        return resultFor(call, { block, encoding: 'hex' })
      const tx = txs.get(call.txID ?? '')
      if (call.method === 'avm.getTx' && tx !== undefined)
        return resultFor(call, { tx, encoding: 'hex' })
      return undefined
    },
    forge: async (tx: SignedTx) => {
      const { client } = at()
      const height = await client.avm.getHeight({})
      const last = await client.avm.getBlockByHeight({ height })
      const block = encodeBlock({
        ...last,
        parentID: idOf(encodeBlock(last)),
        height: height + 1n,
        txs: [tx],
      })
      blocks.set(String(height + 1n), checkedHex.encode(block))
      txs.set(formatID(idOf(tx)), checkedHex.encode(encodeTx(tx)))
    },
    /** Makes `getTx` return other bytes for an ID. */
    pretend: (txID: Uint8Array, tx: SignedTx) => {
      txs.set(formatID(txID), checkedHex.encode(encodeTx(tx)))
    },
  }
}

const ZEROS = new Uint8Array(65)

describe('a forged transaction', () => {
  const forgeries: readonly (readonly [string, (tx: SignedTx) => SignedTx])[] = [
    [
      'without signatures',
      (tx) => ({ ...tx, credentials: tx.credentials.map((one) => ({ ...one, signatures: [] })) }),
    ],
    ['without credentials', (tx) => ({ ...tx, credentials: [] })],
    [
      'with signatures of zeros',
      (tx) => ({
        ...tx,
        credentials: tx.credentials.map((one) => ({ ...one, signatures: [new Uint8Array(65)] })),
      }),
    ],
    [
      'signed by somebody else',
      (tx) => ({
        ...tx,
        credentials: tx.credentials.map((one) => ({
          ...one,
          signatures: [third.sign(third.addresses[0]!, hashToSign(tx.unsignedTx))],
        })),
      }),
    ],
    [
      'with a signature of the owner for another transaction',
      (tx) => ({
        ...tx,
        unsignedTx: { ...tx.unsignedTx, memo: new Uint8Array([1]) },
      }),
    ],
  ]
  for (const [what, forged] of forgeries)
    it(`${what} does not reject the payment`, async () => {
      const forging = forger(() => at)
      let isHonest = false
      const issued: Uint8Array[] = []
      const at = await scene({
        blocks: 'manual',
        intercept: (call, next) => {
          if (call.tx !== undefined) issued.push(call.tx)
          return (isHonest ? undefined : forging.answer(call)) ?? next()
        },
      })
      const { node, wallet } = at
      for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
      const store = memoryStore()
      const rival = await signedBy(wallet())
      const mine = wallet({ store, wait: { timeoutMs: 500 } })
      const inputs = rival.signedTx.unsignedTx.inputs.map(({ txID, outputIndex }) => ({
        txID,
        outputIndex,
      }))
      await expect(
        mine.transfer({ ...payment, choose: { pinned: inputs } }, { key: 'a' }),
      ).rejects.toMatchObject(pending)
      await forging.forge(forged(rival.signedTx))
      const later = wallet({ store, wait: { timeoutMs: 20_000 } })
      expect(await later.resume()).toMatchObject([{ status: 'pending' }])
      expect(await later.payments(['a'])).toMatchObject([{ status: 'pending' }])
      isHonest = true
      produceBlocks(node)
      expect(await wallet({ store }).resume()).toMatchObject([{ status: 'accepted' }])
      expect(await balanceOf(node, you)).toBe(5n)
    })

  /** A pending payment with several inputs, and a server that shows a false rival of it. */
  async function forgedScene(
    parents: (next: () => Promise<Response>, init: RequestInit) => unknown,
  ) {
    const forging = forger(() => at)
    let inputs: string[] = []
    const requests = { parents: 0 }
    const at = await scene({
      blocks: 'manual',
      intercept: (call, next, init) => {
        const isParent = call.method === 'avm.getTx' && inputs.includes(call.txID!)
        if (isParent) requests.parents++
        if (isParent) return parents(next, init) as Promise<Response>
        return forging.answer(call) ?? next()
      },
    })
    const { store, attempt, tx } = await pendingOfSeveral(at)
    const unsignedTx = { ...tx.unsignedTx, memo: new Uint8Array([1]) }
    await forging.forge({ ...tx, unsignedTx })
    inputs = attempt.inputs.map(({ txID }) => formatID(txID))
    return { ...at, store, requests }
  }

  const changes: readonly (readonly [string, (one: Credential) => readonly Credential[]])[] = [
    ['an added credential', (one) => [one, one]],
    ['an added signature', (one) => [{ ...one, signatures: [...one.signatures, ZEROS] }]],
    ['another signature', (one) => [{ ...one, signatures: [ZEROS] }]],
  ]
  for (const [what, change] of changes)
    it(`does not reject the payment if it is the payment itself with ${what}`, async () => {
      const forging = forger(() => at)
      const at = await scene({
        blocks: 'manual',
        intercept: (call, next) => forging.answer(call) ?? next(),
      })
      const { store, tx } = await pendingOfSeveral(at)
      const last = tx.credentials.at(-1) as Credential
      await forging.forge({ ...tx, credentials: [...tx.credentials.slice(0, -1), ...change(last)] })
      const later = at.wallet({ store, wait: { timeoutMs: 10_000 } })
      expect(await later.resume()).toMatchObject([{ status: 'pending' }])
    })

  it('does not delay a call beyond its time limit if evidence is withheld', async () => {
    const { wallet, clock, store } = await forgedScene((_, init) => silence(init))
    const mine = wallet({ store })
    const start = clock.slept()
    const wait = { timeoutMs: 3_000 }
    expect(await mine.resume({ wait })).toMatchObject([{ status: 'pending' }])
    expect(clock.slept() - start).toBeLessThan(3_500)
    const controller = new AbortController()
    clock.sleep(1_000).then(() => controller.abort())
    const { signal } = controller
    expect(await mine.resume({ wait, signal })).toMatchObject([{ status: 'pending' }])
    expect(clock.slept() - start).toBeLessThan(5_000)
  })

  it('is forgotten once a transaction that created an input proves it false', async () => {
    const { wallet, store, requests } = await forgedScene((next) => next())
    const mine = wallet({ store, wait: { timeoutMs: 20_000 } })
    expect(await mine.resume()).toMatchObject([{ status: 'pending' }])
    expect(requests.parents).toBe(1)
  })

  it('does not reject the payment if the node lies about the owners of the input', async () => {
    const forging = forger(() => at)
    const at = await scene({
      blocks: 'manual',
      intercept: (call, next) => forging.answer(call) ?? next(),
    })
    const { node, wallet, client } = at
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    const [attempt] = await all(store.attempts())
    const own = decodeTx(attempt!.bytes)
    const stolen = { ...own.unsignedTx, memo: new Uint8Array([1]) }
    const signature = third.sign(third.addresses[0]!, hashToSign(stolen))
    const credentials = [{ type: 'secp256k1fx.Credential' as const, signatures: [signature] }]
    await forging.forge({ unsignedTx: stolen, credentials })
    // The transaction that created the input, with another owner.
    const parentID = attempt!.inputs[0]!.txID
    const parent = await client.avm.getTx({ txID: parentID })
    const outputs = parent.unsignedTx.outputs.map(({ assetID, output }) => ({
      assetID,
      output: { ...output, addresses: [third.addresses[0]!] },
    }))
    forging.pretend(parentID, { ...parent, unsignedTx: { ...parent.unsignedTx, outputs } })
    const later = wallet({ store, wait: { timeoutMs: 20_000 } })
    expect(await later.resume()).toMatchObject([{ status: 'pending' }])
  })

  it('does not accept the payment if getTx returns other bytes for its ID', async () => {
    const forging = forger(() => at)
    const at = await scene({
      blocks: 'manual',
      intercept: (call, next) => forging.answer(call) ?? next(),
    })
    const { node, wallet } = at
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    const [attempt] = await all(store.attempts())
    forging.pretend(attempt!.txID, (await signedBy(wallet())).signedTx)
    const later = wallet({ store, wait: { timeoutMs: 10_000 } })
    expect(await later.resume()).toMatchObject([{ status: 'pending' }])
  })

  it('is kept in small numbers, with few requests, while the transaction that created the input is withheld', async () => {
    const hidden = new Set<string>()
    const flood = { blocks: 0, parents: 0 }
    const texts = new Map<string, string>()
    let last: { readonly block: Block; readonly end: bigint } | undefined
    const at = await scene({
      blocks: 'manual',
      intercept: async (call, next) => {
        if (call.method === 'avm.getTx' && hidden.has(call.txID!)) {
          flood.parents++
          return errorFor(call, 'not found')
        }
        const height = String(call.params.height)
        if (call.method !== 'avm.getBlockByHeight' || last === undefined) return next()
        const { block, end } = last
        if (BigInt(height) > block.height && BigInt(height) <= end && !texts.has(height)) {
          const text = checkedHex.encode(encodeBlock(falseBlock(block)))
          last = { block: falseBlock(block), end }
          texts.set(height, text)
          flood.blocks++
        }
        const text = texts.get(height)
        return text === undefined ? next() : resultFor(call, { block: text, encoding: 'hex' })
      },
    })
    const { node, wallet, client } = at
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    const [attempt] = await all(store.attempts())
    const own = decodeTx(attempt!.bytes)
    // 100 transactions that spend the input, with the signature of another transaction.
    const falseBlock = (parent: Block): Block => ({
      ...parent,
      parentID: idOf(encodeBlock(parent)),
      height: parent.height + 1n,
      txs: Array.from({ length: 100 }, (_, i) => {
        const memo = new Uint8Array([Number(parent.height), i])
        return { ...own, unsignedTx: { ...own.unsignedTx, memo } }
      }),
    })
    for (const { txID } of attempt!.inputs) hidden.add(formatID(txID))
    const height = await client.avm.getHeight({})
    last = { block: await client.avm.getBlockByHeight({ height }), end: height + 5n }
    const state = new WalletState(walletKeys('test', { client, keys: me, store, clock: at.clock }))
    await state.view({}, 0)
    expect(flood.blocks).toBe(5)
    expect(state.outcomes.candidates.size).toBeLessThanOrEqual(64)
    // One request for the transaction that created the input for each block.
    expect(flood.parents).toBeLessThanOrEqual(10)
    flood.parents = 0
    await state.outcomes.decide({})
    expect(flood.parents).toBe(1)
    hidden.clear()
    await state.outcomes.decide({})
    expect(state.outcomes.candidates.size).toBe(0)
    expect(await store.payments(['a'])).toMatchObject([{ status: 'pending' }])
  })
})

describe('a rival whose input was created by a transaction that is withheld', () => {
  /** A pending payment and an accepted rival of it. */
  async function withheldParent(rivals: KeyChain) {
    let isHidden = true
    const { node, wallet, client } = await scene({
      blocks: 'manual',
      intercept: (call, next) =>
        isHidden && call.method === 'avm.getTx' ? errorFor(call, 'not found') : next(),
    })
    node.fund([addressOf(me), addressOf(third)], 3n * fee)
    const rival = await signedBy(wallet({ keys: rivals }))
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    node.restart()
    await client.avm.issueTx({ tx: rival.bytes })
    produceBlocks(node)
    const show = () => {
      isHidden = false
    }
    return { mine, rival, show }
  }

  it('rejects the payment if the same key has signed it', async () => {
    const { mine, rival } = await withheldParent(me)
    expect(await mine.resume()).toMatchObject([{ status: 'rejected', txID: rival.txID }])
  })

  it('rejects the payment only once that transaction can be read if another owner has signed it', async () => {
    const { mine, rival, show } = await withheldParent(third)
    expect(await mine.resume()).toMatchObject([{ status: 'pending' }])
    show()
    expect(await mine.resume()).toMatchObject([{ status: 'rejected', txID: rival.txID }])
    expect(hex.encode((await mine.payments(['a']))[0]!.txID!)).toBe(hex.encode(rival.txID))
  })
})
