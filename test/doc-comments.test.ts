import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const src = new URL('../src/', import.meta.url)

describe('every export', () => {
  it('has a doc comment', () => {
    const missing = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('cli') && !file.endsWith('.d.ts'))
      .flatMap((file) => {
        const lines = readFileSync(new URL(file, src), 'utf8').split('\n')
        return lines.flatMap((line, i) =>
          isDeclaration(line) && !isOverload(line, lines) && !lines[i - 1]?.endsWith('*/')
            ? [`${file}:${i + 1}: ${line}`]
            : [],
        )
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
