import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { DevNode } from '../../src/devnode/index.ts'
import {
  type Around,
  BOB,
  cli,
  devNode,
  type Ended,
  EWOQ,
  EWOQ_KEY,
  folder,
  secretFile,
} from './shell.ts'

const AVAX = 1_000_000_000n
const FEE = 1_000_000n

const env = { AVMKIT_KEY: EWOQ_KEY }

/** A journal, and an older copy of it that does not know the last payments. */
type Restored = {
  readonly node: DevNode
  readonly journal: string
  readonly copy: string
  /** Runs a command with the older copy. */
  readonly rich: (argv: readonly string[], around?: Around) => Promise<Ended>
  /** What the last command printed that the copy does not know. */
  readonly paid: { readonly txID: string }
}

/** Makes payments, the last one after the journal was copied. */
async function restored(last: readonly string[], blocks = 0): Promise<Restored> {
  const node = await devNode()
  const inside = folder()
  const [journal, copy] = [join(inside, 'journal'), join(inside, 'copy')]
  const run = (argv: readonly string[], file: string, around: Around = {}) =>
    cli([...argv, '--journal', file], { node, env, ...around })
  const first = await run(['send', BOB, '1', '--idempotency-key', 'first', '--yes'], journal)
  expect([first.code, first.err]).toEqual([0, ''])
  copyFileSync(journal, copy)
  const paid = await run([...last, '--yes', '--json'], journal)
  expect([paid.code, withoutWarnings(paid)]).toEqual([0, ''])
  for (let i = 0; i < blocks; i++) node.fund(BOB, 1n)
  return {
    node,
    journal,
    copy,
    rich: (argv, around) => run(argv, copy, around),
    paid: paid.json<{ txID: string }>(),
  }
}

