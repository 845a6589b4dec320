import {
  boolean,
  bytesOf,
  type Check,
  capability,
  list,
  object,
  oneOf,
  optional,
  text,
  u32,
} from '../../core/base/argument.ts'
import { ID_SIZE, utxoIDs } from '../../core/base/encoding/ids.ts'
import { networkIDNumber } from '../../core/chain/networks.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { bigintHeight } from '../../node/methods/params.ts'

/** An accepted block. */
export type BlockReference = {
  readonly height: bigint
  readonly blockID: Uint8Array
  /**
   * Whether it contains a payment of the store. Another one may be of a server of another chain, or of a dishonest
   * one, and only tells where to begin reading.
   *
   * @defaultValue false
   */
  readonly firm?: boolean | undefined
}

/** An accepted transaction that keys of the wallet signed and that is no attempt of the store. */
export type FoundTx = {
  /** Of its block. */
  readonly height: bigint
  /** The transaction, encoded. */
  readonly bytes: Uint8Array
}

/** How far the addresses of an HD account are used. Numbers only increase. */
export type AccountIndexes = {
  /** A hash that names the account, 32 bytes. */
  readonly account: Uint8Array
  /** Index after the last used receiving address. */
  readonly receive: number
  /** Index after the last used change address. */
  readonly change: number
  /** Index after the last change address that a claimed transaction pays. */
  readonly nextChange: number
}

/** The network and chain that a store belongs to. */
export type StoreBinding = {
  readonly networkID: number
  readonly chainID: Uint8Array
  /**
   * The newest block that the wallet has applied. A chain that began anew has the same chain ID and other blocks.
   *
   * @defaultValue that of an earlier call
   */
  readonly block?: BlockReference | undefined
  /**
   * Further transactions that were found in blocks, which are not read again once a newer one is known.
   *
   * @defaultValue none
   */
  readonly found?: readonly FoundTx[] | undefined
  /**
   * Used addresses of an account.
   *
   * @defaultValue those of earlier calls
   */
  readonly indexes?: AccountIndexes | undefined
}

/** Size of the ID of a store. */
export const STORE_ID_SIZE = 32

/** What a store knows when it is opened. */
export type StoreState = {
  /** 32 random bytes, made with the store; backups keep it. */
  readonly id: Uint8Array
  /**
   * Blocks that wallets with this store have applied, the newest one last. The others serve if the newest one was false:
   * the older they are, the fewer are kept.
   */
  readonly blocks: readonly BlockReference[]
  /** Attempts that have ended, for payments that are not accepted. */
  readonly ended: readonly EndedAttempt[]
  /** IDs of the last accepted transactions that no record names: payments without a caller's key, exports, cancellations. */
  readonly made: readonly Uint8Array[]
  /** Transactions that were found and not claimed since. */
  readonly found: readonly FoundTx[]
  /** Used addresses, one entry for each account. */
  readonly indexes: readonly AccountIndexes[]
}

/** Description of `StoreBinding`. */
export const storeBinding: Check<StoreBinding> = object<StoreBinding>({
  networkID: networkIDNumber,
  chainID: bytesOf(ID_SIZE),
  block: optional(
    object<BlockReference>({
      height: bigintHeight,
      blockID: bytesOf(ID_SIZE),
      firm: optional(boolean),
    }),
  ),
  found: optional(list(object<FoundTx>({ height: bigintHeight, bytes: bytesOf() }))),
  indexes: optional(
    object<AccountIndexes>({
      account: bytesOf(ID_SIZE),
      receive: u32,
      change: u32,
      nextChange: u32,
    }),
  ),
})

/** A payment in a claim. */
export type ClaimedPayment = {
  /** Idempotency key: 1 to 256 characters of well-formed Unicode. */
  readonly key: string
  /** SHA-256 of the content: network, chain, kind, recipients, assets, amounts. 32 bytes. */
  readonly digest: Uint8Array
  /**
   * The content, encoded, for its record: who gets how much of what. It decides nothing, the digest does.
   *
   * @defaultValue not recorded
   */
  readonly content?: Uint8Array | undefined
  /**
   * Whether the key was generated because the caller gave none. A store removes such a payment when it is accepted, and
   * not before: wallets that share the store conclude from its absence that it was accepted.
   */
  readonly generated?: boolean | undefined
}

