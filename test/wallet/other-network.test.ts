import { describe, expect, it } from 'vitest'
import type { KeyChain } from '../../src/core/crypto/keychain.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { virtualClock } from '../helpers/virtual-clock.ts'
import { intercepted } from './requests.ts'
import { fee, now, people } from './setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: you.addresses[0]!, amount: 5n }
const mismatch = { code: 'STORE_MISMATCH' }

/** A wallet that has paid on one of two networks, and whose address leads to the one in `at.node`. */
async function switching() {
  const nodes = await Promise.all(
    [990_001, 990_002].map((networkID) => createDevNode({ now, networkID })),
  )
  const [first, second] = nodes as [DevNode, DevNode]
  for (const node of nodes) for (let i = 0; i < 3; i++) node.fund(me.addresses[0]!, 9n * fee)
  const issued: DevNode[] = []
  const at = { node: first }
  const clock = virtualClock()
  const client = createNodeClient({
    url: 'http://node.test',
    clock,
    fetch: intercepted(
      (to, init) => at.node.fetch(to, init),
      ({ method }, next) => {
        if (method === 'avm.issueTx') issued.push(at.node)
        return next()
      },
    ),
  })
  const wallet = createWallet({ client, clock, keys: me, wait: { timeoutMs: 5_000 } })
  await wallet.transfer(payment, { key: 'a' })
  // The call ends before the poll that has found its block.
  await wallet.balances()
  return { at, first, second, issued, wallet, clock }
}

describe('a client whose address leads to another network later', () => {
  it('makes every call fail that reads the network again, and later ones, without a signature', async () => {
    const { at, second, issued, wallet } = await switching()
    at.node = second
    issued.length = 0
    const confirm = () => {
      throw new Error('asked to sign')
    }
    await expect(wallet.consolidate({}, { confirm })).rejects.toMatchObject(mismatch)
    await expect(wallet.sweep({ to: payment.to }, { confirm })).rejects.toMatchObject(mismatch)
    await expect(wallet.transfer(payment, { key: 'b', confirm })).rejects.toMatchObject(mismatch)
    await expect(wallet.cancel('a')).rejects.toMatchObject(mismatch)
    await expect(wallet.balances()).rejects.toMatchObject(mismatch)
    expect(issued).toEqual([])
  })

  it('can be used again when its address is right', async () => {
    const { at, first, second, issued, wallet } = await switching()
    at.node = second
    await expect(wallet.consolidate()).rejects.toMatchObject(mismatch)
    at.node = first
    await wallet.transfer(payment, { key: 'b' })
    expect(await wallet.payments(['a', 'b'])).toMatchObject([
      { status: 'accepted' },
      { status: 'accepted' },
    ])
    expect(new Set(issued)).toEqual(new Set([first]))
  })

  it('cannot use the UTXOs of that network in a payment on the first', async () => {
    const { at, second, wallet, clock } = await switching()
    at.node = second
    // Long enough for the last block to be compared with the server's.
    clock.advance(20_000)
    await expect(wallet.transfer(payment, { key: 'b' })).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
    })
    expect(await wallet.payments(['b'])).toMatchObject([{ status: 'unknown' }])
  })
})
