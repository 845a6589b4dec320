import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fuzzParsers } from './fuzz.js'
import { printGrowth } from './growth.js'
import { withPrograms } from './programs.js'
import { printReport, Report } from './report.js'

// Several processes compare at the same time, and their reports are added up.

/** Part of the time for Go's fuzzer. */
const FUZZED = 0.25

const lanePath = fileURLToPath(new URL('lane.js', import.meta.url))

/** Most values live as long as a case: with more room, fewer of them are copied. */
const execArgv = ['--max-semi-space-size=64']

/** Runs one of the processes and returns its report. */
async function runLane(...args) {
  const child = fork(lanePath, args.map(String), { execArgv, serialization: 'advanced' })
  const reported = once(child, 'message')
  const [status] = await once(child, 'close')
  if (status !== 0) throw new Error(`a process that compares ended with ${status}`)
  const [report] = await reported
  return report
}

/** Compares for some minutes, prints the counts, and returns whether nothing differs. */
export async function compareFor({ minutes, seed, isFuzzing }) {
  return withPrograms(['judge', 'cases', 'reach'], async (folder) => {
    const end = Date.now() + minutes * 60_000
    if (isFuzzing && !fuzzParsers(minutes * 60 * FUZZED)) return false
    const start = Date.now()
    // The two halves of each take turns; together they keep all processors at work.
    const count = availableParallelism()
    const lanes = Array.from({ length: count }, (_, i) =>
      runLane(folder, start, end, seed, i, count),
    )
    const parts = await Promise.all(lanes)
    const report = new Report()
    for (const part of parts) report.add(part)
    printGrowth(parts[0].growth)
    printReport(report, (Date.now() - start) / 1000)
    if (report.countDiffering === 0) return true
    const path = join(tmpdir(), `avmkit-differential-${seed}.json`)
    writeFileSync(path, JSON.stringify(report.differing, undefined, 1))
    console.log(`\nthe first ${report.differing.length} differing cases: ${path}`)
    return false
  })
}
