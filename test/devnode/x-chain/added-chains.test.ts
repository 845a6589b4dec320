import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { equalBytes } from '../../../src/core/base/bytes/compare.ts'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { networks, P_CHAIN_ID } from '../../../src/core/chain/networks.ts'
import { asciiID } from '../../../src/core/chain/x/fx.ts'
import { buildGenesis, type Genesis } from '../../../src/core/chain/x/genesis.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { buildExport } from '../../../src/core/draft/x/export.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import { createDevNode, type DevNode } from '../../../src/devnode/index.ts'
import { formatExplanation } from '../../../src/index.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { memoryStore } from '../../../src/wallet/store/memory.ts'
import { createWallet } from '../../../src/wallet/wallet.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { call } from '../client.ts'

const subnetID = new Uint8Array(32).fill(8)
const chainID = new Uint8Array(32).fill(7)
const keys = new KeyChain([new Uint8Array(32).fill(3)])
const address = keys.addresses[0]!
const receiver = new Uint8Array(20).fill(9)
const { networkID, txFee } = networks.local
const genesis: Genesis = buildGenesis(networkID, [
  {
    alias: 'GOLD',
    name: 'Gold',
    symbol: 'AU',
    denomination: 9,
    holders: [{ address, amount: 10n * txFee }],
  },
  {
    alias: 'ORE',
    name: 'Ore',
    symbol: 'ORE',
    denomination: 0,
    holders: [{ address, amount: 100n }],
  },
])

