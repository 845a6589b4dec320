import type { Command, Result } from '../command.ts'
import { completionScript, type Shell } from '../completion.ts'
import type { Invocation } from '../invocation.ts'
import { manPage } from '../man.ts'
import { VERSION } from '../version.ts'

/** Prints a completion script. */
export function completion({ values }: Invocation, commands: readonly Command[]): Result {
  const shell = values.args[0] as Shell
  const script = completionScript(shell, commands)
  return { json: { shell, script }, text: script }
}

/** Prints the manual page. */
export function man(commands: readonly Command[]): Result {
  const page = manPage(commands, VERSION)
  return { json: { page }, text: page.trimEnd() }
}
