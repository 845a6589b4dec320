import { parseArgs } from 'node:util'
import { nearest } from '../core/base/nearest.ts'
import { holdsSecret, isHexKey, isPhrase } from '../inspect/secrets.ts'
import { type Command, globalOptions, type Option, type Options } from './command.ts'
import { UsageError } from './errors.ts'
import { Values } from './values.ts'

/** What a command line asks for. */
export type Request =
  | { readonly kind: 'run'; readonly command: Command; readonly values: Values }
  /** `asked` is false if help is shown because the command line names no command. */
  | { readonly kind: 'help'; readonly words: readonly string[]; readonly asked: boolean }
  | { readonly kind: 'version' }

/** An option as it was given: `raw` is its spelling, such as `-o` or `--out`. */
type Given = { readonly name: string; readonly raw: string; readonly value: string | undefined }

/** Parses a command line. Errors never quote values, which may be secret. */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Request {
  refuseSecrets(argv)
  const all: { [name: string]: Option } = { ...globalOptions }
  for (const command of commands) Object.assign(all, command.options)
  const { words, given } = parseTokens(argv, all)
  if (given.some(({ name }) => name === 'version')) return { kind: 'version' }
  refuseHexKeys(words, given)
  const command = findCommand(words, commands)
  if (command === undefined && words[0] === 'help') {
    const about = words.slice(1)
    if (findCommand(about, commands) === undefined) refuseUnknown(about, commands)
    return { kind: 'help', words: about, asked: true }
  }
  if (given.some(({ name }) => name === 'help')) {
    if (command === undefined) refuseUnknown(words, commands)
    return { kind: 'help', words: command?.name.split(' ') ?? words, asked: true }
  }
  if (command === undefined) {
    const firstUnknown = given.find(({ name }) => all[name] === undefined)
    if (firstUnknown !== undefined) throw unknownOption(firstUnknown.raw, all)
    refuseUnknown(words, commands)
    return { kind: 'help', words, asked: false }
  }
  const args = words.slice(command.name.split(' ').length)
  const options = { ...command.options, ...globalOptions }
  const values = checkOptions(given, options, all)
  checkArguments(args, command)
  return { kind: 'run', command, values: new Values(args, values) }
}

/** The command whose name is the first two words, or else the first word. */
function findCommand(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const named = (name: string) => commands.find((command) => command.name === name)
  return named(words.slice(0, 2).join(' ')) ?? named(words[0] ?? '')
}

/** Throws unless the words name a command or a group. */
function refuseUnknown(words: readonly string[], commands: readonly Command[]): void {
  const [first, second] = words
  if (first === undefined) return
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0 && second === undefined) return
  const [word, names] =
    group.length > 0
      ? [second!, group.map(({ name }) => name.split(' ')[1]!)]
      : [first, [...new Set(commands.map(({ name }) => name.split(' ')[0]!))]]
  const suggestion = names.find((name) => isSwapped(word, name)) ?? nearest(word, names)
  const prefix = group.length > 0 ? `${first} ` : ''
  throw new UsageError(
    'UNKNOWN_COMMAND',
    `unknown command ${prefix}${word.length <= 20 ? word : '…'}`,
    {
      hint:
        suggestion === undefined
          ? `avmkit ${prefix}--help lists them`
          : `did you mean ${prefix}${suggestion}? avmkit ${prefix}--help lists them`,
    },
  )
}

/** Whether two neighboring letters are swapped, which an edit distance counts as two mistakes. */
function isSwapped(word: string, name: string): boolean {
  const at = [...word].findIndex((letter, i) => letter !== name[i])
  const swapped = word.slice(0, at) + word.slice(at).replace(/^(.)(.)/, '$2$1')
  return at !== -1 && swapped === name
}

function parseTokens(argv: readonly string[], all: Options): { words: string[]; given: Given[] } {
  const names = new Map(
    Object.entries(all).flatMap(([name, { alias }]) =>
      alias === undefined ? [] : [[alias, name]],
    ),
  )
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(all).flatMap(([name, { value, short, alias }]) => {
        const type = value === undefined ? ('boolean' as const) : ('string' as const)
        // parseArgs of Node 20 rejects `short: undefined`.
        const own = { type, multiple: true, ...(short === undefined ? {} : { short }) }
        return [[name, own] as const, ...(alias === undefined ? [] : [[alias, { type }] as const])]
      }),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const words: string[] = []
  const given: Given[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { rawName: raw, value, inlineValue } = token
    const name = names.get(token.name) ?? token.name
    // In `--url --json` the URL is missing; a value that starts with a dash must be written --url=…
    if (value !== undefined && !inlineValue && value.startsWith('-') && value !== '-')
      throw /^-[0-9.]/.test(value) ? negativeValue(raw) : missingValue(raw, all[name]!)
    given.push({ name, raw, value })
  }
  return { words, given }
}

