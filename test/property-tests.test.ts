import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { closureOf } from '../scripts/imports.js'

// Every module with something to run is loaded by a property test: one with generated inputs or a simulation with seeds.
// That a test loads a module does not show that it runs all of it; `scripts/mutants` tells what tests notice.

const root = fileURLToPath(new URL('..', import.meta.url))

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
}

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

const isPropertyTest = (file: string): boolean =>
  file.endsWith('.test.ts') &&
  /'@fast-check\/vitest'|'fast-check'|'\.\/seeds\.ts'/.test(textOf(file))

/** Whether a module has nothing to run: only types, and names of other modules. */
const hasOnlyNames = (file: string): boolean => {
  const text = textOf(file).replace(/^(?:import|export)\s(?:type\s)?[^'"`=(]*?from '[^']+'$/gm, '')
  return !/^export (?!type\b)/m.test(text)
}

/**
 * The property tests of the command line load nearly every module, most of which arbitrary arguments never reach: they
 * count only for these folders.
 */
const COMMAND_LINE = 'test/cli/properties.test.ts'
const ofCommandLine = (file: string): boolean => /^src\/(cli|inspect)\//.test(file)

/** Modules without a property test, by how their path begins, and why. */
const excepted: readonly (readonly [beginning: string, why: string])[] = [
  [
    'src/page/',
    'shows in a browser what core and inspect compute; tested there by hand-written cases',
  ],
  ['src/page/elements/', 'the same'],
  [
    'src/storage/indexed-db/',
    'needs the database of a browser, where the contract of stores is run',
  ],
  ['src/wallet/store/indexed-db.ts', 'the same'],
  ['src/node/transport/send-default.ts', 'three lines around the fetch of browsers'],
]

describe('property tests', () => {
  const tests = filesOf('test').filter(isPropertyTest)
  const tested = new Set([
    ...closureOf(tests.filter((file) => file !== COMMAND_LINE)),
    ...[...closureOf([COMMAND_LINE])].filter(ofCommandLine),
  ])
  const untested = filesOf('src').filter((file) => !tested.has(file) && !hasOnlyNames(file))

  it('have one of the command line', () => {
    expect(tests).toContain(COMMAND_LINE)
  })

  it('load every module except those that are explained', () => {
    expect(
      untested.filter((file) => !excepted.some(([beginning]) => file.startsWith(beginning))),
    ).toEqual([])
  })

  it('have no exception that is not needed', () => {
    expect(
      excepted.filter(([beginning]) => !untested.some((file) => file.startsWith(beginning))),
    ).toEqual([])
  })
})
