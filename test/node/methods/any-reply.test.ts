import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { AvmError } from '../../../src/core/base/errors.ts'
import { createNodeClient, methods, type NodeClient } from '../../../src/node/index.ts'
import { runs } from '../../helpers/runs.ts'
import { fakeClock } from '../fake-clock.ts'
import { answering, recorded, resultIn } from '../recorded.ts'

/** Parameters for all methods. */
const params = {
  address: new Uint8Array(20),
  addresses: [new Uint8Array(20)],
  assetID: 'AVAX',
  alias: 'X',
  chain: 'X',
  blockID: new Uint8Array(32),
  txID: new Uint8Array(32),
  height: 0,
  tx: new Uint8Array(80),
}

type Call = (params: object) => Promise<unknown>

const callOf = (client: NodeClient, service: string, name: string): Call =>
  (client as unknown as { [s: string]: { [n: string]: Call } })[service]![name]!

const names = Object.entries(methods).flatMap(([service, table]) =>
  Object.keys(table).map((name) => [service, name] as const),
)

/** Whether a call returned a value or threw a typed error. */
async function isOrderly(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    (error) =>
      error instanceof AvmError && error.message.length < 1000 && !/\n/.test(error.message),
  )
}

/** Results that resemble real ones: a member of a recorded result is replaced by anything. */
const member = fc.constantFrom(
  ...['avm.getUTXOs: full page of 1024', 'info.peers: one peer', 'health.health', 'info.getVMs']
    .concat(['avm.getBalance', 'avm.getAllBalances', 'info.upgrades', 'info.getNodeID'])
    .flatMap((name) => {
      const result = resultIn(recorded(name)) as { [key: string]: unknown }
      return Object.keys(result).map((key) => [result, key] as const)
    }),
)
const damaged = fc
  .tuple(member, fc.jsonValue())
  .map(([[result, key], value]) => JSON.stringify({ ...result, [key]: value }))

describe('a result of any shape', () => {
  test.prop([fc.constantFrom(...names), fc.oneof(fc.json(), damaged)], runs(500))(
    'is read or rejected with an error of one line',
    async ([service, name], result) => {
      expect(await isOrderly(callOf(answering(result), service, name)(params))).toBe(true)
    },
  )
})

describe('an error with any message', () => {
  test.prop([
    fc.oneof(
      fc.json(),
      fc.string({ maxLength: 3000 }).map((s) => JSON.stringify(`a\n${s}`)),
    ),
  ])('becomes an error of one line that keeps the full message', async (error) => {
    const fetch = async () => new Response(`{"jsonrpc":"2.0","error":${error},"result":{}}`)
    const client = createNodeClient({ url: 'http://node.test', fetch })
    expect(await isOrderly(client.info.peers())).toBe(true)
    const words = JSON.parse(error) as unknown
    if (typeof words === 'string')
      await expect(client.info.peers()).rejects.toMatchObject({ nodeMessage: words })
  })
})

describe('an answer of any shape', () => {
  test.prop(
    [
      fc.constantFrom(...names),
      fc.constantFrom(200, 201, 400, 403, 404, 429, 500, 503),
      fc.oneof(fc.string({ unit: 'binary' }), fc.json()),
      fc.constantFrom('application/json', 'text/plain', 'text/html', ''),
    ],
    runs(300),
  )('is read or rejected in the same way', async ([service, name], status, body, type) => {
    const client = createNodeClient({
      url: 'http://node.test',
      clock: fakeClock(),
      retry: { retries: 1 },
      fetch: async () => new Response(body, { status, headers: { 'content-type': type } }),
    })
    expect(await isOrderly(callOf(client, service, name)(params))).toBe(true)
    expect(await isOrderly(client.healthGet.root())).toBe(true)
  })
})
