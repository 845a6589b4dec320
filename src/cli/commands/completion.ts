import type { Command } from '../command.ts'
import { completionScript, SHELLS } from '../completion.ts'

/** Writes completion for the commands of a table, which it is itself part of. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'print the completion script of a shell',
    arguments: [{ name: 'SHELL', help: SHELLS.join(', '), choices: SHELLS }],
    options: {},
    example: 'completion bash > ~/.local/share/bash-completion/completions/avmkit',
    run: ({ values }) => {
      const shell = values.args[0] as (typeof SHELLS)[number]
      const script = completionScript(shell, commands())
      return { json: { shell, script }, text: script }
    },
  }
}
