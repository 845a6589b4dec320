import { argument, type Check, object } from '../../core/base/argument.ts'
import type { Json } from '../../core/codec/json.ts'
import { type CallOptions, callOptions } from '../http.ts'
import type { Reply } from './reply.ts'

/** How to send a request to the node and read its result. */
export type Exchange<P, R> = {
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

/** A method of the node: its name, its parameters, and how to read its result. */
export type Method<P, R> = Exchange<P, R> & {
  /** Returns the check of the parameters. `params` and `reply` expect checked ones. */
  readonly accepts: () => Check<P>
}

/** Parameters of a request; undefined ones are omitted. */
export type Params = { readonly [key: string]: Json | undefined }

/** For methods without parameters. */
export type NoParams = { readonly [key: string]: never }

/** Describes `NoParams`. */
export const noParams: Check<NoParams> = object<NoParams>({})

/** Methods by their name on the client. */
export type MethodTable = {
  readonly [name: string]: Exchange<never, unknown> & { readonly accepts: () => Check<unknown> }
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

/** Creates the methods of a client, which check their arguments, from a table. */
export function bindTable<T extends MethodTable>(
  service: string,
  table: T,
  call: <P, R>(method: Exchange<P, R>, params: P, options?: CallOptions) => Promise<R>,
): BoundTable<T> {
  const bound = Object.entries(table).map(([name, method]) => {
    const check = method.accepts()
    const called = `${service}.${name}`
    return [
      name,
      // Async, so that invalid parameters reject instead of throwing.
      async (params?: unknown, options?: unknown) =>
        call(
          method,
          argument(called, params ?? {}, check) as never,
          argument(called, options, callOptions),
        ),
    ]
  })
  return Object.fromEntries(bound) as BoundTable<T>
}
