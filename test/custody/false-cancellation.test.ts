import { describe, expect, it } from 'vitest'
import { equalBytes } from '../../src/core/base/bytes/compare.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { type Block, encodeBlock } from '../../src/core/chain/x/block.ts'
import { blockID, txID as idOf, utxoKey } from '../../src/core/chain/x/ids.ts'
import { consumedUTXOs } from '../../src/core/chain/x/spends.ts'
import type { UTXOID } from '../../src/core/chain/x/transferables.ts'
import { decodeTx } from '../../src/core/chain/x/tx.ts'
import { requireSigned } from '../../src/core/sign/job.ts'
import { databaseStore } from '../../src/custody/database/store.ts'
import type { Custody } from '../../src/custody/index.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { collect } from '../wallet/store/samples.ts'
import { clientOf, instead } from './servers.ts'
import {
  AVAX,
  allApplied,
  allPayouts,
  balances,
  keysOf,
  payoutsTo,
  receiver,
  scene,
  until,
} from './setup.ts'

/** A custody system with a single server that can withhold transactions, and show blocks with them. */
async function lyingServer(utxos = 4) {
  const withheld: Uint8Array[] = []
  const blocks: Block[] = []
  let isLying = false
  const world = await scene()
  const { node, client, database, hot } = world
  for (let i = 0; i < utxos; i++) node.fund(hot, 10n * AVAX)
  const server = instead(node.fetch, ({ method, params }) => {
    if (!isLying) return undefined
    if (method === 'avm.issueTx') {
      const bytes = checkedHex.decode(params.tx!)
      withheld.push(bytes)
      return { error: { code: -32000, message: 'busy' } }
    }
    const block = blocks.find(({ height }) => String(height) === params.height)
    return method === 'avm.getBlockByHeight' && block !== undefined
      ? { result: { block: checkedHex.encode(encodeBlock(block)), encoding: 'hex' } }
      : undefined
  })
  const attempts = async (kind: string) => {
    const rows = await database.query<{ bytes: Uint8Array; outcome: string | null }>(
      'SELECT bytes, outcome FROM @.attempts WHERE kind = $1 ORDER BY seq',
      [kind],
    )
    return rows.map(({ bytes, outcome }) => ({ bytes: new Uint8Array(bytes), outcome }))
  }
  return {
    ...world,
    liar: clientOf(world, [server]),
    limits: { resendMs: 100, spareUTXOs: 0 },
    withheld,
    attempts,
    lie: () => {
      isLying = true
    },
    hideBlocks: () => blocks.splice(0),
    beHonest: () => {
      isLying = false
      blocks.splice(0)
    },
    /** Shows a transaction in a block of its own. */
    show: async (bytes: Uint8Array) => {
      const height = await client.avm.getHeight({})
      const last = blocks.at(-1) ?? (await client.avm.getBlockByHeight({ height }))
      const parentID = blockID(encodeBlock(last))
      blocks.push({ ...last, parentID, height: last.height + 1n, txs: [decodeTx(bytes)] } as Block)
    },
    /** Issues a transaction at the node itself. Returns whether it was accepted. */
    release: (bytes: Uint8Array) =>
      client.avm.issueTx({ tx: bytes }).then(
        () => client.waitForTx(bytes).then(() => true),
        () => false,
      ),
  }
}

type World = Awaited<ReturnType<typeof lyingServer>>

/** Withholds a transaction with two payouts and shows the cancellation of the first one, so that the other is repeated. */
async function repeatAfterLie(at: World, custody: Custody, meanwhile?: () => Promise<unknown>) {
  at.work(custody)
  await allApplied(custody)
  at.lie()
  await custody.requestPayouts(payoutsTo(1, 2))
  await allPayouts(custody, 'pending')
  const [first] = await at.attempts('payment')
  await custody.cancel(['p0'])
  const [cancellation] = await until('cancellation', async () => {
    const list = await at.attempts('cancellation')
    return list.length > 0 && list
  })
  await meanwhile?.()
  await at.show(cancellation!.bytes)
  await allPayouts(custody, 'canceled', ['p0'])
  const repeat = await until('repeat', async () => (await at.attempts('payment'))[1])
  return { first: first!.bytes, cancellation: cancellation!.bytes, repeat: repeat.bytes }
}

