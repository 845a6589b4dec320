import { expect, it } from 'vitest'
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
