import { type Command, globalOptions } from './command.ts'
import { ENVIRONMENT, EXIT_CODES, optionRows, usageOf } from './help.ts'

/** The manual page of the program in roff, made from the same table as the help. */
export function manPage(commands: readonly Command[], version: string): string {
  return [
    `.TH AVMKIT 1 "" "avmkit ${version}" "User Commands"`,
    '.SH NAME',
    'avmkit \\- build, explain, sign and read X\\-Chain transactions',
    '.SH SYNOPSIS',
    '.B avmkit',
    '.I COMMAND',
    '[options]',
    '.SH OPTIONS',
    ...definitions(optionRows(globalOptions)),
    '.SH COMMANDS',
    ...commands.flatMap(commandSection),
    '.SH ENVIRONMENT',
    ...definitions(ENVIRONMENT),
    '.SH EXIT STATUS',
    roff(EXIT_CODES),
    '',
  ].join('\n')
}

function commandSection(command: Command): string[] {
  const { summary, details, arguments: list, options, example } = command
  return [
    `.SS ${roff(usageOf(command))}`,
    `${roff(summary.charAt(0).toUpperCase() + summary.slice(1))}.`,
    ...(details === undefined ? [] : [roff(details.replaceAll('\n', ' '))]),
    ...definitions(list.map(({ name, help }) => [name, help])),
    ...definitions(optionRows(options)),
    '.PP',
    'Example:',
    `.RS\n.nf\navmkit ${roff(example)}\n.fi\n.RE`,
  ]
}

function definitions(rows: readonly (readonly [string, string])[]): string[] {
  return rows.flatMap(([name, help]) => ['.TP', `.B ${roff(name)}`, roff(help)])
}

/** Escapes what roff treats as markup; a dash of an option must not become a hyphen. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll('’', "'")
    .replace(/^[.']/gm, '\\&$&')
}
