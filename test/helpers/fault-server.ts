import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request as it arrived. */
export type SeenRequest = {
  readonly verb: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** How to answer a request. */
export type Answer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>

/** A server on loopback with scripted answers, which records requests. */
export type FaultServer = {
  readonly url: string
  readonly requests: readonly SeenRequest[]
  /** The answers in order; the last one is repeated. */
  readonly answer: (...answers: readonly Answer[]) => void
  readonly close: () => Promise<void>
}

/** Starts a server on a port that the system chooses. */
export async function startFaultServer(...answers: readonly Answer[]): Promise<FaultServer> {
  const requests: SeenRequest[] = []
  const sockets = new Set<Socket>()
  let script = [...answers]
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk as Buffer)
    const request: SeenRequest = {
      verb: message.method!,
      path: message.url!,
      headers: message.headers,
      body: Buffer.concat(chunks).toString(),
    }
    requests.push(request)
    const next = script.length > 1 ? script.shift()! : script[0]!
    await next(response, request)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (...next) => {
      script = [...next]
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** A URL where no server listens. */
export async function deadAddress(): Promise<string> {
  const server = await startFaultServer()
  await server.close()
  return server.url
}

/** Any status, headers and body. */
export function raw(
  status: number,
  body: string,
  headers: { readonly [name: string]: string } = { 'content-type': 'application/json' },
): Answer {
  return (response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
}

/** A JSON-RPC result, under the ID that was sent. */
export function result(value: unknown): Answer {
  return (response, request) => {
    const { id } = JSON.parse(request.body) as { id: number }
    raw(200, JSON.stringify({ jsonrpc: '2.0', result: value, id }))(response, request)
  }
}

/** A JSON-RPC error, with status 200 as the node sends it. */
export function nodeError(message: string): Answer {
  return (response, request) => {
    const { id } = JSON.parse(request.body) as { id: number }
    const error = { code: -32000, message, data: null }
    raw(200, JSON.stringify({ jsonrpc: '2.0', error, id }))(response, request)
  }
}

/** Closes the connection without an answer. */
export const reset: Answer = (response) => {
  response.socket?.resetAndDestroy()
}

/** Closes the connection in the middle of the body. */
export const resetInside: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"jsonrpc":"2.0","resu', () => response.socket?.resetAndDestroy())
}

/** Never answers. */
export const silence: Answer = () => {}

/** Sends headers but no body. */
export const silenceInside: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"jsonrpc":')
}

/** Sends an endless body without a length. */
export const endless: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}
