import { expect, it } from 'vitest'
import { type NodeClient, RpcError } from '../../src/node/index.ts'

/** Tests that hold for every node and do not change its state. */
export function readOnlySuite(client: () => NodeClient): void {
  it('returns information about itself and its network', async () => {
    const networkID = await client().info.getNetworkID()
    expect(networkID).toBeGreaterThan(0)
    expect(await client().info.getNetworkName()).not.toBe('')
    expect((await client().info.getNodeVersion()).databaseVersion).toMatch(/^v/)
    expect((await client().info.upgrades()).apricotPhase4MinPChainHeight).toBeTypeOf('bigint')
    expect(Object.keys(await client().info.acps()).every((key) => /^[0-9]+$/.test(key))).toBe(true)
    expect((await client().info.peers()).numPeers).toBeTypeOf('number')
    expect(await client().info.isBootstrapped({ chain: 'X' })).toBeTypeOf('boolean')
    expect((await client().context()).networkID).toBe(networkID)
  })

  it('returns blocks by height, by ID and as JSON', async () => {
    const height = await client().avm.getHeight()
    const block = await client().avm.getBlockByHeight({ height })
    const plain = await client().avm.getBlockByHeight({ height, encoding: 'hexnc' })
    expect(plain).toEqual(block)
    const json = (await client().avm.getBlockByHeightJSON({ height })) as { id: string }
    expect(await client().avm.getBlock({ blockID: json.id })).toEqual(block)
    expect(await client().avm.getBlockJSON({ blockID: json.id })).toEqual(json)
  })

  it('returns and describes the transaction that created the native asset', async () => {
    const { assetID, chainID } = await client().context()
    const tx = await client().avm.getTx({ txID: assetID })
    expect(tx.unsignedTx.type).toBe('CreateAssetTx')
    expect(await client().avm.getTxStatus({ txID: assetID })).toBe('Accepted')
    const asset = await client().forChain(chainID).avm.getAssetDescription({ assetID })
    expect(asset.symbol).toBe('AVAX')
  })

  it('finds no transaction with a random ID', async () => {
    const txID = new Uint8Array(32).fill(1)
    const failure = await client()
      .avm.getTx({ txID })
      .catch((error) => error)
    expect(failure).toBeInstanceOf(RpcError)
    expect(failure.code).toBe('RPC_NOT_FOUND')
  })

  it('returns no UTXOs of an unused address', async () => {
    const pages = client().utxoPages({ addresses: [new Uint8Array(20).fill(5)] })
    for await (const page of pages) expect(page.utxos).toEqual([])
    const { balances } = {
      balances: await client().avm.getAllBalances({ address: new Uint8Array(20) }),
    }
    expect(Array.isArray(balances)).toBe(true)
  })

  it('returns its health by JSON-RPC and by GET, or a typed error', async () => {
    for (const ask of [
      () => client().health.health(),
      () => client().health.readiness(),
      () => client().health.liveness(),
      () => client().healthGet.root(),
      () => client().healthGet.health(),
      () => client().healthGet.readiness(),
      () => client().healthGet.liveness(),
    ]) {
      const health = await ask().catch((error) => error)
      if (health instanceof Error) expect(health).toHaveProperty('code')
      else expect(health.healthy).toBeTypeOf('boolean')
    }
  })
}
