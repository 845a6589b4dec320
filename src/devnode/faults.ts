import { checkedHex } from '../encoding/checked-hex.ts'
import { type ErrorStatus, httpError } from './http-errors.ts'
import { type NodeRequest, type NodeResponse, text } from './transport.ts'

/**
 * What can go wrong on demand, for tests of programs that talk to a node:
 * - `latency`: the answer comes `ms` later;
 * - `rate-limit`: 429 with `retry-after`, nothing is done;
 * - `bad-gateway`: 502 with HTML, though what was asked is done;
 * - `lost`: the same with a connection that ends without an answer;
 * - `cut`: the answer ends in the middle;
 * - `silent`: no answer, the connection stays open;
 * - `empty`: no body, with `status`, though what was asked is done;
 * - `error-body`: an error of the metrics and data interfaces, made of `status`, `message` and
 *   `withoutError`; nothing is done;
 * - `false-refusal`: an error object, though what was asked is done;
 * - `bad-checksum`: the first hex text of the answer has a wrong checksum;
 * - `bad-utxo`: the first UTXO of a page does not decode;
 * - `repeated-page`: `avm.getUTXOs` answers with the page before;
 * - `restarted-walk`: `avm.getUTXOs` begins anew whatever the start;
 * - `vanished`: a transaction is admitted and then forgotten.
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

/** A fault to come. */
export type Fault = {
  readonly kind: FaultKind
  /** Only requests for this method (`avm.getUTXOs`) or path (`/v1/chains`); all where left out. */
  readonly on?: string | undefined
  /** How many requests it meets; 1 where left out. */
  readonly times?: number | undefined
  /** How many requests pass before it begins. */
  readonly after?: number | undefined
  /** For `latency`. */
  readonly ms?: number | undefined
  /** For `rate-limit`. */
  readonly retryAfterSeconds?: number | undefined
  /** For `empty` and `error-body`: 200 and 500 where left out. */
  readonly status?: ErrorStatus | undefined
  /** For `error-body`: one text or a list of them; the reason phrase where left out. */
  readonly message?: string | readonly string[] | undefined
  /** For `error-body`: leaves out the member `error`, as failures that nobody handled do. */
  readonly withoutError?: boolean | undefined
}

type Armed = { readonly fault: Fault; after: number; times: number }

/** Faults that wait for their requests. */
export class Faults {
  private armed: Armed[] = []

  /** Arms a fault; what is returned disarms it. */
  add(fault: Fault): () => void {
    const item = { fault, after: fault.after ?? 0, times: fault.times ?? 1 }
    this.armed.push(item)
    return () => {
      this.armed = this.armed.filter((other) => other !== item)
    }
  }

  clear(): void {
    this.armed = []
  }

  /** The faults that a request meets, which are used up by it. */
  meet(request: NodeRequest): readonly Fault[] {
    if (this.armed.length === 0) return []
    const method = /"method"\s*:\s*"([^"]*)"/i.exec(request.body)?.[1]
    const met: Fault[] = []
    for (const item of this.armed) {
      const { on } = item.fault
      if (on !== undefined && on !== method && !request.target.startsWith(on)) continue
      if (item.after > 0) item.after--
      else if (item.times-- > 0) met.push(item.fault)
    }
    this.armed = this.armed.filter(({ times }) => times > 0)
    return met
  }
}

/** The answer that comes instead of doing anything, if one does. */
export function refusalOf(faults: readonly Fault[]): NodeResponse | undefined {
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

/** What becomes of the answer to what was done. */
export function spoil(answer: NodeResponse, faults: readonly Fault[]): NodeResponse {
  let spoiled = answer
  for (const { kind, status } of faults) {
    if (kind === 'bad-gateway')
      spoiled = {
        ...text(502, '<html><body><h1>502 Bad Gateway</h1></body></html>\n', false),
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

/** What the node says of a transaction that it has accepted when it is sent again. */
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
  // Codec version 0 and then too few bytes for anything.
  const bad = checkedHex.encode(new Uint8Array(6))
  return body.replace(/("utxos":\[")0x[0-9a-f]*/, `$1${bad}`)
}
