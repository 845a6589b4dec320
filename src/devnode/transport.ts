import { textFromBytes } from '../codec/text.ts'

/**
 * Bytes of a request's body at most. The node itself sets no limit; 64 MB were seen to pass, and
 * the largest transaction that decodes takes half a megabyte.
 */
export const MAX_BODY_SIZE = 67_108_864

/** A request as it reaches the node, whether by socket or by `node.fetch`. */
export type NodeRequest = {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /** The host asked for; empty where the transport has none to check. */
  readonly host: string
  /** Value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  readonly body: string
}

/** What goes back. */
export type NodeResponse = {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  /**
   * How the answer is spoiled on its way, if at all: lost whole, lost in the middle, or never sent
   * while the connection stays open.
   */
  readonly spoiled?: 'lost' | 'cut' | 'silent' | undefined
}

/** A plain text answer, as Go's servers give it. */
export function text(status: number, body: string, nosniff = true): NodeResponse {
  return {
    status,
    headers: [
      ['content-type', 'text/plain; charset=utf-8'],
      ...(nosniff ? [['x-content-type-options', 'nosniff'] as const] : []),
    ],
    body,
  }
}

/** A JSON answer of the HTTP interfaces. */
export function json(
  status: number,
  body: string,
  headers: readonly (readonly [string, string])[] = [],
): NodeResponse {
  return { status, headers: [['content-type', 'application/json'], ...headers], body }
}

const utf8: TextDecoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true })

/** A body as text; bytes that are no UTF-8 become lone surrogates, so that errors can name them. */
export function bodyText(bytes: Uint8Array): string {
  const text = utf8.decode(bytes)
  return text.includes('\ufffd') ? textFromBytes(bytes) : text
}
