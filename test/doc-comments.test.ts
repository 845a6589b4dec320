import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { entryPoints, exportedNames } from './helpers/entry-points.ts'

const src = new URL('../src/', import.meta.url)

/** Lines of the library that fulfill a condition and do not follow a doc comment. The CLI and the page export nothing. */
function undocumented(isIncluded: (lines: readonly string[], i: number) => boolean): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) => file.endsWith('.ts') && !/^(cli|page)\//.test(file) && !file.endsWith('.d.ts'),
    )
    .flatMap((file) => {
      const lines = readFileSync(new URL(file, src), 'utf8').split('\n')
      return lines.flatMap((line, i) =>
        isIncluded(lines, i) && !lines[i - 1]?.endsWith('*/') ? [`${file}:${i + 1}: ${line}`] : [],
      )
    })
}

describe('every export', () => {
  it('has a doc comment', () => {
    const missing = undocumented(
      (lines, i) => isDeclaration(lines[i]!) && !isOverload(lines[i]!, lines),
    )
    expect(missing).toEqual([])
  })
})

describe('every method and option of an exported type', () => {
  /** Types that repeat what other packages document. */
  const foreign = ['DatabaseClient', 'DatabasePool', 'LibauthSecp256k1Wasm', 'NativeSecp256k1']
  const names = new Set([...entryPoints.values()].flatMap((file) => [...exportedNames(file)]))
  for (const name of foreign) names.delete(name)

  it('has a doc comment', () => {
    const missing = undocumented((lines, i) => {
      if (!isOption(lines[i]!) && !isMethod(lines[i]!)) return false
      const start = lines.slice(0, i).findLastIndex((line) => /^\S/.test(line))
      const type = /^export (?:abstract )?(?:type|interface|class) (\w+).*\{$/.exec(lines[start]!)
      return type !== null && names.has(type[1]!)
    })
    expect(missing).toEqual([])
  })
})

function isDeclaration(line: string): boolean {
  return /^export (?:abstract |async )*(?:const|function|class|type|interface)[ *]+\w/.test(line)
}

/** Only the first signature of an overloaded function is documented. */
function isOverload(line: string, lines: readonly string[]): boolean {
  const name = /^export function (\w+)/.exec(line)?.[1]
  const first = lines.find((other) => new RegExp(`^export function ${name}\\b`).test(other))
  return name !== undefined && first !== line
}

function isOption(line: string): boolean {
  return /^ {2}(?:readonly )?\w+\?:/.test(line)
}

/** A method of a class, or a member of a type that is a function. */
function isMethod(line: string): boolean {
  return /^ {2}(?:readonly )?(?:async )?\*?(?!constructor)\w+(?:<.*?>)?(?:: (?:<.*?>)?)?\(/.test(
    line,
  )
}
