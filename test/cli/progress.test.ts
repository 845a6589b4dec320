import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { BOB, cli, devNode, EWOQ, EWOQ_KEY, folder } from './shell.ts'

/** What removes the line. */
const REMOVED = '\r\u001b[K'

describe('progress on a terminal', () => {
  it('is shown by every command that walks UTXOs', async () => {
    const node = await devNode()
    const commands = [
      ['utxos', EWOQ],
      ['balance', EWOQ],
      ['sweep', BOB, '--plan'],
      ['consolidate', '--plan'],
      ['send', BOB, '1', '--yes'],
      ['request', 'sweep', BOB, '--from', EWOQ, '--out', join(folder(), 'out')],
      ['balance', '--chain', 'P', EWOQ.replace('X-', 'P-')],
      ['balance', '--chain', 'C'],
    ]
    for (const argv of commands) {
      const ended = await cli(argv, { node, env: { AVMKIT_KEY: EWOQ_KEY }, typed: '' })
      expect([argv, ended.code, ended.err]).toEqual([
        argv,
        0,
        expect.stringContaining('UTXOs read: '),
      ])
      expect(ended.err.endsWith(REMOVED)).toBe(true)
      const piped = await cli(argv, { node, env: { AVMKIT_KEY: EWOQ_KEY } })
      expect(piped.err).not.toContain('UTXOs read')
    }
  })

  it('is shown while history and watch read old blocks, and removed afterwards', async () => {
    const node = await devNode()
    for (let i = 0; i < 5; i++) node.fund(BOB, 5n)
    const history = await cli(['history', EWOQ], { node, typed: '' })
    expect(stripVTControlCharacters(history.err)).toContain('6/6 blocks read')
    const interrupt = new AbortController()
    let shown = ''
    const watch = await cli(['watch', BOB, '--from-height', '0'], {
      node,
      typed: '',
      signal: interrupt.signal,
      onError: (text) => {
        shown += text
        if (shown.includes('5/6 blocks read') && text === REMOVED) interrupt.abort('SIGINT')
      },
    })
    expect(watch.code).toBe(130)
  })
})
