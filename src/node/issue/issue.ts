import { type Check, object, optional } from '../../core/base/argument.ts'
import { AvmError } from '../../core/base/errors.ts'
import { decodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import { anyMs, type Clock, countdown, sleepFor } from '../clock.ts'
import { AbortError, IssueError, RpcError } from '../errors.ts'
import { type CallOptions, callMembers } from '../http.ts'
import type { IssuedTx } from './reference.ts'
import { mayBeAccepted, type Rejection } from './rejections.ts'

/** Calls of the client for issuing and waiting. */
export type IssueCalls = {
  /** Issues bytes once, skipping `shift` servers. Resolves with the ID when the node confirms them. */
  readonly send: (bytes: Uint8Array, shift: number, options: CallOptions) => Promise<Uint8Array>
  /** Requests an accepted transaction, with the client's retries. */
  readonly getTx: (txID: Uint8Array, options: CallOptions) => Promise<SignedTx>
  /** Requests an accepted transaction once, skipping `shift` servers. */
  readonly getTxOnce: (txID: Uint8Array, shift: number, options: CallOptions) => Promise<SignedTx>
  readonly serverCount: number
  readonly clock: Clock
}

/** Status of an issued transaction. */
export type Issued = {
  readonly txID: Uint8Array
  readonly status: 'accepted' | 'pending'
}

/** Options of `issueTx`. */
export type IssueOptions = CallOptions & {
  /**
   * Delay in milliseconds before looking for the transaction again if the node reports missing inputs. It reports the
   * same for a transaction that it has just accepted.
   *
   * @defaultValue 1000, the maximum time for a block
   */
  readonly graceMs?: number | undefined
}

/** Describes `IssueOptions`. */
export const issueOptions: Check<IssueOptions> = object<IssueOptions>({
  ...callMembers,
  graceMs: optional(anyMs),
})

/** The node's answer to one issue; `none` if the request failed. */
export type Sent =
  | { readonly answer: 'pending' }
  | { readonly answer: 'rejected'; readonly rejection: Rejection; readonly error: RpcError }
  | { readonly answer: 'none'; readonly error: AvmError }

/**
 * Issues a transaction once and determines its status. No answer of the node is final, so `getTx` decides. Returns
 * accepted and pending.
 *
 * @throws IssueError if it is rejected or its status is unknown
 */
export async function issueTx(
  calls: IssueCalls,
  { txID, bytes }: IssuedTx,
  options: IssueOptions,
): Promise<Issued> {
  const limits = issueLimits(calls.clock, options)
  const sent = await sendOnce(calls, bytes, 0, limits.call())
  if (await isAccepted(calls, txID, sent, limits.call())) return { txID, status: 'accepted' }
  if (sent.answer === 'pending') return { txID, status: 'pending' }
  if (sent.answer === 'none') throw new IssueError(txID, undefined, sent.error)
  if (mayBeAccepted(sent.rejection)) {
    await limits.grace()
    if (await isAccepted(calls, txID, sent, limits.call())) return { txID, status: 'accepted' }
  }
  throw new IssueError(txID, sent.rejection, sent.error)
}

/** Applies the time limit of issuing to its requests and delays together. */
export function issueLimits(
  clock: Clock,
  options: IssueOptions,
): { readonly call: () => CallOptions; readonly grace: () => Promise<void> } {
  const { signal, timeoutMs, totalMs, graceMs = 1_000 } = options
  const left = countdown(clock, totalMs ?? Number.POSITIVE_INFINITY)
  return {
    call: () => ({ signal, timeoutMs, totalMs: totalMs && Math.max(1, left()) }),
    grace: () => sleepFor(clock, Math.max(0, Math.min(graceMs, left())), 'issueTx', signal),
  }
}

/** Issues bytes and classifies the answer. Throws only if the caller aborts. */
export async function sendOnce(
  calls: IssueCalls,
  bytes: Uint8Array,
  shift: number,
  options: CallOptions,
): Promise<Sent> {
  try {
    await calls.send(bytes, shift, options)
    return { answer: 'pending' }
  } catch (error) {
    if (!(error instanceof AvmError) || error instanceof AbortError) throw error
    if (!(error instanceof RpcError)) return { answer: 'none', error }
    const rejection = error.rejection(decodeTx(bytes).unsignedTx.type)
    return { answer: 'rejected', rejection, error }
  }
}

/** Whether `getTx` finds it. If the request fails, only a pending transaction has a known status. */
async function isAccepted(
  calls: IssueCalls,
  txID: Uint8Array,
  sent: Sent,
  options: CallOptions,
): Promise<boolean> {
  try {
    await calls.getTx(txID, options)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    if (error instanceof AbortError || !(error instanceof AvmError)) throw error
    if (sent.answer === 'pending') return false
    throw new IssueError(txID, undefined, error)
  }
}

/** The node's answer for pending, dropped and unknown transactions. */
export function isNotFound(error: unknown): boolean {
  return error instanceof RpcError && error.code === 'RPC_NOT_FOUND'
}
