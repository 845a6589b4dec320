import { join } from 'node:path'
import { requireGo } from '../go.js'
import { corpusCases, writeCorpus } from './corpus.js'
import { fuzzParsers } from './fuzz.js'
import { Growth, printGrowth } from './growth.js'
import { startJudge } from './judge.js'
import { isMutable } from './mutate.js'
import { Pool } from './pool.js'
import { fuzzedCases, withPrograms } from './programs.js'
import { randomFrom } from './random.js'
import { batchesOf, roundSeedOf } from './rounds.js'
import { vectorCases } from './seeds.js'

// Searches for cases that reach code of the node which no case has reached, and keeps few that reach all of it:
// npm run test:corpus -- [MINUTES [SEED]]

/** Part of the time for Go's fuzzer, which knows the code and not only the cases. */
const FUZZED = 0.5

const textLength = (item) => JSON.stringify(item).length

/** Cases of a kind that every process understands: semantic ones need the context of their world. */
const isAlone = ({ kind }) => kind !== 'semantic'

/** Those of the cases that reach more than the vectors and the shorter cases before them. */
async function minimize(folder, cases) {
  const reach = startJudge(join(folder, 'reach'), [], folder)
  await reach.ask(vectorCases())
  const ordered = cases.filter(isAlone).sort((a, b) => textLength(a) - textLength(b))
  const counts = await reach.ask(ordered)
  await reach.close()
  return ordered.filter((_, i) => counts[i] > 0)
}

async function searchFor({ minutes, seed }) {
  return withPrograms(['reach', 'judge', 'cases'], async (folder) => {
    if (!fuzzParsers(minutes * 60 * FUZZED)) return false
    const start = Date.now()
    const time = minutes * 60_000 * (1 - FUZZED)
    const random = randomFrom(seed)
    const pool = new Pool(random)
    const growth = new Growth()
    const reach = startJudge(join(folder, 'reach'), [], folder)
    const found = [...corpusCases(), ...fuzzedCases(folder)]
    const known = [...vectorCases(), ...found]
    for (const item of known.filter(isMutable)) pool.add(item)
    const counts = await reach.ask(known)
    for (const [i, { kind }] of known.entries()) growth.add(kind, undefined, counts[i])
    for (let round = 0; Date.now() < start + time; round++)
      for (const cases of batchesOf({
        folder,
        pool,
        random,
        roundSeed: roundSeedOf(seed, round),
      })) {
        const passed = (Date.now() - start) / time
        const counts = await reach.ask(cases)
        cases.forEach((item, i) => {
          growth.add(item.kind, passed, counts[i])
          if (counts[i] === 0) return
          found.push(item)
          // Changes to what reached new code are the likeliest to reach more.
          if (isMutable(item)) pool.add(item)
        })
        if (Date.now() > start + time) break
      }
    await reach.close()
    printGrowth(growth)
    const kept = await minimize(folder, found)
    return writeCorpus(folder, kept)
  })
}

const [minutes = '1', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
requireGo('npm run test:corpus')
console.log(`again: npm run test:corpus -- ${minutes} ${seed}`)
process.exit((await searchFor({ minutes: Number(minutes), seed: Number(seed) })) ? 0 : 1)
