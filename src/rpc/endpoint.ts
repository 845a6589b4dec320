import { EncodingError } from '../errors.ts'

/** Shorter secrets are not looked for: taking them out would leave no readable text. */
const MIN_SECRET_LENGTH = 4

/** An address of a server, with what must not be shown taken out of it. */
export type Endpoint = {
  /** Without credentials, query and trailing slash; a path in it stays in front of every route. */
  readonly base: string
  /** The query of the address, which some gateways want a key in. */
  readonly query: string
  /** Host and port, the only part that errors name. */
  readonly host: string
  /** Made from user and password, which `fetch` refuses in an address. */
  readonly authorization: string | undefined
  /** What must never stand in an error. */
  readonly secrets: readonly string[]
}

/** Reads the address of a server. The error does not repeat it, since it may hold a password. */
export function parseEndpoint(address: string): Endpoint {
  let url: URL
  let user: string
  let password: string
  try {
    url = new URL(address)
    user = decodeURIComponent(url.username)
    password = decodeURIComponent(url.password)
  } catch {
    throw new EncodingError('ENC_INVALID', 'expected the address of a server as a url')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new EncodingError('ENC_INVALID', `expected an http or https url, found ${url.protocol}`)
  const credentials = user === '' && password === '' ? undefined : base64(`${user}:${password}`)
  const path = url.pathname.replace(/\/+$/, '')
  return {
    base: `${url.protocol}//${url.host}${path}`,
    query: url.search,
    host: url.host,
    authorization: credentials === undefined ? undefined : `Basic ${credentials}`,
    secrets: secretsOf([
      ...(password === '' ? [user] : [password, url.password]),
      credentials ?? '',
      ...url.searchParams.values(),
      ...path.split('/').filter((part) => part.length >= 16),
    ]),
  }
}

/** Those texts that are long enough to be looked for. */
export function secretsOf(texts: readonly string[]): string[] {
  return texts.filter((text) => text.length >= MIN_SECRET_LENGTH)
}

/** Takes secrets out of a text that came from elsewhere. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text)
}

/** An error of the platform or of a foreign `fetch`, as a cause that shows no secret. */
export function safeCause(cause: unknown, secrets: readonly string[]): unknown {
  const shown =
    cause instanceof Error
      ? `${cause.message}\n${cause.stack}\n${textOf(cause.cause)}`
      : textOf(cause)
  if (redact(shown, secrets) === shown) return cause
  return new Error(redact(cause instanceof Error ? cause.message : shown, secrets))
}

function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    // There are things that no text can be made of.
    return typeof value
  }
}

/** By the platform: the base64 of `@scure/base` would add 1.7 KB to every bundle of a client, gzipped. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/**
 * The caller's headers for one server. An API key is for the first server: after a failure it must not go to
 * another one, whose operator may be somebody else.
 */
export function headersFor(
  url: string,
  first: string,
  headers: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  if (new URL(url).origin === new URL(first).origin) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isSecretHeader(name)))
}

/** Whether a header may hold a secret: everything that a caller adds, except what says nothing of the caller. */
export function isSecretHeader(name: string): boolean {
  return !['accept', 'content-type', 'user-agent'].includes(name.toLowerCase())
}
