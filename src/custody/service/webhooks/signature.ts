import { createHmac } from 'node:crypto'
import { ServiceError } from '../errors.ts'

// Signatures of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md):
// HMAC-SHA256 of `id.timestamp.body`, in base64 after `v1,`; several signatures are separated by spaces.

const MIN_SECRET = 24
const MAX_SECRET = 64

/**
 * The key of a secret, `whsec_` and 24 to 64 bytes in base64.
 *
 * @throws ServiceError `WEBHOOK_INVALID`
 */
export function secretKey(secret: string): Buffer {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1]
  const key = Buffer.from(base64 ?? '', 'base64')
  // `Buffer.from` ignores what is not base64.
  if (key.toString('base64') !== base64 || key.length < MIN_SECRET || key.length > MAX_SECRET)
    throw new ServiceError(
      'WEBHOOK_INVALID',
      `a secret must be whsec_ and ${MIN_SECRET} to ${MAX_SECRET} bytes in base64`,
    )
  return key
}

/** The headers of a message: one signature per secret, so that receivers may know either while one replaces another. */
export function signatureHeaders(
  { id, body, seconds }: { readonly id: string; readonly body: string; readonly seconds: number },
  keys: readonly Buffer[],
): { readonly [name: string]: string } {
  const content = `${id}.${seconds}.${body}`
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}
