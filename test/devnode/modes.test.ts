import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  createDevNode,
  type DevNode,
  type DevNodeOptions,
  publicServerRefusals,
} from '../../src/devnode/index.ts'
import { ewoq } from './txs.ts'

const NOW = 1_800_000_000

let node: DevNode
const start = async (options: DevNodeOptions = {}) => {
  node = await createDevNode({ now: NOW, ...options })
}
afterEach(() => node.close())

async function post(path: string, method: string, params: unknown = {}) {
  const response = await node.fetch(`http://localhost${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return JSON.parse(await response.text())
}

const health = async () => {
  const response = await node.fetch('http://localhost/ext/health')
  return JSON.parse(await response.text()).checks
}

describe('refused methods', () => {
  it('do not exist', async () => {
    await start({ refusedMethods: ['avm.getHeight', 'eth_', 'health.'] })
    expect((await post('/ext/bc/X', 'avm.getHeight')).error.message).toBe(
      'rpc: can\'t find method "avm.GetHeight"',
    )
    expect((await post('/ext/bc/X', 'avm.getTxFee')).result).toBeDefined()
    expect((await post('/ext/bc/C/rpc', 'eth_chainId', [])).error.code).toBe(-32601)
    expect((await post('/ext/bc/C/rpc', 'eth_call', [])).error.message).toMatch(/does not exist/)
    expect((await post('/ext/bc/C/rpc', 'net_version', [])).result).toBe('43112')
    expect((await post('/ext/health', 'health.liveness')).error.code).toBe(-32000)
    expect((await node.fetch('http://localhost/ext/health')).status).toBe(404)
  })

  it('of a public server are those that tell of one node', async () => {
    await start({ refusedMethods: publicServerRefusals })
    for (const method of ['info.getNodeID', 'info.getNodeIP', 'info.getVMs'])
      expect((await post('/ext/info', method)).error.message).toMatch(/^rpc: can't find method/)
    expect((await post('/ext/info', 'info.getNetworkID')).result.networkID).toBe('12345')
    expect((await node.fetch('http://localhost/ext/health/readiness')).status).toBe(404)
  })
})

describe('names of refused methods', () => {
  it.each([
    'nonsense',
    'avm.nonsense',
    'avm',
    'eth',
    'nonsense.',
    '',
    '.',
    'platform.getPendingValidators',
  ])('%j is refused', async (name) => {
    await start()
    await expect(createDevNode({ refusedMethods: ['avm.getTx', name] })).rejects.toMatchObject({
      name: 'DevNodeError',
      code: 'BAD_OPTION',
    })
  })

  it.each([
    'wallet.issueTx',
    'platform.getValidatorsAt',
    'avax.getAtomicTxStatus',
    'web3_sha3',
    'eth_getLogs',
    'eth_unsubscribe',
    'net_',
    'info.',
  ])('%s is known', async (name) => {
    await start({ refusedMethods: [name] })
    await node.close()
    await start({ refusedMethods: [name], helicon: true })
  })

  it('are checked before a folder is written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'devnode-'))
    try {
      const refused = createDevNode({ folder, refusedMethods: ['nonsense'], networkID: 1337 })
      await expect(refused).rejects.toMatchObject({ code: 'BAD_OPTION' })
      await start({ folder })
      await node.close()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('info', () => {
  it.each([
    [undefined, '9999-12-01T00:00:00Z'],
    [false, '9999-12-01T00:00:00Z'],
    [true, '2020-12-05T05:00:00Z'],
  ])('upgrades with helicon %s has the time %s', async (helicon, time) => {
    await start({ helicon })
    expect((await post('/ext/info', 'info.upgrades')).result.heliconTime).toBe(time)
  })
})

describe('health checks', () => {
  it('run in the background: reports show the last results', async () => {
    await start()
    const before = (await health()).X.message.engine.consensus
    node.fund(ewoq.text, 5n)
    expect((await health()).X.message.engine.consensus).toEqual(before)
    node.runHealthChecks()
    const after = (await health()).X.message.engine.consensus
    expect([before.lastAcceptedHeight, after.lastAcceptedHeight]).toEqual([0, 1])
  })

  it('count failures since the last success', async () => {
    await start()
    node.setHealthCheck('network', 'no peers')
    const first = (await health()).network
    expect([first.contiguousFailures, first.error]).toEqual([1, 'no peers'])
    node.setTime(NOW + 30)
    node.runHealthChecks()
    const second = (await health()).network
    expect(second.contiguousFailures).toBe(2)
    expect(second.timeOfFirstFailure).toBe(first.timestamp)
    expect(Date.parse(second.timestamp)).toBe((NOW + 30) * 1000)
    node.setHealthCheck('network', undefined)
    expect(Object.keys((await health()).network)).toEqual(['message', 'timestamp', 'duration'])
  })

  it('have known names', async () => {
    await start()
    for (const name of ['nosuch', '', 'x'])
      expect(() => node.setHealthCheck(name, 'broken')).toThrow(
        expect.objectContaining({ name: 'ArgumentError', code: 'ENC_INVALID', path: 'name' }),
      )
    for (const name of Object.keys(await health())) {
      node.setHealthCheck(name, 'broken')
      expect((await health())[name].error).toBe('broken')
    }
  })

  it('show the blocks of all chains', async () => {
    await start()
    const { C, P, X } = await health()
    const tip = ({ message }: typeof C) => message.engine.consensus.lastAcceptedID
    const ids = [C, P, X].map(tip)
    expect(new Set(ids).size).toBe(3)
  })
})

describe('the time of the genesis', () => {
  it.each([
    [1_794_964_320, '2026-10-03T04:00:00Z'],
    [1_791_000_000, '2026-10-03T04:00:00Z'],
    [1_790_999_999, '2026-01-06T04:00:00Z'],
    [1_721_016_000, '2024-07-15T04:00:00Z'],
    [1_700_000_000, '2023-10-19T04:00:00Z'],
  ])('on the P-Chain of a node that starts at %s is %s', async (now, time) => {
    await start({ now })
    expect((await post('/ext/bc/P', 'platform.getTimestamp')).result.timestamp).toBe(time)
  })

  it('is stored with the chain', async () => {
    await start({ dumpable: true })
    const dump = node.dump()
    const other = await createDevNode({ now: NOW + 23_328_000, load: dump })
    expect(other.stateDigest()).toEqual(node.stateDigest())
    await other.close()
  })
})
