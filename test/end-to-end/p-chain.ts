import * as library from '@avalabs/avalanchejs'
import { parsePrivateKey } from '../../src/index.ts'
import { addressText, type Ground, type Stranger } from './ground.ts'

/** As much of avalanchejs as is used here: its own declarations do not resolve for modules. */
type Avalanchejs = {
  readonly pvm: {
    readonly PVMApi: new (url: string) => PVMApi
    readonly newImportTx: (options: Common & { sourceChainId: string }, facts: Facts) => Tx
    readonly newExportTx: (options: Common & { destinationChainId: string }, facts: Facts) => Tx
  }
  readonly Context: { readonly getContextFromURI: (url: string) => Promise<Facts> }
  readonly TransferableOutput: {
    readonly fromNative: (assetID: string, amount: bigint, owners: Uint8Array[]) => object
  }
  readonly addTxSignatures: (job: {
    readonly unsignedTx: Tx
    readonly privateKeys: readonly Uint8Array[]
  }) => Promise<void>
}
type Facts = { readonly xBlockchainID: string; readonly avaxAssetID: string }
type Tx = { readonly getSignedTx: () => object }
type Common = {
  readonly feeState: object
  readonly fromAddressesBytes: readonly Uint8Array[]
  readonly toAddressesBytes?: readonly Uint8Array[]
  readonly utxos: readonly object[]
  readonly outputs?: readonly object[]
}
type PVMApi = {
  readonly getFeeState: () => Promise<object>
  readonly getUTXOs: (query: object) => Promise<{ readonly utxos: readonly object[] }>
  readonly issueSignedTx: (tx: object) => Promise<{ readonly txID: string }>
  readonly getTxStatus: (query: { txID: string }) => Promise<{ readonly status: string }>
}

const { addTxSignatures, Context, pvm, TransferableOutput } = library as unknown as Avalanchejs

const POLLS = 100
const POLL_MS = 300

/** Whether the node has a P-Chain that takes transactions; a development node has none. */
export async function hasPChain({ witness }: Ground): Promise<boolean> {
  return witness.ask('/ext/bc/P', 'platform.getHeight').then(
    () => true,
    () => false,
  )
}

/**
 * Imports on the P-Chain what somebody exported to themselves there, and exports an amount of it back. Done by
 * another library, since this one has no P-Chain.
 */
export async function sendBackFromP(
  { url, context }: Ground,
  owner: Stranger,
  amount: bigint,
): Promise<void> {
  const api = new pvm.PVMApi(url)
  const facts = await Context.getContextFromURI(url)
  const address = addressText(context, owner, 'P')
  const issue = async (unsignedTx: Tx) => {
    await addTxSignatures({ unsignedTx, privateKeys: [parsePrivateKey(owner.secret)] })
    const { txID } = await api.issueSignedTx(unsignedTx.getSignedTx())
    for (let i = 0; i < POLLS; i++) {
      if ((await api.getTxStatus({ txID })).status === 'Committed') return
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    throw new Error(`the P-Chain did not commit ${txID}`)
  }
  const common = async (query: object) => ({
    feeState: await api.getFeeState(),
    fromAddressesBytes: [owner.bytes],
    utxos: (await api.getUTXOs({ addresses: [address], ...query })).utxos,
  })
  const waiting = await common({ sourceChain: 'X' })
  const target = { sourceChainId: facts.xBlockchainID, toAddressesBytes: [owner.bytes] }
  await issue(pvm.newImportTx({ ...waiting, ...target }, facts))
  const outputs = [TransferableOutput.fromNative(facts.avaxAssetID, amount, [owner.bytes])]
  const back = { destinationChainId: facts.xBlockchainID, outputs }
  await issue(pvm.newExportTx({ ...(await common({})), ...back }, facts))
}
