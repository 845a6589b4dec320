import type { Json } from '../../core/codec/json.ts'
import type { CallOptions, ServerRequest, TransportOptions } from '../http.ts'
import { type BoundTable, bindTable, type Exchange, type MethodTable } from '../methods/method.ts'
import { Reply } from '../methods/reply.ts'
import { headersFor } from './endpoint.ts'
import { requestText, resultOf } from './envelope.ts'
import type { Transport } from './transport.ts'

/** How a call is sent, see `HttpCall`; by default as the method table specifies. */
export type Sending = {
  readonly once?: boolean | undefined
  readonly shift?: number | undefined
  readonly server?: number | undefined
}

type ReadResult = (method: string, result: Json) => Reply

/** JSON-RPC over a transport, shared by the clients for several chains of a node. */
export class Connection {
  readonly transport: Transport
  private lastID = 0

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Reserves consecutive request IDs; returns the first. */
  takeIDs(count: number): number {
    this.lastID += count
    return this.lastID - count + 1
  }

  /** Calls a method at a route. */
  call<P, R>(
    route: string,
    { method, write, once, params, reply }: Exchange<P, R>,
    given: P,
    options: CallOptions | undefined,
    sending: Sending = {},
    readResult: ReadResult = objectResult,
  ): Promise<R> {
    const id = this.takeIDs(1)
    return this.transport.request(
      {
        method,
        verb: 'POST',
        path: route,
        body: requestText(id, method, params(given)),
        mode: write || once || sending.once ? 'once' : 'read',
        shift: sending.shift ?? 0,
        server: sending.server,
        read: (http) => reply(readResult(method, resultOf(http, id)), given),
      },
      options,
    )
  }

  /** Binds methods whose result is an object. */
  bind<T extends MethodTable>(service: string, route: string, table: T): BoundTable<T> {
    return bindTable(service, table, (method, params, call) =>
      this.call(route, method, params, call),
    )
  }
}

function objectResult(method: string, result: Json): Reply {
  return new Reply(method, 'result', result)
}

/** Reads a result that may be any value as the member `result`. */
export function anyResult(method: string, result: Json): Reply {
  return new Reply(method, 'reply', { result })
}

/** Returns one client per server, each with the headers for its origin. */
export function serversOf<Client, Options extends TransportOptions>(
  options: Options,
  client: Client,
  create: (options: Options) => Client,
): readonly Client[] {
  const { url: urls, headers = {} } = options
  if (typeof urls === 'string' || urls.length === 1) return [client]
  return urls.map((url) => create({ ...options, url, headers: headersFor(url, urls[0]!, headers) }))
}

/**
 * The last request to each server.
 *
 * @param servers - one client per server, if they were made
 */
export function lastRequests<Client extends { lastRequests: () => readonly ServerRequest[] }>(
  transport: Transport,
  client: Client,
  servers: readonly Client[] = [],
): ServerRequest[] {
  return transport.lastRequests.map((own, i) => {
    const server = servers[i]
    const [other = own] = server === undefined || server === client ? [] : server.lastRequests()
    const { lastAsked } = (other.lastAsked?.at ?? 0) > (own.lastAsked?.at ?? 0) ? other : own
    const isHigher = (other.height ?? 0n) > (own.height ?? 0n)
    return { ...own, lastAsked, height: isHigher ? other.height : own.height }
  })
}
