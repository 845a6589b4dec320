import type { Json } from '../codec/json.ts'
import { stringifyJSON } from '../codec/json-text.ts'
import { isJSONObject, type JsonObject } from '../codec/json-value.ts'
import { ReplyError, RpcError } from './errors.ts'
import type { HttpReply } from './http.ts'
import type { Params } from './method.ts'
import { isSuccess, statusError, successJSON, tryJSON } from './status.ts'

/** Returns the body of a request. It always has an `id`: without one, the node executes it and does not answer. */
export function requestText(id: number, method: string, params: Params): string {
  return stringifyJSON(requestOf(id, method, params))
}

/** Returns the body of a batch, whose requests have consecutive IDs. */
export function batchText(
  firstID: number,
  calls: readonly { readonly method: string; readonly params: Params }[],
): string {
  return stringifyJSON(calls.map(({ method, params }, i) => requestOf(firstID + i, method, params)))
}

function requestOf(id: number, method: string, params: Params): JsonObject {
  return { jsonrpc: '2.0', id, method, params: params as JsonObject }
}

/**
 * Returns the result of an answer, or throws the node's error. The body takes precedence over the status: the node
 * sends errors with status 200, gateways with others.
 */
export function resultOf(reply: HttpReply, id: number): Json {
  const json = answerIn(reply)
  checkID(reply.method, isJSONObject(json) ? json.id : undefined, id)
  return resultIn(reply, json)
}

/**
 * Returns the results of a batch in the order of its methods, or throws the first error of the node. Servers may
 * answer in any order, so answers are found by their IDs.
 */
export function resultsOf(reply: HttpReply, firstID: number, methods: readonly string[]): Json[] {
  const json = answerIn(reply)
  // A server that refuses the whole batch answers with one error.
  const answers = Array.isArray(json) ? json : [resultIn(reply, json)]
  const byID = new Map(answers.map((answer) => [isJSONObject(answer) && String(answer.id), answer]))
  if (byID.size !== methods.length || byID.size !== answers.length)
    throw new ReplyError('REPLY_SHAPE', reply.method, '', `should have ${methods.length} answers`)
  return methods.map((method, i) => {
    const answer = byID.get(String(firstID + i))
    if (answer === undefined)
      throw new ReplyError('REPLY_SHAPE', method, '', 'the batch has no answer with its ID')
    return resultIn({ ...reply, method }, answer)
  })
}

function answerIn(reply: HttpReply): Json {
  if (!isSuccess(reply.status)) throw errorIn(reply) ?? statusError(reply)
  return successJSON(reply)
}

function resultIn(reply: HttpReply, json: Json): Json {
  const { method } = reply
  if (!isJSONObject(json)) throw new ReplyError('REPLY_SHAPE', method, '', 'not a JSON-RPC answer')
  if (json.error !== undefined && json.error !== null) throw nodeError(reply, json.error)
  if (json.result === undefined) throw new ReplyError('REPLY_SHAPE', method, 'result', 'is missing')
  return json.result
}

/** The node's error in an answer with an error status; undefined if the error is the gateway's. */
function errorIn(reply: HttpReply): RpcError | undefined {
  const { status } = reply
  // These statuses concern authentication and rate limits, whatever the body is.
  if (status < 400 || [401, 408, 425, 429].includes(status)) return undefined
  const json = tryJSON(reply)
  if (!isJSONObject(json) || !isJSONObject(json.error)) return undefined
  const isGateways = status === 403 || status >= 500
  return isGateways && json.jsonrpc === undefined ? undefined : nodeError(reply, json.error)
}

/** Gateways may convert the ID to text or omit it. A different ID belongs to another request. */
function checkID(method: string, found: Json | undefined, id: number): void {
  if (found === undefined || found === null) return
  const isPlain = typeof found !== 'object'
  if (isPlain && String(found) === String(id)) return
  const shown = isPlain ? stringifyJSON(found).slice(0, 40) : 'a list or an object'
  throw new ReplyError('REPLY_WRONG_ID', method, 'id', `should be ${id}, is ${shown}`)
}

/** Parses an error object in any of the forms that gateways use. */
function nodeError(reply: HttpReply, error: Json): RpcError {
  if (typeof error === 'string') return new RpcError(reply.method, undefined, error, reply)
  const { code, message } = isJSONObject(error) ? error : {}
  return new RpcError(
    reply.method,
    typeof code === 'number' ? code : undefined,
    typeof message === 'string' ? message : stringifyJSON(error).slice(0, 300),
    reply,
  )
}
