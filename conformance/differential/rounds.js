import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { go, goEnv } from '../go.js'
import { answer } from '../kit/avmkit/answer.js'
import { fuzzParsers } from './fuzz.js'
import { generate } from './generate.js'
import { startJudge } from './judge.js'
import { isMutable, mutate } from './mutate.js'
import { Pool } from './pool.js'
import { randomFrom } from './random.js'
import { printReport, Report } from './report.js'
import { inputOf, vectorCases } from './seeds.js'
import { disagreements } from './verdict.js'

// Rounds of batches: cases are made, answered by both sides, and compared.

/** Cases that are sent at once. */
const BATCH = 2000

/** Batches after which the pool gets fresh cases. */
const BATCHES_PER_ROUND = 100

/** Fresh values per generator of the property tests and round. */
const GENERATED = 40

/** Part of the time for Go's fuzzer. */
const FUZZED = 0.25

/** Answers of this library; an error that is none of its refusals is a difference. */
function ourAnswer(item) {
  try {
    return answer(item)
  } catch (error) {
    return { crash: String(error?.stack ?? error) }
  }
}

function compareAll(report, cases, expected) {
  const start = process.cpuUsage()
  const answers = cases.map(ourAnswer)
  const { user, system } = process.cpuUsage(start)
  report.times.ours += (user + system) / 1000
  cases.forEach((item, i) => {
    const actual = answers[i]
    if (actual.unsupported) return
    const isJudged = expected[i].error === undefined
    const names = isJudged ? disagreements(item.kind, expected[i], actual) : []
    report.count(item, expected[i], actual, actual.crash ? ['crash'] : names)
  })
}

/** Processor time of a process in ms; 0 where the system does not tell. */
function processorTime(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}

const linesOf = (program, ...args) =>
  execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 30 })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** One process of the judge, with fresh cases of a seed. */
async function round({ folder, pool, random, report, until, roundSeed }) {
  const drawn = linesOf(join(folder, 'cases'), '-seed', String(roundSeed))
  const context = drawn.find(({ what }) => what === 'context')
  // Semantic cases need the transactions that were accepted in their own world.
  pool.clear('semantic')
  const fresh = [...drawn.map(inputOf), ...generate(roundSeed, GENERATED)].filter(isMutable)
  for (const item of fresh) pool.add(item)
  const judge = startJudge(join(folder, 'judge'))
  const run = async (cases) => compareAll(report, cases, await judge.ask(cases))
  await run([context, ...fresh])
  for (let i = 0; i < BATCHES_PER_ROUND && Date.now() < until; i++)
    await run(Array.from({ length: BATCH }, () => mutate(random, ...pool.pair())))
  report.times.node += processorTime(judge.pid)
  await judge.close()
}

/** Compares for some minutes, prints the counts, and returns whether nothing differs. */
export async function compareFor({ minutes, seed, isFuzzing }) {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-differential-'))
  try {
    if (!go('build', '-o', `${folder}/`, './cmd/judge', './cmd/cases')) return false
    const until = Date.now() + minutes * 60_000
    if (isFuzzing && !fuzzParsers(minutes * 60 * FUZZED)) return false
    const random = randomFrom(seed)
    const pool = new Pool(random)
    const report = new Report()
    const corpus = join(goEnv('GOCACHE'), 'fuzz', 'avmkit', 'conformance', 'fuzz')
    const found = linesOf(join(folder, 'cases'), '-corpus', corpus)
    for (const item of [...vectorCases(), ...found].filter(isMutable)) pool.add(item)
    const judge = startJudge(join(folder, 'judge'))
    compareAll(report, found, await judge.ask(found))
    await judge.close()
    console.log(`${found.length} cases of the corpus of Go's fuzzer`)
    for (let i = 0; Date.now() < until; i++)
      await round({ folder, pool, random, report, until, roundSeed: (seed + i) % 2 ** 31 })
    printReport(report)
    if (report.countDiffering === 0) return true
    const path = join(tmpdir(), `avmkit-differential-${seed}.json`)
    writeFileSync(path, JSON.stringify(report.differing, undefined, 1))
    console.log(`\nthe first ${report.differing.length} differing cases: ${path}`)
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}
