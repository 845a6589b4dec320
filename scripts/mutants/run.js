import { fork } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { closureOf } from '../imports.js'
import { drawMutants } from './draw.js'

// Changes src at single points on lines drawn at random, and tells which changes the tests that execute the line
// notice: npm run test:mutants -- COUNT [SEED [FILE]]
//
// A first run of all tests finds which test files execute which mutant. Each mutant is then run with its own files, the
// nearest and fastest first, up to a limit of their time. FILE keeps what was found: the same command goes on there, and
// with a higher limit gives the survivors more files.

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')
const [count = '20', seed = String(Date.now() % 2 ** 31), file] = process.argv.slice(2)
/** Seconds of test files, as measured by the first run, that a mutant may cost. */
const LIMIT = Number(process.env.AVMKIT_MUTANT_SECONDS ?? 60)

const mutants = drawMutants(root, Number(count), Number(seed))
console.log(`${count} mutants, seed ${seed}`)

/** A process that runs tests. */
class Judge {
  #child

  /** What the process answers; undefined if it ends without an answer, or is ended after `seconds`. */
  async ask(message, seconds) {
    this.#child ??= fork(new URL('judge.js', import.meta.url), { detached: true, cwd: root })
    const child = this.#child
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 1000 * seconds)
    child.send(message)
    const answer = await new Promise((resolve) => {
      child.once('message', resolve)
      child.once('exit', () => resolve(undefined))
    })
    clearTimeout(timer)
    child.removeAllListeners()
    if (answer === undefined) this.#child = undefined
    if (answer?.error !== undefined) throw new Error(answer.error)
    return answer
  }

  close() {
    this.#child?.disconnect()
  }
}

/** The test files for a mutant: those that execute it, in the order of their nearness to the code, then of time. */
function filesFor(mutant, { files, hits }) {
  const folders = mutant.file.split('/').slice(1, -1)
  const nearness = (test) => {
    const others = test.split('/').slice(1, -1)
    const differs = folders.findIndex((name, i) => others[i] !== name)
    return differs === -1 ? folders.length : differs
  }
  const executing = new Set(
    hits.filter((one) => one.executed.includes(mutant.number)).map(({ file }) => file),
  )
  // What runs while a module is loaded is seen by one file of a process only: all that load it may notice.
  const isLoaded = hits.some((one) => one.loading.includes(mutant.number))
  const loads = ({ file }) => isLoaded && closureOf([file]).has(mutant.file)
  const candidates = files
    .filter((one) => one.isGreen)
    .filter((one) => executing.has(one.file) || loads(one))
    .sort((a, b) => nearness(b.file) - nearness(a.file) || a.seconds - b.seconds)
  const chosen = []
  let seconds = 0
  for (const one of candidates) {
    if (chosen.length > 0 && seconds + one.seconds > LIMIT) continue
    seconds += one.seconds
    chosen.push(one.file)
  }
  return chosen
}

const found =
  file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { verdicts: {} }
const save = () => file !== undefined && writeFileSync(file, JSON.stringify(found))
if (found.map === undefined) {
  const all = new Judge()
  found.map = await all.ask({ task: 'map', mutants }, 3600)
  all.close()
  save()
}
for (const { file: name, isGreen } of found.map.files)
  if (!isGreen) console.log(`fails without a mutant: ${name}`)

/** Adds to what `tried` test files have not noticed. */
async function verdictOn(mutant, tried, judge) {
  const files = filesFor(mutant, found.map).filter((one) => !tried.includes(one))
  const answer =
    files.length === 0
      ? { caughtBy: null }
      : await judge.ask({ task: 'judge', mutant, files }, 120 + 5 * LIMIT)
  const caughtBy = answer === undefined ? 'the end of its process' : answer.caughtBy
  return { caughtBy, tried: [...tried, ...files] }
}

function print(mutant) {
  const { caughtBy, tried } = found.verdicts[mutant.number]
  const survives = tried.length === 0 ? 'NOT EXECUTED' : `SURVIVES ${tried.length} test files`
  console.log(
    `${mutant.number}. ${mutant.file}:${mutant.line} ${oneLine(mutant.from)} → ${oneLine(mutant.text)}`,
  )
  console.log(`   ${caughtBy === null ? survives : `caught by ${caughtBy}`}`)
}

/** Judges one mutant after another; several lanes share them. */
async function runLane(left) {
  const judge = new Judge()
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    const { caughtBy = null, tried = [] } = found.verdicts[mutant.number] ?? {}
    if (caughtBy === null) {
      found.verdicts[mutant.number] = await verdictOn(mutant, tried, judge)
      save()
    }
    print(mutant)
  }
  judge.close()
}

const left = [...mutants]
// One more than processors: tests also wait.
await Promise.all(Array.from({ length: availableParallelism() + 1 }, () => runLane(left)))
const caught = Object.values(found.verdicts).filter(({ caughtBy }) => caughtBy !== null).length
console.log(
  `${caught} of ${mutants.length} caught (${((100 * caught) / mutants.length).toFixed(1)} %)`,
)

function oneLine(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 70 ? `${line.slice(0, 67)}…` : line
}
