import { setTimeout as realDelay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/node/index.ts'

describe('systemClock.sleep', () => {
  for (const ms of [2 ** 31, 1e12, Number.POSITIVE_INFINITY])
    it(`of ${ms} ms does not end at once`, async () => {
      const stop = new AbortController()
      let isOver = false
      const sleeping = systemClock.sleep(ms, stop.signal).then(
        () => {
          isOver = true
        },
        () => {},
      )
      await realDelay(30)
      expect(isOver).toBe(false)
      stop.abort()
      await sleeping
    })
})
