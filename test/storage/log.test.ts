import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { LogDisk } from '../../src/storage/disk.ts'
import { AppendLog, type Replay } from '../../src/storage/log.ts'
import { MemoryDisk } from '../helpers/memory-disk.ts'

const PATH = '/log'
const ignore: Replay = { record: () => {}, end: () => {} }

it('a record to be synced is durable when its flush ends, also if another one need not be synced', async () => {
  for (const isFirst of [true, false]) {
    const memory = new MemoryDisk()
    const open = (replay: Replay) => {
      const options = {
        disk: memory.disk(),
        path: PATH,
        kind: 'avmkst01',
        assertOwned: async () => {},
      }
      return AppendLog.open(options, replay)
    }
    const log = await open(ignore)
    await log.rewrite([])
    log.append(Uint8Array.of(1))
    const flushed = [isFirst, !isFirst].map((sync) => log.flush({ sync }))
    await Promise.all(flushed)
    expect(log.syncedRecords).toBe(1)
    memory.crash()
    const found: number[] = []
    await open({ record: (payload) => found.push(payload[0]!), end: () => {} })
    expect(found).toEqual([1])
  }
})

/** A log on a disk whose calls of some functions fail while they are named. */
async function failingLog() {
  const memory = new MemoryDisk()
  const failing = new Set<string>()
  const failable = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (from, name: string) => {
        const value: unknown = Reflect.get(from, name)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          if (failing.has(name)) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
          const result: unknown = await value.apply(from, args)
          return name === 'open' || name === 'create' ? failable(result as object) : result
        }
      },
    })
  const found: number[] = []
  const replay: Replay = {
    record: (payload) => found.push(payload[0]!),
    end: () => {},
  }
  const disk = failable(memory.disk())
  const options = { disk, path: PATH, kind: 'avmkst01', assertOwned: async () => {} }
  const log = await AppendLog.open(options, ignore)
  await log.rewrite([])
  const add = (byte: number) => {
    log.append(Uint8Array.of(byte))
    return log.flush({ sync: true })
  }
  /** What another process would read. */
  const content = async () => {
    found.length = 0
    const opened = await AppendLog.open({ ...options, disk: memory.disk() }, replay)
    await opened.close()
    return [...found]
  }
  return { log, failing, add, replay, found, content }
}

const unwritable = expect.objectContaining({ code: 'FILE_UNWRITABLE' })

it('after a failed write nothing is written until the durable records were read again', async () => {
  for (const call of ['append', 'sync']) {
    const { log, failing, add, replay, found, content } = await failingLog()
    await add(1)
    failing.add(call)
    await expect(add(2)).rejects.toEqual(unwritable)
    await expect(log.flush({ sync: true })).rejects.toEqual(unwritable)
    expect(() => log.append(Uint8Array.of(3))).toThrow(unwritable)
    for (const broken of ['truncate', 'sync', 'stat', 'read']) {
      failing.clear()
      failing.add(broken)
      await expect(log.recover(replay), broken).rejects.toMatchObject({ name: 'FileError' })
      expect(() => log.append(Uint8Array.of(3))).toThrow()
    }
    failing.clear()
    found.length = 0
    await log.recover(replay)
    expect(found).toEqual([1])
    await log.recover(replay)
    expect(found).toEqual([1])
    await add(4)
    expect(await content()).toEqual([1, 4])
    await log.close()
  }
})

it('a log that cannot be rewritten goes on with the records that it has', async () => {
  for (const call of ['create', 'append', 'rename']) {
    const { log, failing, add, content } = await failingLog()
    await add(1)
    failing.add(call)
    await expect(log.rewrite([Uint8Array.of(9)])).rejects.toEqual(unwritable)
    failing.clear()
    await add(2)
    expect(await content()).toEqual([1, 2])
    await log.rewrite([Uint8Array.of(9)])
    await add(3)
    expect(await content()).toEqual([9, 3])
    await log.close()
  }
})

/** Faster to compare. */
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

it('reads a file whose bytes arrive in small pieces', async () => {
  const memory = new MemoryDisk()
  const whole = memory.disk()
  const options = { path: PATH, kind: 'avmkst01', assertOwned: async () => {} }
  const payloads = Array.from({ length: 40 }, (_, i) =>
    new Uint8Array(1 + ((i * 97) % 3_000)).fill(i),
  )
  // Larger than what is read at once.
  payloads.push(new Uint8Array(3_000_000).fill(77))
  const log = await AppendLog.open({ ...options, disk: whole }, ignore)
  await log.rewrite(payloads)
  await log.close()
  for (const most of [1_000, 65_537]) {
    const disk: LogDisk = {
      ...whole,
      open: async (path) => {
        const file = await whole.open(path)
        return { ...file, read: (into, position) => file.read(into.subarray(0, most), position) }
      },
    }
    const found: Uint8Array[] = []
    const again = await AppendLog.open(
      { ...options, disk },
      { record: (payload) => found.push(payload.slice()), end: () => {} },
    )
    expect(found.map(digestOf)).toEqual(payloads.map(digestOf))
    expect(again.size).toBe(log.size)
    await again.close()
  }
})
