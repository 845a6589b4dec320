import {
  type Field,
  integer,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Schema,
  text,
} from './describe.ts'
import type { Route } from './route.ts'
import { routes } from './routes/index.ts'

/** The body of every error: problem details (RFC 9457). */
const problem: Field<unknown> = objectOf({
  type: oneOf('about:blank'),
  title: text(),
  status: integer(400, 599),
  code: text(),
  detail: text(),
  path: optional(text()),
  keys: optional(listOf(text())),
  hint: optional(text()),
})

/** Version of the interface; its first number is that of the paths. */
export const API_VERSION = '1.0'

/** Codes of errors that every route with a token has. */
const COMMON = ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE']

/** An OpenAPI 3.1 document of all routes. */
export function openAPI(): Schema {
  const paths: { [path: string]: { [method: string]: Schema } } = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method] = operation(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'avmkit custody',
      version: API_VERSION,
      description:
        'Deposits and payouts on the X-Chain. Amounts, cursors and heights are strings of digits. Unknown members are refused.',
    },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: problem.schema },
    },
  }
}

function operation(route: Route): Schema {
  const { roles, result, body } = route
  return {
    summary: route.summary,
    operationId: operationID(route),
    ...(roles.length === 0 ? { security: [] } : { security: [{ token: [] }], 'x-roles': roles }),
    parameters: [
      ...parametersIn('path', route.params.fields),
      ...parametersIn('query', route.query.fields),
      ...(route.isKeyed ? [KEY_PARAMETER] : []),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: true, content: { 'application/json': { schema: body.schema } } },
        }),
    responses: {
      [result.status]: {
        description: 'success',
        content: { [result.type ?? 'application/json']: { schema: result.field.schema } },
      },
      default: {
        description: `error: ${[...route.errors, ...(roles.length === 0 ? [] : COMMON)].join(', ')}`,
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    },
  }
}

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'your name for the payout, 1 to 256 ASCII characters without quotes',
  schema: { type: 'string', maxLength: 256 },
}

function parametersIn(
  place: string,
  fields: { readonly [name: string]: Field<unknown> },
): Schema[] {
  return Object.entries(fields).map(([name, { schema, isOptional }]) => ({
    name,
    in: place,
    required: place === 'path' || !isOptional,
    schema,
  }))
}

/** Such as `post_v1_payouts_key_hold`. */
function operationID({ method, path }: Route): string {
  return `${method}${path.replaceAll(/[^a-z0-9]+/gi, '_')}`.replace(/_$/, '')
}
