import { describe, expect, it } from 'vitest'
import { encodeTx, formatID, requireSigned, signDraft } from '../../src/index.ts'
import { RpcError } from '../../src/node/index.ts'
import { failureOf, type TestEnvironment } from './environment.ts'

/** IDs of the networks that have fixed ones, as nodes of avalanchego 1.14.2 answer or test them. */
const KNOWN: { readonly [networkID: number]: object } = {
  1: {
    name: 'mainnet',
    hrp: 'avax',
    chain: '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
    asset: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
  },
  5: {
    name: 'fuji',
    hrp: 'fuji',
    chain: '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
    asset: 'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK',
  },
  12345: {
    name: 'local',
    hrp: 'local',
    chain: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
    asset: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  },
}

/** What the client says of a node, against what the node says itself. */
export function clientTests(env: () => TestEnvironment): void {
  describe('the client', () => {
    it('reads the network parameters of the node', async () => {
      const { client, rawNode } = env()
      const { address } = env().newAccount()
      const { name, networkID, hrp, chainID, assetID, chains } = await client.context()
      const found = { name, hrp, chain: formatID(chainID), asset: formatID(assetID) }
      const { networkName } = await rawNode.info('getNetworkName')
      const { blockchainID } = await rawNode.info('getBlockchainID', { alias: 'X' })
      const asset = await rawNode.avm('getAssetDescription', { assetID: 'AVAX' })
      const { endIndex } = await rawNode.avm('getUTXOs', { addresses: [address] })
      expect(String(networkID)).toBe((await rawNode.info('getNetworkID')).networkID)
      expect(found).toMatchObject({ name: networkName, chain: blockchainID, asset: asset.assetID })
      expect((endIndex as { readonly address: string }).address).toBe(address)
      expect(address.startsWith(`X-${hrp}1`)).toBe(true)
      expect(found).toEqual(KNOWN[networkID] ?? found)
      for (const alias of ['P', 'C']) {
        const peer = await rawNode.info('getBlockchainID', { alias })
        expect(formatID(chains[alias]!)).toBe(peer.blockchainID)
      }
    })

    it('reads the fees of the node', async () => {
      const { client, rawNode } = env()
      const { txFee, createAssetTxFee } = await rawNode.avm('getTxFee')
      const fees = {
        txFee: BigInt(txFee as string),
        createAssetTxFee: BigInt(createAssetTxFee as string),
      }
      expect(await client.avm.getTxFee()).toEqual(fees)
      expect(await client.info.getTxFee()).toMatchObject(fees)
      expect(await client.context({ refresh: true })).toMatchObject(fees)
    })

    it('waits until the node is ready, and reads its health', async () => {
      const { client } = env()
      await client.waitUntilReady({ timeoutMs: 30_000 })
      expect(await client.info.isBootstrapped({ chain: 'X' })).toBe(true)
      // A node without peers, or one that has just started, may well be unhealthy.
      expect((await client.healthGet.health()).healthy).toBeTypeOf('boolean')
      expect((await client.health.readiness()).healthy).toBeTypeOf('boolean')
      expect(await client.healthGet.liveness()).toMatchObject({ healthy: true })
    })

    it('returns a transaction as it was issued, and its status before and after', async () => {
      const { client, rawNode, fee } = env()
      const payer = env().fundedAccount()
      const wallet = env().wallet(payer)
      const to = env().newAccount().address
      const { draft } = await wallet.prepare.transfer({ to, amount: fee })
      const { signedTx, bytes, txID } = requireSigned(signDraft(draft, payer.keys))
      expect(bytes).toEqual(encodeTx(signedTx))
      const early = await failureOf(client.avm.getTx({ txID }))
      expect(early).toBeInstanceOf(RpcError)
      expect(early).toMatchObject({ code: 'RPC_NOT_FOUND', nodeMessage: 'not found' })
      expect(await client.avm.getTxStatus({ txID })).toBe('Unknown')
      const height = await rawNode.height()

      const issued = await client.issueTx(signedTx)
      expect(issued.txID).toEqual(txID)
      const seen = await client.waitForTx(signedTx, { timeoutMs: 60_000 })
      expect(seen).toEqual({ status: 'accepted', txID, tx: signedTx })

      expect(await rawNode.txBytes(formatID(txID))).toEqual(bytes)
      expect(await client.avm.getTxStatus({ txID })).toBe('Accepted')
      expect(await client.avm.getHeight()).toBeGreaterThan(BigInt(height))
      const json = await rawNode.avm('getTx', { txID: formatID(txID), encoding: 'json' })
      expect(json.tx).toMatchObject({ id: formatID(txID) })
      expect(await client.avm.getTxJSON({ txID })).toMatchObject({ id: formatID(txID) })
      await env().accepted({ txID })
      expect(await env().balance(payer)).toBe(env().funding - 2n * fee)
    })

    it('reads pages of UTXOs, each UTXO once', async () => {
      const { client, rawNode, fee } = env()
      const payer = env().fundedAccount()
      const owners = [env().newAccount(), env().newAccount(), env().newAccount()]
      const outputs = owners.flatMap(({ address }, i) =>
        Array.from({ length: 7 + i }, (_, n) => ({ to: address, amount: fee / 10n + BigInt(n) })),
      )
      // One of everybody's, which every page may bring anew.
      const shared = { to: owners.map(({ address }) => address), threshold: 1, amount: fee }
      await env().accepted(
        await env()
          .wallet(payer)
          .transfer({ outputs: [...outputs, shared] }),
      )
      const addresses = owners.map(({ address }) => address)
      const found: string[] = []
      for await (const { utxos } of client.utxoPages({ addresses, pageSize: 4 }))
        for (const { txID, outputIndex } of utxos) found.push(`${formatID(txID)}:${outputIndex}`)
      const listed = new Set<string>()
      for (const address of addresses) {
        const params = { address, assetID: 'AVAX', includePartial: true }
        const { utxoIDs } = await rawNode.avm('getBalance', params)
        for (const { txID, outputIndex } of utxoIDs as { txID: string; outputIndex: number }[])
          listed.add(`${txID}:${outputIndex}`)
      }
      expect(listed.size).toBe(25)
      expect(found.toSorted()).toEqual([...listed].toSorted())
    })
  })
}
