import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// node benchmarks/run.js [--json] [--save] [NAME…]: NAME selects rows by prefix; with --save, areas.

const args = process.argv.slice(2)
const json = args.includes('--json')
const save = args.includes('--save')
const names = args.filter((arg) => !arg.startsWith('--'))

const areas = [
  'codec',
  'formats',
  'sign',
  'requests',
  'keys',
  'select',
  'client',
  'wallet',
  'sweep',
  'devnode',
  'chains',
  'go',
  'custody',
  'service',
  'cli',
]
/** Runs of which the median is saved. */
const SAVED_RUNS = 3

const rows = []
let failed = false

for (const area of areas) {
  if (names.length > 0 && !names.some((name) => isWanted(area, name))) continue
  for await (const row of save ? medianRowsOf(area) : rowsOf(area)) {
    if (names.length > 0 && !names.some((name) => row.printed.name.startsWith(name))) continue
    rows.push(row)
    failed ||= !row.printed.holds
    console.log(json ? JSON.stringify(row.printed) : line(row))
  }
}

if (save) saveRows()

process.exitCode = failed ? 1 : 0

/** Whether a name means this area, is the beginning of its name, or selects rows of it. */
function isWanted(area, name) {
  return areas.includes(name) ? name === area : name.startsWith(area) || area.startsWith(name)
}

/** Runs an area in a separate process, so that its garbage does not slow down the next. */
async function* rowsOf(area) {
  const script = fileURLToPath(new URL('area.js', import.meta.url))
  const child = spawn(process.execPath, [script, area], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  for await (const text of createInterface({ input: child.stdout })) yield JSON.parse(text)
  const [status] = await ended
  if (status !== 0) throw new Error(`the benchmarks of ${area} failed`)
}

/** The median of several runs of each row. */
async function* medianRowsOf(area) {
  const runs = []
  for (let i = 0; i < SAVED_RUNS; i++) {
    const run = []
    for await (const row of rowsOf(area)) run.push(row)
    runs.push(run)
  }
  const resultOf = ({ printed }) => printed.ratio ?? printed.ours
  for (const i of runs[0].keys()) {
    const sorted = runs.map((run) => run[i]).sort((a, b) => resultOf(a) - resultOf(b))
    const spread = `${resultOf(sorted[0])} – ${resultOf(sorted.at(-1))}`
    yield { ...sorted[Math.floor(SAVED_RUNS / 2)], spread }
  }
}

function line({ printed: row, boundText, formula }) {
  const rival = row.rival === null ? '' : `${row.rival} ${row.unit} (${row.rivalName})`
  const ratio = row.ratio === null ? '' : `${formula} ${row.ratio}`
  const verdict = row.bound === null ? '' : row.holds ? 'holds' : 'DOES NOT HOLD'
  return [
    row.name.padEnd(66),
    `${row.ours} ${row.unit}`.padStart(14),
    rival.padStart(44),
    ratio.padStart(17),
    boundText.padStart(11),
    verdict,
  ].join('  ')
}

/** Replaces the rows that were run in the saved results. */
function saveRows() {
  const path = new URL('RESULTS.md', import.meta.url)
  const date = new Date().toISOString().slice(0, 10)
  const header = `# Results

Printed by \`npm run bench -- --save\` on ${date}, Node ${process.versions.node}, ${cpus()[0].model.trim()} (${cpus().length} cores).
In each run the contestants took turns on the same bytes; of each the best window counts. Each row is the median of ${SAVED_RUNS} runs,
*spread* the least and the greatest ratio, or value where there is no rival. The column *formula* tells what the ratio is.
rival/ours: how many times faster or smaller ours is. ours/rival: how many times the cost of the rival ours has; for rates (/s),
how many times as fast ours is.

| work | unit | ours | rival | | ratio | spread | formula | bound | holds | date |
|---|---|---|---|---|---|---|---|---|---|---|
`
  const ran = rows.map(
    ({ printed: row, boundText, formula, spread }) =>
      `| ${row.name} | ${row.unit} | ${row.ours} | ${row.rival ?? ''} | ${row.rivalName ?? ''} | ${row.ratio ?? ''} | ${spread} | ${formula} | ${boundText} | ${row.bound === null ? '' : row.holds ? 'yes' : 'no'} | ${date} |`,
  )
  // The first word of a row is its area.
  const wordOf = (row) => row.split(/[ :]/, 2)[1]
  const replaced = new Set(ran.map(wordOf))
  const kept = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => areas.includes(wordOf(line)) && !replaced.has(wordOf(line)))
  const body = [...kept, ...ran].sort((a, b) => areas.indexOf(wordOf(a)) - areas.indexOf(wordOf(b)))
  writeFileSync(path, `${header + body.join('\n')}\n`)
}
