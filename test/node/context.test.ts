import { describe, expect, it } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { type ContextOptions, createNodeClient } from '../../src/node/index.ts'

type Details = {
  readonly [key: string]: string | { readonly error: string; readonly status?: number }
}

const local: Details = {
  'info.getNetworkID': '{"networkID":"12345"}',
  'info.getBlockchainID X': `{"blockchainID":"2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed"}`,
  'info.getBlockchainID C': `{"blockchainID":"2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC"}`,
  'avm.getAssetDescription':
    '{"assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","name":"Avalanche","symbol":"AVAX","denomination":"9"}',
  'avm.getTxFee': '{"txFee":"1000000","createAssetTxFee":"1000000"}',
}

/** A client of a node with these parameters, and the requests it received. */
function nodeWith(
  details: Details,
  { until, ...context }: ContextOptions & { readonly until?: () => Promise<unknown> } = {},
) {
  const asked: string[] = []
  let open = 0
  let most = 0
  const client = createNodeClient({
    url: 'http://node.test',
    context,
    retry: { retries: 0 },
    fetch: async (_, init) => {
      most = Math.max(most, ++open)
      await until?.()
      open--
      const { method, params, id } = JSON.parse(String(init.body))
      const key = method === 'info.getBlockchainID' ? `${method} ${params.alias}` : method
      asked.push(key)
      const fact = details[key] ?? { error: 'boom' }
      const body =
        typeof fact === 'string'
          ? `"result":${fact}`
          : `"error":${JSON.stringify({ code: -32000, message: fact.error })}`
      const status = typeof fact === 'string' ? 200 : (fact.status ?? 200)
      return new Response(`{"jsonrpc":"2.0",${body},"id":${id}}`, { status })
    },
  })
  return { client, asked, most: () => most }
}

