import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { sourcesOf } from './imports.js'

// Runs the simulations of payments and moves under faults with any number of seeds, and that of custody with every 50th:
// npm run test:sim [-- SEEDS [FIRST]]
// A seed that fails is run again alone with: npm run test:sim -- 1 SEED

/** Seeds after which the sums are printed. */
const REPORTED = 500
/** A seed takes about a second; one that takes longer than this does not end. */
const LIMIT_MS = 120_000

const [seeds = 2000, first = 1] = process.argv.slice(2).map(Number)
const root = fileURLToPath(new URL('..', import.meta.url))

/** Payments and moves of one seed follow each other, so that sums that are printed early say something of both. */
const jobs = Array.from({ length: 2 * seeds }, (_, i) => ({
  kind: i % 2 === 0 ? 'payments' : 'moves',
  seed: first + Math.floor(i / 2),
}))
const failures = []
const NOTHING = { transactions: 0, crashes: 0, arrived: 0 }
const sums = { payments: 0, moves: 0, transactions: 0, crashes: 0, arrived: 0 }

function print() {
  const { payments, moves, transactions, crashes, arrived } = sums
  console.log(
    `${payments} seeds of payments, ${moves} of moves: ${transactions} transactions, ${crashes} crashes, ${arrived} moves arrived, ${failures.length} failed`,
  )
}

function count({ kind, seed }, result) {
  sums[kind]++
  for (const name of ['transactions', 'crashes', 'arrived']) sums[name] += result[name]
  for (const failure of result.failures) {
    failures.push(failure)
    console.log(`${kind} ${failure}`)
  }
  if (kind === 'moves' && (seed - first + 1) % REPORTED === 0) print()
}

/** Processes that take a seed after the other. One that ends by itself, or does not end a seed, has failed at it. */
async function work(program) {
  while (jobs.length > 0) {
    const child = fork(program, { execArgv: ['--max-semi-space-size=96'] })
    const ended = once(child, 'exit').then(([status]) =>
      status === null ? 'no end' : `the process ended with ${status}`,
    )
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      count(job, await answerOf(child, job, ended))
      if (!child.connected) break
    }
    if (child.connected) child.disconnect()
  }
}

/** What a process answers; if that takes too long, it is ended. */
async function answerOf(child, job, ended) {
  const timer = setTimeout(() => child.kill(), LIMIT_MS)
  const answer = new AbortController()
  child.send(job)
  const result = await Promise.race([
    once(child, 'message', answer).then(([value]) => value),
    ended.then((how) => ({ ...NOTHING, failures: [`seed ${job.seed}: ${how}`] })),
  ])
  answer.abort()
  clearTimeout(timer)
  return result
}

async function paymentsAndMoves() {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-sim-'))
  try {
    const outfile = join(folder, 'main.mjs')
    await build({
      absWorkingDir: root,
      entryPoints: ['test/sim/main.ts'],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      alias: sourcesOf('node'),
      logLevel: 'warning',
    })
    await Promise.all(Array.from({ length: availableParallelism() }, () => work(outfile)))
  } finally {
    rmSync(folder, { recursive: true })
  }
  print()
}

/** It needs the database that vitest starts. */
async function custody() {
  const args = ['vitest', 'run', 'test/sim/custody', '--testTimeout=86400000', '-t', 'invariants']
  const env = {
    ...process.env,
    AVMKIT_SIM_SEEDS: String(seeds),
    AVMKIT_SIM_FIRST: String(first),
  }
  const shell = process.platform === 'win32'
  const [status] = await once(spawn('npx', args, { stdio: 'inherit', env, shell }), 'close')
  if (status !== 0) failures.push('custody')
}

await paymentsAndMoves()
await custody()
process.exit(failures.length === 0 ? 0 : 1)
