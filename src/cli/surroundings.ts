import type { Fetch } from '../rpc/index.ts'

/** Where text goes; a stream of the process has all of it. */
export type TextSink = {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Where text comes from. */
export type TextSource = NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }

/** Everything of the outside world that the commands touch, files excepted. */
export type Surroundings = {
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly stdin: TextSource
  readonly env: { readonly [name: string]: string | undefined }
  /** The platform's own where left out. */
  readonly fetch?: Fetch | undefined
  /** Fires when the user interrupts. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds since 1970; the system's clock where left out. */
  readonly now?: (() => number) | undefined
}