/** One transaction of a move between chains. */
export type ClaimedLeg = {
  /** The chain on which it is issued. */
  readonly chain: 'X' | 'P' | 'C'
  /**
   * The inputs it spends. They are not derived from the bytes, because a store decodes only transactions of the
   * X-Chain. An import also lists the inputs of its export, which remain claimed until the import is accepted.
   */
  readonly inputs: readonly UTXOID[]
  /** Data that the wallet needs to complete the move after a restart; at most 4,096 bytes. */
  readonly note: Uint8Array
}

/** A transaction to record before it is issued. */
export type Claim = {
  /**
   * A `cancellation` returns inputs of the payments' pending attempts to the wallet. An `export` and the following
   * `import` are the two legs of a move; the payment is pending until the import is accepted.
   */
  readonly kind: 'payment' | 'cancellation' | 'export' | 'import'
  /** The payments that the transaction makes or cancels; at least one. */
  readonly payments: readonly ClaimedPayment[]
  /** The signed transaction, encoded. Its ID is derived from it, and its inputs unless `leg` lists them. */
  readonly bytes: Uint8Array
  /** Height of the first block of the X-Chain that may contain or conflict with the transaction. */
  readonly fromHeight: bigint
  /** Required for `export` and `import`; not allowed otherwise. */
  readonly leg?: ClaimedLeg | undefined
  /**
   * Whether the transaction continues a call that has claimed an attempt for these payments before. It is not recorded
   * if one of them was canceled since.
   */
  readonly again?: boolean | undefined
}

/** Which members belong together, and the limits of their sizes, are rules of `Claims`. */
export const claimArgument: Check<Claim> = object<Claim>({
  kind: oneOf('payment', 'cancellation', 'export', 'import'),
  payments: list(
    object<ClaimedPayment>({
      key: text,
      digest: bytesOf(32),
      content: optional(bytesOf()),
      generated: optional(boolean),
    }),
  ),
  bytes: bytesOf(),
  fromHeight: bigintHeight,
  leg: optional(
    object<ClaimedLeg>({ chain: oneOf('X', 'P', 'C'), inputs: utxoIDs, note: bytesOf() }),
  ),
  again: optional(boolean),
})

/** A claimed transaction whose outcome is not known yet. */
export type Attempt = {
  readonly kind: Claim['kind']
  readonly txID: Uint8Array
  readonly bytes: Uint8Array
  /** Idempotency keys of its payments. */
  readonly keys: readonly string[]
  /** The UTXOs that it spends; for a move, those of `leg`. */
  readonly inputs: readonly UTXOID[]
  /** As in {@link Claim}. */
  readonly fromHeight: bigint
  /** Only for the export or import of a move. */
  readonly leg?: ClaimedLeg | undefined
}

/**
 * Status of a payment. `unknown`: never claimed. `pending`: an attempt may still be accepted. `accepted`: an attempt
 * was accepted. `rejected`: another transaction spent an input of every attempt. `canceled`: that transaction was the
 * cancellation, or the payment was canceled after it was rejected. Only `unknown`, `rejected` and `canceled` payments
 * may be paid with unrelated inputs.
 */
export type PaymentStatus = 'unknown' | 'pending' | 'accepted' | 'rejected' | 'canceled'

/** How a payment ended. */
export type Outcome = {
  readonly status: 'accepted' | 'rejected' | 'canceled'
  /** The accepted transaction: the attempt itself, a conflicting transaction or the cancellation. */
  readonly txID: Uint8Array
  /** When it was recorded, in Unix seconds; absent if an earlier version recorded it. */
  readonly at?: bigint | undefined
}

/** The record of a payment. */
export type PaymentRecord = {
  readonly key: string
  readonly status: PaymentStatus
  /**
   * The accepted transaction; for `pending` the newest attempt; for `rejected` and `canceled` the transaction that
   * spent the input. Absent for `unknown`.
   */
  readonly txID?: Uint8Array | undefined
  /** Absent for `unknown`. */
  readonly digest?: Uint8Array | undefined
  /** The content as it was claimed, encoded; absent if it is not recorded, as by earlier versions. */
  readonly content?: Uint8Array | undefined
  /** When it was first claimed, in Unix seconds; absent if it is not recorded. */
  readonly claimedAt?: bigint | undefined
  /** When its outcome was recorded, in Unix seconds; absent if it is pending, or not recorded. */
  readonly endedAt?: bigint | undefined
  /** Whether the key was generated because the caller gave none. */
  readonly generated?: boolean | undefined
  /** Attempts that have ended, oldest first; absent if there are none, or the payment is accepted. */
  readonly ended?: readonly EndedAttempt[] | undefined
}

