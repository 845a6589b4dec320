import type { ServiceErrorCode } from '../../custody/service/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `ServiceError`. */
export const serviceErrors: ErrorTexts<ServiceErrorCode> = {
  UNAUTHENTICATED: {
    meaning: 'The request has no valid token.',
    cause: 'It is missing, mistyped, expired, removed, or of another database.',
    fix: 'Send `Authorization: Bearer TOKEN`; make a token with `avmkit custody tokens add`.',
  },
  FORBIDDEN: {
    meaning: 'The token has none of the roles that the route needs.',
    cause: 'It was made for another purpose.',
    fix: 'Use a token with one of the roles that the message names.',
  },
  ROUTE_UNKNOWN: {
    meaning: 'No route has this path.',
    cause: 'It is mistyped, has a final slash, or belongs to another version.',
    fix: 'See `/openapi.json` of the service.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path has no such method.',
    cause: 'GET and POST were confused.',
    fix: 'Use a method of the header `Allow`.',
  },
  BODY_TOO_LARGE: {
    meaning: 'The body of the request is too large.',
    cause: 'A list has too many items.',
    fix: 'Divide it into several requests, or raise the limit of the service.',
  },
  BODY_TYPE: {
    meaning: 'The body is not declared as JSON.',
    cause: 'The header `Content-Type` is missing or names another type.',
    fix: 'Send `Content-Type: application/json`.',
  },
  RATE_LIMITED: {
    meaning: 'Too many requests were made.',
    cause: 'A client repeats requests without a pause, or sends invalid tokens.',
    fix: 'Wait for the seconds of the header `Retry-After`.',
  },
  STOPPING: {
    meaning: 'The service is being stopped.',
    cause: 'It is updated or restarted.',
    fix: 'Repeat the request with the same content.',
  },
  UNAVAILABLE: {
    meaning: 'The database or the node cannot be reached; the effect of the request is unknown.',
    cause: 'A server was restarted or the network failed. The log of the service says more.',
    fix: 'Repeat the request with the same idempotency key and content.',
  },
  INTERNAL_ERROR: {
    meaning: 'The service failed in a way that it does not explain to clients.',
    cause: 'The log of the service says more.',
    fix: 'Read the log; repeat the request with the same idempotency key and content.',
  },
  SERVER_DRIVER: {
    meaning: 'The packages `hono` and `@hono/node-server` are not installed.',
    cause: 'They are optional dependencies of avmkit.',
    fix: 'Run npm install hono@4 @hono/node-server@2.',
  },
  TOKEN_UNKNOWN: {
    meaning: 'No token has this ID.',
    cause: 'The ID is mistyped, or the token belongs to another database.',
    fix: 'See `avmkit custody tokens list`.',
  },
  WEBHOOK_UNKNOWN: {
    meaning: 'No webhook has this name.',
    cause: 'It is mistyped, or no service with this webhook has been started yet.',
    fix: 'See `avmkit custody webhooks list`.',
  },
  WEBHOOK_INVALID: {
    meaning: 'The URL or a secret of a webhook cannot be used.',
    cause: 'The URL is not https, or a secret is not `whsec_` with 24 to 64 bytes in base64.',
    fix: 'Correct the file of `--webhooks`.',
  },
  TLS_INVALID: {
    meaning: 'The certificate of the service, or its private key, cannot be used.',
    cause: 'A file is not PEM, the key is encrypted, or it belongs to another certificate.',
    fix: 'Pass the certificate chain as `--tls-cert` and its unencrypted key as `--tls-key`.',
  },
}
