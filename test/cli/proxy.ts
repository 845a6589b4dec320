import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { DevNode } from '../../src/devnode/index.ts'

/**
 * An HTTP server in front of a node that calls `onRequest` before each request. The request waits for it, and is
 * dropped if it returns false.
 */
export async function proxyTo(
  node: DevNode,
  onRequest: (body: string) => boolean | undefined | Promise<boolean | undefined>,
): Promise<string> {
  const server = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
      const body = Buffer.concat(chunks).toString()
      if ((await onRequest(body)) === false) return void response.destroy()
      const answer = await node.fetch(`http://node${request.url}`, {
        method: request.method!,
        headers: { 'content-type': 'application/json' },
        ...(request.method === 'POST' ? { body } : {}),
      })
      const text = await answer.text()
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text)
    } catch {
      // A fault of the node, or a client that was killed.
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