/** A transaction that was accepted on chain, and the UTXOs it spent. */
export type Acceptance = {
  readonly txID: Uint8Array
  readonly inputs: readonly UTXOID[]
  /** The transaction, encoded; absent if it is of another chain. */
  readonly bytes?: Uint8Array | undefined
  /**
   * Indices of its outputs that the wallet can spend at once.
   *
   * @defaultValue none
   */
  readonly own?: readonly number[] | undefined
  /**
   * IDs of pending attempts that can never be accepted, although they share no input with it: it conflicts with a
   * transaction that created an input of theirs.
   *
   * @defaultValue none
   */
  readonly ends?: readonly Uint8Array[] | undefined
}

/** An attempt that ended because another transaction, the rival, was accepted. */
export type EndedAttempt = {
  readonly txID: Uint8Array
  /** Idempotency keys of its payments. */
  readonly keys: readonly string[]
  readonly inputs: readonly UTXOID[]
  /** ID of the rival. Further transactions that spend an input of the attempt are rivals, too. */
  readonly rival: Uint8Array
  /**
   * Unspent own outputs of the rivals, and of own transactions that descend from one: they exist only if it was accepted.
   * A further attempt for the payments spends one of them, or an input of this attempt. Empty if a rival has none.
   */
  readonly evidence: readonly UTXOID[]
  /** The rivals and those transactions, encoded, oldest first, as far as they are known. */
  readonly txs: readonly Uint8Array[]
}

/** Description of `Acceptance`. */
export const acceptanceArgument: Check<Acceptance> = object<Acceptance>({
  txID: bytesOf(ID_SIZE),
  inputs: utxoIDs,
  bytes: optional(bytesOf()),
  own: optional(list(u32)),
  ends: optional(list(bytesOf(ID_SIZE))),
})

/**
 * Claims of idempotency keys and inputs, attempts and their outcomes. Every operation is atomic, so several processes
 * can share a store that supports it. A process must not assume that it has seen every change.
 */
export type Store = {
  /**
   * Binds a new store to a network and chain, or checks the binding. Called before any other operation, and again when
   * the wallet has applied blocks. Returns what the store knows.
   *
   * @throws StoreError `STORE_MISMATCH`
   */
  readonly bind: (binding: StoreBinding) => Promise<StoreState | undefined>
  /**
   * Records an attempt, or fails without any effect. Resolves once the record is durable. An attempt must share an
   * input with every pending attempt for its keys, and must not spend an input of a pending attempt for other keys.
   * Claiming the same transaction for the same keys again has no effect.
   *
   * @throws StoreError `CLAIM_INVALID`, `KEY_CONFLICT`, `KEY_ACCEPTED`, `KEY_CANCELED`, `KEY_PENDING`,
   * `KEY_UNKNOWN`, `INPUT_CLAIMED`, `TX_CLAIMED`
   */
  readonly claim: (claim: Claim) => Promise<void>
  /**
   * Fails if this process no longer owns the store. Called immediately before each request that contains signed
   * bytes.
   *
   * @throws StoreError `STORE_LOST`
   */
  readonly assertOwned: () => Promise<void>
  /**
   * Records an accepted transaction, for which the caller has evidence: the attempt with this ID is accepted, and every
   * other pending attempt that spends one of the inputs is rejected.
   */
  readonly recordAcceptance: (acceptance: Acceptance) => Promise<void>
  /**
   * Makes a rejected payment a canceled one, so that a call that is running does not make it again. Has no effect on
   * payments with another status. Resolves once this is durable.
   */
  readonly cancel: (key: string) => Promise<void>
  /** Returns the payments with these keys, in the same order. */
  readonly payments: (keys: readonly string[]) => Promise<PaymentRecord[]>
  /** Iterates over all recorded payments, in the order of their first claim. */
  readonly list: () => AsyncIterable<PaymentRecord>
  /** Iterates over the pending attempts of one key or of all keys, in the order of their claims. */
  readonly attempts: (key?: string) => AsyncIterable<Attempt>
}

/** Description of `Store`. */
export const store: Check<Store> = capability<Store>(
  'a store',
  'bind',
  'claim',
  'assertOwned',
  'recordAcceptance',
  'cancel',
  'payments',
  'list',
  'attempts',
)
