import type { Json } from '../codec/json.ts'
import type { CallOptions } from './http.ts'
import type { Reply } from './reply.ts'

/** A method of the node: its name, what it is asked with, and what its result becomes. */
export type Method<P, R> = {
  /** On the wire. */
  readonly method: string
  /** Changes something, so it is never repeated. */
  readonly write?: boolean | undefined
  /** About one node, so it is not asked elsewhere. */
  readonly once?: boolean | undefined
  readonly params: (params: P) => Params
  /** Throws a `ReplyError` for a result of another shape, or that contradicts what was asked. */
  readonly reply: (result: Reply, params: P) => R
}

/** The members of a request; what is undefined is left out. */
export type Params = { readonly [key: string]: Json | undefined }

/** For methods that are asked with nothing. */
export type NoParams = { readonly [key: string]: never }

/** Methods by the name they have on a client. */
export type MethodTable = {
  readonly [name: string]: Method<never, unknown>
}

/** A method of a client: parameters by name, then what every call takes. */
export type Bound<M> =
  M extends Method<infer P, infer R>
    ? NoParams extends P
      ? (params?: P, options?: CallOptions) => Promise<R>
      : (params: P, options?: CallOptions) => Promise<R>
    : never

/** The methods of a table as a client has them, with the descriptions they have there. */
export type BoundTable<T> = { readonly [K in keyof T]: Bound<T[K]> }

/** Makes a client's methods out of a table. */
export function bindTable<T extends MethodTable>(
  table: T,
  call: <P, R>(method: Method<P, R>, params: P, options?: CallOptions) => Promise<R>,
): BoundTable<T> {
  const bound = Object.entries(table).map(([name, method]) => [
    name,
    (params: unknown = {}, options?: CallOptions) => call(method, params as never, options),
  ])
  return Object.fromEntries(bound) as BoundTable<T>
}
