import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { networks } from '../../src/core/chain/networks.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import { BOB, cli, devNode, EWOQ, folder } from './shell.ts'

/** A profile of a node's network under another name. */
function profileOf({ context }: DevNode): { [name: string]: unknown } {
  return {
    name: 'songbird',
    networkID: context.networkID,
    hrp: context.hrp,
    chainID: formatID(context.chainID),
    assetID: formatID(context.assetID),
    txFee: '1000000',
    createAssetTxFee: '1000000',
    chains: { C: formatID(context.chains.C!) },
    publicURLs: ['https://node.test'],
  }
}

function written(profile: object | string): string {
  const path = join(folder(), 'songbird.json')
  writeFileSync(path, typeof profile === 'string' ? profile : JSON.stringify(profile))
  return path
}

describe('--network with a file', () => {
  it('names the network of a node', async () => {
    const node = await devNode()
    const path = written(profileOf(node))
    for (const around of [
      { argv: ['--network', path], env: {} },
      { argv: [], env: { AVMKIT_NETWORK: path } },
    ]) {
      const argv = ['request', 'create', BOB, '1', '--from', EWOQ, ...around.argv]
      const { code, out } = await cli(argv, { node, env: around.env })
      expect([code, JSON.parse(out).network.name]).toEqual([0, 'songbird'])
    }
  })

  it('refuses a node with another chain, although its network ID is the same', async () => {
    const node = await devNode()
    const chainID = formatID(networks.fuji.chainID)
    const path = written({ ...profileOf(node), hrp: 'songbird', chainID })
    const { code, err } = await cli(['node', 'info', '--network', path], { node })
    expect(code).toBe(1)
    expect(err).toContain('CONTEXT_MISMATCH')
  })

  it('refuses a node with another network ID', async () => {
    const node = await devNode()
    const path = written({ ...profileOf(node), networkID: 5 })
    const { code, err } = await cli(['balance', EWOQ, '--network', path], { node })
    expect(code).toBe(1)
    expect(err).toContain('NETWORK_MISMATCH')
  })

  it('uses the public node of the file for commands that only read', async () => {
    const node = await devNode()
    const path = written(profileOf(node))
    const argv = ['balance', EWOQ, '--network', path]
    const { code, err } = await cli(argv, { fetch: node.fetch })
    expect([code, err]).toEqual([0, expect.stringContaining('https://node.test')])
  })

  it.each([
    ['invalid JSON', '{'],
    ['a missing member', '{"name":"songbird"}'],
  ])('refuses %s', async (_what, text) => {
    const { code, err } = await cli(['balance', EWOQ, '--network', written(text)])
    expect(code).toBe(2)
    expect(err).toContain('BAD_VALUE')
  })

  it('refuses a file that does not exist', async () => {
    const { code, err } = await cli(['balance', EWOQ, '--network', './none.json'])
    expect(code).toBe(1)
    expect(err).toContain('FILE_UNREADABLE')
  })
})
