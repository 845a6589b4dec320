import { textFromBytes } from '../core/codec/text.ts'

/**
 * Maximum size of a request body in bytes. The node has no limit (64 MB were observed to pass); the largest decodable
 * transaction takes half a megabyte.
 */
export const MAX_BODY_SIZE = 67_108_864

/** A request to the node, by socket or by `node.fetch`. */
export type NodeRequest = {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /** Requested host; empty if the transport has none. */
  readonly host: string
  /** Returns a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  readonly body: string
}

/** An answer of the node. */
export type NodeResponse = {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  /**
   * How the connection fails. `lost`: it ends without an answer. `cut`: the answer is truncated. `silent`: there is no
   * answer and the connection stays open.
   */
  readonly spoiled?: 'lost' | 'cut' | 'silent' | undefined
}

/** A plain text answer as Go's servers send it. */
export function textResponse(status: number, body: string, nosniff = true): NodeResponse {
  return {
    status,
    headers: [
      ['content-type', 'text/plain; charset=utf-8'],
      ...(nosniff ? [['x-content-type-options', 'nosniff'] as const] : []),
    ],
    body,
  }
}

/** A JSON answer of the HTTP APIs. */
export function json(
  status: number,
  body: string,
  headers: readonly (readonly [string, string])[] = [],
): NodeResponse {
  return { status, headers: [['content-type', 'application/json'], ...headers], body }
}

const utf8Decoder: TextDecoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes a body as text; bytes that are not UTF-8 become lone surrogates, so that errors can report them. */
export function bodyText(bytes: Uint8Array): string {
  const text = utf8Decoder.decode(bytes)
  return text.includes('\ufffd') ? textFromBytes(bytes) : text
}
