import type { AssetAmount } from '../build/draft.ts'
import type { Output } from '../chain/fx.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { UnsignedTx } from '../chain/tx.ts'
import type { UTXO } from '../chain/utxo.ts'
import type { Ownership } from './ownership.ts'
import type { MemoText } from './text.ts'
import type { DangerOptions, Warning } from './warnings.ts'

/** The symbol of an asset and how many decimals it has. */
export type AssetFacts = { readonly symbol: string; readonly denomination: number }

/** Our addresses, or keys that have them. */
export type OurAddresses = readonly Uint8Array[] | { readonly addresses: readonly Uint8Array[] }

/** What the reader of an explanation knows beside the transaction. */
export type ExplainOptions = DangerOptions & {
  /**
   * Our addresses, or a key chain that has them. Without them only what goes back to exactly the owners of what
   * is spent counts as returned.
   */
  readonly ours?: OurAddresses
  /**
   * Assets by the text of their ID, for which the caller vouches. A node's description of an asset is no proof:
   * read them from the CreateAssetTx. Amounts of other assets are shown in base units. The native asset need
   * not be among them.
   */
  readonly assets?: { readonly [assetID: string]: AssetFacts }
  /** Unix seconds; locktimes up to it count as past. Without it every locktime counts. */
  readonly now?: bigint
}

/** What is known of a signed transaction that is to be explained. */
export type ExplainTxOptions = ExplainOptions & {
  readonly context: NetworkContext
  /** The UTXOs it spends, as far as known, in any order. The caller vouches for their owners. */
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
  /** Left out if the UTXO is not known. */
  readonly owners?: ExplainedOwners
  /**
   * Whether the owners are certain: proven by the transaction that created the UTXO, or vouched for by the
   * caller. False for the mere claim of a request file.
   */
  readonly proven: boolean
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
  /** Decided by keys and proven owners alone. Of returned outputs it is `ours` or `vault`. */
  readonly ownership: Ownership
  /** Whether it is returned on this chain and its builder calls it change. */
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
  /** What it consumes without creating it again, such as `a right to mint NFTs`. */
  readonly destroys?: string
}

/** A signer set of a request. */
export type ExplainedSigners = {
  readonly signers: readonly string[]
  readonly missing: readonly string[]
}

/**
 * Where the amounts of one asset come from and go to:
 * `spent + minted = paid + returned + fee + burned`.
 */
export type AssetTotal = {
  /** Left out for the asset that the transaction creates. */
  readonly assetID?: string
  readonly spent: bigint
  readonly minted: bigint
  /** To others. */
  readonly paid: bigint
  /** Different owners among the payments. */
  readonly recipients: number
  readonly payments: number
  /** To us or back to the owners of what is spent. */
  readonly returned: bigint
  readonly fee: bigint
  readonly burned: bigint
}

/** What a transaction does, as data. Amounts are in smallest units. Texts are not escaped. */
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
  /**
   * 25 letters and digits in groups of five. Signers who read the same transaction with the same evidence see
   * the same digest, whoever they are and however many have signed.
   */
  readonly digest: string
  /** By asset, the native one first. */
  readonly totals: readonly AssetTotal[]
  readonly spends: readonly ExplainedSpend[]
  /** What others get. */
  readonly pays: readonly ExplainedOutput[]
  /** What comes back to us, or to exactly the owners of what is spent. */
  readonly returns: readonly ExplainedOutput[]
  readonly operations: readonly ExplainedOperation[]
  /** What the network charges. */
  readonly fee: bigint
  /** What is destroyed beside the fee. */
  readonly burned: readonly { readonly assetID: string; readonly amount: bigint }[]
  readonly memo: MemoText
  /** Bytes once signed, and the node's limit. */
  readonly size: number
  readonly maxSize: number
  readonly signatures: { readonly needed: number; readonly made: number }
  /** The signer sets of a request, any one of which is enough. */
  readonly signerSets?: readonly ExplainedSigners[]
  /** Those with proven or vouched-for decimals. */
  readonly assets: { readonly [assetID: string]: AssetFacts }
  readonly warnings: readonly Warning[]
}
