import type { Json } from '../../core/codec/json.ts'
import { parseJSON } from '../../core/codec/json-text.ts'
import { isJSONObject } from '../../core/codec/json-value.ts'
import { type ErrorBody, HttpError, type HttpErrorCode, oneLine, ReplyError } from '../errors.ts'
import type { HttpReply } from '../http.ts'

/** Number of characters of a body that an error contains. */
const SNIPPET = 300

/** Maximum length of the joined messages of an error body. */
const MAX_SUMMARY = 2000

/** Whether a status is 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** Whether the body is HTML or XML, as sent by gateways and web servers. */
export function isMarkup({ contentType, text }: HttpReply): boolean {
  return /html/i.test(contentType) || text.trimStart().startsWith('<')
}

/** Parses the body as JSON without loss of digits; undefined if it is not JSON. */
export function tryJSON(reply: HttpReply): Json | undefined {
  try {
    return parseJSON(reply.text)
  } catch {
    return undefined
  }
}

/** Hints by HTTP status. */
export type StatusHints = { readonly [status: number]: string }

const NODE_HINTS: StatusHints = {
  403: 'the node accepts only host names on its allow list; a gateway may refuse the method',
  404: 'the path is wrong, or the node is bootstrapping the chain: check info.isBootstrapped',
  429: 'rate limited: wait for retryAfterMs',
}

/**
 * Parses the body of a 2xx answer as JSON. Plain text is accepted if it is JSON, since gateways often omit the
 * content type; any other content type is rejected.
 */
export function successJSON(reply: HttpReply, hints?: StatusHints): Json {
  const { method, contentType } = reply
  if (!isSuccess(reply.status)) throw statusError(reply, hints)
  const details = { body: snippet(reply) }
  if (reply.text.trim() === '')
    throw new ReplyError('REPLY_EMPTY', method, '', 'empty body, expected JSON')
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

/** The error for a status outside 2xx, with the messages of the body. */
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
  // In a browser, a redirect that is not followed has status 0.
  if (status === 0 || (status >= 300 && status < 400)) return 'HTTP_REDIRECT'
  if (status === 429) return 'HTTP_RATE_LIMITED'
  return status === 503 && text.includes('not done bootstrapping')
    ? 'HTTP_BOOTSTRAPPING'
    : 'HTTP_STATUS'
}

/** Members of a JSON error body without secrets; undefined if the body is something else. */
function errorBodyOf(reply: HttpReply): ErrorBody | undefined {
  const json = tryJSON(reply)
  if (!isJSONObject(json)) return undefined
  const { message, error, statusCode } = json
  const isNamed = typeof error === 'string'
  const messages = textsOf(message)
  return {
    messages: (messages.length > 0 || isNamed ? messages : textsOf(error)).map(reply.clean),
    ...(isNamed ? { error: reply.clean(error) } : {}),
    ...(typeof statusCode === 'number' ? { statusCode } : {}),
  }
}

/** Texts of a message: text, a list, or objects with a `message`, at most three levels deep. */
function textsOf(value: Json | undefined, depth = 3): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (depth === 0) return []
  if (Array.isArray(value)) return value.flatMap((item: Json) => textsOf(item, depth - 1))
  return isJSONObject(value) ? textsOf(value.message, depth - 1) : []
}

/** Joins messages in one line. Those beyond the limit are counted; `messages` contains all. */
function summary({ messages, error = '' }: ErrorBody): string {
  let line = ''
  for (const [i, message] of messages.entries()) {
    const next = i === 0 ? oneLine(message) : `${line}; ${oneLine(message)}`
    if (i > 0 && next.length > MAX_SUMMARY) return `${line}; and ${messages.length - i} more`
    line = next
  }
  return line || oneLine(error)
}

/** Text of a body that is not JSON; empty for markup. */
function plainReason(reply: HttpReply): string {
  return isMarkup(reply) ? '' : oneLine(snippet(reply))
}

function snippet(reply: HttpReply): string {
  return reply.clean(reply.text).slice(0, SNIPPET)
}
