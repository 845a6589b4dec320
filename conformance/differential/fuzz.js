import { readFileSync } from 'node:fs'
import { go } from '../go.js'

// Go's fuzzer, which searches the node's parsers for inputs that reach new code.

const source = readFileSync(new URL('../fuzz/fuzz_test.go', import.meta.url), 'utf8')
const targets = [...source.matchAll(/^func (Fuzz\w+)\(/gm)].map(([, name]) => name)

/** By default, making one input shorter may take a minute. */
const MINIMIZING = '-fuzzminimizetime=10x'

/** Fuzzes all targets, together for a number of seconds. What is found stays in Go's build cache. */
export function fuzzParsers(seconds) {
  const each = Math.max(1, Math.floor(seconds / targets.length))
  return targets.every((name) =>
    go('test', './fuzz', '-run=^$', `-fuzz=^${name}$`, `-fuzztime=${each}s`, MINIMIZING),
  )
}
