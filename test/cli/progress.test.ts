import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { DevNode } from '../../src/devnode/index.ts'
import { BOB, cli, devNode, type Ended, EWOQ, EWOQ_KEY, folder } from './shell.ts'

/** The control sequence that removes the line. */
const REMOVED = '\r\u001b[K'

const env = { AVMKIT_KEY: EWOQ_KEY }

/** Runs a command at a terminal, and checks that the line is removed before a result is printed. */
async function atTerminal(
  node: DevNode,
  argv: readonly string[],
  until?: (shown: string) => boolean,
): Promise<Ended> {
  const interrupt = new AbortController()
  let shown = ''
  const mixed: string[] = []
  const ended = await cli(argv, {
    node,
    env,
    typed: '',
    signal: interrupt.signal,
    onError: (text) => {
      shown += text
      if (until?.(shown)) interrupt.abort('SIGINT')
    },
    onOutput: () => {
      const line = shown.slice(shown.lastIndexOf(REMOVED) + REMOVED.length)
      if (shown.includes(REMOVED) && line !== '') mixed.push(line)
    },
  })
  expect(mixed).toEqual([])
  return ended
}

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
      const ended = await atTerminal(node, argv)
      expect([argv, ended.code, ended.err]).toEqual([
        argv,
        0,
        expect.stringContaining('UTXOs read: '),
      ])
      const piped = await cli(argv, { node, env })
      expect(piped.err).not.toContain('UTXOs read')
    }
  })

  it('is shown while history and watch read old blocks, and removed afterwards', async () => {
    const node = await devNode()
    for (const address of [BOB, BOB, BOB, EWOQ, EWOQ]) node.fund(address, 5n)
    const history = await atTerminal(node, ['history', BOB])
    expect(stripVTControlCharacters(history.err)).toContain('6/6 blocks read')
    // After the last of the old blocks, watch waits for new ones.
    const watch = await atTerminal(
      node,
      ['watch', BOB, '--from-height', '0'],
      (shown) => shown.includes('5/6 blocks read') && shown.endsWith(REMOVED),
    )
    expect([watch.code, watch.out.trimEnd().split('\n').length]).toEqual([130, 3])
  })
})
