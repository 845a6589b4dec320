import type { Json } from '../codec/json.ts'
import { parseJSON } from '../codec/json-text.ts'
import { type ErrorBody, HttpError, type HttpErrorCode, oneLine, ReplyError } from './errors.ts'
import type { HttpReply } from './http.ts'

/** How much of a body is kept in an error. */
const SNIPPET = 300

/** How long the messages of an error body may be in one line: validation errors come as lists. */
const MAX_SUMMARY = 2000

/** Whether a status means success. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** Whether the body is a page of HTML or XML, as gateways and web servers send. */
export function isMarkup({ contentType, text }: HttpReply): boolean {
  return /html/i.test(contentType) || text.trimStart().startsWith('<')
}

/** The body as JSON, without loss; undefined if it is something else. */
export function tryJSON(reply: HttpReply): Json | undefined {
  try {
    return parseJSON(reply.text)
  } catch {
    return undefined
  }
}

/** What to do about a status, by status; the services give other advice than a node. */
export type StatusHints = { readonly [status: number]: string }

const NODE_HINTS: StatusHints = {
  403: 'the node accepts only host names on its allow list; a gateway may refuse the method',
  404: 'the path is wrong, or the node is still bootstrapping the chain: ask info.isBootstrapped',
  429: 'rate limited: wait as long as retryAfterMs says',
}

/**
 * The body of a success as JSON. Plain text is accepted if it reads as JSON, since gateways and stubs
 * forget the type; any other content type is refused.
 */
export function successJSON(reply: HttpReply, hints?: StatusHints): Json {
  const { method, contentType } = reply
  if (!isSuccess(reply.status)) throw statusError(reply, hints)
  const details = { body: snippet(reply) }
  if (reply.text.trim() === '')
    throw new ReplyError('REPLY_EMPTY', method, '', 'the body is empty, expected JSON')
  if (contentType !== '' && !/json|^text\/plain/i.test(contentType))
    throw new ReplyError(
      'REPLY_CONTENT_TYPE',
      method,
      '',
      `expected JSON, found content type ${JSON.stringify(reply.clean(contentType).slice(0, 80))}`,
      details,
    )
  try {
    return parseJSON(reply.text)
  } catch (cause) {
    const message = 'the body is not valid JSON'
    throw new ReplyError('REPLY_NOT_JSON', method, '', message, { ...details, cause })
  }
}

/** The error for a status outside 2xx, with what the body says in any known form. */
export function statusError(reply: HttpReply, hints: StatusHints = NODE_HINTS): HttpError {
  const { method, endpoint, status, contentType, retryAfterMs } = reply
  const code = statusCode(reply)
  const said = errorBodyOf(reply)
  const reason = said === undefined ? plainReason(reply) : summary(said)
  const hint = hints[status]
  return new HttpError(code, `http status ${status}${reason === '' ? '' : `: ${reason}`}`, {
    method,
    endpoint,
    status,
    contentType,
    body: snippet(reply),
    ...said,
    retryAfterMs,
    hint,
  })
}

function statusCode({ status, text }: HttpReply): HttpErrorCode {
  // Status 0 is what a browser shows of a redirect that it did not follow.
  if (status === 0 || (status >= 300 && status < 400)) return 'HTTP_REDIRECT'
  if (status === 429) return 'HTTP_RATE_LIMITED'
  return status === 503 && text.includes('not done bootstrapping')
    ? 'HTTP_BOOTSTRAPPING'
    : 'HTTP_STATUS'
}

/** The members of a JSON error body, secrets removed; undefined if the body is something else. */
function errorBodyOf(reply: HttpReply): ErrorBody | undefined {
  const json = tryJSON(reply)
  if (json === undefined || json === null || typeof json !== 'object' || Array.isArray(json))
    return undefined
  const { message, error, statusCode } = json as { readonly [key: string]: Json }
  const isNamed = typeof error === 'string'
  const messages = textsOf(message)
  return {
    messages: (messages.length > 0 || isNamed ? messages : textsOf(error)).map(reply.clean),
    ...(isNamed ? { error: reply.clean(error) } : {}),
    ...(typeof statusCode === 'number' ? { statusCode } : {}),
  }
}

/** The texts in a message: one, a list, or objects with a `message`, at most three levels deep. */
function textsOf(value: Json | undefined, depth = 3): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (value === undefined || value === null || typeof value !== 'object' || depth === 0) return []
  if (Array.isArray(value)) return value.flatMap((item: Json) => textsOf(item, depth - 1))
  return textsOf((value as { readonly [key: string]: Json }).message, depth - 1)
}

/** One line of whole messages; those beyond the limit are counted, and all are in `messages`. */
function summary({ messages, error = '' }: ErrorBody): string {
  let line = ''
  for (const [i, message] of messages.entries()) {
    const next = i === 0 ? oneLine(message) : `${line}; ${oneLine(message)}`
    if (i > 0 && next.length > MAX_SUMMARY) return `${line}; and ${messages.length - i} more`
    line = next
  }
  return line || oneLine(error)
}

/** What a body that is not JSON says; markup says nothing in one line. */
function plainReason(reply: HttpReply): string {
  return isMarkup(reply) ? '' : oneLine(snippet(reply))
}

function snippet(reply: HttpReply): string {
  return reply.clean(reply.text).slice(0, SNIPPET)
}
