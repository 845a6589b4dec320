import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { parseAmount } from '../../src/core/base/encoding/amount.ts'
import type { Fetch } from '../../src/node/index.ts'
import { BOB, cli, devNode, EWOQ, EWOQ_KEY, LOCAL_AVAX, LOCAL_CHAIN, secretFile } from './shell.ts'

const NODE = 'http://node'
const PEER = 'NodeID-8PYXX47kqLDe2wD4oPbvRRchcnSzMA4J4'
const OTHER = 'NodeID-C14fr1n8EYNKyDfYixJ3rxSAVqTY3a8BP'

describe('node', () => {
  it('prints version, network and chain', async () => {
    const node = await devNode()
    const { code, json } = await cli(['node', 'info', '--json'], { node })
    expect(code).toBe(0)
    expect(json()).toMatchObject({
      networkID: 12345,
      networkName: 'local',
      bootstrapped: true,
      height: '0',
      chainID: LOCAL_CHAIN,
      assetID: LOCAL_AVAX,
    })
    const text = await cli(['node', 'info'], { node })
    expect(text.out).toMatch(/^network +local \(12345\)$/m)
  })

  it('prints what is known while the node is bootstrapping', async () => {
    const node = await devNode()
    node.setBootstrapping('platform')
    const { code, json } = await cli(['node', 'info', '--json'], { node })
    expect(code).toBe(0)
    expect(json()).toMatchObject({ networkID: 12345, bootstrapped: false })
    expect(json()).not.toHaveProperty('height')
  })

  it('prints fees and height as strings', async () => {
    const node = await devNode()
    node.fund(EWOQ, 1n)
    expect((await cli(['node', 'fees', '--json'], { node })).json()).toEqual({
      txFee: '1000000',
      createAssetTxFee: '1000000',
    })
    expect((await cli(['node', 'height', '--json'], { node })).json()).toEqual({ height: '1' })
    expect((await cli(['node', 'height'], { node })).out).toBe('1\n')
    expect((await cli(['node', 'fees'], { node })).out).toMatch(/^transaction +0\.001 AVAX$/m)
  })

  it('prints the health, also of an unhealthy node', async () => {
    const node = await devNode()
    expect((await cli(['node', 'health', '--json'], { node })).json()).toMatchObject({
      healthy: true,
    })
    node.setHealthCheck('network', 'no peers')
    const { code, json } = await cli(['node', 'health', '--json'], { node })
    expect(code).toBe(1)
    expect(json()).toMatchObject({ healthy: false, checks: { network: { error: 'no peers' } } })
    const text = await cli(['node', 'health'], { node })
    expect(text.out).toMatch(/^not healthy\n\n/)
    const live = await cli(['node', 'health', '--check', 'liveness', '--json'], { node })
    expect(live.json()).toMatchObject({ healthy: true })
  })

  it('prints peers, upgrades, uptime, virtual machines and the node ID', async () => {
    const node = await devNode()
    const ask = async (word: string) => (await cli(['node', word, '--json'], { node })).json()
    expect(await ask('peers')).toEqual({ numPeers: 0, peers: [] })
    expect(await ask('upgrades')).toMatchObject({
      apricotPhase4MinPChainHeight: '0',
      banffTime: '2020-12-05T05:00:00Z',
    })
    expect(await ask('uptime')).toMatchObject({ rewardingStakePercentage: 100 })
    expect(await ask('vms')).toMatchObject({
      vms: { jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq: ['avm'] },
    })
    expect(await ask('id')).toMatchObject({ nodeID: expect.stringMatching(/^NodeID-/) })
    expect(await ask('ready')).toEqual({ ready: true })
    for (const word of ['peers', 'upgrades', 'uptime', 'vms', 'id', 'ready'])
      expect((await cli(['node', word], { node })).code).toBe(0)
  })

  it('prints proposals, its address, chains and their state', async () => {
    const node = await devNode()
    const ask = async (...words: string[]) => {
      const { code, json } = await cli(['node', ...words, '--json'], { node })
      return [code, json()]
    }
    expect(await ask('acps')).toEqual([0, { acps: {} }])
    expect((await cli(['node', 'acps'], { node })).out).toBe('no proposals\n')
    node.setProposals({ 23: { supportWeight: 2n ** 63n, supporters: [PEER], abstainWeight: 1n } })
    const acp = { supportWeight: '9223372036854775808', objectWeight: '0', abstainWeight: '1' }
    expect(await ask('acps')).toEqual([
      0,
      { acps: { 23: { ...acp, supporters: [PEER], objectors: [] } } },
    ])
    expect((await cli(['node', 'acps'], { node })).out).toMatch(/^23 +9223372036854775808 +0 +1$/m)
    expect(await ask('ip')).toEqual([0, { ip: '127.0.0.1:9651' }])
    expect((await cli(['node', 'ip'], { node })).out).toBe('127.0.0.1:9651\n')
    expect(await ask('blockchain-id', 'X')).toEqual([0, { alias: 'X', blockchainID: LOCAL_CHAIN }])
    expect((await cli(['node', 'blockchain-id', 'X'], { node })).out).toBe(`${LOCAL_CHAIN}\n`)
    expect(await ask('bootstrapped', 'C')).toEqual([0, { chain: 'C', isBootstrapped: true }])
    node.setBootstrapping('chains')
    expect(await ask('bootstrapped', LOCAL_CHAIN)).toEqual([
      1,
      { chain: LOCAL_CHAIN, isBootstrapped: false },
    ])
    expect((await cli(['node', 'bootstrapped', 'X'], { node })).out).toBe('bootstrapping\n')
    for (const word of ['bootstrapped', 'blockchain-id']) {
      const missing = await cli(['node', word], { node })
      expect([missing.code, missing.error().code]).toEqual([2, 'MISSING_ARGUMENT'])
      const unknown = await cli(['node', word, 'nowhere'], { node })
      expect([unknown.code, unknown.error().code]).toEqual([1, 'RPC_ERROR'])
    }
  })

  it('shows only the requested peers', async () => {
    const node = await devNode()
    node.setPeers([{ nodeID: PEER }, { nodeID: OTHER, observedUptime: 75 }])
    const ask = async (...words: string[]) =>
      (await cli(['node', 'peers', ...words, '--json'], { node })).json<{
        numPeers: number
        peers: { nodeID: string }[]
      }>()
    expect(await ask()).toMatchObject({ numPeers: 2 })
    expect(await ask(OTHER)).toMatchObject({ numPeers: 1, peers: [{ nodeID: OTHER }] })
    expect(await ask(OTHER, PEER)).toMatchObject({ numPeers: 2 })
    expect((await cli(['node', 'peers', OTHER], { node })).out).toMatch(
      new RegExp(`^1 peer\\n\\n.*\\n${OTHER} .* 75%\\n$`),
    )
    const wrong = await cli(['node', 'peers', 'me'], { node })
    expect([wrong.code, wrong.error().code]).toEqual([2, 'ENC_MISSING_PREFIX'])
  })

  it('sends tags of health checks and the subnet of uptime', async () => {
    const node = await devNode()
    const sent: string[] = []
    const fetch: typeof node.fetch = async (input, init) => {
      sent.push(`${String(input).slice(NODE.length)} ${init?.body ?? ''}`.trim())
      return node.fetch(input, init)
    }
    const subnet = '29uVeLPJB1eQJkzRemU8g8wZDw5uJRqpab5U2mX9euieVwiEbL'
    const around = { node, fetch }
    const argv = ['node', 'health', '--tag', subnet, '--tag', 'a b', '--json']
    const { json } = await cli(argv, around)
    expect(Object.keys(json<{ checks: object }>().checks)).not.toContain('X')
    expect((await cli(['node', 'uptime', '--subnet', subnet], around)).code).toBe(0)
    expect(sent[0]).toBe(`/ext/health/health?tag=${subnet}&tag=a%20b`)
    expect(sent[1]).toContain(`"params":{"subnetID":"${subnet}"}`)
    const wrong = await cli(['node', 'uptime', '--subnet', 'none'], around)
    expect(wrong.code).toBe(2)
  })

  it('asks another chain with the same virtual machine', async () => {
    const node = await devNode()
    node.fund(BOB, 5n)
    const chainID = 'SeLqn3UAUoRymWmwW7axrzJK7JfNaBR2cHCryA6cFscgkny8'
    const paths: string[] = []
    // A node on which another chain stands where the X-Chain of this one does.
    const fetch: typeof node.fetch = async (input, init) => {
      const url = new URL(String(input))
      paths.push(url.pathname)
      const body = String(init?.body ?? '')
      if (body.includes('"alias":"gold"'))
        return new Response(
          JSON.stringify({
            jsonrpc: '2.0',
            result: { blockchainID: chainID },
            id: JSON.parse(body).id,
          }),
        )
      return node.fetch(String(input).replace('/ext/bc/gold', '/ext/bc/X'), {
        ...init,
        body: body.replace('"chain":"gold"', '"chain":"X"').replaceAll('gold-local1', 'X-local1'),
      } as RequestInit)
    }
    const ways = [
      [['--chain', 'gold'], {}],
      [[], { AVMKIT_CHAIN: 'gold' }],
      [['--config', secretFile('{"chain":"gold"}', 'config.json')], {}],
    ] as const
    for (const [words, env] of ways) {
      paths.length = 0
      const height = await cli(['node', 'height', '--json', ...words], { node, fetch, env })
      expect(height.json()).toEqual({ height: '1' })
      expect(paths).toEqual(['/ext/bc/gold'])
    }
    const info = await cli(['node', 'info', '--chain', 'gold', '--json'], { node, fetch })
    expect(info.json()).toMatchObject({ bootstrapped: true, chainID, height: '1' })
    const address = BOB.replace('X-', 'gold-')
    const balance = await cli(['balance', address, '--chain', 'gold', '--json'], { node, fetch })
    expect(balance.json()).toMatchObject({ addresses: [address], assets: [{ spendable: '5' }] })
    const own = await cli(['balance', BOB, '--chain', LOCAL_CHAIN, '--json'], { node })
    expect(own.json()).toMatchObject({ assets: [{ spendable: '5' }] })
    for (const chain of ['a/b', '../info', 'a-b', 'x'.repeat(65)]) {
      const wrong = await cli(['node', 'height', '--chain', chain], { node })
      expect([wrong.code, wrong.error().code]).toEqual([2, 'BAD_VALUE'])
    }
  })

  it('waits for a node no longer than --wait', async () => {
    const node = await devNode()
    node.setBootstrapping('platform')
    const ended = await cli(['node', 'ready', '--wait', '1'], { node })
    expect([ended.code, ended.error().code]).toEqual([1, 'NODE_TIMEOUT'])
  })
})

