import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { fileJournal } from '../../src/journal/index.ts'

const stuck = { on: false }

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  return {
    ...real,
    rmSync: (...args: Parameters<typeof real.rmSync>) => {
      if (stuck.on) throw Object.assign(new Error('not permitted'), { code: 'EPERM' })
      real.rmSync(...args)
    },
  }
})

it('a lock of the dead that cannot be removed is an error of the journal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'))
  onTestFinished(() => {
    stuck.on = false
    rmSync(folder, { recursive: true })
  })
  const path = join(folder, 'x.journal')
  writeFileSync(`${path}.lock`, '0\n')
  stuck.on = true
  expect(() => fileJournal(path)).toThrow(
    expect.objectContaining({ name: 'JournalError', code: 'JOURNAL_UNWRITABLE', path }),
  )
})
