import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)

/** The table of what holds at each quorum, with the paragraph below it. */
function tableIn(file: string): string {
  const text = readFileSync(new URL(file, root), 'utf8')
  const start = text.indexOf('| what a wallet promises |')
  return text.slice(start, text.indexOf('\n\n', text.indexOf('Not protected', start)))
}

it('SECURITY.md and the guide say the same about each quorum', () => {
  const table = tableIn('SECURITY.md')
  expect(table.split('\n').length).toBeGreaterThan(9)
  expect(tableIn('docs/guarantees.md')).toBe(table)
})
