import { describe, expect, it } from 'vitest'
import { virtualClock } from './virtual-clock.ts'

describe('virtualClock', () => {
  it('wakes concurrent sleepers in the order of their due times, without adding them up', async () => {
    const clock = virtualClock()
    const start = clock.now()
    const woken: string[] = []
    const sleep = async (name: string, ms: number) => {
      await clock.sleep(ms)
      woken.push(`${name} at ${clock.now() - start}`)
    }
    await Promise.all([
      sleep('long', 300).then(() => sleep('again', 100)),
      sleep('short', 100).then(() => sleep('second', 150)),
      sleep('same', 100),
    ])
    expect(woken).toEqual([
      'short at 100',
      'same at 100',
      'second at 250',
      'long at 300',
      'again at 400',
    ])
    expect(clock.slept()).toBe(400)
  })

  it('does not move while the event loop is busy', async () => {
    const clock = virtualClock()
    let isAwake = false
    const sleeping = clock.sleep(1_000).then(() => {
      isAwake = true
    })
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
    expect(isAwake).toBe(false)
    await sleeping
    expect(clock.slept()).toBe(1_000)
  })

  it('ends a sleep whose signal fires, without moving', async () => {
    const clock = virtualClock()
    const controller = new AbortController()
    const sleeping = clock.sleep(1_000, controller.signal)
    controller.abort(new Error('enough'))
    await expect(sleeping).rejects.toThrow('enough')
    await expect(clock.sleep(1_000, controller.signal)).rejects.toThrow('enough')
    expect(clock.slept()).toBe(0)
  })
})
