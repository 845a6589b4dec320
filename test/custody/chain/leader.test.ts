import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { AVAX, scene, until } from '../setup.ts'

describe('the leader', () => {
  it('polls soon again after a block, and less often the longer there is none', async () => {
    let blocks = 0
    /** Pauses between polls since the last block, in milliseconds. */
    let pauses: number[] = []
    const { setTimeout } = globalThis
    const spy = vi.spyOn(globalThis, 'setTimeout')
    spy.mockImplementation(((work: () => void, ms: number) => {
      const { stack = '' } = new Error()
      if (/at pause .*\n.*\bchain\/leader\./.test(stack)) pauses.push(ms)
      return setTimeout(work, ms)
    }) as typeof setTimeout)
    onTestFinished(() => spy.mockRestore())
    const { node, hot, open, work } = await scene()
    const custody = await open({
      log: ({ event }) => {
        if (event !== 'block.applied') return
        blocks++
        pauses = []
      },
    })
    work(custody)
    for (const count of [1, 2]) {
      node.fund(hot, AVAX)
      await until('a block', () => blocks === count)
      const three = await until('three pauses', () => pauses.length >= 3 && pauses.slice(0, 3))
      expect(three).toEqual([50, 100, 200])
    }
  })
})
