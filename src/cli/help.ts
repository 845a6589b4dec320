import { type Command, globalOptions, type Options } from './command.ts'
import type { Paint } from './print.ts'

/** Help on one command, on a group of them, or on all. */
export function helpText(
  words: readonly string[],
  commands: readonly Command[],
  paint: Paint,
): string {
  const name = words.join(' ')
  const command = commands.find((candidate) => candidate.name === name)
  if (command !== undefined) return commandHelp(command, paint)
  const group = commands.filter((candidate) => candidate.name.startsWith(`${words[0]} `))
  return group.length > 0 ? groupHelp(words[0]!, group, paint) : overview(commands, paint)
}

/** How a command is called, in one line. */
function usageOf({ name, arguments: list, options }: Command): string {
  const words = list.map(({ name: word, optional, many }) => {
    const shown = many ? `${word}...` : word
    return optional ? `[${shown}]` : shown
  })
  const tail = Object.keys(options).length > 0 ? ['[options]'] : []
  return ['avmkit', name, ...words, ...tail].join(' ')
}

function commandHelp(command: Command, paint: Paint): string {
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
    ...rows(
      'arguments',
      list.map(({ name, help }) => [name, help]),
    ),
    ...rows('options', own),
    ...rows('everywhere', general),
    '',
    paint.bold('example'),
    `  avmkit ${example}`,
  ].join('\n')
}

function groupHelp(word: string, group: readonly Command[], paint: Paint): string {
  return [
    `avmkit ${word} COMMAND [options]`,
    '',
    ...commandRows(group),
    '',
    paint.dim(`avmkit ${group[0]!.name} --help tells more about one of them`),
  ].join('\n')
}

function overview(commands: readonly Command[], paint: Paint): string {
  return [
    'avmkit: build, explain, sign and read X-Chain transactions',
    '',
    '  avmkit COMMAND [options]',
    '',
    paint.bold('commands'),
    ...commandRows(commands),
    '',
    paint.bold('everywhere'),
    ...columns(optionRows(globalOptions)),
    '',
    paint.bold('environment'),
    ...columns([
      ['AVMKIT_URL', 'the node, where no --url is given'],
      ['AVMKIT_CHAIN', 'the chain, if no --chain is given'],
      ['AVMKIT_KEY', 'a private key or mnemonic, where no --key-file is given'],
      ['AVMKIT_MNEMONIC', 'a mnemonic, where no AVMKIT_KEY is set'],
      ['AVMKIT_NETWORK', 'the network, where no --network is given'],
      ['AVMKIT_CONFIG', 'the settings file, instead of ~/.config/avmkit/config.json'],
      ['AVMKIT_METRICS_URL', 'the metrics interface, where no --url is given'],
      ['AVMKIT_DATABASE', 'URL of the custody database, if no --database is given'],
      ['AVMKIT_DATA_URL', 'the data interface, where no --url is given'],
      ['AVMKIT_DATA_KEY', 'a key of the data interface, where no --api-key-file is given'],
      ['XDG_STATE_HOME', 'where journals are, in its folder avmkit; default: ~/.local/state'],
      ['NO_COLOR', 'no colours if set'],
    ]),
    '',
    'It ends with 0 when done, 1 when it failed, 2 when the command line is wrong.',
    paint.dim('avmkit COMMAND --help tells more, with an example'),
  ].join('\n')
}

function commandRows(commands: readonly Command[]): string[] {
  return columns(commands.map(({ name, summary }) => [name, summary]))
}

function optionRows(options: Options): [string, string][] {
  return Object.entries(options).map(([name, { value, short, choices, help }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    choices === undefined ? help : `${help} (${choices.join(', ')})`,
  ])
}

function columns(
  rows: readonly (readonly [string, string])[],
  width: number = Math.max(...rows.map(([name]) => name.length)),
): string[] {
  return rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`)
}
