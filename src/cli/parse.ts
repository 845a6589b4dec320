import { parseArgs } from 'node:util'
import { type Command, globalOptions, type Option, type Options } from './command.ts'
import { UsageError } from './errors.ts'
import { nearest } from './nearest.ts'
import { holdsSecret, isHexKey, isPhrase } from './secrets.ts'
import { Values } from './values.ts'

/** What a command line asks for: a command to run, or help on commands whose names begin alike. */
export type Request =
  | { readonly kind: 'run'; readonly command: Command; readonly values: Values }
  | { readonly kind: 'help'; readonly words: readonly string[]; readonly asked: boolean }
  | { readonly kind: 'version' }

type Given = { readonly name: string; readonly raw: string; readonly value: string | undefined }

/** Reads a command line by the table. Values are never quoted in errors: they may be secret. */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Request {
  refuseSecrets(argv)
  const all: { [name: string]: Option } = { ...globalOptions }
  for (const command of commands) Object.assign(all, command.options)
  const { words, given } = tokensOf(argv, all)
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
    const last = given.find(({ name }) => all[name] === undefined)
    if (last !== undefined) throw unknownOption(last.raw, all)
    refuseUnknown(words, commands)
    return { kind: 'help', words, asked: false }
  }
  const args = words.slice(command.name.split(' ').length)
  const options = { ...command.options, ...globalOptions }
  const values = checkOptions(given, options, all)
  checkArguments(args, command)
  return { kind: 'run', command, values: new Values(args, values) }
}

/** The command that the first words name, two words before one. */
function findCommand(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const named = (name: string) => commands.find((command) => command.name === name)
  return named(words.slice(0, 2).join(' ')) ?? named(words[0] ?? '')
}

/** Throws where the words name neither a command nor the beginning of some. */
function refuseUnknown(words: readonly string[], commands: readonly Command[]): void {
  const [first, second] = words
  if (first === undefined) return
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0 && second === undefined) return
  const [word, names] =
    group.length > 0
      ? [second!, group.map(({ name }) => name.split(' ')[1]!)]
      : [first, [...new Set(commands.map(({ name }) => name.split(' ')[0]!))]]
  const meant = nearest(word, names)
  const prefix = group.length > 0 ? `${first} ` : ''
  throw new UsageError(
    'UNKNOWN_COMMAND',
    `there is no command ${prefix}${word.length <= 20 ? word : 'of that name'}`,
    {
      hint:
        meant === undefined
          ? `avmkit ${prefix}--help lists them`
          : `did you mean ${prefix}${meant}? avmkit ${prefix}--help lists them`,
    },
  )
}

function tokensOf(argv: readonly string[], all: Options): { words: string[]; given: Given[] } {
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(all).map(([name, { value, short }]) => [
        name,
        {
          type: value === undefined ? ('boolean' as const) : ('string' as const),
          multiple: true,
          ...(short === undefined ? {} : { short }),
        },
      ]),
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
    const { name, rawName: raw, value, inlineValue } = token
    // `--url --json` names no url: a value that looks like an option must be written --url=…
    if (value !== undefined && !inlineValue && value.startsWith('-') && value !== '-')
      throw missingValue(raw, all[name]!)
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
        `expected one of ${option.choices.join(', ')} behind ${raw}`,
      )
    values.set(name, [...earlier, value ?? ''])
  }
  return values
}

function checkArguments(args: readonly string[], command: Command): void {
  const needed = command.arguments.filter(({ optional }) => !optional)
  const help = `avmkit ${command.name} --help`
  if (args.length < needed.length)
    throw new UsageError(
      'MISSING_ARGUMENT',
      `avmkit ${command.name} expects ${needed[args.length]!.name}`,
      { hint: `for example: avmkit ${command.example}` },
    )
  const most = command.arguments.at(-1)?.many ? Number.POSITIVE_INFINITY : command.arguments.length
  if (args.length > most)
    throw new UsageError(
      'TOO_MANY_ARGUMENTS',
      `avmkit ${command.name} expects ${most === 0 ? 'no arguments' : `at most ${most}`}, found ${args.length}`,
      { hint: `${help} shows its use` },
    )
  for (const [i, { name, choices }] of command.arguments.entries())
    if (args[i] !== undefined && choices !== undefined && !choices.includes(args[i]))
      throw new UsageError('BAD_VALUE', `expected one of ${choices.join(', ')} for ${name}`)
}

function unknownOption(raw: string, options: Options, elsewhere = false): UsageError {
  const meant = elsewhere ? undefined : nearest(raw.replace(/^-+/, ''), Object.keys(options))
  const shown = raw.length <= 32 ? raw : 'of that name'
  return new UsageError(
    'UNKNOWN_OPTION',
    elsewhere ? `the option ${shown} is not for this command` : `there is no option ${shown}`,
    { hint: meant === undefined ? '--help lists the options' : `did you mean --${meant}?` },
  )
}

function missingValue(raw: string, option: Option): UsageError {
  return new UsageError('MISSING_VALUE', `expected ${option.value} behind ${raw}`)
}

/** Arguments can be seen by everybody on the machine and stay in the shell's history. */
const HIDING = 'put a key into a file for --key-file, into AVMKIT_KEY, or pipe it in'

function refuseSecrets(argv: readonly string[]): void {
  // A mnemonic without quotes is a word in each argument.
  const words = argv.filter((arg) => /^[a-z]{3,8}$/i.test(arg)).join(' ')
  if (!argv.some(holdsSecret) && !isPhrase(words)) return
  throw new UsageError('KEY_IN_ARGUMENT', 'found a key among the arguments, where others see it', {
    hint: `${HIDING}; this one is no longer secret`,
  })
}

/** Options whose 64 hex digits are more likely a hash than a key. */
const HASHES: readonly string[] = ['memo', 'payload', 'payload-hex']

function refuseHexKeys(words: readonly string[], given: readonly Given[]): void {
  // Behind `journal`, words are idempotency keys, which may be hashes.
  const wordsMayBeHashes =
    words[0] === 'journal' || given.some(({ name, value }) => name === 'as' && value === 'id')
  const values = given.filter(({ name }) => !HASHES.includes(name)).map(({ value }) => value ?? '')
  const texts = [...(wordsMayBeHashes ? [] : words), ...values].flatMap((text) =>
    text.split(/[=,:]/),
  )
  if (texts.some(isHexKey))
    throw new UsageError(
      'KEY_IN_ARGUMENT',
      'found 64 hex digits among the arguments, which may be a key',
      { hint: `${HIDING}; decode --as id reads them as an ID` },
    )
}
