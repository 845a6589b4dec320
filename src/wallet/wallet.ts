import { copyBytes } from '../core/base/bytes/copy.ts'
import { requireFields, requireFunction, requireList } from '../core/base/require.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import type { SignedTx } from '../core/chain/x/tx.ts'
import type { AssetBalance } from '../core/coins/balances.ts'
import type { UTXOSet } from '../core/coins/utxo-set.ts'
import { type IDArgument, requireOptionSpelling } from '../core/draft/arguments.ts'
import type { Draft } from '../core/draft/x/draft.ts'
import type { Signed, SignResult } from '../core/sign/job.ts'
import type { SigningRequest } from '../core/sign/request/request.ts'
import { addressesOf } from './addresses.ts'
import type { BatchJob } from './batches/batch.ts'
import type { BatchPreview, BatchResult } from './batches/batch-result.ts'
import { previewBatch, runBatch } from './batches/batch-run.ts'
import {
  type BatchOptions,
  type ConsolidateCall,
  consolidateJob,
  type ImportCall,
  importJob,
  type SweepCall,
  sweepJob,
} from './batches/batches.ts'
import type { Prepared, Receipt, RunOptions, SendOptions, WalletOptions } from './options.ts'
import { type CancelResult, cancelPayment } from './payments/cancellation.ts'
import { Engine } from './payments/engine.ts'
import {
  type BurnPropertyCall,
  type CreateAssetCall,
  createAssetIntent,
  type ExportCall,
  exportIntent,
  type Intent,
  type MintCall,
  type MintNFTCall,
  type MintPropertyCall,
  type OperateCall,
  operateIntent,
  operationIntent,
  type SendAllCall,
  sendAllIntent,
  type TransferCall,
  type TransferNFTCall,
  transferIntent,
} from './payments/intents.ts'
import { refuseMisplacedKeys } from './payments/payment-keys.ts'
import { type UnrecordedTx, unrecordedTxs } from './payments/recovery.ts'
import { type Resumed, type ResumeOptions, resumePayments } from './payments/resuming.ts'
import { submitTx } from './payments/submission.ts'
import type { OtherPorts } from './ports.ts'
import { requestOf, type WalletRequestOptions } from './requests.ts'
import { copyOf, copyPlain, optionsOf } from './snapshot.ts'
import type { PaymentRecord } from './store/store.ts'
import type { UTXODifferences } from './utxos/fetch-utxos.ts'
import { WalletState } from './wallet-state.ts'

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
  /** Plans a sweep, without reserving UTXOs. */
  readonly sweep: (call: SweepCall) => Promise<BatchPreview>
  /** Plans a consolidation, without reserving UTXOs. */
  readonly consolidate: (call?: ConsolidateCall) => Promise<BatchPreview>
  /** Plans an import, without reserving UTXOs. */
  readonly import: (call: ImportCall) => Promise<BatchPreview>
}

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
  /** 20 bytes each; a copy. */
  readonly addresses: readonly Uint8Array[]
  /** Balances per asset, from UTXOs kept current by accepted blocks; with `sourceChain`, of atomic UTXOs as well. */
  readonly balances: (options?: {
    readonly sourceChain?: IDArgument | undefined
  }) => Promise<AssetBalance[]>
  /** All UTXOs from a fresh walk; those of pending transactions are reserved. */
  readonly utxos: (options?: { readonly sourceChain?: IDArgument | undefined }) => Promise<UTXOSet>
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
   * @throws EncodingError `ENC_INVALID` if `fromHeight` is not a height or `maxFee` not a bigint
   */
  readonly resume: (options?: ResumeOptions) => Promise<Resumed[]>
  /**
   * Lists accepted transactions from a height on that the wallet's keys signed and its store does not know. After a
   * store was lost or restored, compare them with what is to be paid before paying again.
   *
   * @throws EncodingError `ENC_INVALID` if `fromHeight` is not a height
   */
  readonly unrecorded: (
    options: { readonly fromHeight: bigint } & Pick<SendOptions, 'wait' | 'signal'>,
  ) => Promise<UnrecordedTx[]>
  /**
   * Cancels a pending payment by spending one of its inputs back to the wallet; a pending import, if it spends nothing
   * else, by importing to the wallet. Resolves when one of the two transactions is accepted: `canceled`, or `accepted`
   * if it is the payment.
   */
  readonly cancel: (key: string, options?: SendOptions) => Promise<CancelResult>
  /** What the store knows of the payments with these keys, in the order of the keys. Default: all payments. */
  readonly payments: (keys?: readonly string[]) => Promise<PaymentRecord[]>
}

/**
 * Creates a wallet.
 *
 * @throws EncodingError `ENC_INVALID` if `quorum` is not an integer from 1 to the number of the client's servers, or
 * `maxRebuilds` or `clockSkewSeconds` not an integer of at least 0
 *
 * @example
 * const wallet = createWallet({ client, keys, store: fileStore('payments.journal') })
 * const outputs = [{ to: 'X-fuji1…', amount: parseAmount('1.5') }]
 * const { txID } = await wallet.transfer({ outputs }, { key: 'invoice 17' })
 */
