import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DevNode } from '../../src/devnode/index.ts'
import { P_CHAIN_ID } from '../../src/index.ts'
import {
  BOB,
  BOB_SECOND,
  BOB_WORDS,
  cli,
  devNode,
  type Ended,
  EWOQ,
  EWOQ_KEY,
  folder,
  LOCAL_AVAX,
  secretFile,
} from './shell.ts'

const AVAX = 1_000_000_000n

/** Runs a command with the key that owns the funds of the genesis. */
async function rich(node: DevNode, ...argv: string[]): Promise<Ended> {
  return cli(argv, { node, env: { AVMKIT_KEY: EWOQ_KEY } })
}

async function spendable(node: DevNode, address: string, assetID = LOCAL_AVAX): Promise<bigint> {
  type Balance = { assets: { assetID: string; spendable: string }[] }
  const { assets } = (await cli(['balance', address, '--json'], { node })).json<Balance>()
  return BigInt(assets.find((asset) => asset.assetID === assetID)?.spendable ?? '0')
}

async function height(node: DevNode): Promise<string> {
  return (await cli(['node', 'height'], { node })).out.trim()
}

describe('send', () => {
  it('pays one recipient and prints the result', async () => {
    const node = await devNode()
    const ended = await rich(node, 'send', BOB, '1.5', '--yes', '--json')
    expect([ended.code, ended.err]).toEqual([0, ''])
    expect(ended.json()).toMatchObject({
      status: 'accepted',
      explanation: {
        type: 'BaseTx',
        fee: '1000000',
        pays: [{ amount: '1500000000', owners: { addresses: [BOB] } }],
        returns: [{ amount: '299999998499000000', owners: { addresses: [EWOQ] } }],
        warnings: [],
      },
    })
    expect(await spendable(node, BOB)).toBe(1_500_000_000n)
    const { txID } = ended.json<{ txID: string }>()
    expect((await cli(['status', txID], { node })).out).toBe('accepted\n')
    expect((await cli(['wait', txID, '--json'], { node })).json()).toEqual({
      txID,
      status: 'accepted',
    })
  })

  it('pays several recipients in one transaction, with memo, locktime and change address', async () => {
    const node = await devNode()
    const payments = [`${BOB}=1`, `${BOB_SECOND}=2`]
    const options = ['--memo', 'rent', '--change-to', BOB_SECOND, '--locked-until', '2100-01-01']
    options.push('--accept', 'FOREIGN_CHANGE')
    const ended = await rich(node, 'send', ...payments, ...options, '--yes', '--json')
    expect(ended.code).toBe(0)
    expect(ended.json()).toMatchObject({
      explanation: {
        memo: { text: 'rent' },
        warnings: expect.arrayContaining([expect.objectContaining({ code: 'FOREIGN_CHANGE' })]),
      },
    })
    type Balance = { assets: { locked: string; nextUnlock: string }[] }
    const { assets } = (await cli(['balance', BOB, '--json'], { node })).json<Balance>()
    // 2100-01-01T00:00:00Z is 4 102 444 800 seconds after 1970.
    expect(assets[0]).toMatchObject({ locked: '1000000000', nextUnlock: '4102444800' })
    expect(await spendable(node, EWOQ)).toBe(0n)
  })

  it('pays several owners together', async () => {
    const node = await devNode()
    expect((await rich(node, 'send', `2:${BOB},${EWOQ}=4`, '--yes')).code).toBe(0)
    type Balance = { assets: { shortOfSigners: string; spendable: string }[] }
    const { assets } = (await cli(['balance', BOB, '--json'], { node })).json<Balance>()
    expect(assets).toMatchObject([{ spendable: '0', shortOfSigners: '4000000000' }])
    const open = await rich(node, 'send', `${BOB},${EWOQ}=4`, '--yes')
    expect([open.code, open.error().code]).toEqual([1, 'THRESHOLD_MISSING'])
  })

  it.each([
    ['1', '2030-01-01'],
    ['1', '2030-01-01T02:00:00.000+02:00'],
    ['1', '1893456000'],
    ['all', '2029-12-31T23:59:59Z'],
  ])('locks %s until %s', async (amount, time) => {
    const node = await devNode()
    const paid = await rich(node, 'send', BOB, amount, '--locked-until', time, '--yes')
    expect(paid.code).toBe(0)
    const { out } = await cli(['utxos', BOB, '--json'], { node })
    expect(out).toContain(`"locktime":"${amount === 'all' ? 1893455999 : 1893456000}"`)
  })

  it('sends the whole balance', async () => {
    const node = await devNode()
    expect((await rich(node, 'send', BOB, 'all', '--yes')).code).toBe(0)
    expect(await spendable(node, BOB)).toBe(300_000_000n * AVAX - 1_000_000n)
    const two = await rich(node, 'send', `${BOB}=all`, `${BOB}=1`, '--yes')
    expect([two.code, two.error().code]).toEqual([2, 'BAD_VALUE'])
  })

  it('refuses without a terminal and without --yes, before any request', async () => {
    const node = await devNode()
    let asked = 0
    const fetch: typeof node.fetch = (...args) => {
      asked++
      return node.fetch(...args)
    }
    const ended = await cli(['send', BOB, '1'], { node, fetch, env: { AVMKIT_KEY: EWOQ_KEY } })
    expect([ended.code, ended.error().code, asked]).toEqual([2, 'CONFIRMATION_NEEDED', 0])
  })

  it('shows the explanation at a terminal and sends only after yes', async () => {
    const node = await devNode()
    const env = { AVMKIT_KEY: EWOQ_KEY }
    for (const typed of ['n\n', '\n', 'yesterday\n']) {
      const ended = await cli(['send', BOB, '1'], { node, env, typed })
      expect([ended.code, ended.error().code]).toEqual([1, 'NOT_CONFIRMED'])
      expect(ended.err).toMatch(/pay +1 +AVAX +to X-local15qwukl/)
    }
    expect(await height(node)).toBe('0')
    const ended = await cli(['send', BOB, '1'], { node, env, typed: 'y\n' })
    expect(ended.code).toBe(0)
    expect(ended.out).toMatch(/^accepted /)
    expect(ended.err).toContain('\u001b[1mtransfer on local')
    expect(ended.err).toContain('waiting for acceptance: 0 s')
    expect(await spendable(node, BOB)).toBe(AVAX)
  })

  it('uses no colors with NO_COLOR', async () => {
    const node = await devNode()
    const env = { AVMKIT_KEY: EWOQ_KEY, NO_COLOR: '1' }
    const ended = await cli(['send', BOB, '1'], { node, env, typed: 'n\n' })
    expect(ended.err).not.toContain('\u001b[1m')
    expect(ended.err).not.toContain('\u001b[3')
  })

  it('makes a payment with one key once, with a named journal and with the default one', async () => {
    const node = await devNode()
    const named = ['--journal', join(folder(), 'journal')]
    for (const [i, options] of [named, []].entries()) {
      const argv = ['send', BOB, '1', '--yes', '--idempotency-key', 'rent 05', '--json', ...options]
      const first = await rich(node, ...argv)
      const second = await rich(node, ...argv)
      expect([first.code, second.code]).toEqual([0, 0])
      expect(second.json<{ txID: string }>().txID).toBe(first.json<{ txID: string }>().txID)
      expect(first.json()).toMatchObject({ repeated: false })
      expect(second.json()).toMatchObject({ repeated: true })
      expect(await spendable(node, BOB)).toBe(BigInt(i + 1) * AVAX)
    }
    const text = await rich(node, 'send', BOB, '1', '--yes', '--idempotency-key', 'rent 05')
    expect(text.out).toMatch(/^accepted \w+, paid before with the same key\n$/)
  })

  it('refuses a key that was used for another payment', async () => {
    const node = await devNode()
    const key = ['--yes', '--idempotency-key', 'rent 05']
    expect((await rich(node, 'send', BOB, '1', ...key)).code).toBe(0)
    for (const other of [
      ['send', BOB, '2'],
      ['send', BOB_SECOND, '1'],
      ['send', BOB, '1', '--memo', 'x'],
      ['export', BOB.replace('X-', 'P-'), '1', '--destination-chain', 'P'],
    ]) {
      const ended = await rich(node, ...other, ...key)
      expect([ended.code, ended.error().code, ended.out]).toEqual([1, 'KEY_CONFLICT', ''])
      expect(ended.error().hint).toContain('journal show')
    }
    expect(await height(node)).toBe('1')
  })

  it('refuses invalid idempotency keys', async () => {
    const node = await devNode()
    for (const key of ['auto-1', 'x'.repeat(257)]) {
      const ended = await rich(node, 'send', BOB, '1', '--yes', '--idempotency-key', key)
      expect([ended.code, ended.error().code]).toEqual([1, 'BAD_KEY'])
    }
    const secret = await rich(node, 'send', BOB, '1', '--yes', '--idempotency-key', 'ab'.repeat(32))
    expect([secret.code, secret.error().code]).toEqual([2, 'KEY_IN_ARGUMENT'])
    expect(await height(node)).toBe('0')
  })

  it('leaves a payment of unknown outcome in the journal and prints how to resume it', async () => {
    const node = await devNode({ blocks: 'manual' })
    const json = await rich(node, 'send', BOB, '1', '--yes', '--wait', '1', '--json')
    expect([json.code, json.out]).toEqual([1, ''])
    expect(json.error()).toMatchObject({
      code: 'TX_PENDING',
      message: expect.stringContaining('is pending'),
      hint: expect.stringContaining('avmkit journal resume'),
      txID: expect.stringMatching(/^\w{40,}$/),
      keys: [expect.stringMatching(/^auto-/)],
    })
    node.produceBlock()
    const { txID } = json.error() as unknown as { txID: string }
    const resumed = await rich(node, 'journal', 'resume', '--json')
    expect(resumed.json()).toMatchObject({ resumed: [{ txID, status: 'accepted' }] })
    expect(await spendable(node, BOB)).toBe(AVAX)
  })

  it('needs a folder for the journal, or --journal', async () => {
    const node = await devNode()
    let asked = 0
    const fetch: typeof node.fetch = (...args) => {
      asked++
      return node.fetch(...args)
    }
    for (const env of [{}, { HOME: 'relative', XDG_STATE_HOME: './here' }]) {
      const around = { node, fetch, env: { AVMKIT_KEY: EWOQ_KEY, XDG_STATE_HOME: '', ...env } }
      const ended = await cli(['send', BOB, '1', '--yes'], around)
      expect([ended.code, ended.error().code, asked]).toEqual([2, 'MISSING_OPTION', 0])
      expect(ended.error().hint).toContain('--journal')
    }
  })

  const bad: readonly (readonly [readonly string[], number, string])[] = [
    [[BOB, '0'], 1, 'OUTPUT_ZERO_AMOUNT'],
    [[BOB, '-1'], 2, 'BAD_VALUE'],
    [[BOB, '1e3'], 2, 'ENC_BAD_AMOUNT'],
    [[BOB, '1.0000000001'], 2, 'ENC_BAD_AMOUNT'],
    [[BOB, '300000000'], 1, 'BUILDER_INSUFFICIENT_FUNDS'],
    [[BOB], 2, 'BAD_VALUE'],
    [[BOB, '1', '2'], 2, 'BAD_VALUE'],
    [['X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t', '1'], 2, 'ENC_WRONG_HRP'],
    [[EWOQ.replace('X-', 'P-'), '1'], 2, 'BAD_VALUE'],
    [[BOB, '1', '--asset', 'nonsense'], 2, 'ENC_BAD_CHECKSUM'],
    [[BOB, '1', '--network', 'fuji'], 1, 'NETWORK_MISMATCH'],
    [[BOB, '1', '--memo', 'x'.repeat(257)], 1, 'MEMO_TOO_LARGE'],
    ...[
      'soon',
      '2030',
      'foo 1',
      '1.5',
      '01/02/2030',
      '2030-02-31',
      '2030-13-01',
      '2030-01-01T24:00:00Z',
      '2030-01-01T00:00:00',
      '2030-01-01T00:00:00+99:00',
      '2030-01-01 00:00:00Z',
      '1893456000000',
      '2020-01-01',
      '999999999',
    ].map((time) => [[BOB, '1', '--locked-until', time], 2, 'BAD_VALUE'] as const),
    [[BOB, '1', '--locked-until=-1'], 2, 'BAD_VALUE'],
    [[BOB, 'all', '--locked-until', '2030'], 2, 'BAD_VALUE'],
  ]
  for (const [argv, code, name] of bad)
    it(`sends nothing and reports ${name} for ${argv.join(' ').slice(0, 90)}`, async () => {
      const node = await devNode()
      const ended = await rich(node, 'send', ...argv, '--yes')
      expect([ended.code, ended.error().code, ended.out]).toEqual([code, name, ''])
      expect(ended.err.trimEnd()).not.toContain('\n')
      expect(ended.error().hint).toBeTruthy()
      expect(await height(node)).toBe('0')
    })

  it('reports that a key has no funds', async () => {
    const node = await devNode()
    const ended = await cli(['send', BOB, '1', '--yes'], { node, env: { AVMKIT_KEY: BOB_WORDS } })
    expect([ended.code, ended.error().code]).toEqual([1, 'BUILDER_INSUFFICIENT_FUNDS'])
  })
})

