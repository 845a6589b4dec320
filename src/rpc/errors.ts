import type { UnsignedTx } from '../chain/tx.ts'
import { formatID } from '../encoding/ids.ts'
import { AvmError, type ErrorDetails } from '../errors.ts'
import { type Refusal, type RefusalClass, type RefusalCode, refusalOf } from './refusals.ts'

/** What others wrote, fit for a message: one line, and not long. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300)
}

/** What the node itself said no with, told apart as far as its words allow. */
export type RpcErrorCode =
  | 'RPC_ERROR'
  | 'RPC_NOT_FOUND'
  | 'RPC_METHOD_NOT_FOUND'
  | 'RPC_BAD_ARGUMENT'

/** A JSON-RPC error that the node answered with. */
export class RpcError extends AvmError {
  override readonly name = 'RpcError'
  declare readonly code: RpcErrorCode
  readonly method: string
  /** The code in the answer; nearly always -32000, so never a reason. */
  readonly nodeCode: number | undefined
  /** The node's own words. */
  readonly nodeMessage: string
  /** The node would say it again; a gateway in trouble might not. */
  readonly retryable: boolean
  /** The words before secrets were taken out, which may be words of the node's: for understanding, not showing. */
  readonly #words: string

  constructor(method: string, nodeCode: number | undefined, words: string, facts: RpcFacts = {}) {
    const { clean = (text) => text, status = 200 } = facts
    const { code, hint } = readWords(words)
    const shown = clean(words)
    const message = `${method}: the node answered: ${oneLine(shown)}`
    super(code, message, { hint })
    this.method = method
    this.nodeCode = nodeCode
    this.nodeMessage = shown
    this.retryable = status >= 500 && code === 'RPC_ERROR'
    this.#words = words
  }

