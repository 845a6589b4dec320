import { afterEach, describe, expect, it } from 'vitest'
import { cb58 } from '../../src/core/base/encoding/cb58.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { decodeGenesis } from '../../src/core/chain/x/genesis.ts'
import { encodeTx } from '../../src/core/chain/x/tx.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../src/devnode/index.ts'
import { vectors } from '../helpers/vectors.ts'
import { ask, call } from './client.ts'
import { baseFields, ewoq, outputTo, signed, txParams, utxosOf } from './txs.ts'

let node: DevNode
const start = async (options: DevNodeOptions) => {
  node = await createDevNode({ now: 1_800_000_000, ...options })
}
afterEach(() => node.close())

const info = async (method: string, params: object = {}) =>
  (await call<Record<string, unknown>>(node, method, params, '/ext/info')).result

const firstBlock = async () =>
  (
    await ask<{ block: { id: string; parentID: string; time: number } }>(
      node,
      'avm.getBlockByHeight',
      { encoding: 'json' },
    )
  ).block

const documented = vectors<
  readonly { name: string; response: { result: Record<string, unknown> } }[]
>('rpc-examples.json').find(({ name }) => name === 'info.upgrades')!.response.result

// Figures of the nodes' own `genesis/` and `upgrade/`, as written in the descriptions of networks.
describe('a node of Mainnet', () => {
  it('reports the upgrades of Mainnet', async () => {
    await start({ networkID: 1 })
    // The published example is older than the length of epochs and the date of Helicon.
    expect(await info('info.upgrades')).toEqual({
      ...documented,
      graniteEpochDuration: 300_000_000_000,
      heliconTime: '2026-09-22T15:00:00Z',
    })
    expect(await firstBlock()).toMatchObject({
      parentID: 'jrGWDh5Po9FMj54depyunNixpia5PN4aAYxfmNzU8n752Rjga',
      time: 1_682_434_800,
    })
    expect(await info('info.getBlockchainID', { alias: 'C' })).toEqual({
      blockchainID: '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
    })
  })

  it('reports the fees of Mainnet', async () => {
    await start({ networkID: 1 })
    const fees = { txFee: '1000000', createAssetTxFee: '10000000' }
    expect(await ask(node, 'avm.getTxFee')).toEqual(fees)
    expect(await info('info.getTxFee')).toEqual({
      ...fees,
      createSubnetTxFee: '1000000000',
      transformSubnetTxFee: '10000000000',
      createBlockchainTxFee: '1000000000',
      addPrimaryNetworkValidatorFee: '0',
      addPrimaryNetworkDelegatorFee: '0',
      addSubnetValidatorFee: '1000000',
      addSubnetDelegatorFee: '1000000',
    })
  })
})

describe('a node of Fuji', () => {
  it('reports the upgrades of Fuji', async () => {
    await start({ networkID: 5 })
    const upgrades = await info('info.upgrades')
    expect(Object.keys(upgrades!)).toEqual(
      Object.keys(documented).toSpliced(-1, 0, 'graniteEpochDuration'),
    )
    expect(upgrades).toMatchObject({
      apricotPhase4MinPChainHeight: 47_437,
      cortinaTime: '2023-04-06T15:00:00Z',
      cortinaXChainStopVertexID: '2D1cmbiG36BqQMRyHt4kFhWarmatA1ighSpND3FeFgz3vFVtCZ',
      durangoTime: '2024-02-13T16:00:00Z',
      etnaTime: '2024-11-25T16:00:00Z',
      fortunaTime: '2025-03-13T15:00:00Z',
      graniteTime: '2025-10-29T15:00:00Z',
      graniteEpochDuration: 300_000_000_000,
      heliconTime: '2026-07-28T15:00:00Z',
    })
    const times = Object.values(upgrades!).filter((value) => /^\d{4}-/.test(String(value)))
    expect(times).toHaveLength(15)
    expect(times).toEqual([...times].sort())
  })

  it('charges the fees of Fuji', async () => {
    await start({ networkID: 5 })
    const { context } = node
    expect(await info('info.getTxFee')).toMatchObject({
      createAssetTxFee: '10000000',
      createSubnetTxFee: '100000000',
      transformSubnetTxFee: '1000000000',
      createBlockchainTxFee: '100000000',
    })
    const text = 'X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'
    node.fund(ewoq.address, 20_000_000n)
    const [coin] = await utxosOf(node, { ...ewoq, text })
    const created = (change: bigint) =>
      encodeTx(
        signed(
          {
            type: 'CreateAssetTx',
            ...baseFields([coin!], [outputTo(ewoq, change, context.assetID)]),
            networkID: 5,
            blockchainID: context.chainID,
            name: 'Any',
            symbol: 'ANY',
            denomination: 0,
            initialStates: [{ fxIndex: 0, outputs: [outputTo(ewoq, 1n).output] }],
          },
          [coin!],
        ),
      )
    // A unit less than the fee, which would do on the local network.
    expect((await call(node, 'avm.issueTx', txParams(created(10_000_001n)))).error?.message).toBe(
      'insufficient funds',
    )
    expect((await call(node, 'avm.issueTx', txParams(created(10_000_000n)))).error).toBeUndefined()
  })
})

describe.each([
  [
    'mainnet',
    1,
    '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
    'V8kYdATLoVjUBazVjEHy1dWurk2PcnhERSWnwmcNwirdsBb1S',
  ],
  [
    'fuji',
    5,
    '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
    '2tCdy3dRsf6rYG7jtBNSyANQ6StrAEYpCDMLBQyGRLF8wG5KPK',
  ],
])('the genesis of %s', (name, networkID, chainID, blockID) => {
  it('creates the chain and the first block of that network', async () => {
    const { bytesHex } = vectors<readonly { name: string; bytesHex: string }[]>(
      'genesis.json',
    ).find((item) => item.name.startsWith(name))!
    // One asset of the alias AVAX, and of its transaction what stands between type and credentials.
    const genesis = `000000000001000441564158${bytesHex.slice(12, -8)}`
    await start({ networkID, genesis: decodeGenesis(hex.decode(genesis)) })
    expect(cb58.encode(node.context.chainID)).toBe(chainID)
    expect((await firstBlock()).id).toBe(blockID)
  })
})

describe('a node of another network', () => {
  it('uses the options, and otherwise the values of the local network', async () => {
    await start({ networkID: 1337 })
    expect(await ask(node, 'avm.getTxFee')).toEqual({
      txFee: '1000000',
      createAssetTxFee: '1000000',
    })
    await node.close()
    await start({ networkID: 5, fees: { createAssetTxFee: 3n } })
    expect(await ask(node, 'avm.getTxFee')).toEqual({ txFee: '1000000', createAssetTxFee: '3' })
  })
})
