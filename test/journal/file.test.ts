import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fc, test } from '@fast-check/vitest'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { formatID, hex, parseID } from '../../src/encoding/index.ts'
import { fileJournal } from '../../src/journal/index.ts'
import type { JournalEntry } from '../../src/wallet/index.ts'
import { folder } from '../cli/shell.ts'
import { runs } from '../devnode/runs.ts'
import { vectors } from '../helpers/vectors.ts'

/** What was asked of the disk, and which of it fails. */
const disk: { readonly done: string[]; fails: (step: string) => boolean } = {
  done: [],
  fails: () => false,
}

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const steps = ['write', 'datasync', 'sync', 'truncate'] as const
  const watched = (file: FileHandle, path: string): FileHandle =>
    new Proxy(file, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          const step = `${String(name)} ${basename(path)}`
          if ((steps as readonly unknown[]).includes(name)) {
            disk.done.push(step)
            if (disk.fails(step)) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
          }
          return value.apply(target, args) as unknown
        }
      },
    })
  return {
    ...real,
    open: async (path: string, ...args: [number, number]) =>
      watched(await real.open(path, ...args), path),
  }
})

beforeEach(() => {
  disk.done.length = 0
  disk.fails = () => false
})

type Recorded = { readonly bytes: string; readonly txID: string }
const { events } = vectors<{ events: readonly Partial<Recorded>[] }>('node-sequence.json')
const [first, second] = events.filter(
  ({ bytes, txID }) => bytes !== undefined && txID !== undefined,
) as [Recorded, Recorded]

const signed: JournalEntry = {
  type: 'signed',
  txID: parseID(first.txID),
  bytes: hex.decode(first.bytes),
}
const accepted: JournalEntry = { type: 'accepted', txID: parseID(first.txID) }
const refused: JournalEntry = {
  type: 'refused',
  txID: parseID(second.txID),
  code: 'SIG_INVALID',
  reason: 'failed to verify transfer: invalid signature',
}

/** The line of a signed transaction, worked out by other means. */
function lineOfSigned({ bytes, txID }: Recorded, names: object): string {
  const digits = bytes.replace(/^0x/, '')
  const sum = createHash('sha256').update(Buffer.from(digits, 'hex')).digest('hex').slice(-8)
  return `${JSON.stringify({ type: 'signed', txID, bytes: `0x${digits}${sum}`, ...names })}\n`
}

async function loaded(path: string): Promise<readonly JournalEntry[]> {
  const journal = fileJournal(path)
  try {
    return await journal.load()
  } finally {
    await journal.close()
  }
}

async function write(path: string, entries: readonly JournalEntry[]): Promise<void> {
  const journal = fileJournal(path)
  for (const entry of entries) await journal.append(entry)
  await journal.close()
}

