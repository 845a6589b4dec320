import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createDevNode, type DevNode, type DevNodeSnapshot } from '../../src/devnode/index.ts'
import type { Fetch } from '../../src/node/index.ts'
import { todaysOf } from '../helpers/todays-cases.ts'
import { BOB, cli, type Ended, EWOQ, EWOQ_KEY, LOCAL_AVAX } from './shell.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

let node: DevNode
let assetID: string
let state: string
let ready: DevNodeSnapshot

beforeAll(async () => {
  node = await createDevNode()
  node.fund(BOB, 5n)
  const create = ['asset', 'create', 'Gold', 'AU', `${EWOQ}=5`, '--yes', '--json']
  state = mkdtempSync(join(tmpdir(), 'avmkit-hostile-'))
  const env = { AVMKIT_KEY: EWOQ_KEY, AVMKIT_URL: 'http://node', XDG_STATE_HOME: state }
  const made = await cli(create, { fetch: node.fetch, env })
  assetID = made.json<{ assetID: string }>().assetID
  ready = node.snapshot()
})
afterEach(() => {
  // Some commands fund addresses and inject faults.
  node.restart()
  node.restore(ready)
})
afterAll(async () => {
  await node.close()
  rmSync(state, { recursive: true })
})

/** More requests than any of the commands needs on a chain of three blocks: a command that sends them does not end. */
const MAX_REQUESTS = 80

/** Runs a command against a node that changes its replies to one method. */
async function attacked(
  argv: readonly string[],
  method: string,
  change: (reply: Json) => Json,
  maxRequests = MAX_REQUESTS,
): Promise<Ended & { readonly endless: boolean }> {
  const interrupt = new AbortController()
  let requests = 0
  const fetch: Fetch = async (url, init) => {
    if (++requests > maxRequests) interrupt.abort('SIGINT')
    const response = await node.fetch(url, init)
    const request = JSON.parse(String(init.body)) as { readonly method: string }
    if (request.method !== method) return response
    const changed = JSON.stringify(change((await response.json()) as Json))
    return new Response(changed.replaceAll(`"${NESTED}"`, nested))
  }
  const ended = await cli([...argv], {
    fetch,
    env: { AVMKIT_URL: 'http://node' },
    signal: interrupt.signal,
  })
  return { ...ended, endless: interrupt.signal.aborted }
}

/** The reply with another value in place of its n-th member. */
function replaced(reply: Json, target: number, value: Json): Json {
  let n = 0
  const walk = (item: Json): Json => {
    if (n++ === target) return value
    if (Array.isArray(item)) return item.map(walk)
    if (item === null || typeof item !== 'object') return item
    return Object.fromEntries(Object.entries(item).map(([name, member]) => [name, walk(member)]))
  }
  return walk(reply)
}

/** The number of members of a reply, itself included. */
function membersOf(reply: Json): number {
  if (reply === null || typeof reply !== 'object') return 1
  return Object.values(reply).reduce((sum: number, member) => sum + membersOf(member), 1)
}

