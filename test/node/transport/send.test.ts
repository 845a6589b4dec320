import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import {
  BodyTooLarge,
  type HttpRequest,
  type HttpResponse,
  type Send,
  sendWith,
} from '../../../src/node/transport/send.ts'
import { platformSend as sendByFetch } from '../../../src/node/transport/send-default.ts'
import { platformSend as sendByNode } from '../../../src/node/transport/send-node.ts'
import { deadAddress } from '../../helpers/fault-server.ts'

let server: Server
const sockets = new Set<Socket>()

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server?.close()
})

const get = (send: Send, url: string, more: Partial<HttpRequest> = {}): Promise<HttpResponse> =>
  send({ url, verb: 'GET', headers: {}, signal: new AbortController().signal, ...more })

/** A megabyte is enough for every body that should be read. */
const MEGABYTE = 1 << 20

describe.each([
  ['fetch', sendByFetch],
  ['node:http', sendByNode],
])('a request by %s', (_, send) => {
  it('has its verb, path, headers and body, and returns status, headers and body', async () => {
    const seen: unknown[] = []
    const url = await serve(async (request, response) => {
      const chunks = await request.toArray()
      const { method, url: path, headers } = request
      seen.push([method, path, headers['x-one'], Buffer.concat(chunks).toString()])
      response.writeHead(418, { 'X-Two': 'b', 'content-type': 'text/plain' }).end('grün')
    })
    const headers = { 'x-one': 'a' }
    const response = await get(send, `${url}/p?q=1`, { verb: 'POST', headers, body: 'größer' })
    expect(seen).toEqual([['POST', '/p?q=1', 'a', 'größer']])
    expect(response.status).toBe(418)
    expect(response.headers.get('x-two')).toBe('b')
    expect(response.headers.get('x-three')).toBeNull()
    expect(await response.text(MEGABYTE)).toBe('grün')
  })

  it('is not redirected', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests++
      response.writeHead(302, { location: '/elsewhere' }).end('moved')
    })
    expect((await get(send, url)).status).toBe(302)
    expect(requests).toBe(1)
  })

  it('may be answered with compressed text', async () => {
    const url = await serve((request, response) => {
      expect(request.headers['accept-encoding']).toContain('gzip')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('grün'.repeat(10_000)))
    })
    expect(await (await get(send, url)).text(MEGABYTE)).toBe('grün'.repeat(10_000))
  })

  it.each(['GZIP', 'x-gzip', ' gzip'])('may be answered with the encoding "%s"', async (name) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': name }).end(gzipSync('grün'))
    })
    expect(await (await get(send, url)).text(MEGABYTE)).toBe('grün')
  })

  it.each(['', 'Identity'])('may be answered with the encoding "%s"', async (name) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': name }).end('grün')
    })
    expect(await (await get(send, url)).text(MEGABYTE)).toBe('grün')
  })

  it('ends early if a small compressed body expands to a large one', async () => {
    const bomb = gzipSync(new Uint8Array(3 * MEGABYTE))
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    const response = await get(send, url)
    await expect(response.text(MEGABYTE)).rejects.toThrow(BodyTooLarge)
  })

  it('accepts a body of exactly the limit', async () => {
    const url = await serve((_, response) => void response.end('12345'))
    expect(await (await get(send, url)).text(5)).toBe('12345')
    await expect((await get(send, url)).text(4)).rejects.toThrow(BodyTooLarge)
  })

  it('closes the connection if the body is too large', async () => {
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(1000)), 1)
      response.on('close', () => clearInterval(timer))
    })
    const response = await get(send, url)
    const [socket] = sockets
    const closed = once(socket!, 'close')
    await expect(response.text(10_000)).rejects.toThrow(BodyTooLarge)
    await closed
  })

  it.each([
    ['text', {}, 'abc'],
    ['compressed text', { 'content-encoding': 'gzip' }, gzipSync('abc'.repeat(1000))],
  ])('fails if the connection is cut inside a body of %s', async (_, headers, body) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { ...headers, 'content-length': '1000' })
      response.write(body.slice(0, body.length - 1), () => setTimeout(() => response.destroy(), 20))
    })
    await expect((await get(send, url)).text(MEGABYTE)).rejects.toThrow()
  })

  it('fails if nobody listens', async () => {
    await expect(get(send, await deadAddress())).rejects.toThrow()
  })

  it('is aborted before the response', async () => {
    const stop = new AbortController()
    const url = await serve(() => stop.abort())
    await expect(get(send, url, { signal: stop.signal })).rejects.toThrow()
  })

  it('is aborted inside the body, and closes the connection', async () => {
    const stop = new AbortController()
    const url = await serve((_, response) => void response.write('abc'))
    const response = await get(send, url, { signal: stop.signal })
    const [socket] = sockets
    const closed = once(socket!, 'close')
    const body = response.text(MEGABYTE)
    stop.abort()
    await expect(body).rejects.toThrow()
    await closed
  })

  it('begins with a TLS handshake for an https url', async () => {
    const url = await serve(() => {})
    const refused = once(server, 'clientError') as Promise<[{ rawPacket: Buffer }, Socket]>
    // A listener must close the socket itself; otherwise both sides wait for a timeout.
    const closed = refused.then(([, socket]) => socket.destroy())
    await expect(get(send, url.replace('http:', 'https:'))).rejects.toThrow()
    await closed
    const [{ rawPacket }] = await refused
    expect(rawPacket[0]).toBe(22)
  })
})

describe('a request by a fetch without streams', () => {
  it('is limited in bytes, not in characters', async () => {
    const send = sendWith(
      async () => ({ status: 200, body: null, text: async () => 'grün' }) as Response,
    )
    const response = await get(send, 'http://node.test')
    expect(await response.text(5)).toBe('grün')
    await expect(response.text(4)).rejects.toBeInstanceOf(BodyTooLarge)
  })
})

describe('a request by node:http', () => {
  it('uses the connection of the one before', async () => {
    const url = await serve(
      (request, response) => void response.end(`${request.socket.remotePort}`),
    )
    const first = await (await get(sendByNode, url)).text(MEGABYTE)
    expect(await (await get(sendByNode, url)).text(MEGABYTE)).toBe(first)
  })

  it('fails if the answer has an encoding that was not asked for', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'br' }).end('abc')
    })
    await expect((await get(sendByNode, url)).text(MEGABYTE)).rejects.toThrow('br')
  })

  it('fails if the server switches protocols', async () => {
    const url = await serve((request) => {
      request.socket.write('HTTP/1.1 101 Other\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
    })
    await expect(get(sendByNode, url)).rejects.toThrow('switched protocols unexpectedly')
  })
})
