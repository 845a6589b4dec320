import { describe, expect, it } from 'vitest'
import type { DevNode } from '../../src/devnode/index.ts'
import type { Fetch } from '../../src/node/index.ts'
import { BOB, cli, devNode, EWOQ, EWOQ_KEY } from './shell.ts'

const env = { AVMKIT_KEY: EWOQ_KEY, AVMKIT_URL: 'http://node' }

/** A node whose answers to one method are changed. */
function lying(
  node: DevNode,
  method: string,
  change: (result: { [name: string]: unknown }) => void,
): Fetch {
  return async (url, init) => {
    const response = await node.fetch(url, init)
    if (!String(init.body).includes(`"${method}"`)) return response
    const body = (await response.json()) as { result: { [name: string]: unknown } }
    change(body.result)
    return new Response(JSON.stringify(body), {
      status: response.status,
      headers: { 'content-type': 'application/json' },
    })
  }
}

/** Creates an asset of EWOQ with seven decimals and returns its ID. */
async function minted(node: DevNode): Promise<string> {
  const create = ['asset', 'create', 'Token', 'TOK', `${EWOQ}=1000`, '--denomination', '7', '--yes']
  const ended = await cli([...create, '--json'], { node, env: { AVMKIT_KEY: EWOQ_KEY } })
  expect(ended.err).toBe('')
  return ended.json<{ txID: string }>().txID
}

describe('a node that lies about decimals', () => {
  it('changes no amount that is typed or shown', async () => {
    const node = await devNode()
    const asset = await minted(node)
    const fetch = lying(node, 'avm.getAssetDescription', (result) => {
      result.denomination = '0'
      result.symbol = 'AVAX'
    })
    const send = ['send', BOB, '0.01', '--asset', asset, '--yes', '--json']
    const sent = await cli(send, { node, fetch, env })
    expect(sent.json<{ explanation: { pays: object[] } }>().explanation.pays).toMatchObject([
      { amount: '100000' },
    ])
    const create = ['request', 'create', BOB, '0.02', '--from', EWOQ, '--asset', asset]
    const request = await cli(create, { fetch, env })
    const explained = await cli(['explain', '-', '--lookup'], { fetch, env, input: request.out })
    expect(explained.out).toMatch(/^pay +0\.02 +\w+ "TOK" +to /m)
    const balance = await cli(['balance', BOB, '--json'], { fetch, env })
    expect(balance.json()).toMatchObject({ assets: [{ symbol: 'TOK', denomination: 7 }] })
  })

  it('is an error if it hides the asset', async () => {
    const node = await devNode()
    const asset = await minted(node)
    const send = ['send', BOB, '0.01', '--asset', `${asset.slice(0, -1)}`, '--yes']
    expect((await cli(send, { node, env })).code).not.toBe(0)
    const unknown = '2JeJDKL9Bvn1vLuuPL1DpUccBCVUh7iRnkv3a5pV9kJW5HbuQz'
    const ended = await cli(['send', BOB, '1', '--asset', unknown, '--yes'], { node, env })
    expect([ended.code, ended.error().code]).toEqual([1, 'ASSET_UNKNOWN'])
  })
})

describe('text from elsewhere', () => {
  const hidden = ['\u3164', '\u115f', '\u2800', '\ufe0f', '\u202e', '\u00a0', '\u200b', '\u001b[2J']

  it('is escaped in explanations and in JSON, and means the same to a reader', async () => {
    const node = await devNode()
    const memo = `pay${hidden.join('x')}   back`
    const create = ['request', 'create', BOB, '1', '--from', EWOQ, '--memo', memo]
    const { out: input } = await cli(create, { node })
    const text = await cli(['explain', '-'], { input })
    const json = await cli(['explain', '-', '--json'], { input })
    for (const shown of [text.out, json.out]) expect(shown.replaceAll('\n', '')).toMatch(/^[ -~]*$/)
    expect(text.out).toContain('pay\\u{3164}x\\u{115f}x\\u{2800}x\\u{fe0f}x\\u{202e}x')
    expect(text.out).toContain('[2J \\u{20}\\u{20}back')
    expect(json.json<{ memo: { text: string } }>().memo.text).toBe(memo)
  })

  it('is escaped in errors', async () => {
    const node = await devNode()
    const fetch: Fetch = async (url, init) => {
      const response = await node.fetch(url, init)
      if (!String(init.body).includes('avm.getTx"')) return response
      const error = { code: -32000, message: `no ${hidden.join('')}such tx` }
      return new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, error }), {
        headers: { 'content-type': 'application/json' },
      })
    }
    const id = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'
    for (const more of [[], ['--json']]) {
      const ended = await cli(['status', id, ...more], { fetch, env })
      expect(ended.err.replaceAll('\n', '')).toMatch(/^[ -~]*$/)
    }
  })
})

describe('many rows', () => {
  it('do not overflow the stack', async () => {
    const { table, details } = await import('../../src/cli/terminal/print.ts')
    const { paintFor } = await import('../../src/cli/terminal/paint.ts')
    const paint = paintFor({ write: () => {} }, {})
    const rows = Array.from({ length: 130_000 }, (_, i) => [String(i), 'x'])
    const text = table([{ title: 'a' }, { title: 'b' }], rows, paint)
    expect(text.length).toBeGreaterThan(130_000)
    expect(
      details(
        rows.map(([a, b]) => [a!, b!] as const),
        paint,
      ),
    ).toContain('129999')
  })
})

describe('an EVM address', () => {
  const evm = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'

  it('does not become an address of this chain', async () => {
    const ended = await cli(['address', evm])
    expect([ended.code, ended.error().code, ended.out]).toEqual([1, 'EVM_ADDRESS', ''])
    const decoded = await cli(['decode', evm, '--json'])
    expect(decoded.json()).not.toHaveProperty('address')
    // Without 0x these are the 20 bytes of any address.
    const bare = await cli(['address', evm.slice(2), '--json'])
    expect(bare.json()).toMatchObject({ addresses: [{ hex: evm.slice(2).toLowerCase() }] })
    const paid = await cli(['send', evm, '1', '--yes'], { node: await devNode(), env })
    expect(paid.code).not.toBe(0)
  })
})
