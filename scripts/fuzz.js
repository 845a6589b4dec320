import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Runs the property tests with more cases: npm run test:fuzz [-- RUNS [SEED [FILTER]]]

const [runs = '5000', seed = String(Math.floor(Math.random() * 2 ** 31)), filter = ''] =
  process.argv.slice(2)
const test = fileURLToPath(new URL('../test/', import.meta.url))
const files = readdirSync(test, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && name.includes(filter))
  .filter(
    (name) =>
      readFileSync(test + name, 'utf8').match(
        /from '(?:@fast-check\/vitest|fast-check)'|helpers\/runs\.ts'/,
      ) !== null,
  )
  .map((name) => `test/${name}`)
console.log(`fuzz: ${runs} cases a property, seed ${seed}`)
console.log(`again: npm run test:fuzz -- ${runs} ${seed} ${filter}`)
const { status } = spawnSync('npx', ['vitest', 'run', '--testTimeout=1800000', ...files], {
  stdio: 'inherit',
  env: { ...process.env, AVMKIT_FUZZ_RUNS: runs, AVMKIT_FUZZ_SEED: seed },
  shell: process.platform === 'win32',
})
process.exit(status ?? 1)
