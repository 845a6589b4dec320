import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { onTestFinished } from 'vitest'
import { folder } from './shell.ts'

/** The built program. `npm test` builds it first. */
export const MAIN: string = fileURLToPath(new URL('../../dist/avmkit.mjs', import.meta.url))

export type Exited = { readonly code: number | null; readonly out: string; readonly err: string }

/** A process that is killed at the end of the test if it still runs. */
export class Child {
  readonly process: ChildProcessWithoutNullStreams
  readonly exited: Promise<Exited>
  out = ''
  err = ''

  constructor(command: string, argv: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string) {
    if (!existsSync(MAIN)) throw new Error('dist is missing: run npm run build')
    const { PATH } = process.env
    this.process = spawn(command, argv, { env: { PATH, HOME: env.HOME ?? folder(), ...env }, cwd })
    this.process.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.out += text
    })
    this.process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.err += text
    })
    // The process may have ended before it has read all input.
    this.process.stdin.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.process.once('close', (code) => resolve({ code, out: this.out, err: this.err }))
    })
    onTestFinished(() => {
      this.process.kill('SIGKILL')
    })
  }

  /** Waits until something was printed. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (let waited = 0; waited < 60_000; waited += 20) {
      const match = pattern.exec(stripVTControlCharacters(this.out + this.err))
      if (match !== null) return match
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error(`expected ${pattern}, found ${this.out}${this.err}`)
  }
}

/** Runs the built program. */
export function avmkit(argv: readonly string[], env?: NodeJS.ProcessEnv, cwd?: string): Child {
  return new Child(process.execPath, [MAIN, ...argv], env, cwd)
}

/** Runs the program on a pseudo-terminal that `script` creates. */
export function onTerminal(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
  columns = 80,
): Child {
  const program = [process.execPath, MAIN, ...argv]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(' ')
  const sized = `stty cols ${columns}; exec ${program}`
  const script =
    process.platform === 'darwin'
      ? ['-q', '/dev/null', 'sh', '-c', sized]
      : ['--quiet', '--return', '--command', sized, '/dev/null']
  return new Child('script', script, { TERM: 'xterm', SHELL: '/bin/sh', ...env })
}

/** Writes the rest of the input, and waits until the process ends. */
export async function ended(child: Child, input = ''): Promise<Exited> {
  child.process.stdin.end(input)
  return child.exited
}
