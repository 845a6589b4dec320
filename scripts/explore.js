import { spawnSync } from 'node:child_process'

// Visits all states of the payment model up to a larger bound than the tests do: npm run test:explore

const args = ['vitest', 'run', 'test/explore', '--testTimeout=86400000']
const env = { ...process.env, AVMKIT_EXPLORE: '1' }
const { status } = spawnSync('npx', args, {
  stdio: 'inherit',
  env,
  shell: process.platform === 'win32',
})
process.exitCode = status ?? 1
