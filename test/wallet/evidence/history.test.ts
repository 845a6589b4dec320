import { describe, expect, it, onTestFinished } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { type Block, encodeBlock } from '../../../src/core/chain/x/block.ts'
import { blockID } from '../../../src/core/chain/x/ids.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { createDevNode, type DevNode } from '../../../src/devnode/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { type Call, errorFor, resultFor } from '../requests.ts'
import { addressOf, balanceOf, direct, fee, people, scene } from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }
const url = ['http://a.test', 'http://b.test']

/** Another holder of the keys spends a UTXO; then more blocks are accepted than the wallet applies again after a walk. */
async function spendElsewhere(node: DevNode, blocks: number) {
  const other = createWallet({ client: direct(node), keys: me })
  const receipt = await other.transfer({ to: addressOf(third), amount: 7n })
  for (let i = 0; i < blocks; i++) node.fund(addressOf(third), fee)
  return receipt
}

/** A node whose URL leads to one that is `blocks` behind for `getUTXOs`, until `catchUp` is called. */
async function withLaggingPages(blocks: number) {
  const lagging = await createDevNode({ now: 1_700_000_000, blocks: 'manual' })
  onTestFinished(() => lagging.close())
  let isLagging = true
  const at = await scene({
    through: (fetch) => (to, init) =>
      isLagging && String(init.body).includes('avm.getUTXOs')
        ? lagging.fetch(to, init)
        : fetch(to, init),
  })
  for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 30n * fee)
  lagging.restore(at.node.snapshot())
  await spendElsewhere(at.node, blocks)
  await spendElsewhere(at.node, 0)
  for (let i = 0; i < blocks; i++) at.node.fund(addressOf(third), fee)
  return {
    ...at,
    catchUp: () => {
      isLagging = false
    },
  }
}

describe('a payment with a UTXO that was spent long before its claim', () => {
  it('is rejected, and made by the next call once servers are up to date', async () => {
    const { node, wallet, catchUp } = await withLaggingPages(40)
    const mine = wallet({ store: memoryStore() })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'PAYMENT_REJECTED',
    })
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'rejected' }])
    catchUp()
    await mine.transfer(payment, { key: 'a' })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is made with other UTXOs in the same call if servers catch up meanwhile', async () => {
    const { node, wallet, catchUp } = await withLaggingPages(40)
    const mine = wallet()
    await mine.balances()
    catchUp()
    await mine.transfer(payment)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is rejected if it was signed long before it is submitted', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 30n * fee)
    const signed = requireSigned(await wallet().sign(await wallet().prepare.transfer(payment)))
    const rival = await spendElsewhere(node, 40)
    const mine = wallet()
    await expect(mine.submit(signed, { key: 'a' })).rejects.toMatchObject({
      code: 'PAYMENT_REJECTED',
      txID: rival.txID,
    })
    expect((await mine.sweep({ to: addressOf(third) })).resumed).toEqual([])
  })

  it('is rejected by a resume in another process', async () => {
    const { node, wallet, catchUp } = await withLaggingPages(40)
    const store = memoryStore()
    const brief = wallet({ store, wait: { timeoutMs: 500 } })
    await expect(brief.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'TX_PENDING',
    })
    catchUp()
    expect(await wallet({ store }).resume()).toMatchObject([{ keys: ['a'], status: 'rejected' }])
    expect(await balanceOf(node, you)).toBe(0n)
  })
})

describe('a sweep of UTXOs that were spent long before', () => {
  it('moves what is left once servers are up to date', async () => {
    const { node, wallet, catchUp } = await withLaggingPages(12)
    const mine = wallet()
    await mine.balances()
    catchUp()
    const { txIDs, resumed } = await mine.sweep({ to: addressOf(you) })
    expect(resumed).toEqual([])
    expect(txIDs.length).toBeGreaterThan(0)
    expect(await balanceOf(node, me)).toBe(0n)
  })
})

/** Two servers, the first of which extends the chain with invented empty blocks and knows no transaction. */
async function withInventedBlocks() {
  let last: Block | undefined
  let isNext = false
  const invented = new Map<string, string>()
  const answer = (call: Call, next: () => Promise<Response>) => {
    if (call.host !== 'a.test' || last === undefined) return next()
    if (call.method === 'avm.getTx') return errorFor(call, 'not found')
    if (call.method === 'avm.issueTx') return resultFor(call, { txID: call.txID })
    if (call.method !== 'avm.getBlockByHeight') return next()
    const height = BigInt(String(call.params.height))
    isNext = !isNext
    if (height === last.height + 1n && isNext) {
      last = { ...last, parentID: blockID(encodeBlock(last)), height, txs: [] }
      invented.set(String(height), checkedHex.encode(encodeBlock(last)))
    }
    const block = invented.get(String(height))
    if (block !== undefined) return resultFor(call, { block, encoding: 'hex' })
    return height > last.height ? errorFor(call, 'not found') : next()
  }
  const at = await scene({ url, intercept: answer })
  at.node.fund(addressOf(me), 30n * fee)
  const mine = at.wallet()
  await mine.balances()
  const client = direct(at.node)
  const deceive = async () => {
    last = await client.avm.getBlockByHeight({ height: await client.avm.getHeight({}) })
  }
  return { ...at, mine, deceive }
}

describe('with a first server that invents empty blocks', () => {
  it('a payment is accepted if the other server has it', async () => {
    const { node, mine, deceive } = await withInventedBlocks()
    await deceive()
    await mine.transfer(payment)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('a payment is rejected if the other server has a rival', async () => {
    const { node, mine, deceive } = await withInventedBlocks()
    const prepared = await mine.prepare.transfer(payment)
    const signed = requireSigned(await mine.sign(prepared))
    await deceive()
    const { txID } = await spendElsewhere(node, 0)
    await expect(mine.submit(signed)).rejects.toMatchObject({ code: 'PAYMENT_REJECTED', txID })
  })
})
