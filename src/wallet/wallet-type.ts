import type { SignedTx } from '../core/chain/x/tx.ts'
import type { UTXOSet } from '../core/coins/utxo-set.ts'
import type { IDArgument } from '../core/draft/arguments.ts'
import type { Draft } from '../core/draft/draft.ts'
import type { Signed, SignResult } from '../core/sign/job.ts'
import type { SigningRequest } from '../core/sign/request/signing-request.ts'
import type { ServerReport } from '../node/view/server-log.ts'
import type { WalletAddress } from './accounts/account-addresses.ts'
import type { BalancesOptions, WalletBalance } from './balances/balances.ts'
import type { BatchPreview, BatchResult } from './batches/batch-result.ts'
import type { BatchOptions, ConsolidateCall, ImportCall, SweepCall } from './batches/batches.ts'
import type { PayoutsCall, PayoutsOptions, PayoutsPlan, PayoutsResult } from './batches/payouts.ts'
import type { WalletHistoryEntry } from './history/entry.ts'
import type { WalletHistoryOptions } from './history/history.ts'
import type { Prepared, Receipt, RunOptions, SendOptions } from './options.ts'
import type {
  BurnPropertyCall,
  CreateAssetCall,
  ExportCall,
  MintCall,
  MintNFTCall,
  MintPropertyCall,
  OperateCall,
  SendAllCall,
  TransferCall,
  TransferNFTCall,
} from './payments/calls.ts'
import type { CancelResult } from './payments/cancellation.ts'
import type { WalletPayment } from './payments/payment-details.ts'
import type { Resumed, ResumeOptions } from './payments/resuming.ts'
import type { UnrecordedTx } from './recovery/catch-up.ts'
import type { RecoverOptions, Recovery } from './recovery/recovery.ts'
import type { WalletRequestOptions } from './requests.ts'
import type { UTXODifferences } from './utxos/compare-lists.ts'

/** Drafting without signing: the first step of the wallet's methods of the same names. */
export type Preparations = {
  /** Drafts a payment to one or more owners. */
  readonly transfer: (call: TransferCall, options?: SendOptions) => Promise<Prepared>
  /** Drafts a transaction that sends the whole balance of an asset. */
  readonly sendAll: (call: SendAllCall, options?: SendOptions) => Promise<Prepared>
  /** Drafts an export to another chain. */
  readonly export: (call: ExportCall, options?: SendOptions) => Promise<Prepared>
  /** Drafts the creation of an asset. */
  readonly createAsset: (call: CreateAssetCall, options?: SendOptions) => Promise<Prepared>
  /** Drafts a transaction with any number of operations. */
  readonly operate: (call: OperateCall, options?: SendOptions) => Promise<Prepared>
  /** Drafts the minting of a fungible asset. */
  readonly mint: (call: MintCall, options?: SendOptions) => Promise<Prepared>
  /** Drafts the minting of NFTs. */
  readonly mintNFT: (call: MintNFTCall, options?: SendOptions) => Promise<Prepared>
  /** Drafts the transfer of an NFT. */
  readonly transferNFT: (call: TransferNFTCall, options?: SendOptions) => Promise<Prepared>
  /** Drafts the minting of a property. */
  readonly mintProperty: (call: MintPropertyCall, options?: SendOptions) => Promise<Prepared>
  /** Drafts the burning of a property. */
  readonly burnProperty: (call: BurnPropertyCall, options?: SendOptions) => Promise<Prepared>
  /** Plans payments, without reserving UTXOs; pending ones are not resumed. */
  readonly payouts: (call: PayoutsCall) => Promise<PayoutsPlan>
  /** Plans a sweep, without reserving UTXOs. */
  readonly sweep: (call: SweepCall) => Promise<BatchPreview>
  /** Plans a consolidation, without reserving UTXOs. */
  readonly consolidate: (call?: ConsolidateCall) => Promise<BatchPreview>
  /** Plans an import, without reserving UTXOs. */
  readonly import: (call: ImportCall) => Promise<BatchPreview>
}

/** @inline */
export type SourceOption = { readonly sourceChain?: IDArgument | undefined }

