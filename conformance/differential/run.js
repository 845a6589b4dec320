import { requireGo } from '../go.js'
import { compareFor } from './compare.js'

// Compares this library with avalanchego's packages on random cases:
// npm run test:differential -- [MINUTES [SEED]] [--no-fuzz]. README.md of this folder describes the parts.

const args = process.argv.slice(2)
const [minutes = '1', seed = String(Date.now() % 2 ** 31)] = args.filter(
  (arg) => !arg.startsWith('--'),
)
requireGo('npm run test:differential')
console.log(`again: npm run test:differential -- ${minutes} ${seed}`)
const options = {
  minutes: Number(minutes),
  seed: Number(seed),
  isFuzzing: !args.includes('--no-fuzz'),
}
process.exit((await compareFor(options)) ? 0 : 1)
