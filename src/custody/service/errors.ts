import { AvmError, type ErrorDetails } from '../../core/base/errors.ts'

/**
 * Why the service refused a request, or a call of its administration failed.
 *
 * Requests: `UNAUTHENTICATED` the token is missing, unknown, expired or removed; `FORBIDDEN` it has none of the roles of the
 * route; `ROUTE_UNKNOWN` no route has the path; `METHOD_NOT_ALLOWED` the path has no such method; `BODY_TOO_LARGE` the body
 * exceeds the limit; `BODY_TYPE` it is not declared as JSON; `RATE_LIMITED` too many requests; `STOPPING` the service is
 * being stopped; `UNAVAILABLE` the database or the node cannot be reached; `INTERNAL_ERROR` any other failure.
 *
 * Administration: `SERVER_DRIVER` the packages `hono` and `@hono/node-server` are not installed; `TOKEN_UNKNOWN` no token has
 * the ID; `WEBHOOK_UNKNOWN` no webhook has the name; `WEBHOOK_INVALID` the URL or a secret of a webhook cannot be used;
 * `TLS_INVALID` the certificate or its key cannot be used.
 */
export type ServiceErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'ROUTE_UNKNOWN'
  | 'METHOD_NOT_ALLOWED'
  | 'BODY_TOO_LARGE'
  | 'BODY_TYPE'
  | 'RATE_LIMITED'
  | 'STOPPING'
  | 'UNAVAILABLE'
  | 'INTERNAL_ERROR'
  | 'SERVER_DRIVER'
  | 'TOKEN_UNKNOWN'
  | 'WEBHOOK_UNKNOWN'
  | 'WEBHOOK_INVALID'
  | 'TLS_INVALID'

/** A request that the service refused, or a call of its administration that failed. */
export class ServiceError extends AvmError {
  override readonly name = 'ServiceError'
  declare readonly code: ServiceErrorCode
  /** Seconds after which the request may be repeated. */
  readonly retryAfter: number | undefined

  constructor(
    code: ServiceErrorCode,
    message: string,
    details: ErrorDetails & { readonly retryAfter?: number } = {},
  ) {
    super(code, message, details)
    this.retryAfter = details.retryAfter
  }
}
