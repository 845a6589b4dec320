import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
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

const word = fc.oneof(
  fc.constantFrom(...names.flatMap((name) => name.split(' '))),
  fc.constantFrom(...optionNames.map((name) => `--${name}`)),
  fc.constantFrom('-', '--', '-o', '-h', '--=x', '--json', '--help', '1', '-1', '1e9', BOB),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)

/** The name of a command, then anything. */
const anyArguments = fc
  .tuple(fc.constantFrom(...names, ''), fc.array(word, { maxLength: 6 }))
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
