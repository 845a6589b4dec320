import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../../src/core/base/encoding/address.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { encodeBlock } from '../../../src/core/chain/x/block.ts'
import { encodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { systemClock } from '../../../src/node/index.ts'
import { checked, sha256 } from '../../node/blocks/block-servers.ts'
import { type Call, resultFor } from '../requests.ts'
import { AVAX, addressOf, direct, fee, people, type Scene, scatter, scene } from '../setup.ts'

const [me] = people as [KeyChain]
const two = ['http://a.test', 'http://b.test']

/** A full page of UTXOs that nobody has created. */
function inventedPage(call: Call, number: number): Response {
  const utxos = Array.from({ length: 1024 }, (_, i) => {
    const txID = sha256(new TextEncoder().encode(`${number} ${i}`))
    const owners = { locktime: 0n, threshold: 1, addresses: [me.addresses[0]!] }
    const output = { type: 'secp256k1fx.TransferOutput' as const, amount: 1n, ...owners }
    return checked(encodeUTXO({ txID, outputIndex: 0, assetID: AVAX, output }))
  })
  const address = formatAddress({ chain: 'X', hrp: 'local', address: me.addresses[0]! })
  const utxo = formatID(sha256(new TextEncoder().encode(String(number))))
  const endIndex = { address, utxo }
  return resultFor(call, { numFetched: '1024', utxos, endIndex, encoding: 'hex' })
}

/** A scene whose server `a.test` lists invented UTXOs without end. */
async function withEndlessPages(url: readonly string[]): Promise<Scene & { pages: () => number }> {
  let pages = 0
  const made = await scene({
    url,
    intercept: async (call, next) => {
      await nextTurn()
      const isLie = call.host === 'a.test' && call.method === 'avm.getUTXOs'
      return isLie ? inventedPage(call, pages++) : next()
    },
  })
  made.node.fund(addressOf(me), 9n * fee)
  return { ...made, pages: () => pages }
}

describe('pages of invented UTXOs without end', () => {
  it('end in a typed error after a few pages', async () => {
    const { wallet, pages } = await withEndlessPages(two.slice(0, 1))
    const error = { code: 'REPLY_MISMATCH', method: 'avm.getUTXOs' }
    await expect(wallet().balances()).rejects.toMatchObject(error)
    await expect(wallet().utxos()).rejects.toMatchObject(error)
    expect(pages()).toBeLessThan(10)
  })

  it('are replaced by those of another server', async () => {
    const { wallet, pages } = await withEndlessPages(two)
    const mine = wallet({ clock: systemClock })
    const [balance] = await mine.balances()
    expect(balance?.spendable).toBe(9n * fee)
    expect((await mine.utxos()).size()).toBe(1)
    expect(pages()).toBeLessThan(10)
  })
})

it('pages of true UTXOs are read to the end, with few requests for their transactions', async () => {
  const asked: string[] = []
  const all = await scene({
    intercept: (call, next) => {
      asked.push(call.method)
      return next()
    },
  })
  await scatter(all, me, Array(4_500).fill(1n))
  expect((await all.wallet().utxos()).size()).toBe(4_500)
  expect(asked.filter((method) => method === 'avm.getTx')).toHaveLength(2)
})

describe('invented blocks without end', () => {
  /** A scene whose server `a.test` extends the chain by invented blocks. */
  async function withEndlessBlocks(url: readonly string[]) {
    let reads = 0
    const invented = new Map<number, { readonly id: Uint8Array; readonly text: string }>()
    const made = await scene({
      url,
      intercept: async (call, next) => {
        if (call.method !== 'avm.getBlockByHeight' || call.host !== 'a.test') return next()
        await nextTurn()
        reads++
        const height = Number(call.params.height)
        const { avm } = direct(made.node)
        const tip = Number(await avm.getHeight({}))
        if (height <= tip) return next()
        for (let at = tip + 1; at <= height; at++) {
          if (invented.has(at)) continue
          const real = () => avm.getBlockByHeight({ height: BigInt(tip), encoding: 'hex' })
          const parentID = invented.get(at - 1)?.id ?? sha256(encodeBlock(await real()))
          const bytes = encodeBlock({
            type: 'StandardBlock',
            parentID,
            height: BigInt(at),
            time: 1_700_000_000n,
            merkleRoot: new Uint8Array(32),
            txs: [],
          })
          invented.set(at, { id: sha256(bytes), text: checked(bytes) })
        }
        return resultFor(call, { block: invented.get(height)!.text, encoding: 'hex' })
      },
    })
    for (let i = 0; i < 3; i++) made.node.fund(addressOf(me), 9n * fee)
    return { ...made, reads: () => reads }
  }

  it('are not read after the calls that wait for them have ended', async () => {
    const { wallet, reads } = await withEndlessBlocks(two.slice(0, 1))
    const mine = wallet({ wait: { timeoutMs: 5_000 } })
    for (let i = 0; i < 2; i++)
      await expect(mine.balances()).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
    // Lets requests that are in progress end.
    for (let i = 0; i < 100; i++) await nextTurn()
    const before = reads()
    for (let i = 0; i < 500; i++) await nextTurn()
    expect(reads()).toBe(before)
  })

  it('are replaced by those of another server', async () => {
    const { wallet } = await withEndlessBlocks(two)
    const mine = wallet({ wait: { timeoutMs: 5_000 } })
    await expect(mine.balances()).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
    const [balance] = await mine.balances()
    expect(balance?.spendable).toBe(27n * fee)
    const [again] = await mine.balances()
    expect(again?.spendable).toBe(27n * fee)
  })
})
