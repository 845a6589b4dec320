import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CliError } from './errors.ts'
import type { Surroundings } from './surroundings.ts'

/** Whether somebody is there to be asked. */
export function isInteractive({ stdin, stderr }: Surroundings): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/** Asks on the terminal, beside what the command prints; `hidden` shows nothing of the answer. */
export function ask(io: Surroundings, question: string, hidden = false): Promise<string> {
  // The terminal's own echo is off while readline has it, so that it echoes where readline writes.
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!hidden) io.stderr.write(String(chunk))
      done()
    },
  })
  const reader = createInterface({ input: io.stdin, output, terminal: true, historySize: 0 })
  // Only now, when nothing is echoed any more, somebody may begin to type.
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
      if (answer === undefined)
        reject(new CliError('INTERRUPTED', 'interrupted while waiting for an answer'))
      else resolve(answer)
    })
  })
}

/** Quiet time after which nothing more is expected to have been typed before. */
const QUIET_MS = 50

/** Somebody who leans on a key does not delay the question for ever. */
const MAX_ROUNDS = 40

/**
 * Drops what was typed before a question is asked. A terminal keeps it, so it would answer a question that nobody
 * has read.
 */
export async function discardTyped({ stdin }: Surroundings): Promise<void> {
  let dropped = true
  const drop = () => {
    dropped = true
  }
  stdin.on('data', drop)
  try {
    for (let round = 0; dropped && round < MAX_ROUNDS; round++) {
      dropped = false
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
    }
  } finally {
    stdin.off('data', drop)
    stdin.pause()
  }
}
