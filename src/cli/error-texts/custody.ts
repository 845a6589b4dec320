import type { CustodyErrorCode } from '../../custody/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `CustodyError`. */
export const custodyErrors: ErrorTexts<CustodyErrorCode> = {
  DATABASE_DRIVER: {
    meaning: 'The package `pg` is not installed.',
    cause: 'It is an optional dependency of avmkit.',
    fix: 'Run npm install pg@8.',
  },
  DATABASE_FAILED: {
    meaning:
      'The database refused a statement or could not be reached, and the effect of the call is unknown.',
    cause: 'The server was restarted, the connection cut, or the user lacks rights.',
    fix: 'Repeat the call: all calls of a custody system can be repeated.',
  },
  DATABASE_POOLED: {
    meaning: 'Workers and webhooks cannot use a database behind a connection pooler.',
    cause: 'The URL names PgBouncer or a proxy that shares sessions; locks belong to sessions.',
    fix: 'Connect to the PostgreSQL server itself. Requests and reads may use the pooler.',
  },
  SCHEMA_NAME: {
    meaning: 'The name of the schema is not a plain identifier.',
    cause: 'It contains upper-case letters, quotes or other signs.',
    fix: 'Use lower-case letters, digits and underscores.',
  },
  SCHEMA_MISSING: {
    meaning: 'The tables do not exist.',
    cause: 'The system was not initialized, or the schema name is mistyped.',
    fix: 'Run `avmkit custody init`.',
  },
  SCHEMA_OLD: {
    meaning: 'The tables belong to an older version of this library.',
    cause: 'The program was updated, the tables were not.',
    fix: 'Run `avmkit custody init`, which upgrades them.',
  },
  SCHEMA_NEWER: {
    meaning: 'The tables belong to a newer version.',
    cause: 'Another process was updated first.',
    fix: 'Update this program.',
  },
  LEADER_LOST: {
    meaning: 'Another process follows the chain now.',
    cause: 'This worker was suspended or slow, and its lease expired.',
    fix: 'Nothing: it continues as a follower.',
  },
  BLOCK_FORGED: {
    meaning: 'A server shows a block that no node can have accepted.',
    cause: 'It contains, for example, a transaction that its owners did not sign.',
    fix: 'Stop using this server, and audit.',
  },
  PAYOUT_UNKNOWN: {
    meaning: 'No payout has this key.',
    cause: 'The key is mistyped, or the payout was queued in another schema.',
    fix: 'List the payouts with `avmkit custody payouts`.',
  },
  PAYOUT_STATUS: {
    meaning: 'The status of the payout does not allow the call.',
    cause: 'For example holding a payout that is already pending or paid.',
    fix: 'Look at its status first.',
  },
  CURSOR_AHEAD: {
    meaning: 'Deposits were requested after a cursor that no deposit has yet.',
    cause: 'The database was restored from an older backup, and your records are newer.',
    fix: 'Compare your records with the deposits before you credit anything again.',
  },
  LISTEN_FAILED: {
    meaning: 'The server for metrics and health cannot listen on its port.',
    cause: 'Another process uses the port, or the port needs rights.',
    fix: 'Choose another port.',
  },
  POOL_TOO_SMALL: {
    meaning: 'The pool has fewer connections than a worker needs.',
    cause:
      'A worker uses three at the same time: it follows the chain with one, listens with another, and makes payouts with a third.',
    fix: 'Set `max` of the pool to 3 or more.',
  },
  WORKERS_RUNNING: {
    meaning: 'The tables cannot be upgraded while a worker uses them.',
    cause: 'A worker of an earlier version still follows the chain.',
    fix: 'Stop all workers, run `avmkit custody init`, and start workers of the new version.',
  },
  COLD_SHARED: {
    meaning: 'A refill would need UTXOs of cold storage that have several owners.',
    cause: 'The cold addresses belong to a vault, such as 2 of 3 keys.',
    fix: 'Make the transfer with `avmkit request` and the keys of the vault, or use cold storage with single owners.',
  },
  NOT_SYNCED: {
    meaning:
      'Nothing can be claimed now: the database does not have all blocks, or the servers lack its last one.',
    cause:
      'No worker runs, it still reads blocks, or the servers are behind the database or on another chain.',
    fix: '`avmkit custody status` names the problem. Let a worker read all blocks, or correct the servers.',
  },
  PAYMENT_UNKNOWN: {
    meaning: 'The transaction has no output that could have made the payout.',
    cause:
      'The ID is mistyped, the output was attributed before, or recipient, asset or amount differ.',
    fix: 'List what is undecided with `avmkit custody reconcile`.',
  },
  APPROVAL_REFUSED: {
    meaning: 'The approval does not count.',
    cause: 'Whoever approves has requested the payout, or a service has not said whom it acts for.',
    fix: 'Let somebody else approve it.',
  },
  LIMIT_REACHED: {
    meaning: 'A limit does not allow a wallet with the same tables to make the payout.',
    cause: 'The payout is in the queue of the custody system, whose limits hold for every claim.',
    fix: 'Let the workers make it, or change the limit with `avmkit custody limits`.',
  },
  LIMIT_UNKNOWN: {
    meaning: 'No limit has this name.',
    cause: 'The name is mistyped, or the limit was removed before.',
    fix: 'List the limits with `avmkit custody limits`.',
  },
  LIMIT_INVALID: {
    meaning: 'The database refuses the limit.',
    cause: 'Its members contradict each other.',
    fix: 'Compare it with the table of limits in docs/custody.md.',
  },
  FENCE_INCOMPLETE: {
    meaning: 'UTXOs are left that a fence could not spend.',
    cause: 'They are worth less than the fee of a transaction that spends them.',
    fix: 'Fund the hot wallet and run `avmkit custody fence` again.',
  },
}
