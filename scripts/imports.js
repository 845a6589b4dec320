import { readFileSync } from 'node:fs'
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
