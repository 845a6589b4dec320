import * as library from '@avalabs/avalanchejs'
import { describe, expect, it } from 'vitest'
import { createDevNode } from '../../src/devnode/index.ts'
import { ewoq, others } from './txs.ts'

/** As much of the library as is used here: its own declarations do not resolve for modules. */
type Avalanchejs = {
  readonly avm: {
    readonly AVMApi: new (url: string) => AVMApi
    readonly newBaseTx: (
      context: Details,
      from: Uint8Array[],
      utxos: readonly Utxo[],
      outputs: readonly unknown[],
    ) => { readonly getSignedTx: () => unknown }
  }
  readonly Context: { readonly getContextFromURI: (url: string) => Promise<Details> }
  readonly TransferableOutput: {
    readonly fromNative: (assetID: string, amount: bigint, owners: Uint8Array[]) => unknown
  }
  readonly utils: { readonly bech32ToBytes: (address: string) => Uint8Array }
  readonly addTxSignatures: (job: {
    readonly unsignedTx: unknown
    readonly privateKeys: readonly Uint8Array[]
  }) => Promise<void>
}
type Details = { readonly hrp: string; readonly avaxAssetID: string }
type Utxo = { readonly utxoId: { readonly txID: object } }
type AVMApi = {
  readonly getUTXOs: (query: { addresses: string[] }) => Promise<{ utxos: Utxo[] }>
  readonly issueSignedTx: (tx: unknown) => Promise<{ txID: string }>
  readonly getAllBalances: (query: { address: string }) => Promise<{ balances: object[] }>
}

const { addTxSignatures, avm, Context, TransferableOutput, utils } =
  library as unknown as Avalanchejs

describe('avalanchejs', () => {
  it('fetches UTXOs, builds, signs and issues a transfer over HTTP', async () => {
    const node = await createDevNode()
    const { url } = await node.listen()
    const api = new avm.AVMApi(url)
    const context = await Context.getContextFromURI(url)
    expect(context.hrp).toBe('local')
    const owner = utils.bech32ToBytes(ewoq.text)
    const to = utils.bech32ToBytes(others[0]!.text)
    const { utxos } = await api.getUTXOs({ addresses: [ewoq.text] })
    const tx = avm.newBaseTx(context, [owner], utxos, [
      TransferableOutput.fromNative(context.avaxAssetID, 1_500_000_000n, [to]),
    ])
    await addTxSignatures({ unsignedTx: tx, privateKeys: [ewoq.privateKey] })
    const { txID } = await api.issueSignedTx(tx.getSignedTx())
    const { utxos: received } = await api.getUTXOs({ addresses: [others[0]!.text] })
    expect(received.map((utxo) => utxo.utxoId.txID.toString())).toEqual([txID])
    const { balances } = await api.getAllBalances({ address: others[0]!.text })
    expect(balances).toEqual([{ asset: 'AVAX', balance: '1500000000' }])
    await node.close()
  })
})