const clientOf = ({ fetch }: DevNode) =>
  createNodeClient({
    url: 'http://127.0.0.1:9650',
    fetch,
    chain: cb58.encode(chainID),
    context: { nativeAsset: 'GOLD' },
  })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'devnode-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('an AVM chain of another subnet', () => {
  it('has its own assets, addresses, UTXOs and blocks, and pays fees in its first asset', async () => {
    const node = await createDevNode()
    const { context } = node.addChain(chainID, subnetID, genesis)
    const client = clientOf(node)
    expect(await client.context()).toMatchObject({
      chainID,
      assetID: context.assetID,
      chainAlias: cb58.encode(chainID),
      chains: { X: node.context.chainID },
    })
    expect(context.assetID).not.toEqual(node.context.assetID)
    const wallet = createWallet({ client, keys, store: memoryStore() })
    await wallet.transfer({ to: receiver, amount: 3n * txFee })
    const balances = await wallet.balances()
    const gold = balances.find(({ assetID }) => equalBytes(assetID, context.assetID))
    // The asset that pays the fees of this chain is not AVAX.
    expect(gold).toMatchObject({ symbol: 'AU', name: 'Gold', denomination: 9 })
    const { explanation } = await wallet.prepare.transfer({ to: receiver, amount: txFee })
    const text = formatExplanation(explanation)
    expect(text).toContain(' AU')
    expect(text).not.toContain('AVAX')
    const ore = balances.find(({ symbol }) => symbol === 'ORE')
    expect([gold?.spendable, ore?.spendable]).toEqual([6n * txFee, 100n])
    expect(await client.avm.getHeight()).toBe(1n)
    const x = createNodeClient({ url: 'http://127.0.0.1:9650', fetch: node.fetch })
    expect(await x.avm.getHeight()).toBe(0n)
    await node.close()
  })

  it('exchanges nothing with the primary network', async () => {
    const node = await createDevNode()
    node.addChain(chainID, subnetID, genesis)
    const client = clientOf(node)
    const context = await client.context()
    const utxos = new UTXOSet()
    for await (const page of client.utxoPages({ addresses: keys.addresses })) utxos.add(page)
    const funds = { utxos, owners: keys.addresses, now: node.now() }
    const outputs = [{ to: receiver, amount: 5n }]
    const draft = buildExport({ context, funds, destinationChain: 'X', outputs })
    const { bytes } = requireSigned(signDraft(draft, keys))
    const issued = client.avm.issueTx({ tx: bytes })
    await expect(issued).rejects.toThrow(
      `mismatched subnetIDs; expected "${cb58.encode(subnetID)}" got "${cb58.encode(P_CHAIN_ID)}"`,
    )
    await node.close()
  })

  it('is stored in a folder and in snapshots', async () => {
    const node = await createDevNode({ folder, blocks: 'manual' })
    const before = node.snapshot()
    const control = node.addChain(chainID, subnetID, genesis)
    const added = node.snapshot()
    const wallet = createWallet({ client: clientOf(node), keys, store: memoryStore() })
    const paying = wallet.transfer({ to: receiver, amount: txFee })
    await expect.poll(() => codeOf(() => control.produceBlock()) ?? 'produced').toBe('produced')
    await paying
    const digest = node.stateDigest()
    await node.close()

    const again = await createDevNode({ folder, blocks: 'manual' })
    expect(again.stateDigest()).toEqual(digest)
    expect(await clientOf(again).avm.getHeight()).toBe(1n)
    again.restore(added)
    expect(await clientOf(again).avm.getHeight()).toBe(0n)
    again.restore(before)
    await expect(clientOf(again).avm.getHeight()).rejects.toMatchObject({ code: 'HTTP_STATUS' })
    await again.close()
  })

  it('has pages that continue after the first one', async () => {
    const node = await createDevNode()
    const addresses = [1, 2, 3, 4, 5].map((byte) => new Uint8Array(20).fill(byte))
    const holders = addresses.map((holder) => ({ address: holder, amount: 1n }))
    const definition = { alias: 'GOLD', name: 'Gold', symbol: 'AU', denomination: 0, holders }
    node.addChain(chainID, subnetID, buildGenesis(networkID, [definition]))
    const client = clientOf(node)
    const first = await client.avm.getUTXOs({ addresses, limit: 2 })
    expect(first.endIndex.address).toMatch(new RegExp(`^${cb58.encode(chainID)}-local1`))
    const utxos = new UTXOSet()
    const sizes: number[] = []
    for await (const page of client.utxoPages({ addresses, pageSize: 2 })) {
      sizes.push(page.utxos.length)
      utxos.add(page)
    }
    expect(sizes.slice(0, 3)).toEqual([2, 2, 1])
    expect(utxos.size()).toBe(5)
    await node.close()
  })

  it('is known to the P-Chain', async () => {
    const node = await createDevNode()
    node.addChain(chainID, subnetID, genesis)
    const [id, subnet] = [chainID, subnetID].map(cb58.encode)
    const ask = async (method: string, params: object = {}) =>
      (await call<{ [name: string]: unknown }>(node, `platform.${method}`, params, '/ext/bc/P'))
        .result
    expect(await ask('validatedBy', { blockchainID: id })).toEqual({ subnetID: subnet })
    expect(await ask('validates', { subnetID: subnet })).toEqual({ blockchainIDs: [id] })
    expect(await ask('getBlockchainStatus', { blockchainID: id })).toEqual({ status: 'Syncing' })
    const { blockchains } = (await ask('getBlockchains')) as { blockchains: object[] }
    expect(blockchains).toHaveLength(3)
    expect(blockchains[0]).toEqual({
      id,
      name: '',
      subnetID: subnet,
      vmID: cb58.encode(asciiID('avm')),
    })
    const entry = { id: subnet, controlKeys: [], threshold: '0' }
    const primary = { ...entry, id: cb58.encode(P_CHAIN_ID) }
    expect(await ask('getSubnets')).toEqual({ subnets: [entry, primary] })
    expect(await ask('getSubnets', { ids: [subnet, subnet] })).toEqual({ subnets: [entry] })
    expect(await ask('getSubnet', { subnetID: subnet })).toEqual({
      isPermissioned: true,
      controlKeys: [],
      threshold: '0',
      locktime: '0',
      subnetTransformationTxID: cb58.encode(P_CHAIN_ID),
      conversionID: cb58.encode(P_CHAIN_ID),
      managerChainID: cb58.encode(P_CHAIN_ID),
      managerAddress: null,
    })
    await node.close()
  })

  it('has a health check with the tag of its subnet, and a height in the metrics', async () => {
    const node = await createDevNode()
    const before = node.snapshot()
    const { produceBlock } = node.addChain(chainID, subnetID, genesis)
    const id = cb58.encode(chainID)
    const checks = async (query = '') =>
      JSON.parse(await (await node.fetch(`http://localhost/ext/health${query}`)).text()).checks
    const { message } = (await checks())[id]
    expect(message.engine.consensus.lastAcceptedHeight).toBe(0)
    expect(Object.keys(await checks())).toEqual(Object.keys(await checks()).sort())
    expect(await checks(`?tag=${cb58.encode(subnetID)}`)).toHaveProperty(id)
    expect(await checks(`?tag=${cb58.encode(subnetID)}`)).not.toHaveProperty('X')
    expect(await checks(`?tag=${cb58.encode(P_CHAIN_ID)}`)).not.toHaveProperty(id)
    node.setHealthCheck(id, 'stuck')
    expect((await checks())[id].error).toBe('stuck')
    const wallet = createWallet({ client: clientOf(node), keys, store: memoryStore() })
    await wallet.transfer({ to: receiver, amount: txFee })
    expect(codeOf(() => produceBlock())).toBe('NO_TRANSACTIONS')
    const metrics = await (await node.fetch('http://localhost/ext/metrics')).text()
    expect(metrics).toContain(`last_accepted_height{chain="${id}"} 1\n`)
    node.restore(before)
    expect(await checks()).not.toHaveProperty(id)
    await node.close()
  })

  it('is refused with two assets of one alias, and with an ID that is a subnet', async () => {
    const node = await createDevNode()
    const refused = (id: Uint8Array, subnet: Uint8Array, content: Genesis) =>
      codeOf(() => node.addChain(id, subnet, content))
    const [gold, ore] = genesis.assets
    const same: Genesis = { assets: [gold!, gold!] }
    const other: Genesis = { assets: [gold!, { ...ore!, alias: 'GOLD' }] }
    expect(refused(chainID, subnetID, same)).toBe('BAD_OPTION')
    expect(refused(chainID, subnetID, other)).toBe('BAD_OPTION')
    expect(refused(chainID, chainID, genesis)).toBe('BAD_OPTION')
    expect(refused(chainID, node.context.chainID, genesis)).toBe('BAD_OPTION')
    node.addChain(chainID, subnetID, genesis)
    expect(refused(subnetID, new Uint8Array(32).fill(4), genesis)).toBe('BAD_OPTION')
    await expect(createDevNode({ genesis: other })).rejects.toMatchObject({ code: 'BAD_OPTION' })
    await node.close()
  })

  it('is refused with a known ID, in the primary network, and without an asset', async () => {
    const node = await createDevNode()
    const digest = node.stateDigest()
    const refused = (id: Uint8Array, subnet: Uint8Array, content: Genesis) =>
      codeOf(() => node.addChain(id, subnet, content))
    expect(refused(node.context.chainID, subnetID, genesis)).toBe('BAD_OPTION')
    expect(refused(chainID, P_CHAIN_ID, genesis)).toBe('BAD_OPTION')
    expect(refused(chainID, subnetID, { assets: [] })).toBe('BAD_OPTION')
    expect(refused(chainID, subnetID, null as never)).toBe('CODEC_BAD_VALUE')
    expect(node.stateDigest()).toEqual(digest)
    await node.close()
  })
})
