import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { folder } from './cli/shell.ts'
import { entryPoints } from './helpers/entry-points.ts'

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')

/** What `import … from 'avmkit/…'` means in this repository. */
function sourceOf(specifier: string): string {
  const file = entryPoints.get(specifier.replace(/^avmkit/, '.'))
  if (file === undefined) throw new Error(`no entry ${specifier}`)
  return `../../src/${file}`
}

describe('the README', () => {
  it('has examples that run, one after the other', async () => {
    const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map((match) => match[1]!)
    expect(blocks.length).toBeGreaterThan(1)
    const code = blocks
      .join('\n')
      .replace(/from '(avmkit[^']*)'/g, (_, specifier: string) => `from '${sourceOf(specifier)}'`)
      .replaceAll("fileStore('", `fileStore('${folder()}/`)
    const file = new URL('test/.generated/readme.ts', root)
    mkdirSync(new URL('.', file), { recursive: true })
    writeFileSync(file, code)
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(/* @vite-ignore */ fileURLToPath(file))
      expect(log.mock.calls[0]).toEqual([
        '2HFo8koJ44dfgUdF6qecu6UALBbk5UCQejtWriPWwQ6NLZJJuo',
        1_000_000_000n,
      ])
      expect(log.mock.lastCall).toEqual([1n])
    } finally {
      log.mockRestore()
    }
  })
})
