import { describe, expect, it } from 'vitest'
import { evmAddressOf } from '../../../src/core/c-chain.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
  type Fetch,
} from '../../../src/node/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { falsified } from '../false-entries.ts'
import { intercepted, withResult } from '../requests.ts'
import { AVAX, keys, moveScene } from './setup.ts'

it('a move of everything from P leaves behind what is worth too little, and what servers disagree about', async () => {
  const { node, clock, wallet } = await moveScene()
  node.pChain.fund({ address: keys.addresses[0]!, amount: 1n })
  const reach: Fetch = (url, init) => node.fetch(url.replace(/[ab]\.test/, 'node.test'), init)
  const is40 = ({ output }: UTXO) => 'amount' in output && output.amount === 40n * AVAX
  const at = {
    url: ['http://a.test', 'http://b.test'],
    fetch: intercepted(reach, ({ host, method }, next) =>
      host === 'b.test' && method === 'platform.getUTXOs'
        ? falsified(next, (utxo) => (is40(utxo) ? [] : [utxo]))
        : next(),
    ),
    clock,
  }
  const mine = wallet({
    client: createNodeClient(at),
    pChain: createPChainClient(at),
    cChain: createCChainClient(at),
    quorum: 2,
  })
  const { leftBehind, exported, exportFee } = await mine.quoteMove({
    from: 'P',
    to: 'C',
    amount: 'all',
  })
  expect(leftBehind).toBe(40n * AVAX + 1n)
  expect(exported[0]!.amount).toBe(60n * AVAX - exportFee)
})

describe('the replacement of a move of everything from C', () => {
  const account = evmAddressOf(keys.publicKeys[0]!)

  /** What is left on C if the first export was drafted with one balance, and the second with another. */
  const leftAfter = async (first: bigint, second: bigint) => {
    let isFirst = true
    const { node, wallet, ledger } = await moveScene({
      store: memoryStore(),
      intercept: ({ method }, next, init) => {
        if (method === 'avax.issueTx' && isFirst) return new Response('no', { status: 403 })
        const balance = `0x${(first * AVAX * AVAX).toString(16)}`
        return isFirst ? withResult('eth_getBalance', balance, next, init) : next()
      },
    })
    node.cChain.setBaseFee(25_000_000_000n)
    const call = { from: 'C', to: 'X', amount: 'all' } as const
    await expect(
      wallet({ wait: { timeoutMs: 2_000 } }).move(call, { key: 'a' }),
    ).rejects.toMatchObject({ code: 'TX_PENDING' })
    isFirst = false
    node.cChain.setAccount(account, { nonce: 0n, balance: second * AVAX * AVAX })
    // Needs a replacement.
    node.cChain.setBaseFee(50_000_000_000n)
    await wallet().move(call, { key: 'a' })
    return ledger.balance('C')
  }

  it('spends no more than the first one has', async () => {
    expect(await leftAfter(100n, 900n)).toBe(800n * AVAX)
  })
  it('spends no more than the account has', async () => {
    expect(await leftAfter(100n, 70n)).toBe(0n)
  })
})
