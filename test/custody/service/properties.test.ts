import { fc } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Route } from '../../../src/custody/service/route.ts'
import { routes } from '../../../src/custody/service/routes/index.ts'
import { ROLES } from '../../../src/custody/service/tokens.ts'
import { runs } from '../../helpers/runs.ts'
import { receiver } from '../setup.ts'
import { type Answer, served } from './setup.ts'

const text = fc.oneof(
  fc.constantFrom(receiver(1), '5', '0', '-1', '18446744073709551616', '9223372036854775808', 'k'),
  fc.constantFrom('queued', 'payout', 'true', '2026-01-01T00:00:00Z', '__proto__', '..', '\u0000'),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** A value that fits a schema, or nearly. */
function valueFor(schema: Schema): fc.Arbitrary<unknown> {
  const { type, properties = {}, items = {}, oneOf } = schema
  const fitting: fc.Arbitrary<unknown> =
    oneOf !== undefined
      ? fc.oneof(...oneOf.map(valueFor))
      : schema.enum !== undefined
        ? fc.constantFrom(...schema.enum)
        : type === 'object'
          ? fc.record(
              Object.fromEntries(
                Object.entries(properties).map(([name, member]) => [name, valueFor(member)]),
              ),
              { requiredKeys: [...(schema.required ?? [])] },
            )
          : type === 'array'
            ? fc.array(valueFor(items), { maxLength: 3 })
            : type === 'integer'
              ? fc.oneof(fc.nat(3), fc.integer(), fc.double())
              : type === 'boolean'
                ? fc.boolean()
                : text
  return fc.oneof(
    { weight: 9, arbitrary: fitting },
    { weight: 1, arbitrary: fc.oneof(fc.jsonValue(), text) },
  )
}

type Schema = {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
}

type Fields = { readonly [name: string]: { readonly schema: Schema } }

/** Values of some of the fields, or of others. */
const anyOf = (fields: Fields) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record(
        Object.fromEntries(
          Object.entries(fields).map(([name, { schema }]) => [name, valueFor(schema).map(String)]),
        ),
        { requiredKeys: [] },
      ),
    },
    { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 5 }), text, { maxKeys: 2 }) },
  )

/** A text whose lone surrogates are replaced, which a URL cannot contain. */
const encoded = (part: string) => encodeURIComponent(part.replaceAll(/\p{Surrogate}/gu, '?'))

/** A request of a route whose parts are arbitrary. */
const anyRequest = fc.constantFrom(...routes).chain((route) => {
  const { params, query, body } = route as unknown as {
    readonly params: { readonly fields: Fields }
    readonly query: { readonly fields: Fields }
    readonly body: { readonly schema: Schema } | undefined
  }
  const path = fc
    .tuple(...Object.keys(params.fields).map((name) => text.map((value) => [name, value] as const)))
    .map((values) =>
      values.reduce(
        (all, [name, value]) => all.replace(`{${name}}`, () => encoded(value)),
        route.path,
      ),
    )
  return fc.record({
    route: fc.constant(routes.indexOf(route)),
    path,
    query: anyOf(query.fields),
    body:
      body === undefined
        ? fc.constant(undefined)
        : fc.oneof(
            { weight: 6, arbitrary: valueFor(body.schema).map((value) => JSON.stringify(value)) },
            { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
            { weight: 1, arbitrary: fc.uint8Array({ maxLength: 30 }) },
          ),
    key: fc.option(
      fc.oneof(fc.stringMatching(/^[!-~]{1,20}$/), fc.stringMatching(/^[ -~]{0,10}$/)),
      { nil: undefined },
    ),
    authorization: fc.oneof(
      { weight: 6, arbitrary: fc.constant('valid') },
      { weight: 1, arbitrary: fc.stringMatching(/^[!-~]([ -~]{0,30}[!-~])?$/) },
      {
        weight: 1,
        arbitrary: fc.stringMatching(/^Bearer avmkit_[a-z0-9]{1,8}_[A-Za-z0-9]{1,40}$/),
      },
    ),
  })
})

/** Checks that an answer is a result of the route, or a problem document with a code. */
function expectTyped(answer: Answer, { path, result, errors }: Route): void {
  const type = answer.headers.get('content-type')
  if (answer.status < 300) {
    expect([200, result.status]).toContain(answer.status)
    expect(type).toBe(result.type ?? 'application/json')
    return
  }
  if (answer.status === 503) {
    // No worker applies blocks.
    if (path === '/health') return
    expect(errors).toContain('NOT_SYNCED')
    expect(answer.json).toMatchObject({ code: 'NOT_SYNCED' })
  } else {
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
  }
  expect(type).toBe('application/problem+json')
  const { status, code, detail, title, ...rest } = answer.json as {
    readonly [name: string]: unknown
  }
  expect({ status, type: rest.type }).toEqual({ status: answer.status, type: 'about:blank' })
  expect(code).toMatch(/^[A-Z][A-Z0-9_]+$/)
  expect(detail).toMatch(/^[^\n]+$/)
  expect(title).toMatch(/^[A-Z]/)
}

describe('the service', () => {
  it('answers any request with a result or a problem document, and never with a failure of its own', async () => {
    const { ask, tokenFor, logged } = await served({ rate: { perSecond: 10_000, burst: 10_000 } })
    const token = await tokenFor(...ROLES)
    await fc.assert(
      fc.asyncProperty(
        anyRequest,
        async ({ route: index, path, query, body, key, authorization }) => {
          const route = routes[index]!
          const isValid = authorization === 'valid'
          // It would wait for deposits.
          const { wait: _, ...others } = query
          const search = new URLSearchParams(others as Record<string, string>)
          const answer = await ask(route.method.toUpperCase(), `${path}?${search}`, {
            ...(key === undefined ? {} : { key }),
            ...(body === undefined ? {} : { body }),
            headers: { authorization: isValid ? `Bearer ${token}` : authorization },
          })
          expectTyped(answer, route)
          if (!isValid && route.roles.length > 0) expect([401, 404, 429]).toContain(answer.status)
          // Only failures of the service itself are logged.
          expect(logged.splice(0)).toEqual([])
        },
      ),
      runs(200),
    )
  })
})
