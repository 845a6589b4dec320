import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/account.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import { isRunToday } from '../helpers/todays-cases.ts'
import { avmkit, type Child, ended } from './child.ts'
import { proxyTo } from './proxy.ts'
import { BOB, BOB_WORDS, cli, devNode, EWOQ, EWOQ_KEY, folder } from './shell.ts'

const AVAX = 1_000_000_000n

async function received(node: DevNode): Promise<bigint> {
  type Balance = { assets: { spendable: string }[] }
  const { assets } = (await cli(['balance', BOB, '--json'], { node })).json<Balance>()
  return BigInt(assets[0]?.spendable ?? '0')
}

type Paid = { readonly txID: string; readonly repeated: boolean }

describe('processes that share the default journal', () => {
  it('queue, and every payment arrives', async () => {
    const node = await devNode()
    const { url } = await node.listen()
    const env = { AVMKIT_URL: url, AVMKIT_KEY: EWOQ_KEY, HOME: folder() }
    const argv = ['send', BOB, '1', '--yes', '--json']
    const ends = await Promise.all(Array.from({ length: 6 }, () => avmkit(argv, env).exited))
    expect(ends.filter(({ code }) => code !== 0)).toEqual([])
    const ids = ends.map(({ out }) => (JSON.parse(out) as Paid).txID)
    expect(new Set(ids).size).toBe(6)
    for (const txID of ids) expect((await cli(['status', txID], { node })).out).toBe('accepted\n')
    expect(await received(node)).toBe(6n * AVAX)
    const said = ends.map(({ err }) => err).filter((err) => err !== '')
    for (const err of said)
      expect(JSON.parse(err)).toEqual({
        warning: { code: 'STORE_IN_USE', message: 'waiting for another avmkit process' },
      })
  })

  it('make a payment with one key once', async () => {
    const node = await devNode()
    const { url } = await node.listen()
    const env = { AVMKIT_URL: url, AVMKIT_KEY: EWOQ_KEY, HOME: folder() }
    const argv = ['send', BOB, '1', '--yes', '--json', '--idempotency-key', 'rent']
    const ends = await Promise.all(Array.from({ length: 4 }, () => avmkit(argv, env).exited))
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    const paid = ends.map(({ out }) => JSON.parse(out) as Paid)
    expect(new Set(paid.map(({ txID }) => txID)).size).toBe(1)
    expect(paid.filter(({ repeated }) => !repeated)).toHaveLength(1)
    expect(await received(node)).toBe(AVAX)
    const other = await ended(
      avmkit(['send', BOB, '2', '--yes', '--json', '--idempotency-key', 'rent'], env),
    )
    expect([other.code, JSON.parse(other.err)]).toMatchObject([
      1,
      { error: { code: 'KEY_CONFLICT', hint: expect.stringContaining('nothing was signed') } },
    ])
    expect(await received(node)).toBe(AVAX)
  })
})

describe('processes that share the journal of a mnemonic', () => {
  const { watch } = accountFromMnemonic(BOB_WORDS)
  const changeAt = (index: number) => {
    const address = watch.address({ change: 1, index })
    return formatAddress({ chain: 'X', hrp: 'local', address })
  }

  it.runIf(isRunToday(4))('get a change address each, after a kill too', async () => {
    const node = await devNode()
    for (let i = 0; i < 8; i++) node.fund(BOB, 10n * AVAX)
    let doomed: Child | undefined
    const url = await proxyTo(node, async (body) => {
      if (doomed === undefined || !body.includes('"avm.issueTx"')) return true
      // After its claim and before its transaction is known: its change address is used up.
      doomed.process.kill('SIGKILL')
      await doomed.exited
      doomed = undefined
      return false
    })
    const env = { AVMKIT_URL: url, AVMKIT_KEY: BOB_WORDS, HOME: folder() }
    const argv = ['send', EWOQ, '1', '--yes', '--json', '--fresh-change']
    type Sent = { explanation: { returns: { owners: { addresses: string[] } }[] } }
    const changeOf = ({ out }: { out: string }) =>
      (JSON.parse(out) as Sent).explanation.returns.flatMap(({ owners }) => owners.addresses)
    doomed = avmkit(argv, env)
    expect(await doomed.exited).toMatchObject({ code: null, out: '' })

    const readers = () => avmkit(['receive', '--json'], env).exited
    const [ends, read] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, () => avmkit(argv, env).exited)),
      Promise.all([readers(), readers()]),
    ])
    expect([...ends, ...read].filter(({ code }) => code !== 0)).toEqual([])
    // The killed process has claimed the first one.
    expect(ends.flatMap(changeOf).sort()).toEqual([1, 2, 3, 4, 5].map(changeAt).sort())
    // Those that read do not wait for the others.
    for (const { out } of read) expect(JSON.parse(out)).toMatchObject({ index: 1 })

    const resumed = await ended(avmkit(['journal', 'resume', '--json'], env))
    expect([resumed.code, JSON.parse(resumed.out)]).toMatchObject([
      0,
      { resumed: [{ status: 'accepted' }] },
    ])
    expect(changeOf(await ended(avmkit(argv, env)))).toEqual([changeAt(6)])
    const { assets } = (await cli(['balance', watch.extendedPublicKey, '--json'], { node })).json<{
      assets: { spendable: string }[]
    }>()
    const fees = 7n * 1_000_000n
    expect(assets[0]!.spendable).toBe(String(80n * AVAX - 7n * AVAX - fees))
  })
})

