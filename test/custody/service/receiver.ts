import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type Received = {
  readonly id: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  readonly type: string
  readonly data: { readonly [name: string]: string }
}

type Handle = (message: Received, response: ServerResponse) => void | Promise<void>

/** A receiver of webhooks on loopback that accepts all messages unless `handle` answers otherwise. */
export async function receiverOf(handle: Handle = accept): Promise<{
  readonly url: string
  readonly received: Received[]
}> {
  const received: Received[] = []
  const server = createServer((request: IncomingMessage, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const headers = request.headers as { [name: string]: string }
      const { type, data } = JSON.parse(body)
      const message = { id: headers['webhook-id']!, headers, body, type, data }
      received.push(message)
      void handle(message, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

export function accept(_: Received, response: ServerResponse): void {
  response.writeHead(204).end()
}
