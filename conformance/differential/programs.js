import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { go, goEnv } from '../go.js'

// The Go programs that draw and judge cases.

/** Packages of the node that take part in a verdict; which of their blocks run is counted by `cmd/reach`. */
const JUDGING = [
  'codec',
  'ids',
  'utils',
  'vms/avm',
  'vms/components',
  'vms/nftfx',
  'vms/platformvm',
  'vms/propertyfx',
  'vms/secp256k1fx',
  'graft/coreth/plugin/evm/atomic',
].map((name) => `github.com/ava-labs/avalanchego/${name}/...`)

/** Builds programs into a folder, which `use` gets and which is removed after that. False if they do not compile. */
export async function withPrograms(names, use) {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-differential-'))
  try {
    const isBuilt = names.every((name) =>
      go('build', ...flagsOf(name), '-o', `${folder}/`, `./cmd/${name}`),
    )
    return isBuilt && (await use(folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function flagsOf(name) {
  // Without its own package the mode is not set.
  const counted = ['avmkit/conformance/cmd/reach', ...JUDGING].join()
  return name === 'reach' ? ['-cover', '-covermode=atomic', `-coverpkg=${counted}`] : []
}

/** What a program prints as lines of JSON. */
export function linesOf(program, ...args) {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 30 })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** The corpus of Go's fuzzer, which is in its build cache. */
export function fuzzedCases(folder) {
  const corpus = join(goEnv('GOCACHE'), 'fuzz', 'avmkit', 'conformance', 'fuzz')
  return linesOf(join(folder, 'cases'), '-corpus', corpus)
}
