import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { networks } from '../../src/core/chain/networks.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import {
  checkedHex,
  decodeTx,
  formatAddress,
  formatID,
  txID as idOf,
  parseAddress,
} from '../../src/index.ts'
import { fileStore } from '../../src/wallet/store/index.ts'
import {
  BOB,
  BOB_WORDS,
  cli,
  devNode,
  type Ended,
  EWOQ,
  EWOQ_KEY,
  folder,
  stateFolder,
} from './shell.ts'

const AVAX = 1_000_000_000n
const FEE = 1_000_000n

/** Runs a command with the key that owns the funds of the genesis. */
function rich(node: DevNode, ...argv: string[]): Promise<Ended> {
  return cli(argv, { node, env: { AVMKIT_KEY: EWOQ_KEY } })
}

/** Makes a payment that stays pending: blocks are made by hand. */
async function pend(node: DevNode, key: string, amount = '1', ...more: string[]): Promise<string> {
  const argv = [
    'send',
    BOB,
    amount,
    '--idempotency-key',
    key,
    '--yes',
    '--wait',
    '1',
    '--json',
    ...more,
  ]
  const ended = await rich(node, ...argv)
  expect(ended.error().code).toBe('TX_PENDING')
  return (ended.error() as unknown as { txID: string }).txID
}

async function spendable(node: DevNode, address: string): Promise<bigint> {
  type Balance = { assets: { spendable: string }[] }
  const { assets } = (await cli(['balance', address, '--json'], { node })).json<Balance>()
  return BigInt(assets[0]?.spendable ?? '0')
}

type Listed = {
  readonly journal: string
  readonly payments: { readonly key: string; readonly status: string; readonly txID: string }[]
}

describe('the default journal', () => {
  it('is one file per network and set of keys, which only the owner can read', async () => {
    const node = await devNode()
    node.fund(BOB, AVAX)
    const env = { AVMKIT_KEY: BOB_WORDS }
    const send = ['send', EWOQ, '0.1', '--yes']
    expect((await rich(node, 'send', BOB, '1', '--yes')).code).toBe(0)
    expect((await rich(node, 'send', BOB, '1', '--yes')).code).toBe(0)
    expect((await cli(send, { node, env })).code).toBe(0)
    expect((await cli([...send, '--count', '2'], { node, env })).code).toBe(0)
    const inside = join(stateFolder(node), 'avmkit')
    const files = readdirSync(inside).filter((name) => !name.endsWith('.lock'))
    // More addresses of the same mnemonic do not change its journal.
    expect(files).toHaveLength(2)
    for (const name of files) expect(name).toMatch(/^local-[0-9a-f]{16}\.journal$/)
    expect(statSync(inside).mode & 0o777).toBe(0o700)
    for (const name of files) expect(statSync(join(inside, name)).mode & 0o777).toBe(0o600)
  })

  it('is below the home of the user if XDG_STATE_HOME is not set', async () => {
    const node = await devNode()
    const HOME = folder()
    const env = { AVMKIT_KEY: EWOQ_KEY, XDG_STATE_HOME: '', HOME }
    expect((await cli(['send', BOB, '1', '--yes'], { node, env })).code).toBe(0)
    expect(readdirSync(join(HOME, '.local', 'state', 'avmkit'))).toHaveLength(2)
  })

  it('does not depend on the order of the keys', async () => {
    const node = await devNode()
    const keys = [EWOQ_KEY, 'PrivateKey-24jUJ9vZexUM6expyMcT48LBx27k1m7xpraoV62oSQAHdziao5']
    for (const lines of [keys, [...keys].reverse()]) {
      const argv = ['send', BOB, '1', '--yes', '--idempotency-key', 'rent', '--key-file', '-']
      expect((await cli(argv, { node, input: lines.join('\n') })).code).toBe(0)
    }
    expect(await spendable(node, BOB)).toBe(AVAX)
  })

  it('is not created by commands that only read', async () => {
    const node = await devNode()
    expect((await rich(node, 'journal', 'list')).out).toBe('no payments\n')
    expect((await rich(node, 'journal', 'resume')).out).toBe('nothing is pending\n')
    expect((await rich(node, 'sweep', BOB, '--plan')).code).toBe(0)
    expect((await rich(node, 'journal', 'compact', '--json')).json()).toMatchObject({ after: 0 })
    expect(existsSync(join(stateFolder(node), 'avmkit'))).toBe(false)
  })
})

