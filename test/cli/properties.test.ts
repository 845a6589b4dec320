import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc, test } from '@fast-check/vitest'
import { afterAll, describe, expect } from 'vitest'
import { globalOptions } from '../../src/cli/command.ts'
import { UsageError } from '../../src/cli/errors.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { commands } from '../../src/cli/table.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { encodeTx } from '../../src/core/chain/x/tx.ts'
import { encodeUTXO } from '../../src/core/chain/x/utxo.ts'
import { anyTx, anyUTXO } from '../helpers/arbitraries.ts'
import { runs } from '../helpers/runs.ts'
import { BOB, cli, LOCAL_AVAX } from './shell.ts'

const names = commands.map(({ name }) => name)
const optionNames = [
  ...new Set(commands.flatMap(({ options }) => Object.keys(options))),
  ...Object.keys(globalOptions),
]

/** Options without a value. */
const flags = optionNames.filter((name) =>
  [globalOptions, ...commands.map(({ options }) => options)].some(
    (options) => Object.hasOwn(options, name) && options[name]!.value === undefined,
  ),
)

const word = fc.oneof(
  fc.constantFrom(...names.flatMap((name) => name.split(' '))),
  fc.constantFrom(...optionNames.map((name) => `--${name}`)),
  fc.constantFrom(...flags.map((name) => `--${name}`)),
  // Few commands have the option.
  fc.stringMatching(/^--?[a-z][a-z-]{0,8}(=[a-z]{1,4})?$/),
  fc.constantFrom('-', '--', '-o', '-h', '--=x', '--json', '--help', '1', '-1', '1e9', BOB),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)

/** The name of a command or nothing, then anything. */
const anyArguments = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...names) },
      { weight: 1, arbitrary: fc.constant('') },
    ),
    fc.array(word, { maxLength: 6 }),
  )
  .map(([name, rest]) => [...name.split(' ').filter((part) => part !== ''), ...rest])

describe('parseCommandLine', () => {
  test.prop([anyArguments], runs(2000))(
    'understands any arguments, or throws a UsageError with a code',
    (argv) => {
      try {
        const { kind } = parseCommandLine(argv, commands)
        expect(['run', 'help', 'version']).toContain(kind)
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError)
        expect((error as UsageError).code).toMatch(/^[A-Z_]+$/)
      }
    },
  )

  test.prop([fc.constantFrom(...names, ''), fc.stringMatching(/^--zz[a-z]{0,10}(=[a-z])?$/)])(
    'refuses an option that no command has',
    (name, option) => {
      const argv = [...name.split(' ').filter((part) => part !== ''), option]
      let thrown: unknown
      try {
        parseCommandLine(argv, commands)
      } catch (error) {
        thrown = error
      }
      expect(thrown).toBeInstanceOf(UsageError)
      expect(thrown).toMatchObject({ code: 'UNKNOWN_OPTION' })
    },
  )
})

/** Texts that the offline commands read: whole, damaged and arbitrary ones. */
const text = fc.oneof(
  anyTx.map((tx) => hex.encode(encodeTx(tx))),
  anyUTXO.map((utxo) => hex.encode(encodeUTXO(utxo))),
  fc.tuple(anyTx, fc.nat(400)).map(([tx, length]) => hex.encode(encodeTx(tx)).slice(0, length)),
  fc.constantFrom(BOB, LOCAL_AVAX, '{}', '[]', '0x', '1.5', '-1', 'NodeID-', 'null'),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.json(),
)

const offline = fc.tuple(
  fc.constantFrom('decode', 'explain', 'address', 'convert'),
  text,
  fc.subarray(['--network=fuji', '--count=2', '--chain=P', '--as=tx'], { maxLength: 2 }),
)

describe('the offline commands', () => {
  test.prop([offline], runs(100))(
    'print one line of JSON or a typed error for any text, and the same again',
    async ([name, given, options]) => {
      // Given on standard input: arguments that look like a secret are refused before they are read.
      const run = () => cli([name, '-', '--json', ...options], { input: given })
      const ended = await run()
      if (ended.code === 0) {
        expect(ended.json()).toBeDefined()
        expect(ended.err).toBe('')
      } else {
        expect([1, 2]).toContain(ended.code)
        expect(ended.error().code).toMatch(/^[A-Z0-9_]+$/)
        expect(ended.err.trimEnd().split('\n').at(-1)).toMatch(/^\{"error":\{/)
      }
      const { code, out, err } = await run()
      expect({ code, out, err }).toEqual({ code: ended.code, out: ended.out, err: ended.err })
    },
  )
})

/** What a command line asks for, as a word; `error` if it cannot be parsed. */
function kindOf(argv: readonly string[]): string {
  try {
    const request = parseCommandLine(argv, commands)
    return request.kind === 'run' ? request.command.name : request.kind
  } catch {
    return 'error'
  }
}

/** Commands that run until a signal, and one whose result is random. */
const EXCLUDED = ['devnode', 'watch', 'custody work', 'custody serve', 'keys new']

/** Any arguments with `--json` before or after them. */
const anyForJSON = fc
  .tuple(anyArguments, fc.boolean())
  // After `--` it would not be an option.
  .map(([argv, isFirst]) =>
    isFirst ? ['--json', ...argv] : [...argv.filter((arg) => arg !== '--'), '--json'],
  )
  .filter((argv) => !EXCLUDED.includes(kindOf(argv)))

/** The method of the request that failed. */
const METHOD = /\b[a-z]+\.[a-zA-Z]+(?=: connection failed)/g

describe('any command with --json, without a node', () => {
  const before = process.cwd()
  const parent = mkdtempSync(join(tmpdir(), 'avmkit-any-'))
  const place = join(parent, 'place')
  const env = { AVMKIT_URL: 'http://127.0.0.1:9', HOME: place, XDG_STATE_HOME: place }
  const fetch = () => Promise.reject(new TypeError('fetch failed'))
  afterAll(() => rmSync(parent, { recursive: true }))

  /** Runs it in an empty folder, where it may create files that the arguments name. */
  const run = async (argv: readonly string[]) => {
    rmSync(place, { recursive: true, force: true })
    mkdirSync(place)
    process.chdir(place)
    try {
      return await cli(argv, { env, fetch, now: () => 1_800_000_000_000 })
    } finally {
      process.chdir(before)
    }
  }

  test.prop([anyForJSON], runs(100))(
    'prints one value of JSON or one typed error, and the same again',
    async (argv) => {
      const ended = await run(argv)
      const kind = kindOf(argv)
      if (kind === 'version' || (kind === 'help' && ended.code === 0)) {
        // These are texts for people.
        expect(ended.out).not.toBe('')
        expect(ended.err).toBe('')
      } else if (ended.out !== '') {
        expect(ended.json()).toBeDefined()
        expect([0, 1]).toContain(ended.code)
      } else {
        expect([1, 2]).toContain(ended.code)
        expect(ended.err).toMatch(/^[^\n]+\n$/)
        const { error } = JSON.parse(ended.err) as { error: { code: string } }
        expect(error.code).toMatch(/^[A-Z0-9_]+$/)
        expect(error.code).not.toBe('INTERNAL')
      }
      const again = await run(argv)
      // Several requests are sent at once: any of them may be the one that fails first.
      const shown = ({ code, out, err }: typeof ended) => ({
        code,
        out: out.replace(METHOD, ''),
        err: err.replace(METHOD, ''),
      })
      expect(shown(again)).toEqual(shown(ended))
    },
  )
})
