import { argument } from '../core/base/argument.ts'
import { formatID } from '../core/base/encoding/ids.ts'
import { AvmError, type ErrorDetails } from '../core/base/errors.ts'
import type { UnsignedTx } from '../core/chain/x/tx.ts'
import {
  classified,
  type Rejection,
  type RejectionClass,
  type RejectionCode,
  txType,
} from './issue/rejections.ts'

/** Shortens text of another party to one line for an error message. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300)
}

/** Whether an error of a client may disappear when the request is repeated. */
export function isRetryable(error: unknown): boolean {
  return error instanceof AvmError && 'retryable' in error && error.retryable === true
}

/**
 * Handler for `catch` that ignores failures of servers or a store, for requests that are repeated later or can be
 * omitted. Rethrows other errors, which are bugs.
 */
export function ignoreAvmError(error: unknown): undefined {
  if (!(error instanceof AvmError)) throw error
}

/**
 * Codes of `RpcError`, derived from the node's message.
 *
 * `RPC_ERROR` an error of the node without a code of its own; `RPC_NOT_FOUND` the node does not have the transaction,
 * block or asset; `RPC_METHOD_NOT_FOUND` the node or gateway does not support the method; `RPC_BAD_ARGUMENT` the node
 * could not parse the parameters.
 */
export type RpcErrorCode =
  | 'RPC_ERROR'
  | 'RPC_NOT_FOUND'
  | 'RPC_METHOD_NOT_FOUND'
  | 'RPC_BAD_ARGUMENT'

/** A JSON-RPC error returned by the node. */
export class RpcError extends AvmError {
  override readonly name = 'RpcError'
  declare readonly code: RpcErrorCode
  readonly method: string
  /** Error code of the answer. Nearly always -32000, so it does not identify the cause. */
  readonly nodeCode: number | undefined
  /** Error message of the node. */
  readonly nodeMessage: string
  /** Whether a retry may help: not after an error of the node itself, but after one of a gateway. */
  readonly retryable: boolean
  /** HTTP status of the answer. The node uses 200; with another one, the error may be that of a gateway. */
  readonly status: number
  /** The message before redaction, used only for classification. */
  readonly #unredacted: string

  constructor(
    method: string,
    nodeCode: number | undefined,
    message: string,
    details: RpcDetails = {},
  ) {
    const { clean = (text) => text, status = 200 } = details
    const { code, hint } = classifyMessage(message)
    const shown = clean(message)
    super(code, `${method}: node error: ${oneLine(shown)}`, { hint })
    this.method = method
    this.nodeCode = nodeCode
    this.nodeMessage = shown
    this.status = status
    this.retryable = status >= 500 && code === 'RPC_ERROR'
    this.#unredacted = message
  }

