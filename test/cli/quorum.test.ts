import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatUTXOID } from '../../src/core/base/encoding/ids.ts'
import { direct } from '../wallet/setup.ts'
import {
  ALICE,
  AMOUNTS,
  fundedNode,
  SERVERS,
  severalServers,
  TOTAL,
  URLS,
} from './several-servers.ts'
import { BOB, BOB_SECOND, BOB_WORDS, cli, devNode, EWOQ_KEY, folder, secretFile } from './shell.ts'

type Listed = {
  readonly utxos: readonly { readonly name: string; readonly utxo: object }[]
  readonly opaque: readonly object[]
  readonly disputed?: readonly object[]
}

type Balance = {
  readonly assets: readonly {
    readonly spendable: string
    readonly spendableUTXOs: number
    readonly disputed?: string
  }[]
  readonly disputed?: readonly object[]
}

type ChainBalances = {
  readonly balances: readonly {
    readonly chain: string
    readonly spendable: string
    readonly toImport: string
    readonly disputed?: string
  }[]
  readonly disputed?: readonly { readonly chain: string }[]
}

/** The account of a key on the C-Chain. */
const ACCOUNT = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'

/** Everything that makes a list of UTXOs false. */
const FALSE_LISTS = [
  'leaves out all UTXOs',
  'leaves out some UTXOs',
  'reports doubled amounts',
  'lists UTXOs of transactions that do not exist',
  'lists outputs that transactions do not have',
  'lists a thousand invented UTXOs',
  'invents UTXOs and the transactions that create them',
]

