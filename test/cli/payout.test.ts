import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { parseAmount } from '../../src/core/base/encoding/amount.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { ALICE_KEY, BOB, cli, devNode, secretFile } from './shell.ts'

describe('payout', () => {
  /** A node on which the payer has an amount, and a file of payments of 1 AVAX. */
  async function setting(funds: string, count: number, amount = '1') {
    const node = await devNode()
    const [address] = new KeyChain([ALICE_KEY]).addresses
    node.fund(formatAddress({ chain: 'X', hrp: 'local', address: address! }), parseAmount(funds))
    const lines = Array.from({ length: count }, (_, i) => `w${i + 1},${BOB},${amount}`)
    const file = secretFile(`${lines.join('\n')}\n`, 'payouts.csv')
    const env = { AVMKIT_KEY: ALICE_KEY }
    const payout = (...more: string[]) =>
      cli(['payout', file, '--yes', '--batch', '2', ...more], { node, env })
    return { node, payout, env, file }
  }

  it('pays nothing if the funds do not suffice for all', async () => {
    const { node, payout } = await setting('110', 3, '500.1')
    const before = node.stateDigest()
    const { code, error } = await payout()
    expect([code, error().code]).toEqual([1, 'PAYOUT_SHORT'])
    expect(error().message).toBe('needs 1,500.302 AVAX, has 110: nothing was paid')
    expect(error().hint).toContain('--partial')
    expect(node.stateDigest()).toEqual(before)
  })

  it('with --partial pays the first lines and says where it stopped, and later the rest', async () => {
    const { node, payout } = await setting('3.5', 5)
    const first = await payout('--partial')
    expect(first.code).toBe(1)
    expect(first.out.trimEnd().split('\n').at(-1)).toBe('3 of 5 paid, 2 not: next line 4')
    const none = await payout('--partial', '--json')
    expect(none.json()).toMatchObject({ paid: 0, paidBefore: 3, notPaid: 2, nextLine: 4 })
    const [address] = new KeyChain([ALICE_KEY]).addresses
    node.fund(formatAddress({ chain: 'X', hrp: 'local', address: address! }), parseAmount('2'))
    const rest = await payout('--json')
    expect([rest.code, rest.json()]).toMatchObject([0, { paid: 2, paidBefore: 3, notPaid: 0 }])
  })

  it('makes one transaction per payment with --batch 1', async () => {
    const { node, env, file } = await setting('10', 3)
    const ended = await cli(['payout', file, '--yes', '--batch', '1', '--json'], { node, env })
    expect([ended.code, ended.json()]).toMatchObject([0, { paid: 3 }])
    // One block of the grant, and one each.
    expect((await cli(['rpc', 'avm.getHeight'], { node })).out).toContain('"4"')
    const none = await cli(['payout', file, '--yes', '--batch', '0'], { node, env })
    expect([none.code, none.error().code]).toEqual([2, 'BAD_VALUE'])
  })

  it('prints what was paid before an error', async () => {
    const { node, env, file } = await setting('10', 6)
    let issued = 0
    const failing: typeof fetch = async (input, init) => {
      if (String(init?.body).includes('avm.issueTx') && ++issued > 1)
        throw new TypeError('connection refused')
      return node.fetch(input as string, init as never)
    }
    const argv = ['payout', file, '--yes', '--batch', '2', '--wait', '1', '--json']
    const ended = await cli(argv, { node, env, fetch: failing as never })
    expect([ended.code, ended.error().code]).toEqual([1, 'TX_PENDING'])
    expect(ended.json()).toMatchObject({ paid: 2, notPaid: 4, nextLine: 3 })
  })

  it('reports a missing file before it asks for confirmation', async () => {
    const node = await devNode()
    const ended = await cli(['payout', 'missing.csv'], { node, env: { AVMKIT_KEY: ALICE_KEY } })
    expect([ended.code, ended.error().code]).toEqual([1, 'FILE_UNREADABLE'])
  })
})
