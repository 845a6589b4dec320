import { ArgumentError } from '../../core/base/errors.ts'
import { parseEndpoint } from '../../node/transport/endpoint.ts'
import { UsageError } from '../errors.ts'

/**
 * Returns a valid URL of a server unchanged.
 *
 * @throws UsageError `BAD_VALUE`, without the URL, which may contain a password
 */
export function checkedURL(url: string): string {
  try {
    parseEndpoint(url)
    return url
  } catch (cause) {
    if (!(cause instanceof ArgumentError)) throw cause
    const hint = /^[a-z0-9.-]+(:[0-9]+)?(\/|$)/i.test(url)
      ? 'the URL must start with http:// or https://'
      : 'for example http://127.0.0.1:9650'
    throw new UsageError('BAD_VALUE', cause.message, { cause, hint })
  }
}

/**
 * Returns a valid alias or ID of a chain unchanged; it becomes part of paths and addresses.
 *
 * @throws UsageError `BAD_VALUE`
 */
export function checkedChain(text: string): string {
  if (/^[\w.]{1,64}$/.test(text)) return text
  throw new UsageError('BAD_VALUE', 'the chain must be an alias or an ID', {
    hint: 'for example X, or the ID that avmkit node blockchain-id prints',
  })
}
