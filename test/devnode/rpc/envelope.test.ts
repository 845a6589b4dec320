import { fc, test } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevNode, type DevNode } from '../../../src/devnode/index.ts'
import { ask } from '../client.ts'

let node: DevNode
beforeAll(async () => {
  node = await createDevNode({ blocks: 'manual', now: 1_700_000_000 })
})
afterAll(() => node.close())

const post = async (body: string, path = '/ext/bc/X') => {
  const response = await node.fetch(`http://node${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return { status: response.status, text: await response.text() }
}

const messageOf = async (body: string, path?: string): Promise<string | undefined> =>
  JSON.parse((await post(body, path)).text).error?.message

const BAD =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls"

// Answers of a running node.
describe('method names', () => {
  it.each([
    ['avm.getheight', 'rpc: can\'t find method "avm.Getheight"'],
    ['AVM.getHeight', 'rpc: can\'t find service "AVM.GetHeight"'],
    ['', 'rpc: service/method request ill-formed: ""'],
    ['avm.', 'rpc: can\'t find method "avm."'],
    ['avm.constructor', 'rpc: can\'t find method "avm.Constructor"'],
    ['toString.x', 'rpc: can\'t find service "toString.X"'],
    ['avm.\u00e9t\u00e9', 'rpc: can\'t find method "avm.\u00c9t\u00e9"'],
    ['avm.a\n"', 'rpc: can\'t find method "avm.A\\n\\""'],
  ])('%j gets %s', async (method, message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method })
    expect(await messageOf(body)).toBe(message)
  })
})

describe('params', () => {
  const height = (params: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"avm.getBlockByHeight","params":${params}}`

  it.each(['null', '{}', '[]', '[null]', '[{"height":0},5]', '{"HEIGHT":"0"}', '{"height":null}'])(
    'takes %s',
    async (params) => {
      expect(await messageOf(height(params))).toBeUndefined()
    },
  )

  it.each([
    ...['5', '"x"', 'true', '[5]', '[[]]'],
    ...[
      '-1',
      '-0',
      '5.0',
      '1e3',
      '"+5"',
      '"0x5"',
      '""',
      '" 5"',
      '18446744073709551616',
      'true',
    ].map((value) => `{"height":${value}}`),
    ...['"cb58"', '""', '5', '"hex "'].map((value) => `{"encoding":${value}}`),
  ])('refuses %s', async (params) => {
    expect(await messageOf(height(params))).toBe(BAD)
  })

  it.each([
    ['avm.getTx', '{"txID":""}'],
    ['avm.getTx', '{"txID":5}'],
    ['avm.getTx', '{"encoding":"cb58"}'],
    ['avm.getUTXOs', '{"addresses":"X"}'],
    ['avm.getUTXOs', '{"addresses":[5]}'],
    ['avm.getUTXOs', '{"startIndex":[]}'],
    ['avm.getBalance', '{"includePartial":"true"}'],
    ['avm.getHeight', '5'],
    ['avm.issueTx', '{"tx":5}'],
  ])('%s refuses %s', async (method, params) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`
    expect(await messageOf(body)).toBe(BAD)
  })
})

describe('requests', () => {
  it('without ID are executed and not answered', async () => {
    for (const id of ['', '"id":null,', '"id":1,"ID":null,'])
      expect(await post(`{${id}"jsonrpc":"2.0","method":"avm.getHeight"}`)).toEqual({
        status: 200,
        text: '',
      })
    expect((await post('null')).text).toBe('')
    expect((await post('"x"')).text).toContain('cannot unmarshal string into Go value')
  })

  it('get their ID back unchanged', async () => {
    for (const id of ['1.0', '"<"', '[ 1, 2 ]', 'false', '-0'])
      expect((await post(`{"jsonrpc":"2.0","id":${id},"method":"avm.getHeight"}`)).text).toBe(
        `{"jsonrpc":"2.0","result":{"height":"0"},"id":${id.replaceAll(' ', '').replace('<', '\\u003c')}}\n`,
      )
  })

  const paths = fc.constantFrom(
    '/ext/bc/X',
    '/ext/bc/X/wallet',
    '/ext/info',
    '/ext/health',
    '/v1/chains',
  )
  const calls = fc.record({
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.jsonValue(),
    method: fc.oneof(
      fc.string(),
      fc.constantFrom('avm.getUTXOs', 'avm.issueTx', 'avm.getTx', 'info.peers', 'wallet.issueTx'),
    ),
    params: fc.oneof(
      fc.jsonValue(),
      fc.record({
        addresses: fc.jsonValue(),
        tx: fc.string().map((text) => `0x${text}`),
        limit: fc.jsonValue(),
        startIndex: fc.jsonValue(),
        txID: fc.string(),
      }),
    ),
  })
  const bodies = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    calls.map((call) => JSON.stringify(call)),
  )

  test.prop([paths, bodies])('of any kind are answered and change nothing', async (path, body) => {
    const before = node.stateDigest()
    const { status, text } = await post(body, path)
    expect([200, 404]).toContain(status)
    if (status === 200 && text !== '') JSON.parse(text)
    expect(node.stateDigest()).toEqual(before)
    expect(await ask(node, 'avm.getHeight')).toEqual({ height: '0' })
  })
})
