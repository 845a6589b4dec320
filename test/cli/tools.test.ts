import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { batchesOf, type FilePayout } from '../../src/cli/spending/payouts.ts'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import { createDevNode } from '../../src/devnode/index.ts'
import {
  ALICE_KEY,
  BOB,
  BOB_SECOND,
  BOB_WORDS,
  cheapKeyFile,
  cli,
  devNode,
  EWOQ,
  EWOQ_KEY,
  folder,
  LOCAL_AVAX,
  secretFile,
} from './shell.ts'

const env = { AVMKIT_KEY: EWOQ_KEY }
const AVAX = 1_000_000_000n

const { watch } = accountFromMnemonic(BOB_WORDS)
const bobAt = (change: number, index: number) =>
  formatAddress({ chain: 'X', hrp: 'local', address: watch.address({ change, index }) })

describe('a mnemonic', () => {
  it('is searched for used addresses, and the number of checked ones is shown', async () => {
    const node = await devNode()
    node.fund(bobAt(0, 5), 2n * AVAX)
    node.fund(bobAt(1, 3), 3n * AVAX)
    const words = { AVMKIT_KEY: BOB_WORDS }
    const shown = await cli(['balance', '--json'], { node, env: words })
    expect(shown.json()).toMatchObject({
      assets: [{ spendable: String(5n * AVAX), symbol: 'AVAX' }],
      searched: [{ used: [{ path: "m/44'/9000'/0'/0/5" }, { path: "m/44'/9000'/0'/1/3" }] }],
    })
    const first = await cli(['balance', '--count', '1'], { node, env: words })
    expect(first.out).toBe('nothing\n')
    const text = await cli(['balance', watch.extendedPublicKey], { node })
    expect(text.out).toMatch(/ 5 [\s\S]*checked \d+ addresses, 2 used;/)
    // Spends from both, and sends the change to an address that was not searched yet.
    const pay = ['send', EWOQ, '4', '--yes', '--fresh-change', '--json']
    const paid = await cli(pay, { node, env: words })
    expect(paid.json()).toMatchObject({
      explanation: { returns: [{ owners: { addresses: [bobAt(1, 4)] } }] },
    })
    expect((await cli(['balance', '--json'], { node, env: words })).json()).toMatchObject({
      assets: [{ spendable: '999000000' }],
    })
    expect(paid.err).toMatch(/^\{"note":"checked \d+ addresses, 2 used/)
    const refused = await cli([...pay, '--count', '1'], { node, env: words })
    expect([refused.code, refused.error().code]).toEqual([2, 'BAD_VALUE'])
  })

  it('gets a change address that the journal has not recorded yet, however it is read', async () => {
    const node = await devNode()
    node.fund(bobAt(0, 0), 20n * AVAX)
    const words = { AVMKIT_KEY: BOB_WORDS }
    const pay = ['send', EWOQ, '1', '--yes', '--fresh-change', '--json']
    const change: unknown[] = []
    for (let i = 0; i < 3; i++) {
      const { explanation } = (await cli(pay, { node, env: words })).json<{
        explanation: { returns: { owners: { addresses: string[] } }[] }
      }>()
      change.push(...explanation.returns.map(({ owners }) => owners.addresses))
    }
    expect(change).toEqual([[bobAt(1, 0)], [bobAt(1, 1)], [bobAt(1, 2)]])
    // Without --fresh-change, the change goes to the first change address.
    const plain = await cli(['send', EWOQ, '1', '--yes', '--json'], { node, env: words })
    expect(plain.json()).toMatchObject({
      explanation: { returns: [{ owners: { addresses: [bobAt(1, 0)] } }] },
    })
    const all = ['send', bobAt(0, 0), 'all', '--yes']
    expect((await cli(all, { node, env: words })).code).toBe(0)
    // Only the journal knows that the first three were used.
    const shown = (await cli(['balance', '--json'], { node, env: words })).json()
    expect(shown).toMatchObject({
      searched: [{ next: { receive: "m/44'/9000'/0'/0/1", change: "m/44'/9000'/0'/1/3" } }],
    })
    const { transactions } = (await cli(['history', '--json'], { node, env: words })).json<{
      transactions: { direction: string; fee: string; counterparties: string[] }[]
    }>()
    expect(transactions).toHaveLength(6)
    expect(transactions[1]).toMatchObject({
      direction: 'out',
      fee: '1000000',
      counterparties: [EWOQ],
    })
    const keyed = ['send', EWOQ, '1', '--yes', '--idempotency-key', 'rent']
    expect((await cli(keyed, { node, env: words })).code).toBe(0)
    expect((await cli(['history', '--json'], { node, env: words })).out).toContain('"rent"')
    for (const argv of [
      [...pay, '--change-to', EWOQ],
      [...pay, '--count', '2'],
    ]) {
      const refused = await cli(argv, { node, env: words })
      expect([refused.code, refused.error().code]).toEqual([2, 'BAD_VALUE'])
    }
    const foreign = await cli(['send', EWOQ, '1', '--yes', '--change-to', EWOQ], {
      node,
      env: words,
    })
    expect([foreign.code, foreign.error().code]).toEqual([1, 'FOREIGN_CHANGE'])
  })

  it('has a next address to receive at, which a node tells', async () => {
    const node = await devNode()
    const words = { AVMKIT_KEY: BOB_WORDS }
    const next = async (...argv: string[]) =>
      (await cli(['receive', ...argv], { node, env: words })).out.trim()
    expect(await next()).toBe(bobAt(0, 0))
    node.fund(bobAt(0, 3), AVAX)
    expect(await next()).toBe(bobAt(0, 4))
    node.pChain.fund({ address: bobAt(0, 6).replace('X-', 'P-'), amount: AVAX })
    expect(await next('--chain', 'P')).toBe(bobAt(0, 7).replace('X-', 'P-'))
    const json = await cli(['receive', '--json'], { node, env: words })
    expect(json.json()).toEqual({ index: 4, address: bobAt(0, 4) })
    // With an index, without a node.
    const offline = await cli(['receive', '2', '--network', 'local'], { env: words })
    expect(offline.out.trim()).toBe(bobAt(0, 2))
    const unknown = await cli(['receive'], { env: words })
    expect([unknown.code, unknown.error().code]).toEqual([2, 'NO_URL'])
    const key = await cli(['receive', '--network', 'local'], { env: { AVMKIT_KEY: EWOQ_KEY } })
    expect(key.out.trim()).toBe(EWOQ)
    const wrong = await cli(['receive', '--network', 'fuji'], { node, env: words })
    expect([wrong.code, wrong.error().code]).toEqual([1, 'NETWORK_MISMATCH'])
    const file = secretFile(BOB_WORDS)
    const accounts = { AVMKIT_ACCOUNTS: `${folder()}/accounts.json` }
    for (const [name, from] of [
      ['hot', ['--key-file', file]],
      ['cold', [watch.extendedPublicKey]],
    ] as const) {
      const added = await cli(['accounts', 'add', name, ...from], { node, env: accounts })
      expect([added.code, added.err]).toEqual([0, ''])
      const shown = await cli(['receive', '--account', name], { node, env: accounts })
      expect([shown.err, shown.out.trim()]).toEqual(['', bobAt(0, 4)])
    }
  })

  it('is searched on the P-Chain, too, and so is an xpub', async () => {
    const node = await devNode()
    const address = bobAt(0, 3).replace('X-', 'P-')
    node.pChain.fund({ address, amount: 7n * AVAX })
    const words = { AVMKIT_KEY: BOB_WORDS }
    for (const argv of [
      ['balance', '--chain', 'P'],
      ['balance', watch.extendedPublicKey, '--chain', 'P'],
      ['balance', '--chain', 'all'],
      ['balance', watch.extendedPublicKey, '--chain', 'all'],
    ]) {
      const { out } = await cli(argv, { node, env: words })
      expect(out).toMatch(/^P +AVAX +7 +0 +0 /m)
      expect(out).toMatch(/^checked \d+ addresses, 1 used/m)
    }
    const moved = await cli(['move', '2', '--from', 'P', '--to', 'X', '--yes'], {
      node,
      env: words,
    })
    expect([moved.code, moved.out]).toEqual([0, expect.stringMatching(/^arrived on X/)])
    expect((await cli(['balance', BOB], { node })).out).toMatch(/^AVAX +2 /m)
  })

  it('has accounts on the C-Chain, whose balances an xpub shows', async () => {
    const node = await devNode()
    // Keccak-256 of the first public key of this mnemonic.
    node.cChain.fund('0x882A24154eEf40ca3c149029c5610465007136E4', 3n * AVAX)
    const { out } = await cli(['balance', watch.extendedPublicKey, '--chain', 'C'], { node })
    expect(out).toMatch(/^C +AVAX +3 +0 +0 /m)
    const address = await cli(['balance', BOB, '--chain', 'all'], { node })
    expect([address.code, address.error().code]).toEqual([2, 'BAD_VALUE'])
  })

  it('is also followed on addresses without funds', async () => {
    const node = await devNode()
    node.fund(bobAt(0, 0), 5n * AVAX)
    node.fund(bobAt(0, 5), 10n * AVAX)
    const words = { AVMKIT_KEY: BOB_WORDS }
    expect((await cli(['send', EWOQ, '14', '--yes'], { node, env: words })).code).toBe(0)
    for (const [argv, environment] of [
      [['history', watch.extendedPublicKey, '--json'], {}],
      [['history', '--json'], words],
    ] as const) {
      const { transactions } = (await cli(argv, { node, env: environment })).json<{
        transactions: { changes: { amount: string }[] }[]
      }>()
      expect(transactions.map(({ changes }) => changes[0]!.amount)).toEqual(
        [5n, 10n].map((avax) => String(avax * AVAX)).concat('-14001000000'),
      )
    }
    const interrupt = new AbortController()
    const watching = cli(['watch', watch.extendedPublicKey, '--json'], {
      node,
      signal: interrupt.signal,
      // The first output is the deposit.
      onOutput: () => interrupt.abort('SIGINT'),
      onError: (text) => {
        if (text.includes('watching')) node.fund(bobAt(0, 12), AVAX)
      },
    })
    const { code, json } = await watching
    expect([code, json()]).toEqual([
      130,
      expect.objectContaining({
        changes: [{ assetID: LOCAL_AVAX, amount: String(AVAX) }],
      }),
    ])
  })
})

describe('reading the chain', () => {
  it('shows transactions, blocks, assets and history', async () => {
    const node = await devNode()
    const sent = await cli(['send', BOB, '1.5', '--yes', '--json'], { node, env })
    const { txID } = sent.json<{ txID: string }>()
    expect((await cli(['tx', txID], { node })).out).toMatch(
      /status +accepted[\s\S]*pay +1\.5 +AVAX/,
    )
    expect((await cli(['explain', txID], { node })).out).toMatch(/^transfer on local/)
    const block = (await cli(['block', 'latest', '--json'], { node })).json<{ blockID: string }>()
    expect(block).toMatchObject({ txIDs: [txID] })
    const same = await cli(['block', block.blockID, '--json'], { node })
    expect(same.json()).toEqual(block)
    const asset = (await cli(['asset', 'AVAX', '--json'], { node })).json()
    expect(asset).toMatchObject({ name: 'Avalanche', symbol: 'AVAX', denomination: 9, fixed: true })
    const history = await cli(['history', BOB, EWOQ, '--json'], { node })
    expect(history.json()).toMatchObject({
      source: 'blocks',
      fromHeight: '0',
      toHeight: '1',
      transactions: [{ txID, height: '1', changes: [{ amount: '-1000000' }] }],
    })
    const text = await cli(['history', BOB, '--from-height', '1'], { node })
    expect(text.out).toMatch(/\+1\.5 +AVAX[\s\S]*source: blocks 1 to 1 of the node/)
    const none = await cli(['tx', '11111111111111111111111111111111LpoYY'], { node })
    expect(none.code).toBe(1)
  })

  it('watches from a height on, one JSON object per line', async () => {
    const node = await devNode()
    node.fund(BOB, AVAX)
    node.fund(BOB, 2n * AVAX)
    await cli(['send', BOB, '1.5', '--yes'], { node, env })
    const interrupt = new AbortController()
    const lines: string[] = []
    const { run } = await import('../../src/cli/run.ts')
    const { PassThrough } = await import('node:stream')
    const code = await run(['watch', BOB, EWOQ, '--from-height', '1', '--json'], {
      stdout: {
        write: (text) => {
          lines.push(text)
          if (lines.length === 3) interrupt.abort('SIGINT')
        },
      },
      stderr: { write: () => {} },
      stdin: new PassThrough(),
      env: { AVMKIT_URL: 'http://node' },
      fetch: node.fetch,
      signal: interrupt.signal,
    })
    expect(code).toBe(130)
    const seen = lines.map((line) => JSON.parse(line))
    expect(seen.map(({ height }) => height)).toEqual(['1', '2', '3'])
    // Of the payment only the fee leaves the two addresses.
    const assetID = LOCAL_AVAX
    expect(seen.map(({ changes }) => changes)).toEqual([
      [{ assetID, amount: '1000000000' }],
      [{ assetID, amount: '2000000000' }],
      [{ assetID, amount: '-1000000' }],
    ])
  })

  it('calls any method', async () => {
    const node = await devNode()
    expect((await cli(['rpc', 'avm.getHeight'], { node })).out).toBe('{"height":"0"}\n')
    expect((await cli(['rpc', 'eth_chainId', '[]'], { node })).out).toBe('"0xa868"\n')
    expect((await cli(['rpc', 'eth_chainId'], { node })).out).toBe('"0xa868"\n')
    const wrong = await cli(['rpc', 'avm.getTx', '{txID}'], { node })
    expect([wrong.code, wrong.error().code]).toEqual([2, 'BAD_VALUE'])
    expect((await cli(['rpc', 'foo.bar'], { node })).error().hint).toContain('--path')
  })

  it('uses the public node of a named network, says so, and never spends on it', async () => {
    const asked: string[] = []
    const fetch = async (url: string) => {
      asked.push(url)
      return new Response('{}', { status: 503 })
    }
    const shown = await cli(['block', 'latest', '--network', 'fuji'], { fetch })
    expect(shown.err).toContain('using the public node https://api.avax-test.network')
    expect(new URL(asked[0]!).host).toBe('api.avax-test.network')
    const state = { ...env, XDG_STATE_HOME: folder() }
    const spent = await cli(['send', BOB, '1', '--yes', '--network', 'fuji'], { fetch, env: state })
    expect([spent.code, spent.error().code]).toEqual([2, 'NO_URL'])
    expect((await cli(['balance', BOB], { fetch })).error().code).toBe('NO_URL')
  })

  it('sorts and filters balances and UTXOs, and shows payloads as text', async () => {
    const node = await devNode()
    for (const amount of [1n, 3n, 2n]) node.fund(BOB, amount * AVAX)
    const amounts = async (...more: string[]) =>
      (await cli(['utxos', BOB, '--json', ...more], { node }))
        .json<{ utxos: { utxo: { output: { amount: number } } }[] }>()
        .utxos.map(({ utxo }) => utxo.output.amount / 1e9)
    expect(await amounts('--sort', 'amount')).toEqual([3, 2, 1])
    expect((await amounts('--min', '1.5')).sort()).toEqual([2, 3])
    const minters = [0, 1, 2, 3, 4].flatMap((group) => ['--nft-minter', `${group}=${EWOQ}`])
    const create = ['asset', 'create', 'Art', 'ART', ...minters, '--yes', '--json']
    const { assetID } = (await cli(create, { node, env })).json<{ assetID: string }>()
    const url = 'https://example.com/1'
    const mint = ['nft', 'mint', 'ART', EWOQ, '--group', '0', '--payload', url, '--yes']
    expect((await cli(mint, { node, env })).code).toBe(0)
    const list = await cli(['utxos', EWOQ, '--asset', assetID], { node })
    expect(list.out).toContain('payload "https://example.com/1"')
    const bytes = '00112233445566778899aabbccddeeff'
    const text = 'x'.repeat(60)
    const payloads = [
      ['payload-hex', bytes],
      ['payload-hex', `${bytes}01`],
      ['payload', text],
      ['payload', `${text}y`],
    ] as const
    for (const [i, [name, payload]] of payloads.entries()) {
      const more = [
        'nft',
        'mint',
        'ART',
        EWOQ,
        '--group',
        `${i + 1}`,
        `--${name}`,
        payload,
        '--yes',
      ]
      expect((await cli(more, { node, env })).code).toBe(0)
    }
    const cut = (await cli(['utxos', EWOQ, '--asset', assetID], { node })).out
    const whole = [`0x${bytes}`, `0x${bytes}…, 17 bytes`, `"${text}"`, `"${text}"…, 61 bytes`]
    for (const shown of whole) expect(cut).toMatch(new RegExp(`payload ${shown}(\\s|$)`))
  })
})

describe('the data API, if it is configured', () => {
  it('is the source of history and of discovery, and the output says so', async () => {
    const node = await devNode()
    // The first 20 addresses are empty again, so UTXOs alone do not lead to index 25.
    node.fund(bobAt(0, 10), 2n * AVAX)
    node.fund(bobAt(0, 25), 3n * AVAX)
    const words = { AVMKIT_KEY: BOB_WORDS }
    const sweep = ['sweep', EWOQ, '--count', '11', '--yes']
    expect((await cli(sweep, { node, env: words })).code).toBe(0)
    // The newest blocks are read, and must not show the sweep.
    for (let i = 0; i < 10; i++) node.fund(EWOQ, AVAX)
    const xpub = watch.extendedPublicKey
    expect((await cli(['balance', xpub], { node })).out).toMatch(
      /^nothing\nchecked 40 addresses, 0 /,
    )
    const data = { AVMKIT_DATA_URL: 'http://node' }
    expect((await cli(['balance', xpub], { node, env: data })).out).toMatch(
      / 3 [\s\S]*checked \d+ addresses, 2 used according to the data API or the journal\n$/,
    )
    const spent = await cli(['send', EWOQ, '1', '--yes', '--json'], {
      node,
      env: { ...words, ...data },
    })
    expect(spent.code).toBe(0)
    const text = await cli(['history', xpub], { node, env: data })
    expect(text.out).toMatch(
      /\+3 +AVAX[\s\S]*source: data API http:\/\/node, from the first transaction to the latest; /,
    )
    const shown = async (...more: string[]) =>
      (await cli(['history', xpub, '--json', ...more], { node, env: data })).json<{
        source: string
        transactions: { txID: string }[]
      }>()
    const indexed = await shown()
    expect([indexed.source, indexed.transactions.length]).toEqual(['data-api', 4])
    expect((await shown('--from-height', '3', '--to-height', '3')).transactions).toHaveLength(1)
    const fromBlocks = await shown('--source', 'blocks')
    expect(fromBlocks).toMatchObject({ source: 'blocks', transactions: indexed.transactions })
    const none = await cli(['history', BOB, '--source', 'data-api'], { node })
    expect([none.code, none.error().code]).toEqual([2, 'NO_URL'])
  })
})

describe('convert', () => {
  it.each([
    ['1.5AVAX', { nAVAX: '1500000000', wei: '1500000000000000000' }],
    ['1500000000 nAVAX', { AVAX: '1.5' }],
    ['1000000000000000000wei', { AVAX: '1' }],
    ['1700000000', { date: '2023-11-14T22:13:20Z' }],
    ['2023-11-14T22:13:20Z', { unix: '1700000000' }],
    [
      EWOQ,
      {
        hex: '0x3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c',
        cb58: '6Y3kysjF9jnHnYkdS9yGAuoHyae2eNmeV',
      },
    ],
    ['6Y3kysjF9jnHnYkdS9yGAuoHyae2eNmeV', { base64: 'PLfThC6M7moOvQnx/ohPaGHhspw=' }],
    ['PLfThC6M7moOvQnx/ohPaGHhspw=', { address: EWOQ }],
  ])('shows the forms of %s', async (text, forms) => {
    const { json } = await cli(['convert', text, '--network', 'local', '--json'])
    expect(json()).toMatchObject(forms)
  })

  it('refuses keys and text that is none of these', async () => {
    expect((await cli(['convert', '-'], { input: EWOQ_KEY })).error().code).toBe('NOT_RECOGNIZED')
    expect((await cli(['convert', 'hello world!'])).error().code).toBe('NOT_RECOGNIZED')
  })
})

describe('payout', () => {
  const csv = (...rows: string[]) => {
    const path = join(folder(), 'payouts.csv')
    writeFileSync(path, `${rows.join('\n')}\n`)
    return path
  }

  it('pays every key once, in batches, and resumes', async () => {
    const node = await devNode()
    const rows = ['key,address,amount,asset,memo', `a,${BOB},1,,`, `b,${BOB},2,AVAX,"x, ""y"""`]
    const plan = await cli(['payout', csv(...rows), '--plan'], { node, env })
    expect(plan.out).toMatch(/payments +2\ntransactions +2\nfees +0\.002 AVAX[\s\S]* 3 +AVAX +2/)
    const first = await cli(['payout', csv(...rows), '--yes', '--json'], { node, env })
    expect(first.json()).toMatchObject({ paid: 2, paidBefore: 0 })
    const more = csv(...rows, `c,${BOB_SECOND},0.5,,`)
    const again = await cli(['payout', more, '--yes', '--json'], { node, env })
    expect(again.json()).toMatchObject({ paid: 1, paidBefore: 2 })
    const shown = await cli(['balance', BOB, BOB_SECOND, '--json'], { node })
    expect(shown.json()).toMatchObject({ assets: [{ spendable: '3500000000' }] })
    const edited = await cli(['payout', csv(rows[0]!, `a,${BOB},9,,`), '--yes'], { node, env })
    expect([edited.code, edited.error().code]).toEqual([1, 'KEY_CONFLICT'])
  })

  it.each<[string, string[], RegExp, string?]>([
    ['a header without an amount', ['key,address', `a,${BOB}`], /line 1: the header/],
    ['a key twice', ['key,address,amount', `a,${BOB},1`, `a,${BOB},1`], /line 3: .*line 2/],
    ['a bad address', ['key,address,amount', `a,${BOB},1`, 'b,X-local1x,1'], /line 3/],
    [
      'an address of another network',
      ['key,address,amount', `a,${BOB.replace('local', 'fuji')},1`],
      /line 2/,
    ],
    ['a bad amount', ['key,address,amount', `a,${BOB},"1,5"`], /line 2/],
    ['an open quote', ['key,address,amount', `a,${BOB},"1`], /line 2: a quote/],
    ['a NUL in a key', ['key,address,amount', `a\0b,${BOB},1`], /line 2: a cell contains control/],
    ['bytes that are not UTF-8', ['key,address,amount', `\ufffd,${BOB},1`], /line 2: .* not UTF-8/],
    ['an escape sequence', ['key,address,amount', `a,${BOB},1`, `\u001b[2J,${BOB},1`], /line 3/],
    ['a formula', ['key,address,amount', `a,${BOB},=1+1`], /line 2: invalid amount/],
    ['a cell too few', ['key,address,amount', `a,${BOB}`], /line 2: the amount is empty/],
    [
      'an unknown column',
      ['key,address,amount,amonut', `a,${BOB},1,2`],
      /line 1: unknown column "amonut"/,
      'UNKNOWN_OPTION',
    ],
  ])('refuses %s before anything is signed', async (_, rows, message, code = 'CSV_INVALID') => {
    const node = await devNode()
    const before = node.stateDigest()
    const ended = await cli(['payout', csv(...rows), '--yes'], { node, env })
    expect([ended.code, ended.error().code]).toEqual([1, code])
    expect(ended.error().message).toMatch(message)
    expect(node.stateDigest()).toEqual(before)
  })

  it('and sweeps can be drafted for cold keys, which sign and pay', async () => {
    const node = await devNode()
    node.fund(bobAt(0, 2), 5n * AVAX)
    const out = join(folder(), 'requests')
    const xpub = watch.extendedPublicKey
    const rows = csv('key,address,amount', `a,${EWOQ},1`, `b,${EWOQ},2`)
    const draft = ['request', 'payout', rows, '--from', xpub, '--batch', '2', '--out', out]
    expect((await cli(draft, { node })).code).toBe(0)
    expect(readdirSync(out)).toEqual(['payout-1.json'])
    const file = join(out, 'payout-1.json')
    const words = secretFile(BOB_WORDS)
    expect(
      (await cli(['request', 'sign', file, '--yes', '--key-file', words, '--out', file])).code,
    ).toBe(0)
    const tx = await cli(['request', 'finish', file])
    expect((await cli(['issue', '-', '--yes'], { node, input: tx.out })).code).toBe(0)
    const sweep = ['request', 'sweep', EWOQ, '--from', xpub, '--out', out, '--json']
    const drafted = (await cli(sweep, { node })).json<{ requests: { file: string }[] }>()
    expect(drafted.requests).toHaveLength(1)
    const [{ file: swept }] = drafted.requests as [{ file: string }]
    expect(
      (await cli(['request', 'sign', swept, '--yes', '--key-file', words, '--out', swept])).code,
    ).toBe(0)
    const last = await cli(['request', 'finish', swept])
    expect((await cli(['issue', '-', '--yes'], { node, input: last.out })).code).toBe(0)
    expect((await cli(['balance', xpub], { node })).out).toMatch(/^nothing\nchecked/)
  })

  it('groups many payments by memo in linear time', () => {
    const output = {} as FilePayout['output']
    // Copying the group for every payment would not end in time.
    const payouts = Array.from({ length: 600_000 }, (_, line) => ({
      line,
      key: `${line}`,
      memo: '',
      output,
    }))
    const batches = batchesOf(payouts, 100)
    expect(batches.map((batch) => batch.payouts.length)).toEqual(Array(6000).fill(100))
  })
})

describe('encrypted key files', () => {
  it('are created, used, exported and get another password', async () => {
    const node = await devNode()
    const inside = folder()
    const password = secretFile('first long secret\n', 'password', inside)
    const other = secretFile('second long secret\n', 'other', inside)
    const withPassword = { AVMKIT_PASSWORD_FILE: password, AVMKIT_NEW_PASSWORD_FILE: other }
    const file = join(inside, 'keys.json')
    const made = await cli(
      ['keys', 'import', secretFile(EWOQ_KEY), '--out', file, '--network', 'local'],
      {
        env: withPassword,
      },
    )
    expect([made.code, made.out.split('\n')[0]]).toEqual([0, EWOQ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toContain('ewoq')
    const cheap = secretFile(
      await cheapKeyFile(EWOQ_KEY, 'first long secret'),
      'cheap.json',
      inside,
    )
    const pay = ['send', BOB, '1', '--yes', '--key-file', cheap]
    expect((await cli(pay, { node, env: withPassword })).code).toBe(0)
    expect((await cli(pay, { node })).error().code).toBe('NO_PASSWORD')
    const wrong = await cli(pay, { node, env: { AVMKIT_PASSWORD_FILE: other } })
    expect([wrong.code, wrong.error().code]).toEqual([1, 'KEYFILE_WRONG_PASSWORD'])
    expect((await cli(['keys', 'change-password', file], { env: withPassword })).code).toBe(0)
    const plain = join(inside, 'plain.key')
    const exported = await cli(['keys', 'export', file, '--out', plain], {
      env: { AVMKIT_PASSWORD_FILE: other },
    })
    expect([exported.code, exported.out.includes('ewoq')]).toEqual([0, false])
    expect(readFileSync(plain, 'utf8').trim()).toBe(EWOQ_KEY)
    // Four derivations with the default cost of scrypt.
  }, 240_000)

  it('are opened with a password that is typed, which is not shown', async () => {
    const text = await cheapKeyFile(EWOQ_KEY, 'typed password')
    const file = secretFile(text)
    const shown = await cli(['keys', 'show', '--network', 'local', '--key-file', file], {
      typed: 'typed password\n',
    })
    expect(shown.code).toBe(0)
    expect(shown.out).toContain(EWOQ)
    expect(shown.err).not.toContain('typed password')
    const damaged = secretFile(text.replace(/"check": "./, '"check": "z'))
    const ended = await cli(['keys', 'show', '--key-file', damaged], { typed: 'typed password\n' })
    expect([ended.code, ended.error().code]).toEqual([1, 'KEYFILE_DAMAGED'])
    const second = secretFile(await cheapKeyFile(ALICE_KEY, 'another password'))
    const both = ['keys', 'show', '--network', 'local', '--key-file', file, '--key-file', second]
    const shownBoth = await cli(both, { typed: 'typed password\nanother password\n' })
    expect(shownBoth.code).toBe(0)
    expect(shownBoth.err).not.toContain('another password')
    expect(shownBoth.err.indexOf(second)).toBeGreaterThan(shownBoth.err.indexOf(file))
    const out = join(folder(), 'new.json')
    const differ = await cli(['keys', 'new', '--encrypt', '--out', out], {
      typed: 'one long and odd secret\ntwo\n',
    })
    expect([differ.code, differ.error().code]).toEqual([1, 'PASSWORD_MISMATCH'])
  })
})

describe('hints', () => {
  it('are given for addresses of other chains, symbols and files', async () => {
    const node = await devNode()
    const sent = async (...argv: string[]) =>
      (await cli(['send', ...argv, '--yes'], { node, env })).error()
    expect((await sent(BOB.replace('X-', 'P-'), '1')).hint).toContain(
      'avmkit move AMOUNT --from X --to P --recipient ADDRESS',
    )
    expect((await sent('0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC', '1')).hint).toContain(
      'avmkit move AMOUNT --from X --to C --recipient ADDRESS',
    )
    const swept = await cli(['sweep', BOB.replace('X-', 'P-')], { node, env })
    expect([swept.code, swept.error().hint]).toMatchObject([2, expect.stringContaining('move')])
    expect((await sent(BOB, '1', '--asset', 'GOLD')).code).toBe('ASSET_UNKNOWN')
    const file = secretFile('{}', 'tx.json')
    expect((await cli(['decode', file])).error().code).toBe('NOT_RECOGNIZED')
    for (const argv of [
      ['balance', file],
      ['watch', file],
      ['send', `${file}=1`, '--yes'],
      ['sweep', file, '--plan'],
    ]) {
      const ended = await cli(argv, { node, env })
      expect([ended.code, ended.error()]).toMatchObject([
        2,
        { code: 'BAD_VALUE', message: 'the argument is the name of a file' },
      ])
      expect(ended.error().hint).toContain('--key-file')
    }
    expect((await cli(['tx', file], { node })).error().hint).toBe('pass the content of the file')
    const fund = async (address: string) => {
      const { code, error } = await cli(['devnode', 'fund', address, '1'], { node })
      return [code, error().code]
    }
    expect(await fund(BOB.replace('X-', 'C-'))).toEqual([2, 'BAD_VALUE'])
    expect(await fund(`${BOB}q`)).toEqual([2, 'ENC_BAD_CHECKSUM'])
    const first = await cli(['asset', 'create', 'Gold', 'AU', `${EWOQ}=5`, '--yes'], { node, env })
    expect(first.code).toBe(0)
    expect((await cli(['send', BOB, '1', '--asset', 'AU', '--yes'], { node, env })).code).toBe(0)
    const run = async (...argv: string[]) => (await cli(argv, { node, env })).out
    expect(await run('balance', '--asset', 'AU')).toMatch(/^asset.*\nAU +4 .*\n$/)
    expect(await run('utxos', '--asset', 'AU', BOB)).toMatch(/^UTXO.*\n.* +1 +AU .*\n$/)
    expect(await run('sweep', BOB, '--asset', 'AU', '--plan')).toMatch(/^ *4 +AU\b/m)
    expect(await run('consolidate', '--asset', 'AU', '--plan', '--json')).toContain(
      '"transactions":0',
    )
    const move = ['move', '3', '--asset', 'AU', '--from', 'X', '--to', 'P', '--plan', '--json']
    expect(await run(...move)).toContain('"amount":"3"')
    await cli(['asset', 'create', 'Fake', 'AU', `${EWOQ}=5`, '--yes'], { node, env })
    expect((await sent(BOB, '1', '--asset', 'AU')).message).toContain('2 of your assets')
  })
})

describe('controlling a development node', () => {
  it('works by the commands fund, time, export-from, import, mine, snapshot, revert, fault', async () => {
    const node = await createDevNode()
    const { url } = await node.listen()
    const state = folder()
    const at = (...argv: string[]) =>
      cli(argv, { env: { AVMKIT_URL: url, XDG_STATE_HOME: state, AVMKIT_KEY: EWOQ_KEY } })
    const { snapshotID } = (await at('devnode', 'snapshot', '--json')).json<{
      snapshotID: string
    }>()
    expect((await at('devnode', 'fund', BOB, '5')).out).toBe(
      `funded ${BOB} with 5 AVAX on the X-Chain\n`,
    )
    expect((await at('devnode', 'time', '2030-01-01')).out).toBe(
      '1893456000 (2030-01-01T00:00:00Z)\n',
    )
    expect((await at('devnode', 'time', '+60')).out).toContain('1893456060')
    expect((await at('devnode', 'export-from', 'P', `${EWOQ}=3`)).code).toBe(0)
    expect((await at('import', '--source-chain', 'P', '--yes')).out).toMatch(
      /^accepted +1 transaction/,
    )
    expect((await at('devnode', 'mine', '--chain', 'P')).out).toBe(
      'block with 0 transactions on the P-Chain\n',
    )
    expect((await at('devnode', 'fault', 'bad-checksum', '--on', 'avm.getTx')).code).toBe(0)
    expect((await at('devnode', 'revert', snapshotID)).code).toBe(0)
    expect((await at('balance', BOB)).out).toBe('nothing\n')
    await node.close()
    const gone = await at('devnode', 'snapshot')
    expect([gone.code, gone.error().code]).toEqual([1, 'HTTP_UNREACHABLE'])
  })

  it('reports a server that is not a development node', async () => {
    const fetch = async () => new Response('404 page not found\n', { status: 404 })
    const ended = await cli(['devnode', 'snapshot', '--url', 'http://node'], { fetch })
    expect(ended.error().code).toBe('NOT_A_DEVNODE')
  })
})

describe('the rest', () => {
  it('prints a manual page with every command and option', async () => {
    const { out } = await cli(['man'])
    expect(out).toMatch(/^\.TH AVMKIT 1 /)
    for (const word of ['.SS avmkit payout [FILE]', '\\-\\-gap\\-limit', 'AVMKIT_PASSWORD_FILE'])
      expect(out).toContain(word)
    expect(out).not.toMatch(/[^ -~\n]/)
  })

  it('prints QR codes of addresses, and of requests that are small enough', async () => {
    const shown = await cli(['address', EWOQ, '--qr'])
    expect(shown.out).toMatch(/█[\s\S]*▀/)
    expect((await cli(['address', EWOQ])).out).not.toContain('█')
  })
})