describe('journal list and show', () => {
  it('show the status of payments without a node, and without keys if the file is named', async () => {
    const node = await devNode({ blocks: 'manual' })
    for (const amount of [50n, 60n]) node.fund(EWOQ, amount * AVAX)
    const first = await pend(node, 'rent 05')
    node.produceBlock()
    expect((await rich(node, 'journal', 'resume')).code).toBe(0)
    const second = await pend(node, 'rent 06', '2')
    const third = await pend(node, 'salary', '3')
    const offline = { AVMKIT_KEY: EWOQ_KEY, XDG_STATE_HOME: stateFolder(node) }
    const list = await cli(['journal', 'list', '--network', 'local', '--json'], { env: offline })
    const { journal, payments } = list.json<Listed>()
    const times = { claimedAt: expect.stringMatching(/^\d{10}$/) }
    const assetID = formatID(networks.local.assetID)
    const contentOf = (amount: bigint) => ({
      kind: 'transfer',
      outputs: [{ to: [BOB], amount: String(amount), threshold: 1, locktime: '0', assetID }],
    })
    expect(payments).toMatchObject([
      {
        key: 'rent 05',
        status: 'accepted',
        txID: first,
        generated: false,
        content: contentOf(AVAX),
        ...times,
        endedAt: expect.stringMatching(/^\d{10}$/),
      },
      {
        key: 'rent 06',
        status: 'pending',
        txID: second,
        content: contentOf(2n * AVAX),
        ...times,
        endedAt: null,
      },
      { key: 'salary', status: 'pending', txID: third },
    ])
    const named = ['--journal', journal]
    const pending = await cli(['journal', 'list', ...named, '--status', 'pending'])
    expect(pending.out).toMatch(
      /^status +claimed +ended +payment +transaction +key\npending +[-\dTZ:]+ +2 AVAX to X-local1\w+ +\w+ +rent 06\npending .* 3 AVAX .* salary\n$/,
    )
    const shown = await cli(['journal', 'show', 'salary', ...named, '--json'])
    const { attempts } = shown.json<{ attempts: { tx: string; keys: string[] }[] }>()
    expect(shown.json()).toMatchObject({ key: 'salary', status: 'pending', txID: third })
    expect(attempts).toMatchObject([{ kind: 'payment', keys: ['salary'], txID: third }])
    const tx = checkedHex.decode(attempts[0]!.tx)
    expect(formatID(idOf(tx))).toBe(third)
    expect(decodeTx(tx).unsignedTx.outputs.some(({ output }) => output.amount === 3n * AVAX)).toBe(
      true,
    )
    const text = await cli(['journal', 'show', 'rent 05', ...named])
    expect(text.out).toContain(`accepted as     ${first}\n`)
    expect(text.out).toContain(`payment         1 AVAX to ${BOB}\n`)
    expect(text.out).toMatch(/\nclaimed +\d{4}-[-\dT:]+Z\nended +\d{4}-[-\dT:]+Z\n/)
  })

  it('refuse unknown keys and missing files', async () => {
    const node = await devNode()
    expect((await rich(node, 'send', BOB, '1', '--yes')).code).toBe(0)
    for (const command of ['show', 'cancel']) {
      const yes = command === 'cancel' ? ['--yes'] : []
      const ended = await rich(node, 'journal', command, 'nothing', ...yes)
      expect([ended.code, ended.error().code]).toEqual([1, 'KEY_UNKNOWN'])
      expect(ended.error().hint).toContain('journal list')
    }
    const missing = join(folder(), 'missing')
    for (const argv of [
      ['list'],
      ['show', 'x'],
      ['compact'],
      ['resume'],
      ['cancel', 'x', '--yes'],
    ]) {
      const ended = await rich(node, 'journal', ...argv, '--journal', missing)
      expect([ended.code, ended.error().code], argv[0]).toEqual([1, 'FILE_UNREADABLE'])
    }
    expect(existsSync(missing) || existsSync(`${missing}.lock`)).toBe(false)
  })

  it('accept a hash as an idempotency key', async () => {
    const node = await devNode()
    expect((await rich(node, 'send', BOB, '1', '--yes')).code).toBe(0)
    const ended = await rich(node, 'journal', 'show', 'ab'.repeat(32))
    expect(ended.error().code).toBe('KEY_UNKNOWN')
  })
})

