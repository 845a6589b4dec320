import type { Clock } from './clock.ts'
import type { RetryOptions } from './retry.ts'

/** The part of the platform's `fetch` that is used; a development node offers one of its own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What every client takes. */
export type TransportOptions = {
  /**
   * Address of the server, or several: reads go to the next one when one fails. A path in it stays in front
   * of every route; user and password become a header.
   */
  readonly url: string | readonly string[]
  readonly fetch?: Fetch | undefined
  /**
   * Sent with every request to the first server and to others of the same origin. Servers of other origins get
   * only `accept`, `content-type` and `user-agent`: their credentials belong into their own address. The node
   * itself refuses browsers that send additional headers.
   */
  readonly headers?: { readonly [name: string]: string } | undefined
  /** For one attempt, the body included. 10 000 unless told. */
  readonly timeoutMs?: number | undefined
  /** Larger bodies are refused. 32 MiB unless told; a page of 1 024 UTXOs has 256 KiB. */
  readonly maxBodyBytes?: number | undefined
  readonly retry?: RetryOptions | undefined
  /** Told of every attempt, for metrics. What it throws is ignored: it must not decide over a payment. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined
  readonly clock?: Clock | undefined
}

/** What every call takes. */
export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  /** For one attempt, in place of the client's own. */
  readonly timeoutMs?: number | undefined
  /**
   * For the whole call, its retries and pauses included.
   *
   * @defaultValue `retry.maxTotalMs` of the client, to which the last attempt may add its own time-out
   */
  readonly totalMs?: number | undefined
}

/** One exchange with a server, as the hook is told of it. */
export type Attempt = {
  /** The JSON-RPC method, or verb and route. */
  readonly method: string
  /** Host and port. */
  readonly endpoint: string
  /** 1 for the first of a call. */
  readonly attempt: number
  readonly durationMs: number
  /** `ok`, or the code of the error. */
  readonly outcome: string
  /** Absent where no answer came. */
  readonly status?: number | undefined
}

/** An answer as it came, whatever its status. */
export type HttpReply = {
  readonly method: string
  readonly endpoint: string
  readonly status: number
  readonly contentType: string
  readonly text: string
  readonly retryAfterMs: number | undefined
  /** Takes the client's secrets out of a text that the server sent. */
  readonly clean: (text: string) => string
}

/** A request and how its answer is read. */
export type HttpCall<T> = {
  /** What errors and the hook call it. */
  readonly method: string
  readonly verb: 'GET' | 'POST'
  /** Begins with a slash; may hold a query. */
  readonly path: string
  readonly body?: string | undefined
  /** `read` may be repeated and asked elsewhere; `once` is sent to one server, one time. */
  readonly mode: 'read' | 'once'
  /** For `once`: how many servers to pass over, so that a repeated sending can reach another one. */
  readonly shift?: number | undefined
  /** For `once`: the server to ask, by its position in `url`. */
  readonly server?: number | undefined
  /** Throws what the answer is not. */
  readonly read: (reply: HttpReply) => T
}
