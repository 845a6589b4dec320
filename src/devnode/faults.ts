import {
  boolean,
  type Check,
  integerFrom,
  kinds,
  list,
  msFrom,
  object,
  oneOf,
  optional,
  text,
} from '../core/base/argument.ts'
import { checkedHex } from '../core/base/encoding/checked-hex.ts'
import { type ErrorStatus, errorStatus, httpError } from './http-apis/errors.ts'
import { type NodeRequest, type NodeResponse, textResponse } from './transport.ts'

/**
 * Faults that can be injected, to test programs that use a node:
 * - `latency`: the answer is delayed by `ms`
 * - `rate-limit`: status 429 with `retry-after`; the request is not executed
 * - `bad-gateway`: status 502 with HTML, although the request is executed
 * - `lost`: the connection ends without an answer, although the request is executed
 * - `cut`: the answer is truncated
 * - `silent`: no answer; the connection stays open
 * - `empty`: an empty body with `status`, although the request is executed
 * - `error-body`: an error of the metrics and data APIs with `status`, `message` and `withoutError`; the request is
 *   not executed
 * - `false-refusal`: an error object, although the request is executed
 * - `bad-checksum`: the first hex text of the answer has a wrong checksum
 * - `bad-utxo`: the first UTXO of a page cannot be decoded
 * - `repeated-page`: `avm.getUTXOs` returns the previous page
 * - `restarted-walk`: `avm.getUTXOs` starts from the beginning, ignoring the start index
 * - `vanished`: a transaction is accepted into the mempool and then dropped
 */
export type FaultKind =
  | 'latency'
  | 'rate-limit'
  | 'bad-gateway'
  | 'lost'
  | 'cut'
  | 'silent'
  | 'empty'
  | 'error-body'
  | 'false-refusal'
  | 'bad-checksum'
  | 'bad-utxo'
  | 'repeated-page'
  | 'restarted-walk'
  | 'vanished'

/** All kinds of faults. */
export const FAULT_KINDS: readonly FaultKind[] = Object.keys({
  latency: true,
  'rate-limit': true,
  'bad-gateway': true,
  lost: true,
  cut: true,
  silent: true,
  empty: true,
  'error-body': true,
  'false-refusal': true,
  'bad-checksum': true,
  'bad-utxo': true,
  'repeated-page': true,
  'restarted-walk': true,
  vanished: true,
} satisfies { readonly [Kind in FaultKind]: true }) as FaultKind[]

/** A fault to inject. */
export type Fault = {
  readonly kind: FaultKind
  /**
   * Affects only requests for this method (`avm.getUTXOs`) or path (`/v1/chains`).
   *
   * @defaultValue all requests
   */
  readonly on?: string | undefined
  /**
   * Number of requests affected.
   *
   * @defaultValue 1
   */
  readonly times?: number | undefined
  /**
   * Number of matching requests that pass first.
   *
   * @defaultValue 0
   */
  readonly after?: number | undefined
  /**
   * For `latency`, in milliseconds.
   *
   * @defaultValue 0
   */
  readonly ms?: number | undefined
  /**
   * For `rate-limit`.
   *
   * @defaultValue 1
   */
  readonly retryAfterSeconds?: number | undefined
  /**
   * For `empty` and `error-body`.
   *
   * @defaultValue 200 for `empty`, 500 for `error-body`
   */
  readonly status?: ErrorStatus | undefined
  /**
   * For `error-body`: one text or a list.
   *
   * @defaultValue the reason phrase of the status
   */
  readonly message?: string | readonly string[] | undefined
  /**
   * For `error-body`: omits the member `error`, as unhandled failures do.
   *
   * @defaultValue false
   */
  readonly withoutError?: boolean | undefined
}

