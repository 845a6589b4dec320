import { describe, expect, it } from 'vitest'
import type { Fetch } from '../../src/node/index.ts'
import { cli, devNode, EWOQ, LOCAL_AVAX } from './shell.ts'

/** Clears a screen, reverses a line, shows nothing, rings. */
const HOSTILE = '\u001b[2J\u202e\u3164\u0007'

/** The node sends all of these texts to whoever asks; a terminal would obey or hide the characters. */
const COMMANDS: readonly (readonly string[])[] = [
  ['node', 'info'],
  ['node', 'id'],
  ['node', 'ip'],
  ['node', 'health'],
  ['node', 'bootstrapped', 'X'],
  ['node', 'blockchain-id', 'X'],
  ['node', 'peers'],
  ['node', 'fees'],
  ['node', 'upgrades'],
  ['node', 'uptime'],
  ['node', 'acps'],
  ['node', 'vms'],
  ['metrics', 'health'],
  ['metrics', 'tps', 'total', '--limit', '2'],
  ['data', 'health'],
  ['data', 'chains'],
  ['data', 'list', '/v1/chains', '--field', 'chains'],
  ['balance', EWOQ],
  ['utxos', EWOQ],
  ['status', LOCAL_AVAX],
]

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** The value with a hostile text behind the n-th text or name in it, or in all of them; counts them. */
function poisoned(
  value: Json,
  target: number | 'all',
): { readonly value: Json; readonly n: number } {
  let n = 0
  const text = (plain: string) => (target === 'all' || n++ === target ? plain + HOSTILE : plain)
  const walk = (item: Json): Json => {
    if (typeof item === 'string') return text(item)
    if (Array.isArray(item)) return item.map(walk)
    if (item === null || typeof item !== 'object') return item
    return Object.fromEntries(
      Object.entries(item).map(([name, member]) => [
        // Names are data only in maps; a poisoned member name elsewhere is a missing member.
        typeof member === 'object' ? text(name) : name,
        walk(member),
      ]),
    )
  }
  return { value: walk(value), n }
}

const isSeen = /^[\n\x20-\x7e\u00a1-\u024f…–]*$/

describe('text from a server', () => {
  for (const command of COMMANDS)
    it(`cannot hide or act on a terminal: ${command.join(' ')}`, async () => {
      const node = await devNode()
      node.setPeers([{ nodeID: 'NodeID-8PYXX47kqLDe2wD4oPbvRRchcnSzMA4J4', benched: ['X'] }])
      node.setProposals({ 77: { supportWeight: 1n, supporters: ['NodeID-a'] } })
      const urls = {
        AVMKIT_URL: 'http://node',
        AVMKIT_DATA_URL: 'http://node',
        AVMKIT_METRICS_URL: 'http://node',
      }
      let most = 0
      const attempt = async (target: number | 'all') => {
        const fetch: Fetch = async (url, init) => {
          const response = await node.fetch(url, init)
          const { value, n } = poisoned((await response.json()) as Json, target)
          most = Math.max(most, n)
          return Response.json(value, { status: response.status })
        }
        const { out, err } = await cli(command, { fetch, env: urls })
        expect(out + err).toMatch(isSeen)
      }
      await attempt('all')
      for (let target = 0; target <= Math.min(most, 60); target++) await attempt(target)
    })
})
