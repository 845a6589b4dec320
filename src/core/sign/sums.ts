import type { AssetAmount } from '../chain/amounts.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { SignedTx } from '../chain/x/tx.ts'

/** The most of an asset that may leave to others, or be destroyed, within any period of some seconds; fees excluded. */
export type SumLimit = AssetAmount & { readonly seconds: number }

/** A limit that does not allow a payment now. Amounts are in the smallest unit of the asset. */
export type SumUse = SumLimit & {
  /** What pending payments, and those that were accepted within the period, have paid. */
  readonly used: bigint
  readonly left: bigint
  readonly requested: bigint
  /**
   * Unix seconds from which on enough is left, if nothing else is paid and what is pending is accepted now; absent if more
   * is requested than the limit.
   */
  readonly freeAt?: bigint | undefined
  /**
   * Idempotency key of a payment that counts as much as the limit, because its amount is not recorded: a wallet without this
   * policy has made it. Absent if there is none.
   */
  readonly unknown?: string | undefined
}

/** A payment that a wallet is about to record. */
export type CountedPayment = {
  readonly key: string
  /** Of its content: that of a transaction that was signed elsewhere is the transaction. */
  readonly digest: Uint8Array
  /** What was requested, encoded by the wallet; absent if it is not recorded. */
  readonly content?: Uint8Array | undefined
  /** Whether a store may remove it once it is accepted. */
  readonly generated?: boolean | undefined
}

/** A payment as the store of a wallet knows it. */
export type RecordedPayment = {
  readonly key: string
  readonly status: 'unknown' | 'pending' | 'accepted' | 'rejected' | 'canceled'
  /** Absent for `unknown`. */
  readonly digest?: Uint8Array | undefined
  /** As it was claimed; absent if it is not recorded. */
  readonly content?: Uint8Array | undefined
  /** When its outcome was recorded, in Unix seconds; absent if it is pending, or not recorded. */
  readonly endedAt?: bigint | undefined
}

/** A decoded content, as far as sums need it. */
export type RequestedPayment = {
  /** The call, such as `transfer`. */
  readonly kind: string
  readonly outputs: readonly { readonly assetID: Uint8Array; readonly amount: bigint | 'all' }[]
  /** Parts of the content that are no outputs. */
  readonly other: readonly string[]
  /** What leaves by the payment; absent if it is not recorded. */
  readonly leaves?: readonly AssetAmount[] | undefined
}

/** What an explanation says of sums: assets are IDs in cb58, absent for a new asset. */
export type ExplainedSums = {
  readonly totals: readonly {
    readonly assetID?: string | undefined
    readonly spent: bigint
    readonly paid: bigint
    readonly burned: bigint
  }[]
}

/**
 * What a transaction does: its explanation and, if others may get what it exports, that of the import that completes it. If it
 * was signed elsewhere, the transaction, and the addresses of the wallet.
 */
export type SumEffect =
  | readonly [ExplainedSums, ExplainedSums?]
  | { readonly signedTx: SignedTx; readonly ours: readonly Uint8Array[] }

/** A transaction that a wallet is about to record, and how it does so. */
export type SumClaim = {
  /** Lists all payments that are recorded. */
  readonly store: { readonly list: () => AsyncIterable<RecordedPayment> }
  /** Unix seconds. */
  readonly now: bigint
  readonly context: NetworkContext
  readonly effect: SumEffect
  /** The payments that it makes; at least one. */
  readonly payments: readonly CountedPayment[]
  /** How contents of payments are encoded. */
  readonly content: {
    /** Returns undefined if it is not recorded, or not known. */
    readonly decode: (content: Uint8Array | undefined) => RequestedPayment | undefined
    /** Adds what leaves by the payment. */
    readonly withLeaves: (content: Uint8Array, leaves: readonly AssetAmount[]) => Uint8Array
  }
  /** Records the transaction with these payments. Default: it is only checked. */
  readonly record?: ((payments: readonly CountedPayment[]) => Promise<unknown>) | undefined
}

/** Limits of sums over time, for wallets. */
export type PolicySums = {
  readonly limits: readonly SumLimit[]
  /**
   * Records a transaction, unless a limit does not allow it. Calls with the same store run one after the other.
   *
   * @throws SignError `POLICY_SUM`
   */
  readonly claim: (claim: SumClaim) => Promise<void>
}
