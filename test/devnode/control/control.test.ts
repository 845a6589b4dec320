import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevNode, type DevNode, testAccounts } from '../../../src/devnode/index.ts'
import { createNodeClient, createRawClient } from '../../../src/node/index.ts'

const BOB = 'X-local15qwuklmrfcmfw78yvka9pjsukjeevl4a42y3r8'
const AVAX = 1_000_000_000n

let node: DevNode
let url: string

beforeAll(async () => {
  node = await createDevNode({ blocks: 'manual', now: 1_700_000_000 })
  url = (await node.listen()).url
})
afterAll(() => node.close())

const call = (method: string, params = {}) =>
  createRawClient({ url }).call('/ext/devnode', `devnode.${method}`, params)

type Sent = { readonly method?: string; readonly headers?: object; readonly path?: string }

/** Sends a request with exactly these headers, as no `fetch` would. */
function send({ method = 'POST', headers = {}, path = '/ext/devnode' }: Sent): Promise<{
  readonly status: number
  readonly headers: object
}> {
  return new Promise((resolve, reject) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"devnode.now"}'
    const all = { 'content-type': 'application/json', ...headers }
    const sent = request(url + path, { method, headers: all }, (response) => {
      response
        .resume()
        .on('end', () => resolve({ status: response.statusCode!, headers: response.headers }))
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? body : undefined)
  })
}

