import type { UTXOID } from '../chain/transferables.ts'

/** The network and chain that a store belongs to. */
export type StoreBinding = { readonly networkID: number; readonly chainID: Uint8Array }

/** A payment as a claim names it. */
export type ClaimedPayment = {
  /** Idempotency key: 1 to 256 characters of well-formed Unicode. */
  readonly key: string
  /** SHA-256 of the content: network, chain, kind, recipients, assets, amounts. 32 bytes. */
  readonly digest: Uint8Array
  /** The key was generated because the caller gave none; a store may forget the payment once it has ended. */
  readonly generated?: boolean | undefined
}

/** One transaction of a move between chains. */
export type ClaimedHalf = {
  /** The chain on which it is issued. */
  readonly chain: 'X' | 'P' | 'C'
  /**
   * What it spends. A store reads transactions of the X-Chain only, so this is not derived from the bytes. The import
   * names the inputs of its export too, because the export stays claimed until the import is accepted.
   */
  readonly inputs: readonly UTXOID[]
  /** What the wallet needs to complete the move after a restart; at most 4,096 bytes. */
  readonly note: Uint8Array
}

/** An attempt to be recorded before its transaction is issued. */
export type Claim = {
  /**
   * A `cancellation` spends inputs of the payments' pending attempts back to the wallet. An `export` and the `import` of
   * what it exported are the halves of a move: the payment is pending until the import is accepted.
   */
  readonly kind: 'payment' | 'cancellation' | 'export' | 'import'
  /** The payments that the transaction makes, or cancels; at least one. */
  readonly payments: readonly ClaimedPayment[]
  /** The signed transaction, encoded. Its ID is derived from it, and its inputs unless `half` names them. */
  readonly bytes: Uint8Array
  /** First height at which a block of the X-Chain may decide the attempt. */
  readonly fromHeight: bigint
  /** Required for an `export` or `import`, and for nothing else. */
  readonly half?: ClaimedHalf | undefined
}

/** A claimed transaction whose outcome is not known. */
export type Attempt = {
  readonly kind: Claim['kind']
  readonly txID: Uint8Array
  readonly bytes: Uint8Array
  readonly keys: readonly string[]
  readonly inputs: readonly UTXOID[]
  readonly fromHeight: bigint
  readonly half?: ClaimedHalf | undefined
}

/**
 * Where a payment stands. `unknown`: never claimed. `pending`: an attempt may be accepted. `accepted`: one was.
 * `rejected`: another transaction spent an input of every attempt. `canceled`: that transaction was the
 * cancellation. Only `unknown`, `rejected` and `canceled` payments may be paid by unrelated inputs.
 */
export type PaymentStatus = 'unknown' | 'pending' | 'accepted' | 'rejected' | 'canceled'

/** What a store knows of a payment. */
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
  readonly generated?: boolean | undefined
}

/** A transaction that was accepted on chain, and the UTXOs it spent. */
export type Acceptance = { readonly txID: Uint8Array; readonly inputs: readonly UTXOID[] }

/**
 * Claims of idempotency keys and inputs, attempts and their outcomes. Every operation is atomic, so several
 * processes may share a store that supports it; none of them may rely on having seen all of it.
 */
export type Store = {
  /**
   * Binds a new store to a network and chain, or checks the binding. Called before any other operation.
   *
   * @throws StoreError `STORE_MISMATCH`
   */
  readonly bind: (binding: StoreBinding) => Promise<void>
  /**
   * Records an attempt, or fails without any effect. Resolves once the record would survive a crash. The rules are
   * invariants 2 and 3 of the payment model: an attempt shares an input with every pending attempt for its keys,
   * and claims no input of a pending attempt for other keys. Claiming the same transaction for the same keys
   * again has no effect.
   *
   * @throws StoreError `CLAIM_INVALID`, `KEY_CONFLICT`, `KEY_ACCEPTED`, `KEY_PENDING`, `KEY_UNKNOWN`,
   * `INPUT_CLAIMED`, `TX_CLAIMED`
   */
  readonly claim: (claim: Claim) => Promise<void>
  /**
   * Fails if this process no longer owns the store. Called immediately before each request that carries signed
   * bytes.
   *
   * @throws StoreError `STORE_LOST`
   */
  readonly assertOwned: () => Promise<void>
  /**
   * Records what the chain decided, for which the caller has evidence: the attempt with this ID is accepted, and
   * every other pending attempt that spends one of the inputs is rejected.
   */
  readonly settle: (acceptance: Acceptance) => Promise<void>
  /** Payments by key, in the order of the keys. */
  readonly payments: (keys: readonly string[]) => Promise<PaymentRecord[]>
  /** All payments the store remembers, in the order of their first claim. */
  readonly list: () => AsyncIterable<PaymentRecord>
  /** Pending attempts, in the order of their claims: of one key, or all. */
  readonly attempts: (key?: string) => AsyncIterable<Attempt>
}