describe('export and import', () => {
  it('move assets between chains', async () => {
    const node = await devNode()
    const to = EWOQ.replace('X-', 'P-')
    const sent = await rich(
      node,
      'export',
      `${to}=2`,
      '--destination-chain',
      'P',
      '--yes',
      '--json',
    )
    expect(sent.json()).toMatchObject({
      explanation: {
        type: 'ExportTx',
        title: 'export to the P-Chain',
        pays: [],
        destinationChain: { alias: 'P' },
      },
    })
    expect(node.exportedUTXOs(P_CHAIN_ID)).toHaveLength(1)
    node.exportFrom('C', { address: EWOQ, amount: 5n * AVAX })
    const before = await spendable(node, EWOQ)
    const plan = await rich(node, 'import', '--source-chain', 'C', '--plan', '--json')
    expect(plan.json()).toMatchObject({
      transactions: 1,
      utxoCount: 1,
      fee: '1000000',
      moved: [{ assetID: LOCAL_AVAX, amount: '4999000000' }],
    })
    const taken = await rich(node, 'import', '--source-chain', 'C', '--yes', '--json')
    expect(taken.json()).toMatchObject({
      utxoCount: 1,
      moved: [{ amount: '4999000000' }],
      resumed: [],
    })
    expect((await spendable(node, EWOQ)) - before).toBe(4_999_000_000n)
    const again = await rich(node, 'import', '--source-chain', 'C', '--yes')
    expect([again.code, again.out]).toEqual([0, 'accepted  nothing to do\nUTXOs     0\n'])
  })

  it('refuse unknown chains', async () => {
    const node = await devNode()
    for (const chain of ['Z', 'X']) {
      const ended = await rich(node, 'export', `${EWOQ}=1`, '--destination-chain', chain, '--yes')
      expect(ended.code).toBe(1)
      expect(ended.error().code).toBe(chain === 'X' ? 'SAME_CHAIN' : 'UNKNOWN_CHAIN')
    }
    const missing = await rich(node, 'import', '--yes')
    expect([missing.code, missing.error().code]).toEqual([2, 'MISSING_OPTION'])
  })
})