describe('metrics and data', () => {
  it('print series and health', async () => {
    const node = await devNode({ now: 1_700_000_000 })
    const around = { node, env: { AVMKIT_METRICS_URL: NODE, AVMKIT_DATA_URL: NODE } }
    const tps = await cli(['metrics', 'tps', '43114', '--limit', '2', '--json'], around)
    // 1 700 000 000 is in the day that began at 1 699 920 000.
    expect(tps.json()).toEqual({
      chain: '43114',
      points: [
        { timestamp: 1_699_920_000, value: 0 },
        { timestamp: 1_699_833_600, value: 0 },
      ],
      lastRun: 1_700_000_000,
    })
    const text = await cli(['metrics', 'tps', '43114', '--limit', '1'], around)
    expect(text.out).toBe('day         tx/s\n2023-11-14     0\n')
    expect((await cli(['metrics', 'health', '--json'], around)).json()).toMatchObject({
      healthy: true,
    })
    expect((await cli(['data', 'health', '--live', '--json'], around)).json()).toMatchObject({
      healthy: true,
    })
    node.setServiceHealth('error')
    expect((await cli(['data', 'health', '--json'], around)).json()).toMatchObject({
      healthy: false,
      status: 'error',
    })
    expect((await cli(['data', 'chains', '--json'], around)).json()).toMatchObject({
      chains: [{ chainId: '43112' }],
    })
    const list = await cli(['data', 'list', '/v1/chains'], around)
    expect(JSON.parse(list.out)).toMatchObject({ chainId: '43112' })
  })

  it('follow pages up to the requested number', async () => {
    const node = await devNode({ now: 1_700_000_000 })
    const argv = ['metrics', 'tps', 'mainnet', '--limit', '0', '--url', NODE, '--json']
    // The development node has 250 days in pages of 100.
    type TPS = { points: { timestamp: number }[]; nextPageToken?: string }
    const all = (await cli(argv, { node })).json<TPS>()
    expect([all.points.length, all.nextPageToken]).toEqual([250, undefined])
    // From a token on, the pages join.
    const page = ['metrics', 'tps', 'mainnet', '--limit', '100', '--url', NODE, '--json']
    const points: object[] = []
    let more: string[] = []
    for (let pages = 0; pages < 3; pages++) {
      const read = (await cli([...page, ...more], { node })).json<TPS>()
      points.push(...read.points)
      more = ['--page-token', read.nextPageToken ?? '']
    }
    expect([points, more]).toEqual([all.points, ['--page-token', '']])
    const late = await cli([...page, '--page-token', 'nonsense'], { node })
    expect([late.code, late.out]).toEqual([1, ''])
  })

  it('send the key from the environment or a file, and never show it', async () => {
    const node = await devNode({ httpAPIs: { apiKeys: ['right-key'] } })
    const argv = ['data', 'chains', '--url', NODE]
    const right = await cli(argv, { node, env: { AVMKIT_DATA_KEY: 'right-key' } })
    expect(right.code).toBe(0)
    const wrong = await cli(argv, { node, env: { AVMKIT_DATA_KEY: 'wrong-key' } })
    expect([wrong.code, wrong.error().code]).toEqual([1, 'HTTP_STATUS'])
    expect(wrong.err).not.toContain('wrong-key')
  })

  it('send the key to the public provider in its own header, unless another one is named', async () => {
    const sent: [string, string | null, string | null][] = []
    const fetch: Fetch = async (url, { headers }) => {
      const all = new Headers(headers)
      sent.push([new URL(url).host, all.get('x-glacier-api-key'), all.get('x-mine')])
      return new Response('{"chains":[]}')
    }
    const env = { AVMKIT_DATA_KEY: 'a-key' }
    expect((await cli(['data', 'chains'], { fetch, env })).code).toBe(0)
    const named = ['data', 'chains', '--api-key-header', 'x-mine']
    expect((await cli(named, { fetch, env })).code).toBe(0)
    expect(sent).toEqual([
      ['data-api.avax.network', 'a-key', null],
      ['data-api.avax.network', null, 'a-key'],
    ])
  })

  it('list pages of a chosen size, from a token on', async () => {
    const node = await devNode()
    for (let i = 0; i < 6; i++) node.fund(BOB, 5n)
    const path = '/v1/networks/testnet/blockchains/x-chain/blocks'
    type List = { items: { blockNumber: string }[]; nextPageToken?: string }
    const list = async (...words: string[]) => {
      const argv = ['data', 'list', path, '--page-size', '2', '--json', '--url', NODE, ...words]
      const { items, nextPageToken } = (await cli(argv, { node })).json<List>()
      return [items.map(({ blockNumber }) => Number(blockNumber)), nextPageToken] as const
    }
    const [first, token] = await list('--limit', '4')
    expect(first).toEqual([6, 5, 4, 3])
    expect(token).toMatch(/^[0-9a-f-]{36}$/)
    expect(await list('--page-token', token!)).toEqual([[2, 1, 0], undefined])
    // In the middle of a page no token continues exactly.
    expect(await list('--limit', '3')).toEqual([[6, 5, 4], undefined])
    expect((await list('--limit', '0', '--field', 'blocks'))[0]).toHaveLength(7)
    const argv = ['data', 'list', path, '--url', NODE, '--field', 'chainInfo']
    const wrong = await cli(argv, { node })
    expect([wrong.code, wrong.error().code]).toEqual([1, 'REPLY_SHAPE'])
    const large = await cli(['data', 'list', path, '--url', NODE, '--page-size', '101'], { node })
    expect(large.error().message).toContain('pageSize must not be greater than 100')
    node.setTime(Number(node.now()) + 86_401)
    const late = ['data', 'list', path, '--url', NODE, '--page-token', token!]
    expect((await cli(late, { node })).error().code).toBe('HTTP_STATUS')
  })

  it('do not report a server as healthy whatever it answers', async () => {
    for (const body of ['{"hello":"world"}', '{"checks":{},"healthy":false}', '{}']) {
      const fetch = async () => new Response(body)
      for (const argv of [
        ['data', 'health'],
        ['data', 'health', '--live'],
        ['metrics', 'health'],
      ]) {
        const ended = await cli([...argv, '--url', NODE], { fetch })
        expect([ended.code, ended.error().code]).toEqual([1, 'REPLY_SHAPE'])
      }
    }
    const node = await devNode()
    node.setServiceHealth('error-up')
    const ended = await cli(['data', 'health', '--url', NODE, '--json'], { node })
    expect([ended.code, ended.json()]).toEqual([
      1,
      expect.objectContaining({ status: 'error', details: { database: { status: 'up' } } }),
    ])
  })

  it('hint at the API key if it is wrong or missing', async () => {
    const node = await devNode({ httpAPIs: { apiKeys: ['right-key'] } })
    const argv = ['data', 'chains', '--url', NODE]
    const wrong = await cli(argv, { node, env: { AVMKIT_DATA_KEY: 'wrong-key' } })
    expect(wrong.error().hint).toContain('API key')
    node.injectFault({ kind: 'error-body', status: 403 })
    expect((await cli(argv, { node })).error().hint).toContain('API key')
  })

  it('show timestamps that are not dates unchanged', async () => {
    const body = '{"results":[{"timestamp":-1e30,"value":1},{"timestamp":1e300,"value":2}]}'
    const fetch = async () => new Response(body)
    const ended = await cli(['metrics', 'tps', '1', '--url', NODE], { fetch })
    expect([ended.code, ended.out.split('\n')[1]]).toEqual([0, expect.stringMatching(/^-1e\+30 /)])
  })

  it('report an unknown chain', async () => {
    const ended = await cli(['metrics', 'tps', 'nowhere', '--url', NODE], { node: await devNode() })
    expect([ended.code, ended.error().code]).toEqual([1, 'HTTP_STATUS'])
  })
})

