import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { equalBytes } from '../../../src/core/base/bytes/compare.ts'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { networks, P_CHAIN_ID } from '../../../src/core/chain/networks.ts'
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
