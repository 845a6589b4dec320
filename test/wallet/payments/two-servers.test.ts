import { expect, it } from 'vitest'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { createNodeClient, type Fetch } from '../../../src/node/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { seedsToRun } from '../../sim/seeds.ts'
import { intercepted } from '../requests.ts'
import { addressOf, balanceOf, fee, now, people, produceBlocks } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

/** Pseudo-random numbers from a seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
    mixed ^= mixed >>> 15
    return (mixed >>> 0) / 2 ** 32
  }
}

/**
 * One payment over two servers of one network. Both fail from time to time; the second one no longer follows the
 * chain. Behind one URL, each request goes to either of them.
 */
async function payOverTwo(
  seed: number,
  isBalanced: boolean,
): Promise<{ paid: bigint; outcome: string; resumed: readonly string[] }> {
  const random = randomFrom(seed)
  const rate = random() * 0.8
  const isSlow = random() < 0.5
  const node = await createDevNode({ now, ...(isSlow ? { blocks: 'manual' } : {}) })
  // The second server stopped before or after the UTXOs were created.
  const stopped = random() < 0.5 ? await createDevNode({ now, blocks: 'manual' }) : undefined
  for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
  const lagging = stopped ?? (await copyOf(node))
  const isBroken = new Map<string, boolean>()
  let isCalm = false
  const fetch: Fetch = async (url, init) => {
    const host = isBalanced && random() < 0.5 ? 'b.test' : new URL(url).hostname
    const server = host === 'b.test' && !isCalm ? lagging : node
    return intercepted(
      (to, request) => server.fetch(to, request),
      async ({ method }, next) => {
        if (isSlow && (isCalm || random() < 0.05)) produceBlocks(node)
        if (isCalm) return next()
        const place = `${host} ${method}`
        if (random() < 0.3) isBroken.set(place, random() < rate)
        const fails = isBroken.get(place) === true
        if (fails && random() < 0.5) throw new TypeError('fetch failed')
        const reply = await next()
        if (fails) throw new TypeError('fetch failed')
        return reply
      },
    )(url, init)
  }
  const clock = virtualClock()
  const url = isBalanced ? 'http://a.test' : ['http://a.test', 'http://b.test']
  const client = createNodeClient({ url, fetch, clock })
  const wallet = createWallet({ client, keys: me, clock })
  const outcome = await wallet.transfer(payment).then(
    () => 'accepted',
    (error) => error.code as string,
  )
  isCalm = true
  const resumed = (await wallet.resume()).map(({ status }) => status)
  const paid = await balanceOf(node, you)
  await Promise.all([node.close(), lagging.close()])
  return { paid, outcome, resumed }
}

/** A node with the same accepted blocks. */
async function copyOf(node: Awaited<ReturnType<typeof createDevNode>>) {
  const copy = await createDevNode({ now, blocks: 'manual' })
  copy.restore(node.snapshot())
  return copy
}

for (const isBalanced of [false, true])
  it(`a payment over an honest and a lagging server behind ${isBalanced ? 'one URL' : 'two URLs'} is made at most once, and ends when faults stop`, async () => {
    const wrong: unknown[] = []
    for (const seed of seedsToRun(60)) {
      const { paid, outcome, resumed } = await payOverTwo(seed, isBalanced)
      const isTrue =
        outcome === 'accepted'
          ? paid === 5n
          : outcome === 'TX_PENDING'
            ? resumed[0] === 'accepted' && paid === 5n
            : paid === 0n && resumed.length === 0
      if (!isTrue) wrong.push({ seed, paid, outcome, resumed })
    }
    expect(wrong).toEqual([])
  }, 600_000)
