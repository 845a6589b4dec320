import { type Command, globalOptions, type Options } from './command.ts'

/** The shells that completion can be written for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** A script that completes commands, options and their choices; made from the same table as the help. */
export function completionScript(
  shell: (typeof SHELLS)[number],
  commands: readonly Command[],
): string {
  switch (shell) {
    case 'bash':
      return bash(commands)
    case 'zsh':
      return zsh(commands)
    case 'fish':
      return fish(commands)
  }
}

/** The words that can follow: of all commands, or of one group. */
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

const takesFile = (value: string | undefined): boolean => value === 'FILE' || value === 'FOLDER'

function bash(commands: readonly Command[]): string {
  const choices = new Map<string, readonly string[]>()
  const files = new Set<string>()
  const values = new Set<string>()
  for (const command of commands)
    for (const [name, option] of Object.entries(optionsOf(command))) {
      if (option.choices !== undefined) choices.set(name, option.choices)
      else if (takesFile(option.value)) files.add(name)
      else if (option.value !== undefined) values.add(name)
    }
  const reply = (words: readonly string[]) =>
    `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur"))`
  return [
    '# avmkit completion for bash: source <(avmkit completion bash)',
    '_avmkit() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own braces
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own braces
    '  local one="${COMP_WORDS[1]}" two="${COMP_WORDS[1]} ${COMP_WORDS[2]}"',
    '  case "$prev" in',
    ...[...choices].map(([name, words]) => `    --${name}) ${reply(words)}; return ;;`),
    `    ${[...files].map((name) => `--${name}`).join('|')}) COMPREPLY=($(compgen -f -- "$cur")); return ;;`,
    `    ${[...values].map((name) => `--${name}`).join('|')}) return ;;`,
    '  esac',
    `  if [[ $COMP_CWORD -eq 1 ]]; then ${reply(nextWords(commands))}; return; fi`,
    '  if [[ $COMP_CWORD -eq 2 && "$cur" != -* ]]; then',
    '    case "$one" in',
    ...groupsOf(commands).map(
      (group) => `      ${group}) ${reply(nextWords(commands, group))}; return ;;`,
    ),
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
  const summaryOf = (word: string) =>
    commands.find(({ name }) => name === word)?.summary ?? `${word} commands`
  const specs = (command: Command) =>
    Object.entries(optionsOf(command)).map(([name, option]) => {
      const help = option.help.replaceAll(/[[\]:]/g, ' ')
      const action =
        option.choices !== undefined
          ? `(${option.choices.join(' ')})`
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
    '  if (( CURRENT == 2 )); then',
    `    words_here=(${described(nextWords(commands).map((word) => [word, summaryOf(word)]))})`,
    '    _describe command words_here; return',
    '  fi',
    '  if (( CURRENT == 3 )); then',
    '    case "$words[2]" in',
    ...groupsOf(commands).map((group) => {
      const entries = nextWords(commands, group).map(
        (word) => [word, summaryOf(`${group} ${word}`)] as const,
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
      return `    ${pattern}) _arguments ${specs(command).join(' ')} '*:argument:_files' ;;`
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
  for (const word of nextWords(commands)) {
    const summary = commands.find(({ name }) => name === word)?.summary ?? `${word} commands`
    lines.push(`complete -c avmkit -n __fish_use_subcommand -a ${word} -d ${quote(summary)}`)
  }
  for (const group of groupsOf(commands))
    for (const word of nextWords(commands, group)) {
      const { summary } = commands.find(({ name }) => name === `${group} ${word}`)!
      const words = nextWords(commands, group).join(' ')
      const when = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${words}`
      lines.push(`complete -c avmkit -n ${quote(when)} -a ${word} -d ${quote(summary)}`)
    }
  for (const command of commands) {
    const when = command.name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    for (const [name, option] of Object.entries(optionsOf(command))) {
      const value =
        option.value === undefined
          ? ''
          : option.choices !== undefined
            ? ` -x -a ${quote(option.choices.join(' '))}`
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
