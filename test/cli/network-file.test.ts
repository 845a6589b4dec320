import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatAddress, parseAddress } from '../../src/core/base/encoding/address.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { parseNetworkProfile } from '../../src/core/chain/network-profile.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { encodeUnsignedTx } from '../../src/core/chain/x/tx.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import { networkOfTx } from '../../src/inspect/networks.ts'
import { BOB, cli, devNode, EWOQ, folder } from './shell.ts'

/** A network that is not built in, and addresses of it. */
const customNode = () => devNode({ networkID: 1337 })
const onCustom = (address: string) =>
  formatAddress({ chain: 'X', hrp: 'custom', address: parseAddress(address).address })
const [ours, theirs] = [onCustom(EWOQ), onCustom(BOB)]

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
    const node = await customNode()
    const path = written(profileOf(node))
    for (const around of [
      { argv: ['--network', path], env: {} },
      { argv: [], env: { AVMKIT_NETWORK: path } },
    ]) {
      const argv = ['request', 'create', theirs, '1', '--from', ours, ...around.argv]
      const { code, out } = await cli(argv, { node, env: around.env })
      expect([code, JSON.parse(out).network.name]).toEqual([0, 'songbird'])
    }
  })

  it('tells networks with the same ID apart: an unknown chain of network 5 is not one of Fuji', async () => {
    const text = readFileSync(new URL('../../networks/songbird.json', import.meta.url), 'utf8')
    const { context } = parseNetworkProfile(text)
    const owner = new Uint8Array(20).fill(5)
    const tx = encodeUnsignedTx({
      type: 'BaseTx',
      networkID: context.networkID,
      blockchainID: context.chainID,
      outputs: [
        {
          assetID: context.assetID,
          output: {
            type: 'secp256k1fx.TransferOutput',
            amount: 7n,
            locktime: 0n,
            threshold: 1,
            addresses: [owner],
          },
        },
      ],
      inputs: [],
      memo: new Uint8Array(0),
    })
    const bytes = hex.encode(tx)
    const profile = written(text)
    const addressOn = (hrp: string) => formatAddress({ chain: 'X', hrp, address: owner })
    const unknown = await cli(['decode', bytes])
    expect([unknown.code, unknown.err]).toEqual([0, ''])
    expect(unknown.out).toMatch(/network +network-5\n/)
    expect(unknown.out).toContain(addressOn('custom'))
    expect(unknown.out).not.toMatch(/fuji|AVAX/)
    const named = await cli(['decode', bytes, '--network', profile])
    expect(named.out).toMatch(/network +songbird\n/)
    expect(named.out).toContain(addressOn('songbird'))
    const explained = await cli(['explain', bytes])
    expect([explained.code, explained.error().code]).toEqual([1, 'NETWORK_UNKNOWN'])
    expect(networkOfTx({ networkID: 5, blockchainID: networks.fuji.chainID }).hrp).toBe('fuji')
    expect(networkOfTx({ networkID: 5, blockchainID: networks.fuji.chains.C! }).hrp).toBe('fuji')
    expect(networkOfTx({ networkID: 5, blockchainID: new Uint8Array(32) }).hrp).toBe('fuji')
  })

  it('refuses a node with another chain, although its network ID is the same', async () => {
    const node = await customNode()
    const chainID = formatID(new Uint8Array(32).fill(9))
    const path = written({ ...profileOf(node), chainID })
    const { code, err } = await cli(['node', 'info', '--network', path], { node })
    expect(code).toBe(1)
    expect(err).toContain('CONTEXT_MISMATCH')
  })

  it('refuses a node with another network ID', async () => {
    const node = await devNode()
    const path = written(profileOf(await customNode()))
    const { code, err } = await cli(['balance', ours, '--network', path], { node })
    expect(code).toBe(1)
    expect(err).toContain('NETWORK_MISMATCH')
  })

  it('uses the public node of the file for commands that only read', async () => {
    const node = await customNode()
    const path = written(profileOf(node))
    const argv = ['balance', ours, '--network', path]
    const { code, err } = await cli(argv, { fetch: node.fetch })
    expect([code, err]).toEqual([0, expect.stringContaining('https://node.test')])
  })

  it.each([
    ['invalid JSON', '{'],
    ['a missing member', '{"name":"songbird"}'],
  ])('refuses %s', async (_what, text) => {
    const { code, err } = await cli(['balance', ours, '--network', written(text)])
    expect(code).toBe(2)
    expect(err).toContain('BAD_VALUE')
  })

  it('refuses a file that does not exist', async () => {
    const { code, err } = await cli(['balance', ours, '--network', './none.json'])
    expect(code).toBe(1)
    expect(err).toContain('FILE_UNREADABLE')
  })
})
