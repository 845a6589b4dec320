import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

export function sourcesOf(platform) {
  const { imports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  return Object.fromEntries(
    Object.entries(imports).map(([name, targets]) => {
      const built = targets[platform] ?? targets.default
      return [name, root + built.replace('./dist/', 'src/').replace(/\.js$/, '.ts')]
    }),
  )
}

/** The `#` names of the project and what Node loads for them. */
const named = Object.fromEntries(
  Object.entries(sourcesOf('node')).map(([name, path]) => [name, relative(root, path)]),
)

/** Modules that are loaded with a file; types are not. */
const importsOf = remembered((file) => {
  const found = readFileSync(join(root, file), 'utf8').matchAll(
    /(?:^(?:import|export)\s+(?!type\b)(?:[^'"]*?\bfrom\s+)?|\bimport\()'([^']+)'/gm,
  )
  return [...found].flatMap(([, target]) => {
    if (!target.startsWith('.')) return named[target] ?? []
    return relative(root, join(root, dirname(file), target))
  })
})

/** A function of a text that computes each result once. */
function remembered(compute) {
  const results = new Map()
  return (text) => {
    if (!results.has(text)) results.set(text, compute(text))
    return results.get(text)
  }
}

/** Everything that files load, directly or not. */
export function closureOf(files) {
  const seen = new Set()
  const open = [...files]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || !existsSync(join(root, file))) continue
    seen.add(file)
    if (file.endsWith('.ts')) open.push(...importsOf(file))
  }
  return seen
}
