import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { batchesOf, type PayoutRow } from '../../src/cli/payouts.ts'
import { Values } from '../../src/cli/values.ts'
import { BOB, cli, devNode, EWOQ, EWOQ_KEY, folder } from './shell.ts'

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
      // The line is removed at the end.
      expect(ended.err.endsWith('\r\u001b[K')).toBe(true)
      const piped = await cli(argv, { node, env: { AVMKIT_KEY: EWOQ_KEY } })
      expect(piped.err).not.toContain('UTXOs read')
    }
  })

  it('is shown while watch and history read old blocks, and not before a result', async () => {
    const node = await devNode()
    for (let i = 0; i < 5; i++) node.fund(BOB, 5n)
    const history = await cli(['history', EWOQ], { node, typed: '' })
    expect(stripVTControlCharacters(history.err)).toContain('6/6 blocks read')
    const interrupt = new AbortController()
    let shown = ''
    const watch = await cli(['watch', EWOQ, '--from-height', '0'], {
      node,
      typed: '',
      signal: interrupt.signal,
      onError: (text) => {
        shown += text
        if (shown.includes('/6 blocks read')) setTimeout(() => interrupt.abort('SIGINT'), 100)
      },
    })
    expect([watch.code, stripVTControlCharacters(watch.err)]).toEqual([
      130,
      expect.stringMatching(/\d\/6 blocks read/),
    ])
  })
})

describe('batchesOf', () => {
  it('groups many payments by memo in linear time', () => {
    const output = {} as PayoutRow['output']
    // Copying the group for every payment would not end in time.
    const payouts = Array.from({ length: 600_000 }, (_, i) => ({ key: `${i}`, memo: '', output }))
    const values = new Values([], new Map())
    const batches = batchesOf(payouts, { values } as Parameters<typeof batchesOf>[1])
    expect(batches.map((batch) => batch.payouts.length)).toEqual(Array(6000).fill(100))
  })
})
