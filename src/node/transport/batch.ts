import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { isJSONObject } from '../../core/codec/json-value.ts'
import { isRetryable, ReplyError } from '../errors.ts'
import type { CallOptions, HttpReply } from '../http.ts'
import type { Exchange, Params } from '../methods/method.ts'
import type { Reply } from '../methods/reply.ts'
import { anyResult, type Connection } from './connection.ts'
import { answerIn, resultIn, rpcRequest } from './envelope.ts'

/** A call of the Ethereum API in a batch. */
export type BatchedCall<R> = {
  readonly method: string
  readonly params: Params
  readonly read: (result: Reply) => R
  /** Sends the call in a request of its own. */
  readonly send: (
    connection: Connection,
    route: string,
    options: CallOptions | undefined,
  ) => Promise<R>
}

/** Prepares a call for a batch. */
export function batched<P, R>(table: Exchange<P, R>, given: P): BatchedCall<R> {
  return {
    method: table.method,
    params: table.params(given),
    read: (result) => table.reply(result, given),
    send: (connection, route, options) =>
      connection.call(route, table, given, options, {}, anyResult),
  }
}

/**
 * Sends several reads of the Ethereum API in one request: one server answers all of them. Gateways that refuse batches
 * get one request for each, which different servers may answer, also behind one gateway.
 */
export async function callBatch<R extends readonly unknown[]>(
  connection: Connection,
  route: string,
  calls: { readonly [K in keyof R]: BatchedCall<R[K]> },
  options?: CallOptions,
): Promise<R> {
  const methods = calls.map(({ method }) => method)
  const firstID = connection.takeIDs(calls.length)
  const requests = calls.map(({ method, params }, i) => rpcRequest(firstID + i, method, params))
  const read = await connection.transport.request(
    {
      method: methods.join(', '),
      verb: 'POST',
      path: route,
      body: stringifyJSON(requests),
      mode: 'read',
      read: (http) => {
        const answers = answersIn(http)
        if (answers === undefined) return undefined
        const results = resultsOf(http, answers, firstID, methods)
        return calls.map((call, i) => call.read(anyResult(call.method, results[i]!)))
      },
    },
    options,
  )
  return (read ??
    (await Promise.all(calls.map((call) => call.send(connection, route, options))))) as never
}

/** Returns the answers of a batch; undefined if one error refuses all of it. */
function answersIn(reply: HttpReply): readonly Json[] | undefined {
  try {
    const json = answerIn(reply)
    return Array.isArray(json) ? json : [resultIn(reply, json)]
  } catch (error) {
    if (error instanceof ReplyError || isRetryable(error)) throw error
    return undefined
  }
}

/**
 * Returns the results of a batch in the order of its methods, or throws the first error of the node. Servers may
 * answer in any order, so answers are found by their IDs.
 */
function resultsOf(
  reply: HttpReply,
  answers: readonly Json[],
  firstID: number,
  methods: readonly string[],
): Json[] {
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