  /** What the node means, where it refused a transaction of this type. */
  refusal(type: UnsignedTx['type']): Refusal {
    return { ...refusalOf(this.#words, type), message: this.nodeMessage }
  }
}

/**
 * How the words came.
 *
 * @inline
 */
type RpcFacts = {
  /** Takes out what must not be shown. */
  readonly clean?: ((text: string) => string) | undefined
  readonly status?: number | undefined
}

/** Longer texts say what they are in their beginning, but for how they end. */
const READ_WORDS = 1000

function readWords(message: string): { code: RpcErrorCode; hint?: string } {
  const begin = message.slice(0, READ_WORDS)
  if (/can't find (method|service)|method .* does not exist|method not found/i.test(begin))
    return { code: 'RPC_METHOD_NOT_FOUND', hint: 'the node or gateway does not offer this method' }
  if (begin.startsWith("couldn't unmarshal an argument")) return { code: 'RPC_BAD_ARGUMENT' }
  return { code: message.endsWith('not found') ? 'RPC_NOT_FOUND' : 'RPC_ERROR' }
}

/** How an HTTP exchange can fail beside silence. */
export type HttpErrorCode =
  | 'HTTP_UNREACHABLE'
  | 'HTTP_INTERRUPTED'
  | 'HTTP_STATUS'
  | 'HTTP_RATE_LIMITED'
  | 'HTTP_BOOTSTRAPPING'
  | 'HTTP_REDIRECT'
  | 'HTTP_BODY_TOO_LARGE'

/**
 * What is known of a failed exchange.
 *
 * @inline
 */
export type HttpFacts = ErrorDetails &
  Partial<ErrorBody> & {
    readonly method: string
    readonly endpoint: string
    readonly status?: number | undefined
    readonly contentType?: string | undefined
    readonly body?: string | undefined
    readonly retryAfterMs?: number | undefined
  }

/** The members of a JSON error body. */
export type ErrorBody = {
  /** Every message in full; servers send one text or a list. */
  readonly messages: readonly string[]
  /** Type name of the error, such as `Bad Request`. */
  readonly error?: string | undefined
  /** HTTP status as the body repeats it. */
  readonly statusCode?: number | undefined
}

/** The exchange failed: connection refused or broken, a status outside 2xx, or a body too large. */
export class HttpError extends AvmError {
  override readonly name = 'HttpError'
  declare readonly code: HttpErrorCode
  readonly method: string
  /** Host and port; never a path, a query or credentials, which may be secret. */
  readonly endpoint: string
  /** Undefined if no answer came; the `statusCode` of an error body that was sent with a 2xx status. */
  readonly status: number | undefined
  readonly contentType: string | undefined
  /** The beginning of the body, where there was one. */
  readonly body: string | undefined
  /** Every message of a JSON error body, in full; `message` shows the first ones. */
  readonly messages: readonly string[]
  /** Type name in a JSON error body, such as `Bad Request`. */
  readonly error: string | undefined
  /** `statusCode` of a JSON error body. */
  readonly statusCode: number | undefined
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined
  /** Whether asking again later may help. A write must not be repeated on this ground. */
  readonly retryable: boolean

  constructor(code: HttpErrorCode, message: string, facts: HttpFacts) {
    super(code, `${facts.method}: ${message} (${facts.endpoint})`, facts)
    this.method = facts.method
    this.endpoint = facts.endpoint
    this.status = facts.status
    this.contentType = facts.contentType
    this.body = facts.body
    this.messages = facts.messages ?? []
    this.error = facts.error
    this.statusCode = facts.statusCode
    this.retryAfterMs = facts.retryAfterMs
    this.retryable =
      code === 'HTTP_STATUS'
        ? facts.status! >= 500 || facts.status === 408 || facts.status === 425
        : code !== 'HTTP_REDIRECT' && code !== 'HTTP_BODY_TOO_LARGE'
  }
}

/** What was waited for in vain. */
export type TimeoutErrorCode = 'RPC_TIMEOUT' | 'TX_TIMEOUT' | 'NODE_TIMEOUT'

/** Silence beyond the time allowed. For a transaction, `known` tells what was seen until then. */
export class TimeoutError extends AvmError {
  override readonly name = 'TimeoutError'
  declare readonly code: TimeoutErrorCode
  readonly timeoutMs: number
  /** Only for `TX_TIMEOUT`. */
  readonly known: WaitFacts | undefined
  readonly retryable = true

  constructor(
    code: TimeoutErrorCode,
    message: string,
    timeoutMs: number,
    details: ErrorDetails & { readonly known?: WaitFacts | undefined } = {},
  ) {
    super(code, message, details)
    this.timeoutMs = timeoutMs
    this.known = details.known
  }
}

/** What waiting for a transaction has seen. */
export type WaitFacts = {
  readonly txID: Uint8Array
  /** How often `getTx` was asked. */
  readonly polls: number
  /** How often the bytes were sent, by the wait itself. */
  readonly sends: number
  /** What the last sending was answered with; absent where nothing was sent or no answer came. */
  readonly lastAnswer?: 'pending' | Refusal | undefined
  /** The last failure to get an answer at all. */
  readonly lastError?: AvmError | undefined
}

/** How an answer can be unusable. */
export type ReplyErrorCode =
  | 'REPLY_EMPTY'
  | 'REPLY_NOT_JSON'
  | 'REPLY_CONTENT_TYPE'
  | 'REPLY_WRONG_ID'
  | 'REPLY_SHAPE'
  | 'REPLY_MISMATCH'
  | 'REPLY_BAD_UTXO'
  | 'REPLY_NO_PROGRESS'
  | 'REPLY_EXPIRED'

/** An answer that is not what the method promises. The message names the method and the field. */
export class ReplyError extends AvmError {
  override readonly name = 'ReplyError'
  declare readonly code: ReplyErrorCode
  readonly method: string
  /** The member at fault, such as `result.peers[2].nodeID`; empty for the answer as a whole. */
  readonly field: string
  /** The beginning of the body, where the body as a whole is at fault. */
  readonly body: string | undefined
  /** True for what a proxy may have done to one answer. */
  readonly retryable: boolean

  constructor(
    code: ReplyErrorCode,
    method: string,
    field: string,
    message: string,
    details: ErrorDetails & { readonly body?: string | undefined } = {},
  ) {
    super(code, `${method}: ${field === '' ? '' : `${field} `}${oneLine(message)}`, details)
    this.method = method
    this.field = field
    this.body = details.body
    this.retryable =
      code === 'REPLY_EMPTY' ||
      code === 'REPLY_NOT_JSON' ||
      code === 'REPLY_CONTENT_TYPE' ||
      code === 'REPLY_WRONG_ID'
  }
}

/** The caller's signal fired. Its name is the one that the platform's own abort errors have. */
export class AbortError extends AvmError {
  override readonly name = 'AbortError'
  declare readonly code: 'ABORTED'
  readonly method: string
  readonly retryable = false

  constructor(method: string, cause: unknown) {
    super('ABORTED', `${method}: aborted by the caller`, { cause })
    this.method = method
  }
}

/** Why a transaction is not (known to be) on its way: the node's reason, or that nobody knows. */
export type IssueErrorCode = RefusalCode | 'TX_UNKNOWN'

/**
 * A transaction that was sent and is neither accepted nor pending. With `status` `refused` the node said
 * why and does not have it; with `unknown` it may be accepted yet: wait for it, and never replace it by one
 * with other inputs.
 */
export class IssueError extends AvmError {
  override readonly name = 'IssueError'
  declare readonly code: IssueErrorCode
  readonly status: 'refused' | 'unknown'
  readonly txID: Uint8Array
  /** What the caller may do. */
  readonly class: RefusalClass
  /** The node's own words; absent where no answer came. */
  readonly nodeMessage: string | undefined
  /** The same node repeats this answer for the same bytes, even when its cause is gone. */
  readonly remembered: boolean

  constructor(txID: Uint8Array, refusal: Refusal | undefined, cause: unknown) {
    super(
      refusal?.code ?? 'TX_UNKNOWN',
      refusal === undefined
        ? 'the transaction was sent, but whether the node has it is unknown'
        : `the node refused the transaction: ${oneLine(refusal.message)}`,
      { hint: HINTS[refusal?.class ?? 'retry-later']!, cause },
    )
    this.status = refusal === undefined ? 'unknown' : 'refused'
    this.txID = txID
    this.class = refusal?.class ?? 'retry-later'
    this.nodeMessage = refusal?.message
    this.remembered = refusal?.remembered ?? false
  }
}

const HINTS: { readonly [key in RefusalClass]: string } = {
  'retry-later': 'send the same bytes again later, or to another node: that never pays twice',
  rebuild: 'build it anew, spending at least one of the same inputs so that only one can win',
  'give-up': 'these bytes can never be accepted; correct what is wrong with them',
}

/** How a block can contradict the blocks before it. */
export type BlockErrorCode = 'BLOCK_PARENT_MISMATCH'

/**
 * A block that does not follow the last one that was read: the server belongs to another network, was reset (a
 * development node), or is dishonest. Accepted blocks are never replaced.
 */
export class BlockError extends AvmError {
  override readonly name = 'BlockError'
  declare readonly code: BlockErrorCode
  readonly height: bigint
  /** ID of the last block that was read. */
  readonly expected: Uint8Array
  /** ID of the parent that the block names. */
  readonly found: Uint8Array
  readonly retryable = false

  constructor(height: bigint, expected: Uint8Array, found: Uint8Array) {
    super(
      'BLOCK_PARENT_MISMATCH',
      `block ${height}: expected parent ${formatID(expected)}, found ${formatID(found)}`,
      { hint: 'the server belongs to another network, was reset, or is dishonest' },
    )
    this.height = height
    this.expected = expected
    this.found = found
  }
}

/** What a node can claim that is not believed. */
export type ContextErrorCode = 'CONTEXT_MISMATCH' | 'FEE_ABOVE_CEILING'

/** Facts of a node that contradict what is known of its network, or a fee beyond reason. */
export class ContextError extends AvmError {
  override readonly name = 'ContextError'
  declare readonly code: ContextErrorCode
  readonly field: string
  readonly expected: string
  readonly found: string

  constructor(code: ContextErrorCode, field: string, expected: string, found: string) {
    super(code, `expected ${field} ${expected}, the node claims ${found}`)
    this.field = field
    this.expected = expected
    this.found = found
  }
}
