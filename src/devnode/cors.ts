import type { NodeRequest, NodeResponse } from './transport.ts'

const METHODS = ['GET', 'POST', 'HEAD']
const HEADERS = ['Origin', 'Accept', 'Content-Type', 'X-Requested-With']

/** Whether the request is a CORS preflight. These are answered first, on any path. */
export function isPreflight(request: NodeRequest): boolean {
  return (
    request.method === 'OPTIONS' && (request.header('access-control-request-method') ?? '') !== ''
  )
}

/**
 * Answers a preflight: always with status 200; the headers say what is allowed. `more` are allowed headers in
 * addition to the usual ones.
 */
export function preflight(request: NodeRequest, more: readonly string[] = []): NodeResponse {
  const vary = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'
  const method = (request.header('access-control-request-method') ?? '').toUpperCase()
  const known = [...HEADERS, ...more]
  const requested = (request.header('access-control-request-headers') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => known.find((other) => other.toLowerCase() === name.toLowerCase()))
  const allowed =
    (request.header('origin') ?? '') !== '' &&
    METHODS.includes(method) &&
    !requested.includes(undefined)
  return {
    status: 200,
    headers: [
      ['vary', vary],
      ...(allowed
        ? ([
            ['access-control-allow-origin', '*'],
            ['access-control-allow-methods', method],
            ...(requested.length > 0
              ? [['access-control-allow-headers', requested.join(', ')] as const]
              : []),
            ['access-control-allow-credentials', 'true'],
          ] as const)
        : []),
    ],
    body: '',
  }
}

/** CORS headers of all other answers. */
export function corsHeaders(request: NodeRequest): (readonly [string, string])[] {
  // An OPTIONS request that is not a preflight counts as an allowed method.
  const allowed =
    [...METHODS, 'OPTIONS'].includes(request.method) && (request.header('origin') ?? '') !== ''
  return [
    ['vary', 'Origin'],
    ...(allowed
      ? ([
          ['access-control-allow-origin', '*'],
          ['access-control-allow-credentials', 'true'],
        ] as const)
      : []),
  ]
}
