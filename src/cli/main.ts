#!/usr/bin/env node
import { run } from './run.ts'

const interrupt = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => {
    // Whoever asks twice does not want to wait for an orderly end.
    if (interrupt.signal.aborted) process.exit(1)
    interrupt.abort(name)
  })
// Who reads us may have had enough: `avmkit utxos … | head`.
process.stdout.on('error', (error: { code?: string }) => {
  if (error.code === 'EPIPE') process.exit(0)
})

const { stdout, stderr, stdin, env } = process
process.exitCode = await run(process.argv.slice(2), {
  stdout,
  stderr,
  stdin,
  env,
  signal: interrupt.signal,
})