describe('context', () => {
  it('is the built-in one for a node of the local network, read in parallel', async () => {
    const { client, asked, most } = nodeWith(local)
    expect(await client.context()).toEqual(networks.local)
    expect(asked).toHaveLength(5)
    expect(most()).toBe(5)
  })

  it('is read once, and again on demand', async () => {
    const { client, asked } = nodeWith(local)
    await Promise.all([client.context(), client.context()])
    await client.context()
    expect(asked).toHaveLength(5)
    await client.context({ refresh: true })
    expect(asked).toHaveLength(10)
  })

  it('does not end for one call by the signal or the time limit of another', async () => {
    for (const refresh of [false, true]) {
      let held: Promise<unknown> | undefined
      const { client, asked } = nodeWith(local, { until: async () => held })
      if (refresh) await client.context()
      const controller = new AbortController()
      let reply = () => {}
      held = new Promise<void>((resolve) => {
        reply = resolve
      })
      const impatient = Promise.allSettled([
        client.context({ signal: controller.signal, refresh }),
        client.context({ totalMs: 5 }),
      ])
      const patient = client.context()
      setImmediate(() => controller.abort('user left'))
      expect(await impatient).toMatchObject([
        { reason: { code: 'ABORTED' } },
        { reason: { code: 'RPC_TIMEOUT', timeoutMs: 5 } },
      ])
      reply()
      expect(await patient).toEqual(networks.local)
      expect(asked).toHaveLength(refresh ? 10 : 5)
    }
  })

  it('is not requested by a call that is already aborted', async () => {
    const { client, asked } = nodeWith(local)
    await expect(client.context({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    })
    expect(asked).toEqual([])
  })

  it('is not cached after a failure', async () => {
    const details: { [key: string]: string } = { ...(local as { [key: string]: string }) }
    delete details['avm.getTxFee']
    const { client } = nodeWith(details)
    await expect(client.context()).rejects.toMatchObject({ code: 'RPC_ERROR' })
    details['avm.getTxFee'] = local['avm.getTxFee'] as string
    expect(await client.context()).toEqual(networks.local)
  })

  describe('and the C-Chain', () => {
    const alias = 'info.getBlockchainID C'

    // Older nodes write no colon.
    it.each(['there is no ID with alias: C', 'there is no ID with alias C'])(
      'lacks it if the node answers: %s',
      async (error) => {
        const { client } = nodeWith({ ...local, [alias]: { error } })
        expect((await client.context()).chains.C).toBeUndefined()
      },
    )

    it.each([
      ['bad gateway', 502],
      ['not found', 200],
      ['internal error', 200],
      ['', 200],
      ["there is no chain with alias/ID 'C'", 200],
      ['there is no ID with alias: CC', 200],
      ['upstream: there is no ID with alias: C', 200],
      ['rpc: can\'t find method "info.GetBlockchainID"', 200],
    ])('fails after another error, and is read again: %s (status %i)', async (error, status) => {
      const details: { [key: string]: Details[string] } = { ...local, [alias]: { error, status } }
      const { client } = nodeWith(details)
      await expect(client.context()).rejects.toMatchObject({ name: 'RpcError' })
      details[alias] = local[alias]!
      expect(await client.context()).toEqual(networks.local)
    })
  })

  it('describes a network that is not built in, as a node of it answered', async () => {
    // Parameters of network 1337, recorded from a node.
    const { client } = nodeWith({
      'info.getNetworkID': '{"networkID":"1337"}',
      'info.getBlockchainID X':
        '{"blockchainID":"2huFztbeB4LijVCoLrxP8NwFbRCdtLfUyvx4VXwD5VnVxzxkMX"}',
      'info.getBlockchainID C': { error: 'there is no ID with alias: C' },
      'avm.getAssetDescription':
        '{"assetID":"28N55gFiYRrHWTopC4mybgvTw92x4EmWiZBLCRBgjXFyBgx9UN","name":"Avalanche","symbol":"AVAX","denomination":"9"}',
      'avm.getTxFee': '{"txFee":"1000000","createAssetTxFee":"2000000"}',
    })
    const context = await client.context()
    expect(context).toMatchObject({
      name: 'network-1337',
      networkID: 1337,
      hrp: 'custom',
      chainAlias: 'X',
      createAssetTxFee: 2_000_000n,
    })
    expect(Object.keys(context.chains)).toEqual(['P'])
  })

  it('identifies the X-Chain and other chains by ID', async () => {
    const xChain = formatID(networks.local.chainID)
    const other = formatID(new Uint8Array(32).fill(9))
    const { client } = nodeWith({
      ...local,
      [`info.getBlockchainID ${xChain}`]: `{"blockchainID":"${xChain}"}`,
      [`info.getBlockchainID ${other}`]: `{"blockchainID":"${other}"}`,
    })
    expect(await client.forChain(xChain).context()).toEqual(networks.local)
    const context = await client.forChain(other).context()
    expect(context.chainAlias).toBe(other)
    expect(formatID(context.chainID)).toBe(other)
    expect(context.chains.X).toEqual(networks.local.chainID)
  })

  it('uses info.getTxFee of older nodes', async () => {
    const { client } = nodeWith({
      ...local,
      'avm.getTxFee': { error: 'rpc: can\'t find method "avm.GetTxFee"' },
      'info.getTxFee': '{"txFee":"1000000","createAssetTxFee":"1000000"}',
    })
    expect((await client.context()).txFee).toBe(1_000_000n)
  })

  const other = formatID(new Uint8Array(32).fill(9))
  it.each([
    ['chainID', 'info.getBlockchainID X', `{"blockchainID":"${other}"}`],
    ['chains.C', 'info.getBlockchainID C', `{"blockchainID":"${other}"}`],
    [
      'assetID',
      'avm.getAssetDescription',
      `{"assetID":"${other}","name":"a","symbol":"A","denomination":"9"}`,
    ],
  ])('refuses a known network with another %s', async (field, key, fact) => {
    const { client } = nodeWith({ ...local, [key]: fact })
    await expect(client.context()).rejects.toMatchObject({
      code: 'CONTEXT_MISMATCH',
      field,
      found: other,
    })
    const trusting = nodeWith({ ...local, [key]: fact }, { known: [] })
    expect((await trusting.client.context()).networkID).toBe(12345)
  })

  it.each([
    ['txFee', '{"txFee":"10000001","createAssetTxFee":"1"}'],
    ['createAssetTxFee', '{"txFee":"1","createAssetTxFee":"100000001"}'],
  ])('refuses a %s above the maximum', async (field, fact) => {
    const details = { ...local, 'avm.getTxFee': fact }
    await expect(nodeWith(details).client.context()).rejects.toMatchObject({
      code: 'FEE_ABOVE_MAX',
      field,
    })
    const unset = { txFee: undefined, createAssetTxFee: undefined }
    await expect(nodeWith(details, { maxFees: unset }).client.context()).rejects.toMatchObject({
      field,
    })
    const maxFees = { txFee: 20_000_000n, createAssetTxFee: 200_000_000n }
    expect(await nodeWith(details, { maxFees }).client.context()).toBeDefined()
  })
})
