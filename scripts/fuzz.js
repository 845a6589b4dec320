import { spawnSync } from 'node:child_process'

// Runs the property tests with far more cases: npm run test:fuzz [-- RUNS [SEED]]

const [runs = '5000', seed = String(Math.floor(Math.random() * 2 ** 31))] = process.argv.slice(2)
console.log(
  `fuzz: ${runs} cases a property, seed ${seed} (again: npm run test:fuzz -- ${runs} ${seed})`,
)
const { status } = spawnSync('npx', ['vitest', 'run', 'properties', '--testTimeout=1200000'], {
  stdio: 'inherit',
  env: { ...process.env, AVMKIT_FUZZ_RUNS: runs, AVMKIT_FUZZ_SEED: seed },
  shell: process.platform === 'win32',
})
process.exit(status ?? 1)