describe('the control API', () => {
  it('sets the clock, funds on three chains, produces blocks and reverts', async () => {
    const client = createNodeClient({ url })
    expect(await call('now')).toEqual({ time: '1700000000' })
    expect(await call('setTime', { time: 1_700_000_100 })).toEqual({ time: '1700000100' })
    const { snapshotID } = (await call('snapshot')) as { snapshotID: string }
    expect(await call('fund', { address: BOB, amount: '5' })).toMatchObject({ chain: 'X' })
    const { pAddress, cAddress } = (await testAccounts({ hrp: 'local', count: 1 })).accounts[0]!
    expect(await call('fund', { address: pAddress, amount: 7 })).toEqual({ chain: 'P' })
    expect(await call('fund', { address: cAddress, amount: '9' })).toEqual({ chain: 'C' })
    expect(node.cChain.account(cAddress).balance).toBe(9_000_000_000n)
    const { height } = { height: await client.avm.getHeight() }
    expect(height).toBe(1n)
    await expect(call('produceBlock')).rejects.toMatchObject({ code: 'RPC_ERROR' })
    expect(await call('produceBlock', { chain: 'P' })).toEqual({ chain: 'P', transactions: 0 })
    await call('revert', { snapshotID })
    expect(await client.avm.getHeight()).toBe(0n)
    await call('revert', { snapshotID })
  })

  it('limits snapshots, which can be removed', async () => {
    const ids: string[] = []
    const snapshot = async () => ((await call('snapshot')) as { snapshotID: string }).snapshotID
    const isFull = () => snapshot().then((id) => void ids.push(id))
    while (
      await isFull().then(
        () => true,
        () => false,
      )
    );
    const [first] = ids as [string]
    await call('removeSnapshot', { snapshotID: first })
    for (const method of ['removeSnapshot', 'revert'])
      await expect(call(method, { snapshotID: first })).rejects.toMatchObject({ nodeCode: -32602 })
    ids[0] = await snapshot()
    for (const snapshotID of ids) await call('removeSnapshot', { snapshotID })
  })

  it('refuses times that no date can express', async () => {
    await expect(call('setTime', { time: '18446744073709551615' })).rejects.toMatchObject({
      code: 'RPC_ERROR',
    })
    await call('setTime', { time: 8_640_000_000_000 })
    expect(await createNodeClient({ url }).health.health()).toMatchObject({ healthy: true })
    await call('setTime', { time: 1_700_000_100 })
  })

  it('creates UTXOs for import and injects faults, which do not reach the control API', async () => {
    const recipients = [{ address: BOB, amount: String(AVAX) }]
    const { utxos } = (await call('exportFrom', { chain: 'P', recipients })) as { utxos: string[] }
    expect(utxos).toHaveLength(1)
    // The same bytes are there already.
    const again = call('addAtomicUTXOs', { sourceChain: 'P', utxos })
    await expect(again).rejects.toThrow(/already in shared memory/)
    const { faultID } = (await call('injectFault', { kind: 'rate-limit', times: 9 })) as {
      faultID: string
    }
    const client = createNodeClient({ url, retry: { maxTotalMs: 1 } })
    await expect(client.avm.getHeight()).rejects.toMatchObject({ code: 'HTTP_RATE_LIMITED' })
    expect(await call('now')).toBeDefined()
    await call('removeFault', { faultID })
    expect(await createNodeClient({ url }).avm.getHeight()).toBe(0n)
    // Both use invented transactions of the P-Chain.
    expect(await call('fund', { address: BOB, amount: 1 })).toMatchObject({ chain: 'X' })
  })

  it.each([
    ['fund', {}, /address must be a string/],
    ['fund', { address: BOB, amount: -1 }, /amount must be a whole number/],
    ['fund', { address: BOB, amount: 1.5 }, /amount must be a whole number/],
    ['fund', { address: BOB, amount: 1, adress: 1 }, /unknown parameter adress/],
    ['fund', { address: 'X-fuji1x', amount: 1 }, /./],
    ['injectFault', { kind: 'fire' }, /kind must be one of/],
    ['injectFault', { kind: 'empty', status: 418 }, /status must be one of/],
    ['revert', { snapshotID: '99' }, /snapshotID is unknown/],
    ['exportFrom', { chain: 'X', recipients: [] }, /chain must be P or C/],
    ['exportFrom', { chain: 'P', recipients: [{ amount: 1, to: 1 }] }, /unknown parameter to/],
    ['addAtomicUTXOs', { sourceChain: 'P', utxos: ['0x00'] }, /hex with checksum/],
    ['constructor', {}, /unknown method/],
  ])('refuses %s %j', async (method, params, message) => {
    const before = node.stateDigest()
    await expect(call(method, params)).rejects.toThrow(message)
    expect(node.stateDigest()).toEqual(before)
  })

  it('answers requests with hostile ids and bodies, and goes on', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const replies = [
      [deep, -32700],
      [`{"jsonrpc":"2.0","id":${deep},"method":"devnode.now"}`, -32700],
      [`{"jsonrpc":"2.0","id":1,"method":"devnode.fund","params":${deep}}`, -32700],
      ['{"jsonrpc":"2.0","id":[[1]],"method":"devnode.now"}', -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"devnode.fund","params":[[1]]}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"devnode.__proto__"}', -32601],
      ['['.repeat(100_000), -32700],
    ] as const
    const headers = { 'content-type': 'application/json' }
    for (const [body, code] of replies) {
      const response = await fetch(`${url}/ext/devnode`, { method: 'POST', headers, body })
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } })
    }
    expect(await call('now')).toBeDefined()
  })

  it('answers programs on this machine', async () => {
    const { port } = new URL(url)
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      expect((await send({ headers: { host } })).status).toBe(200)
    expect((await send({ headers: { 'sec-fetch-site': 'none' } })).status).toBe(200)
  })

  it.each([
    ['a page of another origin', { headers: { origin: 'https://example.com' } }, 403],
    ['a sandboxed page', { headers: { origin: 'null' } }, 403],
    ['a page that hides its origin', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['a page on another port', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    ['a page after DNS rebinding', { headers: { host: 'evil.example:9650' } }, 403],
    ['a name that only starts like this machine', { headers: { host: '127.0.0.1.evil.com' } }, 403],
    ['a form', { headers: { 'content-type': 'text/plain' } }, 415],
    ['an image', { method: 'GET' }, 405],
    [
      'a preflight',
      { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } },
      405,
    ],
    ['another spelling of the path', { path: '/ext/%64evnode' }, 404],
    ['a path with a slash', { path: '/ext/devnode/' }, 404],
  ])('refuses %s and allows no origin', async (_, sent, status) => {
    const answer = await send(sent)
    expect(answer.status).toBe(status)
    if (status !== 404) expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('dump and load', () => {
  it('restore a node with the state of its three chains', async () => {
    const first = await createDevNode({ dumpable: true, networkID: 1337 })
    const { accounts } = await testAccounts({ hrp: 'custom', count: 2, seed: 'any' })
    first.fund(accounts[0]!.address, AVAX)
    first.pChain.fund({ address: accounts[1]!.pAddress, amount: AVAX })
    first.exportFrom('C', { address: accounts[0]!.address, amount: 3n })
    const second = await createDevNode({ load: first.dump() })
    expect(second.context).toEqual(first.context)
    expect(second.stateDigest()).toEqual(first.stateDigest())
    second.fund(accounts[0]!.address, AVAX)
    const third = await createDevNode({ load: second.dump() })
    expect(third.stateDigest()).toEqual(second.stateDigest())
    for (const one of [first, second, third]) await one.close()
  })

  it('reject damaged records', async () => {
    const node = await createDevNode({ dumpable: true })
    const dump = JSON.parse(node.dump()) as { records: string[] }
    await node.close()
    const [first] = dump.records as [string]
    const settings = JSON.parse(Buffer.from(first, 'hex').subarray(1).toString())
    const record = (type: number, content: unknown) =>
      Buffer.from([type, ...Buffer.from(JSON.stringify(content))]).toString('hex')
    const damaged = [
      ...[null, {}, { ...settings, txFee: 'x' }, { ...settings, txFee: '-1' }].map((content) => [
        record(0, content),
      ]),
      [record(0, { ...settings, networkID: 'x' })],
      [record(0, { ...settings, genesis: '00' })],
      ...['', '01ffff', '02ff', '03ff', '04ff', '09'].map((text) => [first, text]),
      ...[
        null,
        { type: 'pBlock' },
        { type: 'pBlock', time: '1', txs: ['00'] },
        { type: 'pFees', capacity: 'x', excess: '1' },
        { type: 'cBaseFee' },
        { type: 'cAccount', address: 5 },
        { type: 'z' },
      ].map((event) => [first, record(5, event)]),
    ]
    for (const records of damaged)
      await expect(
        createDevNode({ load: JSON.stringify({ ...dump, records }) }),
        records.at(-1),
      ).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  })

  it('reject other text, other settings, and a node without records', async () => {
    for (const load of [
      '',
      '{}',
      'null',
      '{"format":"avmkit-devnode-state","version":1,"records":[1]}',
    ])
      await expect(createDevNode({ load })).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
    const plain = await createDevNode()
    expect(() => plain.dump()).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }))
    const dumpable = await createDevNode({ dumpable: true })
    const other = createDevNode({ load: dumpable.dump(), networkID: 7 })
    await expect(other).rejects.toMatchObject({ code: 'BAD_OPTION' })
    await plain.close()
    await dumpable.close()
  })
})

describe('testAccounts', () => {
  it('derives the accounts of the public test mnemonic', async () => {
    const { mnemonic, accounts } = await testAccounts({ hrp: 'local', count: 3 })
    expect(mnemonic).toMatch(/^(test ){11}junk$/)
    expect(new Set(accounts.map(({ address }) => address)).size).toBe(3)
    expect(accounts[2]!.path).toBe("m/44'/9000'/0'/0/2")
    const other = await testAccounts({ hrp: 'local', count: 1, seed: 'x' })
    expect(other.accounts[0]!.address).not.toBe(accounts[0]!.address)
    expect(await testAccounts({ hrp: 'local', count: 1, seed: 'x' })).toEqual(other)
  })
})
