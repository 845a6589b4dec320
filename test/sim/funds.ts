import { sha256 } from '../../src/core/base/hash/sha256.ts'
import { networks, P_CHAIN_ID } from '../../src/core/chain/networks.ts'
import { utxoKey } from '../../src/core/chain/x/ids.ts'
import { encodeTx } from '../../src/core/chain/x/tx.ts'
import { encodeUTXO, type UTXO } from '../../src/core/chain/x/utxo.ts'
import type { KeyChain } from '../../src/core/crypto/keychain.ts'
import { buildCreateAsset } from '../../src/core/draft/x/create-asset.ts'
import { requireSigned } from '../../src/core/sign/job.ts'
import { signDraft } from '../../src/core/sign/sign.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import { storageKey } from '../../src/devnode/ledger/utxo-index.ts'
import type { OtherChains } from '../../src/devnode/p-and-c-chains.ts'
import type { Chain } from '../../src/devnode/x-chain/chain.ts'
import { fundingOf } from '../../src/devnode/x-chain/faucet.ts'
import type { OnChain } from './cluster.ts'
import { START } from './virtual-time.ts'

/** A UTXO to create. */
export type Fund = {
  readonly address: Uint8Array
  readonly amount: bigint
  /** @defaultValue AVAX */
  readonly assetID?: Uint8Array | undefined
  /** @defaultValue 0n */
  readonly locktime?: bigint | undefined
}

/** Creates a UTXO, as `DevNode.fund` does, also a locked one. Equal nodes stay equal. */
export function fund(node: DevNode, { address, amount, assetID, locktime = 0n }: Fund): UTXO {
  const owners = { locktime, threshold: 1, addresses: [address] }
  const grant = { assetID: assetID ?? networks.local.assetID, amount, owners }
  const { utxos, txBytes } = fundingOf(chainOf(node), grant)
  node.addAtomicUTXOs(P_CHAIN_ID, utxos.map(encodeUTXO))
  const { id: txID } = chainOf(node).issue(txBytes)
  node.produceBlock()
  const output = { type: 'secp256k1fx.TransferOutput' as const, amount, ...owners }
  return { txID, outputIndex: 0, assetID: grant.assetID, output }
}

/**
 * Lets the P-Chain export AVAX to the C-Chain, or the other way around, as others do who pay the wallet. Returns the key of
 * the UTXO.
 */
export function exportBetween(
  node: DevNode,
  from: 'P' | 'C',
  to: 'P' | 'C',
  { address, amount }: Fund,
): string {
  const { memory } = (node as unknown as { readonly others: OtherChains }).others
  const { assetID, chains } = node.context
  const owners = { locktime: 0n, threshold: 1, addresses: [address] }
  const source = chains[from]!
  const count = [...memory.list(source, chains[to]!).entries()].length
  const txID = sha256(Uint8Array.of(...source.slice(0, 4), count))
  const utxo = {
    txID,
    outputIndex: 0,
    assetID,
    output: { type: 'secp256k1fx.TransferOutput' as const, amount, ...owners },
  }
  memory.put(source, chains[to]!, storageKey(utxo), encodeUTXO(utxo))
  return utxoKey(utxo)
}

/** Creates an asset, with one UTXO for the first key. Its ID is that of the transaction. */
export function createAsset(node: DevNode, keys: KeyChain, symbol: string): OnChain {
  const { context } = node
  const [address] = keys.addresses
  const paid = fund(node, { address: address!, amount: context.createAssetTxFee })
  const draft = buildCreateAsset({
    context,
    funds: { utxos: [paid], owners: keys.addresses, now: BigInt(START / 1000) },
    changeTo: address!,
    name: symbol,
    symbol,
    holders: [{ to: address!, amount: 1n }],
  })
  const { signedTx } = requireSigned(signDraft(draft, keys, { accept: ['UNUSED_KEY'] }))
  const { id } = chainOf(node).issue(encodeTx(signedTx))
  node.produceBlock()
  return { tx: signedTx, txID: id }
}

function chainOf(node: DevNode): Chain {
  return (node as unknown as { readonly chain: Chain }).chain
}