/** @inline */
export type UnrecordedOptions = { readonly fromHeight: bigint } & Pick<
  SendOptions,
  'wait' | 'signal'
>

/**
 * A client and keys in one. Every method that spends drafts from current UTXOs, explains, asks for confirmation, signs,
 * claims the payment in the store, issues it, and waits until the chain decides.
 *
 * @throws WalletError `TX_PENDING` if the outcome is not known in time: call `resume`, and do not pay it under another
 * key; `PAYMENT_REJECTED`, `PAYMENT_CANCELED`, `KEYS_TAKEN`, `BAD_KEY`
 * @throws StoreError `KEY_CONFLICT` if the key belongs to a payment with other content; `INPUT_CLAIMED` if other
 * payments kept claiming the chosen UTXOs until the time limit
 */
export type Wallet = {
  /** The addresses whose UTXOs the wallet spends; those of an account with their paths and whether they were used. */
  readonly addresses: () => Promise<WalletAddress[]>
  /**
   * The address to receive the next payment at, such as `X-avax1…`: the first receiving address of the account after the last
   * one that was used, or the first address of a wallet without an account. The same one until a payment to it is accepted.
   */
  readonly receiveAddress: () => Promise<string>
  /** Balances per asset, from UTXOs kept current by accepted blocks; `formatBalances` makes a text of them. */
  readonly balances: (options?: BalancesOptions) => Promise<WalletBalance[]>
  /** All UTXOs from a fresh walk; those of pending transactions are reserved. */
  readonly utxos: (options?: SourceOption) => Promise<UTXOSet>
  /**
   * The accepted transactions of the wallet on the X-Chain, the oldest one first: from blocks since the store began, or from the
   * data API. One that spends a UTXO of several owners without the wallet's signature and pays the wallet nothing is listed if the
   * call has read the block that created the UTXO.
   */
  readonly history: (options?: WalletHistoryOptions) => Promise<WalletHistoryEntry[]>
  /** What is known of each server: its height, what it was last asked, and why other servers are asked first. */
  readonly servers: () => ServerReport[]
  /** Compares the UTXOs kept from blocks with a fresh walk. Without differences both lists are empty. */
  readonly checkUTXOs: () => Promise<UTXODifferences>

  /** Pays one or more owners in one transaction. */
  readonly transfer: (call: TransferCall, options?: RunOptions) => Promise<Receipt>
  /**
   * Sends the whole balance of an asset to one owner, in one transaction. Waits for pending payments that reserve UTXOs
   * of the asset.
   *
   * @throws FundsError `BUILDER_INSUFFICIENT_FUNDS` if UTXOs are still reserved at the time limit
   */
  readonly sendAll: (call: SendAllCall, options?: RunOptions) => Promise<Receipt>
  /** Exports to another chain. The receipt is for the export only; the funds must be imported there. */
  readonly export: (call: ExportCall, options?: RunOptions) => Promise<Receipt>
  /** Creates an asset, whose ID is the receipt's `txID`. */
  readonly createAsset: (call: CreateAssetCall, options?: RunOptions) => Promise<Receipt>
  /** Any number of operations in one transaction. */
  readonly operate: (call: OperateCall, options?: RunOptions) => Promise<Receipt>
  /** Mints more of a fungible asset, with a right to mint that the wallet owns. */
  readonly mint: (call: MintCall, options?: RunOptions) => Promise<Receipt>
  /** Mints NFTs, with a right to mint that the wallet owns. */
  readonly mintNFT: (call: MintNFTCall, options?: RunOptions) => Promise<Receipt>
  /** Transfers an NFT of the wallet. */
  readonly transferNFT: (call: TransferNFTCall, options?: RunOptions) => Promise<Receipt>
  /** Mints a property, with a right to mint that the wallet owns. */
  readonly mintProperty: (call: MintPropertyCall, options?: RunOptions) => Promise<Receipt>
  /** Burns a property of the wallet. */
  readonly burnProperty: (call: BurnPropertyCall, options?: RunOptions) => Promise<Receipt>

  /**
   * Makes any number of payments, in as few transactions as possible. Resumes pending payments first; payments that were made
   * before are left out, so it can be run again after any interruption. The total of each asset, with fees, is compared with what
   * can be spent before the first transaction.
   *
   * @throws PayoutsError `PAYOUT_SHORT` if the funds do not suffice and `partial` is not set: nothing was paid;
   * `BATCH_UNFINISHED` if a transaction fails after others were accepted
   */
  readonly payouts: (call: PayoutsCall, options?: PayoutsOptions) => Promise<PayoutsResult>
  /** Sends everything to one owner. Resumes pending payments first; can be run again after any interruption. */
  readonly sweep: (call: SweepCall, options?: SendOptions & BatchOptions) => Promise<BatchResult>
  /** Merges many UTXOs into few. Resumes pending payments first; can be run again after any interruption. */
  readonly consolidate: (
    call?: ConsolidateCall,
    options?: SendOptions & BatchOptions,
  ) => Promise<BatchResult>
  /**
   * Imports all atomic UTXOs that another chain exported to the wallet, except those of pending moves of the store.
   * Resumes pending payments first; can be run again after any interruption.
   */
  readonly import: (call: ImportCall, options?: SendOptions & BatchOptions) => Promise<BatchResult>

  /** Drafts and reserves, without signing. */
  readonly prepare: Preparations
  /** Signs a draft with the keys and signers of the wallet. The result tells which signatures are missing. */
  readonly sign: (draft: Draft | Prepared, options?: SendOptions) => Promise<SignResult>
  /**
   * Puts a draft into a signing request for others to sign, with proofs from the node and the known derivation paths.
   * `finishRequest` gives the signed transaction that `submit` takes.
   */
  readonly request: (
    draft: Draft | Prepared,
    options?: WalletRequestOptions,
  ) => Promise<SigningRequest>
  /** Claims a signed transaction, issues it and waits. Submitting the same transaction again never pays twice. */
  readonly submit: (tx: Signed | SignedTx | Uint8Array, options?: RunOptions) => Promise<Receipt>

  /**
   * Completes all pending payments of the store, as far as possible within the time limit. If the node rejects the fee
   * or inputs of a transaction of a batch, it is drafted again; a single payment is drafted again by the same call with
   * the same key. The `confirm`, `accept` and `maxFee` of the batch are not in the store, so they are options here. With
   * `fromHeight`, blocks are read again from there: for a store that was restored from a backup.
   *
   * @throws ArgumentError `ENC_INVALID` if `fromHeight` is not a height or `maxFee` not a bigint
   */
  readonly resume: (options?: ResumeOptions) => Promise<Resumed[]>
  /**
   * Lists accepted transactions from a height on that the wallet's keys signed and its store does not know. After a
   * store was lost or restored, compare them with what is to be paid before paying again.
   *
   * @throws ArgumentError `ENC_INVALID` if `fromHeight` is not a height
   */
  readonly unrecorded: (options: UnrecordedOptions) => Promise<UnrecordedTx[]>
  /**
   * Makes a store usable again that was lost, restored from a backup, or not used for long: notes own transactions from a
   * height on that it does not know, so that payments with the same content are not made again unless `again` is true.
   * Attempts that are in no block are excluded only by a `fence`.
   */
  readonly recover: (options: RecoverOptions) => Promise<Recovery>
  /**
   * Cancels a pending payment by spending one of its inputs back to the wallet; a pending import, if it spends nothing
   * else, by importing to the wallet. Resolves when one of the two transactions is accepted: `canceled`, or `accepted`
   * if it is the payment.
   *
   * @throws WalletError `PAYMENT_MAYBE_MADE` if the payment was rejected or canceled before, and an own transaction that
   * the store does not know may have made it
   */
  readonly cancel: (key: string, options?: SendOptions) => Promise<CancelResult>
  /**
   * What the store knows of the payments with these keys, in the order of the keys: status, recipients, amounts, times. Default:
   * all payments.
   */
  readonly payments: (keys?: readonly string[]) => Promise<WalletPayment[]>
}
