import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../..', import.meta.url))
export const docs: string = join(root, 'docs')

/** The text of a guide. */
export function textOf(name: string): string {
  return readFileSync(join(docs, name), 'utf8')
}

/** The guides, except for those of these names. */
export function guidesBut(...others: string[]): string[] {
  return readdirSync(docs).filter((name) => name.endsWith('.md') && !others.includes(name))
}

/** The blocks of one kind in a guide. */
export function blocks(name: string, kind: string): string[] {
  const found = textOf(name).matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'gms'))
  return Array.from(found, (match) => match[1]!)
}

/** What each `console.log(…) // …` of a program says that it prints. */
export function promised(code: string): string[] {
  return Array.from(code.matchAll(/^ *console\.log\(.*\) \/\/ (.*)$/gm), (match) => match[1]!)
}

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: { readonly [entry: string]: { readonly default: string } | string }
}

/** The code with imports of the package that lead to its sources. */
export function withSources(code: string, src: string): string {
  return code.replace(/from '(avmkit[^']*)'/g, (_, specifier: string) => {
    const target = exports[specifier.replace(/^avmkit/, '.')]
    if (target === undefined || typeof target === 'string') throw new Error(`no entry ${specifier}`)
    return `from '${target.default.replace('./dist', src).replace(/\.js$/, '.ts')}'`
  })
}

/** Writes a program of a guide into a file that can be imported, and returns its path. */
export function written(name: string, code: string): string {
  const folder = join(root, 'test/.generated')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `guide-${name.replace('.md', '.ts')}`)
  writeFileSync(path, withSources(code, '../../src'))
  return path
}
