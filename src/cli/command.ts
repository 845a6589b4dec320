import type { Invocation } from './invocation.ts'

/** An option as the table holds it: parsing, help and completion are made from this. */
export type Option = {
  /** What stands for the value in the help, such as `FILE`; an option without one is a switch. */
  readonly value?: string
  readonly short?: string
  /** Whether it may be given more than once. */
  readonly many?: true
  /** The only values it takes. */
  readonly choices?: readonly string[]
  readonly help: string
}

/** Options by name, without the dashes. */
export type Options = { readonly [name: string]: Option }

/** A word behind the command. */
export type Argument = {
  readonly name: string
  readonly help: string
  readonly optional?: true
  /** Only the last one may be. */
  readonly many?: true
  /** The only words it can be. */
  readonly choices?: readonly string[]
}

/** What a command has to say: one of the two is printed. */
export type Result = {
  /** For `--json`. `bigint` becomes a decimal text. */
  readonly json: unknown
  /** For people; ends without a line break. */
  readonly text: string
  /** Where what was asked is told, and the answer is bad: the run ends with 1. */
  readonly failed?: boolean
}

/** One command. */
export type Command = {
  /** One word, or two for a command of a group. */
  readonly name: string
  /** One line. */
  readonly summary: string
  /** What else there is to know. */
  readonly details?: string
  readonly arguments: readonly Argument[]
  readonly options: Options
  /** Without the name of the program. */
  readonly example: string
  /** Nothing is printed where nothing comes back. */
  readonly run: (invocation: Invocation) => Promise<Result | undefined> | Result | undefined
}

/** What every command takes. */
export const globalOptions: Options = {
  json: { help: 'print JSON for programs, errors included' },
  config: { value: 'FILE', help: 'settings, instead of AVMKIT_CONFIG or the file in your home' },
  help: { short: 'h', help: 'say how the command is used' },
  version: { help: 'print the version' },
}

/** For commands that ask a node. */
export const nodeOptions: Options = {
  url: { value: 'URL', many: true, help: 'the node; repeat it to name more that may answer' },
  chain: {
    value: 'CHAIN',
    help: 'alias or ID of a chain with the X-Chain’s virtual machine; default X',
  },
  timeout: { value: 'SECONDS', help: 'how long to wait for one answer; default 10' },
}

/** For commands that work without a node. */
export const networkOption: Options = {
  network: { value: 'NETWORK', help: 'mainnet, fuji, local or a network ID; mainnet unless told' },
}

/** For commands whose node knows the network: it must be this one. */
export const expectedNetworkOption: Options = {
  network: { value: 'NETWORK', help: 'refuse to go on if the node is of another network' },
}

/** For commands that read signing requests, which say themselves for which network they are. */
export const requestNetworkOption: Options = {
  network: { value: 'NETWORK', help: 'refuse a signing request that is for another network' },
}

/** For commands that sign or look up what keys own. */
export const keyOptions: Options = {
  'key-file': {
    value: 'FILE',
    many: true,
    help: 'private keys or a mnemonic, one a line; - for standard input',
  },
  'key-env': {
    value: 'NAME',
    help: 'environment variable with a key or mnemonic; AVMKIT_KEY, else AVMKIT_MNEMONIC, unless told',
  },
  account: { value: 'NUMBER', help: 'account of a mnemonic; 0 unless told' },
  count: { value: 'NUMBER', help: 'how many addresses of a mnemonic; 1 unless told' },
}

/** For commands that send something. */
export const confirmOptions: Options = {
  yes: { short: 'y', help: 'do not ask before signing and sending' },
}
