import { EncodingError } from '../errors.ts'
import { parseEndpoint } from '../rpc/endpoint.ts'
import { UsageError } from './errors.ts'

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
    if (!(cause instanceof EncodingError)) throw cause
    const hint = /^[a-z0-9.-]+(:[0-9]+)?(\/|$)/i.test(url)
      ? 'the URL must start with http:// or https://'
      : 'for example http://127.0.0.1:9650'
    throw new UsageError('BAD_VALUE', cause.message, { cause, hint })
  }
}
