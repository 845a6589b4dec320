import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { go, next, requireGo } from '../go.js'
import { differencesOf } from './compare.js'

// Scores implementations: npm run conformance [-- COMMAND …]. Without a command the ones below are scored and compared;
// with one, that program answers the cases. README.md of this folder describes the protocol.

const here = fileURLToPath(new URL('.', import.meta.url))
const cases = readFileSync(join(here, 'cases.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

/** Failing cases that are printed per implementation and area. */
const MAX_PRINTED = 3

/** Answers of a program to all cases, in order. */
function answersOf([command, ...args]) {
  const input = `${cases.map((item) => JSON.stringify(item.input)).join('\n')}\n`
  const { status, stdout, error } = spawnSync(command, args, {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  if (error !== undefined) throw error
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  if (status !== 0 || answers.length !== cases.length)
    throw new Error(`${command} ended with ${status} after ${answers.length} of ${cases.length}`)
  return answers
}

/** Cases by area: how many were answered, how many answers are right, and the wrong ones. */
function scoreOf(answers) {
  const areas = new Map()
  cases.forEach(({ area, input, answer }, i) => {
    if (!areas.has(area)) areas.set(area, { answered: 0, right: 0, unsupported: 0, wrong: [] })
    const score = areas.get(area)
    if (answers[i].unsupported) {
      score.unsupported++
      return
    }
    score.answered++
    const names = answers[i].error ? ['error'] : differencesOf(input.kind, answer, answers[i])
    if (names.length === 0) score.right++
    else score.wrong.push({ id: input.id, names, answer, actual: answers[i] })
  })
  return areas
}

/** Rounded down, so that only an implementation without an error has 100 %. */
const percent = ({ right, answered }) => `${Math.floor((1000 * right) / answered) / 10} %`

const cell = (score) => (score.answered === 0 ? '–' : percent(score))

const short = (value) => {
  const text = JSON.stringify(value) ?? 'none'
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

function printFailures(name, areas) {
  for (const [area, { wrong }] of areas)
    for (const { id, names, answer, actual } of wrong.slice(0, MAX_PRINTED))
      console.log(
        `${name}, ${area}, ${id}: ${names
          .map((member) => `${member} ${short(actual[member])}, the node ${short(answer[member])}`)
          .join('; ')}`,
      )
}

function printTable(scores) {
  const names = scores.map(({ name }) => name)
  console.log(`\n| area | cases | ${names.join(' | ')} |`)
  console.log(`|---|---:|${names.map(() => '---:').join('|')}|`)
  for (const [area, { answered, unsupported }] of scores[0].areas)
    console.log(
      `| ${area} | ${answered + unsupported} | ${scores
        .map(({ areas }) => cell(areas.get(area)))
        .join(' | ')} |`,
    )
}

const adapter = (name) => [process.execPath, join(here, 'adapters', `${name}.js`)]

/** An adapter whose folder has a lock file of its own: tests and library do without its packages. */
function installed(name) {
  const cwd = join(here, name)
  if (!existsSync(join(cwd, 'node_modules'))) {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
    const { status } = spawnSync('npm', args, { cwd, shell: process.platform === 'win32' })
    if (status !== 0) process.exit(1)
  }
  return [process.execPath, join(cwd, 'adapter.js')]
}

/** The node's own packages and this library, which must be right, and others, which are only measured. */
function implementations(folder) {
  requireGo('npm run conformance')
  const [judge, nextJudge] = [join(folder, 'judge'), join(folder, 'next')]
  const isBuilt =
    go('build', '-o', judge, './cmd/judge') &&
    go('build', '-tags=avalanchego_next', `-modfile=${next}`, '-o', nextJudge, './cmd/judge')
  if (!isBuilt) process.exit(1)
  return [
    { name: 'avalanchego 1.14.2', command: [judge, '-answers'], mustBeRight: true },
    { name: 'avalanchego 1.15.0', command: [nextJudge, '-answers'], mustBeRight: true },
    { name: 'avmkit', command: adapter('avmkit'), mustBeRight: true },
    { name: 'avalanchejs 5.2.0', command: adapter('avalanchejs') },
    { name: 'flarejs 4.1.1', command: installed('flarejs') },
    { name: 'metaljs 3.16.13', command: installed('metaljs') },
  ]
}

const folder = mkdtempSync(join(tmpdir(), 'avmkit-conformance-'))
try {
  const given = process.argv.slice(2)
  const list =
    given.length === 0
      ? implementations(folder)
      : [{ name: given.join(' '), command: given, mustBeRight: true }]
  const scores = list.map((one) => ({ ...one, areas: scoreOf(answersOf(one.command)) }))
  for (const { name, areas } of scores) printFailures(name, areas)
  printTable(scores)
  const isComplete = ({ areas }) => [...areas.values()].every(({ wrong }) => wrong.length === 0)
  process.exitCode = scores.every((one) => !one.mustBeRight || isComplete(one)) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}