export function createWallet(options: WalletOptions): Wallet {
  return assembleWallet(options).wallet
}

/** Creates a wallet and returns it with its parts, which cross-chain wallets extend. */
export function assembleWallet(
  options: WalletOptions,
  ports?: OtherPorts,
): { readonly wallet: Wallet; readonly state: WalletState; readonly engine: Engine } {
  requireFields(options, 'options', ['client'])
  const { client, store, clock, confirm } = options
  requireFields(client, 'client', ['avm', 'context', 'servers'])
  requireFunction(client.servers, 'client.servers')
  requireList(client.servers(), 'client.servers()')
  if (store !== undefined) requireFields(store, 'store', ['bind'])
  if (clock !== undefined) requireFields(clock, 'clock', ['sleep'])
  requireFunction(confirm, 'confirm')
  const copied = { ...options, changeTo: copyPlain(options.changeTo) }
  const addresses = addressesOf(copied)
  const state = new WalletState(copied, addresses, ports)
  const engine = new Engine(state)
  // Arguments are copied: an object that the caller reuses for its next call must not change this one.
  const single = <C>(intentOf: (call: C) => Intent) => ({
    prepare: async (call: C, run?: SendOptions) =>
      engine.prepare(intentOf(callOf(call)), optionsOf(run)),
    run: async (call: C, run?: RunOptions) => {
      const [copy, options] = [callOf(call), optionsOf(run)]
      refuseMisplacedKeys(copy, options)
      return engine.pay(intentOf(copy), options)
    },
  })
  const batch = <C>(jobOf: (call: C, context: NetworkContext) => BatchJob) => ({
    prepare: async (call: C) => {
      const copy = callOf(call)
      return previewBatch(state, engine, (context) => jobOf(copy, context))
    },
    run: async (call: C, run?: SendOptions & BatchOptions) => {
      const copy = callOf(call)
      return runBatch(state, engine, (context) => jobOf(copy, context), optionsOf(run))
    },
  })
  const consolidation = batch(consolidateJob)
  const methods = {
    transfer: single(transferIntent),
    sendAll: single(sendAllIntent),
    export: single(exportIntent),
    createAsset: single(createAssetIntent),
    operate: single(operateIntent),
    mint: single((call: MintCall) => operationIntent('mint', call)),
    mintNFT: single((call: MintNFTCall) => operationIntent('mintNFT', call)),
    transferNFT: single((call: TransferNFTCall) => operationIntent('transferNFT', call)),
    mintProperty: single((call: MintPropertyCall) => operationIntent('mintProperty', call)),
    burnProperty: single((call: BurnPropertyCall) => operationIntent('burnProperty', call)),
    sweep: batch(sweepJob),
    consolidate: {
      prepare: (call: ConsolidateCall = {}) => consolidation.prepare(call),
      run: (call: ConsolidateCall = {}, run?: SendOptions & BatchOptions) =>
        consolidation.run(call, run),
    },
    import: batch(importJob),
  }
  const wallet: Wallet = {
    addresses: addresses.map(copyBytes),
    balances: async (of) => state.balances(of?.sourceChain),
    utxos: async (of) => state.utxos(of?.sourceChain),
    checkUTXOs: async () => state.checkUTXOs(),
    ...pick(methods, 'run'),
    prepare: pick(methods, 'prepare'),
    sign: async (draft, run) => engine.sign(draftOf(draft), optionsOf(run)),
    request: async (draft, of) => requestOf(state, draftOf(draft), optionsOf(of)),
    submit: async (tx, run) => submitTx(state, engine, copyOf(tx), optionsOf(run)),
    resume: async (run) => resumePayments(state, engine, optionsOf(run, ['maxFee'])),
    unrecorded: async (of) => {
      requireFields(of, 'options', ['fromHeight'])
      const { fromHeight, ...run } = optionsOf(of)!
      return unrecordedTxs(state, fromHeight, state.call(run))
    },
    cancel: async (key, run) => cancelPayment(state, engine, key, optionsOf(run)),
    payments: async (keys) => state.payments(copyPlain(keys)),
  }
  return { wallet, state, engine }
}

/** Copies the first argument of a call and checks the spelling of its optional members. */
function callOf<C>(call: C): C {
  const copy = copyOf(call)
  requireOptionSpelling(copy as object, 'argument')
  return copy
}

function draftOf(argument: Draft | Prepared): Draft {
  return (argument as Partial<Prepared> | undefined)?.draft ?? (argument as Draft)
}

/** Selects one of the two functions, `prepare` or `run`, of every method. */
function pick<
  P extends 'prepare' | 'run',
  T extends { readonly [name: string]: { readonly [part in P]: unknown } },
>(methods: T, part: P): { readonly [K in keyof T]: T[K][P] } {
  const entries = Object.entries(methods).map(([name, method]) => [name, method[part]])
  return Object.fromEntries(entries) as { readonly [K in keyof T]: T[K][P] }
}
