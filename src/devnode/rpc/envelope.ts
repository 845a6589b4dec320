import { stringifyJSON } from '../../core/codec/json-text.ts'
import {
  compactJSON,
  GoSyntaxError,
  type GoValue,
  isNamed,
  lastMember,
  parseFirst,
} from '../go/json.ts'
import { goQuote } from '../go/text.ts'
import { ArgumentError, BAD_ARGUMENTS, paramsOf, type RequestParams } from './params.ts'

/** An error of a method with the node's text. */
export class MethodError extends Error {}

/** Returns the JSON text of a method's result. */
export type MethodHandler = (params: RequestParams) => string | Promise<string>

/** The methods of one path, by service and method name. */
export type Services = { readonly [service: string]: { readonly [method: string]: MethodHandler } }

/** The body of an answer, and whether a method was reached, which affects the headers. */
export type RPCAnswer = { readonly body: string; readonly reached: boolean }

type RPCRequest = {
  readonly jsonrpc: string
  readonly method: string
  readonly params: GoValue | undefined
  readonly id: GoValue | undefined
}

/**
 * Answers a JSON-RPC request as the node's server does (`gorilla/rpc` with its `json2` codec): one object in, one
 * object out, no batches, only the codes −32700, −32600 and −32000, and no answer to requests without ID. Refused
 * methods do not exist.
 */
export async function answerRPC(
  body: string,
  services: Services,
  isRefused: (method: string) => boolean = () => false,
): Promise<RPCAnswer> {
  const { request, error } = readRequest(body)
  if (error !== undefined)
    return { body: failure(-32700, error, request, described(request)), reached: false }
  const isNotification = request.id === undefined
  const answer = (text: string, reached: boolean): RPCAnswer => ({
    body: isNotification ? '' : text,
    reached,
  })
  if (request.jsonrpc !== '2.0')
    return answer(failure(-32600, 'jsonrpc must be 2.0', request, described(request)), false)

  const found = findMethod(request.method, services, isRefused)
  if (typeof found === 'string') return answer(failure(-32000, found, request), false)
  let params: RequestParams
  try {
    params = paramsOf(request.params)
    const result = await found(params)
    return answer(`{"jsonrpc":"2.0","result":${result},"id":${requestIDText(request)}}\n`, true)
  } catch (failed) {
    if (failed instanceof ArgumentError)
      return answer(failure(-32000, BAD_ARGUMENTS, request), false)
    if (failed instanceof MethodError) return answer(failure(-32000, failed.message, request), true)
    throw failed
  }
}

function readRequest(body: string): { request: RPCRequest; error?: string } {
  let value: GoValue
  try {
    value = parseFirst(body)
  } catch (error) {
    if (!(error instanceof GoSyntaxError)) throw error
    return { request: EMPTY_REQUEST, error: error.message }
  }
  if (value.kind === 'null') return { request: EMPTY_REQUEST }
  if (value.kind !== 'object')
    return {
      request: EMPTY_REQUEST,
      error: `json: cannot unmarshal ${value.kind} into Go value of type json2.serverRequest`,
    }
  const wrong = value.members.find(
    ([key, item]) =>
      /^(jsonrpc|method)$/i.test(key) && item.kind !== 'string' && item.kind !== 'null',
  )
  // A value that is not a string does not overwrite an earlier one.
  const text = (name: string): string =>
    value.members.findLast(([key, item]) => isNamed(key, name) && item.kind === 'string')?.[1]
      .text ?? ''
  const request = {
    jsonrpc: text('jsonrpc'),
    method: text('method'),
    params: lastMember(value, 'params'),
    id: lastMember(value, 'id'),
  }
  if (wrong === undefined) return { request }
  return {
    request,
    error: `json: cannot unmarshal ${wrong[1].kind} into Go struct field serverRequest.${wrong[0].toLowerCase()} of type string`,
  }
}

const EMPTY_REQUEST: RPCRequest = { jsonrpc: '', method: '', params: undefined, id: undefined }

/** Returns the method, or the node's error text, in which the first letter of the method is capitalized. */
function findMethod(
  name: string,
  services: Services,
  isRefused: (method: string) => boolean,
): MethodHandler | string {
  const dot = name.indexOf('.')
  const first = dot < 0 ? '' : [...name.slice(dot + 1)][0]
  if (first !== undefined && first !== '' && /^\p{Lu}$/u.test(first))
    return 'method must start with a non-uppercase letter'
  const capital =
    first === undefined || first === ''
      ? name
      : `${name.slice(0, dot + 1)}${capitalOf(first)}${name.slice(dot + 1 + first.length)}`
  const parts = capital.split('.')
  if (parts.length !== 2) return `rpc: service/method request ill-formed: ${goQuote(capital)}`
  const [service] = parts as [string, string]
  if (!Object.hasOwn(services, service)) return `rpc: can't find service ${goQuote(capital)}`
  const methods = services[service]!
  const wanted = name.slice(dot + 1)
  if (!Object.hasOwn(methods, wanted) || isRefused(name))
    return `rpc: can't find method ${goQuote(capital)}`
  return methods[wanted]!
}

/** Upper case as in Go, which maps a character to one character, where JavaScript may map it to two. */
function capitalOf(letter: string): string {
  const capital = letter.toUpperCase()
  return [...capital].length === 1 ? capital : letter
}

function failure(code: number, message: string, request: RPCRequest, data = 'null'): string {
  const error = `{"code":${code},"message":${stringifyJSON(message)},"data":${data}}`
  return `{"jsonrpc":"2.0","error":${error},"id":${requestIDText(request)}}\n`
}

function requestIDText({ id }: RPCRequest): string {
  return id === undefined ? 'null' : compactJSON(id)
}

/** The request as far as it was parsed, which is returned as `data`. */
function described(request: RPCRequest): string {
  const params = request.params === undefined ? 'null' : compactJSON(request.params)
  return `{"jsonrpc":${stringifyJSON(request.jsonrpc)},"method":${stringifyJSON(request.method)},"params":${params},"id":${requestIDText(request)}}`
}
