import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { judgeCorpus } from './differential/corpus.js'
import { go, next, requireGo } from './go.js'
import { writeKit } from './kit/write.js'

// Makes the vectors again that come from avalanchego, and repeats the recordings on a node:
// npm run vectors [-- --no-node]. README.md of this folder describes the programs.

const vectors = fileURLToPath(new URL('../test-vectors/', import.meta.url))
const kit = fileURLToPath(new URL('kit/cases.jsonl', import.meta.url))

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

requireGo('npm run vectors')
const steps = [
  () => go('run', './cmd/vectors', vectors),
  compareNext,
  judgeCorpus,
  () => writeKit(kit),
  () => process.argv.includes('--no-node') || go('run', './cmd/record', vectors),
]
for (const step of steps) if (!(await step())) process.exit(1)
