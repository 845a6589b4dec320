import { createNodeClient, type Fetch, type NodeClient } from '../../src/node/index.ts'
import { vectors } from '../helpers/vectors.ts'

/** An exchange with a running node, as raw text. */
export type Recorded = {
  readonly name: string
  readonly path: string
  readonly httpMethod?: string
  readonly request: string
  readonly httpStatus: number
  readonly headers?: { readonly [name: string]: string }
  readonly response: string
}

export const allRecorded: readonly Recorded[] = vectors<{ readonly cases: readonly Recorded[] }>(
  'node-replies.json',
).cases

/** Returns the exchange with a name. */
export function recorded(name: string): Recorded {
  const found = allRecorded.find((item) => item.name === name)
  if (found === undefined) throw new Error(`no recorded exchange ${name}`)
  return found
}

/** The result of a recorded answer, parsed with JSON.parse; the caller states the members that it uses. */
export function resultIn<Result = Readonly<Record<string, string>>>(item: Recorded): Result {
  return (JSON.parse(item.response) as { readonly result: Result }).result
}

/** A request to a replayed node. */
export type Sent = { readonly url: string; readonly init: RequestInit }

/** A client of a node that answers with one recorded exchange, and the requests it received. */
export function replay(item: Recorded): { readonly client: NodeClient; readonly sent: Sent[] } {
  const sent: Sent[] = []
  const fetch: Fetch = async (url, init) => {
    sent.push({ url, init })
    const headers = item.headers ?? { 'content-type': 'application/json' }
    return new Response(item.response, { status: item.httpStatus, headers })
  }
  const client = createNodeClient({ url: 'http://node.test:9650', fetch, retry: { retries: 0 } })
  return { client, sent }
}

/** A client of a node that answers each call with a given result. */
export function answering(result: string): NodeClient {
  const fetch: Fetch = async (_, init) => {
    const { id } = JSON.parse(String(init.body)) as { id: number }
    return new Response(`{"jsonrpc":"2.0","result":${result},"id":${id}}`)
  }
  return createNodeClient({ url: 'http://node.test:9650', fetch, retry: { retries: 0 } })
}