describe('one of three servers that', () => {
  for (const [i, wrong] of FALSE_LISTS.entries())
    it(`${wrong} changes neither balance nor utxos`, async () => {
      const node = await fundedNode()
      const bad = Array.from({ length: 3 }, (_, at) => (at === i % 3 ? [wrong] : undefined))
      const around = await severalServers(node, bad)
      const honest = (await cli(['utxos', ALICE, '--json'], { node })).json<Listed>()
      const listed = (await cli(['utxos', ALICE, '--json'], around)).json<Listed>()
      expect(byName(listed)).toEqual(byName(honest))
      expect([listed.disputed, listed.opaque]).toEqual([undefined, []])
      const { assets, disputed } = (await cli(['balance', '--json'], around)).json<Balance>()
      expect(assets).toMatchObject([{ spendable: String(TOTAL), spendableUTXOs: AMOUNTS.length }])
      expect([assets[0]!.disputed, disputed]).toEqual([undefined, undefined])
    })

  it('lies about exports changes no balance of exported UTXOs', async () => {
    const node = await devNode()
    node.exportFrom('P', { address: ALICE, amount: 7_000_000_000n })
    for (const wrong of ['leaves out all UTXOs', 'lists UTXOs of transactions that do not exist']) {
      const around = await severalServers(node, [[wrong]])
      const argv = ['balance', '--source-chain', 'P', '--json']
      expect((await cli(argv, around)).json()).toMatchObject({
        assets: [{ spendable: '7000000000', spendableUTXOs: 1 }],
      })
    }
  })

  it('lies about all chains changes no balance', async () => {
    const node = await fundedNode()
    for (const chain of ['P', 'C'] as const)
      node.exportFrom(chain, { address: ALICE, amount: 5_000_000_000n })
    const honest = await severalServers(node)
    for (const [from, to] of [
      ['X', 'P'],
      ['X', 'C'],
    ]) {
      const move = ['move', '2', '--from', from!, '--to', to!, '--yes']
      expect((await cli(move, honest)).code).toBe(0)
    }
    const exported = ['export', `${ALICE.replace('X-', 'P-')}`, '1', '--destination-chain', 'P']
    expect((await cli([...exported, '--yes'], honest)).code).toBe(0)
    const argv = ['balance', '--chain', 'all', '--json']
    const truth = (
      await cli(argv, { ...honest, env: { ...honest.env, AVMKIT_URL: URLS[0]! } })
    ).json<ChainBalances>()
    expect(truth.balances.map(({ chain }) => chain)).toEqual(['X', 'P', 'C'])
    expect(truth.balances[1]).toMatchObject({
      // What the fees of the imports did not use arrives, too.
      spendable: expect.stringMatching(/^20000\d{5}$/),
      toImport: '1000000000',
    })
    for (const wrong of [
      ['leaves out all UTXOs', 'reports empty accounts'],
      ['lists UTXOs of transactions that do not exist', 'reports rich accounts'],
    ]) {
      const around = await severalServers(node, [undefined, wrong])
      expect((await cli(argv, around)).json()).toEqual(truth)
    }
  })

  it('hides UTXOs hides neither addresses of a mnemonic nor a symbol', async () => {
    const node = await devNode()
    node.fund(BOB_SECOND, 4_000_000_000n)
    const env = { AVMKIT_KEY: undefined, AVMKIT_MNEMONIC: BOB_WORDS }
    const around = await severalServers(node, [['leaves out all UTXOs']], { env })
    const { assets } = (await cli(['balance', '--json'], around)).json<Balance>()
    expect(assets).toMatchObject([{ spendable: '4000000000' }])
    const rich = await severalServers(node, [['leaves out all UTXOs']], {
      env: { AVMKIT_KEY: EWOQ_KEY },
    })
    const create = ['asset', 'create', 'Gold', 'AU', `${BOB}=5`, '--yes']
    expect((await cli(create, rich)).code).toBe(0)
    const { out } = await cli(['balance', BOB, '--asset', 'AU'], rich)
    expect(out).toMatch(/^AU +5 /m)
    node.fund(BOB, 1_000_000_000n)
    const plan = await cli(['sweep', ALICE, '--asset', 'AU', '--plan', '--json'], around)
    expect([plan.code, plan.json()]).toMatchObject([0, { transactions: 1 }])
  })

  it('hides or invents UTXOs does not change requests of the P- and C-Chain', async () => {
    const node = await fundedNode()
    const honest = await severalServers(node)
    expect((await cli(['move', '5', '--from', 'X', '--to', 'P', '--yes'], honest)).code).toBe(0)
    const alice = (chain: string) => ALICE.replace('X-', `${chain}-`)
    const exported = ['export', alice('C'), '1', '--destination-chain', 'C', '--yes']
    expect((await cli(exported, honest)).code).toBe(0)
    const create = ['request', 'create', alice('P'), '3', '--chain', 'P', '--from', alice('P')]
    const expected = (await cli(create, honest)).out
    expect(JSON.parse(expected)).toMatchObject({ chain: 'P' })
    for (const wrong of [
      ['leaves out all UTXOs'],
      ['lists UTXOs of transactions that do not exist', 'reports high prices of gas'],
    ]) {
      const around = await severalServers(node, [wrong])
      expect((await cli(create, around)).out).toBe(expected)
      const out = join(folder(), 'requests')
      const take = ['--chain', 'C', '--source-chain', 'X', '--from', alice('C'), '--to', ACCOUNT]
      const taken = await cli(['request', 'import', ...take, '--out', out, '--json'], around)
      expect([taken.code, taken.err]).toEqual([0, ''])
      expect(taken.json<{ requests: object[] }>().requests).toHaveLength(1)
    }
  })

  it('does not find transactions hides neither names of assets nor proofs of requests', async () => {
    const node = await fundedNode()
    const around = await severalServers(node, [['does not find transactions']])
    const create = ['asset', 'create', 'Gold', 'AU', `${ALICE}=5.25`, '--denomination', '2']
    expect((await cli([...create, '--yes'], around)).code).toBe(0)
    expect((await cli(['balance'], around)).out).toMatch(/^AU +5\.25 /m)
    expect((await cli(['history'], around)).out).toMatch(/ \+5\.25 +AU /)
    const exported = ['export', ALICE.replace('X-', 'C-'), '1', '--destination-chain', 'C', '--yes']
    expect((await cli(exported, around)).code).toBe(0)
    const out = join(folder(), 'requests')
    const take = ['--chain', 'C', '--source-chain', 'X', '--from', ALICE.replace('X-', 'C-')]
    const argv = ['request', 'import', ...take, '--to', ACCOUNT, '--out', out, '--json']
    const [request] = (await cli(argv, around)).json<{ requests: { file: string }[] }>().requests
    const { proofs } = JSON.parse(readFileSync(request!.file, 'utf8'))
    expect(proofs).toHaveLength(1)
  })

  it('reports a false height or forged blocks changes neither height, block nor history', async () => {
    const node = await fundedNode()
    const height = String(await direct(node).avm.getHeight({}))
    const argv = (name: string) => [...name.split(' '), '--json']
    const honest = await severalServers(node)
    // The first block that is read has no known parent.
    const history = ['history', ALICE, '--from-height', '1', '--json']
    const truth = (await cli(history, honest)).json<{ transactions: object[] }>()
    expect(truth.transactions).toHaveLength(AMOUNTS.length)
    const last = (await cli(argv('block latest'), honest)).json()
    for (const wrong of [
      'reports a height far too high',
      'reports height 0',
      'serves three forged blocks',
      'serves another chain',
    ]) {
      const around = await severalServers(node, [[wrong]])
      expect((await cli(argv('node height'), around)).json()).toEqual({ height })
      expect((await cli(argv('node info'), around)).json()).toMatchObject({ height })
      expect((await cli(argv('block latest'), around)).json()).toEqual(last)
      expect((await cli(history, around)).json()).toEqual(truth)
    }
  })

  it('serves blocks after the last one does not have them shown', async () => {
    const node = await fundedNode()
    const height = await direct(node).avm.getHeight({})
    const around = await severalServers(node, [['serves three forged blocks']])
    const shown = await cli(['block', String(height + 1n)], around)
    expect([shown.code, shown.err]).toEqual([
      2,
      expect.stringContaining(`the last block is ${height}`),
    ])
  })

  it('does not answer, or belongs to another network, does not stop a payment', async () => {
    const node = await fundedNode()
    for (const wrong of ['refuses connections', 'belongs to another network']) {
      const around = await severalServers(node, [[wrong]])
      const sent = await cli(['send', BOB, '1', '--yes', '--json'], around)
      expect([sent.code, sent.json()]).toMatchObject([0, { status: 'accepted' }])
    }
  })
})

