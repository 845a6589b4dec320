import { formatID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import { type Clock, sleepFor, stopwatch } from '../clock.ts'
import { AbortError, IssueError, RpcError, TimeoutError } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import { classifyChainRejection } from './chain-rejections.ts'
import { type Issued, type IssueOptions, issueLimits, type Sent } from './issue.ts'
import type { IssuedTx, TxReference } from './reference.ts'
import { mayBeAccepted, type Rejection } from './rejections.ts'
import { MAX_POLL_MS, type WaitOptions } from './wait.ts'

/** Status of a transaction of the P-Chain or C-Chain. */
export type ChainTxStatus =
  | { readonly status: 'accepted'; readonly height?: bigint | undefined }
  | { readonly status: 'pending' | 'unknown' }
  | { readonly status: 'dropped'; readonly reason?: string | undefined }

/** Calls to the P-Chain or C-Chain for issuing and waiting. */
export type ChainCalls = {
  readonly send: (bytes: Uint8Array, options: CallOptions) => Promise<unknown>
  readonly statusOf: (txID: Uint8Array, options: CallOptions) => Promise<ChainTxStatus>
  /** Whether the node repeats a rejection for the same bytes without verifying them again. */
  readonly remembers: boolean
  readonly clock: Clock
}

/** An accepted transaction of the P-Chain or C-Chain. */
export type ChainAccepted = {
  readonly status: 'accepted'
  readonly txID: Uint8Array
  /** Height of its block, if the chain reports it. */
  readonly height?: bigint | undefined
}

/**
 * Issues a transaction once and determines its status. Returns accepted and pending.
 *
 * @throws IssueError if it is rejected or its status is unknown
 */
export async function issueChainTx(
  calls: ChainCalls,
  { txID, bytes }: IssuedTx,
  options: IssueOptions,
): Promise<Issued> {
  const limits = issueLimits(calls.clock, options)
  const sent = await sendChainTx(calls, bytes, limits.call())
  if (sent.answer === 'pending') return { txID, status: 'pending' }
  const found = await statusAfter(calls, txID, sent, limits.call())
  if (found !== undefined) return { txID, status: found }
  if (sent.answer === 'none') throw new IssueError(txID, undefined, sent.error)
  if (mayBeAccepted(sent.rejection)) {
    await limits.grace()
    const later = await statusAfter(calls, txID, sent, limits.call())
    if (later !== undefined) return { txID, status: later }
  }
  throw new IssueError(txID, sent.rejection, sent.error)
}

async function sendChainTx(
  calls: ChainCalls,
  bytes: Uint8Array,
  options: CallOptions,
): Promise<Sent> {
  try {
    await calls.send(bytes, options)
    return { answer: 'pending' }
  } catch (error) {
    if (!(error instanceof AvmError) || error instanceof AbortError) throw error
    if (!(error instanceof RpcError)) return { answer: 'none', error }
    return {
      answer: 'rejected',
      rejection: classifyChainRejection(error.nodeMessage, calls.remembers),
      error,
    }
  }
}

async function statusAfter(
  calls: ChainCalls,
  txID: Uint8Array,
  sent: Sent,
  options: CallOptions,
): Promise<'accepted' | 'pending' | undefined> {
  try {
    const { status } = await calls.statusOf(txID, options)
    return status === 'accepted' || status === 'pending' ? status : undefined
  } catch (error) {
    if (error instanceof AbortError || !(error instanceof AvmError)) throw error
    // Without a status, the transaction may have been accepted.
    throw new IssueError(txID, undefined, sent.answer === 'none' ? sent.error : error)
  }
}

/**
 * Polls until a transaction is accepted. If its bytes are given, it is issued again when the node does not have it for
 * a while; this never pays twice.
 *
 * @throws IssueError if the node rejects it, or dropped it for a lasting reason, and does not have it
 * @throws TimeoutError `TX_TIMEOUT`
 */
export async function waitForChainTx(
  calls: ChainCalls,
  { txID, bytes }: TxReference,
  options: WaitOptions,
): Promise<ChainAccepted> {
  const { timeoutMs = 60_000, pollMs = 100, resendMs = 5_000, graceMs = 1_000, signal } = options
  const passed = stopwatch(calls.clock)
  let polls = 0
  let sends = 0
  let lastSent = 0
  let lastError: AvmError | undefined
  let rejected: { readonly error: IssueError; readonly until: number } | undefined
  const reject = (rejection: Rejection, cause?: RpcError) => {
    // The node does not remember it: the same bytes may succeed next time.
    if (rejection.class === 'retry-later' && !rejection.remembered) return
    const grace = mayBeAccepted(rejection) ? graceMs : 0
    rejected ??= { error: new IssueError(txID, rejection, cause), until: passed() + grace }
  }
  for (let round = 0; ; round++) {
    const call = { totalMs: Math.max(1, timeoutMs - passed()), signal }
    let current: ChainTxStatus | undefined
    try {
      polls++
      current = await calls.statusOf(txID, call)
      lastError = undefined
    } catch (error) {
      if (error instanceof AbortError || !(error instanceof AvmError)) throw error
      lastError = error
    }
    if (current?.status === 'accepted') {
      const { height } = current
      return { status: 'accepted', txID, height }
    }
    if (current?.status === 'pending') rejected = undefined
    if (current?.status === 'dropped')
      reject(classifyChainRejection(current.reason ?? 'dropped from the mempool', calls.remembers))
    if (rejected !== undefined && current !== undefined && passed() >= rejected.until)
      throw rejected.error
    if (passed() >= timeoutMs) throw timedOut(txID, timeoutMs, polls, sends, lastError)
    const isMissing = current !== undefined && current.status !== 'pending'
    const isDue = isMissing && rejected === undefined && passed() - lastSent >= resendMs
    if (bytes !== undefined && isDue) {
      lastSent = passed()
      sends++
      const sent = await sendChainTx(calls, bytes, call)
      if (sent.answer === 'none') lastError = sent.error
      if (sent.answer === 'rejected') reject(sent.rejection, sent.error)
      continue
    }
    const pause = Math.min(MAX_POLL_MS, pollMs * 1.5 ** Math.min(round, 20))
    const jittered = pause * (0.75 + calls.clock.random() / 2)
    const remaining = Math.max(1, timeoutMs - passed())
    await sleepFor(calls.clock, Math.min(jittered, remaining), 'waitForTx', signal)
  }
}

function timedOut(
  txID: Uint8Array,
  timeoutMs: number,
  polls: number,
  sends: number,
  lastError: AvmError | undefined,
): TimeoutError {
  return new TimeoutError(
    'TX_TIMEOUT',
    `transaction ${formatID(txID)} not accepted within ${timeoutMs} ms (polled ${polls} times, issued ${sends} times)`,
    timeoutMs,
    {
      known: { txID, polls, sends, lastError },
      hint: 'it may still be accepted: wait again, and do not replace it by one with other inputs',
      cause: lastError,
    },
  )
}
