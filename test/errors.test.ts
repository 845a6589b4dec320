import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = new URL('../', import.meta.url)

describe('docs/errors.md', () => {
  it('is generated from the sources', () => {
    const script = fileURLToPath(new URL('scripts/errors.js', root))
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })

  it('lists every code of every error class', () => {
    const docs = readFileSync(new URL('docs/errors.md', root), 'utf8')
    const codes = sources()
      .filter(([file]) => /(^|\/)(errors|refusals)\.ts$/.test(file))
      .flatMap(([, text]) => [...text.matchAll(/^ {2}\| '([A-Z][A-Z0-9_]+)'$/gm)])
      .map((match) => match[1]!)
    expect(codes.length).toBeGreaterThan(150)
    expect(codes.filter((code) => !docs.includes(`| \`${code}\` |`))).toEqual([])
    expect(docs).not.toMatch(/\| +\|$/m)
  })
})

describe('ErrorCode', () => {
  it('contains the codes of every error class that callers can catch', () => {
    const union = readFileSync(new URL('src/error-codes.ts', root), 'utf8')
    const types = sources()
      .filter(([file]) => !/^(cli|inspect)\//.test(file) && !file.endsWith('/file-error.ts'))
      .flatMap(([, text]) => [...text.matchAll(/^ {2}declare readonly code: (\w+)$/gm)])
      .map((match) => match[1]!)
    expect(types.length).toBeGreaterThan(10)
    expect(types.filter((type) => !union.includes(`  | ${type}\n`))).toEqual([])
  })
})

function sources(): [file: string, text: string][] {
  return readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('page/'))
    .map((file) => [file.replaceAll('\\', '/'), readFileSync(new URL(`src/${file}`, root), 'utf8')])
}
