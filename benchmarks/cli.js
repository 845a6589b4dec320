import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { row } from './lib/harness.js'

const MAIN = fileURLToPath(new URL('../dist/avmkit.mjs', import.meta.url))
const ADDRESS = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'
const ROUNDS = 8
/** Runs per measurement: clock ticks are coarse. */
const RUNS = 5

/** Rows `cli: …`: CPU time of a command, compared with that of Node with an empty program. */
export default async function* cli() {
  const commands = { '--version': ['--version'], decode: ['decode', ADDRESS] }
  const programs = [['-e', '0'], ...Object.values(commands).map((argv) => [MAIN, ...argv])]
  const best = programs.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, argv] of programs.entries()) best[i] = Math.min(best[i], cpuTime(argv))
  for (const [i, name] of Object.keys(commands).entries())
    yield row({
      name: `cli: ${name}`,
      unit: 'ms',
      ours: best[i + 1],
      rival: best[0],
      rivalName: 'node -e 0, CPU time',
      atMost: 1.6,
    })
}

/** Milliseconds of CPU time of a process: from Linux if possible, else the elapsed time. */
function cpuTime(argv) {
  const before = childTicks()
  const start = performance.now()
  for (let run = 0; run < RUNS; run++) {
    const { status } = spawnSync(process.execPath, argv, { stdio: 'ignore' })
    if (status !== 0) throw new Error(`exit ${status}`)
  }
  const after = childTicks()
  return (before === undefined ? performance.now() - start : (after - before) * 10) / RUNS
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
