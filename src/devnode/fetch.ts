import { bodyText, type NodeRequest, type NodeResponse } from './transport.ts'

/** Answers requests. Rejects only on internal errors. */
export type Handler = (request: NodeRequest) => Promise<NodeResponse>

/**
 * A `fetch` that reaches the node without a socket. Only the path of the URL is used. Faults of the network (lost or
 * truncated answers) are simulated.
 */
export function nodeFetch(handler: Handler, closed: AbortSignal): typeof fetch {
  // One listener for all requests: Node warns about more than ten on one signal.
  const closing: Closing = new Set()
  closed.addEventListener(
    'abort',
    () => {
      for (const reject of closing) reject(closed.reason)
    },
    { once: true },
  )
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    closed.throwIfAborted()
    const { pathname, search } = new URL(request.url)
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}))
    const body = bodyText(new Uint8Array(await request.arrayBuffer()))
    closed.throwIfAborted()
    // Not those of `request`: it adds a content type, and the node must see if the caller sent none.
    const header = (name: string) => headers.get(name) ?? undefined
    const answer = await raced(
      handler({
        method: request.method,
        target: pathname + search,
        host: header('host') ?? '',
        header,
        body,
      }),
      request.signal,
      closing,
    )
    return fetchResponse(answer, request.signal, closing)
  }
}

async function fetchResponse(
  answer: NodeResponse,
  signal: AbortSignal,
  closing: Closing,
): Promise<Response> {
  if (answer.spoiled === 'silent') return raced(new Promise<never>(() => {}), signal, closing)
  if (answer.spoiled === 'lost') throw new TypeError('fetch failed: the connection was lost')
  const headers = new Headers()
  for (const [name, value] of answer.headers) headers.append(name, value)
  const body =
    answer.spoiled === 'cut' ? cutBody(answer.body) : answer.body === '' ? null : answer.body
  const response = new Response(body, { status: answer.status, headers })
  // `Response` adds a content type to bodies of text.
  if (!answer.headers.some(([name]) => name === 'content-type'))
    response.headers.delete('content-type')
  return response
}

/** Half of the body, then a connection error. */
function cutBody(body: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body)
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, bytes.length >> 1))
    },
    pull(controller) {
      controller.error(new TypeError('terminated: the connection was reset'))
    },
  })
}

/** Functions that are called with the reason when the node is closed. */
type Closing = Set<(reason: unknown) => void>

/** Settles with the promise, or rejects when the request is aborted or the node is closed. */
function raced<T>(promise: Promise<T>, signal: AbortSignal, closing: Closing): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    closing.add(reject)
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort)
      closing.delete(reject)
    })
  })
}
