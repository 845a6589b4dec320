import { describe, expect, it } from 'vitest'
import { txID as idOf, utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { memoryStore, StoreError } from '../../../src/wallet/store/index.ts'
import { addressOf, balanceOf, direct, fee, people, type Scene, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]

/** A store that knows an export of a move as accepted, before the node has its block. */
async function afterExport({ node, wallet }: Scene) {
  const scratch = wallet()
  const { draft, release } = await scratch.prepare.export({
    to: addressOf(you, 'P'),
    amount: fee,
    destinationChain: 'P',
  })
  const { bytes } = requireSigned(await scratch.sign(draft))
  release()
  const inputs: UTXOID[] = draft.utxos.map(({ txID, outputIndex }) => ({ txID, outputIndex }))
  const store = memoryStore()
  const { networkID, chainID } = node.context
  await store.bind({ networkID, chainID })
  await store.claim({
    kind: 'export',
    payments: [{ key: 'move', digest: new Uint8Array(32) }],
    bytes,
    fromHeight: 1n,
    leg: { chain: 'X', inputs, note: new Uint8Array() },
  })
  await store.recordAcceptance({ txID: idOf(bytes), inputs })
  return { store, bytes, spent: new Set(inputs.map(utxoKey)) }
}

/** Confirms, at most ten times: a call that signs without end would stop all timers. */
function counted() {
  const counter = {
    asked: 0,
    confirm: () => {
      if (++counter.asked > 10) throw new Error('asked too often')
      return true
    },
  }
  return counter
}

describe('an input that the store knows as spent and the node still lists', () => {
  it('is left out of the next draft', async () => {
    const at = await scene()
    for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 9n * fee)
    const { store, spent } = await afterExport(at)
    const counter = counted()
    const mine = at.wallet({ store, confirm: counter.confirm })
    const { txID } = await mine.transfer({ to: addressOf(you), amount: fee }, { key: 'a' })
    const { unsignedTx } = await at.client.avm.getTx({ txID })
    expect(unsignedTx.inputs.filter((input) => spent.has(utxoKey(input)))).toEqual([])
    expect(counter.asked).toBe(2)
  })

  it('is left behind by a batch, which says so', async () => {
    const at = await scene()
    for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 9n * fee)
    const { store, spent } = await afterExport(at)
    const mine = at.wallet({ store })
    const { txIDs, utxoCount, leftBehind } = await mine.sweep({ to: addressOf(you) })
    expect([txIDs.length, utxoCount]).toEqual([1, 1])
    expect(leftBehind).toMatchObject([{ reason: 'reserved', amount: 9n * fee }])
    const { unsignedTx } = await at.client.avm.getTx({ txID: txIDs[0]! })
    expect(unsignedTx.inputs.filter((input) => spent.has(utxoKey(input)))).toEqual([])
    expect(await mine.balances()).toMatchObject([{ spendable: 9n * fee, reserved: 0n }])
  })

  it('is waited for until the time limit, and released then', async () => {
    const at = await scene()
    at.node.fund(addressOf(me), 9n * fee)
    const { store } = await afterExport(at)
    const counter = counted()
    const mine = at.wallet({ store, confirm: counter.confirm, wait: { timeoutMs: 3_000 } })
    const start = at.clock.slept()
    await expect(
      mine.transfer({ to: addressOf(you), amount: fee }, { key: 'a' }),
    ).rejects.toMatchObject({ code: 'BUILDER_INSUFFICIENT_FUNDS' })
    expect(at.clock.slept() - start).toBeLessThan(4_000)
    expect(counter.asked).toBe(1)
    expect(await mine.balances()).toMatchObject([{ spendable: 9n * fee, reserved: 0n }])
  })

  it('makes room for the change once the node has the block', async () => {
    const at = await scene()
    at.node.fund(addressOf(me), 9n * fee)
    const { store, bytes } = await afterExport(at)
    const counter = counted()
    const mine = at.wallet({ store, confirm: counter.confirm })
    const paying = mine.transfer({ to: addressOf(you), amount: fee }, { key: 'a' })
    at.clock.sleep(2_000).then(() => direct(at.node).avm.issueTx({ tx: bytes }))
    await paying
    expect(await balanceOf(at.node, you)).toBe(fee)
    expect(counter.asked).toBe(2)
  })
})

describe('a store that refuses every input', () => {
  it('ends the call at its time limit', async () => {
    const { node, wallet, clock } = await scene()
    node.fund(addressOf(me), 9n * fee)
    const store = {
      ...memoryStore(),
      claim: async () => {
        throw new StoreError('INPUT_CLAIMED', 'inputs are claimed by other payments')
      },
    }
    const counter = counted()
    const confirm = async () => {
      await clock.sleep(500)
      return counter.confirm()
    }
    const mine = wallet({ store, confirm, wait: { timeoutMs: 2_000 } })
    await expect(mine.transfer({ to: addressOf(you), amount: fee })).rejects.toMatchObject({
      code: 'INPUT_CLAIMED',
    })
    expect(counter.asked).toBeLessThan(6)
  })
})

it('the inputs of a pending payment are reserved, also in a wallet that finds it in the store', async () => {
  let isDown = true
  const at = await scene({
    intercept: async ({ method }, next) => {
      if (isDown && method === 'avm.issueTx') throw new TypeError('fetch failed')
      return next()
    },
  })
  for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 9n * fee)
  const store = memoryStore()
  const early = at.wallet({ store, wait: { timeoutMs: 1_000 } })
  const call = { to: addressOf(you), amount: fee }
  await expect(early.transfer(call, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
  expect(await early.balances()).toMatchObject([{ spendable: 9n * fee, reserved: 9n * fee }])
  const late = at.wallet({ store, wait: { timeoutMs: 1_000 } })
  await expect(late.transfer(call, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
  expect(await late.balances()).toMatchObject([{ spendable: 9n * fee, reserved: 9n * fee }])
  isDown = false
  await late.transfer(call, { key: 'a' })
  expect(await late.balances()).toMatchObject([{ spendable: 16n * fee, reserved: 0n }])
})
