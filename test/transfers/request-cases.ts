import * as cChain from '../../src/c-chain/index.ts'
import { type NetworkContext, networks } from '../../src/chain/index.ts'
import { KeyChain } from '../../src/crypto/index.ts'
import * as pChain from '../../src/p-chain/index.ts'

export const context: NetworkContext = networks.local
export const AVAX = 1_000_000_000n
const keysOf = (n: number): KeyChain => new KeyChain([new Uint8Array(32).fill(n)])
export const alice: KeyChain = keysOf(1)
export const bob: KeyChain = keysOf(2)
export const carol: KeyChain = keysOf(3)
export const owners: readonly Uint8Array[] = [alice, bob, carol].flatMap(
  ({ addresses }) => addresses,
)
export const account = (keys: KeyChain): Uint8Array => cChain.evmAddressBytes(keys.publicKeys[0]!)
export const fees: pChain.FeeFacts = { weights: pChain.DEFAULT_GAS_WEIGHTS, price: 1n }
export const now = 1_700_000_000n
/** Owners of an output. */
export type Vault = { readonly to: readonly Uint8Array[]; readonly threshold: number }

export const vault: Vault = {
  to: owners,
  threshold: 2,
}

/** A signed BaseTx of the P-Chain by which one key chain leaves owners with threshold 2 an amount. */
export function fundedVault(
  payer: KeyChain,
  owned: Vault,
): { readonly bytes: Uint8Array; readonly utxos: pChain.UTXO[] } {
  const utxo: pChain.UTXO = {
    txID: new Uint8Array(32).fill(7),
    outputIndex: 0,
    assetID: context.assetID,
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount: 10n * AVAX,
      locktime: 0n,
      threshold: 1,
      addresses: payer.addresses,
    },
  }
  const draft = pChain.buildTransfer({
    context,
    utxos: [utxo],
    owners: payer.addresses,
    now,
    fees,
    outputs: [{ ...owned, amount: 5n * AVAX }],
  })
  const { bytes, signedTx } = pChain.requireSigned(pChain.signDraft(draft, payer))
  const made = pChain.createdUTXOs(signedTx).filter(({ output }) => 'threshold' in output)
  return {
    bytes,
    utxos: made.filter((one) => (one.output as { threshold: number }).threshold === 2),
  }
}

export function exportOfVault(): { readonly draft: pChain.Draft; readonly parent: Uint8Array } {
  const { bytes, utxos } = fundedVault(alice, vault)
  const draft = pChain.buildExport({
    context,
    utxos,
    owners,
    now,
    fees,
    destinationChain: 'X',
    outputs: [{ ...vault, amount: AVAX }],
    changeTo: vault,
  })
  return { draft, parent: bytes }
}

export const exportFromC = (to: Uint8Array = alice.addresses[0]!): cChain.Draft =>
  cChain.buildExport({
    context,
    account: { address: account(alice), nonce: 3n },
    baseFee: 25_000_000_000n,
    destinationChain: 'P',
    outputs: [{ to, amount: AVAX }],
  })

/** What Alice exported from C to P, and its import. */
export function importToP(): { readonly draft: pChain.Draft; readonly parent: Uint8Array } {
  const { bytes, signedTx } = cChain.requireSigned(cChain.signDraft(exportFromC(), alice))
  const utxos = cChain.exportedUTXOs(signedTx) as pChain.UTXO[]
  const draft = pChain.buildImport({
    context,
    fees,
    utxos,
    owners: alice.addresses,
    now,
    sourceChain: 'C',
    to: alice.addresses[0]!,
  })
  return { draft, parent: bytes }
}

export const codeOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'none'
}
