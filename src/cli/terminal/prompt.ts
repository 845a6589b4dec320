import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CliError } from '../errors.ts'
import type { Surroundings } from '../surroundings.ts'

/**
 * Prompts on standard error. With `hidden` the answer is not echoed. Input typed before the question is discarded.
 *
 * @throws CliError `INTERRUPTED`
 */
export async function ask(io: Surroundings, question: string, hidden = false): Promise<string> {
  await discardTyped(io)
  // Readline turns the echo of the terminal off and echoes to its output instead.
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!hidden) io.stderr.write(String(chunk))
      done()
    },
  })
  const reader = createInterface({ input: io.stdin, output, terminal: true, historySize: 0 })
  // The question is written after the echo is off.
  io.stderr.write(question)
  return new Promise((resolve, reject) => {
    let answer: string | undefined
    const stop = () => reader.close()
    io.signal?.addEventListener('abort', stop, { once: true })
    reader.once('SIGINT', stop)
    reader.once('line', (line) => {
      answer = line
      reader.close()
    })
    reader.once('close', () => {
      io.signal?.removeEventListener('abort', stop)
      if (hidden || answer === undefined) io.stderr.write('\n')
      if (answer === undefined) reject(interrupted())
      else resolve(answer)
    })
  })
}

/** Pause after which earlier input is considered complete. */
const QUIET_MS = 50

/** Limits the wait while a key is held down. */
const MAX_ROUNDS = 40

/** The character of Ctrl-C, which a terminal in raw mode passes on instead of sending a signal. */
const CTRL_C = '\u0003'

/**
 * Discards input that the terminal has buffered, which would answer the next question. Leaves the terminal in raw mode
 * for readline: only then does it pass on a line that is not complete, such as a `y` without Enter.
 *
 * @throws CliError `INTERRUPTED`
 */
async function discardTyped({ stdin, signal }: Surroundings): Promise<void> {
  let dropped = true
  let isInterrupted = false
  const drop = (chunk: Uint8Array | string) => {
    dropped = true
    if (String(chunk).includes(CTRL_C)) isInterrupted = true
  }
  stdin.setRawMode?.(true)
  stdin.on('data', drop)
  // A listener alone does not resume what an earlier question has paused.
  stdin.resume()
  try {
    for (let round = 0; dropped && !isInterrupted && round < MAX_ROUNDS; round++) {
      dropped = false
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
      // If the process was suspended, the timer runs before the input is polled, and `setImmediate` after that.
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    stdin.off('data', drop)
    stdin.pause()
  }
  if (!isInterrupted && signal?.aborted !== true) return
  stdin.setRawMode?.(false)
  throw interrupted()
}

function interrupted(): CliError {
  return new CliError('INTERRUPTED', 'interrupted at a prompt')
}
