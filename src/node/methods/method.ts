import type { Json } from '../../core/codec/json.ts'
import type { CallOptions } from '../http.ts'
import type { Reply } from './reply.ts'

/** A method of the node: its name, its parameters, and how to read its result. */
export type Method<P, R> = {
  /** Name in the request. */
  readonly method: string
  /** Whether it changes state, so that it is never repeated. */
  readonly write?: boolean | undefined
  /** Whether the result is about one node, so that a failed call is not sent to another. */
  readonly once?: boolean | undefined
  /** Converts the parameters to those of the request. */
  readonly params: (params: P) => Params
  /** Throws a ReplyError if the result is invalid or contradicts the request. */
  readonly reply: (result: Reply, params: P) => R
}

/** Parameters of a request; undefined ones are omitted. */
export type Params = { readonly [key: string]: Json | undefined }

/** For methods without parameters. */
export type NoParams = { readonly [key: string]: never }

/** Methods by their name on the client. */
export type MethodTable = {
  readonly [name: string]: Method<never, unknown>
}

/** A method of a client: parameters, then call options. */
export type Bound<M> =
  M extends Method<infer P, infer R>
    ? NoParams extends P
      ? (params?: P, options?: CallOptions) => Promise<R>
      : (params: P, options?: CallOptions) => Promise<R>
    : never

/** The methods of a table as members of a client, with their documentation. */
export type BoundTable<T> = { readonly [K in keyof T]: Bound<T[K]> }

/** Creates the methods of a client from a table. */
export function bindTable<T extends MethodTable>(
  table: T,
  call: <P, R>(method: Method<P, R>, params: P, options?: CallOptions) => Promise<R>,
): BoundTable<T> {
  const bound = Object.entries(table).map(([name, method]) => [
    name,
    (params?: unknown, options?: CallOptions) => call(method, (params ?? {}) as never, options),
  ])
  return Object.fromEntries(bound) as BoundTable<T>
}
