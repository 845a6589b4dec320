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
import { chain } from '../core/draft/descriptions.ts'
import type { Draft } from '../core/draft/draft.ts'
import { copyDraft } from '../core/sign/arguments.ts'
import type { AcceptCode } from '../core/sign/sign.ts'
import { bigintHeight } from '../node/methods/params.ts'
import { receiveAddress, walletAddresses } from './accounts/wallet-addresses.ts'
import { type WalletKeys, walletKeys } from './accounts/wallet-keys.ts'
import { balancesOptions, walletBalances } from './balances/balances.ts'
import type { BatchJob } from './batches/batch.ts'
import { previewBatch, runBatch } from './batches/batch-run.ts'
import {
  type BatchOptions,
  batchOptions,
  type ConsolidateCall,
  consolidateCall,
  consolidateJob,
  importCall,
  importJob,
  type RequireOwn,
  sweepCall,
  sweepJob,
} from './batches/batches.ts'
import { makePayouts, payoutsCall, payoutsOptions, previewPayouts } from './batches/payouts.ts'
import { walletHistory, walletHistoryOptions } from './history/history.ts'
import {
  type Prepared,
  type RunOptions,
  runOptions,
  type SendOptions,
  sendOptions,
  type WalletOptions,
  waitMembers,
  walletOptions,
} from './options.ts'
import {
  burnPropertyCall,
  createAssetCall,
  exportCall,
  mintCall,
  mintNFTCall,
  mintPropertyCall,
  operateCall,
  sendAllCall,
  transferCall,
  transferNFTCall,
} from './payments/calls.ts'
import { cancelPayment } from './payments/cancellation.ts'
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
import { listPayments } from './payments/payment-details.ts'
import { resumeOptions, resumePayments } from './payments/resuming.ts'
import { signedBytes, submitTx } from './payments/submission.ts'
import type { OtherPorts } from './ports.ts'
import { serverCount } from './quorum.ts'
import { recover, recoverOptions, unrecordedTxs } from './recovery/recovery.ts'
import { requestOf, walletRequestOptions } from './requests.ts'
import { store as storeArgument } from './store/store.ts'
import { WalletState } from './wallet-state.ts'
import type { SourceOption, UnrecordedOptions, Wallet } from './wallet-type.ts'

const sourceOption: Check<SourceOption | undefined> = optional(
  object<SourceOption>({ sourceChain: optional(chain) }),
)

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
  const { client, quorum, store, signing } = keys.options
  // Sums over time need a record of payments.
  if (signing?.policy?.sums) argument(name, store, storeArgument, 'store')
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
    payments: async (keys) => {
      const asked = argument('payments', keys, optional(list(text)), 'keys')
      return listPayments(state.store, asked, await state.openPayments(state.call({})))
    },
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
