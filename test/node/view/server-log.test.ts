import { describe, expect, it } from 'vitest'
import { ServerLog } from '../../../src/node/view/server-log.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'

function logOf(servers: number) {
  const clock = virtualClock()
  const log = new ServerLog(servers, clock)
  const requests = Array.from({ length: servers }, (_, i) => ({
    server: `s${i}`,
    lastAsked: undefined,
    height: undefined,
  }))
  return { clock, log, report: () => log.report(requests) }
}

/** Milliseconds until a server is not asked last any more. */
function restOf({ clock, log }: ReturnType<typeof logOf>, server: number): number {
  let ms = 0
  for (; log.order()[0] !== server; ms += 500) clock.advance(500)
  return ms
}

describe('ServerLog', () => {
  it('begins with the order of the servers', () => {
    const { log, report } = logOf(3)
    expect(log.order()).toEqual([0, 1, 2])
    expect(report().map(({ setAside }) => setAside)).toEqual([undefined, undefined, undefined])
  })

  it('puts servers that are set aside last, in their order', () => {
    const { log } = logOf(4)
    log.setAside(1, 'x')
    log.setAside(0, 'x')
    expect(log.order()).toEqual([2, 3, 0, 1])
  })

  it('reports the first reason and the end of the rest', () => {
    const { clock, log, report } = logOf(2)
    log.setAside(0, 'one')
    log.setAside(0, 'two')
    expect(report()).toMatchObject([
      { server: 's0', setAside: { reason: 'one', until: clock.now() + 1_000 } },
      { server: 's1', setAside: undefined },
    ])
  })

  it('lets the rest grow from a second to a minute', () => {
    const at = logOf(2)
    const rests = Array.from({ length: 9 }, () => {
      at.log.setAside(0, 'x')
      return restOf(at, 0)
    })
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((s) => s * 1_000))
  })

  it('counts failures during a rest once', () => {
    const at = logOf(2)
    for (let i = 0; i < 5; i++) at.log.setAside(0, 'x')
    expect(restOf(at, 0)).toBe(1_000)
    at.log.setAside(0, 'x')
    expect(restOf(at, 0)).toBe(2_000)
  })

  it('ends the rest of a server that is confirmed, and forgets its failures', () => {
    const at = logOf(2)
    for (let i = 0; i < 3; i++) {
      at.log.setAside(0, 'x')
      restOf(at, 0)
    }
    at.log.setAside(0, 'x')
    at.log.confirm(0)
    expect(at.log.order()).toEqual([0, 1])
    expect(at.report()[0]?.setAside).toBeUndefined()
    at.log.setAside(0, 'x')
    expect(restOf(at, 0)).toBe(1_000)
  })

  it('puts demoted servers behind others, but before those that are set aside', () => {
    const { log } = logOf(4)
    log.demote(0)
    expect(log.order()).toEqual([1, 2, 3, 0])
    log.setAside(2, 'x')
    expect(log.order()).toEqual([1, 3, 0, 2])
    log.demote(1)
    expect(log.order()).toEqual([3, 0, 1, 2])
  })

  it('does not end a rest when the clock is set back', () => {
    const { clock, log } = logOf(2)
    log.setAside(0, 'x')
    clock.advance(-3_600_000)
    expect(log.order()).toEqual([1, 0])
    clock.advance(1_000)
    expect(log.order()).toEqual([0, 1])
  })

  it('returns copies', () => {
    const { log } = logOf(2)
    log.order().reverse()
    expect(log.order()).toEqual([0, 1])
  })
})
