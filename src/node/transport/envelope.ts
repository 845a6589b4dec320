import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { isJSONObject, type JsonObject } from '../../core/codec/json-value.ts'
import { ReplyError, RpcError } from '../errors.ts'
import type { HttpReply } from '../http.ts'
import type { Params } from '../methods/method.ts'
import { isSuccess, statusError, successJSON, tryJSON } from './status.ts'

/** Returns the body of a request. It always has an `id`: without one, the node executes it and does not answer. */
export function requestText(id: number, method: string, params: Params): string {
  return stringifyJSON(rpcRequest(id, method, params))
}

/** One request, in a body of its own or in a batch. */
export function rpcRequest(id: number, method: string, params: Params): JsonObject {
  return { jsonrpc: '2.0', id, method, params: params as JsonObject }
}

/**
 * Returns the result of an answer. The body takes precedence over the status: the node sends errors with status 200,
 * gateways with others.
 *
 * @throws RpcError for an error of the node, HttpError, ReplyError
 */
export function resultOf(reply: HttpReply, id: number): Json {
  const json = answerIn(reply)
  checkID(reply.method, isJSONObject(json) ? json.id : undefined, id)
  return resultIn(reply, json)
}

/**
 * Returns the JSON of a body.
 *
 * @throws RpcError or HttpError for a status outside 2xx, ReplyError for a body that is not JSON
 */
export function answerIn(reply: HttpReply): Json {
  if (!isSuccess(reply.status)) throw errorIn(reply) ?? statusError(reply)
  return successJSON(reply)
}

/**
 * Returns the result in one answer.
 *
 * @throws RpcError for an error of the node, ReplyError `REPLY_SHAPE`
 */
export function resultIn(reply: HttpReply, json: Json): Json {
  const { method } = reply
  if (!isJSONObject(json)) throw new ReplyError('REPLY_SHAPE', method, '', 'not a JSON-RPC answer')
  if (json.error !== undefined && json.error !== null) throw nodeError(reply, json.error)
  if (json.result === undefined) throw new ReplyError('REPLY_SHAPE', method, 'result', 'is missing')
  return json.result
}

/** The node's error in an answer with an error status; undefined if the error is the gateway's. */
function errorIn(reply: HttpReply): RpcError | undefined {
  const { status } = reply
  // Gateways use these for errors of the node. Others are about authentication, rate limits and the like, whatever the
  // body is.
  if (status !== 400 && status !== 404 && status < 500) return undefined
  const json = tryJSON(reply)
  if (!isJSONObject(json) || !isJSONObject(json.error)) return undefined
  return status >= 500 && json.jsonrpc === undefined ? undefined : nodeError(reply, json.error)
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
