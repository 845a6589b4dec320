import type { AssetAmount } from '../build/draft.ts'
import type { Output } from '../chain/fx.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { UnsignedTx } from '../chain/tx.ts'
import type { UTXO } from '../chain/utxo.ts'
import type { MemoText } from './text.ts'
import type { DangerOptions, Warning } from './warnings.ts'

/** How an asset is called and how many decimals it has. */
export type AssetFacts = { readonly symbol: string; readonly denomination: number }

/** What the reader of an explanation knows beside the transaction. */
export type ExplainOptions = DangerOptions & {
  /** Our addresses, or a key chain that holds them; the owners of what is spent where left out. */
  readonly ours?: readonly Uint8Array[] | { readonly addresses: readonly Uint8Array[] }
  /** Assets by the text of their ID. The native asset need not be among them. */
  readonly assets?: { readonly [assetID: string]: AssetFacts }
  /** Unix seconds; locktimes up to it count as past. Without it every locktime counts. */
  readonly now?: bigint
}

/** What is known of a signed transaction that is to be explained. */
export type ExplainTxOptions = ExplainOptions & {
  readonly context: NetworkContext
  /** The UTXOs it spends, as far as known, in any order. */
  readonly utxos?: readonly UTXO[]
  /** What should come back, per asset, if its builder said so. */
  readonly change?: readonly AssetAmount[]
}

/** Who may spend something, in the texts that people know. */
export type ExplainedOwners = {
  readonly threshold: number
  readonly addresses: readonly string[]
  /** Unix seconds; 0n for never locked. */
  readonly locktime: bigint
}

/** A UTXO that is spent. */
export type ExplainedSpend = {
  /** `<txID>:<outputIndex>`. */
  readonly utxo: string
  readonly assetID: string
  /** Left out for what is not an amount, such as a mint right or an NFT. */
  readonly amount?: bigint
  /** Left out where the UTXO is not known. */
  readonly owners?: ExplainedOwners
  /** Whether it comes from another chain. */
  readonly imported: boolean
}

/** Something that the transaction creates. */
export type ExplainedOutput = {
  readonly outputIndex: number
  readonly type: Output['type']
  /** Left out for the asset that the transaction creates. */
  readonly assetID?: string
  readonly amount?: bigint
  readonly owners: ExplainedOwners
  /** Whether we can spend it alone, or are among its owners and they own all that is spent, too. */
  readonly ours: boolean
  /** Whether its builder calls it change. */
  readonly change: boolean
  /** Whether it goes to another chain. */
  readonly exported: boolean
}

/** One thing that is done to a UTXO beside transferring it. */
export type ExplainedOperation = {
  readonly words: string
  readonly assetID: string
  readonly groupID?: number
  /** Hex. */
  readonly payload?: string
}

/** A signer set of a request. */
export type ExplainedSigners = {
  readonly signers: readonly string[]
  readonly missing: readonly string[]
}

/** What a transaction does, as data. Amounts are in smallest units. */
export type Explanation = {
  readonly type: UnsignedTx['type']
  /** The type in words, such as `export to the C-Chain`. */
  readonly title: string
  readonly network: {
    readonly name: string
    readonly networkID: number
    readonly chainAlias: string
    readonly chainID: string
    readonly assetID: string
  }
  /** The chain that assets come from or go to. */
  readonly peer?: { readonly alias?: string; readonly chainID: string }
  /** The asset that is created. */
  readonly newAsset?: {
    readonly name: string
    readonly symbol: string
    readonly denomination: number
  }
  readonly spends: readonly ExplainedSpend[]
  /** What others get. */
  readonly pays: readonly ExplainedOutput[]
  /** What comes back to us. */
  readonly returns: readonly ExplainedOutput[]
  readonly operations: readonly ExplainedOperation[]
  /** What the network charges. */
  readonly fee: bigint
  /** What is destroyed beside the fee. */
  readonly burned: readonly { readonly assetID: string; readonly amount: bigint }[]
  readonly memo: MemoText
  /** Bytes once signed, and what the node takes at most. */
  readonly size: number
  readonly maxSize: number
  readonly signatures: { readonly needed: number; readonly made: number }
  /** The signer sets of a request, any one of which is enough. */
  readonly signerSets?: readonly ExplainedSigners[]
  readonly assets: { readonly [assetID: string]: AssetFacts }
  readonly warnings: readonly Warning[]
}
