import { ArgumentError, AvmError } from '../core/base/errors.ts'
import type { Command, Result } from './command.ts'
import { CliError, UsageError } from './errors.ts'
import type { Invocation } from './invocation.ts'
import { parseCommandLine, type Request } from './parse.ts'
import type { Surroundings } from './surroundings.ts'
import { commands, purposes } from './table.ts'
import { paintFor } from './terminal/paint.ts'
import { VERSION } from './version.ts'

/** 0 success, 1 failure, 2 wrong usage, 130 and 143 interrupted by SIGINT (Ctrl-C) and SIGTERM. */
export type ExitCode = 0 | 1 | 2 | 130 | 143

/**
 * Runs a command line, without the names of runtime and program, and returns the exit code. Never throws.
 *
 * @example
 * process.exitCode = await run(process.argv.slice(2), process)
 */
export async function run(argv: readonly string[], io: Surroundings): Promise<ExitCode> {
  let request: Request | undefined
  try {
    request = parseCommandLine(argv, commands)
    if (request.kind === 'version') {
      io.stdout.write(`${VERSION}\n`)
      return 0
    }
    if (request.kind === 'help') {
      if (!request.asked && argv.includes('--json'))
        throw new UsageError('MISSING_ARGUMENT', 'no command given', {
          hint: 'avmkit --help lists the commands',
        })
      const { helpText } = await import('./help.ts')
      const sink = request.asked ? io.stdout : io.stderr
      sink.write(`${helpText(request.words, purposes, paintFor(sink, io.env))}\n`)
      return request.asked ? 0 : 2
    }
    const { Invocation } = await import('./invocation.ts')
    const invocation = new Invocation(request.values, io, request.command)
    const result = await runAndClose(request.command, invocation)
    if (result === undefined) return stoppedCode(io.signal)
    invocation.print(result)
    return result.failed ? 1 : 0
  } catch (error) {
    const { command, values } = request?.kind === 'run' ? request : {}
    const failure = io.signal?.aborted
      ? asInterrupted(error)
      : command !== undefined && error instanceof ArgumentError
        ? (await import('./files/file-names.ts')).explainFile(error, command, values!.args)
        : error
    await printError(failure, argv, io, command?.name)
    const fromInput = command !== undefined && (await readsInput(command, values!.args))
    return exitCodeOf(failure, fromInput, io.signal)
  }
}

/** Whether what a command decodes comes from a file or from standard input. */
async function readsInput(command: Command, args: readonly string[]): Promise<boolean> {
  const { namesFile } = await import('./files/file-names.ts')
  const [first] = command.arguments
  return (
    command.decodesFiles ||
    args.includes('-') ||
    (first?.piped === true && (args[0] === undefined || namesFile(args[0])))
  )
}

/** Prints an error to standard error. */
export async function printError(
  error: unknown,
  argv: readonly string[],
  io: Surroundings,
  command?: string,
): Promise<void> {
  const { formatError } = await import('./report.ts')
  const paint = paintFor(io.stderr, io.env)
  io.stderr.write(`${formatError(error, { json: argv.includes('--json'), paint, command })}\n`)
}

async function runAndClose(command: Command, invocation: Invocation): Promise<Result | undefined> {
  try {
    return await command.run(invocation)
  } finally {
    await invocation.close()
  }
}

/** Errors about a pending payment are more specific than `INTERRUPTED`, so they are kept. */
function asInterrupted(cause: unknown): unknown {
  if (cause instanceof AvmError && cause.code !== 'ABORTED') return cause
  return new CliError('INTERRUPTED', 'interrupted', { cause })
}

/** `devnode`, `watch` and `custody work` run until a signal. Service managers expect 0 after SIGTERM. */
function stoppedCode(signal: AbortSignal | undefined): ExitCode {
  return signal?.reason === 'SIGINT' ? 130 : 0
}

/** Text that cannot be decoded is wrong usage, unless it came from a file or from standard input. */
function exitCodeOf(error: unknown, fromInput: boolean, signal: AbortSignal | undefined): ExitCode {
  if (signal?.aborted) return signal.reason === 'SIGTERM' ? 143 : 130
  if (error instanceof CliError && error.code === 'INTERRUPTED') return 130
  const isArgument = error instanceof ArgumentError && !fromInput
  return error instanceof UsageError || isArgument ? 2 : 1
}