describe('processes with journals of their own', () => {
  // SECURITY.md: the same key with two stores makes two payments. They must be distinct transactions.
  it('make two payments for one key, never one that counts for both', async () => {
    const node = await devNode()
    const { url } = await node.listen()
    const env = { AVMKIT_URL: url, AVMKIT_KEY: EWOQ_KEY }
    const inside = folder()
    for (const amount of [50n, 60n]) node.fund(EWOQ, amount * AVAX)
    const argv = ['send', BOB, '1', '--yes', '--json', '--idempotency-key', 'rent']
    const ends = await Promise.all(
      ['a', 'b'].map((name) => avmkit([...argv, '--journal', join(inside, name)], env).exited),
    )
    expect(ends.map(({ code, err }) => [code, err])).toEqual([
      [0, ''],
      [0, ''],
    ])
    const ids = new Set(ends.map(({ out }) => (JSON.parse(out) as Paid).txID))
    expect(ids.size).toBe(2)
    for (const txID of ids) expect((await cli(['status', txID], { node })).out).toBe('accepted\n')
    expect(await received(node)).toBe(2n * AVAX)
  })
})

describe('a send that is killed', () => {
  for (const [when, forwarded] of [
    ['between claim and issue', false],
    ['between issue and answer', true],
  ] as const)
    it(`${when} is finished by journal resume`, async () => {
      const node = await devNode()
      let child: Child | undefined
      const url = await proxyTo(node, async (body) => {
        if (child === undefined || !body.includes('"avm.issueTx"')) return true
        child.process.kill('SIGKILL')
        await child.exited
        child = undefined
        return forwarded
      })
      const env = { AVMKIT_URL: url, AVMKIT_KEY: EWOQ_KEY, HOME: folder() }
      const argv = ['send', BOB, '1', '--yes', '--json', '--idempotency-key', 'rent']
      child = avmkit(argv, env)
      expect(await child.exited).toMatchObject({ code: null, out: '' })
      expect(await received(node)).toBe(forwarded ? AVAX : 0n)

      const listed = await ended(avmkit(['journal', 'list', '--json'], env))
      const { payments } = JSON.parse(listed.out) as { payments: { txID: string }[] }
      expect(payments).toMatchObject([{ key: 'rent', status: 'pending' }])
      const [{ txID }] = payments as [{ txID: string }]
      const resumed = await ended(avmkit(['journal', 'resume', '--json'], env))
      expect([resumed.code, resumed.err]).toEqual([0, ''])
      expect(JSON.parse(resumed.out)).toMatchObject({
        resumed: [{ keys: ['rent'], status: 'accepted', txID }],
      })
      expect((await cli(['status', txID], { node })).out).toBe('accepted\n')
      const again = await ended(avmkit(argv, env))
      expect(JSON.parse(again.out)).toMatchObject({ txID, status: 'accepted', repeated: true })
      expect(await received(node)).toBe(AVAX)
    })
})
