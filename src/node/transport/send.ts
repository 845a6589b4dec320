import { concat } from '../../core/base/bytes/concat.ts'
import type { Fetch } from '../http.ts'

/** A request to one server. */
export type HttpRequest = {
  readonly url: string
  readonly verb: 'GET' | 'POST'
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | undefined
  /** Closes the connection, before or after the headers of the response have arrived. */
  readonly signal: AbortSignal
}

/** A response whose body has not been read. */
export type HttpResponse = {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  /** Reads the body as text. Rejects with `BodyTooLarge` if it has more than `maxBytes` bytes, uncompressed. */
  readonly text: (maxBytes: number) => Promise<string>
}

/** Sends a request once. Redirects are responses like any other. */
export type Send = (request: HttpRequest) => Promise<HttpResponse>

/** A body above the size limit. The transport converts it to an HttpError with method and endpoint. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/** Sends requests with a `fetch`. */
export function sendWith(fetch: Fetch): Send {
  return async ({ url, verb, headers, body, signal }) => {
    const response = await fetch(url, {
      method: verb,
      headers,
      body: body ?? null,
      signal,
      // A redirected POST would become a GET, and secret headers would go to another server.
      redirect: 'manual',
      credentials: 'omit',
    })
    return {
      status: response.status,
      headers: response.headers,
      text: (maxBytes) =>
        response.body ? readStream(response.body, maxBytes) : wholeText(response, maxBytes),
    }
  }
}

async function wholeText(response: Response, maxBytes: number): Promise<string> {
  const text = await response.text()
  if (new TextEncoder().encode(text).length > maxBytes) throw new BodyTooLarge()
  return text
}

/**
 * The `content-length` header is not used: for a compressed body it is the compressed length, and a browser may hide
 * the compression.
 */
async function readStream(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > maxBytes) {
      await reader.cancel().catch(() => {})
      throw new BodyTooLarge()
    }
    chunks.push(value)
  }
  return new TextDecoder().decode(chunks.length === 1 ? chunks[0] : concat(chunks))
}
