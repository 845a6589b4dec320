import {
  argument,
  type Check,
  integerFrom,
  kinds,
  list,
  object,
  omissible,
  optional,
  text,
} from '../core/base/argument.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import type { SignedTx } from '../core/chain/x/tx.ts'
import type { UTXOSet } from '../core/coins/utxo-set.ts'
import type { IDArgument } from '../core/draft/arguments.ts'
import { chain } from '../core/draft/descriptions.ts'
import type { Draft } from '../core/draft/draft.ts'
import { copyDraft } from '../core/sign/arguments.ts'
import type { Signed, SignResult } from '../core/sign/job.ts'
import type { SigningRequest } from '../core/sign/request/signing-request.ts'
import type { AcceptCode } from '../core/sign/sign.ts'
import { bigintHeight } from '../node/methods/params.ts'
import type { ServerReport } from '../node/view/server-log.ts'
import type { WalletAddress } from './accounts/account-addresses.ts'
import { receiveAddress, walletAddresses } from './accounts/wallet-addresses.ts'
import { type WalletKeys, walletKeys } from './accounts/wallet-keys.ts'
import {
  type BalancesOptions,
  balancesOptions,
  type WalletBalance,
  walletBalances,
} from './balances/balances.ts'
import type { BatchJob } from './batches/batch.ts'
import type { BatchPreview, BatchResult } from './batches/batch-result.ts'
import { previewBatch, runBatch } from './batches/batch-run.ts'
import {
  type BatchOptions,
  batchOptions,
  type ConsolidateCall,
  consolidateCall,
  consolidateJob,
  type ImportCall,
  importCall,
  importJob,
  type RequireOwn,
  type SweepCall,
  sweepCall,
  sweepJob,
} from './batches/batches.ts'
import {
  makePayouts,
  type PayoutsCall,
  type PayoutsOptions,
  type PayoutsPlan,
  type PayoutsResult,
  payoutsCall,
  payoutsOptions,
  previewPayouts,
} from './batches/payouts.ts'
import type { WalletHistoryEntry } from './history/entry.ts'
import {
  type WalletHistoryOptions,
  walletHistory,
  walletHistoryOptions,
} from './history/history.ts'
import {
  type Prepared,
  type Receipt,
  type RunOptions,
  runOptions,
  type SendOptions,
  sendOptions,
  type WalletOptions,
  waitMembers,
  walletOptions,
} from './options.ts'
import {
  type BurnPropertyCall,
  burnPropertyCall,
  type CreateAssetCall,
  createAssetCall,
  type ExportCall,
  exportCall,
  type MintCall,
  type MintNFTCall,
  type MintPropertyCall,
  mintCall,
  mintNFTCall,
  mintPropertyCall,
  type OperateCall,
  operateCall,
  type SendAllCall,
  sendAllCall,
  type TransferCall,
  type TransferNFTCall,
  transferCall,
  transferNFTCall,
} from './payments/calls.ts'
import { type CancelResult, cancelPayment } from './payments/cancellation.ts'
import { Engine } from './payments/engine.ts'
import { refuseForeignTarget } from './payments/foreign-change.ts'
import {
  createAssetIntent,
  exportIntent,
  type Intent,
  operateIntent,
  operationIntent,
  sendAllIntent,
  transferIntent,
} from './payments/intents.ts'
import type { WalletPayment } from './payments/payment-details.ts'
import {
  type Resumed,
  type ResumeOptions,
  resumeOptions,
  resumePayments,
} from './payments/resuming.ts'
import { signedBytes, submitTx } from './payments/submission.ts'
import type { OtherPorts } from './ports.ts'
import { serverCount } from './quorum.ts'
import type { UnrecordedTx } from './recovery/catch-up.ts'
import {
  type RecoverOptions,
  type Recovery,
  recover,
  recoverOptions,
  unrecordedTxs,
} from './recovery/recovery.ts'
import { requestOf, type WalletRequestOptions, walletRequestOptions } from './requests.ts'
import type { UTXODifferences } from './utxos/compare-lists.ts'
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
type SourceOption = { readonly sourceChain?: IDArgument | undefined }

