import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// node benchmarks/run.js [--json] [--save] [NAME…]: NAME selects rows by prefix.

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
const rows = []
let failed = false

for (const area of areas) {
  const wanted =
    names.length === 0 || names.some((name) => name.startsWith(area) || area.startsWith(name))
  if (!wanted) continue
  for await (const row of rowsOf(area)) {
    if (names.length > 0 && !names.some((name) => row.printed.name.startsWith(name))) continue
    rows.push(row)
    failed ||= !row.printed.holds
    console.log(json ? JSON.stringify(row.printed) : line(row))
  }
}

if (save) {
  const header = `# Results

Printed by \`npm run bench -- --save\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus()[0].model.trim()} (${cpus().length} cores).
Each row is one run in which the contestants took turns on the same bytes; of each the best window counts.
The column *formula* tells what the ratio is. rival/ours: how many times faster or smaller ours is. ours/rival: how many times
the cost of the rival ours has; for rates (/s), how many times as fast ours is.

| work | unit | ours | rival | | ratio | formula | bound | holds |
|---|---|---|---|---|---|---|---|---|
`
  const body = rows.map(
    ({ printed: row, boundText, formula }) =>
      `| ${row.name} | ${row.unit} | ${row.ours} | ${row.rival ?? ''} | ${row.rivalName ?? ''} | ${row.ratio ?? ''} | ${formula} | ${boundText} | ${row.bound === null ? '' : row.holds ? 'yes' : 'no'} |`,
  )
  writeFileSync(new URL('RESULTS.md', import.meta.url), `${header + body.join('\n')}\n`)
}

process.exitCode = failed ? 1 : 0

/** Runs an area in a separate process, so that its garbage does not slow down the next. */
async function* rowsOf(area) {
  const script = fileURLToPath(new URL('area.js', import.meta.url))
  const child = spawn(process.execPath, [script, area], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  for await (const text of createInterface({ input: child.stdout })) yield JSON.parse(text)
  const [status] = await ended
  if (status !== 0) throw new Error(`the benchmarks of ${area} failed`)
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
