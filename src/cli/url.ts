import { EncodingError } from '../errors.ts'
import { parseEndpoint } from '../rpc/endpoint.ts'
import { UsageError } from './errors.ts'

/** The address of a server as it is, if it is one; the error does not repeat it, since it may hold a password. */
export function checkedURL(url: string): string {
  try {
    parseEndpoint(url)
    return url
  } catch (cause) {
    if (!(cause instanceof EncodingError)) throw cause
    const hint = /^[a-z0-9.-]+(:[0-9]+)?(\/|$)/i.test(url)
      ? 'http:// or https:// is missing in front of it'
      : 'for example http://127.0.0.1:9650'
    throw new UsageError('BAD_VALUE', cause.message, { cause, hint })
  }
}
