import { copyBytes } from '../core/base/bytes/copy.ts'
import { ID_SIZE } from '../core/base/encoding/ids.ts'
import { isBytes } from '../core/base/require.ts'
import {
  type ChainAccepted,
  type ChainCalls,
  issueChainTx,
  type TxReference,
  waitForChainTx,
} from './issue/chain-issue.ts'
import type { Issued, IssueOptions } from './issue/issue.ts'
import type { WaitOptions } from './issue/wait.ts'
import { type ID, idBytes } from './methods/params.ts'

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

/** How a chain encodes its transactions. */
export type TxFormat<Tx> = {
  readonly encodeTx: (tx: Tx) => Uint8Array
  readonly decodeTx: (bytes: Uint8Array) => Tx
  readonly txID: (bytes: Uint8Array) => Uint8Array
}

/** Creates the functions of a client that issue and wait. */
export function txCalls<Tx>(calls: ChainCalls, format: TxFormat<Tx>): TxCalls<Tx> {
  return {
    async issueTx(tx, issue) {
      const bytes = txBytesOf(tx, format)
      return issueChainTx(calls, { bytes, txID: format.txID(bytes) }, issue ?? {})
    },
    waitForTx: async (tx, wait) => waitForChainTx(calls, referenceOf(tx, format), wait ?? {}),
  }
}

/** Converts a transaction, its bytes or its ID to an ID and, if known, bytes. */
function referenceOf<Tx>(tx: Tx | ID, format: TxFormat<Tx>): TxReference {
  if (typeof tx === 'string' || (isBytes(tx) && tx.length === ID_SIZE)) return { txID: idBytes(tx) }
  const bytes = txBytesOf(tx, format)
  return { txID: format.txID(bytes), bytes }
}

/** Returns a transaction as bytes. Rejects invalid ones locally. */
function txBytesOf<Tx>(tx: Tx | Uint8Array, { encodeTx, decodeTx }: TxFormat<Tx>): Uint8Array {
  const bytes = isBytes(tx) ? copyBytes(tx) : encodeTx(tx)
  decodeTx(bytes)
  return bytes
}
