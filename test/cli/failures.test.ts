import { describe, expect, it } from 'vitest'
import type { DevNode } from '../../src/devnode/index.ts'
import {
  BOB,
  BOB_WORDS,
  cli,
  devNode,
  type Ended,
  EWOQ,
  EWOQ_KEY,
  folder,
  secretFile,
} from './shell.ts'

/** Command lines of every kind that calls a node, valid except for the node. */
const ASKING: readonly (readonly string[])[] = [
  ['balance', EWOQ],
  ['utxos', EWOQ],
  ['send', BOB, '1', '--yes'],
  ['export', `${EWOQ.replace('X-', 'P-')}=1`, '--destination-chain', 'P', '--yes'],
  ['asset', 'create', 'Team Rocket', 'TR', `${BOB}=1`, '--yes'],
  ['request', 'create', BOB, '1', '--from', EWOQ],
  ['node', 'fees'],
  ['node', 'height'],
]

const env = { AVMKIT_KEY: EWOQ_KEY }

/** Expects one line on standard error with a code and a hint, and no other output. */
function expectOneLine(ended: Ended, code: number, name: string): void {
  expect([ended.code, ended.error().code, ended.out]).toEqual([code, name, ''])
  expect(ended.err.trimEnd()).not.toContain('\n')
  expect(ended.error().hint).toBeTruthy()
}

async function height(node: DevNode): Promise<string> {
  return (await cli(['node', 'height'], { node })).out.trim()
}

describe('a node that is down', () => {
  const fetch = async () => {
    throw new TypeError('fetch failed')
  }
  for (const argv of ASKING.slice(0, 3))
    it(`is reported by ${argv[0]}`, async () => {
      const around = { ...env, AVMKIT_URL: 'http://node', XDG_STATE_HOME: folder() }
      const ended = await cli(argv, { env: around, fetch })
      expectOneLine(ended, 1, 'HTTP_UNREACHABLE')
    })
})

describe('a node that is bootstrapping', () => {
  const asking = { platform: ASKING, chains: ASKING.slice(2, 3) }
  for (const stage of ['platform', 'chains'] as const)
    for (const argv of asking[stage])
      it(`(${stage}) is reported by ${argv.slice(0, 2).join(' ').slice(0, 14)}`, async () => {
        const node = await devNode()
        node.setBootstrapping(stage)
        const ended = await cli([...argv, '--timeout', '1'], { env, node })
        expectOneLine(ended, 1, 'HTTP_BOOTSTRAPPING')
      })
})

describe('a node of another network', () => {
  it('is refused if the user names the network', async () => {
    const node = await devNode()
    const onP = ['balance', EWOQ.replace('X-', 'P-'), '--chain', 'P']
    const asking = [...ASKING.slice(0, 6), onP, ['balance', '--chain', 'all']]
    for (const argv of asking) {
      const ended = await cli([...argv, '--network', 'fuji'], { env, node })
      expectOneLine(ended, 1, 'NETWORK_MISMATCH')
    }
    const byEnvironment = await cli(['send', BOB, '1', '--yes'], {
      env: { ...env, AVMKIT_NETWORK: 'mainnet' },
      node,
    })
    expectOneLine(byEnvironment, 1, 'NETWORK_MISMATCH')
    expect(await height(node)).toBe('0')
  })

  it('is not sent a transaction that is not for it', async () => {
    const local = await devNode()
    const made = await cli(['request', 'create', BOB, '1', '--from', EWOQ], { node: local })
    const signed = await cli(['request', 'sign', '-', '--yes'], { env, input: made.out })
    const { out: tx } = await cli(['request', 'finish', '-'], { input: signed.out })
    const other = await devNode({ networkID: 1337 })
    const ended = await cli(['issue', '-', '--yes'], { node: other, input: tx })
    expectOneLine(ended, 1, 'WRONG_NETWORK_ID')
    expect(await height(other)).toBe('0')
  })
})

