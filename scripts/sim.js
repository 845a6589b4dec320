import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'

// Runs the simulations of payments and moves under faults with any number of seeds, and that of custody with every 50th:
// npm run test:sim [-- SEEDS [FIRST]]
// A seed that fails is run again alone with: npm run test:sim -- 1 SEED

const [seeds = 2000, first = 1] = process.argv.slice(2).map(Number)
const shards = Math.min(seeds, availableParallelism())
const share = Math.ceil(seeds / shards)
const args = ['vitest', 'run', 'test/sim', '--testTimeout=86400000', '-t', 'invariants']
const children = Array.from({ length: shards }, async (_, i) => {
  const from = first + i * share
  const count = Math.min(share, first + seeds - from)
  const env = { ...process.env, AVMKIT_SIM_SEEDS: String(count), AVMKIT_SIM_FIRST: String(from) }
  const child = spawn('npx', args, { stdio: 'inherit', env, shell: process.platform === 'win32' })
  const [status] = await once(child, 'close')
  return status
})
const statuses = await Promise.all(children)
process.exit(statuses.every((status) => status === 0) ? 0 : 1)
