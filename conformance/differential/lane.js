import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { answer } from '../kit/avmkit/answer.js'
import { corpusCases } from './corpus.js'
import { Growth } from './growth.js'
import { startJudge } from './judge.js'
import { isMutable } from './mutate.js'
import { Pool } from './pool.js'
import { fuzzedCases } from './programs.js'
import { randomFrom } from './random.js'
import { Report } from './report.js'
import { batchesOf, roundSeedOf } from './rounds.js'
import { vectorCases } from './seeds.js'
import { disagreements } from './verdict.js'

// One of the processes that compare at the same time: both sides answer the same cases, and the answers are compared.
// Its arguments are the folder of the programs, the first case's time and the last one's in ms, the seed, its number and
// how many there are. It sends its report.

/** Counting blocks takes many times as long as judging: it is done for one batch in so many, in the first lane. */
const BATCHES_PER_COUNTED = 20

/** Answers of this library; an error that is none of its refusals is a difference. */
function ourAnswer(item) {
  try {
    return answer(item)
  } catch (error) {
    return { crash: String(error) }
  }
}

async function compareAll(report, cases, judge) {
  const start = process.cpuUsage()
  const answers = cases.map(ourAnswer)
  const { user, system } = process.cpuUsage(start)
  report.times.ours += (user + system) / 1000
  const expected = await judge.ask(cases)
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

/** Counts which blocks of the node's code are reached for the first time. */
class Counter {
  growth = new Growth()
  #reach

  constructor(folder) {
    this.#reach = startJudge(join(folder, 'reach'), [], folder)
  }

  async add(cases, passed) {
    const counts = await this.#reach.ask(cases)
    cases.forEach(({ kind }, i) => {
      this.growth.add(kind, passed, counts[i])
    })
  }

  close() {
    return this.#reach.close()
  }
}

/** Compares for some time, in rounds of which each lane has its own. */
async function compareUntil({ folder, start, end, seed, lane, count }) {
  const random = randomFrom(seed + lane)
  const pool = new Pool(random)
  const report = new Report()
  const found = [...corpusCases(), ...fuzzedCases(folder)]
  const known = [...vectorCases(), ...found]
  for (const item of known.filter(isMutable)) pool.add(item)
  const judge = startJudge(join(folder, 'judge'), ['-answers'])
  const counter = lane === 0 ? new Counter(folder) : undefined
  await counter?.add(known)
  await compareAll(
    report,
    found.filter((_, i) => i % count === lane),
    judge,
  )
  let batch = 0
  for (let round = lane; Date.now() < end; round += count)
    for (const cases of batchesOf({ folder, pool, random, roundSeed: roundSeedOf(seed, round) })) {
      await compareAll(report, cases, judge)
      const passed = (Date.now() - start) / (end - start)
      if (batch++ % BATCHES_PER_COUNTED === 0) await counter?.add(cases, passed)
      if (passed > 1) break
    }
  report.times.node = processorTime(judge.pid)
  await judge.close()
  await counter?.close()
  return { ...report, growth: counter?.growth }
}

// A refusal is a value here: the node's have no trace of the stack either.
Error.stackTraceLimit = 0
const [folder, ...numbers] = process.argv.slice(2)
const [start, end, seed, lane, count] = numbers.map(Number)
process.send(await compareUntil({ folder, start, end, seed, lane, count }))
process.disconnect()