describe('balance', () => {
  it('sums up what can be spent, with amounts as strings', async () => {
    const node = await devNode()
    node.fund(BOB, parseAmount('1.5'))
    node.fund(BOB, 1n)
    const { code, json } = await cli(['balance', BOB, '--json'], { node })
    expect(code).toBe(0)
    expect(json()).toEqual({
      addresses: [BOB],
      assets: [
        {
          assetID: LOCAL_AVAX,
          name: 'Avalanche',
          symbol: 'AVAX',
          denomination: 9,
          spendable: '1500000001',
          spendableUTXOs: 2,
          locked: '0',
          shortOfSigners: '0',
          reserved: '0',
          otherOwners: '0',
          opaque: 0,
          otherOutputs: 0,
        },
      ],
      opaque: 0,
    })
    expect((await cli(['balance', BOB], { node })).out).toMatch(/^AVAX +1\.500000001 +2 /m)
  })

  it('uses the addresses of keys, and reports that they own nothing', async () => {
    const node = await devNode()
    const own = await cli(['balance', '--json'], { node, env: { AVMKIT_KEY: EWOQ_KEY } })
    // The local genesis gives this key 300 million AVAX.
    expect(own.json()).toMatchObject({
      addresses: [EWOQ],
      assets: [{ spendable: '300000000000000000', spendableUTXOs: 1 }],
    })
    expect((await cli(['balance', BOB], { node })).out).toBe('nothing\n')
    const none = await cli(['balance'], { node })
    expect([none.code, none.error().code]).toEqual([2, 'MISSING_ARGUMENT'])
  })

  it('shows UTXOs that another chain exported', async () => {
    const node = await devNode()
    node.exportFrom('P', { address: BOB, amount: 7n })
    expect((await cli(['balance', BOB, '--json'], { node })).json()).toMatchObject({ assets: [] })
    const waiting = await cli(['balance', BOB, '--source-chain', 'P', '--json'], { node })
    expect(waiting.json()).toMatchObject({ assets: [{ spendable: '7' }] })
  })

  it('refuses addresses of other networks and chains', async () => {
    const node = await devNode()
    const cases = [
      ['X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t', 'ENC_WRONG_HRP'],
      [EWOQ.replace('X', 'P'), 'ENC_WRONG_CHAIN'],
      ['X-local1', 'ENC_BAD_BECH32'],
    ]
    for (const [address, code] of cases) {
      const ended = await cli(['balance', address!], { node })
      expect([ended.code, ended.error().code]).toEqual([2, code])
    }
  })
})

