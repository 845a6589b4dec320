import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createVitest } from 'vitest/node'
import { javascriptOf } from './draw.js'

// A process of its own, which is ended if a mutant makes a test run for ever. It answers two messages: `map` runs all
// tests and tells which files execute which mutants; `judge` runs some files with one mutant.

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')
/** They look at files of the repository, or run what was built, which is not changed. */
const WITHOUT =
  /^test\/(page|guides|packaging|size|readme|layers|doc-comments|tsdoc|property-tests|examples|end-to-end)/
const pathOf = (id) => relative(root, id).replaceAll('\\', '/')

/** Nothing on disk is changed: files are while they are loaded. */
let changesOf = () => []
const plugin = {
  name: 'mutants',
  enforce: 'pre',
  transform(source, id) {
    const path = pathOf(id.split('?')[0])
    const changes = changesOf(path)
    if (changes.length === 0) return
    let { code } = javascriptOf(path, source)
    for (const { start, end, text } of changes.sort((a, b) => b.start - a.start))
      code = code.slice(0, start) + text + code.slice(end)
    return { code, map: null }
  },
}

const open = (options) =>
  createVitest('test', { root, watch: false, reporters: [{}], ...options }, { plugins: [plugin] })

async function map(mutants) {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-mutants-'))
  process.env.AVMKIT_MUTANT_HITS = folder
  changesOf = (path) =>
    mutants
      .filter(({ file }) => file === path)
      .map(({ number, start, end, isStatement, from }) => {
        const hit = `globalThis.avmkitHit?.(${number})`
        return { start, end, text: isStatement ? `{${hit};${from}}` : `(${hit},${from})` }
      })
  const vitest = await open({
    setupFiles: ['test/helpers/setup.ts', 'scripts/mutants/hits.ts'],
  })
  const all = await vitest.globTestSpecifications()
  const { testModules } = await vitest.runTestSpecifications(
    all.filter(({ moduleId }) => !WITHOUT.test(pathOf(moduleId))),
  )
  const files = testModules.map((module) => ({
    file: pathOf(module.moduleId),
    isGreen: module.ok(),
    seconds: module.diagnostic().duration / 1000,
  }))
  await vitest.close()
  const hits = readdirSync(folder).map((name) =>
    JSON.parse(readFileSync(join(folder, name), 'utf8')),
  )
  rmSync(folder, { recursive: true })
  return { files, hits }
}

/** Keeps the order of the files that are asked for. */
class AsAsked {
  shard = (specifications) => specifications
  sort = (specifications) => specifications
}

let judging
let specifications
/** Test files that failed in the present run. */
let failed = []
const reporter = {
  onTestModuleEnd: (module) => module.state() === 'failed' && failed.push(pathOf(module.moduleId)),
}
async function judge(mutant, files) {
  // One file at a time: the nearest one mostly tells.
  judging ??= await open({
    bail: 1,
    maxWorkers: 1,
    reporters: [reporter],
    sequence: { sequencer: AsAsked },
  })
  specifications ??= new Map(
    (await judging.globTestSpecifications()).map((one) => [pathOf(one.moduleId), one]),
  )
  failed = []
  changesOf = (path) => (path === mutant.file ? [mutant] : [])
  judging.invalidateFile(join(root, mutant.file))
  const { unhandledErrors } = await judging.runTestSpecifications(
    files.map((file) => specifications.get(file)),
  )
  changesOf = () => []
  judging.invalidateFile(join(root, mutant.file))
  return { caughtBy: failed[0] ?? (unhandledErrors.length > 0 ? 'an unhandled error' : null) }
}

process.on('message', async ({ task, mutants, mutant, files }) => {
  try {
    process.send(task === 'map' ? await map(mutants) : await judge(mutant, files))
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) })
  }
})
process.on('disconnect', () => process.exit())
