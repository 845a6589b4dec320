import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Makes the vectors again that come from avalanchego, and repeats the recordings on a node:
// npm run vectors [-- --no-node]. README.md of this folder describes the programs.

const here = fileURLToPath(new URL('.', import.meta.url))
const vectors = fileURLToPath(new URL('../test-vectors/', import.meta.url))
const next = 'v1.15/go.mod'

/** Runs the go command in this folder and returns whether it succeeded. */
function go(...args) {
  return spawnSync('go', args, { cwd: here, stdio: 'inherit' }).status === 0
}

/** What is missing to run the Go programs, or undefined. */
function missing() {
  const [, needed] = readFileSync(join(here, next), 'utf8').match(/^go (\S+)$/m)
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { cwd: here, encoding: 'utf8' })
  if (status !== 0) return `Go ${needed} or later: no command "go" on the PATH`
  const found = stdout.trim().replace(/^go/, '')
  return isOlder(found, needed) ? `Go ${needed} or later: found ${found}` : undefined
}

function isOlder(version, than) {
  return version.localeCompare(than, 'en', { numeric: true }) < 0
}

/** Names of the files that differ between two folders with the same files. */
function differing(a, b) {
  return readdirSync(a, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .filter((name) => !readFileSync(join(a, name)).equals(readFileSync(join(b, name))))
}

/** Runs the same generator with the packages of the next version and compares the files. */
function compareNext() {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-vectors-'))
  try {
    cpSync(vectors, folder, { recursive: true })
    if (!go('run', '-tags=avalanchego_next', `-modfile=${next}`, './cmd/vectors', folder))
      return false
    const names = differing(vectors, folder)
    for (const name of names) console.log(`avalanchego 1.15.0 differs: ${name}`)
    if (names.length === 0) console.log('avalanchego 1.15.0 gives the same files')
    return names.length === 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const problem = missing()
if (problem !== undefined) {
  console.error(`npm run vectors needs ${problem}. It is not needed to use or to test the library.`)
  process.exit(1)
}
const steps = [
  () => go('run', './cmd/vectors', vectors),
  compareNext,
  () => process.argv.includes('--no-node') || go('run', './cmd/record', vectors),
]
process.exit(steps.every((step) => step()) ? 0 : 1)
