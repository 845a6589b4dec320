import type { Invocation } from './invocation.ts'

/** An option in the table from which parsing, help and completion are made. */
export type Option = {
  /** Placeholder of the value in the help, such as `FILE`. An option without one is a switch. */
  readonly value?: string
  readonly short?: string
  /** Another name of the option. */
  readonly alias?: string
  /** Whether it can be given more than once. */
  readonly many?: true
  /** The only valid values. */
  readonly choices?: readonly string[]
  /** Common values for completion; others are valid, too. */
  readonly suggestions?: readonly string[]
  readonly help: string
}

/** Options by name, without the dashes. */
export type Options = { readonly [name: string]: Option }

/** A positional argument. */
export type Argument = {
  readonly name: string
  readonly help: string
  readonly optional?: true
  /** Only the last argument can be repeated. */
  readonly many?: true
  /** Whether piped standard input takes its place if it is left out. */
  readonly piped?: true
  /** The only valid values. */
  readonly choices?: readonly string[]
}

/** The output of a command, in both forms. */
export type Result = {
  /** For `--json`. A `bigint` becomes a decimal string. */
  readonly json: unknown
  /** For people; without a final line break. */
  readonly text: string
  /** Set if the command worked and the answer is negative: the exit code is 1. */
  readonly failed?: boolean
}

/** One command. */
export type Command = {
  /** One word, or two for a command of a group. */
  readonly name: string
  /** One line. */
  readonly summary: string
  readonly details?: string | undefined
  readonly arguments: readonly Argument[]
  readonly options: Options
  /** Without the name of the program. */
  readonly example: string
  /** Whether the public node of a named network is used if no node is configured; never for commands that spend. */
  readonly publicNode?: true
  /** Whether it decodes only files and standard input: errors of their contents are not wrong usage. */
  readonly decodesFiles?: true
  /** Imports the implementation, so that a command loads only what it uses. Nothing is printed for `undefined`. */
  readonly run: (invocation: Invocation) => Promise<Result | undefined>
}

/** What commands are for, with one line on each group of them by its first word. */
export type Purpose = {
  readonly title: string
  readonly commands: readonly Command[]
  readonly groups?: { readonly [word: string]: string }
}

/** Options of every command. */
export const globalOptions: Options = {
  json: { help: 'print JSON for programs, errors included' },
  config: {
    value: 'FILE',
    help: 'config file; default AVMKIT_CONFIG, then the file in your home',
  },
  help: { short: 'h', help: 'show help' },
  version: { short: 'v', help: 'show the version' },
}