/** Describes a fault. One of an unknown kind would have no effect. */
export const faultArgument: Check<Fault> = object<Fault>({
  kind: oneOf(...FAULT_KINDS),
  on: optional(text),
  times: optional(integerFrom(0)),
  after: optional(integerFrom(0)),
  ms: optional(msFrom(0)),
  retryAfterSeconds: optional(integerFrom(0)),
  status: optional(errorStatus),
  message: optional(kinds<string | readonly string[]>({ string: text, list: list(text) })),
  withoutError: optional(boolean),
})

/** A fault, with the numbers of requests that still pass and that are still affected. */
type PendingFault = { readonly fault: Fault; after: number; times: number }

/** The injected faults. */
export class Faults {
  private pending: PendingFault[] = []

  /** Adds a fault; the returned function removes it. */
  add(fault: Fault): () => void {
    const item = { fault, after: fault.after ?? 0, times: fault.times ?? 1 }
    this.pending.push(item)
    return () => {
      this.pending = this.pending.filter((other) => other !== item)
    }
  }

  clear(): void {
    this.pending = []
  }

  /** Returns the faults that affect a request, and counts them. */
  match(request: NodeRequest): readonly Fault[] {
    if (this.pending.length === 0) return []
    // A batch of the Ethereum API has several methods.
    const methods = Array.from(
      request.body.matchAll(/"method"\s*:\s*"([^"]*)"/gi),
      ([, name]) => name,
    )
    const matching: Fault[] = []
    for (const item of this.pending) {
      const { on } = item.fault
      if (on !== undefined && !methods.includes(on) && !request.target.startsWith(on)) continue
      if (item.after > 0) item.after--
      else if (item.times-- > 0) matching.push(item.fault)
    }
    this.pending = this.pending.filter(({ times }) => times > 0)
    return matching
  }
}

/** Returns the answer that replaces the execution of the request, if any. */
export function answerInstead(faults: readonly Fault[]): NodeResponse | undefined {
  const fault = faults.find(({ kind }) => kind === 'rate-limit' || kind === 'error-body')
  if (fault === undefined) return undefined
  if (fault.kind === 'error-body') return httpError(fault.status ?? 500, fault)
  const seconds = String(fault.retryAfterSeconds ?? 1)
  return httpError(429, {
    headers: [
      ['retry-after', seconds],
      ['ratelimit-reset', seconds],
      ['ratelimit-remaining', '0'],
    ],
  })
}

/** Applies faults to the answer of an executed request. */
export function spoil(answer: NodeResponse, faults: readonly Fault[]): NodeResponse {
  let spoiled = answer
  for (const { kind, status } of faults) {
    if (kind === 'bad-gateway')
      spoiled = {
        ...textResponse(502, '<html><body><h1>502 Bad Gateway</h1></body></html>\n', false),
        headers: [['content-type', 'text/html']],
      }
    if (kind === 'lost' || kind === 'cut' || kind === 'silent')
      spoiled = { ...spoiled, spoiled: kind }
    if (kind === 'empty') spoiled = { status: status ?? 200, headers: [], body: '' }
    if (kind === 'false-refusal') spoiled = { ...spoiled, body: withError(spoiled.body) }
    if (kind === 'bad-checksum') spoiled = { ...spoiled, body: withBadChecksum(spoiled.body) }
    if (kind === 'bad-utxo') spoiled = { ...spoiled, body: withBadUTXO(spoiled.body) }
  }
  return spoiled
}

/** The node's error for an accepted transaction that is issued again. */
function withError(body: string): string {
  const error = '"error":{"code":-32000,"message":"not found","data":null}'
  return body.replace(/"result":.*(,"id":)/s, `${error}$1`)
}

function withBadChecksum(body: string): string {
  return body.replace(
    /"(0x[0-9a-f]*)([0-9a-f])"/,
    (_, start: string, last: string) => `"${start}${last === '0' ? '1' : '0'}"`,
  )
}

function withBadUTXO(body: string): string {
  // Codec version 0, followed by too few bytes.
  const bad = checkedHex.encode(new Uint8Array(6))
  return body.replace(/("utxos":\[")0x[0-9a-f]*/, `$1${bad}`)
}
