import { argument } from '../core/base/argument.ts'
import {
  type ChainAccepted,
  type ChainCalls,
  issueChainTx,
  waitForChainTx,
} from './issue/chain-issue.ts'
import { type Issued, type IssueOptions, issueOptions } from './issue/issue.ts'
import { issuedTx, type TxFormat, txReference } from './issue/reference.ts'
import { type WaitOptions, waitOptions } from './issue/wait.ts'
import type { ID } from './methods/params.ts'

/**
 * Issuing and waiting, which the clients of the P- and C-Chain have in common.
 *
 * @inline
 */
export type TxCalls<Tx> = {
  /** Issues a transaction once. Returns accepted and pending; throws IssueError if rejected or unknown. */
  readonly issueTx: (tx: Tx | Uint8Array, options?: IssueOptions) => Promise<Issued>
  /**
   * Waits until a transaction is accepted; issues it again if the node does not have it for a while. Throws IssueError
   * if the node rejects it, or dropped it for a lasting reason, and does not have it; TimeoutError.
   */
  readonly waitForTx: (tx: Tx | ID, options?: WaitOptions) => Promise<ChainAccepted>
}

/** Creates the functions of a client that issue and wait. */
export function txCalls<Tx>(calls: ChainCalls, format: TxFormat<Tx>): TxCalls<Tx> {
  const issued = issuedTx(format)
  const reference = txReference(format)
  return {
    issueTx: async (tx, issue) =>
      issueChainTx(
        calls,
        argument('issueTx', tx, issued, 'tx'),
        argument('issueTx', issue ?? {}, issueOptions),
      ),
    waitForTx: async (tx, wait) =>
      waitForChainTx(
        calls,
        argument('waitForTx', tx, reference, 'tx'),
        argument('waitForTx', wait ?? {}, waitOptions),
      ),
  }
}