describe('a server that shows a cancellation which it has withheld', () => {
  it('does not make custody pay another payout of the transaction twice', async () => {
    const at = await lyingServer()
    const custody = await at.open({ client: at.liar, limits: at.limits })
    const { first, repeat } = await repeatAfterLie(at, custody)
    expect(await at.release(repeat)).toBe(false)
    expect(await at.release(first)).toBe(true)
    expect(await balances(at, 1, 2)).toEqual([AVAX, AVAX])
    at.beHonest()
    at.node.fund(receiver(60), AVAX)
    await allPayouts(custody, 'paid')
    await until('ended', async () => (await custody.status()).pendingTransactions === 0)
    expect(await balances(at, 1, 2)).toEqual([AVAX, AVAX])
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  for (const isLate of [false, true])
    it(`does not keep other payouts of the repeat from being made${isLate ? ', even if the first transaction is accepted late' : ''}`, async () => {
      const at = await lyingServer(1)
      const custody = await at.open({ client: at.liar, limits: at.limits })
      const other = { key: 'other', to: receiver(3), amount: AVAX }
      const { first, repeat } = await repeatAfterLie(at, custody, () =>
        custody.requestPayouts([other]),
      )
      const [pending] = await allPayouts(custody, 'pending', ['other'])
      expect(pending!.txID).toEqual(idOf(repeat))
      if (isLate) {
        // It shows the true blocks, and still withholds transactions.
        at.hideBlocks()
        for (let i = 0; i < 2; i++) at.node.fund(receiver(60), AVAX)
        await until('reverted', () => at.events.some(({ event }) => event === 'chain.reverted'))
        await allApplied(custody)
      }
      expect(await at.release(first)).toBe(true)
      at.beHonest()
      at.node.fund(receiver(60), AVAX)
      const [paid] = await allPayouts(custody, 'paid', ['other'])
      expect(paid!.txID).not.toEqual(idOf(repeat))
      expect(await balances(at, 1, 2, 3)).toEqual([AVAX, AVAX, AVAX])
      expect(await custody.audit()).toMatchObject({ balanced: true })
    })

  it('does not make custody cancel a payout that the first transaction can still make', async () => {
    const at = await lyingServer(16)
    const custody = await at.open({ client: at.liar, limits: at.limits })
    // The repeat spends most UTXOs; only those of the cancellation show that the first transaction has ended.
    const other = { key: 'other', to: receiver(3), amount: 155n * AVAX }
    const { first, cancellation, repeat } = await repeatAfterLie(at, custody, () =>
      custody.requestPayouts([other]),
    )
    await custody.cancel(['p1'])
    const later = await until('cancellation', async () => (await at.attempts('cancellation'))[1])
    const inputsOf = (bytes: Uint8Array) => consumedUTXOs(decodeTx(bytes).unsignedTx)
    expect(inputsOf(repeat).length).toBeGreaterThan(12)
    const ofFirst = new Set(inputsOf(first).map(utxoKey))
    const showsEnd = (id: UTXOID) =>
      equalBytes(id.txID, idOf(cancellation)) || ofFirst.has(utxoKey(id))
    expect(inputsOf(later.bytes).some(showsEnd)).toBe(true)
  })

  it('does not leave payouts pending for ever once it is honest', async () => {
    const at = await lyingServer()
    const custody = await at.open({ client: at.liar, limits: at.limits })
    const { first } = await repeatAfterLie(at, custody)
    // Nobody else makes a block, so only what custody issues again can show that it was a lie.
    at.beHonest()
    const [p1] = await allPayouts(custody, 'paid', ['p1'])
    await until('ended', async () => (await custody.status()).pendingTransactions === 0)
    const [p0] = await custody.payouts({ keys: ['p0'] })
    const isFirst = equalBytes(p1!.txID!, idOf(first))
    expect(p0!.status).toBe(isFirst ? 'paid' : 'canceled')
    expect(await balances(at, 1, 2)).toEqual([isFirst ? AVAX : 0n, AVAX])
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('and then the transaction itself makes custody believe the latter', async () => {
    const at = await lyingServer()
    const custody = await at.open({ client: at.liar, limits: at.limits })
    const { first } = await repeatAfterLie(at, custody)
    await at.show(first)
    const list = await allPayouts(custody, 'paid')
    for (const { txID, held } of list) {
      expect(txID).toEqual(idOf(first))
      expect(held).toBe(false)
    }
    expect(await at.attempts('payment')).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'rejected' },
    ])
    expect((await custody.status()).pendingTransactions).toBe(0)
  })

  for (const isFollowed of [false, true])
    it(`does not make a wallet with the same database pay a key twice${isFollowed ? ', while custody follows the chain' : ''}`, async () => {
      const at = await lyingServer()
      const store = databaseStore(at.database)
      if (isFollowed) {
        const custody = await at.open({ client: at.liar, limits: at.limits })
        at.work(custody)
        await allApplied(custody)
      }
      const wallet = createWallet({ client: at.liar, keys: at.keys, store })
      const payment = { to: receiver(1), amount: AVAX }
      const soon = { timeoutMs: 300 }
      // On a busy machine the time may be over before anything is claimed.
      const claimed = (call: () => Promise<unknown>, kind: 'payment' | 'cancellation', n: number) =>
        until(kind, async () => {
          await call().catch(() => {})
          return (await at.attempts(kind))[n]
        })
      const pay = () => wallet.transfer(payment, { key: 'a', wait: soon })
      at.lie()
      const first = await claimed(pay, 'payment', 0)
      const cancel = () => wallet.cancel('a', { wait: soon })
      const cancellation = await claimed(cancel, 'cancellation', 0)
      await at.show(cancellation.bytes)
      expect(await wallet.cancel('a')).toMatchObject({ status: 'canceled' })
      const [record] = await store.payments(['a'])
      expect(record!.ended).toMatchObject([{ rival: idOf(cancellation.bytes) }])
      expect(record!.ended![0]!.evidence.length).toBeGreaterThan(0)
      const repeat = await claimed(pay, 'payment', 1)
      expect(await at.release(repeat.bytes)).toBe(false)
      expect(await at.release(first.bytes)).toBe(true)
      at.beHonest()
      expect(await wallet.transfer(payment, { key: 'a' })).toMatchObject({
        txID: idOf(first.bytes),
      })
      expect(await balances(at, 1)).toEqual([AVAX])
    })
})

describe('a claim that repeats a payment', () => {
  it('is refused if it spends nothing that shows that the earlier attempt cannot be accepted', async () => {
    const at = await lyingServer()
    const custody = await at.open({ client: at.liar, limits: at.limits })
    at.work(custody)
    await allApplied(custody)
    const store = databaseStore(at.database)
    const [page] = await collect(at.client.utxoPages({ addresses: at.keys.addresses }))
    /** A transaction that pays with a UTXO. */
    const sign = async ({ txID, outputIndex }: UTXOID, to: string) => {
      // A new wallet, because the former one has reserved the UTXO.
      const wallet = createWallet({ client: at.client, keys: at.keys })
      const pinned = [{ txID, outputIndex }]
      const draft = await wallet.prepare.transfer({ to, amount: AVAX, choose: { pinned } })
      return requireSigned(await wallet.sign(draft)).bytes
    }
    const [spent, other] = page!.utxos
    const bytes = await sign(spent!, receiver(1))
    const digest = new Uint8Array(32).fill(1)
    const payments = [{ key: 'k', digest }]
    await store.claim({ kind: 'payment', payments, bytes, fromHeight: 1n })
    const rival = await sign(spent!, receiver(2))
    expect(await at.release(rival)).toBe(true)
    await until('rejected', async () => (await store.payments(['k']))[0]!.status === 'rejected')
    const [record] = await store.payments(['k'])
    const evidence = record!.ended!.flatMap((one) => one.evidence)
    expect(evidence).toHaveLength(1)
    const unrelated = await sign(other!, receiver(1))
    await expect(
      store.claim({ kind: 'payment', payments, bytes: unrelated, fromHeight: 1n }),
    ).rejects.toMatchObject({ code: 'EVIDENCE_UNSPENT' })
    // Its change is spent in turn, and then the change of that shows it.
    expect(await at.release(await sign(evidence[0]!, receiver(3)))).toBe(true)
    const next = await until('followed', async () => {
      const [later] = await store.payments(['k'])
      const [id] = later!.ended![0]!.evidence
      return id !== undefined && utxoKey(id) !== utxoKey(evidence[0]!) && id
    })
    const proven = await sign(next, receiver(1))
    await store.claim({ kind: 'payment', payments, bytes: proven, fromHeight: 1n })
  })
})

describe('a payout whose transaction was ended by one that pays only others', () => {
  for (const [quorum, policy] of [[1], [1, () => ({ action: 'pay' as const })], [2]] as const)
    it(`is ${quorum === 1 ? 'held until it is released' : 'made again'} with a quorum of ${quorum}${policy ? ' and a policy' : ''}`, async () => {
      const at = await lyingServer()
      const { client, keys, node } = at
      let isLost = true
      const server = instead(node.fetch, ({ method }) =>
        method === 'avm.issueTx' && isLost
          ? { error: { code: -32000, message: 'busy' } }
          : undefined,
      )
      const servers = clientOf(at, [server, server])
      const custody = await at.open({ client: servers, quorum, policy, limits: at.limits })
      at.work(custody)
      await allApplied(custody)
      await custody.requestPayouts(payoutsTo(1))
      await allPayouts(custody, 'pending')
      const [first] = await at.attempts('payment')
      const pinned = consumedUTXOs(decodeTx(first!.bytes).unsignedTx)
      const amount = BigInt(pinned.length) * 10n * AVAX - 1_000_000n
      const other = createWallet({ client, keys })
      const { txID } = await other.transfer({ to: receiver(50), amount, choose: { pinned } })
      isLost = false
      if (quorum === 1) {
        const [held] = await until('held', async () => {
          const list = await custody.payouts()
          return list[0]!.held && list
        })
        expect(held!.note).toContain(formatID(txID))
        expect(await balances(at, 1)).toEqual([0n])
        await custody.release(['p0'])
      }
      await allPayouts(custody, 'paid')
      expect(await balances(at, 1)).toEqual([AVAX])
    })
})

describe('a cancellation', () => {
  it('has an output of the hot wallet for each payout of the transaction', async () => {
    const at = await lyingServer()
    const custody = await at.open({ client: at.liar, limits: at.limits })
    at.work(custody)
    await allApplied(custody)
    at.lie()
    await custody.requestPayouts(payoutsTo(1, 2, 3, 4))
    await allPayouts(custody, 'pending')
    await custody.cancel(['p2'])
    const [cancellation] = await until('cancellation', async () => {
      const list = await at.attempts('cancellation')
      return list.length > 0 && list
    })
    const { outputs } = decodeTx(cancellation!.bytes).unsignedTx
    expect(outputs).toHaveLength(4)
    for (const { output } of outputs) {
      expect(output.addresses).toEqual([...keysOf(1).addresses])
      expect(output.locktime).toBe(0n)
    }
  })
})

describe('a payout that must spend what another transaction spends', () => {
  for (const hasPolicy of [false, true])
    it(`waits, and later ones are made${hasPolicy ? ', with a policy' : ''}`, async () => {
      const at = await lyingServer()
      const { database } = at
      const policy = () => ({ action: 'pay' as const })
      const options = { client: at.liar, limits: at.limits, ...(hasPolicy && { policy }) }
      const custody = await at.open(options)
      const stop = at.work(custody)
      await allApplied(custody)
      at.lie()
      await custody.requestPayouts(payoutsTo(1, 2))
      await allPayouts(custody, 'pending')
      await custody.cancel(['p0'])
      const [cancellation] = await until('cancellation', async () => {
        const list = await at.attempts('cancellation')
        return list.length > 0 && list
      })
      await stop()
      expect(await at.release(cancellation!.bytes)).toBe(true)
      at.beHonest()
      // Not to be made before the outputs of the cancellation are claimed.
      await database.query(`UPDATE @.payments SET not_before = now() + interval '1 day'`)
      at.work(await at.open(options))
      await until('queued', async () => (await custody.payouts())[1]!.status === 'queued')
      const claim = (isClaimed: boolean) =>
        database.query('UPDATE @.outputs SET claimed = $2 WHERE tx_id = $1', [
          idOf(cancellation!.bytes),
          isClaimed,
        ])
      await claim(true)
      await database.query('UPDATE @.payments SET not_before = NULL')
      await custody.requestPayouts([{ key: 'later', to: receiver(3), amount: AVAX }])
      await allPayouts(custody, 'paid', ['later'])
      expect((await custody.payouts())[1]).toMatchObject({ status: 'queued', held: false })
      await claim(false)
      await allPayouts(custody, 'paid', ['p1'])
      expect(await balances(at, 1, 2, 3)).toEqual([0n, AVAX, AVAX])
    })
})
