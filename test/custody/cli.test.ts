import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { HDAccount, seedFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import { finishRequest } from '../../src/core/sign/request/request.ts'
import { parseRequest } from '../../src/core/sign/request/request-file.ts'
import { signRequest } from '../../src/core/sign/request/request-sign.ts'
import { createNodeClient, type Fetch } from '../../src/node/index.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { cli as avmkit, devNode, secretFile } from '../cli/shell.ts'
import { collect } from '../wallet/store/samples.ts'
import { newPool, newSchema, postgresURL } from './postgres.ts'
import { AVAX, keysOf, receiver, textOf, until } from './setup.ts'

const HOT_KEY = '01'.repeat(32)
const hot = textOf(keysOf(1).addresses[0]!)
const customer = textOf(keysOf(50).addresses[0]!)

/** A node, a schema without tables, and the program with these keys. */
async function system(key: string, through = (fetch: Fetch): Fetch => fetch, own: object = {}) {
  const node = await devNode()
  const schema = newSchema()
  const pool = await newPool(1)
  onTestFinished(async () => {
    await pool.query(`DROP SCHEMA "${schema}" CASCADE`)
    await pool.end()
  })
  const env = { AVMKIT_DATABASE: await postgresURL(), AVMKIT_KEY: key, ...own }
  const custody = (args: readonly string[], signal?: AbortSignal) =>
    avmkit(['custody', ...args, '--schema', schema], {
      node,
      fetch: through(node.fetch),
      env,
      ...(signal === undefined ? {} : { signal }),
    })
  const cli = (...args: string[]) => custody([...args, '--json'])
  const query = (text: string) => pool.query(text.replace('@.', `"${schema}".`))
  return { node, custody, cli, query }
}

describe('avmkit custody', () => {
  it('runs a system from the first table to a balanced audit', async () => {
    const { node, custody, cli } = await system(HOT_KEY)
    const refused = await cli('status')
    expect(refused.error()).toMatchObject({ code: 'SCHEMA_MISSING' })
    expect((await cli('init')).code).toBe(0)
    node.fund(hot, 100n * AVAX)
    expect((await cli('watch', customer, '--reference', 'user 7')).json()).toEqual({ watched: 1 })
    const bad = secretFile(
      `key,address,amount,asset\na,${receiver(1)},1.5\nb,X-fuji1bad,1\nc,${receiver(2)},0\nd,${receiver(2)}\n`,
    )
    const failure = await cli('pay', bad)
    expect(failure.code).toBe(1)
    expect(failure.error().code).toBe('CSV_INVALID')
    for (const line of [3, 4, 5]) expect(failure.error().message).toContain(`line ${line}:`)
    expect((await cli('payouts')).json()).toEqual({ payouts: [] })
    const good = secretFile(
      `key,address,amount,asset\n"a, quoted",${receiver(1)},1.5,\nb,${receiver(2)},2,AVAX\nc,${customer},3\n`,
    )
    expect((await cli('pay', good)).json()).toEqual({ added: 3, known: 0 })
    expect((await cli('pay', good)).json()).toEqual({ added: 0, known: 3 })
    expect((await cli('hold', 'b')).code).toBe(0)
    const controller = new AbortController()
    const working = custody(['work', '--metrics-port', '0'], controller.signal)
    await until('paid', async () => {
      const { payouts } = (await cli('payouts', '--status', 'paid')).json<{ payouts: unknown[] }>()
      return payouts.length === 2
    })
    expect((await cli('cancel', 'b')).code).toBe(0)
    const listed = await cli('deposits', '--after', '0')
    expect(listed.json()).toMatchObject({
      deposits: [{ cursor: '1', address: customer, reference: 'user 7', kind: 'plain' }],
    })
    const audit = await cli('audit')
    expect([audit.code, audit.json()]).toEqual([0, expect.objectContaining({ balanced: true })])
    expect((await cli('status')).json()).toMatchObject({
      payouts: { queued: 0, paid: 2, canceled: 1 },
    })
    const people = await custody(['status'])
    expect(people.out).toContain('hot wallet')
    for (const command of ['status', 'payouts', 'deposits', 'audit']) {
      const { out } = await custody([command])
      expect(out, command).toMatch(/\d AVAX/)
      // Not in the smallest unit. A worker's name can consist of digits.
      expect(out.replace(/worker \w+/, 'worker'), command).not.toMatch(/\b\d{7,}\b/)
    }
    const changed = await cli('pay', secretFile(`b,${receiver(2)},3\n`))
    expect(changed.error()).toMatchObject({
      code: 'KEY_CONFLICT',
      hint: expect.stringContaining('avmkit custody payouts KEY'),
    })
    controller.abort()
    expect((await working).err).toContain('/metrics')
  })

  it('sets limits, lists what they stop, and approves', async () => {
    const { node, custody, cli } = await system(HOT_KEY)
    await cli('init')
    node.fund(hot, 100n * AVAX)
    const bad = secretFile('[{ "type": "delay", "name": "new", "second": 1 }]')
    expect((await cli('limits', '--set', bad)).error()).toMatchObject({ code: 'UNKNOWN_OPTION' })
    expect((await cli('limits')).json()).toEqual({ limits: [] })
    const rules = [
      { type: 'limit', name: 'single', per: 'payout', amount: '5000000000' },
      { type: 'approvals', name: 'large', amount: 2_000_000_000, count: 1 },
    ]
    expect((await cli('limits', '--set', secretFile(JSON.stringify(rules)))).json()).toMatchObject({
      limits: [
        { name: 'large', amount: '2000000000', count: 1 },
        { name: 'single', amount: '5000000000' },
      ],
    })
    expect((await custody(['limits'])).out).toMatch(/at most 5 AVAX per payout/)
    await cli(
      'pay',
      secretFile(
        `key,address,amount\na,${receiver(1)},1\nb,${receiver(2)},3\nc,${receiver(3)},6\n`,
      ),
    )
    const controller = new AbortController()
    const working = custody(['work'], controller.signal)
    const keysOfStatus = async (status: string) => {
      const { payouts } = (await cli('payouts', '--status', status)).json<{
        payouts: { key: string; status: string; limit?: { name: string } }[]
      }>()
      for (const payout of payouts) expect(payout.status).toBe(status)
      return payouts.map(({ key, limit }) => [key, limit?.name])
    }
    await until('stopped', async () => (await keysOfStatus('paid')).length === 1)
    await until('limits', async () => {
      const names = (await keysOfStatus('queued')).map(([, name]) => name)
      return names.join() === 'large,single'
    })
    expect(await keysOfStatus('paid')).toEqual([['a', undefined]])
    expect((await custody(['payouts', '--status', 'queued'])).out).toContain(
      'waits: limit large has 0 of 1 approvals',
    )
    // The same role has requested it.
    expect((await cli('approve', 'b')).error()).toMatchObject({ code: 'APPROVAL_REFUSED' })
    expect((await cli('deny', 'c', '--reason', 'too much')).code).toBe(0)
    expect((await custody(['payouts', 'c'])).out).toContain('too much')
    expect((await cli('limits', '--remove', 'large')).json()).toMatchObject({
      limits: [{ name: 'single' }],
    })
    expect((await cli('limits', '--remove', 'large')).error()).toMatchObject({
      code: 'LIMIT_UNKNOWN',
    })
    await until('paid', async () => (await keysOfStatus('paid')).length === 2)
    for (const status of ['pending', 'failed', 'canceled'])
      expect(await keysOfStatus(status)).toEqual([])
    expect((await cli('payouts', '--status', 'unknown')).code).toBe(2)
    controller.abort()
    await working
  })

  it('writes one signing request for cold keys, and waits for the refill', async () => {
    const { node, custody, cli } = await system(HOT_KEY)
    await cli('init')
    const coldKeys = keysOf(60)
    const cold = textOf(coldKeys.addresses[0]!)
    node.fund(hot, AVAX)
    node.fund(cold, 50n * AVAX)
    const rules = secretFile(
      JSON.stringify([{ type: 'refill', below: '5000000000', amount: '7000000000', from: [cold] }]),
    )
    const out = join(mkdtempSync(join(tmpdir(), 'avmkit-refill-')), 'refill.json')
    onTestFinished(() => rmSync(dirname(out), { recursive: true }))
    const refill = (...more: string[]) =>
      custody(['refill', '--rules', rules, '--hot', hot, '--out', out, '--json', ...more])
    expect((await refill()).error()).toMatchObject({ code: 'NOT_SYNCED' })
    const controller = new AbortController()
    const working = custody(['work'], controller.signal)
    await until('healthy', async () => (await cli('status')).json<{ healthy: boolean }>().healthy)
    // The cold address is watched from the first call on; its earlier UTXOs are found by a walk.
    await until('requested', async () => (await refill()).json<{ open: boolean }>().open)
    const text = readFileSync(out, 'utf8')
    expect((await refill()).json()).toEqual({ files: [out], open: true })
    expect(readFileSync(out, 'utf8')).toBe(text)
    rmSync(out)
    const waiting = refill('--until-paid')
    // It has found the open request once it has written it again.
    await until('written', () => existsSync(out))
    const unsigned = parseRequest(text, { network: networks.local })
    const { bytes } = finishRequest(signRequest(unsigned, coldKeys))
    const client = createNodeClient({ url: 'http://node', fetch: node.fetch })
    await client.avm.issueTx({ tx: bytes })
    expect((await waiting).json()).toEqual({ files: [out], open: false })
    expect((await refill()).json()).toEqual({ files: [], open: false })
    const { balance } = await client.avm.getBalance({ address: hot, assetID: 'AVAX' })
    expect(balance).toBe(8n * AVAX)
    controller.abort()
    await working
  })

  it('reconciles payments without a claim, and makes a fence', async () => {
    const { node, custody, cli } = await system(HOT_KEY)
    expect((await cli('init')).code).toBe(0)
    for (let i = 0; i < 3; i++) node.fund(hot, 100n * AVAX)
    expect((await cli('fence')).error()).toMatchObject({ code: 'NOT_SYNCED' })
    const controller = new AbortController()
    const working = custody(['work'], controller.signal)
    await until('healthy', async () => (await cli('status')).json<{ healthy: boolean }>().healthy)
    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
    const to = receiver(1)
    const wallet = createWallet({ client, keys: keysOf(1) })
    const id = formatID((await wallet.transfer({ to, amount: AVAX })).txID)
    const unknown = () =>
      cli('reconcile').then((ended) => ended.json<{ unknown: { height: string }[] }>().unknown)
    const [found] = await until('found', async () => {
      const list = await unknown()
      return list.length > 0 && list
    })
    expect(found).toMatchObject({ txID: id, amount: String(AVAX), to, keys: [] })
    const listed = await custody(['reconcile'])
    for (const text of [id, '1 AVAX', to]) expect(listed.out).toContain(text)
    const after = String(BigInt(found!.height) + 1n)
    expect((await cli('reconcile', '--since', after)).json()).toEqual({ decided: 0, unknown: [] })

    const file = secretFile(`key,address,amount\na,${to},1\nb,${to},1\n`)
    expect((await cli('pay', file)).json()).toEqual({ added: 2, known: 0 })
    const states = async () => {
      type Listed = { payouts: { key: string; status: string; held: boolean; txID?: string }[] }
      return (await cli('payouts')).json<Listed>().payouts
    }
    await until('held', async () => (await states()).every(({ held }) => held))
    const decide = (...lines: string[]) =>
      cli('reconcile', secretFile(['transaction,key', ...lines, ''].join('\n')))
    // All or nothing.
    for (const [code, ...lines] of [
      ['CSV_INVALID', `${id},a`, 'no ID,b'],
      ['CSV_INVALID', `${id},a,b`],
      ['PAYMENT_UNKNOWN', `${id},a`, `${id},b`],
      ['PAYOUT_UNKNOWN', `${id},a`, `${id},c`],
    ] as const) {
      const refused = await decide(...lines)
      expect([refused.code, refused.error().code]).toEqual([1, code])
    }
    expect((await states()).map(({ held }) => held)).toEqual([true, true])
    expect((await decide(`${id},a`)).json()).toEqual({ decided: 1, unknown: [] })
    expect(await states()).toMatchObject([
      { key: 'a', status: 'paid', txID: id },
      { key: 'b', held: true },
    ])
    expect((await cli('release', 'b')).code).toBe(0)
    await until('paid', async () => (await states()).every(({ status }) => status === 'paid'))

    const hotUTXOs = async () => {
      const pages = await collect(client.utxoPages({ addresses: keysOf(1).addresses }))
      return pages.flatMap(({ utxos }) => utxos).map(({ txID }) => formatID(txID))
    }
    const before = await hotUTXOs()
    const fence = await custody(['fence'])
    expect(fence.out).toMatch(/^the fence is complete: \d+ transactions?\n$/)
    for (const one of await hotUTXOs()) expect(before).not.toContain(one)
    expect((await cli('audit')).json()).toMatchObject({ balanced: true })
    controller.abort()
    await working
  }, 120_000)

  it('collects deposits to addresses of an xpub with its mnemonic', async () => {
    const words =
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
    const account = new HDAccount(seedFromMnemonic(words)).watch
    const deposit = textOf(account.address({ change: 0, index: 2 }))
    const { node, custody, cli } = await system(`${HOT_KEY}\n${words}`)
    expect((await cli('init')).code).toBe(0)
    const watched = await cli('watch', '--xpub', account.extendedPublicKey, '--gap-limit', '5')
    expect(watched.json()).toEqual({ watched: 0, xpub: account.extendedPublicKey })
    const again = await custody(['watch', customer, '--xpub', account.extendedPublicKey])
    expect(again.out).toBe('watching 1 address and the addresses of an xpub\n')
    const fresh = await cli('watch', '--xpub', account.extendedPublicKey, '--fresh')
    expect([fresh.code, fresh.error().code]).toEqual([2, 'BAD_VALUE'])
    node.fund(deposit, 10n * AVAX)
    const rules = secretFile('[{"type":"collect","above":"1"}]')
    const controller = new AbortController()
    const working = custody(['work', '--rules', rules, '--hot', hot], controller.signal)
    await until('collected', async () => {
      const { reserves } = (await cli('status')).json<{ reserves: { wallet: string }[] }>()
      return reserves.length === 1 && reserves[0]!.wallet === 'hot'
    })
    controller.abort()
    await working
    const found = await cli('deposits')
    expect(found.json()).toMatchObject({ deposits: [{ address: deposit, kind: 'plain' }] })
    expect((await cli('audit')).json()).toMatchObject({ balanced: true })
  })

  it('exits with 1 for sweep rules that cannot be used, because they are no command line', async () => {
    const { cli } = await system(HOT_KEY)
    expect((await cli('init')).code).toBe(0)
    const refused = async (rules: string) => {
      const ended = await cli('work', '--rules', secretFile(rules), '--hot', hot)
      return [ended.code, ended.error().code]
    }
    expect(await refused('[{"type":"collect","above":"1","assetId":"x"}]')).toEqual([
      1,
      'UNKNOWN_OPTION',
    ])
    expect(await refused('[{"type":"collect"}]')).toEqual([1, 'RULES_INVALID'])
    const own = `[{"type":"store","above":"2","keep":"1","to":"${hot}"}]`
    expect(await refused(own)).toEqual([1, 'RULES_INVALID'])
    for (const text of ['[', '{}']) expect(await refused(text)).toEqual([1, 'RULES_INVALID'])
    const ended = await cli('work', '--hot', 'X-fuji1bad')
    expect([ended.code, ended.error().code]).toEqual([2, 'ENC_BAD_BECH32'])
  })

  it('names the UTXOs that an audit misses as all other output does', async () => {
    const { node, cli } = await system(HOT_KEY)
    expect((await cli('init')).code).toBe(0)
    const txID = node.fund(customer, AVAX)
    expect((await cli('watch', customer, '--fresh')).code).toBe(0)
    const audit = await cli('audit')
    expect([audit.code, audit.json()]).toEqual([
      1,
      expect.objectContaining({
        balanced: false,
        missing: [expect.objectContaining({ txID: formatID(txID), outputIndex: 0 })],
      }),
    ])
  })

  it('names the UTXOs that servers disagree about, and takes a quorum', async () => {
    const AVMKIT_URL = [0, 1, 2].map((n) => `http://server${n}.test`).join(',')
    const through =
      (fetch: Fetch): Fetch =>
      async (url, init) => {
        const response = await fetch(url, init)
        const isList = String(init.body).includes('avm.getUTXOs')
        if (isList && url.includes('server1')) return new Response('no', { status: 503 })
        if (!isList || !url.includes('server0')) return response
        const { id, result } = await response.json()
        const hidden = { ...result, utxos: [], numFetched: '0' }
        return Response.json({ jsonrpc: '2.0', id, result: hidden })
      }
    const { node, cli, custody } = await system(HOT_KEY, through, { AVMKIT_URL })
    expect((await cli('init')).code).toBe(0)
    const txID = node.fund(customer, AVAX)
    expect((await cli('watch', customer, '--fresh')).code).toBe(0)
    const audit = await cli('audit')
    const votes = { listedBy: ['server2.test'], missingFrom: ['server0.test'] }
    expect([audit.code, audit.json()]).toMatchObject([
      1,
      { balanced: false, missing: [], disputed: [{ txID: formatID(txID), ...votes }] },
    ])
    const { out } = await custody(['audit'])
    expect(out).toContain(
      `disputed: ${formatID(txID)}:0, listed by server2.test, not by server0.test\nNOT BALANCED`,
    )
    const all = await cli('audit', '--quorum', '3')
    expect([all.code, all.error().code]).toEqual([1, 'NO_QUORUM'])
    for (const argv of [['audit'], ['status'], ['work']]) {
      const ended = await cli(...argv, '--quorum', '4')
      expect([argv, ended.code, ended.error().code]).toEqual([argv, 2, 'BAD_VALUE'])
    }
  }, 60_000)

  it('watches the addresses of a CSV file with their references', async () => {
    const { node, custody, cli } = await system(HOT_KEY)
    expect((await cli('init')).code).toBe(0)
    const addresses = [1, 2, 3].map((n) => textOf(keysOf(80 + n).addresses[0]!))
    const [a, b, c] = addresses
    const cut = await cli('watch', '--file', secretFile(`${a},account,1\n`))
    expect([cut.code, cut.error().code]).toEqual([1, 'CSV_INVALID'])
    const file = secretFile(`${a},"account,1"\r\n${b},\n\n${c}\n`)
    const watched = await cli('watch', '--file', file, '--reference', 'all')
    expect(watched.json()).toMatchObject({ watched: 3 })
    for (const address of addresses) node.fund(address, AVAX)
    const controller = new AbortController()
    const working = custody(['work'], controller.signal)
    type Listed = { readonly deposits: { readonly address: string; readonly reference: string }[] }
    const deposits = await until('deposits', async () => {
      const list = (await cli('deposits')).json<Listed>().deposits
      return list.length === 3 && list
    })
    controller.abort()
    await working
    const references = new Map(deposits.map(({ address, reference }) => [address, reference]))
    expect(addresses.map((one) => references.get(one))).toEqual(['account,1', 'all', 'all'])
  })

  it.each([
    ['text', []],
    ['JSON', ['--json']],
  ])('prints messages of a node as %s without control characters', async (_, format) => {
    const { node, custody, cli, query } = await system(HOT_KEY, (fetch) => async (url, init) => {
      const { id, method } = JSON.parse(String(init.body)) as { id: unknown; method: string }
      const error = { code: -32000, message: 'no\u001b[2J\ninfo payout.paid: forged' }
      return method === 'avm.issueTx'
        ? Response.json({ jsonrpc: '2.0', id, error })
        : fetch(url, init)
    })
    expect((await cli('init')).code).toBe(0)
    node.fund(hot, 10n * AVAX)
    expect((await cli('pay', secretFile(`a,${receiver(1)},1\n`))).code).toBe(0)
    const controller = new AbortController()
    const working = custody(['work', ...format], controller.signal)
    // It is logged right after that.
    await until('refused', async () => {
      const { rows } = await query('SELECT FROM @.attempts WHERE last_error IS NOT NULL')
      return rows.length > 0
    })
    controller.abort()
    const { err } = await working
    expect(err).toContain('forged')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
    expect(err).not.toMatch(/\u001b|^info payout.paid/m)
  })

  it('refuses a password among the arguments and a missing database', async () => {
    const node = await devNode()
    for (const url of [
      'postgres://me:secret@localhost/x',
      ' postgresql+ssl://me:sec/secret@localhost/x',
      'postgres://me@localhost:5432/x?sslmode=disable&password=secret',
      'socket:/tmp?password=secret',
    ]) {
      const told = await avmkit(['custody', 'status', '--database', url, '--json'], { node })
      expect([told.code, told.error().code]).toEqual([2, 'KEY_IN_ARGUMENT'])
      expect(told.err).not.toContain('secret')
    }
    const open = 'postgres://me@127.0.0.1:1/x'
    const tried = await avmkit(['custody', 'status', '--database', open, '--json'], { node })
    expect(tried.error().code).toBe('DATABASE_FAILED')
    const missing = await avmkit(['custody', 'status', '--json'], { node })
    expect([missing.code, missing.error().code]).toEqual([2, 'MISSING_OPTION'])
  })
})
