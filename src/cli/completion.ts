import { type Command, globalOptions, type Option, type Options, type Result } from './command.ts'
import type { Invocation } from './invocation.ts'

/** The shells that have a completion script. */
type Shell = 'bash' | 'zsh' | 'fish'

/** Prints a script that completes commands, options and their values, generated from the table of the commands. */
export function completion({ values }: Invocation, commands: readonly Command[]): Result {
  const shell = values.args[0] as Shell
  const script = { bash, zsh, fish }[shell](commands)
  return { json: { shell, script }, text: script }
}

/** Patterns are matched in order: `devnode fault` must come before `devnode` with any argument. */
function longestFirst(commands: readonly Command[]): readonly Command[] {
  const wordsIn = ({ name }: Command) => name.split(' ').length
  return commands.toSorted((a, b) => wordsIn(b) - wordsIn(a))
}

/** Words that can come first. */
function firstWords(commands: readonly Command[]): string[] {
  return [...nextWords(commands), 'help']
}

/** Choices of the first argument, by command. */
function choicesOf(commands: readonly Command[]): (readonly [string, readonly string[]])[] {
  return commands.flatMap(({ name, arguments: [first] }) =>
    first?.choices === undefined ? [] : [[name, first.choices] as const],
  )
}

/** Words that can follow: of all commands, or of one group. */
function nextWords(commands: readonly Command[], group?: string): string[] {
  const names = commands.map(({ name }) => name.split(' '))
  const words = names
    .filter(([first, second]) => group === undefined || (first === group && second !== undefined))
    .map(([first, second]) => (group === undefined ? first! : second!))
  return [...new Set(words)]
}

function groupsOf(commands: readonly Command[]): string[] {
  return nextWords(commands).filter((word) => nextWords(commands, word).length > 0)
}

/** The options of a command by all their names. */
function allOptionsOf(command: Command): Options {
  const options = { ...command.options, ...globalOptions }
  const aliases = Object.values(options).flatMap((option) =>
    option.alias === undefined ? [] : [[option.alias, option] as const],
  )
  return { ...options, ...Object.fromEntries(aliases) }
}

function summaryOf(word: string, commands: readonly Command[]): string {
  if (word === 'help') return 'show help'
  return commands.find(({ name }) => name === word)?.summary ?? `${word} commands`
}

/** Values that can be offered for an option: all there are, or the common ones. */
function valuesOf({ choices, suggestions }: Option): readonly string[] | undefined {
  return choices ?? suggestions
}

const takesFile = (value: string | undefined): boolean => value === 'FILE' || value === 'FOLDER'

/** Commands by the action that completes the value of an option, by option. */
type ValueActions = Map<string, Map<string, Command[]>>

function bash(commands: readonly Command[]): string {
  const reply = (words: readonly string[]) =>
    `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur"))`
  const actions: ValueActions = new Map()
  for (const command of commands)
    for (const [name, option] of Object.entries(allOptionsOf(command))) {
      if (option.value === undefined) continue
      const words = valuesOf(option)
      const action =
        words !== undefined
          ? reply(words)
          : takesFile(option.value)
            ? 'COMPREPLY=($(compgen -f -- "$cur"))'
            : ':'
      const commandsByAction = actions.get(name) ?? new Map<string, Command[]>()
      commandsByAction.set(action, [...(commandsByAction.get(action) ?? []), command])
      actions.set(name, commandsByAction)
    }
  const patternOf = ({ name }: Command) => (name.includes(' ') ? `"${name}"` : `"${name} "*`)
  // Where the values depend on the command, the pattern of a group comes after those of its commands.
  const valueArms = [...actions].flatMap(([name, commandsByAction]) => {
    if (commandsByAction.size === 1)
      return [`    --${name}) ${[...commandsByAction.keys()][0]}; return ;;`]
    const arms = (isWanted: (command: Command) => boolean) =>
      [...commandsByAction].flatMap(([action, list]) => {
        const patterns = list.filter(isWanted).map(patternOf)
        return patterns.length === 0 ? [] : [`      ${patterns.join('|')}) ${action} ;;`]
      })
    const isGrouped = (command: Command) => command.name.includes(' ')
    return [
      `    --${name}) case "$two" in`,
      ...arms(isGrouped),
      ...arms((command) => !isGrouped(command)),
      '      esac; return ;;',
    ]
  })
  return [
    '# avmkit completion for bash: source <(avmkit completion bash)',
    '_avmkit() {',
    // After `help` the same words follow as after the program.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own braces
    '  if [[ $COMP_CWORD -gt 1 && "${COMP_WORDS[1]}" == help ]]; then',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own braces
    '    local COMP_WORDS=(avmkit "${COMP_WORDS[@]:2}") COMP_CWORD=$((COMP_CWORD - 1))',
    '  fi',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own braces
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own braces
    '  local one="${COMP_WORDS[1]}" two="${COMP_WORDS[1]} ${COMP_WORDS[2]}"',
    '  case "$prev" in',
    ...valueArms,
    '  esac',
    `  if [[ $COMP_CWORD -eq 1 ]]; then ${reply(firstWords(commands))}; return; fi`,
    '  if [[ $COMP_CWORD -eq 2 && "$cur" != -* ]]; then',
    '    case "$one" in',
    ...groupsOf(commands).map(
      (group) => `      ${group}) ${reply(nextWords(commands, group))}; return ;;`,
    ),
    ...choicesOf(commands)
      .filter(([name]) => !name.includes(' '))
      .map(([name, words]) => `      ${name}) ${reply(words)}; return ;;`),
    '    esac',
    '  fi',
    '  if [[ $COMP_CWORD -eq 3 && "$cur" != -* ]]; then',
    '    case "$two" in',
    ...choicesOf(commands)
      .filter(([name]) => name.includes(' '))
      .map(([name, words]) => `      "${name}") ${reply(words)}; return ;;`),
    '    esac',
    '  fi',
    '  if [[ "$cur" == -* ]]; then',
    '    case "$two" in',
    ...longestFirst(commands).map((command) => {
      const words = Object.keys(allOptionsOf(command)).map((name) => `--${name}`)
      return `      ${patternOf(command)}) ${reply(words)}; return ;;`
    }),
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -f -- "$cur"))',
    '}',
    'complete -F _avmkit avmkit',
  ].join('\n')
}

