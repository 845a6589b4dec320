import { spawnSync } from 'node:child_process'

// Runs the exhaustive tests of custody: npm run test:custody [-- OCCURRENCES [SEEDS]]
// Workers are killed at every event, up to its n-th occurrence; the simulation of payments uses PostgreSQL stores; a
// million addresses and UTXOs are watched.

const [occurrences = '3', seeds = '200'] = process.argv.slice(2)
const env = {
  ...process.env,
  AVMKIT_TEST_ALL: '1',
  AVMKIT_CUSTODY_CRASHES: occurrences,
  AVMKIT_CUSTODY_ROWS: '1000000',
  AVMKIT_SIM_SEEDS: seeds,
}
const args = ['vitest', 'run', 'test/custody', '--testTimeout=3600000']
const shell = process.platform === 'win32'
const { status } = spawnSync('npx', args, { stdio: 'inherit', env, shell })
process.exit(status ?? 1)
