import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { codeOf, vectors } from '../helpers/vectors.ts'
import { call } from './client.ts'

const NOW = 1_700_000_000
const PEER = 'NodeID-8PYXX47kqLDe2wD4oPbvRRchcnSzMA4J4'
const OTHER = 'NodeID-C14fr1n8EYNKyDfYixJ3rxSAVqTY3a8BP'
const ABSENT = 'NodeID-LPbcSMGJ4yocxYxvS2kBJ6umWeeFbctYZ'

let node: DevNode
beforeEach(async () => {
  node = await createDevNode({ now: NOW })
})
afterEach(() => node.close())

const info = async (method: string, params = {}) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await node.fetch('http://node/ext/info', { method: 'POST', headers, body })
  return response.text()
}

type Example = { readonly name: string; readonly result?: { readonly peers: readonly object[] } }

describe('peers', () => {
  it('are formatted as by the node', async () => {
    const examples = vectors<readonly Example[]>('rpc-examples.json')
    const expected = examples.find(({ name }) => name === 'avalanchego-made info.peers')!.result!
    node.setPeers([
      {
        ip: '10.0.0.1:9651',
        publicIP: '',
        nodeID: 'NodeID-pmuWZgV4nJVHaioT79ABVXxCGYLJ2pvZ',
        lastSent: Date.parse('2026-06-11T12:00:00Z') / 1000,
        lastReceived: Date.parse('2026-06-11T12:00:01Z') / 1000,
        trackedSubnets: ['3DDiCtDLpQ19tqZshWZvpJwVZYXJrru593Q2JqnV3HN4Zb62X'],
        supportedACPs: [103, 23, 5],
        benched: ['C'],
      },
    ])
    expect(await info('info.peers')).toBe(
      `{"jsonrpc":"2.0","result":${JSON.stringify(expected)},"id":1}\n`,
    )
  })

  it('are all returned, or the connected ones of those requested', async () => {
    node.setPeers([{ nodeID: PEER, observedUptime: 75 }, { nodeID: OTHER }])
    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
    const shown = async (nodeIDs?: string[]) => {
      const { numPeers, peers } = await client.info.peers(nodeIDs === undefined ? {} : { nodeIDs })
      expect(numPeers).toBe(peers.length)
      return peers.map(({ nodeID }) => nodeID)
    }
    expect(await shown()).toEqual([PEER, OTHER])
    expect(await shown([])).toEqual([PEER, OTHER])
    expect(await shown([OTHER, ABSENT])).toEqual([OTHER])
    expect(await shown([ABSENT])).toEqual([])
    const [peer] = (await client.info.peers()).peers
    expect(peer).toMatchObject({
      observedUptime: 75,
      lastSent: '2023-11-14T22:13:20Z',
      ip: '127.0.0.1:9651',
      publicIP: '127.0.0.1:9651',
    })
    node.setPeers([])
    expect(await shown()).toEqual([])
  })

  it('must have node IDs and times', () => {
    expect(codeOf(() => node.setPeers([{ nodeID: 'me' }]))).toBe('ENC_MISSING_PREFIX')
    for (const wrong of [{ lastSent: Number.NaN }, { lastReceived: -1 }, { observedUptime: 1.5 }])
      expect(codeOf(() => node.setPeers([{ nodeID: PEER, ...wrong }]))).toBe('ENC_INVALID')
  })
})

describe('proposals', () => {
  it('are sorted by number as text, with weights as text', async () => {
    node.setProposals({
      103: { abstainWeight: 161_147_778_098_286_584n },
      23: {
        supportWeight: 2n ** 64n - 1n,
        supporters: [PEER],
        objectors: [OTHER],
        objectWeight: 7n,
      },
    })
    expect(await info('info.acps')).toBe(
      `{"jsonrpc":"2.0","result":{"acps":{"103":{"supportWeight":"0","supporters":[],"objectWeight":"0","objectors":[],"abstainWeight":"161147778098286584"},"23":{"supportWeight":"18446744073709551615","supporters":["${PEER}"],"objectWeight":"7","objectors":["${OTHER}"],"abstainWeight":"0"}}},"id":1}\n`,
    )
  })

  it('have 32-bit numbers and 64-bit weights', () => {
    for (const proposals of [
      { 4294967296: {} },
      { [-1]: {} },
      { '01': {} },
      { 1: { supportWeight: -1n } },
      { 1: { abstainWeight: 2n ** 64n } },
    ])
      expect(codeOf(() => node.setProposals(proposals))).toBe('ENC_INVALID')
  })
})

describe('the source chain of UTXO pages', () => {
  const params = { addresses: ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'] }
  const page = async (from: DevNode, more = {}) =>
    (await call<{ sourceChain?: string }>(from, 'avm.getUTXOs', { ...params, ...more })).result!

  it('is omitted as by the node, and included if configured', async () => {
    expect(await page(node, { sourceChain: 'P' })).not.toHaveProperty('sourceChain')
    const other = await createDevNode({ echoSourceChain: true })
    expect(await page(other)).not.toHaveProperty('sourceChain')
    expect(Object.keys(await page(other, { sourceChain: 'P' }))).toEqual([
      ...['numFetched', 'utxos', 'endIndex', 'sourceChain', 'encoding'],
    ])
    const client = createNodeClient({ url: 'http://node.test', fetch: other.fetch })
    for (const sourceChain of ['P', 'C', '11111111111111111111111111111111LpoYY']) {
      const found = await client.avm.getUTXOs({ ...params, sourceChain })
      expect(found.sourceChain).toBe(sourceChain)
    }
    await other.close()
  })
})
