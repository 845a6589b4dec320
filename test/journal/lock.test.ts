import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { fileJournal } from '../../src/journal/index.ts'
import type { JournalEntry } from '../../src/wallet/index.ts'
import { Child } from '../cli/child.ts'
import { folder } from '../cli/shell.ts'

const accepted: JournalEntry = { type: 'accepted', txID: new Uint8Array(32).fill(7) }
const inUse = expect.objectContaining({ name: 'JournalError', code: 'JOURNAL_IN_USE' })
const built = new URL('../../dist/journal/index.js', import.meta.url).href

/** Another program that has a journal until it ends, by itself as soon as it is spoken to. */
async function holder(path: string): Promise<Child> {
  const program = `
    import { fileJournal } from '${built}'
    fileJournal(${JSON.stringify(path)})
    console.log('has it')
    process.stdin.once('data', () => process.exit(0))`
  const child = new Child(process.execPath, ['--input-type=module', '--eval', program])
  await child.says(/has it/)
  return child
}

describe('the lock of a journal', () => {
  it('is there for one at a time, by whatever name of the file', async () => {
    const inside = folder()
    const path = join(inside, 'journal')
    const journal = fileJournal(path)
    await journal.append(accepted)
    symlinkSync(path, join(inside, 'alias'))
    expect(() => fileJournal(path)).toThrow(inUse)
    expect(() => fileJournal(join(inside, '.', 'journal'))).toThrow(inUse)
    expect(() => fileJournal(join(inside, 'alias'))).toThrow(inUse)
    await journal.close()
    expect(existsSync(`${path}.lock`)).toBe(false)
    await fileJournal(path).close()
  })

  it('is respected by other programs, and taken over from one that was killed', async () => {
    const path = join(folder(), 'journal')
    const child = await holder(path)
    expect(() => fileJournal(path)).toThrow(
      expect.objectContaining({
        code: 'JOURNAL_IN_USE',
        path,
        message: expect.stringContaining(`process ${child.process.pid} `),
      }),
    )
    child.process.kill('SIGKILL')
    await child.exited
    expect(existsSync(`${path}.lock`)).toBe(true)
    const journal = fileJournal(path)
    await journal.append(accepted)
    await journal.close()
  })

  it('is taken over from a program that ended without closing', async () => {
    const path = join(folder(), 'journal')
    const child = await holder(path)
    child.process.stdin.write('end')
    await child.exited
    await fileJournal(path).close()
  })

  it('keeps out other threads of the same program', async () => {
    const path = join(folder(), 'journal')
    const journal = fileJournal(path)
    const program = `
      const { parentPort } = require('node:worker_threads')
      import('${built}').then(({ fileJournal }) => {
        try { fileJournal(${JSON.stringify(path)}); parentPort.postMessage('has it too') }
        catch (error) { parentPort.postMessage(error.code) }
      })`
    const worker = new Worker(program, { eval: true })
    const said = await new Promise((resolve) => worker.once('message', resolve))
    // Elsewhere than on Linux a number alone does not tell a thread from an earlier run.
    if (process.platform === 'linux') expect(said).toBe('JOURNAL_IN_USE')
    await worker.terminate()
    await journal.close()
  })

  const left: readonly (readonly [string, string])[] = [
    ['whose words were lost with the power', ''],
    ['of a process with our own number', `${process.pid} 1 ${hostname()} x\n`],
    ['without more than our own number', `${process.pid}\n`],
  ]
  for (const [what, words] of left)
    it(`is taken over ${what}`, async () => {
      const path = join(folder(), 'journal')
      writeFileSync(`${path}.lock`, words)
      await fileJournal(path).close()
    })

  it.runIf(process.platform === 'linux')(
    'is taken over where another process has got the number since',
    async () => {
      const path = join(folder(), 'journal')
      writeFileSync(`${path}.lock`, `${process.ppid} 1 ${hostname()} x\n`)
      await fileJournal(path).close()
    },
  )

  it('is left to another machine, whose processes cannot be asked about', () => {
    const path = join(folder(), 'journal')
    writeFileSync(`${path}.lock`, `${process.pid} 1 not-${hostname()} x\n`)
    expect(() => fileJournal(path)).toThrow(inUse)
  })

  it('is looked at before every entry, and not given back by who lost it', async () => {
    const path = join(folder(), 'journal')
    const journal = fileJournal(path)
    await journal.append(accepted)
    const before = readFileSync(path, 'utf8')
    writeFileSync(`${path}.lock`, 'another one\n')
    await expect(journal.append(accepted)).rejects.toThrow(inUse)
    await expect(journal.load()).rejects.toThrow(inUse)
    await journal.close()
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe('another one\n')
  })

  it('cannot be had where there is no folder', () => {
    const path = join(folder(), 'missing', 'journal')
    expect(() => fileJournal(path)).toThrow(
      expect.objectContaining({ code: 'JOURNAL_UNWRITABLE', cause: expect.anything() }),
    )
  })
})
