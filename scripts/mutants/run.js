import { fork } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { closureOf } from '../imports.js'
import { drawMutants } from './draw.js'

// Changes src at single points on lines drawn at random, and tells which changes the tests that execute the line
// notice: npm run test:mutants -- COUNT [SEED [FILE]]
//
// A first run of all tests finds which test files execute which mutant. Each mutant is then run with its own files, the
// nearest and fastest first, up to a limit of their time. FILE keeps what was found: the same command goes on there.

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')
const [count = '20', seed = String(Date.now() % 2 ** 31), file] = process.argv.slice(2)
/** Seconds of test files, as measured by the first run, that a mutant may cost. */
const LIMIT = Number(process.env.AVMKIT_MUTANT_SECONDS ?? 60)

const mutants = drawMutants(root, Number(count), Number(seed))
console.log(`${count} mutants, seed ${seed}`)

let child
/** What the other process answers; undefined if it ends without an answer, or is ended after `seconds`. */
async function ask(message, seconds) {
  child ??= fork(new URL('judge.js', import.meta.url), { detached: true, cwd: root })
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 1000 * seconds)
  child.send(message)
  const answer = await new Promise((resolve) => {
    child.once('message', resolve)
    child.once('exit', () => resolve(undefined))
  })
  clearTimeout(timer)
  child.removeAllListeners()
  if (answer === undefined) child = undefined
  if (answer?.error !== undefined) throw new Error(answer.error)
  return answer
}

/** The test files for a mutant: those that execute it, in the order of their nearness to the code, then of time. */
function filesFor(mutant, { files, hits }) {
  const folders = mutant.file.split('/').slice(1, -1)
  const nearness = (test) => {
    const others = test.split('/').slice(1, -1)
    const differs = folders.findIndex((name, i) => others[i] !== name)
    return differs === -1 ? folders.length : differs
  }
  const executing = hits.filter((one) => one.executed.includes(mutant.number))
  const named = (
    executing.length > 0 ? executing : hits.filter((one) => one.loading.includes(mutant.number))
  ).map(({ file }) => file)
  // What runs while a module is loaded is seen by one file of a process only: all that load it may notice.
  const isLoaded = executing.length === 0 && named.length > 0
  const candidates = files
    .filter((one) => one.isGreen)
    .filter((one) => (isLoaded ? closureOf([one.file]).has(mutant.file) : named.includes(one.file)))
    .sort((a, b) => nearness(b.file) - nearness(a.file) || a.seconds - b.seconds)
  const chosen = []
  let seconds = 0
  for (const one of candidates) {
    seconds += one.seconds
    if (chosen.length > 0 && seconds > LIMIT) break
    chosen.push(one.file)
  }
  return chosen
}

const found =
  file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { verdicts: {} }
const save = () => file !== undefined && writeFileSync(file, JSON.stringify(found))
if (found.map === undefined) {
  found.map = await ask({ task: 'map', mutants }, 3600)
  save()
}
for (const { file: name, isGreen } of found.map.files)
  if (!isGreen) console.log(`fails without a mutant: ${name}`)

for (const mutant of mutants) {
  const files = filesFor(mutant, found.map)
  if (found.verdicts[mutant.number] === undefined) {
    const answer =
      files.length === 0
        ? { caughtBy: null }
        : await ask({ task: 'judge', mutant, files }, 120 + 5 * LIMIT)
    const caughtBy = answer === undefined ? 'the end of its process' : answer.caughtBy
    found.verdicts[mutant.number] = { caughtBy, files: files.length }
    save()
  }
  const { caughtBy } = found.verdicts[mutant.number]
  const survives = files.length === 0 ? 'NOT EXECUTED' : `SURVIVES ${files.length} test files`
  console.log(
    `${mutant.number}. ${mutant.file}:${mutant.line} ${oneLine(mutant.from)} → ${oneLine(mutant.text)}`,
  )
  console.log(`   ${caughtBy === null ? survives : `caught by ${caughtBy}`}`)
}
const caught = Object.values(found.verdicts).filter(({ caughtBy }) => caughtBy !== null).length
console.log(
  `${caught} of ${mutants.length} caught (${((100 * caught) / mutants.length).toFixed(1)} %)`,
)
child?.disconnect()

function oneLine(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 70 ? `${line.slice(0, 67)}…` : line
}