describe('utxos', () => {
  it('lists all UTXOs, including undecodable ones', async () => {
    const node = await devNode()
    node.fund(BOB, 5n)
    node.injectFault({ kind: 'bad-utxo', on: 'avm.getUTXOs' })
    const spoiled = await cli(['utxos', BOB, '--json'], { node })
    expect(spoiled.code).toBe(0)
    expect(spoiled.json()).toMatchObject({ utxos: [], opaque: [{ code: 'CODEC_SHORT_BUFFER' }] })
    const { json } = await cli(['utxos', BOB, '--json'], { node })
    const [utxo] = json<{ utxos: { name: string; bytes: string }[] }>().utxos
    expect(utxo).toMatchObject({
      type: 'secp256k1fx.TransferOutput',
      utxo: { assetID: LOCAL_AVAX, output: { amount: '5', addresses: [BOB] } },
    })
    const decoded = await cli(['decode', utxo!.bytes, '--network', 'local', '--json'])
    expect(decoded.json()).toMatchObject({ kind: 'utxo', form: 'hex', name: utxo!.name })
    // The asset identifies the network.
    const alone = await cli(['decode', utxo!.bytes, '--json'])
    expect(alone.json()).toMatchObject({ utxo: { output: { addresses: [BOB] } } })
    const { out } = await cli(['utxos', BOB, '--asset', LOCAL_CHAIN], { node })
    expect(out).toBe('no UTXOs\n')
    const native = await cli(['utxos', BOB, '--asset', 'AVAX', '--json'], { node })
    expect(native.json()).toMatchObject({ utxos: [{ name: utxo!.name }] })
    const junk = await cli(['utxos', BOB, '--asset', 'junk'], { node })
    expect([junk.code, junk.error().code, junk.out]).toEqual([2, 'ENC_MISSING_CHECKSUM', ''])
  })
})

