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
}
