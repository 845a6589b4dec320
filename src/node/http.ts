import {
  type Check,
  fn,
  integerFrom,
  invalid,
  kinds,
  list,
  located,
  type Members,
  object,
  optional,
  record,
  signal,
  text,
} from '../core/base/argument.ts'
import { ArgumentError } from '../core/base/errors.ts'
import { anyMs, type Clock, clock } from './clock.ts'
import { parseEndpoint } from './transport/endpoint.ts'
import { type RetryOptions, retryOptions } from './transport/retry.ts'

/** The part of the platform's `fetch` that is used. A development node provides one. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Options of every client. */
export type TransportOptions = {
  /**
   * URL of the server, or several, each once: if one fails, refuses the request or sends an invalid answer, reads
   * continue with the next. An error of the node is an answer. A path precedes every route; user and password become a
   * header.
   */
  readonly url: string | readonly string[]
  /**
   * Sends the requests. Set it on Node to use a proxy or an interceptor made for `fetch`.
   *
   * @defaultValue `fetch` of the platform; on Node `node:http`, which takes half of its processor time
   */
  readonly fetch?: Fetch | undefined
  /**
   * Headers sent with every request to the first server and to others of the same origin. Servers of other origins
   * get only `accept`, `content-type` and `user-agent`; put their credentials into their URLs. The node rejects
   * additional headers from browsers.
   */
  readonly headers?: { readonly [name: string]: string } | undefined
  /**
   * Time limit of one attempt in milliseconds, including the body.
   *
   * @defaultValue 10000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Larger bodies are rejected. A page of 1,024 UTXOs has 256 KiB.
   *
   * @defaultValue 32 MiB
   */
  readonly maxBodyBytes?: number | undefined
  /** How often and when reads are repeated. */
  readonly retry?: RetryOptions | undefined
  /** Called after every attempt, for metrics. Its exceptions are ignored. */
  readonly onAttempt?: ((attempt: RequestAttempt) => void) | undefined
  /**
   * Time and timers.
   *
   * @defaultValue the system clock
   */
  readonly clock?: Clock | undefined
}

const url: Check<string> = (value, at) => {
  const address = text(value, at)
  located(at, () => parseEndpoint(address))
  return address
}

/** A server that is listed twice would count twice for a quorum. */
function requireDistinctServers(urls: readonly string[]): void {
  const seen = new Set<string>()
  for (const { name, host } of urls.map(parseEndpoint)) {
    if (seen.has(name)) throw new ArgumentError('ENC_INVALID', `duplicate url of server ${host}`)
    seen.add(name)
  }
}

const urls: Check<string | readonly string[]> = kinds<string | readonly string[]>({
  string: url,
  list: (value, at) => {
    const given = list(url)(value, at)
    if (given.length === 0) throw invalid(value, at, 'at least one URL')
    located(at, () => requireDistinctServers(given))
    return given
  },
})

/** Describes the members of `TransportOptions`. */
export const transportMembers: Members<TransportOptions> = {
  url: urls,
  fetch: optional(fn<Fetch>()),
  headers: optional(record(text)),
  timeoutMs: optional(anyMs),
  maxBodyBytes: optional(integerFrom(1)),
  retry: optional(retryOptions),
  onAttempt: optional(fn<(attempt: RequestAttempt) => void>()),
  clock: optional(clock),
}

/** Describes `TransportOptions`. */
export const transportOptions: Check<TransportOptions> = object<TransportOptions>(transportMembers)

/** Options of every call. */
export type CallOptions = {
  /** Aborts the call with an AbortError. */
  readonly signal?: AbortSignal | undefined
  /** Time limit of one attempt in milliseconds; replaces that of the client. */
  readonly timeoutMs?: number | undefined
  /**
   * Time limit of the whole call in milliseconds, including retries and delays.
   *
   * @defaultValue `retry.maxTotalMs` of the client, which the last attempt may exceed by its own time limit
   */
  readonly totalMs?: number | undefined
}

/** Describes the members of `CallOptions`. */
export const callMembers: Members<CallOptions> = {
  signal: optional(signal),
  timeoutMs: optional(anyMs),
  totalMs: optional(anyMs),
}

const givenCallOptions: Check<CallOptions> = object<CallOptions>(callMembers)

/** Describes `CallOptions`, which every call may omit; null counts as omitted. */
export const callOptions: Check<CallOptions | undefined> = (value, at) =>
  value === undefined || value === null ? undefined : givenCallOptions(value, at)

/** The path of a request. Without a leading slash, it would extend the host name and send secrets to another host. */
export const path: Check<string> = (value, at) => {
  const route = text(value, at)
  if (!route.startsWith('/') || route.includes('#'))
    throw invalid(value, at, 'a path that starts with a slash and has no fragment')
  return route
}

/** One HTTP exchange, as reported to `onAttempt`. */
export type RequestAttempt = {
  /** JSON-RPC method, or HTTP method and route. */
  readonly method: string
  /** Host and port. */
  readonly endpoint: string
  /** 1 for the first attempt of a call. */
  readonly attempt: number
  readonly durationMs: number
  /** `ok`, or the error code. */
  readonly outcome: string
  /** HTTP status; undefined if there was no answer. */
  readonly status?: number | undefined
}

/** A server and the last request to it. */
export type ServerRequest = {
  /** Host and port. */
  readonly server: string
  /** When it was sent is in Unix milliseconds; undefined before the first one. */
  readonly lastAsked: { readonly method: string; readonly at: number } | undefined
  /** Height of the newest block that it has shown; undefined if it has shown none. */
  readonly height: bigint | undefined
}

/** An answer with any status. */
export type HttpReply = {
  readonly method: string
  readonly endpoint: string
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** Delay that the server asks for with status 429 or 503. */
  readonly retryAfterMs: number | undefined
  /** Redacts the client's secrets in text of the server. */
  readonly clean: (text: string) => string
}

/** A request and how to read its answer. */
export type HttpCall<T> = {
  /** Name in errors and `onAttempt`. */
  readonly method: string
  readonly verb: 'GET' | 'POST'
  /** Starts with a slash; may have a query. */
  readonly path: string
  readonly body?: string | undefined
  /** `read` may be repeated and sent to other servers; `once` is sent once, to one server. */
  readonly mode: 'read' | 'once'
  /** For `once`: number of servers to skip, so that a repeated issue reaches another one. */
  readonly shift?: number | undefined
  /** For `once`: index of the server in `url`. */
  readonly server?: number | undefined
  /** Parses the answer; throws if it is invalid. */
  readonly read: (reply: HttpReply) => T
}