describe('UTXOs that servers disagree about', () => {
  const wrong = [['leaves out some UTXOs'], ['refuses connections']]

  it('are listed as disputed by utxos and balance', async () => {
    const node = await fundedNode()
    const around = await severalServers(node, wrong)
    const listed = (await cli(['utxos', ALICE, '--json'], around)).json<Listed>()
    const agreed = listed.utxos.map(({ name }) => name)
    expect(agreed.length).toBeLessThan(AMOUNTS.length)
    const votes = { listedBy: [SERVERS[2]], missingFrom: [SERVERS[0]] }
    expect(listed.disputed).toHaveLength(AMOUNTS.length - agreed.length)
    for (const one of listed.disputed!) expect(one).toMatchObject({ chain: 'X', ...votes })
    const all = [...listed.utxos, ...(listed.disputed as Listed['utxos'])].map(({ name }) => name)
    expect(all.sort()).toEqual((await namesOf(node)).sort())
    const text = (await cli(['utxos', ALICE], around)).out
    const line = /^disputed on X: \S+ \(\d+ AVAX\), listed by c\.test:9650, not by a\.test:9650$/gm
    expect(text.match(line)).toHaveLength(listed.disputed!.length)

    const balance = (await cli(['balance', '--json'], around)).json<Balance>()
    const [avax] = balance.assets
    expect(BigInt(avax!.spendable) + BigInt(avax!.disputed!)).toBe(TOTAL)
    expect(balance.disputed).toEqual(listed.disputed)
    const table = (await cli(['balance', '--asset', 'AVAX'], around)).out
    expect(table).toMatch(/^asset .* disputed +asset ID$/m)
    expect(table.match(line)).toHaveLength(listed.disputed!.length)
    const other = await cli(['balance', '--asset', 'AU'], around)
    expect(other.error().code).toBe('ASSET_UNKNOWN')
  }, 60_000)

  it('are in no balance of the P-Chain, and no request spends them', async () => {
    const node = await fundedNode()
    const honest = await severalServers(node)
    const paid = await cli(['move', '5', '--from', 'X', '--to', 'P', '--yes'], honest)
    expect(paid.code).toBe(0)
    const around = await severalServers(node, [['leaves out all UTXOs'], ['refuses connections']])
    const argv = ['balance', '--chain', 'all']
    const found = (await cli([...argv, '--json'], around)).json<ChainBalances>()
    expect(found.balances).toMatchObject([
      { chain: 'X', spendable: '0', disputed: expect.stringMatching(/^\d+$/) },
      { chain: 'P', spendable: '0', disputed: expect.stringMatching(/^50000\d{5}$/) },
      { chain: 'C', spendable: '0' },
    ])
    expect(found.disputed!.map(({ chain }) => chain)).toContain('P')
    const text = (await cli(argv, around)).out
    expect(text).toMatch(
      /^disputed on P: \S+ \(5\S* AVAX\), listed by c\.test:9650, not by a\.test/m,
    )
    const alice = ALICE.replace('X-', 'P-')
    const create = ['request', 'create', alice, '1', '--chain', 'P', '--from', alice]
    const refused = await cli(create, around)
    expect([refused.code, refused.error().code]).toEqual([1, 'BUILDER_INSUFFICIENT_FUNDS'])
    expect(refused.err).toMatch(/^warning DISPUTED: not spent: servers disagree whether /m)
  }, 60_000)
})

