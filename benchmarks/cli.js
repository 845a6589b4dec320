import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { row } from './lib/harness.js'

const MAIN = fileURLToPath(new URL('../dist/avmkit.mjs', import.meta.url))
const ADDRESS = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'
const ID = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'
const KEY = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'
const ROUNDS = 8
/** Runs per measurement: clock ticks are coarse. */
const RUNS = 5

/** Commands without requests, and commands that are stopped at their first one. */
const OFFLINE = {
  '--version': { argv: ['--version'], atMost: 1.6 },
  decode: { argv: ['decode', ADDRESS], atMost: 2 },
}
const READING = [
  ['balance', ADDRESS],
  ['utxos', ADDRESS],
  ['tx', ID],
  ['block', 'latest'],
  ['asset', 'AVAX'],
  ['history', ADDRESS, '--from-height', '0'],
  ['status', ID],
  ['node', 'height'],
]
const SPENDING = [
  ['send', ADDRESS, '1.5', '--plan'],
  ['sweep', ADDRESS, '--plan'],
  ['consolidate', '--plan'],
  ['import', '--source-chain', 'P', '--plan'],
  ['move', '1.5', '--from', 'C', '--to', 'X', '--plan'],
  ['journal', 'resume'],
]

/** Rows `cli: …`: CPU time of a command, compared with that of Node with an empty program. */
export default async function* cli() {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-bench-'))
  let child
  const server = createServer(() => child.kill('SIGKILL')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const keyFile = join(folder, 'my.key')
  writeFileSync(keyFile, KEY, { mode: 0o600 })
  const url = ['--url', `http://127.0.0.1:${server.address().port}`]
  const keys = ['--key-file', keyFile, '--journal', join(folder, 'journal')]
  const programs = new Map([
    ['nothing', ['-e', '0']],
    ...Object.entries(OFFLINE).map(([name, { argv }]) => [name, [MAIN, ...argv]]),
    ...READING.map((argv) => [argv.join(' '), [MAIN, ...argv, ...url]]),
    ...SPENDING.map((argv) => [argv.join(' '), [MAIN, ...argv, ...url, ...keys]]),
  ])
  const best = new Map()
  const start = (argv) => {
    child = spawn(process.execPath, argv, { stdio: 'ignore' })
    return once(child, 'exit')
  }
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, argv] of programs)
        best.set(
          name,
          Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, await cpuTime(start, argv)),
        )
  } finally {
    server.close()
    rmSync(folder, { recursive: true })
  }
  const details = {
    unit: 'ms',
    rival: best.get('nothing'),
    rivalName: 'node -e 0, CPU time',
  }
  for (const [name, { atMost }] of Object.entries(OFFLINE))
    yield row({ ...details, name: `cli: ${name}`, ours: best.get(name), atMost })
  for (const [kind, list] of Object.entries({ read: READING, spend: SPENDING })) {
    const [slowest] = list.map((argv) => argv.join(' ')).sort((a, b) => best.get(b) - best.get(a))
    const name = `cli: until the first request, slowest of ${list.length} that ${kind}: ${slowest.split(' ')[0]}`
    yield row({ ...details, name, ours: best.get(slowest), atMost: 3.3 })
  }
}

/** Milliseconds of CPU time of a process: from Linux if possible, else the elapsed time. */
async function cpuTime(start, argv) {
  const before = childTicks()
  const startedAt = performance.now()
  for (let run = 0; run < RUNS; run++) {
    const [status, signal] = await start(argv)
    if (status !== 0 && signal !== 'SIGKILL') throw new Error(`${argv.join(' ')}: exit ${status}`)
  }
  const after = childTicks()
  return (before === undefined ? performance.now() - startedAt : (after - before) * 10) / RUNS
}

/** User and system time of ended child processes in clock ticks, of which Linux has 100 a second. */
function childTicks() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number(fields[13]) + Number(fields[14])
  } catch {
    return undefined
  }
}
