#!/usr/bin/env node
import { printError, run } from './run.ts'
import type { Surroundings } from './surroundings.ts'

const interrupt = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => {
    // A second signal ends the process at once.
    if (interrupt.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143)
    interrupt.abort(name)
  })

const argv = process.argv.slice(2)

/** Streams are opened at the first use: opening all three takes longer than `--version`. */
const io: Surroundings = {
  get stdout() {
    return withErrorHandler(process.stdout, async (error) => {
      // The reader has closed the pipe: `avmkit utxos … | head`.
      if (error.code === 'EPIPE') process.exit(0)
      const { unwritable } = await import('./files/files.ts')
      await printError(unwritable('standard output', error), argv, io)
      process.exit(1)
    })
  },
  get stderr() {
    // Notes, warnings and progress may be lost; the command continues.
    return withErrorHandler(process.stderr, () => {})
  },
  get stdin() {
    return process.stdin
  },
  env: process.env,
  signal: interrupt.signal,
}

const handled = new Set<NodeJS.WriteStream>()

/** The stream with an error handler, which is added at the first call. */
function withErrorHandler<T extends NodeJS.WriteStream>(
  stream: T,
  onError: (error: { readonly code?: string }) => void,
): T {
  if (!handled.has(stream)) stream.on('error', onError)
  handled.add(stream)
  return stream
}

run(argv, io).then((code) => {
  process.exitCode = code
})