describe('sweep and consolidate', () => {
  it('plan, then move everything, with a journal', async () => {
    const node = await devNode()
    for (let i = 0; i < 20; i++) node.fund(BOB, AVAX)
    node.fund(BOB_SECOND, AVAX)
    const journal = join(folder(), 'journal')
    const around = { node, env: { AVMKIT_KEY: BOB_WORDS } }
    const base = ['sweep', EWOQ, '--count', '2', '--journal', journal]
    const plan = await cli([...base, '--plan', '--json'], around)
    const moved = 21n * AVAX - 1_000_000n
    expect(plan.json()).toMatchObject({
      transactions: 1,
      utxoCount: 21,
      fee: '1000000',
      moved: [{ assetID: LOCAL_AVAX, amount: String(moved) }],
      unspendable: [],
    })
    expect(existsSync(journal)).toBe(false)
    const before = await spendable(node, EWOQ)
    const done = await cli([...base, '--yes', '--json'], around)
    expect(done.json()).toMatchObject({
      utxoCount: 21,
      moved: [{ amount: String(moved) }],
      resumed: [],
    })
    expect((await spendable(node, EWOQ)) - before).toBe(moved)
    expect(statSync(journal).mode & 0o777).toBe(0o600)
  })

  it('plan without what a pending payment spends', async () => {
    const node = await devNode({ blocks: 'manual' })
    node.fund(BOB, AVAX)
    node.fund(BOB, 2n * AVAX)
    const around = { node, env: { AVMKIT_KEY: BOB_WORDS } }
    const sent = await cli(['send', EWOQ, '0.5', '--yes', '--wait', '1'], around)
    expect(sent.error().code).toBe('TX_PENDING')
    const plan = await cli(['sweep', EWOQ, '--plan', '--json'], around)
    expect(plan.json()).toMatchObject({ utxoCount: 1, leftBehind: [{ reason: 'reserved' }] })
  })

  it('show a bar at a terminal and ask once for the whole plan', async () => {
    const node = await devNode()
    for (let i = 0; i < 3; i++) node.fund(BOB, AVAX)
    const around = { node, env: { AVMKIT_KEY: BOB_WORDS } }
    const argv = ['consolidate', '--journal', join(folder(), 'journal')]
    const refused = await cli(argv, { ...around, typed: 'n\n' })
    expect([refused.code, refused.error().code]).toEqual([1, 'NOT_CONFIRMED'])
    const done = await cli(argv, { ...around, typed: 'y\n' })
    expect(done.code).toBe(0)
    expect(done.err).toContain('[########################] 1/1 transactions accepted, 3 UTXOs')
    expect(done.out).toMatch(/accepted.* {2}1 transaction\n/)
    // The change address of the mnemonic has it.
    expect(await spendable(node, BOB)).toBe(0n)
    expect((await cli(['balance', '--json'], around)).json()).toMatchObject({
      assets: [{ spendable: String(3n * AVAX - 1_000_000n), spendableUTXOs: 1 }],
    })
  })

  it('resume after an interruption: a recorded transaction is issued, not made again', async () => {
    const node = await devNode()
    node.fund(BOB, AVAX)
    const around = { node, env: { AVMKIT_KEY: BOB_WORDS } }
    const argv = ['sweep', EWOQ, '--yes', '--json', '--wait', '1']
    // As after a crash between the record and the request.
    const fetch: typeof node.fetch = async (url, init) => {
      if (String(init?.body).includes('avm.issueTx')) throw new TypeError('fetch failed')
      return node.fetch(url, init)
    }
    const stopped = await cli(argv, { ...around, fetch })
    expect([stopped.code, stopped.error()]).toMatchObject([
      1,
      { code: 'BATCH_UNFINISHED', reason: expect.stringContaining('HTTP_UNREACHABLE') },
    ])
    const { txID } = stopped.error() as unknown as { txID: string }
    expect(await spendable(node, BOB)).toBe(AVAX)
    const again = await cli(argv, around)
    expect(again.json()).toMatchObject({ txIDs: [], resumed: [{ txID, status: 'accepted' }] })
    expect(await spendable(node, BOB)).toBe(0n)
    expect(await height(node)).toBe('2')
  })

  it('stop at Ctrl-C, say that they can be run again, and then finish', async () => {
    const node = await devNode()
    for (let i = 0; i < 120; i++) node.fund(BOB, AVAX)
    const interrupt = new AbortController()
    const fetch: typeof node.fetch = (url, init) => {
      if (String(init?.body).includes('avm.issueTx')) interrupt.abort('SIGINT')
      return node.fetch(url, init)
    }
    const env = { AVMKIT_KEY: BOB_WORDS }
    const argv = ['sweep', EWOQ, '--clear-sign', '--yes', '--json']
    const stopped = await cli(argv, { node, env, fetch, signal: interrupt.signal })
    expect([stopped.code, stopped.error().code]).toEqual([130, 'BATCH_UNFINISHED'])
    expect(stopped.error().hint).toContain('run it again')
    expect(await spendable(node, BOB)).toBeGreaterThan(0n)
    expect((await cli(argv, { node, env })).code).toBe(0)
    expect(await spendable(node, BOB)).toBe(0n)
    // Every block after the 120 of the faucet has one transaction or more, each with a fee of 0.001.
    const fees = 300_000_120n * AVAX - (await spendable(node, EWOQ))
    expect([fees % 1_000_000n, fees >= 2_000_000n]).toEqual([0n, true])
    const list = await cli(['journal', 'list', '--json'], { node, env })
    expect(list.json()).toMatchObject({ payments: [] })
  })

  it.each([['sweep', EWOQ], ['consolidate'], ['import', '--source-chain', 'P']])(
    'print what %s has done before an error',
    async (...command) => {
      const node = await devNode()
      const recipients = Array.from({ length: 450 }, () => ({ address: BOB, amount: AVAX }))
      if (command[0] === 'import') node.exportFrom('P', ...recipients)
      else for (const { address, amount } of recipients) node.fund(address, amount)
      let issued = 0
      const fetch: typeof node.fetch = async (url, init) => {
        if (String(init?.body).includes('avm.issueTx') && ++issued > 1)
          throw new TypeError('fetch failed')
        return node.fetch(url, init)
      }
      const argv = [...command, '--yes', '--json', '--wait', '4', '--in-flight', '1']
      const env = { AVMKIT_KEY: BOB_WORDS }
      const stopped = await cli(argv, { node, env, fetch })
      expect([stopped.code, stopped.error().code]).toEqual([1, 'BATCH_UNFINISHED'])
      const { txIDs } = stopped.json<{ txIDs: string[] }>()
      expect(txIDs).toHaveLength(1)
      expect((await cli(['status', txIDs[0]!, '--json'], { node })).json()).toMatchObject({
        status: 'accepted',
      })
    },
  )

  it('refuse a journal that cannot be read, before anything is sent', async () => {
    const node = await devNode()
    node.fund(BOB, AVAX)
    const journal = join(folder(), 'journal')
    writeFileSync(journal, 'not a journal\n')
    const argv = ['sweep', EWOQ, '--journal', journal, '--yes']
    const ended = await cli(argv, { node, env: { AVMKIT_KEY: BOB_WORDS } })
    expect([ended.code, ended.error().code]).toEqual([1, 'STORE_CORRUPT'])
    expect(ended.error().hint).toContain('keep the file')
    expect(await spendable(node, BOB)).toBe(AVAX)
  })

  it('send nothing if the journal cannot be created', async () => {
    const node = await devNode()
    node.fund(BOB, AVAX)
    const file = secretFile('text')
    const argv = ['sweep', EWOQ, '--journal', join(file, 'journal'), '--yes']
    const ended = await cli(argv, { node, env: { AVMKIT_KEY: BOB_WORDS } })
    expect([ended.code, ended.error().code]).toEqual([1, 'STORE_UNREADABLE'])
    expect(ended.error().hint).toBeTruthy()
    expect(await spendable(node, BOB)).toBe(AVAX)
  })
})

