import { AvmError, type ErrorDetails } from '../core/base/errors.ts'

/**
 * Why a custody operation failed.
 *
 * Setup: `DATABASE_DRIVER` the package `pg` is not installed; `POOL_TOO_SMALL` the pool has fewer connections than a
 * worker needs; `DATABASE_POOLED` a worker or webhooks cannot use a connection pooler such as PgBouncer; `SCHEMA_NAME` the schema name is not a plain lower-case
 * identifier; `SCHEMA_MISSING` the tables do not exist; `SCHEMA_OLD` the tables belong to an older version of this
 * library; `SCHEMA_NEWER` the tables belong to a newer version; `WORKERS_RUNNING` the tables cannot be upgraded while a worker
 * uses them.
 *
 * Operation: `DATABASE_FAILED` the database refused a statement or could not be reached, and the effect of the call is
 * unknown; `LEADER_LOST` another process follows the chain now; `BLOCK_FORGED` a server shows a block that no node can
 * have accepted, such as one with a transaction that its owners did not sign;
 * `PAYOUT_UNKNOWN` no payout has the key; `PAYOUT_STATUS` the status of the payout does not allow the call;
 * `CURSOR_AHEAD` deposits were requested after a cursor that no deposit has yet, because an older backup of the
 * database was restored; `PAYMENT_UNKNOWN` a transaction has no output that an operator could attribute to
 * the payout; `APPROVAL_REFUSED` whoever approves a payout has requested it; `LIMIT_REACHED` a limit does not allow a wallet
 * to make a payout; `LIMIT_UNKNOWN` no limit has the name; `LIMIT_INVALID` the database refuses a limit; `FENCE_INCOMPLETE` UTXOs are left that do not pay for a
 * transaction; `COLD_SHARED` a refill would need UTXOs of cold storage that have
 * several owners; `NOT_SYNCED` no worker has applied all blocks, or
 * the servers do not have the last one; `LISTEN_FAILED` the server of `serveOperations` cannot listen on its port.
 */
export type CustodyErrorCode =
  | 'DATABASE_DRIVER'
  | 'DATABASE_FAILED'
  | 'POOL_TOO_SMALL'
  | 'DATABASE_POOLED'
  | 'SCHEMA_NAME'
  | 'SCHEMA_MISSING'
  | 'SCHEMA_OLD'
  | 'SCHEMA_NEWER'
  | 'WORKERS_RUNNING'
  | 'LEADER_LOST'
  | 'BLOCK_FORGED'
  | 'PAYOUT_UNKNOWN'
  | 'PAYOUT_STATUS'
  | 'CURSOR_AHEAD'
  | 'PAYMENT_UNKNOWN'
  | 'APPROVAL_REFUSED'
  | 'LIMIT_REACHED'
  | 'LIMIT_UNKNOWN'
  | 'LIMIT_INVALID'
  | 'FENCE_INCOMPLETE'
  | 'COLD_SHARED'
  | 'NOT_SYNCED'
  | 'LISTEN_FAILED'

/** A custody operation that failed. */
export class CustodyError extends AvmError {
  override readonly name = 'CustodyError'
  declare readonly code: CustodyErrorCode
  /** The idempotency keys concerned. */
  readonly keys: readonly string[]

  constructor(
    code: CustodyErrorCode,
    message: string,
    details: ErrorDetails & { readonly keys?: readonly string[] } = {},
  ) {
    super(code, message, details)
    this.keys = details.keys ?? []
  }
}