describe('a network that is not built in', () => {
  it('works with a node of it, requests included', async () => {
    const [from, to] = await Promise.all(
      [EWOQ, BOB].map(async (text) => {
        const { json } = await cli(['address', text, '--network', '1337', '--json'])
        return json<{ addresses: [{ address: string }] }>().addresses[0].address
      }),
    )
    const allocations = [{ address: from!, amount: 10_000_000_000n }]
    const node = await devNode({ networkID: 1337, allocations })
    expect(from).toMatch(/^X-custom1/)
    const made = await cli(['request', 'create', to!, '1', '--from', from!], { node })
    const offline = await cli(['request', 'sign', '-', '--yes'], { env, input: made.out })
    expect([offline.code, offline.error().code]).toEqual([1, 'REQUEST_NETWORK'])
    const signed = await cli(['request', 'sign', '-', '--yes'], { env, node, input: made.out })
    const finished = await cli(['request', 'finish', '-'], { node, input: signed.out })
    const unknown = await cli(['explain', '-'], { input: finished.out })
    expect([unknown.code, unknown.error().code]).toEqual([1, 'NETWORK_UNKNOWN'])
    const explained = await cli(['explain', '-', '--lookup', '--json'], {
      node,
      input: finished.out,
    })
    expect(explained.json()).toMatchObject({
      network: { networkID: 1337 },
      spends: [{ owners: { addresses: [from] } }],
      pays: [{ amount: '1000000000' }],
    })
    expect((await cli(['issue', '-', '--yes'], { node, input: finished.out })).code).toBe(0)
    expect(await height(node)).toBe('1')
  })
})

describe('issue', () => {
  it('refuses anything but a signed transaction', async () => {
    const node = await devNode()
    const made = await cli(['request', 'create', BOB, '1', '--from', EWOQ], { node })
    const ended = await cli(['issue', '-', '--yes'], { node, input: made.out })
    expectOneLine(ended, 1, 'NOT_RECOGNIZED')
  })

  it('reports why the node rejects it, with the ID of the transaction', async () => {
    const node = await devNode()
    const made = await cli(['request', 'create', BOB, '1', '--from', EWOQ], { node })
    const signed = await cli(['request', 'sign', '-', '--yes'], { env, input: made.out })
    const { out: tx } = await cli(['request', 'finish', '-'], { input: signed.out })
    expect((await cli(['send', BOB, 'all', '--yes'], { env, node })).code).toBe(0)
    const ended = await cli(['issue', '-', '--yes', '--json'], { node, input: tx })
    expect([ended.code, ended.error()]).toEqual([
      1,
      expect.objectContaining({
        code: 'UTXO_NOT_FOUND',
        txID: JSON.parse(signed.out).txID,
        hint: expect.any(String),
      }),
    ])
  })
})

describe('status and wait', () => {
  const NEVER = '2HFo8koJmvBVJfpwYG5RrVMFB3SCYkpq7TXpRLRKdrMBH2Mzjv'

  it('report that a transaction is unknown', async () => {
    const node = await devNode()
    const id = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'
    // The asset itself is a transaction of the genesis.
    expect((await cli(['status', id], { node })).out).toBe('accepted\n')
    const chain = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'
    expect((await cli(['status', chain, '--json'], { node })).json()).toEqual({
      txID: chain,
      status: 'unknown',
    })
    const waited = await cli(['wait', chain, '--wait', '1'], { node })
    expectOneLine(waited, 1, 'TX_TIMEOUT')
  })

  it('show the seconds that have passed at a terminal', async () => {
    const node = await devNode()
    const chain = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'
    const waited = await cli(['wait', chain, '--wait', '2'], { node, typed: '' })
    expect(waited.err).toContain('waiting for acceptance: 1 s')
  })

  it('refuse an invalid ID', async () => {
    const ended = await cli(['status', `${NEVER}1`], { node: await devNode() })
    expect([ended.code, ended.error().code]).toEqual([2, 'ENC_BAD_CHECKSUM'])
  })
})

describe('an interruption', () => {
  it('aborts requests in progress', async () => {
    const node = await devNode()
    const interrupt = new AbortController()
    const chain = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'
    const waiting = cli(['wait', chain], { node, signal: interrupt.signal })
    interrupt.abort('SIGINT')
    const ended = await waiting
    expect([ended.code, ended.error().code]).toEqual([130, 'INTERRUPTED'])
  })
})