const sourceOption: Check<SourceOption | undefined> = optional(
  object<SourceOption>({ sourceChain: optional(chain) }),
)

/** @inline */
type UnrecordedOptions = { readonly fromHeight: bigint } & Pick<SendOptions, 'wait' | 'signal'>

const unrecordedOptions: Check<UnrecordedOptions> = object<UnrecordedOptions>({
  ...waitMembers,
  fromHeight: bigintHeight,
})

/** A draft, or what has one. */
const draftArgument: Check<Draft> = kinds<Draft>({
  // Signing awaits: what the caller changes meanwhile must not be signed.
  object: (value, at) =>
    copyDraft(Object.hasOwn(value as object, 'draft') ? (value as Prepared).draft : value, at),
})

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
   * data API.
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
   */
  readonly cancel: (key: string, options?: SendOptions) => Promise<CancelResult>
  /**
   * What the store knows of the payments with these keys, in the order of the keys: status, recipients, amounts, times. Default:
   * all payments.
   */
  readonly payments: (keys?: readonly string[]) => Promise<WalletPayment[]>
}

/**
 * Creates a wallet.
 *
 * @throws ArgumentError `ENC_INVALID` if `quorum` is not an integer from 1 to the number of the client's servers, or
 * `maxRebuilds` or `clockSkewSeconds` not an integer of at least 0
 *
 * @example
 * const wallet = createWallet({ client, keys, store: fileStore('payments.journal') })
 * const outputs = [{ to: 'X-fuji1…', amount: parseAmount('1.5') }]
 * const { txID } = await wallet.transfer({ outputs }, { key: 'invoice 17' })
 */
export function createWallet(options: WalletOptions): Wallet {
  const name = 'createWallet'
  return assembleWallet(name, walletKeys(name, argument(name, options, walletOptions))).wallet
}