describe('asset, nft and property', () => {
  it('create, mint, transfer and burn', async () => {
    const node = await devNode()
    const rights = ['--minter', EWOQ, '--nft-minter', `1=${EWOQ}`, '--property-minter', EWOQ]
    const made = await rich(
      node,
      ...['asset', 'create', 'Team Rocket', 'TR', `${BOB}=5.25`, '--denomination', '2'],
      ...rights,
      ...['--yes', '--json'],
    )
    expect(made.code).toBe(0)
    const { assetID } = made.json<{ assetID: string }>()
    expect(made.json()).toMatchObject({
      txID: assetID,
      explanation: { newAsset: { name: 'Team Rocket', symbol: 'TR', denomination: 2 } },
    })
    expect(await spendable(node, BOB, assetID)).toBe(525n)

    expect((await rich(node, 'asset', 'mint', assetID, BOB, '0.75', '--yes')).code).toBe(0)
    expect(await spendable(node, BOB, assetID)).toBe(600n)
    const sent = await cli(['send', EWOQ, '1.5', '--asset', assetID, '--yes'], {
      node,
      env: { AVMKIT_KEY: BOB_WORDS },
    })
    // Bob has no AVAX for the fee.
    expect(sent.error().code).toBe('BUILDER_INSUFFICIENT_FUNDS')

    type UTXOs = {
      utxos: { type: string; utxo: { output: { payload?: string; groupID?: number } } }[]
    }
    const things = async (address: string) =>
      (await cli(['utxos', address, '--asset', assetID, '--json'], { node })).json<UTXOs>().utxos
    const payload = ['--payload-hex', '00ff']
    expect((await rich(node, 'nft', 'mint', assetID, EWOQ, ...payload, '--yes')).code).toBe(0)
    expect((await rich(node, 'nft', 'transfer', assetID, BOB, '--group', '1', '--yes')).code).toBe(
      0,
    )
    expect(await things(BOB)).toContainEqual(
      expect.objectContaining({
        type: 'nftfx.TransferOutput',
        utxo: expect.objectContaining({
          output: expect.objectContaining({ groupID: 1, payload: '0x00ff' }),
        }),
      }),
    )
    expect((await rich(node, 'property', 'mint', assetID, EWOQ, '--yes')).code).toBe(0)
    const owned = async () =>
      (await things(EWOQ)).filter(({ type }) => type === 'propertyfx.OwnedOutput')
    expect(await owned()).toHaveLength(1)
    expect((await rich(node, 'property', 'burn', assetID, '--yes')).code).toBe(0)
    expect(await owned()).toHaveLength(0)
  })

  it('transfer no NFT if several different ones are possible', async () => {
    const node = await devNode()
    const rights = ['--nft-minter', `1=${EWOQ}`, '--nft-minter', `2=${EWOQ}`]
    const made = await rich(node, 'asset', 'create', 'Art', 'ART', ...rights, '--yes', '--json')
    const { assetID } = made.json<{ assetID: string }>()
    const mint = ['nft', 'mint', assetID, EWOQ, EWOQ, '--yes', '--payload']
    expect((await rich(node, ...mint, 'dog', '--group', '1')).code).toBe(0)
    expect((await rich(node, ...mint, 'cat', '--group', '2')).code).toBe(0)
    const listed = await cli(['utxos', EWOQ, '--asset', assetID], { node })
    expect(listed.out.match(/group 1, payload "dog" /g)).toHaveLength(2)
    expect(listed.out.match(/group 2, payload "cat" /g)).toHaveLength(2)
    const argv = ['nft', 'transfer', assetID, BOB, '--yes']
    const refused = await rich(node, ...argv)
    expect([refused.code, refused.error().code]).toEqual([1, 'AMBIGUOUS_NFT'])
    expect(refused.error().message.match(/:[0-9]+ \(group [12], payload 0x/g)).toHaveLength(4)
    expect(refused.error().hint).toContain('--utxo')
    expect((await rich(node, ...argv, '--group', '2')).code).toBe(0)
    const [, name] = /^(\S+) .*group 1,/m.exec(listed.out)!
    expect((await rich(node, ...argv, '--utxo', name!)).code).toBe(0)
    const { out } = await cli(['utxos', BOB, '--asset', assetID], { node })
    expect(out.match(/group [12]/g)!.sort()).toEqual(['group 1', 'group 2'])
  })

  it('refuse impossible arguments', async () => {
    const node = await devNode()
    const cases: readonly [readonly string[], number, string][] = [
      [['asset', 'create', 'Team Rocket', 'toolong', `${BOB}=1`], 1, 'SYMBOL_TOO_LONG'],
      [['asset', 'create', 'A', 'B', BOB, '1'], 2, 'BAD_VALUE'],
      [['asset', 'create', 'A', 'B', `${BOB}=1`, '--denomination', '33'], 2, 'BAD_VALUE'],
      [['asset', 'create', 'A', 'B', '--nft-minter', `1=${BOB}=${EWOQ}`], 2, 'BAD_VALUE'],
      [['asset', 'create', 'A', 'B', '--nft-minter', `4294967296=${BOB}`], 2, 'BAD_VALUE'],
      [['asset', 'mint', LOCAL_AVAX, BOB, '1'], 1, 'NO_USABLE_UTXO'],
      [['nft', 'mint', LOCAL_AVAX, BOB], 2, 'MISSING_OPTION'],
      [['nft', 'transfer', LOCAL_AVAX, BOB], 1, 'NO_USABLE_UTXO'],
      [['property', 'burn', LOCAL_AVAX], 1, 'NO_USABLE_UTXO'],
      [['nft', 'mint', 'AVAX', BOB, '--payload', 'x'], 1, 'NO_USABLE_UTXO'],
      [['nft', 'transfer', 'AVAX', BOB], 1, 'NO_USABLE_UTXO'],
      [['property', 'mint', 'AVAX', BOB], 1, 'NO_USABLE_UTXO'],
      [['property', 'burn', 'AVAX'], 1, 'NO_USABLE_UTXO'],
    ]
    for (const [argv, code, name] of cases) {
      const ended = await rich(node, ...argv, '--yes')
      expect([ended.code, ended.error().code], argv.join(' ')).toEqual([code, name])
    }
    expect(await height(node)).toBe('0')
  })
})
