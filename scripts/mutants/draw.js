import { readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { transformSync } from 'esbuild'
import { sitesOf } from './sites.js'

// Draws lines of src at random. A line that decides about money or consent is drawn more often than one that prints.

const RISK = [
  [/^src\/(wallet|custody)\//, 3],
  [/^src\/(core|node|storage|signers)\//, 2],
  [/^src\/(cli|devnode|inspect|page)\//, 0.5],
  [/^src\//, 1],
]
/** What only a browser executes, which tests see built. */
const LEFT_OUT = /^src\/page\/|-browser\.ts$|indexed-db|errors\.ts$|error-texts/

/** A generator of numbers below a bound that a seed repeats (mulberry32). */
export function randomBelow(seed) {
  let state = seed >>> 0
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * bound
  }
}

/** A source file as JavaScript, and the line of the source at a position of it. */
export function javascriptOf(path, source) {
  const { code, map } = transformSync(source, {
    loader: 'ts',
    sourcefile: path,
    sourcemap: 'external',
    target: 'esnext',
  })
  const sourceMap = new SourceMap(JSON.parse(map))
  const starts = [0]
  for (let i = code.indexOf('\n'); i !== -1; i = code.indexOf('\n', i + 1)) starts.push(i + 1)
  const lineAt = (position) => {
    const line = starts.findLastIndex((start) => start <= position)
    return sourceMap.findEntry(line, position - starts[line]).originalLine + 1
  }
  return { code, lineAt }
}

/** `count` mutants on different lines whose ranges do not overlap: file, line, range in the JavaScript, replacement. */
export function drawMutants(root, count, seed) {
  const below = randomBelow(seed)
  const lines = []
  for (const name of readdirSync(`${root}/src`, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = `src/${name.replaceAll('\\', '/')}`
    if (!file.endsWith('.ts') || file.endsWith('.d.ts') || LEFT_OUT.test(file)) continue
    const { code, lineAt } = javascriptOf(file, readFileSync(`${root}/${file}`, 'utf8'))
    const [, risk] = RISK.find(([pattern]) => pattern.test(file))
    const byLine = new Map()
    for (const site of sitesOf(code)) {
      const line = lineAt(site.start)
      if (!byLine.has(line)) byLine.set(line, { file, line, sites: [], code, risk })
      byLine.get(line).sites.push(site)
    }
    lines.push(...byLine.values())
  }
  const mutants = []
  let total = lines.reduce((sum, { risk }) => sum + risk, 0)
  while (mutants.length < count && lines.length > 0) {
    let index = 0
    for (let at = below(total); at >= lines[index].risk; index++) at -= lines[index].risk
    const [{ file, line, sites, code, risk }] = lines.splice(index, 1)
    total -= risk
    const site = sites[Math.floor(below(sites.length))]
    const overlaps = mutants.some(
      (other) => other.file === file && other.start < site.end && site.start < other.end,
    )
    if (!overlaps)
      mutants.push({
        number: mutants.length + 1,
        file,
        line,
        ...site,
        from: code.slice(site.start, site.end),
      })
  }
  return mutants
}