function checkOptions(
  given: readonly Given[],
  options: Options,
  all: Options,
): Map<string, readonly string[]> {
  const values = new Map<string, readonly string[]>()
  for (const { name, raw, value } of given) {
    const option = Object.hasOwn(options, name) ? options[name]! : undefined
    if (option === undefined) throw unknownOption(raw, options, Object.hasOwn(all, name))
    if (option.value === undefined && value !== undefined)
      throw new UsageError('UNEXPECTED_VALUE', `the option ${raw} takes no value`)
    if (option.value !== undefined && (value === undefined || value === ''))
      throw missingValue(raw, option)
    const earlier = values.get(name) ?? []
    if (earlier.length > 0 && option.value !== undefined && option.many === undefined)
      throw new UsageError('BAD_VALUE', `the option ${raw} was given more than once`)
    if (option.choices !== undefined && !option.choices.includes(value!))
      throw new UsageError(
        'BAD_VALUE',
        `the value of ${raw} must be one of ${option.choices.join(', ')}`,
      )
    values.set(name, [...earlier, value ?? ''])
  }
  return values
}

function checkArguments(args: readonly string[], command: Command): void {
  const needed = command.arguments.filter(({ optional, piped }) => !optional && !piped)
  const help = `avmkit ${command.name} --help`
  if (args.length < needed.length)
    throw new UsageError(
      'MISSING_ARGUMENT',
      `avmkit ${command.name} needs the argument ${needed[args.length]!.name}`,
      { hint: `for example: avmkit ${command.example}` },
    )
  const maxCount = command.arguments.at(-1)?.many
    ? Number.POSITIVE_INFINITY
    : command.arguments.length
  if (args.length > maxCount)
    throw new UsageError(
      'TOO_MANY_ARGUMENTS',
      `avmkit ${command.name} takes ${maxCount === 0 ? 'no arguments' : `at most ${maxCount}`}, not ${args.length}`,
      { hint: `${help} shows the usage` },
    )
  for (const [i, { name, choices }] of command.arguments.entries())
    if (args[i] !== undefined && choices !== undefined && !choices.includes(args[i]))
      throw new UsageError('BAD_VALUE', `${name} must be one of ${choices.join(', ')}`)
}

function unknownOption(raw: string, options: Options, elsewhere = false): UsageError {
  if (/^-[0-9.]/.test(raw))
    return new UsageError('BAD_VALUE', 'an argument starts with a minus sign followed by a digit', {
      hint: 'amounts cannot be negative',
    })
  if (raw === '--key')
    return new UsageError('UNKNOWN_OPTION', 'there is no option --key', { hint: KEY_NAMES_HINT })
  const names = Object.entries(options).flatMap(([name, { alias = name }]) => [name, alias])
  const suggestion = elsewhere ? undefined : nearest(raw.replace(/^-+/, ''), names)
  const shown = raw.length <= 32 ? raw : '…'
  return new UsageError(
    'UNKNOWN_OPTION',
    elsewhere ? `this command has no option ${shown}` : `unknown option ${shown}`,
    {
      hint: suggestion === undefined ? '--help lists the options' : `did you mean --${suggestion}?`,
    },
  )
}

/** `--key` could be either of two things, and one of them is secret. */
const KEY_NAMES_HINT =
  '--idempotency-key names a payment, so that it is made once; --key-file FILE or AVMKIT_KEY gives the private key'

function missingValue(raw: string, option: Option): UsageError {
  return new UsageError('MISSING_VALUE', `the option ${raw} needs a value: ${option.value}`)
}

function negativeValue(raw: string): UsageError {
  return new UsageError('BAD_VALUE', `the value of ${raw} starts with a minus sign`, {
    hint: `amounts and counts cannot be negative; write other values as ${raw}=VALUE`,
  })
}

/** Arguments are visible to all users of the machine and stay in the history of the shell. */
const KEY_HINT = 'pass keys with --key-file, AVMKIT_KEY or standard input'

function refuseSecrets(argv: readonly string[]): void {
  // A mnemonic without quotes is one argument per word.
  const words = argv.filter((arg) => /^[a-z]{3,8}$/i.test(arg)).join(' ')
  if (!argv.some(holdsSecret) && !isPhrase(words)) return
  throw new UsageError(
    'KEY_IN_ARGUMENT',
    'an argument contains a private key, which other users of this machine can see',
    {
      hint: `${KEY_HINT}; consider this key compromised`,
    },
  )
}

/** Options that may have a hash of 64 hex digits as value. */
const HASH_OPTIONS: readonly string[] = ['memo', 'payload', 'payload-hex']

function refuseHexKeys(words: readonly string[], given: readonly Given[]): void {
  // Arguments of `journal` are idempotency keys, which may be hashes.
  const wordsMayBeHashes =
    words[0] === 'journal' || given.some(({ name, value }) => name === 'as' && value === 'id')
  const values = given
    .filter(({ name }) => !HASH_OPTIONS.includes(name))
    .map(({ value }) => value ?? '')
  const texts = [...(wordsMayBeHashes ? [] : words), ...values].flatMap((text) =>
    text.split(/[=,:]/),
  )
  if (texts.some(isHexKey))
    throw new UsageError(
      'KEY_IN_ARGUMENT',
      'an argument has 64 hex digits, which may be a private key',
      { hint: `${KEY_HINT}; decode --as id reads them as an ID` },
    )
}
