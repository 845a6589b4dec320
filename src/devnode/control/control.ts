import { AvmError } from '../../core/base/errors.ts'
import type { Json } from '../../core/codec/json.ts'
import { parseJSON, stringifyJSON } from '../../core/codec/json-text.ts'
import { isJSONObject } from '../../core/codec/json-value.ts'
import type { Handler } from '../fetch.ts'
import { json, type NodeRequest, type NodeResponse, textResponse } from '../transport.ts'
import { ControlParams, ParamError } from './control-params.ts'

/** Path of the control API. */
export const CONTROL_PATH = '/ext/devnode'

/** A method with the names of its parameters. */
export type ControlMethod = {
  readonly params: readonly string[]
  readonly run: (params: ControlParams) => Json
}

/** Methods by name, without the prefix `devnode.`. */
export type ControlMethods = { readonly [name: string]: ControlMethod }

/**
 * Adds the control API to a node: JSON-RPC 2.0 by POST to `/ext/devnode`, with methods such as `devnode.fund`.
 *
 * Programs on the same machine can use it, web pages cannot: browsers send `Origin` or `Sec-Fetch-Site` with every
 * such request of a page, both are refused, and so is a `Host` that is not a name of this machine (DNS rebinding).
 * No answer has CORS headers. Faults that were injected do not apply to it.
 */
export function withControl(answer: Handler, methods: ControlMethods): Handler {
  return async (request) => {
    const [path] = request.target.split('?', 1)
    return path === CONTROL_PATH ? answerControl(request, methods) : answer(request)
  }
}

function answerControl(request: NodeRequest, methods: ControlMethods): NodeResponse {
  if (!isLoopback(request.host))
    return textResponse(403, 'the host is not a name of this machine\n')
  if (isFromPage(request)) return textResponse(403, 'web pages cannot use the control API\n')
  if (request.method !== 'POST') return textResponse(405, 'the method must be POST\n')
  const type = (request.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/json')
    return textResponse(415, 'the content type must be application/json\n')
  return json(200, `${stringifyJSON(controlReply(request.body, methods))}\n`)
}

/** Browsers send at least one of these headers with every POST of a page. */
function isFromPage({ header }: NodeRequest): boolean {
  const site = header('sec-fetch-site')
  return header('origin') !== undefined || (site !== undefined && site !== 'none')
}

function isLoopback(host: string): boolean {
  return /^$|^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host)
}

/** Error codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const METHOD_FAILED = -32000

function controlReply(body: string, methods: ControlMethods): Json {
  let request: Json
  try {
    request = parseJSON(body)
  } catch {
    return failure(PARSE_ERROR, 'the body is not JSON', null)
  }
  if (!isJSONObject(request) || request.jsonrpc !== '2.0' || typeof request.method !== 'string')
    return failure(INVALID_REQUEST, 'expected one JSON-RPC 2.0 request', null)
  const { id = null, params = {} } = request
  // The id is part of the reply, which cannot be written if the id is nested deeply.
  if (id !== null && typeof id === 'object')
    return failure(INVALID_REQUEST, 'the id must be a string or a number', null)
  const [, name = ''] = /^devnode\.(\w+)$/.exec(request.method) ?? []
  if (!Object.hasOwn(methods, name))
    return failure(
      METHOD_NOT_FOUND,
      `unknown method; known: ${Object.keys(methods).join(', ')}`,
      id,
    )
  try {
    const { params: names, run } = methods[name]!
    return { jsonrpc: '2.0', result: run(new ControlParams(params, names)), id }
  } catch (error) {
    if (error instanceof ParamError)
      return failure(INVALID_PARAMS, error.message, id, { code: error.code })
    if (!(error instanceof AvmError)) throw error
    return failure(METHOD_FAILED, error.message, id, { code: error.code })
  }
}

function failure(code: number, message: string, id: Json, data: Json = null): Json {
  return { jsonrpc: '2.0', error: { code, message, data }, id }
}