/** Stands for JSON that would exhaust the stack of a recursive function. */
const NESTED = 'nested'
const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`

const HOSTILE: readonly Json[] = [
  null,
  true,
  -1,
  1e308,
  2 ** 64,
  '',
  '-1',
  '18446744073709551616',
  '18446744073709551615',
  '9'.repeat(5000),
  '0x',
  `0x${'00'.repeat(300)}`,
  '\u001b[2J\u202e\u3164',
  LOCAL_AVAX,
  [],
  {},
  NESTED,
]

/** With `npm run test:fuzz`, every value takes the place of every member. */
const EXHAUSTIVE = process.env.AVMKIT_FUZZ_RUNS !== undefined

/** Commands that read, and the methods that they use. */
const READS: readonly (readonly [command: string, ...methods: string[]])[] = [
  ['tx ASSET', 'avm.getTx', 'info.getNetworkID'],
  ['block latest', 'avm.getHeight', 'avm.getBlockByHeight'],
  ['block 1', 'avm.getBlockByHeight', 'info.getNetworkID'],
  ['asset ASSET', 'avm.getTx', 'avm.getTxFee'],
  ['balance EWOQ', 'avm.getUTXOs', 'avm.getTx'],
  ['utxos EWOQ', 'avm.getUTXOs', 'avm.getTx', 'info.getBlockchainID'],
  ['history EWOQ', 'avm.getHeight', 'avm.getBlockByHeight', 'avm.getTx'],
  ['status ASSET', 'avm.getTx'],
  ['explain ASSET', 'avm.getTx', 'avm.getAssetDescription'],
  ['rpc avm.getHeight', 'avm.getHeight'],
  ['devnode time', 'devnode.now'],
  ['devnode snapshot', 'devnode.snapshot'],
  ['devnode fund BOB 1', 'devnode.fund'],
  ['devnode fault latency', 'devnode.injectFault'],
]

/** A command that runs until Ctrl-C, here until a number of requests, and the methods that it uses. */
const WATCH = 'watch EWOQ --from-height 0'
const WATCH_REQUESTS = 13
const WATCHED = ['avm.getHeight', 'avm.getBlockByHeight', 'avm.getTx', 'info.getNetworkID']

const argvOf = (command: string) =>
  command.replace('ASSET', assetID).replace('EWOQ', EWOQ).replace('BOB', BOB).split(' ')

const isPrintable = /^[\n\x20-\x7e\u00a1-\u024f…–]*$/

describe('a reply with a hostile value', () => {
  const table = todaysOf(
    [...READS, [WATCH, ...WATCHED] as const].flatMap(([command, ...methods]) =>
      methods.map((method) => [command, method] as const),
    ),
  )
  it.each(table)('to %s, %s, is escaped or causes a typed error', async (command, method) => {
    let members = 0
    const limit = command === WATCH ? WATCH_REQUESTS : MAX_REQUESTS
    const count = (reply: Json) => {
      members = membersOf(reply)
      return reply
    }
    await attacked(argvOf(command), method, count, limit)
    // The first members are those of the envelope.
    const targets = Array.from({ length: Math.min(members, 9) - 2 }, (_, k) => k + 2)
    expect(targets).not.toEqual([])
    const run = async (value: Json, target: number, mode: readonly string[]) => {
      const argv = [...argvOf(command), '--timeout', '1', ...mode]
      const change = (reply: Json) => replaced(reply, target, value)
      const ended = await attacked(argv, method, change, limit)
      const label = `${JSON.stringify(value).slice(0, 40)} at ${target}`
      const text = ended.out + ended.err
      expect([label, ended.endless && command !== WATCH, text]).toEqual([
        label,
        false,
        expect.stringMatching(isPrintable),
      ])
      expect([label, text]).toEqual([label, expect.not.stringContaining('INTERNAL')])
    }
    const cases = HOSTILE.flatMap((value, i) =>
      (EXHAUSTIVE ? targets : [targets[i % targets.length]!]).map(
        (target) => [value, target, (i + target) % 2 === 0 ? [] : ['--json']] as const,
      ),
    )
    // At the same time, because many of them wait before they try again.
    await Promise.all(cases.map((each) => run(...each)))
  })
})

describe('a node', () => {
  /** The result of the real node. */
  const resultOf = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await node.fetch('http://node/ext/bc/X', { method: 'POST', headers, body })
    return ((await response.json()) as { result: Json }).result
  }

  /** Puts another result into a reply. */
  const withResult = (result: Json) => (reply: Json) => ({ ...(reply as object), result })

  it('that returns another transaction or block is not believed', async () => {
    const block = await resultOf('avm.getBlockByHeight', { height: '2', encoding: 'hex' })
    const tx = await resultOf('avm.getTx', { txID: LOCAL_AVAX, encoding: 'hex' })
    const attacks = [
      ['tx ASSET', 'avm.getTx', tx],
      ['asset ASSET', 'avm.getTx', tx],
      ['explain ASSET', 'avm.getTx', tx],
      ['block 1', 'avm.getBlockByHeight', block],
      ['history EWOQ --timeout 1', 'avm.getBlockByHeight', block],
    ] as const
    for (const [command, method, result] of attacks) {
      const ended = await attacked(argvOf(command), method, withResult(result))
      expect([command, ended.code, ended.out, ended.endless]).toEqual([command, 1, '', false])
      expect(ended.error().code).toMatch(/^REPLY_|^BLOCK_/)
    }
  })

  it('that claims blocks it does not have ends the history with an error', async () => {
    const { height: real } = (await resultOf('avm.getHeight', {})) as { height: string }
    for (const height of [String(BigInt(real) + 3n), '18446744073709551615']) {
      const argv = argvOf('history EWOQ --timeout 1 --from-height 0')
      const ended = await attacked(argv, 'avm.getHeight', withResult({ height }))
      expect([ended.code, ended.out, ended.endless]).toEqual([1, '', false])
      expect(ended.error().code).toMatch(/^REPLY_|^BLOCK_|^RPC_TIMEOUT/)
    }
  })

  it('that repeats a page of UTXOs ends the walk with an error', async () => {
    const page = (await resultOf('avm.getUTXOs', { addresses: [EWOQ], encoding: 'hex' })) as {
      utxos: string[]
    }
    const utxos = Array.from({ length: 1024 }, () => page.utxos[0]!)
    const repeated = withResult({ ...page, utxos, numFetched: '1024' })
    for (const command of ['utxos EWOQ', 'balance EWOQ']) {
      const ended = await attacked(argvOf(command), 'avm.getUTXOs', repeated)
      expect([ended.code, ended.error().code, ended.endless]).toEqual([
        1,
        'REPLY_NO_PROGRESS',
        false,
      ])
    }
  })
})
