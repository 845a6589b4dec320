import { describe, expect, it } from 'vitest'
import { RETRY_MS } from '../../src/custody/database/channels.ts'
import { Worker } from '../../src/custody/worker.ts'
import { scene } from './setup.ts'

describe('a worker', () => {
  it('pauses after a failure, so that what fails is not asked without end', async () => {
    const { database, settings } = await scene()
    const failures: number[] = []
    const stop = new AbortController()
    const own = await settings()
    const worker = new Worker({
      ...own,
      log: async (_, event) => {
        if (event !== 'worker.failed') return
        failures.push(performance.now())
        if (failures.length === 2) stop.abort()
      },
    })
    await database.query('ALTER TABLE @.drafts RENAME TO hidden')
    try {
      await worker.run(stop.signal)
    } finally {
      await database.query('ALTER TABLE @.hidden RENAME TO drafts')
    }
    // Timers may be a millisecond early.
    expect(failures[1]! - failures[0]!).toBeGreaterThan(RETRY_MS - 10)
  })
})
