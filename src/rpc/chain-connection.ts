import type { Json } from '../codec/json.ts'
import { ID_SIZE } from '../encoding/ids.ts'
import type { Known } from './chain-issue.ts'
import { headersFor } from './endpoint.ts'
import { requestText, resultOf } from './envelope.ts'
import type { CallOptions, TransportOptions } from './http.ts'
import { type BoundTable, bindTable, type Method, type MethodTable } from './method.ts'
import { type ID, idBytes } from './params.ts'
import { Reply } from './reply.ts'
import type { Transport } from './transport.ts'

/** Binds method tables to the routes of a node. */
export class ChainConnection {
  readonly transport: Transport
  private lastID = 0

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Binds methods whose result is an object. */
  bind<T extends MethodTable>(route: string, table: T): BoundTable<T> {
    return this.bound(route, table, (method, result) => new Reply(method, 'result', result))
  }

  /** Binds methods of the Ethereum API, whose result may be any value; it is read as the member `result`. */
  bindEVM<T extends MethodTable>(route: string, table: T): BoundTable<T> {
    return this.bound(route, table, (method, result) => new Reply(method, 'reply', { result }))
  }

  private bound<T extends MethodTable>(
    route: string,
    table: T,
    wrap: (method: string, result: Json) => Reply,
  ): BoundTable<T> {
    return bindTable(
      table,
      // Async, so that invalid parameters reject instead of throwing.
      async <P, R>(
        { method, write, once, params, reply }: Method<P, R>,
        given: P,
        options?: CallOptions,
      ): Promise<R> => {
        const id = ++this.lastID
        return this.transport.request(
          {
            method,
            verb: 'POST',
            path: route,
            body: requestText(id, method, params(given)),
            mode: write || once ? 'once' : 'read',
            read: (http) => reply(wrap(method, resultOf(http, id)), given),
          },
          options,
        )
      },
    )
  }
}

/** Returns one client per server, each with the headers for its origin. */
export function serversOf<Client>(
  options: TransportOptions,
  client: Client,
  create: (options: TransportOptions) => Client,
): readonly Client[] {
  const { url: urls, headers = {} } = options
  if (typeof urls === 'string' || urls.length === 1) return [client]
  return urls.map((url) => create({ ...options, url, headers: headersFor(url, urls[0]!, headers) }))
}

/** Converts a transaction, its bytes or its ID to an ID and, if known, bytes. */
export function knownTx<Tx>(
  tx: Tx | ID,
  encode: (tx: Tx) => Uint8Array,
  txID: (bytes: Uint8Array) => Uint8Array,
): Known {
  if (typeof tx === 'string' || (tx instanceof Uint8Array && tx.length === ID_SIZE))
    return { txID: idBytes(tx) }
  const bytes = tx instanceof Uint8Array ? tx : encode(tx)
  return { txID: txID(bytes), bytes }
}
