import { STATUS_CODES } from 'node:http'
import { ArgumentError, AvmError } from '../../core/base/errors.ts'
import { ServiceError } from './errors.ts'

/** Problem details (RFC 9457). The type is always `about:blank`; `code` is the stable identifier. */
export type Problem = {
  readonly type: 'about:blank'
  /** Meaning of the HTTP status. */
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail: string
  /** The value within the request, such as `addresses[0].address`. */
  readonly path?: string | undefined
  /** The idempotency keys concerned. */
  readonly keys?: readonly string[] | undefined
  readonly hint?: string | undefined
}

/** Statuses by code. Codes of `ArgumentError` that are not listed have the status 400. */
const STATUSES: { readonly [code: string]: number } = {
  BAD_KEY: 400,
  AMOUNT_OVERFLOW: 400,
  LIMIT_INVALID: 400,
  XPUB_INVALID: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  APPROVAL_REFUSED: 403,
  ROUTE_UNKNOWN: 404,
  PAYOUT_UNKNOWN: 404,
  LIMIT_UNKNOWN: 404,
  PAYMENT_UNKNOWN: 404,
  METHOD_NOT_ALLOWED: 405,
  KEY_CONFLICT: 409,
  PAYOUT_STATUS: 409,
  CURSOR_AHEAD: 409,
  BODY_TOO_LARGE: 413,
  BODY_TYPE: 415,
  RATE_LIMITED: 429,
  NOT_SYNCED: 503,
  STOPPING: 503,
  UNAVAILABLE: 503,
  INTERNAL_ERROR: 500,
}

/** Failures of what the service needs. Their messages name hosts, tables or servers, and are not shown. */
function isOutage(error: AvmError): boolean {
  return (
    /^(DATABASE_|SCHEMA_|LEADER_|NODE_)/.test(error.code) ||
    'retryable' in error ||
    error.name === 'QuorumError' ||
    error.name === 'TimeoutError'
  )
}

/** An error as the service shows it: unknown ones without their message. */
export function shownError(error: unknown): AvmError {
  if (error instanceof ArgumentError) return error
  if (error instanceof AvmError && Object.hasOwn(STATUSES, error.code)) return error
  if (error instanceof AvmError && isOutage(error))
    return new ServiceError(
      'UNAVAILABLE',
      'the database or the node cannot be reached; the effect of the request is unknown',
      { hint: 'repeat the request with the same content', retryAfter: 1, cause: error },
    )
  return new ServiceError('INTERNAL_ERROR', 'the request failed; the effect is unknown', {
    cause: error,
  })
}

/** The problem details of an error that {@link shownError} returned. */
export function problemOf(error: AvmError): Problem {
  const status = STATUSES[error.code] ?? 400
  const { path = '', keys = [] } = error as { path?: string; keys?: readonly string[] }
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code: error.code,
    // Messages of arguments begin with the name of the call within this library.
    detail: error instanceof ArgumentError ? error.message.replace(/^\w+: /, '') : error.message,
    ...(path === '' ? {} : { path }),
    ...(keys.length === 0 ? {} : { keys }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  }
}
