import type { Json } from '../codec/json.ts'
import { stringifyJSON } from '../codec/json-text.ts'
import { isJSONObject } from '../codec/json-value.ts'
import { anyResult, type Connection } from './connection.ts'
import { answerIn, requestOf, resultIn } from './envelope.ts'
import { ReplyError } from './errors.ts'
import type { CallOptions, HttpReply } from './http.ts'
import type { Method, Params } from './method.ts'
import type { Reply } from './reply.ts'

/** A call of the Ethereum API in a batch. */
export type BatchedCall<R> = {
  readonly method: string
  readonly params: Params
  readonly read: (result: Reply) => R
}

/** Prepares a call for a batch. */
export function batched<P, R>({ method, params, reply }: Method<P, R>, given: P): BatchedCall<R> {
  return { method, params: params(given), read: (result) => reply(result, given) }
}

/** Sends several reads of the Ethereum API in one request: one server answers all of them. */
export async function callBatch<R extends readonly unknown[]>(
  connection: Connection,
  route: string,
  calls: { readonly [K in keyof R]: BatchedCall<R[K]> },
  options?: CallOptions,
): Promise<R> {
  const methods = calls.map(({ method }) => method)
  const firstID = connection.takeIDs(calls.length)
  const requests = calls.map(({ method, params }, i) => requestOf(firstID + i, method, params))
  return connection.transport.request(
    {
      method: methods.join(', '),
      verb: 'POST',
      path: route,
      body: stringifyJSON(requests),
      mode: 'read',
      read: (http) => {
        const results = resultsOf(http, firstID, methods)
        return calls.map(({ method, read }, i) => read(anyResult(method, results[i]!))) as never
      },
    },
    options,
  )
}

/**
 * Returns the results of a batch in the order of its methods, or throws the first error of the node. Servers may
 * answer in any order, so answers are found by their IDs.
 */
function resultsOf(reply: HttpReply, firstID: number, methods: readonly string[]): Json[] {
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
