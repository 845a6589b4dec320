import { type Check, invalid } from '../../core/base/argument.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { json, type NodeResponse } from '../transport.ts'

/** HTTP statuses that the metrics and data APIs document for errors. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 429 | 500 | 502 | 503

const PHRASES: { readonly [status in ErrorStatus]: string } = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

/** Describes a status. */
export const errorStatus: Check<ErrorStatus> = (value, at) => {
  if (typeof value === 'number' && Object.hasOwn(PHRASES, value)) return value as ErrorStatus
  throw invalid(value, at, `one of ${Object.keys(PHRASES).join(', ')}`)
}

/** Properties of an error. */
export type HttpErrorDetails = {
  /**
   * One text, or one per violated rule.
   *
   * @defaultValue the reason phrase of the status
   */
  readonly message?: string | readonly string[] | undefined
  /**
   * Omits the member `error`, as unhandled failures do.
   *
   * @defaultValue false
   */
  readonly withoutError?: boolean | undefined
  readonly headers?: readonly (readonly [string, string])[] | undefined
}

/** Returns an error of the metrics and data APIs: `message`, `error` and `statusCode`. */
export function httpError(statusCode: ErrorStatus, details: HttpErrorDetails = {}): NodeResponse {
  const error = PHRASES[statusCode]
  const { message = error, withoutError = false, headers } = details
  const body = withoutError ? { message, statusCode } : { message, error, statusCode }
  return json(statusCode, stringifyJSON(body), headers)
}