/** Creates a wallet from checked options and returns it with its parts, which cross-chain wallets extend. */
export function assembleWallet(
  name: string,
  keys: WalletKeys,
  ports?: OtherPorts,
): { readonly wallet: Wallet; readonly state: WalletState; readonly engine: Engine } {
  const { client, quorum } = keys.options
  const servers = serverCount(name, client, 'client')
  argument(name, quorum, optional(integerFrom(1, servers)), 'quorum')
  const state = new WalletState(keys, ports)
  const engine = new Engine(state)
  const single = <C>(name: string, check: Check<C>, intentOf: (call: C) => Intent) => ({
    prepare: async (call: C, run?: SendOptions) => {
      const intent = intentOf(argument(`prepare.${name}`, call, check))
      return engine.prepare(intent, argument(`prepare.${name}`, run, omissible(sendOptions)))
    },
    run: async (call: C, run?: RunOptions) => {
      const intent = intentOf(argument(name, call, check))
      return engine.pay(intent, argument(name, run, omissible(runOptions)))
    },
  })
  const requireOwn =
    (context: NetworkContext, accept: readonly AcceptCode[]): RequireOwn =>
    (address) =>
      refuseForeignTarget(address, context, state, [...(state.options.accept ?? []), ...accept])
  const batch = <C>(
    name: string,
    check: Check<C>,
    jobOf: (call: C, context: NetworkContext, requireOwn: RequireOwn) => BatchJob,
  ) => ({
    prepare: async (call: C) => {
      const copy = argument(`prepare.${name}`, call, check)
      return previewBatch(state, engine, (context) => jobOf(copy, context, requireOwn(context, [])))
    },
    run: async (call: C, run?: SendOptions & BatchOptions) => {
      const copy = argument(name, call, check)
      const options = argument(name, run, omissible(batchOptions))
      const job = (context: NetworkContext) =>
        jobOf(copy, context, requireOwn(context, options.accept ?? []))
      return runBatch(state, engine, job, options)
    },
  })
  const consolidation = batch('consolidate', consolidateCall, consolidateJob)
  const methods = {
    transfer: single('transfer', transferCall, transferIntent),
    sendAll: single('sendAll', sendAllCall, sendAllIntent),
    export: single('export', exportCall, exportIntent),
    createAsset: single('createAsset', createAssetCall, createAssetIntent),
    operate: single('operate', operateCall, operateIntent),
    mint: single('mint', mintCall, (call) => operationIntent('mint', call)),
    mintNFT: single('mintNFT', mintNFTCall, (call) => operationIntent('mintNFT', call)),
    transferNFT: single('transferNFT', transferNFTCall, (call) =>
      operationIntent('transferNFT', call),
    ),
    mintProperty: single('mintProperty', mintPropertyCall, (call) =>
      operationIntent('mintProperty', call),
    ),
    burnProperty: single('burnProperty', burnPropertyCall, (call) =>
      operationIntent('burnProperty', call),
    ),
    sweep: batch('sweep', sweepCall, sweepJob),
    consolidate: {
      prepare: (call: ConsolidateCall = {}) => consolidation.prepare(call),
      run: (call: ConsolidateCall = {}, run?: SendOptions & BatchOptions) =>
        consolidation.run(call, run),
    },
    import: batch('import', importCall, importJob),
  }
  const wallet: Wallet = {
    addresses: async () => walletAddresses(state),
    receiveAddress: async () => receiveAddress(state),
    balances: async (of) =>
      walletBalances(state, argument('balances', of, omissible(balancesOptions))),
    utxos: async (of) => state.utxos(argument('utxos', of, sourceOption)?.sourceChain),
    history: async (of) =>
      walletHistory(state, argument('history', of, omissible(walletHistoryOptions))),
    servers: () => state.chain.report(),
    checkUTXOs: async () => state.checkUTXOs(),
    ...pick(methods, 'run'),
    prepare: {
      ...pick(methods, 'prepare'),
      payouts: async (call) =>
        previewPayouts(state, argument('prepare.payouts', call, payoutsCall)),
    },
    payouts: async (call, run) =>
      makePayouts(
        state,
        engine,
        argument('payouts', call, payoutsCall),
        argument('payouts', run, omissible(payoutsOptions)),
      ),
    sign: async (draft, run) =>
      engine.sign(
        argument('sign', draft, draftArgument, 'draft'),
        argument('sign', run, omissible(sendOptions)),
      ),
    request: async (draft, of) =>
      requestOf(
        state,
        argument('request', draft, draftArgument, 'draft'),
        argument('request', of, omissible(walletRequestOptions)),
      ),
    submit: async (tx, run) =>
      submitTx(
        state,
        engine,
        argument('submit', tx, signedBytes, 'tx'),
        argument('submit', run, omissible(runOptions)),
      ),
    resume: async (run) =>
      resumePayments(state, engine, argument('resume', run, omissible(resumeOptions))),
    unrecorded: async (of) => {
      const { fromHeight, ...run } = argument('unrecorded', of, unrecordedOptions)
      return unrecordedTxs(state, fromHeight, state.call(run))
    },
    recover: async (of) => recover(state, engine, argument('recover', of, recoverOptions)),
    cancel: async (key, run) =>
      cancelPayment(
        state,
        engine,
        argument('cancel', key, text, 'key'),
        argument('cancel', run, omissible(sendOptions)),
      ),
    payments: async (keys) =>
      state.payments(argument('payments', keys, optional(list(text)), 'keys')),
  }
  return { wallet, state, engine }
}

/** Selects one of the two functions, `prepare` or `run`, of every method. */
function pick<
  P extends 'prepare' | 'run',
  T extends { readonly [name: string]: { readonly [part in P]: unknown } },
>(methods: T, part: P): { readonly [K in keyof T]: T[K][P] } {
  const entries = Object.entries(methods).map(([name, method]) => [name, method[part]])
  return Object.fromEntries(entries) as { readonly [K in keyof T]: T[K][P] }
}
