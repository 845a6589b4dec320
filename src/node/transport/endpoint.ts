import { ArgumentError } from '../../core/base/errors.ts'
import { urlHint } from '../../core/base/hints.ts'

/** Shorter secrets are not redacted: removing them would leave no readable text. */
const MIN_SECRET_LENGTH = 4

/** A server URL, with its secret parts separated. */
export type Endpoint = {
  /** URL without credentials, query and trailing slash. Its path precedes every route. */
  readonly base: string
  /** Query of the URL; some gateways expect an API key there. */
  readonly query: string
  /** Host and port, the only part used in errors. */
  readonly host: string
  /** Equal for all spellings of one server. */
  readonly name: string
  /** Authorization header from user and password, which `fetch` does not accept in a URL. */
  readonly authorization: string | undefined
  /** Texts that must not appear in errors. */
  readonly secrets: readonly string[]
}

/**
 * Parses a server URL. The error does not contain it, because it may include a password.
 *
 * @throws ArgumentError `ENC_INVALID`
 */
export function parseEndpoint(address: string): Endpoint {
  let url: URL
  let user: string
  let password: string
  try {
    url = new URL(address)
    user = decodeURIComponent(url.username)
    password = decodeURIComponent(url.password)
  } catch {
    throw new ArgumentError('ENC_INVALID', 'invalid url of the server', { hint: urlHint(address) })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ArgumentError('ENC_INVALID', `url must be http or https, is ${url.protocol}`, {
      hint: urlHint(address),
    })
  const credentials = user === '' && password === '' ? undefined : base64(`${user}:${password}`)
  const path = url.pathname.replace(/\/+$/, '')
  // A parameter without a value may be a key itself.
  const parameters = url.search.slice(1).split('&')
  const values = parameters.map((parameter) => parameter.slice(parameter.indexOf('=') + 1))
  return {
    base: `${url.protocol}//${url.host}${path}`,
    query: url.search,
    host: url.host,
    name: serverName(url),
    authorization: credentials === undefined ? undefined : `Basic ${credentials}`,
    secrets: secretsOf([
      ...(password === '' ? [user] : [password, url.password]),
      credentials ?? '',
      ...url.searchParams.values(),
      ...[...values, ...path.split('/').filter(mayBeSecret)].flatMap((part) => [
        part,
        decodeURLPart(part),
      ]),
    ]),
  }
}

/**
 * Names the server of a URL by host, port, path and query. Names are not resolved. Credentials, letter case, a trailing dot
 * of the host, repeated and trailing slashes and percent-encoding make no difference, nor does the protocol: a port has
 * one server. The URL class has normalized IP addresses and international names already, except for IPv4 within IPv6.
 */
function serverName({ protocol, hostname, port, pathname, search }: URL): string {
  const mapped = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(hostname)
  const bytes = mapped
    ?.slice(1)
    .flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255])
  const host = bytes?.join('.') ?? hostname.replace(/\.$/, '')
  const path = decodeURLPart(pathname).replace(/\/+/g, '/').replace(/\/$/, '')
  const query = decodeURLPart(search)
  return `${host} ${port || (protocol === 'https:' ? 443 : 80)} ${path} ${query}`.toLowerCase()
}

/** Whether a part of a path may be an API key, and not a word such as `avalanche`. */
function mayBeSecret(part: string): boolean {
  return part.length >= 16 || (part.length >= 8 && /\d/.test(part))
}

/** Decodes a part of a URL. Servers may repeat either form. */
function decodeURLPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns the texts that are long enough to be redacted. */
export function secretsOf(texts: readonly string[]): string[] {
  return texts.filter((text) => text.length >= MIN_SECRET_LENGTH)
}

/** Removes secrets from text of another party. Secrets that contain others must come first. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text)
}

/** Returns an error of the platform or of a custom `fetch` as a cause without secrets. */
export function safeCause(cause: unknown, secrets: readonly string[]): unknown {
  const shown =
    cause instanceof Error
      ? `${cause.message}\n${cause.stack}\n${textOfValue(cause.cause)}`
      : textOfValue(cause)
  if (redact(shown, secrets) === shown) return cause
  return new Error(redact(cause instanceof Error ? cause.message : shown, secrets))
}

function textOfValue(value: unknown): string {
  try {
    return String(value)
  } catch {
    // Some values cannot be converted to text.
    return typeof value
  }
}

/** Uses the platform: the base64 of `@scure/base` would add 1.7 KB (gzip) to every client bundle. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/**
 * Returns the caller's headers for one server. An API key belongs to the first server: after a failure it must not be
 * sent to a server of another operator.
 */
export function headersFor(
  url: string,
  first: string,
  headers: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  if (new URL(url).origin === new URL(first).origin) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isSecretHeader(name)))
}

/**
 * Whether a header may contain a secret: all headers of the caller, except those without information about the
 * caller.
 */
export function isSecretHeader(name: string): boolean {
  return !['accept', 'content-type', 'user-agent'].includes(name.toLowerCase())
}
