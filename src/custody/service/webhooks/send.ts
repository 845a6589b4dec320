import { Agent, type RequestOptions, request as requestHTTP } from 'node:http'
import { request as requestHTTPS, Agent as SecureAgent } from 'node:https'
import { onAbort } from '../../../node/transport/abort.ts'

/** Most bytes of an answer that are read; nothing of it is used. */
const MAX_REPLY = 65_536

/** Sends a message. Returns why it failed, or undefined if the receiver has accepted it. */
export type Send = (
  body: string,
  headers: { readonly [name: string]: string },
  signal: AbortSignal,
) => Promise<string | undefined>

/**
 * Posts to one URL over connections that are kept. Only a complete answer with a status of 200 to 299, within the time limit
 * and not too large, is an acceptance. Redirects are not followed: the target is the one that was configured.
 */
export function senderTo(
  url: string,
  { timeoutMs, connections }: { readonly timeoutMs: number; readonly connections: number },
): { readonly send: Send; readonly close: () => void } {
  const isSecure = url.startsWith('https:')
  const settings = { keepAlive: true, maxSockets: connections }
  const agent = isSecure ? new SecureAgent(settings) : new Agent(settings)
  const request = isSecure ? requestHTTPS : requestHTTP
  const options: RequestOptions = { method: 'POST', agent }
  const send: Send = (body, headers, signal) =>
    new Promise((resolve) => {
      const bytes = Buffer.from(body)
      const outgoing = request(url, {
        ...options,
        headers: {
          'content-type': 'application/json',
          'content-length': bytes.length,
          'user-agent': 'avmkit-custody',
          ...headers,
        },
      })
      const fail = (reason: string) => {
        end(reason)
        outgoing.destroy()
      }
      const stop = () => fail('the service stops')
      // The whole exchange, however slowly bytes arrive.
      const timer = setTimeout(() => fail(`no answer within ${timeoutMs} ms`), timeoutMs)
      const end = (reason?: string) => {
        clearTimeout(timer)
        forget()
        resolve(reason)
      }
      const forget = onAbort(signal, stop)
      if (signal.aborted) stop()
      outgoing.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      outgoing.on('response', (incoming) => {
        const { statusCode = 0 } = incoming
        let size = 0
        incoming.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MAX_REPLY) fail(`the answer has more than ${MAX_REPLY} bytes`)
        })
        incoming.on('end', () =>
          end(statusCode >= 200 && statusCode < 300 ? undefined : `status ${statusCode}`),
        )
        incoming.on('error', (error) => end(error.message))
        incoming.on('close', () => end('the answer is not complete'))
      })
      outgoing.end(bytes)
    })
  return { send, close: () => agent.destroy() }
}
