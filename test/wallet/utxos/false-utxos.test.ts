import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import { decodeUTXO, encodeUTXO, type UTXO } from '../../../src/core/chain/x/utxo.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { resultFor } from '../requests.ts'
import { addressOf, balanceOf, fee, people, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const UNIT = 10n * fee
const payment = { to: addressOf(you), amount: 5n * UNIT }
const pending = { code: 'TX_PENDING' }
const wait = { timeoutMs: 3_000 }

const withAmount = (utxo: UTXO, amount: bigint): UTXO => {
  if (utxo.output.type !== 'secp256k1fx.TransferOutput') throw new Error('not a transfer output')
  return { ...utxo, output: { ...utxo.output, amount } }
}

/** Says that the last UTXO of the page has a hundred times its amount. */
const inflated = (utxos: UTXO[]): UTXO[] => [
  ...utxos.slice(0, -1),
  withAmount(utxos.at(-1)!, 100n * UNIT),
]

/** Adds a UTXO that does not exist, of 4.5 units: a payment of 5 spends a real one beside it. */
const invented = (utxos: UTXO[]): UTXO[] => [
  ...utxos,
  withAmount({ ...utxos.at(-1)!, txID: new Uint8Array(32) }, (9n * UNIT) / 2n),
]

/** A node whose list of UTXOs is changed by `lie` until `isHonest` is set. */
async function lyingScene(lie: (utxos: UTXO[]) => UTXO[]) {
  const state = { isHonest: false }
  const at = await scene({
    intercept: async (call, next) => {
      const reply = await next()
      if (state.isHonest || call.method !== 'avm.getUTXOs') return reply
      const { result } = await reply.json()
      const shown: UTXO[] = result.utxos.map((text: string) => decodeUTXO(checkedHex.decode(text)))
      const utxos = lie(shown).map((utxo) => checkedHex.encode(encodeUTXO(utxo)))
      return resultFor(call, { ...result, utxos, numFetched: String(utxos.length) })
    },
  })
  // More blocks than are read again after the walk.
  for (let i = 0; i < 12; i++) at.node.fund(addressOf(me), UNIT)
  return Object.assign(state, at)
}

async function attemptsOf(store: Store) {
  const attempts = []
  for await (const attempt of store.attempts()) attempts.push(attempt)
  return attempts
}

describe('a payment that spends a UTXO of a false amount', () => {
  it('is drafted again by the next call with its key, once the node is honest', async () => {
    const at = await lyingScene(inflated)
    const store = memoryStore()
    const mine = at.wallet({ store, wait })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    at.isHonest = true
    await mine.transfer(payment, { key: 'a' })
    expect(await balanceOf(at.node, you)).toBe(payment.amount)
    expect(await attemptsOf(store)).toEqual([])
  })

  it('is not signed with other content while the node repeats the amount', async () => {
    const at = await lyingScene(inflated)
    const store = memoryStore()
    let asked = 0
    const confirm = () => {
      asked++
      return true
    }
    const mine = at.wallet({ store, wait, confirm })
    for (let i = 0; i < 3; i++)
      await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    expect(asked).toBe(1)
  })

  it('is canceled', async () => {
    const at = await lyingScene(inflated)
    const mine = at.wallet({ wait })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    at.isHonest = true
    expect(await mine.cancel('a')).toMatchObject({ status: 'canceled' })
    expect(await mine.balances()).toMatchObject([{ spendable: 12n * UNIT - fee, reserved: 0n }])
    expect(await balanceOf(at.node, you)).toBe(0n)
  })

  it('is canceled after a cancellation with the false amount, in another process', async () => {
    const at = await lyingScene(inflated)
    const store = memoryStore()
    const early = at.wallet({ store, wait })
    await expect(early.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    await expect(early.cancel('a')).rejects.toMatchObject(pending)
    at.isHonest = true
    expect(await at.wallet({ store }).cancel('a')).toMatchObject({ status: 'canceled' })
    expect(await balanceOf(at.node, me)).toBe(12n * UNIT - fee)
  })
})

describe('a payment that spends a UTXO that does not exist beside others', () => {
  it('is drafted again by the next call with its key, once the node is honest', async () => {
    const at = await lyingScene(invented)
    const store = memoryStore()
    await expect(at.wallet({ store, wait }).transfer(payment, { key: 'a' })).rejects.toMatchObject(
      pending,
    )
    at.isHonest = true
    await at.wallet({ store }).transfer(payment, { key: 'a' })
    expect(await balanceOf(at.node, you)).toBe(payment.amount)
    expect(await attemptsOf(store)).toEqual([])
  })

  it('is canceled with another input than an earlier cancellation', async () => {
    const at = await lyingScene(invented)
    const store = memoryStore()
    const early = at.wallet({ store, wait })
    await expect(early.transfer(payment, { key: 'a' })).rejects.toMatchObject(pending)
    const [attempt] = await attemptsOf(store)
    expect(attempt!.inputs.length).toBeGreaterThan(1)
    const none = attempt!.inputs.find(({ txID }) => txID.every((byte) => byte === 0))!
    expect(none).toBeDefined()
    await early.cancel('a').catch(() => {})
    at.isHonest = true
    expect(await at.wallet({ store }).cancel('a')).toMatchObject({ status: 'canceled' })
  })
})

describe('checkUTXOs', () => {
  it('lists a UTXO of another amount, and corrects it', async () => {
    const at = await lyingScene(inflated)
    const mine = at.wallet()
    expect(await mine.balances()).toMatchObject([{ spendable: 111n * UNIT }])
    at.isHonest = true
    const { missing, extra } = await mine.checkUTXOs()
    expect(missing).toHaveLength(1)
    expect(extra.map(utxoKey)).toEqual(missing.map(utxoKey))
    expect(await mine.balances()).toMatchObject([{ spendable: 12n * UNIT }])
    expect(await mine.checkUTXOs()).toEqual({ missing: [], extra: [] })
  })
})
