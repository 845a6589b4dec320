import type { IncomingMessage } from 'node:http'
import { argument } from '../../core/base/argument.ts'
import { ArgumentError } from '../../core/base/errors.ts'
import { WalletError } from '../../wallet/errors.ts'
import { readBody } from './body.ts'
import type { Schema } from './describe.ts'
import { ServiceError } from './errors.ts'
import { parseBody } from './json.ts'
import type { Route } from './route.ts'

/** The parts of a request that its route describes. */
export type CheckedParts = {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly key: string
}

/** Checks all parts of a request. */
export async function checkedParts(
  route: Route,
  request: IncomingMessage,
  given: { readonly [name: string]: string },
  maxBytes: number,
): Promise<CheckedParts> {
  const params = argument('path', given, route.params.check)
  const query = argument('query', queryOf(route, request.url ?? ''), route.query.check)
  const key = route.isKeyed ? keyOf(request) : ''
  if (route.body === undefined) return { params, query, key, body: undefined }
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json(\s*;\s*charset=utf-8)?$/i.test(type))
    throw new ServiceError('BODY_TYPE', 'content-type must be application/json')
  const json = parseBody(await readBody(request, maxBytes))
  return { params, query, key, body: argument('body', json, route.body.check) }
}

/** The values of a query as the JSON that the route describes. */
function queryOf(route: Route, url: string): { readonly [name: string]: unknown } {
  const start = url.indexOf('?')
  const values: { [name: string]: unknown } = Object.create(null)
  for (const [name, value] of new URLSearchParams(start < 0 ? '' : url.slice(start + 1))) {
    if (name in values)
      throw new ArgumentError('ENC_INVALID', 'query: a parameter is given twice', { path: name })
    const field = Object.hasOwn(route.query.fields, name) ? route.query.fields[name] : undefined
    values[name] = field === undefined ? value : typed(value, field.schema)
  }
  return values
}

/** A text that is not of the described type is left, and refused by the check. */
function typed(value: string, { type }: Schema): unknown {
  if (type === 'integer' && /^-?[0-9]{1,15}$/.test(value)) return Number(value)
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  return value
}

/**
 * The idempotency key. Quotes are refused: in some conventions they are part of the syntax, and a client that changes
 * between them would request its payouts again under other keys.
 *
 * @throws ArgumentError `MISSING_OPTION`
 * @throws WalletError `BAD_KEY`
 */
function keyOf(request: IncomingMessage): string {
  const [key, ...others] = request.headersDistinct['idempotency-key'] ?? []
  if (key === undefined)
    throw new ArgumentError('MISSING_OPTION', 'header: Idempotency-Key is missing', {
      path: 'Idempotency-Key',
    })
  if (others.length > 0) throw new WalletError('BAD_KEY', 'Idempotency-Key is given twice')
  if (!/^[\x21\x23-\x7e]([\x20\x21\x23-\x7e]{0,254}[\x21\x23-\x7e])?$/.test(key))
    throw new WalletError(
      'BAD_KEY',
      'Idempotency-Key must have 1 to 256 ASCII characters without quotes',
    )
  return key
}
