import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Fetch } from '../node/index.ts'

/** Where text is written, such as a stream of the process. */
export type TextSink = {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Where text is read from. */
export type TextSource = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined
  /** Turns echo and line editing of a terminal off. */
  readonly setRawMode?: ((isRaw: boolean) => unknown) | undefined
}

/** Everything outside the process that commands use, except files. */
export type Surroundings = {
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly stdin: TextSource
  readonly env: { readonly [name: string]: string | undefined }
  /** @defaultValue the `fetch` of the platform */
  readonly fetch?: Fetch | undefined
  /** Fires when the user interrupts. */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds since 1970.
   *
   * @defaultValue the clock of the system
   */
  readonly now?: (() => number) | undefined
}

/** Whether the user can be prompted: standard input and standard error are a terminal. */
export function isInteractive({ stdin, stderr }: Surroundings): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/** The config file that the environment names, or the one in the home folder if it exists. */
export function settingsPath(env: Surroundings['env']): string | undefined {
  if (env.AVMKIT_CONFIG) return env.AVMKIT_CONFIG
  const folder = settingsFolder(env)
  const path = folder && join(folder, 'config.json')
  return path && existsSync(path) ? path : undefined
}

/** The folder of the config file; undefined if the user has no home. */
export function settingsFolder(env: Surroundings['env']): string | undefined {
  const folder = env.XDG_CONFIG_HOME || (env.HOME && join(env.HOME, '.config')) || env.APPDATA
  return folder ? join(folder, 'avmkit') : undefined
}
