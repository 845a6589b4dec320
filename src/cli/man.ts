import { type Command, globalOptions, type Result } from './command.ts'
import { argumentRows, ENVIRONMENT, EXIT_CODES, optionRows, usageOf } from './help.ts'
import { VERSION } from './version.ts'

/** Prints the manual page in roff, generated from the table of the commands. */
export function man(commands: readonly Command[]): Result {
  const page = manPage(commands)
  return { json: { page }, text: page.trimEnd() }
}

function manPage(commands: readonly Command[]): string {
  return [
    `.TH AVMKIT 1 "" "avmkit ${VERSION}" "User Commands"`,
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
    ...definitions(argumentRows(list)),
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