/** Standard error without warnings, such as that an export gives funds to others. */
function withoutWarnings({ err }: Ended): string {
  return err.replaceAll(/^\{"warning".*\n/gm, '')
}

const rent = ['send', BOB, '2', '--idempotency-key', 'rent']

async function balance(node: DevNode, address: string): Promise<bigint> {
  type Balance = { assets: { spendable: string }[] }
  const { assets } = (await cli(['balance', address, '--json'], { node })).json<Balance>()
  return BigInt(assets[0]?.spendable ?? '0')
}

describe('an older copy of a journal', () => {
  it('finds the payment that was made with the same key', async () => {
    const { node, rich, paid } = await restored(rent)
    const again = await rich([...rent, '--yes', '--json'])
    expect([again.code, again.json()]).toEqual([
      0,
      { txID: paid.txID, status: 'accepted', repeated: true },
    ])
    expect(await balance(node, BOB)).toBe(3n * AVAX)
    const listed = await rich(['journal', 'show', 'rent', '--json'])
    expect(listed.json()).toMatchObject({ status: 'accepted', txID: paid.txID })
  })

  it('does not pay the same content with another key, unless --again is given', async () => {
    const { node, rich, paid } = await restored(rent)
    const other = ['send', BOB, '2', '--idempotency-key', 'rent 2', '--yes', '--json']
    const refused = await rich(other)
    expect([refused.code, refused.out, refused.error()]).toMatchObject([
      1,
      '',
      { code: 'PAYMENT_MAYBE_MADE', txID: paid.txID, keys: ['rent 2'] },
    ])
    expect(refused.error().hint).toContain('pass --again')
    expect(await balance(node, BOB)).toBe(3n * AVAX)
    const sent = await rich([...other, '--again'])
    expect([sent.code, sent.err]).toEqual([0, ''])
    expect(sent.json()).toMatchObject({ status: 'accepted', repeated: false })
    expect(sent.json<{ txID: string }>().txID).not.toBe(paid.txID)
    expect(await balance(node, BOB)).toBe(5n * AVAX)
  })

  const P_BOB = BOB.replace('X-', 'P-')
  const csv = (key: string) =>
    secretFile(`key,address,amount\n${key},${BOB},7\n`, 'payments.csv', folder())
  const cases: { readonly [name: string]: (key: string) => readonly string[] } = {
    'send all': (key) => ['send', BOB, 'all', '--idempotency-key', key],
    export: (key) => ['export', P_BOB, '2', '--destination-chain', 'P', '--idempotency-key', key],
    move: (key) => ['move', '2', '--from', 'X', '--to', 'P', '--idempotency-key', key],
    payout: (key) => ['payout', csv(key)],
    'asset create': (key) => [
      'asset',
      'create',
      'Gold',
      'AU',
      `${BOB}=5`,
      '--idempotency-key',
      key,
    ],
  }
  it.each(Object.entries(cases))('asks for --again in %s', async (name, argvOf) => {
    const { node, rich } = await restored(argvOf('a'))
    if (name === 'send all') node.fund(EWOQ, AVAX)
    const argv = [...argvOf('b'), '--yes', '--json']
    const refused = await rich(argv)
    expect([refused.code, refused.error().code]).toEqual([1, 'PAYMENT_MAYBE_MADE'])
    const paid = await rich([...argv, '--again'])
    expect([paid.code, withoutWarnings(paid)]).toEqual([0, ''])
  })

  it('that is too old fails with the command that helps', { timeout: 120_000 }, async () => {
    const { node, rich, paid } = await restored(rent, 10_001)
    // A refused command must not make the journal count as up to date.
    expect((await rich([...rent, '--yes'])).error().code).toBe('STORE_BEHIND')
    const refused = await rich([...rent, '--yes'])
    expect([refused.code, refused.error()]).toMatchObject([
      1,
      {
        code: 'STORE_BEHIND',
        hint: expect.stringMatching(/avmkit journal recover .*--from-height/),
      },
    ])
    const [, height] = /at block ([0-9]+);/.exec(refused.error().message) ?? []
    const found = await rich(['journal', 'recover', '--from-height', height!, '--json'])
    expect([found.code, found.err]).toEqual([0, ''])
    expect(found.json<{ unrecorded: object[] }>().unrecorded).toContainEqual(
      expect.objectContaining({ txID: paid.txID }),
    )
    const sent = await rich(['send', BOB, '5', '--idempotency-key', 'other', '--yes'])
    expect([sent.code, sent.err]).toEqual([0, ''])
    expect(await balance(node, BOB)).toBe(8n * AVAX + 10_001n)
  })
})

describe('journal recover', () => {
  const recover = ['journal', 'recover', '--from-height', '1']

  it('lists transactions of the keys that the journal does not know, and what they pay', async () => {
    const { node, rich, paid, journal } = await restored(rent)
    const ended = await rich([...recover, '--json'])
    expect([ended.code, ended.err]).toEqual([0, ''])
    const { unrecorded, fenceTxIDs } = ended.json<{ unrecorded: object[]; fenceTxIDs: object[] }>()
    expect(fenceTxIDs).toEqual([])
    expect(unrecorded).toMatchObject([
      {
        txID: paid.txID,
        height: '2',
        type: 'BaseTx',
        pays: [{ amount: String(2n * AVAX), owners: { addresses: [BOB] } }],
      },
    ])
    const text = await rich(recover)
    expect([text.code, text.err]).toEqual([0, ''])
    expect(text.out).toMatch(
      new RegExp(
        `^height +transaction +type +pays\\n +2 +${paid.txID} +transfer +2 AVAX to ${BOB}\\n\\nnot in the journal: `,
      ),
    )
    const complete = await cli([...recover, '--journal', journal], { node, env })
    expect([complete.code, complete.out]).toEqual([
      0,
      'the journal knows all transactions of your keys since block 1\n',
    ])
    expect(await balance(node, BOB)).toBe(3n * AVAX)
  })

  it('lists everything for a journal that is lost', async () => {
    const { node, paid } = await restored(rent)
    const lost = ['--journal', join(folder(), 'new')]
    const ended = await cli([...recover, '--json', ...lost], { node, env })
    const { unrecorded } = ended.json<{ unrecorded: { txID: string }[] }>()
    expect(unrecorded).toHaveLength(2)
    expect(unrecorded[1]).toMatchObject({ txID: paid.txID })
    expect((await cli(['journal', 'list', ...lost])).out).toBe('no payments\n')
  })

  it('spends all UTXOs first with --fence, after confirmation', async () => {
    const { node, rich, paid } = await restored(rent)
    for (const amount of [3n, 4n]) node.fund(EWOQ, amount * AVAX)
    type Listed = { utxos: { utxo: { txID: string } }[] }
    const utxos = async () => (await cli(['utxos', EWOQ, '--json'], { node })).json<Listed>().utxos
    const before = await utxos()
    const owned = await balance(node, EWOQ)
    expect(before).toHaveLength(3)
    const argv = [...recover, '--fence']
    // It fails before the first request.
    const fetch: Around['fetch'] = () => Promise.reject(new TypeError('fetch failed'))
    const unasked = await rich(argv, { fetch })
    expect([unasked.code, unasked.error().code]).toEqual([2, 'CONFIRMATION_NEEDED'])
    const refused = await rich(argv, { typed: 'n\n' })
    expect([refused.code, refused.error().code]).toEqual([1, 'NOT_CONFIRMED'])
    expect(stripVTControlCharacters(refused.err)).toContain('plan on local')
    expect(await utxos()).toEqual(before)
    const ended = await rich([...argv, '--json'], { typed: 'y\n' })
    expect(ended.code).toBe(0)
    const { unrecorded, fenceTxIDs } = ended.json<{ unrecorded: object[]; fenceTxIDs: string[] }>()
    expect(unrecorded).toMatchObject([{ txID: paid.txID }])
    expect(fenceTxIDs).toHaveLength(1)
    expect(await utxos()).toMatchObject([{ utxo: { txID: fenceTxIDs[0] } }])
    expect(await balance(node, EWOQ)).toBe(owned - FEE)
    const text = await rich([...argv, '--yes'])
    expect(text.out).toMatch(/\n\nfence +1 transaction\n +\w+\n$/)
  })

  it('warns of UTXOs that a fence cannot spend', async () => {
    const { rich } = await restored(rent)
    const locked = ['send', EWOQ, '1', '--locked-until', '2099-01-01', '--yes']
    expect((await rich(locked)).code).toBe(0)
    const ended = await rich([...recover, '--fence', '--yes'])
    expect([ended.code, ended.err]).toEqual([
      0,
      expect.stringMatching(/^warning FENCE_INCOMPLETE: .*: locked\n$/),
    ])
  })

  it('refuses a missing height, and one that the chain has not reached', async () => {
    const { rich } = await restored(rent)
    const missing = await rich(['journal', 'recover'])
    expect([missing.code, missing.error().code]).toEqual([2, 'MISSING_OPTION'])
    for (const height of ['3', '-1', 'x']) {
      const ended = await rich(['journal', 'recover', `--from-height=${height}`])
      expect([height, ended.code, ended.error().code]).toEqual([height, 2, 'BAD_VALUE'])
    }
  })
})

describe('progress of reading newer blocks', () => {
  it('is shown on a terminal, and not with --json', { timeout: 60_000 }, async () => {
    const { rich } = await restored(rent, 200)
    const commands = [
      ['send', BOB, '4', '--yes', '--idempotency-key', 'a'],
      ['journal', 'recover', '--from-height', '1'],
    ]
    for (const argv of commands) {
      const quiet = await rich([...argv, '--json'], { typed: '' })
      expect([quiet.code, quiet.err.includes('blocks read')]).toEqual([0, false])
    }
    const { rich: second } = await restored(rent, 200)
    for (const argv of commands) {
      const shown = await second(argv, { typed: '' })
      expect([argv[0], shown.code, stripVTControlCharacters(shown.err)]).toEqual([
        argv[0],
        0,
        expect.stringMatching(/[0-9]+\/[0-9]+ blocks read/),
      ])
    }
  })
})
