import { readFileSync } from 'node:fs'
import { parseJSON } from '../codec/index.ts'
import { AvmError } from '../errors.ts'
import type { Command, Result } from './command.ts'
import { CliError, UsageError } from './errors.ts'
import { helpText } from './help.ts'
import { Invocation } from './invocation.ts'
import { parseCommandLine, type Request } from './parse.ts'
import { jsonLine } from './plain.ts'
import { paintFor } from './print.ts'
import { exitCodeOf, formatError } from './report.ts'
import type { Surroundings } from './surroundings.ts'
import { commands } from './table.ts'

/**
 * Runs a command line (without the names of runtime and program) and tells how it ended: 0 done, 1 failed,
 * 2 wrong usage. It never throws.
 *
 * @example
 * process.exitCode = await run(process.argv.slice(2), process)
 */
export async function run(argv: readonly string[], io: Surroundings): Promise<0 | 1 | 2> {
  let request: Request | undefined
  try {
    request = parseCommandLine(argv, commands)
    if (request.kind === 'version') {
      io.stdout.write(`${versionText()}\n`)
      return 0
    }
    if (request.kind === 'help') {
      if (!request.asked && argv.includes('--json'))
        throw new UsageError('MISSING_ARGUMENT', 'expected a command', {
          hint: 'avmkit --help lists them',
        })
      const sink = request.asked ? io.stdout : io.stderr
      sink.write(`${helpText(request.words, commands, paintFor(sink, io.env))}\n`)
      return request.asked ? 0 : 2
    }
    const invocation = new Invocation(request.values, io)
    const result = await ended(request.command, invocation)
    if (result === undefined) return 0
    const text = request.values.has('json') ? jsonLine(result.json) : result.text
    io.stdout.write(`${text}\n`)
    return result.failed ? 1 : 0
  } catch (error) {
    const failure = io.signal?.aborted ? interrupted(error) : error
    const { command, values } = request?.kind === 'run' ? request : {}
    tell(failure, argv, io, command?.name)
    return exitCodeOf(failure, values?.args.includes('-') ?? false)
  }
}

/** Says why a run failed. */
export function tell(
  error: unknown,
  argv: readonly string[],
  io: Surroundings,
  command?: string,
): void {
  const paint = paintFor(io.stderr, io.env)
  io.stderr.write(`${formatError(error, { json: argv.includes('--json'), paint, command })}\n`)
}

async function ended(command: Command, invocation: Invocation): Promise<Result | undefined> {
  try {
    return await command.run(invocation)
  } finally {
    await invocation.close()
  }
}

/** What is known of money under way says more than that the user has stopped us. */
function interrupted(cause: unknown): unknown {
  if (cause instanceof AvmError && cause.code !== 'ABORTED') return cause
  return new CliError('INTERRUPTED', 'interrupted', { cause })
}

function versionText(): string {
  // From src and from dist alike: both are two folders below the package.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (parseJSON(text) as { readonly version: string }).version
}
