import { type Command, globalOptions, type Option, type Options } from './command.ts'

/** The shells that have a completion script. */
export type Shell = 'bash' | 'zsh' | 'fish'

/** A script that completes commands, options and their values; made from the same table as the help. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands)
    case 'zsh':
      return zsh(commands)
    case 'fish':
      return fish(commands)
  }
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

function optionsOf(command: Command): Options {
  return { ...command.options, ...globalOptions }
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

function bash(commands: readonly Command[]): string {
  const choices = new Map<string, readonly string[]>()
  const files = new Set<string>()
  const values = new Set<string>()
  for (const command of commands)
    for (const [name, option] of Object.entries(optionsOf(command))) {
      const words = valuesOf(option)
      if (words !== undefined)
        choices.set(name, [...new Set([...(choices.get(name) ?? []), ...words])])
      else if (takesFile(option.value)) files.add(name)
      else if (option.value !== undefined) values.add(name)
    }
  const reply = (words: readonly string[]) =>
    `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur"))`
  return [
    '# avmkit completion for bash: source <(avmkit completion bash)',
    '_avmkit() {',
    // After help the same words follow as after the program.
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
    ...[...choices].map(([name, words]) => `    --${name}) ${reply(words)}; return ;;`),
    `    ${[...files].map((name) => `--${name}`).join('|')}) COMPREPLY=($(compgen -f -- "$cur")); return ;;`,
    `    ${[...values].map((name) => `--${name}`).join('|')}) return ;;`,
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
    ...commands.map((command) => {
      const pattern = command.name.includes(' ') ? `"${command.name}"` : `"${command.name} "*`
      const words = Object.keys(optionsOf(command)).map((name) => `--${name}`)
      return `      ${pattern}) ${reply(words)}; return ;;`
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
    Object.entries(optionsOf(command)).map(([name, option]) => {
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
    '  if (( CURRENT == 3 )); then',
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
    ...commands.map((command) => {
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
  const lines = [
    '# avmkit completion for fish: avmkit completion fish | source',
    'complete -c avmkit -f',
  ]
  const behindHelp = `__fish_seen_subcommand_from help; and not __fish_seen_subcommand_from ${nextWords(commands).join(' ')}`
  for (const word of firstWords(commands)) {
    const shown = quote(summaryOf(word, commands))
    lines.push(`complete -c avmkit -n __fish_use_subcommand -a ${word} -d ${shown}`)
    if (word !== 'help')
      lines.push(`complete -c avmkit -n ${quote(behindHelp)} -a ${word} -d ${shown}`)
  }
  for (const [name, words] of choicesOf(commands)) {
    const list = words.join(' ')
    const seen = name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    const when = `${seen}; and not __fish_seen_subcommand_from ${list}`
    lines.push(`complete -c avmkit -n ${quote(when)} -a ${quote(list)}`)
  }
  for (const group of groupsOf(commands))
    for (const word of nextWords(commands, group)) {
      const summary = summaryOf(`${group} ${word}`, commands)
      const words = nextWords(commands, group).join(' ')
      const when = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${words}`
      lines.push(`complete -c avmkit -n ${quote(when)} -a ${word} -d ${quote(summary)}`)
    }
  for (const command of commands) {
    const when = command.name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    if (command.arguments.some(({ name }) => takesFile(name)))
      lines.push(`complete -c avmkit -n ${quote(when)} -F`)
    for (const [name, option] of Object.entries(optionsOf(command))) {
      const value =
        option.value === undefined
          ? ''
          : valuesOf(option) !== undefined
            ? ` -x -a ${quote(valuesOf(option)!.join(' '))}`
            : takesFile(option.value)
              ? ' -r -F'
              : ' -x'
      const short = option.short === undefined ? '' : ` -s ${option.short}`
      lines.push(
        `complete -c avmkit -n ${quote(when)} -l ${name}${short}${value} -d ${quote(option.help)}`,
      )
    }
  }
  return lines.join('\n')
}