describe('--quorum', () => {
  it('is 1 by default with one or two servers: the requests are those of one server', async () => {
    const node = await fundedNode()
    for (const urls of [URLS.slice(0, 1), URLS.slice(0, 2)]) {
      const env = { AVMKIT_URL: urls.join(',') }
      const around = await severalServers(node, [['leaves out all UTXOs']], { env })
      const { json } = await cli(['utxos', ALICE, '--json'], around)
      expect(json()).toMatchObject({ utxos: [] })
      const reads = around.requests.map(({ method }) => method)
      expect(reads.filter((method) => !/^info\.|Fee$|Asset/.test(method))).toEqual(['avm.getUTXOs'])
    }
  })

  it('comes from the option, then AVMKIT_QUORUM, then the config file', async () => {
    const node = await fundedNode()
    const around = await severalServers(node, [['leaves out all UTXOs']])
    const count = async (argv: string[], env: object = {}) => {
      const ended = await cli(['balance', '--json', ...argv], {
        ...around,
        env: { ...around.env, ...env },
      })
      return ended.json<Balance>().assets.length
    }
    const config = (content: object) => secretFile(JSON.stringify(content), 'config.json')
    expect(await count([])).toBe(1)
    expect(await count(['--quorum', '1'])).toBe(0)
    expect(await count([], { AVMKIT_QUORUM: '1' })).toBe(0)
    expect(await count(['--quorum', '2'], { AVMKIT_QUORUM: '1' })).toBe(1)
    expect(await count(['--config', config({ quorum: 1 })])).toBe(0)
    expect(await count(['--config', config({ quorum: 1 })], { AVMKIT_QUORUM: '2' })).toBe(1)
    const unset = { AVMKIT_URL: undefined }
    expect(await count(['--config', config({ url: URLS })], unset)).toBe(1)
    expect(await count(['--config', config({ url: URLS[1] })], unset)).toBe(1)
    expect(await count(['--config', config({ url: URLS.slice(0, 2) })], unset)).toBe(0)
    expect(
      await count(
        URLS.flatMap((url) => ['--url', url]),
        unset,
      ),
    ).toBe(1)
    expect(await count([], { AVMKIT_URL: URLS.join(' , ') })).toBe(1)
  })

  it('must be a number of servers that are configured', async () => {
    const node = await devNode()
    const commands = [
      ['balance', BOB],
      ['utxos', BOB],
      ['node', 'height'],
      ['node', 'servers'],
      ['history', BOB],
      ['send', BOB, '1', '--yes'],
      ['journal', 'resume'],
      ['request', 'create', BOB, '1', '--from', ALICE],
      ['block', 'latest'],
    ]
    for (const argv of commands)
      for (const quorum of ['0', 'two', '4', '1.5', '101']) {
        const around = await severalServers(node)
        const ended = await cli([...argv, '--quorum', quorum], around)
        const found = [argv, quorum, ended.code, ended.error().code]
        expect(found).toEqual([argv, quorum, 2, 'BAD_VALUE'])
        expect(around.requests).toEqual([])
      }
    const one = await cli(['balance', BOB, '--quorum', '2'], { node })
    expect([one.code, one.error()]).toMatchObject([
      2,
      { code: 'BAD_VALUE', message: 'a quorum of 2 is not possible: 1 server is configured' },
    ])
    const variable = await severalServers(node, [], { env: { AVMKIT_QUORUM: '-1' } })
    const ended = await cli(['balance', BOB], variable)
    expect([ended.code, ended.error().code]).toEqual([2, 'BAD_VALUE'])
  })

  it('and urls of a config file are checked', async () => {
    const node = await devNode()
    const bad = [
      { quorum: '2' },
      { quorum: 0 },
      { quorum: 1.5 },
      { quorum: null },
      { url: [] },
      { url: [URLS[0], 5] },
      { url: [URLS[0], 'nonsense'] },
      { chain: ['X'] },
    ]
    for (const content of bad) {
      const config = secretFile(JSON.stringify(content), 'config.json')
      const ended = await cli(['node', 'height', '--config', config], { node })
      expect([content, ended.code, ended.error().code]).toEqual([content, 1, 'CONFIG_INVALID'])
    }
    for (const AVMKIT_URL of ['http://a.test,', 'http://a.test,,http://b.test', 'a.test,b.test']) {
      const ended = await cli(['node', 'height'], { node, env: { AVMKIT_URL } })
      expect([AVMKIT_URL, ended.code, ended.error().code]).toEqual([AVMKIT_URL, 2, 'BAD_VALUE'])
    }
    const twice = await cli(['node', 'height'], { node, env: { AVMKIT_URL: 'http://a,http://A/' } })
    const { message } = twice.error()
    expect([twice.code, message]).toEqual([2, expect.stringContaining('duplicate url')])
  })

  it('of all servers fails if one of them does not answer', async () => {
    const node = await fundedNode()
    for (const argv of [
      ['balance', '--json'],
      ['send', BOB, '1', '--yes', '--json'],
      ['request', 'create', BOB, '1', '--from', ALICE, '--json'],
    ]) {
      // It answers questions about the network, so that the wallet asks for UTXOs.
      const around = await severalServers(node, [
        () => (call, next) =>
          call.method === 'avm.getUTXOs' ? new Response('no', { status: 503 }) : next(),
      ])
      const ended = await cli([...argv, '--quorum', '3'], around)
      expect([argv, ended.code, ended.error()]).toMatchObject([
        argv,
        1,
        { code: 'NO_QUORUM', hint: expect.stringContaining('avmkit node servers') },
      ])
    }
  }, 60_000)
})

function byName({ utxos }: Listed): object {
  return Object.fromEntries(utxos.map(({ name, utxo }) => [name, utxo]))
}

async function namesOf(node: Parameters<typeof direct>[0]): Promise<string[]> {
  const names: string[] = []
  for await (const { utxos } of direct(node).utxoPages({ addresses: [ALICE] }))
    names.push(...utxos.map(formatUTXOID))
  return names
}