/** Runs a development node until `use` has ended, which gets what the command prints, and returns the exit code. */
async function devnodeFor<T>(options: readonly string[], use: (told: T) => Promise<void>) {
  const interrupt = new AbortController()
  let used: Promise<void> | undefined
  const code = await run(['devnode', '--port', '0', '--json', ...options], {
    stdout: {
      write: (text) => {
        used = use(JSON.parse(text)).finally(() => interrupt.abort())
      },
    },
    stderr: { write: () => {} },
    stdin: new PassThrough(),
    env: {},
    signal: interrupt.signal,
  })
  await used
  return code
}

describe('devnode', () => {
  it('listens, funds, and ends when it is interrupted', async () => {
    let told: { url: string } | undefined
    let balance: unknown
    const code = await devnodeFor<{ url: string }>(['--fund', `${BOB}=2`], async (printed) => {
      told = printed
      balance = (await cli(['balance', BOB, '--url', told.url, '--json'])).json()
    })
    expect(code).toBe(0)
    expect(told).toMatchObject({
      networkID: 12345,
      funded: [{ address: BOB, amount: '2000000000' }],
    })
    expect(balance).toMatchObject({ assets: [{ spendable: '2000000000' }] })
  })

  it('accepts the API keys that it is given, and no others', async () => {
    const codes: number[] = []
    const keys = ['--api-key', 'first-key', '--api-key', 'second-key']
    const code = await devnodeFor<{ url: string }>(keys, async ({ url }) => {
      for (const key of ['first-key', 'second-key', 'third-key']) {
        const env = { AVMKIT_DATA_KEY: key }
        codes.push((await cli(['data', 'chains', '--url', url], { env })).code)
      }
    })
    expect([code, codes]).toEqual([0, [0, 0, 1]])
  })

  it.each([
    [[], '9999-12-01T00:00:00Z'],
    [['--upgrade', 'etna'], '9999-12-01T00:00:00Z'],
    [['--upgrade', 'helicon'], '2020-12-05T05:00:00Z'],
  ])('with %j has the rules of the C-Chain since that upgrade', async (options, heliconTime) => {
    let upgrades: unknown
    await devnodeFor<{ url: string }>(options, async ({ url }) => {
      upgrades = (await cli(['node', 'upgrades', '--url', url, '--json'])).json()
    })
    expect(upgrades).toMatchObject({ heliconTime })
  })

  it('refuses methods, and all that public servers refuse', async () => {
    const refused: (readonly number[])[] = []
    for (const name of ['info.peers', 'public'])
      await devnodeFor<{ url: string }>(['--refuse', name], async ({ url }) => {
        const codes = ['peers', 'vms'].map(
          async (word) => (await cli(['node', word, '--url', url])).code,
        )
        refused.push(await Promise.all(codes))
      })
    expect(refused).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  it('reports a port that is in use', async () => {
    const { url } = await (await devNode()).listen()
    const port = new URL(url).port
    const ended = await cli(['devnode', '--port', port])
    expect([ended.code, ended.error().code]).toEqual([1, 'PORT_UNAVAILABLE'])
  })

  it('has the address prefix of its network ID, and cannot imitate a profile', async () => {
    await devnodeFor<{ accounts: { address: string }[] }>(
      ['--network', '14', '--accounts', '1'],
      async ({ accounts }) => expect(accounts[0]!.address).toMatch(/^X-custom1/),
    )
    for (const network of [
      'networks/songbird.json',
      './none.json',
      'songbird',
      'fuij',
      '4294967296',
    ]) {
      const ended = await cli(['devnode', '--network', network])
      expect([ended.code, ended.error().code], network).toEqual([2, 'BAD_VALUE'])
      expect(ended.error().hint, network).toContain('network ID')
      expect(ended.err, network).not.toContain('.json')
    }
  })

  it('refuses invalid funds', async () => {
    const cases = [
      ['nonsense', 2, 'BAD_VALUE'],
      [`${BOB}=x`, 2, 'ENC_BAD_AMOUNT'],
      [`${BOB}=0`, 1, 'BAD_OPTION'],
    ] as const
    for (const [grant, code, name] of cases) {
      const ended = await cli(['devnode', '--fund', grant])
      expect([ended.code, ended.error().code]).toEqual([code, name])
    }
  })
})
