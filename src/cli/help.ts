import {
  type Argument,
  type Command,
  globalOptions,
  type Options,
  type Purpose,
} from './command.ts'
import type { Paint } from './terminal/paint.ts'

/** Help on one command, on a group of them, or on all. */
export function helpText(
  words: readonly string[],
  purposes: readonly Purpose[],
  paint: Paint,
): string {
  const commands = purposes.flatMap(({ commands: list }) => list)
  const name = words.join(' ')
  const command = commands.find((candidate) => candidate.name === name)
  const group = commands.filter((candidate) => candidate.name.startsWith(`${words[0]} `))
  if (command !== undefined) return commandHelp(command, words.length === 1 ? group : [], paint)
  return group.length > 0 ? groupHelp(words[0]!, group, paint) : overview(purposes, paint)
}

/** How a command is called, in one line. */
export function usageOf({ name, arguments: list, options }: Command): string {
  const words = list.map(({ name: word, optional, many, piped }) => {
    const shown = many ? `${word}...` : word
    return optional || piped ? `[${shown}]` : shown
  })
  const tail = Object.keys(options).length > 0 ? ['[options]'] : []
  return ['avmkit', name, ...words, ...tail].join(' ')
}

function commandHelp(command: Command, group: readonly Command[], paint: Paint): string {
  const { summary, details, arguments: list, options, example } = command
  const own = optionRows(options)
  const general = optionRows(globalOptions)
  const width = Math.max(
    ...[...own, ...general, ...list.map((a) => [a.name])].map(([n]) => n!.length),
  )
  const rows = (title: string, items: readonly (readonly [string, string])[]) =>
    items.length === 0 ? [] : ['', paint.bold(title), ...columns(items, width)]
  return [
    summary,
    '',
    `  ${usageOf(command)}`,
    ...(details === undefined ? [] : ['', details]),
    ...rows('arguments', argumentRows(list)),
    ...rows('options', own),
    ...rows('global options', general),
    '',
    paint.bold('example'),
    `  avmkit ${example}`,
    ...(group.length === 0 ? [] : ['', paint.bold('more commands'), ...commandRows(group)]),
  ].join('\n')
}

function groupHelp(word: string, group: readonly Command[], paint: Paint): string {
  return [
    `avmkit ${word} COMMAND [options]`,
    '',
    ...commandRows(group),
    '',
    paint.dim(`avmkit ${group[0]!.name} --help shows its options and an example`),
  ].join('\n')
}

/** Environment variables, for the help and the man page. */
export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['AVMKIT_URL', 'URL of the node, or several with commas, if --url is not given'],
  ['AVMKIT_QUORUM', 'number of servers that must agree, if --quorum is not given'],
  ['AVMKIT_CHAIN', 'chain, if --chain is not given'],
  ['AVMKIT_KEY', 'private key or mnemonic, if --key-file is not given'],
  ['AVMKIT_MNEMONIC', 'mnemonic, if AVMKIT_KEY is not set'],
  ['AVMKIT_PASSWORD_FILE', 'file whose first line is the password of encrypted key files'],
  ['AVMKIT_NEW_PASSWORD_FILE', 'file with the new password for keys change-password'],
  ['AVMKIT_PASSPHRASE_FILE', 'file whose first line is the BIP-39 passphrase of the mnemonic'],
  ['AVMKIT_ACCOUNTS', 'file of the named accounts; default ~/.config/avmkit/accounts.json'],
  ['AVMKIT_NETWORK', 'network, if --network is not given'],
  ['AVMKIT_CONFIG', 'config file; default ~/.config/avmkit/config.json'],
  ['AVMKIT_METRICS_URL', 'URL of the metrics API, if --url is not given'],
  ['AVMKIT_DATABASE', 'URL of the custody database, if --database is not given'],
  ['AVMKIT_DATA_URL', 'URL of the data API, if --url is not given'],
  ['AVMKIT_DATA_KEY', 'key of the data API, if --api-key-file is not given'],
  ['XDG_STATE_HOME', 'folder of avmkit/*.journal; default ~/.local/state'],
  ['NO_COLOR', 'disables colors'],
]

/** For the help and the man page. */
export const EXIT_CODES =
  'Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted by Ctrl-C, 143 by SIGTERM.'

function overview(purposes: readonly Purpose[], paint: Paint): string {
  const sections = purposes.map((purpose) => ({
    title: purpose.title,
    rows: overviewRows(purpose),
  }))
  const width = Math.max(...sections.flatMap(({ rows }) => rows.map(([name]) => name.length)))
  return [
    'avmkit: build, explain, sign and read X-Chain transactions',
    '',
    '  avmkit COMMAND [options]',
    '',
    ...sections.flatMap(({ title, rows }) => [paint.bold(title), ...columns(rows, width), '']),
    paint.bold('global options'),
    ...columns(optionRows(globalOptions)),
    '',
    paint.bold('environment'),
    ...columns(ENVIRONMENT),
    '',
    EXIT_CODES,
    paint.dim(
      'avmkit COMMAND --help shows its options and an example; avmkit error CODE explains an error',
    ),
  ].join('\n')
}

/** One row per command, and one for all commands of a group. */
function overviewRows({ commands, groups = {} }: Purpose): [string, string][] {
  const rows = new Map<string, string>()
  for (const { name, summary } of commands) {
    const [word, second] = name.split(' ') as [string, string?]
    if (second === undefined) rows.set(word, summary)
    else rows.set(`${word} COMMAND`, groups[word]!)
  }
  return [...rows]
}

function commandRows(commands: readonly Command[]): string[] {
  return columns(commands.map(({ name, summary }) => [name, summary]))
}

/** Options with their placeholders, and their help. */
export function optionRows(options: Options): [string, string][] {
  return Object.entries(options).map(([name, { value, short, alias, choices, help }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${alias === undefined ? '' : `, --${alias}`}${value === undefined ? '' : ` ${value}`}`,
    withChoices(help, choices),
  ])
}

/** Arguments and their help. */
export function argumentRows(list: readonly Argument[]): [string, string][] {
  return list.map(({ name, help, choices }) => [name, withChoices(help, choices)])
}

function withChoices(help: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? help : `${help} (${choices.join(', ')})`
}

function columns(
  rows: readonly (readonly [string, string])[],
  width: number = Math.max(...rows.map(([name]) => name.length)),
): string[] {
  return rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`)
}
