import type { Custody } from '../index.ts'
import { type Field, nothing, objectOf } from './describe.ts'
import type { Shared } from './shared.ts'
import type { Role } from './tokens.ts'

/** A checked request. */
export type Call<P, Q, B> = {
  /** The system; events name the identity of the token as actor. */
  readonly custody: Custody
  readonly identity: string
  readonly params: P
  readonly query: Q
  readonly body: B
  /** Value of the header `Idempotency-Key`, for routes that need it. */
  readonly key: string
  /** Aborted when the client has gone or the service stops. */
  readonly signal: AbortSignal
  readonly shared: Shared
}

/** What a handler returns. */
export type Reply = {
  readonly value: unknown
  /** @defaultValue that of the route */
  readonly status?: number
  /** Headers of this answer, besides those of every answer. */
  readonly headers?: { readonly [name: string]: string }
}

/** Describes one route. Validation, roles and OpenAPI are made from it. */
export type Route<P = unknown, Q = unknown, B = unknown> = {
  readonly method: 'get' | 'post' | 'delete'
  /** With parameters as in OpenAPI: `/v1/payouts/{key}`. */
  readonly path: string
  readonly summary: string
  /** A token needs one of them. An empty list: no token is needed. */
  readonly roles: readonly Role[]
  readonly params: Field<P> & Fields
  readonly query: Field<Q> & Fields
  /** Undefined for a request without a body. */
  readonly body: Field<B> | undefined
  /** Whether the header `Idempotency-Key` is required. */
  readonly isKeyed: boolean
  readonly result: {
    readonly status: number
    readonly field: Field<unknown>
    /** @defaultValue `application/json` */
    readonly type?: string
  }
  /** Codes of errors besides those that every route has. */
  readonly errors: readonly string[]
  readonly handle: (call: Call<P, Q, B>) => Promise<Reply>
}

type Fields = { readonly fields: { readonly [name: string]: Field<unknown> } }

type Optional = 'params' | 'query' | 'body' | 'isKeyed' | 'errors'

/** A route whose absent parts are empty. */
export function route<P = object, Q = object, B = undefined>(
  parts: Omit<Route<P, Q, B>, Optional> & Partial<Pick<Route<P, Q, B>, Optional>>,
): Route {
  return {
    params: nothing,
    query: nothing,
    body: undefined,
    isKeyed: false,
    errors: [],
    ...parts,
  } as unknown as Route
}

/** Every role: for what each token may read. */
export const ANYONE: readonly Role[] = ['reader', 'requester', 'operator', 'approver']

/** Those that may read everything. */
export const READERS: readonly Role[] = ['reader', 'operator', 'approver']

/** A result with one list. */
export function listResult<T>(name: string, item: Field<T>): Route['result'] {
  return { status: 200, field: objectOf({ [name]: { ...arrayOf(item) } }) }
}

function arrayOf<T>(item: Field<T>): Field<readonly T[]> {
  return {
    check: (value, at) => (value as unknown[]).map((each) => item.check(each, at)),
    schema: { type: 'array', items: item.schema },
  }
}