describe('send', () => {
  it('waits for the change of a payment that another process left pending', async () => {
    const node = await devNode({ blocks: 'manual' })
    await pend(node, 'rent')
    let blocksAsked = 0
    const fetch: typeof node.fetch = async (url, init) => {
      const body = String(init?.body)
      if (body.includes('avm.getBlockByHeight') && ++blocksAsked === 6) node.produceBlock()
      const reply = await node.fetch(url, init)
      if (body.includes('avm.issueTx')) node.produceBlock()
      return reply
    }
    const around = { node, fetch, env: { AVMKIT_KEY: EWOQ_KEY } }
    const sent = await cli(['send', BOB, '2', '--yes', '--wait', '20'], around)
    expect([sent.err, sent.code]).toEqual(['', 0])
    expect(await spendable(node, BOB)).toBe(3n * AVAX)
  })

  it('reports that pending payments reserve what is missing', async () => {
    const node = await devNode({ blocks: 'manual' })
    await pend(node, 'rent')
    const ended = await rich(node, 'send', BOB, '2', '--yes', '--wait', '1')
    expect([ended.code, ended.error().code]).toEqual([1, 'BUILDER_INSUFFICIENT_FUNDS'])
    expect(ended.error().hint).toContain('avmkit journal resume')
  })

  it('waits while another process uses the journal, and stops at Ctrl-C', async () => {
    const node = await devNode()
    const journal = join(folder(), 'journal')
    const holder = fileStore(journal)
    await holder.payments([])
    const argv = ['send', BOB, '1', '--yes', '--journal', journal]
    const env = { AVMKIT_KEY: EWOQ_KEY }
    const waiting = 'warning STORE_IN_USE: waiting for another avmkit process\n'
    const interrupt = new AbortController()
    const stop = { node, env, signal: interrupt.signal, onError: () => interrupt.abort('SIGINT') }
    const stopped = await cli(argv, stop)
    expect([stopped.code, stopped.error().code]).toEqual([130, 'INTERRUPTED'])
    expect(stopped.err.startsWith(waiting)).toBe(true)
    expect(await spendable(node, BOB)).toBe(0n)
    const sent = await cli(argv, { node, env, onError: () => void holder.close() })
    expect([sent.code, sent.err]).toEqual([0, waiting])
    expect(await spendable(node, BOB)).toBe(AVAX)
  })
})

