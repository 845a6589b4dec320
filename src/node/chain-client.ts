import { argument } from '../core/base/argument.ts'
import { type Issued, type IssueOptions, issueOptions } from './issue/issue.ts'
import {
  type IssuedTx,
  issuedTx,
  type TxFormat,
  type TxReference,
  txReference,
} from './issue/reference.ts'
import { type WaitOptions, waitOptions } from './issue/wait.ts'
import type { ID } from './methods/params.ts'

/**
 * Issuing and waiting, which the clients of all chains have in common.
 *
 * @inline
 */
export type TxCalls<Tx, Accepted> = {
  /** Issues a transaction once. Returns accepted and pending; throws IssueError if rejected or unknown. */
  readonly issueTx: (tx: Tx | Uint8Array, options?: IssueOptions) => Promise<Issued>
  /**
   * Waits until a transaction is accepted; issues it again if the node does not have it for a while. Throws IssueError
   * if the node rejects it, or dropped it for a lasting reason, and does not have it; TimeoutError.
   */
  readonly waitForTx: (tx: Tx | ID, options?: WaitOptions) => Promise<Accepted>
}

/** Creates the functions of a client that issue and wait, which check their arguments. */
export function txCalls<Tx, Accepted>(
  format: TxFormat<Tx>,
  issue: (tx: IssuedTx, options: IssueOptions) => Promise<Issued>,
  wait: (tx: TxReference, options: WaitOptions) => Promise<Accepted>,
): TxCalls<Tx, Accepted> {
  const issued = issuedTx(format)
  const reference = txReference(format)
  return {
    issueTx: async (tx, options) =>
      issue(
        argument('issueTx', tx, issued, 'tx'),
        argument('issueTx', options ?? {}, issueOptions),
      ),
    waitForTx: async (tx, options) =>
      wait(
        argument('waitForTx', tx, reference, 'tx'),
        argument('waitForTx', options ?? {}, waitOptions),
      ),
  }
}
