import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openFileStore } from '../../../src/wallet/store/file/store.ts'
import { MemoryDisk } from '../../helpers/memory-disk.ts'
import { todaysFrom } from '../../helpers/todays-cases.ts'
import { HEADER_SIZE, lock, PATH, sampleFile } from './sample-file.ts'
import { payment, textOf } from './samples.ts'

const sample = () => sampleFile((store) => store.claim(payment('last key', 'efghij')))

/** The offset of each record, and of the end of the file. */
function boundaries(file: Uint8Array): number[] {
  const view = new DataView(file.buffer, file.byteOffset)
  const starts = [HEADER_SIZE]
  while (starts.at(-1)! < file.length)
    starts.push(starts.at(-1)! + 16 + view.getUint32(starts.at(-1)! + 8) + 8)
  return starts
}

type Result = {
  readonly code?: string
  readonly record?: number
  readonly content?: string
}

/** Opens a file; checks that a rejected file is unchanged, and that a truncated one ends with a complete record. */
async function openDamaged(content: Uint8Array): Promise<Result> {
  const disk = new MemoryDisk()
  disk.put(PATH, content)
  const store = openFileStore(PATH, { disk: disk.disk(), lock })
  try {
    const text = await textOf(store)
    await store.close()
    return { content: text }
  } catch (error) {
    expect(Buffer.compare(disk.contentOf(PATH)!, content)).toBe(0)
    const { code, record } = error as { code: string; record: number }
    return { code, record }
  }
}

let file: Uint8Array
let starts: number[]
/** The content after each number of records. */
let states: (string | undefined)[]

beforeAll(async () => {
  // One time record, however long it takes.
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
  file = await sample()
  starts = boundaries(file)
  states = []
  for (const end of starts) states.push((await openDamaged(file.subarray(0, end))).content)
})

afterAll(() => {
  vi.useRealTimers()
})

