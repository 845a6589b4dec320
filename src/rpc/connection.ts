import type { Json } from '../codec/json.ts'
import { headersFor } from './endpoint.ts'
import { batchText, requestText, resultOf, resultsOf } from './envelope.ts'
import type { CallOptions, TransportOptions } from './http.ts'
import { type BoundTable, bindTable, type Method, type MethodTable, type Params } from './method.ts'
import { Reply } from './reply.ts'
import type { Transport } from './transport.ts'

/** How a call is sent; by default as the method table says. */
export type Sending = {
  readonly once?: boolean | undefined
  readonly shift?: number | undefined
  readonly server?: number | undefined
}

type ReadResult = (method: string, result: Json) => Reply

/** A call of the Ethereum API in a batch. */
export type BatchedCall<R> = {
  readonly method: string
  readonly params: Params
  readonly read: (result: Reply) => R
}

/** Prepares a call for a batch. */
export function batched<P, R>({ method, params, reply }: Method<P, R>, given: P): BatchedCall<R> {
  return { method, params: params(given), read: (result) => reply(result, given) }
}

/** JSON-RPC over a transport, shared by the clients for several chains of a node. */
export class Connection {
  readonly transport: Transport
  private lastID = 0

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Calls a method at a route. */
  // Async, so that invalid parameters reject instead of throwing.
  async call<P, R>(
    route: string,
    { method, write, once, params, reply }: Method<P, R>,
    given: P,
    options: CallOptions | undefined,
    sending: Sending = {},
    readResult: ReadResult = objectResult,
  ): Promise<R> {
    const id = ++this.lastID
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
  bind<T extends MethodTable>(route: string, table: T): BoundTable<T> {
    return bindTable(table, (method, params, call) => this.call(route, method, params, call))
  }

  /** Binds methods of the Ethereum API, whose result may be any value; it is read as the member `result`. */
  bindEVM<T extends MethodTable>(route: string, table: T): BoundTable<T> {
    return bindTable(table, (method, params, call) =>
      this.call(route, method, params, call, {}, anyResult),
    )
  }

  /** Sends several reads of the Ethereum API in one request: one server answers all of them. */
  async batchEVM<R extends readonly unknown[]>(
    route: string,
    calls: { readonly [K in keyof R]: BatchedCall<R[K]> },
    options?: CallOptions,
  ): Promise<R> {
    const methods = calls.map(({ method }) => method)
    const firstID = this.lastID + 1
    this.lastID += calls.length
    return this.transport.request(
      {
        method: methods.join(', '),
        verb: 'POST',
        path: route,
        body: batchText(firstID, calls),
        mode: 'read',
        read: (http) => {
          const results = resultsOf(http, firstID, methods)
          return calls.map(({ method, read }, i) => read(anyResult(method, results[i]!))) as never
        },
      },
      options,
    )
  }
}

function objectResult(method: string, result: Json): Reply {
  return new Reply(method, 'result', result)
}

function anyResult(method: string, result: Json): Reply {
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