describe('fileJournal', () => {
  it('makes one line of JSON of each entry, for the owner only', async () => {
    const path = join(folder(), 'journal')
    await write(path, [
      { ...signed, key: 'rent' },
      accepted,
      refused,
      { ...signed, keys: ['a', 'b'] },
    ])
    expect(readFileSync(path, 'utf8')).toBe(
      [
        lineOfSigned(first, { key: 'rent' }),
        `{"type":"accepted","txID":"${first.txID}"}\n`,
        `{"type":"refused","txID":"${second.txID}","code":"SIG_INVALID",`,
        '"reason":"failed to verify transfer: invalid signature"}\n',
        lineOfSigned(first, { keys: ['a', 'b'] }),
      ].join(''),
    )
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('reads what other hands wrote down', async () => {
    const path = join(folder(), 'journal')
    writeFileSync(path, lineOfSigned(first, { key: 'rent' }) + lineOfSigned(second, {}))
    expect(await loaded(path)).toEqual([
      { ...signed, key: 'rent' },
      { type: 'signed', txID: parseID(second.txID), bytes: hex.decode(second.bytes) },
    ])
  })

  const anyID = fc.uint8Array({ minLength: 32, maxLength: 32 })
  const anyText = fc.string({ unit: 'binary' })
  const anyEntry: fc.Arbitrary<JournalEntry> = fc.oneof(
    fc.record(
      {
        type: fc.constant('signed' as const),
        txID: anyID,
        bytes: fc.uint8Array(),
        key: anyText,
        keys: fc.array(anyText),
      },
      { requiredKeys: ['type', 'txID', 'bytes'] },
    ),
    fc.record({ type: fc.constant('accepted' as const), txID: anyID }),
    fc.record({
      type: fc.constant('refused' as const),
      txID: anyID,
      code: anyText,
      reason: anyText,
    }),
  )

  test.prop([fc.array(anyEntry, { maxLength: 5 })], runs(50))(
    'gives back whatever was appended',
    async (entries) => {
      const path = join(folder(), 'journal')
      await write(path, entries)
      expect(await loaded(path)).toEqual(entries)
    },
  )

  test.prop([fc.array(anyEntry, { minLength: 1, maxLength: 4 }), fc.nat()], runs(50))(
    'has the whole entries of a file that was cut anywhere, and goes on behind them',
    async (entries, n) => {
      const path = join(folder(), 'journal')
      await write(path, entries)
      const bytes = readFileSync(path)
      const cut = bytes.subarray(0, n % bytes.length)
      const whole = cut.filter((byte) => byte === 0x0a).length
      writeFileSync(path, cut)
      await write(path, [accepted])
      expect(await loaded(path)).toEqual([...entries.slice(0, whole), accepted])
    },
  )

  it('reads lines that are longer than a piece of the file', async () => {
    const path = join(folder(), 'journal')
    const long: JournalEntry = { ...signed, keys: ['é'.repeat(700_000), 'x'.repeat(1_500_000)] }
    await write(path, [accepted, long, long, accepted])
    expect(await loaded(path)).toEqual([accepted, long, long, accepted])
  })

  it('takes off zeros that a power cut left', async () => {
    const path = join(folder(), 'journal')
    await write(path, [signed, accepted])
    const { size } = statSync(path)
    appendFileSync(path, new Uint8Array(512))
    expect(await loaded(path)).toEqual([signed, accepted])
    expect(statSync(path).size).toBe(size)
  })

  it('has lines of calls at the same time one after the other', async () => {
    const path = join(folder(), 'journal')
    const journal = fileJournal(path)
    const entries = Array.from({ length: 20 }, (_, i) => ({ ...signed, key: `${i}` }))
    await Promise.all(entries.map(journal.append))
    await journal.close()
    expect(await loaded(path)).toEqual(entries)
  })

  it('makes no file before there is something to keep', async () => {
    const path = join(folder(), 'journal')
    expect(await loaded(path)).toEqual([])
    expect(existsSync(path)).toBe(false)
  })

  const foreign: readonly (readonly [string, string])[] = [
    [
      'a line in the middle is damaged',
      `${lineOfSigned(first, {})}{"type":"si\n{"type":"accepted"}\n`,
    ],
    ['a checksum is wrong', lineOfSigned(first, {}).replace(/.{4}"}\n$/, '0000"}\n')],
    ['a name is no text', lineOfSigned(first, { key: 7 })],
    ['names are no list', lineOfSigned(first, { keys: 'ab' })],
    ['an entry is of another kind', `{"type":"paid","txID":"${formatID(accepted.txID)}"}\n`],
    [
      'it is a file of something else',
      'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN',
    ],
  ]
  for (const [what, text] of foreign)
    it(`refuses to work where ${what}, and changes nothing`, async () => {
      const path = join(folder(), 'journal')
      writeFileSync(path, text)
      await expect(loaded(path)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT', path })
      await expect(write(path, [accepted])).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' })
      expect(readFileSync(path, 'utf8')).toBe(text)
    })

  it('says that it cannot be read, or not be written', async () => {
    const inside = folder()
    mkdirSync(join(inside, 'journal'))
    const journal = fileJournal(join(inside, 'journal'))
    await expect(journal.load()).rejects.toMatchObject({
      name: 'JournalError',
      code: 'JOURNAL_UNREADABLE',
      cause: { code: 'EISDIR' },
    })
    await journal.close()
    const other = fileJournal(join(inside, 'other'))
    await other.load()
    disk.fails = (step) => step === 'write other'
    await expect(other.append(signed)).rejects.toMatchObject({
      code: 'JOURNAL_UNWRITABLE',
      cause: { code: 'ENOSPC' },
    })
    await other.close()
  })

  it('has every entry on the disk before it says so, and the name of a new file', async () => {
    const inside = folder()
    const journal = fileJournal(join(inside, 'journal'))
    await journal.append(signed)
    expect(disk.done).toEqual(['write journal', 'datasync journal', `sync ${basename(inside)}`])
    disk.done.length = 0
    await journal.append(accepted)
    expect(disk.done).toEqual(['write journal', 'datasync journal'])
    await journal.close()
  })

  it('has on the disk what it read, which a killed program may not have waited for', async () => {
    const inside = folder()
    const path = join(inside, 'journal')
    writeFileSync(path, lineOfSigned(first, {}))
    await loaded(path)
    expect(disk.done).toContain('datasync journal')
    expect(disk.done).toContain(`sync ${basename(inside)}`)
  })

  for (const step of ['write', 'datasync', 'sync'])
    it(`does not have an entry whose ${step} failed`, async () => {
      const inside = folder()
      const path = join(inside, 'journal')
      const journal = fileJournal(path)
      disk.fails = (done) => done.startsWith(`${step} `)
      await expect(journal.append(signed)).rejects.toMatchObject({ code: 'JOURNAL_UNWRITABLE' })
      // While the disk stays like this nothing is believed, and nothing is written behind it.
      disk.fails = (done) => done.startsWith(`${step} `) || done.startsWith('truncate ')
      await expect(journal.append(accepted)).rejects.toMatchObject({ code: 'JOURNAL_UNWRITABLE' })
      disk.fails = () => false
      expect(await journal.load()).toEqual([])
      await journal.append(refused)
      await journal.close()
      expect(await loaded(path)).toEqual([refused])
    })

  it('writes nothing to a file that somebody else has changed or removed', async () => {
    const path = join(folder(), 'journal')
    const journal = fileJournal(path)
    await journal.append(signed)
    appendFileSync(path, lineOfSigned(second, {}))
    const before = readFileSync(path, 'utf8')
    await expect(journal.append(accepted)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' })
    await expect(journal.load()).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' })
    expect(readFileSync(path, 'utf8')).toBe(before)
    rmSync(path)
    await expect(journal.append(accepted)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' })
    await expect(journal.load()).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' })
    expect(existsSync(path)).toBe(false)
    await journal.close()
  })

  it('is of no use once it is closed, which waits for what is being written', async () => {
    const path = join(folder(), 'journal')
    const journal = fileJournal(path)
    const writing = journal.append(signed)
    const closing = journal.close()
    await expect(journal.append(accepted)).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' })
    await expect(journal.load()).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' })
    expect(() => fileJournal(path)).toThrow(expect.objectContaining({ code: 'JOURNAL_IN_USE' }))
    await Promise.all([writing, closing])
    await journal.close()
    expect(await loaded(path)).toEqual([signed])
  })
})