  /** Classifies the error as a rejection of a transaction of this type. */
  rejection(type: UnsignedTx['type']): Rejection {
    const known = argument('rejection', type, txType, 'type')
    return { ...classified(this.#unredacted, known), message: this.nodeMessage }
  }
}

/**
 * Further properties of an `RpcError`.
 *
 * @inline
 */
type RpcDetails = {
  /** Redacts secrets. */
  readonly clean?: ((text: string) => string) | undefined
  readonly status?: number | undefined
}

/**
 * Only the first 1,000 characters are matched; longer messages are classified by prefix, except for the `not found`
 * suffix.
 */
const MATCHED_LENGTH = 1000

function classifyMessage(message: string): { code: RpcErrorCode; hint?: string } {
  const begin = message.slice(0, MATCHED_LENGTH)
  if (/can't find (method|service)|method .* does not exist|method not found/i.test(begin))
    return {
      code: 'RPC_METHOD_NOT_FOUND',
      hint: 'the node or gateway does not support this method',
    }
  if (begin.startsWith("couldn't unmarshal an argument")) return { code: 'RPC_BAD_ARGUMENT' }
  return { code: message.endsWith('not found') ? 'RPC_NOT_FOUND' : 'RPC_ERROR' }
}

/**
 * Codes of `HttpError`.
 *
 * `HTTP_UNREACHABLE` the connection failed; `HTTP_INTERRUPTED` the connection was closed before the end of the body;
 * `HTTP_STATUS` the status is outside 2xx; `HTTP_RATE_LIMITED` the server limits the rate of requests (status 429);
 * `HTTP_BOOTSTRAPPING` the node is not ready; `HTTP_REDIRECT` the server redirects, which is not followed;
 * `HTTP_BODY_TOO_LARGE` the body exceeds the limit.
 */
export type HttpErrorCode =
  | 'HTTP_UNREACHABLE'
  | 'HTTP_INTERRUPTED'
  | 'HTTP_STATUS'
  | 'HTTP_RATE_LIMITED'
  | 'HTTP_BOOTSTRAPPING'
  | 'HTTP_REDIRECT'
  | 'HTTP_BODY_TOO_LARGE'

/**
 * Properties of an `HttpError`.
 *
 * @inline
 */
export type HttpDetails = ErrorDetails &
  Partial<ErrorBody> & {
    readonly method: string
    readonly endpoint: string
    readonly status?: number | undefined
    readonly contentType?: string | undefined
    readonly body?: string | undefined
    readonly retryAfterMs?: number | undefined
  }

/** Members of a JSON error body. */
export type ErrorBody = {
  /** All messages; servers send one text or a list. */
  readonly messages: readonly string[]
  /** Name of the error, such as `Bad Request`. */
  readonly error?: string | undefined
  /** HTTP status as repeated in the body. */
  readonly statusCode?: number | undefined
}

/** A failed HTTP exchange: connection refused or broken, status outside 2xx, or body too large. */
export class HttpError extends AvmError {
  override readonly name = 'HttpError'
  declare readonly code: HttpErrorCode
  readonly method: string
  /** Host and port, without path, query and credentials, which may be secret. */
  readonly endpoint: string
  /** HTTP status; undefined if there was no answer. For an error body sent with a 2xx status, its `statusCode`. */
  readonly status: number | undefined
  readonly contentType: string | undefined
  /** Start of the body, if any. */
  readonly body: string | undefined
  /** All messages of a JSON error body; `message` contains the first ones. */
  readonly messages: readonly string[]
  /** Name of the error in a JSON error body, such as `Bad Request`. */
  readonly error: string | undefined
  /** `statusCode` of a JSON error body. */
  readonly statusCode: number | undefined
  /** Time in milliseconds that the server asks to wait. */
  readonly retryAfterMs: number | undefined
  /** Whether a later retry may help. Writes must not be repeated because of this. */
  readonly retryable: boolean

  constructor(code: HttpErrorCode, message: string, details: HttpDetails) {
    super(code, `${details.method}: ${message} (${details.endpoint})`, details)
    this.method = details.method
    this.endpoint = details.endpoint
    this.status = details.status
    this.contentType = details.contentType
    this.body = details.body
    this.messages = details.messages ?? []
    this.error = details.error
    this.statusCode = details.statusCode
    this.retryAfterMs = details.retryAfterMs
    this.retryable =
      code === 'HTTP_STATUS'
        ? details.status! >= 500 || details.status === 408 || details.status === 425
        : code !== 'HTTP_REDIRECT' && code !== 'HTTP_BODY_TOO_LARGE'
  }
}

/**
 * Codes of `TimeoutError`.
 *
 * `RPC_TIMEOUT` no answer in time; `TX_TIMEOUT` a transaction was not accepted in time; `NODE_TIMEOUT` the node was not
 * ready in time.
 */
export type TimeoutErrorCode = 'RPC_TIMEOUT' | 'TX_TIMEOUT' | 'NODE_TIMEOUT'

/** A time limit was exceeded. For a transaction, `known` contains what was observed. */
export class TimeoutError extends AvmError {
  override readonly name = 'TimeoutError'
  declare readonly code: TimeoutErrorCode
  readonly timeoutMs: number
  /** Only for `TX_TIMEOUT`. */
  readonly known: WaitDetails | undefined
  readonly retryable = true

  constructor(
    code: TimeoutErrorCode,
    message: string,
    timeoutMs: number,
    details: ErrorDetails & { readonly known?: WaitDetails | undefined } = {},
  ) {
    super(code, message, details)
    this.timeoutMs = timeoutMs
    this.known = details.known
  }
}

/** What `waitForTx` observed. */
export type WaitDetails = {
  readonly txID: Uint8Array
  /** Number of `getTx` calls. */
  readonly polls: number
  /** Number of times the wait itself issued the transaction. */
  readonly sends: number
  /** Answer to the last issue; undefined if there was none. */
  readonly lastAnswer?: 'pending' | Rejection | undefined
  /** The last failed request. */
  readonly lastError?: AvmError | undefined
}

/**
 * Codes of `ReplyError`.
 *
 * Bodies: `REPLY_EMPTY` the body is empty; `REPLY_NOT_JSON` the body is not JSON; `REPLY_CONTENT_TYPE` the content type
 * is not that of JSON; `REPLY_WRONG_ID` the answer is to another request; `REPLY_SHAPE` a member is missing or has the
 * wrong type.
 *
 * Contents: `REPLY_MISMATCH` the answer is about another transaction, block, height, asset or chain than requested;
 * `REPLY_BAD_UTXO` the hex of a UTXO is damaged; `REPLY_NO_PROGRESS` pages repeat or stay empty; `REPLY_EXPIRED` a page
 * token is older than 24 hours.
 */
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

/** An invalid answer. The message contains the method and the field. */
export class ReplyError extends AvmError {
  override readonly name = 'ReplyError'
  declare readonly code: ReplyErrorCode
  readonly method: string
  /** The invalid member, such as `result.peers[2].nodeID`; empty for the whole answer. */
  readonly field: string
  /** Start of the body, if the body as a whole is invalid. */
  readonly body: string | undefined
  /** True if a proxy may have damaged this one answer. */
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

/** The caller's signal was aborted. `name` is that of the platform's abort errors. */
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

/** Codes of `IssueError`: the node's reason; `TX_UNKNOWN` the outcome is unknown. */
export type IssueErrorCode = RejectionCode | 'TX_UNKNOWN'

/**
 * An issued transaction that is neither accepted nor pending. With status `rejected`, the node gave a reason and does
 * not have it. With `unknown`, it may still be accepted: wait for it, and never replace it by a transaction with
 * other inputs.
 */
export class IssueError extends AvmError {
  override readonly name = 'IssueError'
  declare readonly code: IssueErrorCode
  readonly status: 'rejected' | 'unknown'
  readonly txID: Uint8Array
  /** What the caller can do. */
  readonly class: RejectionClass
  /** Error message of the node; undefined if there was no answer. */
  readonly nodeMessage: string | undefined
  /** Whether the same node repeats this answer for the same bytes even if the cause is gone. */
  readonly remembered: boolean

  constructor(txID: Uint8Array, rejection: Rejection | undefined, cause: unknown) {
    super(
      rejection?.code ?? 'TX_UNKNOWN',
      rejection === undefined
        ? 'transaction status unknown: it was issued, but the node did not confirm it'
        : `transaction rejected by the node: ${oneLine(rejection.message)}`,
      { hint: REJECTION_HINTS[rejection?.class ?? 'retry-later']!, cause },
    )
    this.status = rejection === undefined ? 'unknown' : 'rejected'
    this.txID = txID
    this.class = rejection?.class ?? 'retry-later'
    this.nodeMessage = rejection?.message
    this.remembered = rejection?.remembered ?? false
  }
}

const REJECTION_HINTS: { readonly [key in RejectionClass]: string } = {
  'retry-later': 'issue the same bytes again later or to another node: this never pays twice',
  rebuild: 'build it again with at least one of the same inputs, so that only one can be accepted',
  'give-up': 'these bytes can never be accepted: correct the transaction',
}

/** Codes of `BlockError`. `BLOCK_PARENT_MISMATCH` the parent of a block is not the block before it. */
export type BlockErrorCode = 'BLOCK_PARENT_MISMATCH'

/**
 * A block that does not follow the last one: the server belongs to another network, was reset (a development node),
 * or is dishonest. Accepted blocks are never replaced.
 */
export class BlockError extends AvmError {
  override readonly name = 'BlockError'
  declare readonly code: BlockErrorCode
  readonly height: bigint
  /** ID of the last block read. */
  readonly expected: Uint8Array
  /** Parent ID of the block. */
  readonly found: Uint8Array
  readonly retryable = false

  constructor(height: bigint, expected: Uint8Array, found: Uint8Array) {
    super(
      'BLOCK_PARENT_MISMATCH',
      `block ${height} has parent ${formatID(found)}, expected ${formatID(expected)}`,
      { hint: 'the server belongs to another network, was reset, or is dishonest' },
    )
    this.height = height
    this.expected = expected
    this.found = found
  }
}

/**
 * Codes of `QuorumError`.
 *
 * `NO_QUORUM` fewer servers than the quorum requires give the same answer, or any answer.
 */
export type QuorumErrorCode = 'NO_QUORUM'

/** Too few servers agree. */
export class QuorumError extends AvmError {
  override readonly name = 'QuorumError'
  declare readonly code: QuorumErrorCode
  /** The question that they were asked. */
  readonly method: string
  /** How many servers agree. */
  readonly agreeing: number
  /** How many are required. */
  readonly quorum: number
  /** Servers may be behind, or not reachable at the moment. */
  readonly retryable = true

  constructor(
    method: string,
    agreeing: number,
    { quorum, servers }: { readonly quorum: number; readonly servers: readonly unknown[] },
    cause?: unknown,
  ) {
    super(
      'NO_QUORUM',
      `${method}: ${agreeing} of ${servers.length} servers agree, ${quorum} are required`,
      { cause, hint: 'check the servers: wallet.servers() shows what is known of each' },
    )
    this.method = method
    this.agreeing = agreeing
    this.quorum = quorum
  }
}

/**
 * Codes of `ContextError`.
 *
 * `CONTEXT_MISMATCH` an ID of the node differs from that of the network; `FEE_ABOVE_MAX` a fee of the node exceeds
 * `maxFees`; `NETWORK_MISMATCH` the node belongs to another network than the `network` option names.
 */
export type ContextErrorCode = 'CONTEXT_MISMATCH' | 'FEE_ABOVE_MAX' | 'NETWORK_MISMATCH'

/** Parameters from a node that contradict the known network, or an excessive fee. */
export class ContextError extends AvmError {
  override readonly name = 'ContextError'
  declare readonly code: ContextErrorCode
  readonly field: string
  readonly expected: string
  readonly found: string

  constructor(code: ContextErrorCode, field: string, expected: string, found: string) {
    super(code, `${field} of the node is ${found}, expected ${expected}`)
    this.field = field
    this.expected = expected
    this.found = found
  }
}
