import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { builtin } from '../storage/builtin.ts'
import { unavailable } from './errors.ts'
import type { Handler } from './fetch.ts'
import { bodyText, MAX_BODY_SIZE, type NodeResponse } from './transport.ts'

/** The node's time limits for receiving a request and for idle connections. */
const RECEIVE_TIMEOUT_MS = 30_000
const IDLE_TIMEOUT_MS = 120_000

/** Larger answers are chunked, without a content length, as the node does. */
const MAX_UNCHUNKED = 2048

/** A listening server. */
export type Listener = { readonly url: string; readonly close: () => Promise<void> }

/** Serves the node over HTTP on loopback; with port 0 the system chooses the port. */
export async function listen(handler: Handler, port: number): Promise<Listener> {
  const server = builtin('node:http', unavailable).createServer((request, response) => {
    answer(handler, request, response).catch(() => response.destroy())
  })
  server.requestTimeout = RECEIVE_TIMEOUT_MS
  server.keepAliveTimeout = IDLE_TIMEOUT_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${bound}`, close: () => closed(server) }
}

async function answer(
  handler: Handler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request)
  if (body === undefined) {
    response.writeHead(413, { connection: 'close' }).end('request entity too large\n')
    return
  }
  const reply = await handler({
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    host: request.headers.host ?? '',
    header: (name) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body,
  })
  sendReply(reply, response)
}

function sendReply(reply: NodeResponse, response: ServerResponse): void {
  if (reply.spoiled === 'silent') return
  if (reply.spoiled === 'lost') {
    response.destroy()
    return
  }
  const headers: string[] = reply.headers.flat()
  const size = Buffer.byteLength(reply.body)
  if (size <= MAX_UNCHUNKED || reply.spoiled === 'cut') headers.push('content-length', `${size}`)
  response.writeHead(reply.status, headers)
  if (reply.spoiled !== 'cut') {
    response.end(reply.body)
    return
  }
  const half = Buffer.from(reply.body).subarray(0, size >> 1)
  response.write(half, () => response.destroy())
}

/** Reads the body as text; undefined if it exceeds the limit. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_SIZE) return undefined
    chunks.push(chunk)
  }
  return bodyText(Buffer.concat(chunks))
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