function zsh(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const described = (entries: readonly (readonly [string, string])[]) =>
    entries.map(([word, help]) => quote(`${word}:${help}`)).join(' ')
  const specs = (command: Command) =>
    Object.entries(allOptionsOf(command)).map(([name, option]) => {
      const help = option.help.replaceAll(/[[\]:]/g, ' ')
      const action =
        valuesOf(option) !== undefined
          ? `(${valuesOf(option)!.join(' ')})`
          : takesFile(option.value)
            ? '_files'
            : ' '
      const value = option.value === undefined ? '' : `:${option.value}:${action}`
      return quote(`${option.many ? '*' : ''}--${name}[${help}]${value}`)
    })
  return [
    '#compdef avmkit',
    '# avmkit completion for zsh: source <(avmkit completion zsh)',
    '_avmkit() {',
    '  local -a words_here',
    '  if (( CURRENT > 2 )) && [[ "$words[2]" == help ]]; then shift words; (( CURRENT-- )); fi',
    '  if (( CURRENT == 2 )); then',
    `    words_here=(${described(firstWords(commands).map((word) => [word, summaryOf(word, commands)]))})`,
    '    _describe command words_here; return',
    '  fi',
    '  if (( CURRENT == 3 )) && [[ "$words[3]" != -* ]]; then',
    '    case "$words[2]" in',
    ...groupsOf(commands).map((group) => {
      const entries = nextWords(commands, group).map(
        (word) => [word, summaryOf(`${group} ${word}`, commands)] as const,
      )
      return `      ${group}) words_here=(${described(entries)}); _describe command words_here; return ;;`
    }),
    '    esac',
    '  fi',
    '  case "$words[2] $words[3]" in',
    ...longestFirst(commands).map((command) => {
      const pattern = command.name.includes(' ')
        ? quote(command.name)
        : `${quote(`${command.name} `)}*`
      const [first] = command.arguments
      const words = first?.choices === undefined ? '_files' : `(${first.choices.join(' ')})`
      return `    ${pattern}) _arguments ${specs(command).join(' ')} '*:argument:${words}' ;;`
    }),
    '  esac',
    '}',
    'if [ "$funcstack[1]" = "_avmkit" ]; then _avmkit "$@"; else compdef _avmkit avmkit; fi',
  ].join('\n')
}

function fish(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const pairs = commands.map(({ name }) => name).filter((name) => name.includes(' '))
  const lines = [
    '# avmkit completion for fish: avmkit completion fish | source',
    '# The command on the command line, without the word help and without options.',
    'function __avmkit_command',
    "  set -l words (commandline -opc | string match -v -- '-*')",
    '  set -e words[1]',
    '  if test "$words[1]" = help; set -e words[1]; end',
    `  if contains -- "$words[1] $words[2]" ${pairs.map(quote).join(' ')}`,
    '    echo "$words[1] $words[2]"',
    '  else',
    '    echo "$words[1]"',
    '  end',
    'end',
    'function __avmkit_is',
    '  set -l name (__avmkit_command)',
    '  test "$name" = "$argv"',
    'end',
    'complete -c avmkit -f',
  ]
  const add = (command: string, rest: string) =>
    lines.push(`complete -c avmkit -n ${quote(`__avmkit_is ${command}`.trim())} ${rest}`)
  for (const word of firstWords(commands))
    add('', `-a ${word} -d ${quote(summaryOf(word, commands))}`)
  for (const [name, words] of choicesOf(commands)) add(name, `-a ${quote(words.join(' '))}`)
  for (const group of groupsOf(commands))
    for (const word of nextWords(commands, group))
      add(group, `-a ${word} -d ${quote(summaryOf(`${group} ${word}`, commands))}`)
  for (const command of commands) {
    if (command.arguments.some(({ name }) => takesFile(name))) add(command.name, '-F')
    for (const [name, option] of Object.entries(allOptionsOf(command))) {
      const short = option.short === undefined ? '' : ` -s ${option.short}`
      add(command.name, `-l ${name}${short}${fishValue(option, quote)} -d ${quote(option.help)}`)
    }
  }
  return lines.join('\n')
}

function fishValue(option: Option, quote: (text: string) => string): string {
  if (option.value === undefined) return ''
  const values = valuesOf(option)
  if (values !== undefined) return ` -x -a ${quote(values.join(' '))}`
  return takesFile(option.value) ? ' -r -F' : ' -x'
}