describe('a damaged store file', () => {
  it('has the records that these tests expect', () => {
    // binding, identity, snapshot, attempt, rival, ended, time, claim, claim, accepted, claim
    expect(starts).toHaveLength(12)
    expect(starts.at(-1)).toBe(file.length)
  })

  it('is rejected for every changed bit, with the number of the record', async () => {
    for (const at of todaysFrom(0, file.length)) {
      const changed = file.slice()
      changed[at]! ^= 1 << (at % 8)
      const record = at < HEADER_SIZE ? 0 : starts.findLastIndex((start) => start <= at) + 1
      expect(await openDamaged(changed), `byte ${at}`).toEqual({ code: 'STORE_CORRUPT', record })
    }
  })

  it('is rejected for a changed character in the last key', async () => {
    const text = new TextDecoder('latin1').decode(file)
    const changed = file.slice()
    changed[text.indexOf('last key')] = 'L'.charCodeAt(0)
    expect(await openDamaged(changed)).toEqual({ code: 'STORE_CORRUPT', record: 11 })
  })

  it('loses only an incomplete record at its end', async () => {
    for (const end of todaysFrom(0, file.length)) {
      const complete = starts.findLastIndex((start) => start <= end)
      const result = await openDamaged(file.subarray(0, end))
      if (end < HEADER_SIZE) expect(result).toEqual({ code: 'STORE_CORRUPT', record: 0 })
      // Without a binding, or without the pending attempts of a compacted file, it never existed.
      else if (states[complete] === undefined)
        expect(result).toEqual({ code: 'STORE_CORRUPT', record: complete + 1 })
      else expect(result, `cut at ${end}`).toEqual({ content: states[complete] })
    }
    const counts = states.map((state) => state && JSON.parse(state).payments.length)
    expect(counts).toEqual([undefined, 0, 0, undefined, 3, 3, 3, 3, 4, 4, 4, 5])
  })

  it('loses a last record of which only the start was written, followed by zeros', async () => {
    const start = starts.at(-2)!
    // The last byte of a record may be zero.
    const end = file.findLastIndex((byte) => byte !== 0)
    for (const written of todaysFrom(start, end - start)) {
      const zeros = file.slice()
      zeros.fill(0, written)
      expect(await openDamaged(zeros), `up to ${written}`).toEqual({ content: states[10] })
    }
  })

  it('is rejected if what is there of an incomplete last record was changed', async () => {
    const start = starts.at(-2)!
    const changes = [
      // Within the number of the record, within its check, and within its checksum.
      { at: start + 7, written: start + 10 },
      { at: start + 12, written: start + 14 },
      { at: file.length - 8, written: file.length - 4 },
    ]
    for (const { at, written } of changes) {
      const changed = file.slice()
      changed.fill(0, written)
      changed[at]! ^= 1
      const refused = { code: 'STORE_CORRUPT', record: 11 }
      expect(await openDamaged(changed), `byte ${at}`).toEqual(refused)
    }
  })

  it('is rejected for zeros before records', async () => {
    for (const [i, start] of starts.slice(0, -2).entries()) {
      const zeros = file.slice()
      zeros.fill(0, start, starts[i + 1])
      expect(await openDamaged(zeros)).toEqual({ code: 'STORE_CORRUPT', record: i + 1 })
    }
  })

  it('is rejected for removed, duplicate and swapped records', async () => {
    const pieces = starts.slice(0, -1).map((start, i) => file.subarray(start, starts[i + 1]))
    const header = file.subarray(0, HEADER_SIZE)
    const made = (list: Uint8Array[]) => new Uint8Array(Buffer.concat([header, ...list]))
    expect(made(pieces)).toEqual(file)
    for (let i = 0; i < pieces.length; i++)
      for (let j = 0; j <= pieces.length; j++) {
        const others = pieces.filter((_, k) => k !== i)
        const moved = [...others.slice(0, j), pieces[i]!, ...others.slice(j)]
        const repeated = [...pieces.slice(0, j), pieces[i]!, ...pieces.slice(j)]
        if (j !== i && j < pieces.length)
          expect(await openDamaged(made(moved))).toMatchObject({ code: 'STORE_CORRUPT' })
        expect(await openDamaged(made(repeated))).toMatchObject({ code: 'STORE_CORRUPT' })
        if (i < pieces.length - 1)
          expect(await openDamaged(made(others))).toEqual({ code: 'STORE_CORRUPT', record: i + 1 })
      }
  })

  it('is rejected with bytes after its last record', async () => {
    for (const garbage of ['x', 'x\n', 'hello', '0123456789abcdef', 'x'.repeat(100)]) {
      const longer = new Uint8Array(Buffer.concat([file, Buffer.from(garbage)]))
      expect(await openDamaged(longer)).toEqual({ code: 'STORE_CORRUPT', record: 12 })
    }
    const other = new Uint8Array(Buffer.concat([file, (await sample()).subarray(starts[10])]))
    expect(await openDamaged(other)).toEqual({ code: 'STORE_CORRUPT', record: 12 })
  })

  it('loses zeros after its last record, which a crash may leave', async () => {
    const longer = new Uint8Array(file.length + 5000)
    longer.set(file)
    expect(await openDamaged(longer)).toEqual({ content: states[11] })
  })

  it('is rejected if it has another format', async () => {
    const refused = { code: 'STORE_CORRUPT', record: 0 }
    expect(await openDamaged(new Uint8Array(0))).toEqual(refused)
    expect(await openDamaged(new Uint8Array(10_000))).toEqual(refused)
    expect(await openDamaged(new TextEncoder().encode('{"type":"accepted"}\n'))).toEqual(refused)
    // Records of one file do not verify after the header of another.
    const other = await sample()
    other.set(file.subarray(0, HEADER_SIZE))
    expect(await openDamaged(other)).toEqual({ code: 'STORE_CORRUPT', record: 1 })
  })
})
