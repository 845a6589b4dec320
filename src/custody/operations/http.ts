import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  argument,
  type Check,
  capability,
  integerFrom,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import type { Custody } from '../custody.ts'
import { CustodyError } from '../errors.ts'
import { formatMetrics, healthOf, seconds } from './metrics.ts'

/** Options of {@link serveOperations}. */
export type OperationsOptions = {
  /**
   * Address to listen on. The endpoints have no authentication.
   *
   * @defaultValue `127.0.0.1`
   */
  readonly host?: string | undefined
  /** @defaultValue chosen by the system */
  readonly port?: number | undefined
  /**
   * Maximum number of seconds since all blocks were applied; after that `/health` fails.
   *
   * @defaultValue 60
   */
  readonly maxLagSeconds?: number | undefined
}

const custodyArgument = capability<Pick<Custody, 'status'>>('a custody system', 'status')

const operationsOptions: Check<OperationsOptions> = object<OperationsOptions>({
  host: optional(text),
  port: optional(integerFrom(0, 65_535)),
  maxLagSeconds: optional(seconds),
})

/** A server with `/metrics` and `/health`. */
export type OperationsServer = { readonly url: string; readonly close: () => Promise<void> }

/**
 * Serves metrics in the text format of Prometheus at `/metrics`, and at `/health` status 200 or 503 with the reasons.
 *
 * @throws CustodyError `LISTEN_FAILED`
 * @example
 * const { url, close } = await serveOperations(custody, { port: 9464 })
 */
export async function serveOperations(
  custody: Pick<Custody, 'status'>,
  options: OperationsOptions = {},
): Promise<OperationsServer> {
  const service = argument('serveOperations', custody, custodyArgument, 'custody')
  const {
    host = '127.0.0.1',
    port = 0,
    maxLagSeconds = 60,
  } = argument('serveOperations', options, operationsOptions)
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url?.split('?')[0]
      if (request.method !== 'GET')
        return sendResponse(response, 405, 'text/plain', 'method not allowed\n')
      if (path !== '/metrics' && path !== '/health')
        return sendResponse(response, 404, 'text/plain', 'not found\n')
      try {
        const status = await service.status()
        if (path === '/metrics')
          return sendResponse(response, 200, 'text/plain; version=0.0.4', formatMetrics(status))
        const health = healthOf(status, maxLagSeconds)
        const body = `${JSON.stringify(health)}\n`
        return sendResponse(response, health.healthy ? 200 : 503, 'application/json', body)
      } catch (error) {
        // Whatever it is: a rejection that nobody handles would end the process.
        const reason = error instanceof Error ? error.message : String(error)
        const body = { healthy: false, problems: [], reasons: [reason] }
        return sendResponse(response, 503, 'application/json', `${JSON.stringify(body)}\n`)
      }
    })()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `cannot listen on port ${port} of ${host}: ${cause.message}`
      reject(new CustodyError('LISTEN_FAILED', message, { cause }))
    })
    server.listen(port, host, resolve)
  })
  const { port: chosen, address, family } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${chosen}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function sendResponse(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type }).end(body)
}
