import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { txID as idOf } from '../../src/core/chain/x/ids.ts'
import type { Fetch } from '../../src/node/index.ts'

/** A JSON-RPC request on its way to a node. */
export type Call = {
  readonly method: string
  readonly params: { readonly [name: string]: unknown }
  readonly id: number
  readonly host: string
  /** For `avm.issueTx`: the transaction. */
  readonly tx?: Uint8Array
  /** For `avm.issueTx` and `avm.getTx`: cb58. */
  readonly txID?: string
}

/** Answers a request itself, or lets `next` answer it. */
export type Interceptor = (
  call: Call,
  next: () => Promise<Response>,
  init: RequestInit,
) => Promise<Response> | Response

/** A `fetch` whose requests pass through an interceptor first. */
export function intercepted(fetch: Fetch, interceptor: Interceptor): Fetch {
  return async (url, init) => interceptor(callOf(url, init), async () => fetch(url, init), init)
}

function callOf(url: string, init: RequestInit): Call {
  const { method, params = {}, id } = JSON.parse(String(init.body))
  const { hostname: host } = new URL(url)
  if (method === 'avm.issueTx') {
    const tx = checkedHex.decode(params.tx)
    return { method, params, id, host, tx, txID: formatID(idOf(tx)) }
  }
  if (method === 'avm.getTx') return { method, params, id, host, txID: params.txID }
  return { method, params, id, host }
}

/** Replaces the result of a method of the Ethereum API, also within batches. */
export async function withResult(
  method: string,
  result: string,
  next: () => Promise<Response>,
  { body }: RequestInit,
): Promise<Response> {
  type Request = { readonly id: number; readonly method: string }
  const requests: Request[] = [JSON.parse(String(body))].flat()
  const ids = requests.filter((each) => each.method === method).map(({ id }) => id)
  const reply = await next()
  if (ids.length === 0) return reply
  const json = await reply.json()
  const replaced = [json].flat().map((each) => (ids.includes(each.id) ? { ...each, result } : each))
  return answer(Array.isArray(json) ? replaced : replaced[0])
}

/** A JSON-RPC result. */
export function resultFor({ id }: Call, result: unknown): Response {
  return answer({ jsonrpc: '2.0', result, id })
}

/** A JSON-RPC error, with status 200 as the node sends it. */
export function errorFor({ id }: Call, message: string): Response {
  return answer({ jsonrpc: '2.0', error: { code: -32000, message, data: null }, id })
}

/** No answer until the client gives up. */
export function silence({ signal }: RequestInit): Promise<Response> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}

function answer(body: object): Response {
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
}
