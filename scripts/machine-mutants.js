import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

// Changes one rule of payments at a time, and tells which tests notice it: npm run test:machine-mutants [-- TEXT]
// With TEXT, only mutants whose name contains it. Fails if a mutant is noticed by none. Takes hours for all.

const TIMEOUT_MS = 600_000

const checks = {
  exploration: {
    args: ['test/explore/machine.test.ts'],
    env: { AVMKIT_EXPLORE: '1' },
  },
  simulation: {
    args: ['test/sim/simulation.test.ts', 'test/sim/moves.test.ts', '-t', 'invariants'],
    env: { AVMKIT_SIM_SEEDS: '60' },
  },
  tests: { args: ['test/wallet', 'test/node/view'], env: {} },
}

const file = new URL('../test/mutants/machine.json', import.meta.url)
const wanted = process.argv[2] ?? ''
const mutants = JSON.parse(readFileSync(file, 'utf8')).filter(({ name }) => name.includes(wanted))
console.log('| change | exploration | simulation | tests |\n|---|---|---|---|')
for (const { name } of mutants) {
  const verdicts = []
  for (const check of Object.values(checks)) verdicts.push(await verdictOf(name, check))
  console.log(`| ${name} | ${verdicts.join(' | ')} |`)
  if (!verdicts.includes('yes')) process.exitCode = 1
}

/** Whether tests notice a mutant. One that they neither pass nor fail in time is not noticed. */
async function verdictOf(name, { args, env }) {
  const config = ['--config', 'test/mutants/vitest.config.ts', '--bail=1', '--root=.']
  const child = spawn('npx', ['vitest', 'run', ...config, ...args], {
    env: { ...process.env, ...env, AVMKIT_MUTANT: name },
    stdio: ['ignore', 'pipe', 'ignore'],
    // Has workers, which must end with it.
    detached: true,
  })
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), TIMEOUT_MS)
  const closed = once(child, 'close')
  const printed = await text(child.stdout)
  const [status] = await closed
  clearTimeout(timer)
  if (printed.includes('does not have this text once')) throw new Error(`${name}: not applied`)
  if (status === null) return 'time'
  return status === 0 ? 'no' : 'yes'
}
