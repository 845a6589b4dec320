import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { results, rivals, scaling } from './figures/plots.js'
import { record, session } from './figures/session.js'

// Draws the figures of the guides into docs/figures: the saved results of the benchmarks and a recorded run of `npm start`. `--record` records it again. `--check` writes nothing and
// exits with 1 if a figure would change.

const root = fileURLToPath(new URL('..', import.meta.url))
const figures = join(root, 'docs/figures')
const recording = join(figures, 'tour.json')
mkdirSync(figures, { recursive: true })
if (process.argv.includes('--record')) {
  // What `npm start` runs after the build.
  const programs = ['tour.js', 'custody.js'].map((name) => join(root, 'examples', name))
  writeFileSync(recording, `${JSON.stringify(await record(programs))}\n`)
}
const drawn = {
  'rivals.svg': rivals(results()),
  'scaling.svg': scaling(results()),
  'tour.svg': session(JSON.parse(readFileSync(recording, 'utf8'))),
}
for (const [name, content] of Object.entries(drawn)) {
  const path = join(figures, name)
  if (!process.argv.includes('--check')) writeFileSync(path, content)
  else if (readFileSync(path, 'utf8') !== content) {
    console.error(`${name} is out of date: run npm run figures`)
    process.exitCode = 1
  }
}
