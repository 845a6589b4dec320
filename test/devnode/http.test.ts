import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cb58 } from '../../src/core/base/encoding/cb58.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'

let node: DevNode
let url: string
let port: number

beforeAll(async () => {
  node = await createDevNode({ blocks: 'manual', now: 1_700_000_000 })
  url = (await node.listen()).url
  port = Number(new URL(url).port)
})
afterAll(() => node.close())

const getHeight = '{"jsonrpc":"2.0","id":1,"method":"avm.getHeight"}'
const answer = '{"jsonrpc":"2.0","result":{"height":"0"},"id":1}\n'

/** A request with exactly these headers, which `fetch` would not leave alone. */
function send(
  path: string,
  headers: Record<string, string>,
  body = getHeight,
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, method: 'POST', headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: text }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** What comes back for bytes that need not be HTTP, until the node closes the connection. */
function sendRaw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

const json = { 'content-type': 'application/json' }

describe('listen', () => {
  it('serves on loopback what node.fetch answers', async () => {
    const response = await fetch(`${url}/ext/bc/X`, {
      method: 'POST',
      headers: json,
      body: getHeight,
    })
    expect(await response.text()).toBe(answer)
    expect(response.headers.get('node-id')).toMatch(/^NodeID-\w+$/)
    expect(response.headers.get('date')).toBe('Tue, 14 Nov 2023 22:13:20 GMT')
    expect(response.headers.get('content-length')).toBe(String(answer.length))
  })

  it('checks the host', async () => {
    const asked = (host: string) => send('/ext/bc/X', { ...json, host })
    for (const host of ['LOCALHOST:9650', '127.0.0.1', '[::1]:1', '1.2.3.4:80'])
      expect([host, (await asked(host)).status]).toEqual([host, 200])
    for (const host of ['example.com', 'localhost.', '127.1', 'node:9650'])
      expect([host, (await asked(host)).body]).toEqual([host, 'invalid host specified\n'])
  })

  it('parses paths as the node does', async () => {
    const byID = `/ext/bc/${cb58.encode(node.context.chainID)}`
    for (const path of [byID, '/ext/bc/%58', '/ext/bc/avm?x=1', '/ext/X', '/ext/avm'])
      expect([path, (await send(path, json)).body]).toEqual([path, answer])
    for (const path of ['/ext/bc/X/', '/ext/bc/x', '/ext', '/'])
      expect([path, (await send(path, json)).status]).toEqual([path, 404])
    for (const path of ['//ext/info', '/ext/./info', '/ext/x/../info?a=b']) {
      const { status, headers, body } = await send(path, json)
      expect([path, status, body]).toEqual([path, 301, ''])
      expect(headers.location).toMatch(/^\/ext\/info(\?a=b)?$/)
    }
  })

  it('reads chunked and pipelined requests', async () => {
    const chunk = `${getHeight.length.toString(16)}\r\n${getHeight}\r\n0\r\n\r\n`
    const head = 'POST /ext/bc/X HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    const both = await sendRaw(
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${head}Connection: close\r\nContent-Length: ${getHeight.length}\r\n\r\n${getHeight}`,
    )
    expect(both.split(answer)).toHaveLength(3)
  })

  it('survives requests that are not HTTP', async () => {
    expect(await sendRaw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
    expect((await send('/ext/bc/X', json)).body).toBe(answer)
  })

  it('rejects a body above 64 MiB', async () => {
    const body = 'x'.repeat(67_108_865)
    const options = { method: 'POST', headers: json, body }
    expect((await node.fetch(`${url}/ext/bc/X`, options)).status).toBe(413)
    // Over a socket the answer may be lost, because the node stops reading; the node continues to run.
    await fetch(`${url}/ext/bc/X`, options).then(
      ({ status }) => expect(status).toBe(413),
      (error) => expect(error).toBeInstanceOf(TypeError),
    )
    expect((await send('/ext/bc/X', json)).body).toBe(answer)
  })

  it('answers above 2 KB in chunks, without a length', async () => {
    const { headers } = await send(
      '/ext/health',
      json,
      '{"jsonrpc":"2.0","id":"x","method":"health.health"}'.replace(
        '"x"',
        JSON.stringify('x'.repeat(3000)),
      ),
    )
    expect(headers['content-length']).toBeUndefined()
    expect(headers['transfer-encoding']).toBe('chunked')
  })

  // As on the node's own paths; the header of the API key is allowed as well.
  it('allows cross-origin requests to the metrics and data APIs', async () => {
    const origin = 'https://wallet.example'
    for (const path of ['/v1/chains', '/v1/avg_tps/1', '/v1/foo', '/v2/health-check']) {
      const { headers } = await fetch(`${url}${path}`, { headers: { origin } })
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*'])
      expect([path, headers.get('vary')]).toEqual([path, 'Origin'])
    }
    expect((await fetch(`${url}/v1/chains`)).headers.get('access-control-allow-origin')).toBeNull()

    const preflight = async (asked: string) => {
      const { status, headers } = await fetch(`${url}/v1/chains`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': asked,
        },
      })
      return {
        status,
        origin: headers.get('access-control-allow-origin'),
        methods: headers.get('access-control-allow-methods'),
        headers: headers.get('access-control-allow-headers'),
      }
    }
    for (const asked of ['x-service-api-key', 'x-glacier-api-key'])
      expect(await preflight(asked)).toEqual({
        status: 200,
        origin: '*',
        methods: 'GET',
        headers: asked,
      })
    expect(await preflight('x-other')).toEqual({
      status: 200,
      origin: null,
      methods: null,
      headers: null,
    })
  })

  it('stops with the node, including idle connections', async () => {
    const other = await createDevNode()
    const { url: there } = await other.listen()
    other.injectFault({ kind: 'silent' })
    const waiting = fetch(`${there}/ext/info`, { method: 'POST', headers: json, body: '{}' })
    const failed = expect(waiting).rejects.toThrow()
    await new Promise((resolve) => setTimeout(resolve, 20))
    await other.close()
    await failed
    await expect(fetch(`${there}/ext/info`)).rejects.toThrow()
    await expect(other.fetch('http://node/ext/info')).rejects.toMatchObject({ code: 'NODE_CLOSED' })
  })
})
