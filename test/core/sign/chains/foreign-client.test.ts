import * as library from '@avalabs/avalanchejs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evmAddressBytes } from '../../../../src/core/c-chain.ts'
import { publicKeyOf } from '../../../../src/core/crypto/secp256k1.ts'
import { createDevNode, type DevNode } from '../../../../src/devnode/index.ts'
import { ewoq } from '../../../devnode/txs.ts'

/** As much of the library as is used here: its own declarations do not resolve for modules. */
type Avalanchejs = {
  readonly avm: { readonly AVMApi: new (url: string) => Api } & XBuilders
  readonly pvm: { readonly PVMApi: new (url: string) => PApi } & PBuilders
  readonly evm: { readonly EVMApi: new (url: string) => CApi } & CBuilders
  readonly Context: { readonly getContextFromURI: (url: string) => Promise<Details> }
  readonly TransferableOutput: {
    readonly fromNative: (assetID: string, amount: bigint, owners: Uint8Array[]) => unknown
  }
  readonly utils: { readonly bech32ToBytes: (address: string) => Uint8Array }
  readonly addTxSignatures: (job: object) => Promise<void>
}
type Tx = { readonly getSignedTx: () => unknown }
type Details = {
  readonly avaxAssetID: string
  readonly pBlockchainID: string
  readonly xBlockchainID: string
  readonly cBlockchainID: string
}
type Query = { readonly addresses: string[]; readonly sourceChain?: string }
type Api = {
  readonly getUTXOs: (query: Query) => Promise<{ utxos: unknown[] }>
  readonly issueSignedTx: (tx: unknown) => Promise<{ txID: string }>
  readonly getTxStatus: (query: { txID: string }) => Promise<{ status: string }>
}
type PApi = Api & { readonly getFeeState: () => Promise<object> }
type CApi = Api & {
  readonly getBaseFee: () => Promise<bigint>
  readonly getAtomicTxStatus: (txID: string) => Promise<{ status: string }>
}
type XBuilders = {
  readonly newExportTx: (
    c: Details,
    to: string,
    from: Uint8Array[],
    u: unknown[],
    o: unknown[],
  ) => Tx
  readonly newImportTx: (
    c: Details,
    source: string,
    u: unknown[],
    to: Uint8Array[],
    from: Uint8Array[],
  ) => Tx
}
type PBuilders = {
  readonly newExportTx: (props: object, context: Details) => Tx
  readonly newImportTx: (props: object, context: Details) => Tx
}
type CBuilders = {
  readonly newExportTxFromBaseFee: (
    c: Details,
    baseFee: bigint,
    amount: bigint,
    destination: string,
    from: Uint8Array,
    to: Uint8Array[],
    nonce: bigint,
  ) => Tx
  readonly newImportTxFromBaseFee: (
    c: Details,
    to: Uint8Array,
    from: Uint8Array[],
    atomics: unknown[],
    source: string,
    baseFee: bigint,
  ) => Tx
}

const { addTxSignatures, avm, pvm, evm, Context, TransferableOutput, utils } =
  library as unknown as Avalanchejs

type Chain = 'X' | 'P' | 'C'

const AMOUNT = 5_000_000_000n

describe('avalanchejs', () => {
  let node: DevNode
  let url: string
  let details: Details
  const owner = utils.bech32ToBytes(ewoq.text)
  const account = evmAddressBytes(publicKeyOf(ewoq.privateKey))
  const addressOn = (chain: Chain) => ewoq.text.replace('X-', `${chain}-`)

  beforeAll(async () => {
    node = await createDevNode()
    url = (await node.listen()).url
    details = await Context.getContextFromURI(url)
    node.cChain.setBaseFee(25_000_000_000n)
  })
  afterAll(() => node.close())

  const idOf = (chain: Chain) =>
    ({ X: details.xBlockchainID, P: details.pBlockchainID, C: details.cBlockchainID })[chain]
  const apiOf = (chain: Chain): Api =>
    chain === 'X' ? new avm.AVMApi(url) : chain === 'P' ? new pvm.PVMApi(url) : new evm.EVMApi(url)

  /** The library computes fees with whole nAVAX per unit of gas. */
  const baseFee = async () => (await new evm.EVMApi(url).getBaseFee()) / 1_000_000_000n

  async function issue(chain: Chain, tx: Tx): Promise<void> {
    await addTxSignatures({ unsignedTx: tx, privateKeys: [ewoq.privateKey] })
    const { txID } = await apiOf(chain).issueSignedTx(tx.getSignedTx())
    const { status } =
      chain === 'C'
        ? await new evm.EVMApi(url).getAtomicTxStatus(txID)
        : await apiOf(chain).getTxStatus({ txID })
    expect(status).toBe(chain === 'P' ? 'Committed' : 'Accepted')
  }

  async function exportTx(from: Chain, to: Chain): Promise<Tx> {
    const outputs = [TransferableOutput.fromNative(details.avaxAssetID, AMOUNT, [owner])]
    if (from === 'C') {
      const { nonce } = node.cChain.account(account)
      return evm.newExportTxFromBaseFee(
        details,
        await baseFee(),
        AMOUNT,
        idOf(to),
        account,
        [owner],
        nonce,
      )
    }
    const { utxos } = await apiOf(from).getUTXOs({ addresses: [addressOn(from)] })
    if (from === 'X') return avm.newExportTx(details, idOf(to), [owner], utxos, outputs)
    const feeState = await new pvm.PVMApi(url).getFeeState()
    const props = { destinationChainId: idOf(to), feeState, outputs, utxos }
    return pvm.newExportTx({ ...props, fromAddressesBytes: [owner] }, details)
  }

  async function importTx(from: Chain, to: Chain): Promise<Tx> {
    const query = { addresses: [addressOn(to)], sourceChain: idOf(from) }
    const { utxos } = await apiOf(to).getUTXOs(query)
    expect(utxos).toHaveLength(1)
    if (to === 'X') return avm.newImportTx(details, idOf(from), utxos, [owner], [owner])
    if (to === 'P') {
      const feeState = await new pvm.PVMApi(url).getFeeState()
      const props = { feeState, sourceChainId: idOf(from), toAddressesBytes: [owner], utxos }
      return pvm.newImportTx({ ...props, fromAddressesBytes: [owner] }, details)
    }
    return evm.newImportTxFromBaseFee(details, account, [owner], utxos, idOf(from), await baseFee())
  }

  for (const [from, to] of [
    ['X', 'P'],
    ['P', 'X'],
    ['X', 'C'],
    ['C', 'X'],
    ['C', 'P'],
    ['P', 'C'],
  ] as const)
    it(`moves AVAX from ${from} to ${to}`, async () => {
      await issue(from, await exportTx(from, to))
      await issue(to, await importTx(from, to))
      const query = { addresses: [addressOn(to)], sourceChain: idOf(from) }
      expect((await apiOf(to).getUTXOs(query)).utxos).toEqual([])
    })
})
