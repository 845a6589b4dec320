import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { CustodyOptions } from '../../../src/custody/index.ts'
import {
  openTokens,
  type Role,
  type ServiceOptions,
  serveCustody,
  type Tokens,
} from '../../../src/custody/service/index.ts'
import { type Scene, scene } from '../setup.ts'

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: { readonly [name: string]: never }
}

export type Asked = {
  readonly token?: string | undefined
  readonly key?: string
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly signal?: AbortSignal
}

export type Served = Scene & {
  readonly url: string
  readonly tokens: Tokens
  readonly close: () => Promise<void>
  readonly tokenFor: (...roles: Role[]) => Promise<string>
  readonly ask: (method: string, path: string, asked?: Asked) => Promise<Answer>
  /** The events of the log. */
  readonly logged: string[]
}

/** A service on a development node and a database of its own. */
export async function served(
  options: Partial<ServiceOptions> = {},
  own: Partial<CustodyOptions> = {},
): Promise<Served> {
  const place = await scene()
  const custody = await place.open(own)
  const { pool } = place.database as unknown as { readonly pool: CustodyOptions['database'] }
  const where = { database: pool, schema: place.database.schema } as const
  const tokens = await openTokens(where)
  const logged: string[] = []
  const { url, close } = await serveCustody({
    custody,
    ...where,
    log: ({ message }) => {
      logged.push(message)
    },
    ...options,
  })
  onTestFinished(close)
  const known = new Map<string, Promise<string>>()
  const tokenFor = (...roles: Role[]) => {
    const name = roles.join('+')
    const made =
      known.get(name) ??
      tokens.add({ name, roles }).then(async ({ token }) => {
        // The service reads new tokens every 100 ms.
        await sleep(110)
        return token
      })
    known.set(name, made)
    return made
  }
  const ask = async (method: string, path: string, asked: Asked = {}): Promise<Answer> => {
    const { token, key, body, headers, signal = null } = asked
    const response = await fetch(`${url}${path}`, {
      method,
      signal,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : {
            body:
              typeof body === 'string' || body instanceof Uint8Array
                ? (body as string)
                : JSON.stringify(body),
          }),
    })
    const text = await response.text()
    const isJSON = response.headers.get('content-type')?.includes('json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJSON ? JSON.parse(text) : {},
    }
  }
  return { ...place, url, tokens, close, tokenFor, ask, logged }
}
