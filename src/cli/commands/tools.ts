import type { Command } from '../command.ts'
import { VERSION } from '../version.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

const page: Command = {
  name: 'page',
  summary: 'write avmkit.html, which decodes, explains and signs in a browser without a network',
  details:
    'One file without dependencies, for machines that are not connected. Prints its SHA-256: compare it there before you\nenter a key. Existing files are not overwritten.',
  arguments: [],
  options: { out: { value: 'FILE', short: 'o', help: 'new file for the page' } },
  example: 'page --out avmkit.html',
  run: async (invocation) => (await import('../actions/offline/page.ts')).page(invocation),
}

const explainError: Command = {
  name: 'error',
  summary: 'explain an error code: what it means, what causes it and what to do',
  arguments: [{ name: 'CODE', help: 'code of an error, such as TX_PENDING' }],
  options: {},
  example: 'error TX_PENDING',
  run: async (invocation) => (await import('../actions/offline/error.ts')).explainError(invocation),
}

/**
 * Commands about the program itself. The table of all commands is passed as a function, because it contains these
 * commands, too.
 */
export function toolCommands(commands: () => readonly Command[]): readonly Command[] {
  const completion: Command = {
    name: 'completion',
    summary: 'print the completion script of a shell',
    arguments: [{ name: 'SHELL', help: 'name of the shell', choices: SHELLS }],
    options: {},
    example: 'completion bash > ~/.local/share/bash-completion/completions/avmkit',
    run: async (invocation) =>
      (await import('../completion.ts')).completion(invocation, commands()),
  }

  const man: Command = {
    name: 'man',
    summary: 'print the manual page of avmkit in roff',
    arguments: [],
    options: {},
    example: 'man > ~/.local/share/man/man1/avmkit.1',
    run: async (_invocation) => (await import('../man.ts')).man(commands()),
  }

  const version: Command = {
    name: 'version',
    summary: 'print the version of avmkit',
    arguments: [],
    options: {},
    example: 'version',
    run: async () => ({ json: { version: VERSION }, text: VERSION }),
  }

  return [page, explainError, completion, man, version]
}
