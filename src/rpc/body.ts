import { concat } from '../bytes/concat.ts'

/** Internal: thrown where method and endpoint are not known yet. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/**
 * Reads a body as text, up to a number of bytes. The `content-length` header is not used: for a compressed body it is
 * the compressed length, and a browser may hide the compression.
 */
export function readBody(response: Response, maxBytes: number): Promise<string> {
  return response.body ? readStream(response.body, maxBytes) : wholeText(response, maxBytes)
}

async function wholeText(response: Response, maxBytes: number): Promise<string> {
  const text = await response.text()
  if (text.length > maxBytes) throw new BodyTooLarge()
  return text
}

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
