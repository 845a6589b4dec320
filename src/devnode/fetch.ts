import { bodyText, type NodeRequest, type NodeResponse } from './transport.ts'

/** Answers requests; never rejects but for failures of its own. */
export type Handler = (request: NodeRequest) => Promise<NodeResponse>

/**
 * A `fetch` that reaches the node without a socket. Only the path of the URL counts. What a network
 * would do to an answer (lose it, cut it) it does too.
 */
export function nodeFetch(handler: Handler, closed: AbortSignal): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    closed.throwIfAborted()
    const { pathname, search } = new URL(request.url)
    const given = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}))
    const body = bodyText(new Uint8Array(await request.arrayBuffer()))
    // The platform invents a content type where none is given; the node must see that there is
    // none.
    const header = (name: string) => given.get(name) ?? undefined
    const answer = await raced(
      handler({
        method: request.method,
        target: pathname + search,
        host: header('host') ?? '',
        header,
        body,
      }),
      [request.signal, closed],
    )
    return responseOf(answer, [request.signal, closed])
  }
}

async function responseOf(
  answer: NodeResponse,
  signals: readonly AbortSignal[],
): Promise<Response> {
  if (answer.spoiled === 'silent') return raced(new Promise<never>(() => {}), signals)
  if (answer.spoiled === 'lost') throw new TypeError('fetch failed: the connection was lost')
  const headers = new Headers()
  for (const [name, value] of answer.headers) headers.append(name, value)
  const body =
    answer.spoiled === 'cut' ? cutBody(answer.body) : answer.body === '' ? null : answer.body
  const response = new Response(body, { status: answer.status, headers })
  // Likewise the platform adds one to answers that carry text and have none.
  if (!answer.headers.some(([name]) => name === 'content-type'))
    response.headers.delete('content-type')
  return response
}

/** Half of the answer, then a broken connection. */
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

/** Settles with the promise, or rejects as soon as one of the signals fires. */
function raced<T>(promise: Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const listeners = signals.map((signal) => {
      const abort = () => reject(signal.reason)
      if (signal.aborted) abort()
      signal.addEventListener('abort', abort, { once: true })
      return () => signal.removeEventListener('abort', abort)
    })
    promise.then(resolve, reject).finally(() => {
      for (const stop of listeners) stop()
    })
  })
}
