import { stringifyJSON } from '../../core/codec/json-text.ts'
import { compactJSON, GoSyntaxError, type GoValue, lastMember, parseFirst } from '../go/json.ts'
import { EthError } from './eth-arguments.ts'
import { callEthMethod, type EthService } from './eth-methods.ts'

/** The largest batch that is answered. */
const MAX_BATCH = 1000

type EthRequest = {
  /** Whether `jsonrpc` is 2.0. */
  readonly isVersion2: boolean
  readonly method: string
  readonly params: GoValue | undefined
  /** The ID as JSON text; undefined if there is none. */
  readonly id: string | undefined
  /** Whether it is an answer, to which there is no answer. */
  readonly isAnswer: boolean
}

/**
 * Answers a request or a batch of the Ethereum JSON-RPC API as the node's server does (`graft/evm/rpc`). Notifications
 * and an empty body have no answer: the text is empty then. Answers end with a new line, except errors of the whole
 * body.
 */
export function answerEth(body: string, service: EthService): string {
  if (body.trim() === '') return ''
  let request: GoValue
  try {
    request = parseFirst(body)
  } catch (error) {
    if (!(error instanceof GoSyntaxError)) throw error
    return failure('null', -32700, 'parse error')
  }
  if (request.kind !== 'array') return withNewLine(answerOne(request, service))
  const { items } = request
  if (items.length === 0) return failure('null', -32600, 'empty batch')
  if (items.length > MAX_BATCH) return failure('null', -32600, 'batch too large')
  const answers = items.map((item) => answerOne(item, service)).filter((text) => text !== '')
  return answers.length === 0 ? '' : withNewLine(`[${answers.join(',')}]`)
}

function withNewLine(answer: string): string {
  return answer === '' ? '' : `${answer}\n`
}

function answerOne(value: GoValue, service: EthService): string {
  const { isVersion2, method, params, id, isAnswer } = readRequest(value)
  const isNotification = method !== '' && id === undefined
  if (isVersion2 && (isNotification || isAnswer)) return ''
  if (!isVersion2 || method === '' || !hasValidID(id))
    return failure(hasValidID(id) ? id : 'null', -32600, 'invalid request')
  try {
    const result = callEthMethod(method, params, service)
    return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
  } catch (error) {
    if (!(error instanceof EthError)) throw error
    return failure(id, error.code, error.message)
  }
}

/** Only the type of the outermost value is checked: objects and lists are no IDs. */
function hasValidID(id: string | undefined): id is string {
  return id !== undefined && !/^[{[]/.test(id)
}

/** Reads the members as far as they have the right type. */
function readRequest(value: GoValue): EthRequest {
  const text = (name: string): string => {
    const member = lastMember(value, name)
    return member?.kind === 'string' ? member.text : ''
  }
  const member = (name: string): GoValue | undefined => lastMember(value, name)
  const method = text('method')
  const params = member('params')
  const idValue = idMember(value)
  const id = idValue === undefined ? undefined : compactJSON(idValue)
  return {
    isVersion2: text('jsonrpc') === '2.0',
    method,
    params,
    id,
    isAnswer:
      hasValidID(id) &&
      method === '' &&
      params === undefined &&
      (member('result') ?? member('error')) !== undefined,
  }
}

/** Unlike other members, an ID that is `null` counts as given. */
function idMember({ members }: GoValue): GoValue | undefined {
  return members.findLast(([name]) => name.toLowerCase() === 'id')?.[1]
}

function failure(id: string, code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${stringifyJSON(message)}}}`
}
