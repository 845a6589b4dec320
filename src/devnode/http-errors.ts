import { stringifyJSON } from '../codec/json-text.ts'
import { json, type NodeResponse } from './transport.ts'

/** The statuses that the metrics and data interfaces declare for errors. */
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

/** How an error differs from the usual one. */
export type ErrorDetails = {
  /** One text, or one for each broken rule; the status's reason phrase where left out. */
  readonly message?: string | readonly string[] | undefined
  /** Leaves out the member `error`, as what fails unforeseen does. */
  readonly withoutError?: boolean | undefined
  readonly headers?: readonly (readonly [string, string])[] | undefined
}

/** An error of the metrics and data interfaces: `message`, `error` and `statusCode`. */
export function httpError(statusCode: ErrorStatus, details: ErrorDetails = {}): NodeResponse {
  const error = PHRASES[statusCode]
  const { message = error, withoutError = false, headers } = details
  const body = withoutError ? { message, statusCode } : { message, error, statusCode }
  return json(statusCode, stringifyJSON(body), headers)
}