describe('journal resume', () => {
  it('--from-height reads blocks again from there', async () => {
    const node = await devNode()
    for (let i = 0; i < 30; i++) node.fund(BOB, 1n)
    const remove = node.injectFault({ kind: 'vanished', on: 'avm.issueTx' })
    const txID = await pend(node, 'rent')
    remove()
    const read: string[] = []
    const fetch: typeof node.fetch = async (url, init) => {
      const body = String(init?.body)
      if (body.includes('avm.getBlockByHeight')) read.push(...(body.match(/"height":"?\d+/g) ?? []))
      return node.fetch(url, init)
    }
    const argv = ['journal', 'resume', '--from-height', '7', '--json']
    const ended = await cli(argv, { node, fetch, env: { AVMKIT_KEY: EWOQ_KEY } })
    expect([ended.code, ended.json()]).toMatchObject([
      0,
      { resumed: [{ keys: ['rent'], status: 'accepted', txID }] },
    ])
    expect(read.map((text) => Number(/\d+/.exec(text)))).toContain(7)
    expect(read.map((text) => Number(/\d+/.exec(text)))).not.toContain(6)
  })

  it('exits with 1 while a payment is pending, with the reason', async () => {
    const node = await devNode({ blocks: 'manual' })
    const txID = await pend(node, 'rent')
    const fetch: typeof node.fetch = async (url, init) => {
      if (String(init?.body).includes('avm.issueTx')) throw new TypeError('fetch failed')
      return node.fetch(url, init)
    }
    const around = { node, fetch, env: { AVMKIT_KEY: EWOQ_KEY } }
    const ended = await cli(['journal', 'resume', '--wait', '1', '--json'], around)
    expect([ended.code, ended.err]).toEqual([1, ''])
    expect(ended.json()).toMatchObject({
      resumed: [
        { keys: ['rent'], status: 'pending', txID, reason: expect.stringContaining('HTTP_') },
      ],
    })
    const text = await cli(['journal', 'resume', '--wait', '1'], around)
    expect(text.out).toMatch(/^status +transaction +key +reason\npending +\w+ +rent +HTTP_/)
  })
})

describe('journal cancel', () => {
  it('spends the input of a pending payment back, after confirmation', async () => {
    const node = await devNode({ blocks: 'manual' })
    await pend(node, 'rent', '5')
    // The node forgets the payment, so that the cancellation is accepted.
    node.restart()
    const argv = ['journal', 'cancel', 'rent']
    const unasked = await rich(node, ...argv)
    expect([unasked.code, unasked.error().code]).toEqual([2, 'CONFIRMATION_NEEDED'])
    const around = { node, env: { AVMKIT_KEY: EWOQ_KEY } }
    const refused = await cli(argv, { ...around, typed: 'n\n' })
    expect([refused.code, refused.error().code]).toEqual([1, 'NOT_CONFIRMED'])
    expect(refused.err).toContain('Sign and send this?')
    const left = await rich(node, ...argv, '--yes', '--wait', '1')
    expect([left.code, left.error().code]).toEqual([1, 'TX_PENDING'])
    node.produceBlock()
    const canceled = await rich(node, ...argv, '--yes', '--json')
    expect([canceled.code, canceled.json()]).toMatchObject([0, { key: 'rent', status: 'canceled' }])
    expect(await spendable(node, BOB)).toBe(0n)
    expect(await spendable(node, EWOQ)).toBe(300_000_000n * AVAX - FEE)
    const { txID } = canceled.json<{ txID: string }>()
    const shown = await rich(node, 'journal', 'show', 'rent')
    expect(shown.out).toContain(`canceled by     ${txID}\n`)
    expect((await rich(node, ...argv, '--yes')).out).toBe(`canceled by ${txID}\n`)
  })

  it('ends with 1 if the payment was accepted', async () => {
    const node = await devNode()
    const sent = await rich(node, 'send', BOB, '1', '--idempotency-key', 'rent', '--yes', '--json')
    const { txID } = sent.json<{ txID: string }>()
    const ended = await rich(node, 'journal', 'cancel', 'rent', '--yes')
    expect([ended.code, ended.out]).toEqual([
      1,
      `not canceled: the payment was accepted as ${txID}\n`,
    ])
  })
})

describe('journal compact', () => {
  it('keeps payments with keys', async () => {
    const node = await devNode()
    for (const key of ['a', 'b'])
      expect((await rich(node, 'send', BOB, '1', '--idempotency-key', key, '--yes')).code).toBe(0)
    expect((await rich(node, 'send', BOB, '1', '--yes')).code).toBe(0)
    const done = await rich(node, 'journal', 'compact', '--json')
    const { journal, before, after } = done.json<{
      journal: string
      before: number
      after: number
    }>()
    expect(after).toBeLessThan(before)
    expect(statSync(journal).size).toBe(after)
    const { payments } = (await rich(node, 'journal', 'list', '--json')).json<Listed>()
    expect(payments.map(({ key, status }) => [key, status])).toEqual([
      ['a', 'accepted'],
      ['b', 'accepted'],
    ])
  })
})

describe('a journal of another network', () => {
  it('is refused', async () => {
    const node = await devNode()
    const journal = ['--journal', join(folder(), 'journal')]
    expect((await rich(node, 'send', BOB, '1', '--yes', ...journal)).code).toBe(0)
    const other = await devNode({ networkID: 1337 })
    const to = formatAddress({ ...parseAddress(BOB), hrp: 'custom' })
    const ended = await rich(other, 'send', to, '1', '--yes', ...journal)
    expect([ended.code, ended.error().code]).toEqual([1, 'STORE_MISMATCH'])
  })
})
