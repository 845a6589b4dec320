import type { Command } from '../command.ts'
import { completionScript, SHELLS } from '../completion.ts'
import { UsageError } from '../errors.ts'

/** Writes completion for the commands of a table, which it is itself part of. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'print the completion script of a shell',
    arguments: [{ name: 'SHELL', help: SHELLS.join(', ') }],
    options: {},
    example: 'completion bash > ~/.local/share/bash-completion/completions/avmkit',
    run: ({ values }) => {
      const shell = SHELLS.find((name) => name === values.args[0])
      if (shell === undefined)
        throw new UsageError('BAD_VALUE', `expected one of ${SHELLS.join(', ')}`)
      const script = completionScript(shell, commands())
      return { json: { shell, script }, text: script }
    },
  }
}
