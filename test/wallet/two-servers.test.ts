import { expect, it } from 'vitest'
import { txID as idOf } from '../../src/chain/index.ts'
import type { KeyChain } from '../../src/crypto/index.ts'
import { createDevNode } from '../../src/devnode/index.ts'
import { checkedHex, formatID } from '../../src/encoding/index.ts'
import { createNodeClient, type Fetch } from '../../src/rpc/index.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { fakeClock } from '../rpc/fake-clock.ts'
import { addressOf, balanceOf, fee, now, people } from './setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

/** Numbers that look random, from a seed. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
    mixed ^= mixed >>> 15
    return (mixed >>> 0) / 2 ** 32
  }
}

/** A payment over two servers of one network: both fail now and then, and the second has stopped following. */
async function payOverTwo(
  seed: number,
  isBalanced: boolean,
): Promise<{ paid: bigint; end: string }> {
  const random = chance(seed)
  const rate = random() * 0.8
  const isSlow = random() < 0.5
  const isEmpty = random() < 0.5
  const node = await createDevNode({ now, ...(isSlow ? { blocks: 'manual' } : {}) })
  for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
  const clock = fakeClock()
  const accepted = new Set<string>()
  const pages: string[] = []
  const broken = { 'a.test': false, 'b.test': false } as { [host: string]: boolean }
  const fetch: Fetch = async (url, init) => {
    const { hostname: asked } = new URL(url)
    const hostname = isBalanced && random() < 0.5 ? 'b.test' : asked
    const body = String(init.body)
    const { method, id, params } = JSON.parse(body)
    if (isSlow && random() < 0.05)
      try {
        node.produceBlock()
      } catch {
        // Nothing is pending.
      }
    // Broken for a while, or for a method.
    if (random() < 0.3) broken[`${hostname} ${method}`] = random() < rate
    const fails = broken[`${hostname} ${method}`] === true
    const early = random() < 0.5
    if (fails && early) throw new TypeError('gone')
    const reply = (part: object) => new Response(JSON.stringify({ jsonrpc: '2.0', id, ...part }))
    let response: Response
    if (hostname === 'b.test' && method === 'avm.issueTx') {
      const name = formatID(idOf(checkedHex.decode(params.tx)))
      response = isEmpty
        ? reply({
            error: {
              code: -32000,
              message: 'failed to verify transfer: failed to get utxo abc: not found',
              data: null,
            },
          })
        : reply({ result: { txID: name } })
    } else if (
      hostname === 'b.test' &&
      method === 'avm.getTx' &&
      (isEmpty || accepted.has(params.txID))
    )
      response = reply({ error: { code: -32000, message: 'not found', data: null } })
    else if (hostname === 'b.test' && method === 'avm.getUTXOs')
      response = new Response(pages[0]!.replace(/"id":\d+/, `"id":${id}`))
    else {
      if (method === 'avm.issueTx') accepted.add(formatID(idOf(checkedHex.decode(params.tx))))
      response = await node.fetch(url, init)
    }
    if (fails) throw new TypeError('gone')
    return response
  }
  const first = await node.fetch('http://a.test/ext/bc/X', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'avm.getUTXOs',
      params: { addresses: [addressOf(me)], limit: 1024, encoding: 'hex' },
    }),
  })
  const page = await first.text()
  // Where it stopped before the coins came, it does not even know those.
  pages.push(
    isEmpty
      ? page
          .replace(/"numFetched":"\d+"/, '"numFetched":"0"')
          .replace(/"utxos":\[[^\]]*\]/, '"utxos":[]')
      : page,
  )
  const client = createNodeClient({
    url: isBalanced ? 'http://a.test' : ['http://a.test', 'http://b.test'],
    fetch,
    clock,
  })
  const wallet = createWallet({ client, keys: me, clock })
  const end = await wallet.transfer(payment, { wait: { timeoutMs: 60_000 } }).then(
    () => 'accepted',
    (error) => error.code as string,
  )
  if (isSlow)
    try {
      node.produceBlock()
    } catch {
      // Nothing is pending.
    }
  await wallet.resume().catch(() => {})
  if (isSlow)
    try {
      node.produceBlock()
    } catch {
      // Nothing is pending.
    }
  const result = { paid: await balanceOf(node, you), end }
  await node.close()
  return result
}

const from = Number(process.env.FROM ?? 1)
const count = Number(process.env.COUNT ?? 100)

for (const isBalanced of [false, true])
  it(`a payment is never made twice over two nodes behind ${isBalanced ? 'one address' : 'two addresses'}`, {
    timeout: 600_000,
  }, async () => {
    const wrong: unknown[] = []
    for (let seed = from; seed < from + count; seed++) {
      const { paid, end } = await payOverTwo(seed, isBalanced)
      const mayBe = end === 'accepted' ? [5n] : end === 'TX_OPEN' ? [0n, 5n] : [0n]
      if (!mayBe.includes(paid)) wrong.push({ seed, paid, end })
    }
    expect(wrong).toEqual([])
  })
