import { argument, type Check, kinds, record, text } from '../../core/base/argument.ts'
import type { Json } from '../../core/codec/json.ts'
import {
  type CallOptions,
  callOptions,
  path,
  type TransportOptions,
  transportOptions,
} from '../http.ts'
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

/** Any JSON: only the server knows its members. It is converted to text before the call returns. */
const rawParams: Check<Params> = kinds<Params>({
  object: record((value) => value as Json),
  list: (value) => value as Params,
})

/**
 * Creates a client for any JSON-RPC method of a server.
 *
 * @example
 * const raw = createRawClient({ url: 'http://127.0.0.1:9650' })
 * await raw.call('/ext/bc/P', 'platform.getHeight', {})
 */
export function createRawClient(options: TransportOptions): RawClient {
  const transport = new Transport(argument('createRawClient', options, transportOptions))
  let lastID = 0
  return {
    async call(route, name, params, call) {
      const id = ++lastID
      const method = argument('call', name, text, 'method')
      return transport.request(
        {
          method,
          verb: 'POST',
          path: argument('call', route, path, 'path'),
          body: requestText(id, method, argument('call', params, rawParams, 'params')),
          mode: 'once',
          read: (http) => resultOf(http, id),
        },
        argument('call', call, callOptions),
      )
    },
  }
}
