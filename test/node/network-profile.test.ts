import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { parseNetworkProfile } from '../../src/core/chain/network-profile.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { createNodeClient } from '../../src/node/index.ts'

// A network that has the network ID of Fuji, as Songbird does.
let node: DevNode
/** The ID of a chain that the node does not have. */
const otherID = formatID(new Uint8Array(32).fill(9))
let profile: { readonly [name: string]: unknown }

beforeAll(async () => {
  node = await createDevNode({ networkID: 5 })
  const { chainID, assetID, chains } = node.context
  profile = {
    name: 'songbird',
    networkID: 5,
    hrp: 'songbird',
    chainID: formatID(chainID),
    assetID: formatID(assetID),
    txFee: '1000000',
    createAssetTxFee: '10000000',
    chains: { C: formatID(chains.C!) },
  }
})
afterAll(() => node.close())

const contextFor = (known?: readonly object[]) =>
  createNodeClient({
    url: 'http://node.test',
    fetch: node.fetch,
    ...(known && {
      context: {
        known: known.map((each) => parseNetworkProfile(JSON.stringify(each)).context),
      },
    }),
  }).context()

describe('a client of a network with the network ID of another', () => {
  it('has the name and the address prefix of the profile', async () => {
    const { name, hrp, networkID, chainID } = await contextFor([profile])
    expect({ name, hrp, networkID, chainID }).toEqual({
      name: 'songbird',
      hrp: 'songbird',
      networkID: 5,
      chainID: node.context.chainID,
    })
  })

  it('finds its profile among several', async () => {
    const other = { ...profile, name: 'other', chainID: otherID }
    expect((await contextFor([other, profile])).name).toBe('songbird')
  })

  it.each([
    ['chainID', otherID],
    ['assetID', formatID(networks.fuji.assetID)],
    ['chains', { C: formatID(networks.local.chains.C!) }],
  ])('is refused if its node has another %s', async (member, value) => {
    const error = contextFor([{ ...profile, [member]: value }])
    await expect(error).rejects.toMatchObject({ code: 'CONTEXT_MISMATCH' })
  })

  it('is known by the network that it is for, too', async () => {
    const { context: network } = parseNetworkProfile(JSON.stringify(profile))
    const { fetch } = node
    const client = createNodeClient({ url: 'http://node.test', fetch, network })
    expect(await client.context()).toMatchObject({ name: 'songbird', hrp: 'songbird' })
    const other = { ...network, chainID: new Uint8Array(32).fill(9) }
    const wrong = createNodeClient({ url: 'http://node.test', fetch, network: other })
    await expect(wrong.context()).rejects.toMatchObject({
      code: 'CONTEXT_MISMATCH',
      expected: formatID(other.chainID),
      found: profile.chainID,
    })
  })

  it('is refused if it is none of the known networks, which the built-in ones always are', async () => {
    const flare = { ...profile, networkID: 14, name: 'flare', hrp: 'flare' }
    await expect(contextFor([flare])).rejects.toMatchObject({
      code: 'CONTEXT_MISMATCH',
      expected: formatID(networks.fuji.chainID),
    })
    const contextOf = async (networkID: number) => {
      const custom = await createDevNode({ networkID })
      try {
        const known = [parseNetworkProfile(JSON.stringify(flare)).context]
        const options = { url: 'http://node.test', fetch: custom.fetch, context: { known } }
        return await createNodeClient(options).context()
      } finally {
        await custom.close()
      }
    }
    expect((await contextOf(networks.local.networkID)).name).toBe('local')
    await expect(contextOf(1337)).rejects.toMatchObject({
      code: 'CONTEXT_MISMATCH',
      field: 'networkID',
      expected: '14',
      found: '1337',
    })
  })

  it('is refused without a profile, because it is not Fuji', async () => {
    await expect(contextFor()).rejects.toMatchObject({ code: 'CONTEXT_MISMATCH' })
  })
})
