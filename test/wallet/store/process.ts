import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, beforeAll } from 'vitest'

/** A process of `child.ts`, whose output is read line by line. */
export class Child {
  readonly process: ChildProcessWithoutNullStreams
  readonly exited: Promise<number | null>
  private readonly lines: AsyncIterator<string>

  constructor(command: string, args: readonly string[]) {
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.process.stderr.pipe(process.stderr)
    this.process.stdin.on('error', () => {})
    this.exited = new Promise((resolve) => this.process.once('close', resolve))
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]()
  }

  /** The next line; undefined after the last. */
  async line(): Promise<string | undefined> {
    const { value, done } = await this.lines.next()
    return done === true ? undefined : value
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.process.kill(signal)
    await this.exited
  }
}

/** Starts processes and makes paths that end with the tests of the file. */
export function processes(): {
  readonly start: (...args: string[]) => Child
  /** Through another command, such as `unshare`. */
  readonly startWith: (wrapper: readonly string[], ...args: string[]) => Child
  readonly newPath: () => string
} {
  const started = new Set<Child>()
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-store-'))
  const program = join(folder, 'program', 'child.mjs')
  let paths = 0
  // The child has no transpiler, so it gets one file of JavaScript.
  beforeAll(
    () =>
      build({
        configFile: false,
        logLevel: 'silent',
        ssr: { noExternal: true },
        build: {
          ssr: fileURLToPath(new URL('child.ts', import.meta.url)),
          outDir: join(folder, 'program'),
          target: 'node20',
          rollupOptions: {
            output: { entryFileNames: 'child.mjs', codeSplitting: false } as object,
          },
        },
      }),
    60_000,
  )
  afterAll(async () => {
    for (const child of started) await child.kill()
    rmSync(folder, { recursive: true })
  })
  const startWith = (wrapper: readonly string[], ...args: string[]) => {
    const [command, ...rest] = [...wrapper, process.execPath, program, ...args]
    const child = new Child(command!, rest)
    started.add(child)
    void child.exited.then(() => started.delete(child))
    return child
  }
  return {
    start: (...args) => startWith([], ...args),
    startWith,
    newPath: () => join(folder, `${++paths}`, 'payments.store'),
  }
}
