import { txID as idOf } from '../chain/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../chain/tx.ts'
import { AvmError } from '../errors.ts'
import { type Clock, sleepFor } from './clock.ts'
import { AbortError, IssueError, RpcError } from './errors.ts'
import type { CallOptions } from './http.ts'
import { mayBeAccepted, type Refusal } from './refusals.ts'

/** What issuing and waiting ask of a node. */
export type IssueCalls = {
  /** Sends bytes once, passing over `shift` servers; resolves when the node says that it has them. */
  readonly send: (bytes: Uint8Array, shift: number, options: CallOptions) => Promise<Uint8Array>
  /** Asks for an accepted transaction, with the client's retries. */
  readonly getTx: (txID: Uint8Array, options: CallOptions) => Promise<SignedTx>
  /** The same, once. */
  readonly getTxOnce: (txID: Uint8Array, shift: number, options: CallOptions) => Promise<SignedTx>
  readonly serverCount: number
  readonly clock: Clock
}

/** Where a transaction stands that the node has. */
export type Issued = {
  readonly txID: Uint8Array
  readonly status: 'accepted' | 'pending'
}

/** How to issue. */
export type IssueOptions = CallOptions & {
  /**
   * How long to look for a transaction once more when the node misses its inputs, which is also what it says
   * of one that it has accepted. 1 000 unless told, the longest that a block takes.
   */
  readonly graceMs?: number | undefined
}

/** What became of a sending. */
export type Sent =
  | { readonly answer: 'pending' }
  | { readonly answer: 'refused'; readonly refusal: Refusal; readonly error: RpcError }
  | { readonly answer: 'none'; readonly error: AvmError }

/**
 * Sends a transaction once and finds out where it stands. Neither answer of the node is final, so `getTx`
 * decides: accepted or pending is returned, refused or unknown is thrown as `IssueError`.
 */
export async function issueTx(
  calls: IssueCalls,
  tx: SignedTx | Uint8Array,
  options: IssueOptions = {},
): Promise<Issued> {
  const bytes = tx instanceof Uint8Array ? tx : encodeTx(tx)
  const txID = idOf(bytes)
  // What is no transaction is refused here, not by the node.
  decodeTx(bytes)
  const sent = await sendOnce(calls, bytes, 0, options)
  if (await isAccepted(calls, txID, sent, options)) return { txID, status: 'accepted' }
  if (sent.answer === 'pending') return { txID, status: 'pending' }
  if (sent.answer === 'none') throw new IssueError(txID, undefined, sent.error)
  if (mayBeAccepted(sent.refusal)) {
    await sleepFor(calls.clock, options.graceMs ?? 1_000, 'issueTx', options.signal)
    if (await isAccepted(calls, txID, sent, options)) return { txID, status: 'accepted' }
  }
  throw new IssueError(txID, sent.refusal, sent.error)
}

/** Sends bytes and understands what comes of it; only the caller's abort is thrown. */
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
    const refusal = error.refusal(decodeTx(bytes).unsignedTx.type)
    return { answer: 'refused', refusal, error }
  }
}

/** Whether `getTx` has it. Where it cannot be asked, only a pending transaction has a certain standing. */
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

/** The node's answer for pending, lost and never seen alike. */
export function isNotFound(error: unknown): boolean {
  return error instanceof RpcError && error.code === 'RPC_NOT_FOUND'
}
