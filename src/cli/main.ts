#!/usr/bin/env node
import { unwritable } from './files.ts'
import { run, tell } from './run.ts'

const interrupt = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => {
    // Whoever asks twice does not want to wait for an orderly end.
    if (interrupt.signal.aborted) process.exit(1)
    interrupt.abort(name)
  })

const { stdout, stderr, stdin, env } = process
const argv = process.argv.slice(2)
const io = { stdout, stderr, stdin, env, signal: interrupt.signal }
// What is said beside the result may get lost; what was begun is finished all the same.
stderr.on('error', () => {})
stdout.on('error', (error: { code?: string }) => {
  // Who reads us may have had enough: `avmkit utxos … | head`.
  if (error.code === 'EPIPE') process.exit(0)
  tell(unwritable('standard output', error), argv, io)
  process.exit(1)
})
process.exitCode = await run(argv, io)