describe('hints', () => {
  const answering = (status: number, headers: { [name: string]: string } = {}) => ({
    fetch: async () => new Response('no', { status, headers }),
    env: { AVMKIT_URL: 'http://node' },
  })
  const hintOf = (ended: Ended) => {
    expect(ended.code).toBe(1)
    return ended.error().hint
  }

  it('name options and commands for servers that fail', async () => {
    const busy = answering(429, { 'retry-after': '1000' })
    expect(hintOf(await cli(['node', 'height'], busy))).toMatch(/^too many requests: wait, or/)
    expect(hintOf(await cli(['metrics', 'health'], busy))).toMatch(/^too many requests/)
    expect(hintOf(await cli(['node', 'height'], answering(404)))).toContain('check --url')
    const unknown = hintOf(await cli(['metrics', 'tps', 'foo'], answering(404)))
    expect(unknown).toBe(
      'check the arguments and --url; avmkit metrics health shows whether the API works',
    )
    const url = ['--url', 'http://127.0.0.1:1']
    expect(hintOf(await cli(['metrics', 'health', ...url]))).toBe(
      'check --url or AVMKIT_METRICS_URL',
    )
    expect(hintOf(await cli(['data', 'chains', ...url]))).toBe('check --url or AVMKIT_DATA_URL')
  })

  it('do not name options of the library', async () => {
    const node = await devNode()
    const made = await cli(['asset', 'create', 'Gold', 'AU', `${EWOQ}=5`, '--yes', '--json'], {
      env,
      node,
    })
    const { assetID } = made.json<{ assetID: string }>()
    const to = `${EWOQ.replace('X-', 'C-')}=1`
    const line = ['export', to, '--destination-chain', 'C', '--asset', assetID, '--yes']
    expect(hintOf(await cli(line, { env, node }))).toBe(
      'the export could never be imported on the destination chain',
    )
    const request = await cli(['request', 'create', BOB, '1', '--from', EWOQ], { node })
    const finished = await cli(['request', 'finish', '-'], { input: request.out })
    expect(hintOf(finished)).toBe('avmkit request status shows the missing signatures')
  })

  it('do not repeat the ID of the transaction', async () => {
    const node = await devNode({ blocks: 'manual' })
    const ended = await cli(['send', BOB, '1', '--yes', '--wait', '1'], { env, node })
    expectOneLine(ended, 1, 'TX_PENDING')
    expect(ended.err.match(/\b[1-9A-HJ-NP-Za-km-z]{40,}\b/g)).toHaveLength(1)
  })
})

describe('text from a node', () => {
  it('cannot control the terminal', async () => {
    const node = await devNode()
    const body =
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"\\u001b[2J\\u202egotcha"},"id":1}'
    const fetch = async () =>
      new Response(body, { headers: { 'content-type': 'application/json' } })
    const ended = await cli(['node', 'height'], { node, fetch })
    expect(ended.code).toBe(1)
    expect(ended.err).toContain('gotcha')
    expect(ended.err).not.toMatch(/\u202e/)
    expect(ended.err).not.toContain('\u001b')
  })
})

describe('a password in the address of a node', () => {
  it('is never shown', async () => {
    const url = 'http://user:hunter22@127.0.0.1:1'
    const fetch = async () => {
      throw new TypeError(`cannot reach ${url}`)
    }
    for (const json of [[], ['--json']]) {
      const ended = await cli(['node', 'height', '--url', url, ...json], { fetch })
      expect(ended.code).toBe(1)
      expect(ended.err).not.toContain('hunter22')
    }
    const config = secretFile(`{"url":"nonsense hunter22"}`, 'config.json')
    const ended = await cli(['node', 'height', '--config', config])
    expect([ended.code, ended.error().code]).toEqual([1, 'CONFIG_INVALID'])
    expect(ended.error().message).toContain(config)
    expect(ended.err).not.toContain('hunter22')
  })
})

describe('insufficient funds', () => {
  it('are reported in AVAX', async () => {
    const node = await devNode()
    node.fund(BOB, 1_500_000_000n)
    const ended = await cli(['send', EWOQ, '2', '--yes'], { node, env: { AVMKIT_KEY: BOB_WORDS } })
    expect([ended.code, ended.error().code]).toEqual([1, 'BUILDER_INSUFFICIENT_FUNDS'])
    expect(ended.error().message).toContain('need 2.001 AVAX, have 1.5')
    expect(ended.err).toMatch(/^note: checked \d+ addresses, 1 used.*\nerror .*\n$/)
  })

  it('are not blamed if there are too many recipients', async () => {
    const node = await devNode()
    const payments = Array.from({ length: 900 }, () => `${BOB}=1`)
    const ended = await cli(['send', ...payments, '--yes'], { node, env })
    expectOneLine(ended, 1, 'FUNDS_DO_NOT_FIT')
    expect(ended.error().hint).toContain('fewer')
  })
})
