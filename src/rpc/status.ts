import type { Json } from '../codec/json.ts'
import { parseJSON } from '../codec/json-text.ts'
import { HttpError, type HttpErrorCode, oneLine, ReplyError } from './errors.ts'
import type { HttpReply } from './http.ts'

/** How much of a body is kept in an error. */
const SNIPPET = 300

/** Whether a status means success. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** The body as JSON, without loss; undefined where it is something else. */
export function tryJSON(reply: HttpReply): Json | undefined {
  try {
    return parseJSON(reply.text)
  } catch {
    return undefined
  }
}

/**
 * The body of a success as JSON. Plain text is let through if it reads as JSON, since gateways and stubs
 * forget the type; any other type that is not JSON is no answer to us.
 */
export function successJSON(reply: HttpReply): Json {
  const { method, contentType } = reply
  if (!isSuccess(reply.status)) throw statusError(reply)
  const details = { body: snippet(reply) }
  if (reply.text.trim() === '')
    throw new ReplyError('REPLY_EMPTY', method, '', 'expected an answer, found an empty body')
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
    const message = 'expected JSON, found a body that is none'
    throw new ReplyError('REPLY_NOT_JSON', method, '', message, { ...details, cause })
  }
}

/** The error for an answer whose status is no success, with what the body says in whatever form. */
export function statusError(reply: HttpReply): HttpError {
  const { method, endpoint, status, contentType, retryAfterMs } = reply
  const code = statusCode(reply)
  const said = reasonOf(reply)
  const hint = HINTS[status]
  return new HttpError(
    code,
    `expected success, found http status ${status}${said === '' ? '' : `: ${said}`}`,
    {
      method,
      endpoint,
      status,
      contentType,
      body: snippet(reply),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(hint === undefined ? {} : { hint }),
    },
  )
}

const HINTS: { readonly [status: number]: string } = {
  403: 'the node answers to host names on its allow list only; a gateway may refuse the method',
  404: 'a wrong path, or a chain whose node still bootstraps: info.isBootstrapped tells',
  429: 'too many requests: wait as long as retryAfterMs says',
}

function statusCode({ status, text }: HttpReply): HttpErrorCode {
  // Status 0 is what a browser shows of a redirect that it did not follow.
  if (status === 0 || (status >= 300 && status < 400)) return 'HTTP_REDIRECT'
  if (status === 429) return 'HTTP_RATE_LIMITED'
  return status === 503 && text.includes('not done bootstrapping')
    ? 'HTTP_BOOTSTRAPPING'
    : 'HTTP_STATUS'
}

/** One line of what the server says: `message` (a text or a list) or `error` of a JSON body, or short text. */
function reasonOf(reply: HttpReply): string {
  const json = tryJSON(reply)
  if (json !== null && typeof json === 'object' && !Array.isArray(json)) {
    const { message, error } = json as { readonly [key: string]: Json }
    return oneLine(reply.clean(textOf(message) || textOf(error)))
  }
  return /html/i.test(reply.contentType) || reply.text.trimStart().startsWith('<')
    ? ''
    : oneLine(snippet(reply))
}

/** Texts lie at most three deep in the forms that are known. */
function textOf(value: Json | undefined, depth = 3): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null || typeof value !== 'object' || depth === 0) return ''
  if (!Array.isArray(value))
    return textOf((value as { readonly [key: string]: Json }).message, depth - 1)
  const texts = value.map((item: Json) => textOf(item, depth - 1))
  return texts.filter(Boolean).join('; ')
}

function snippet(reply: HttpReply): string {
  return reply.clean(reply.text).slice(0, SNIPPET)
}
