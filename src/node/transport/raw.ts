import type { Json } from '../../core/codec/json.ts'
import type { CallOptions, TransportOptions } from '../http.ts'
import type { Params } from '../methods/method.ts'
import { requestText, resultOf } from './envelope.ts'
import { Transport } from './transport.ts'

/** Calls any JSON-RPC method by name. */
export type RawClient = {
  /**
   * Sends one request, which is never repeated, and returns the result unchanged; integers above 2^53 - 1 are
   * `bigint`.
   *
   * @throws RpcError if the server answers with an error
   */
  readonly call: (
    path: string,
    method: string,
    params: Params | readonly Json[],
    options?: CallOptions,
  ) => Promise<Json>
}

/**
 * Creates a client for any JSON-RPC method of a server.
 *
 * @example
 * const raw = createRawClient({ url: 'http://127.0.0.1:9650' })
 * await raw.call('/ext/bc/P', 'platform.getHeight', {})
 */
export function createRawClient(options: TransportOptions): RawClient {
  const transport = new Transport(options)
  let lastID = 0
  return {
    call: (path, method, params, call) => {
      const id = ++lastID
      return transport.request(
        {
          method,
          verb: 'POST',
          path,
          body: requestText(id, method, params as Params),
          mode: 'once',
          read: (http) => resultOf(http, id),
        },
        call,
      )
    },
  }
}
