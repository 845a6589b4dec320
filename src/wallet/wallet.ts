import type { IDArgument } from '../build/arguments.ts'
import type { Draft } from '../build/draft.ts'
import type { SignedTx } from '../chain/tx.ts'
import type { AssetBalance } from '../coins/balances.ts'
import type { UTXOSet } from '../coins/utxo-set.ts'
import type { Signed, SignResult } from '../sign/job.ts'
import { orAborted } from './aborted.ts'
import { addressesOf } from './addresses.ts'
import type { BatchPreview, BatchResult } from './batch-result.ts'
import type { BatchOptions, ConsolidateCall, ImportCall, SweepCall } from './batches.ts'
import type { Settled } from './dispatch.ts'
import { WalletError } from './errors.ts'
import type { Payment } from './journal.ts'
import type { Prepared, Receipt, RunOptions, SendOptions, WalletOptions } from './options.ts'
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
} from './recipes.ts'
import { snapshot } from './snapshot.ts'

/** What can be prepared alone; each is a method of the wallet too, which then signs and sends it. */
export type Preparations = {
  readonly transfer: (call: TransferCall, options?: SendOptions) => Promise<Prepared>
  readonly sendAll: (call: SendAllCall, options?: SendOptions) => Promise<Prepared>
  readonly export: (call: ExportCall, options?: SendOptions) => Promise<Prepared>
  readonly createAsset: (call: CreateAssetCall, options?: SendOptions) => Promise<Prepared>
  readonly operate: (call: OperateCall, options?: SendOptions) => Promise<Prepared>
  readonly mint: (call: MintCall, options?: SendOptions) => Promise<Prepared>
  readonly mintNFT: (call: MintNFTCall, options?: SendOptions) => Promise<Prepared>
  readonly transferNFT: (call: TransferNFTCall, options?: SendOptions) => Promise<Prepared>
  readonly mintProperty: (call: MintPropertyCall, options?: SendOptions) => Promise<Prepared>
  readonly burnProperty: (call: BurnPropertyCall, options?: SendOptions) => Promise<Prepared>
  /** Batches are only planned: their coins are not kept. */
  readonly sweep: (call: SweepCall) => Promise<BatchPreview>
  readonly consolidate: (call?: ConsolidateCall) => Promise<BatchPreview>
  readonly import: (call: ImportCall) => Promise<BatchPreview>
}

/**
 * A client and keys in one. Every call reads fresh coins, drafts, explains, asks for confirmation, signs,
 * writes the transaction down, sends it, and waits until it is accepted. Throws `IssueError` where the node
 * refused it for good, and `TX_OPEN` where it may be accepted yet: then `resume`, and do not pay again.
 */
export type Wallet = {
  /** 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  /** What there is of each asset, by what can be done with it; of what waits from another chain if named. */
  readonly balances: (options?: { readonly fromChain?: IDArgument }) => Promise<AssetBalance[]>
  /** All UTXOs, read anew; what transactions under way spend is reserved in them. */
  readonly utxos: (options?: { readonly fromChain?: IDArgument }) => Promise<UTXOSet>

  readonly transfer: (call: TransferCall, options?: RunOptions) => Promise<Receipt>
  readonly sendAll: (call: SendAllCall, options?: RunOptions) => Promise<Receipt>
  readonly export: (call: ExportCall, options?: RunOptions) => Promise<Receipt>
  readonly createAsset: (call: CreateAssetCall, options?: RunOptions) => Promise<Receipt>
  /** Any number of operations in one transaction. */
  readonly operate: (call: OperateCall, options?: RunOptions) => Promise<Receipt>
  readonly mint: (call: MintCall, options?: RunOptions) => Promise<Receipt>
  readonly mintNFT: (call: MintNFTCall, options?: RunOptions) => Promise<Receipt>
  readonly transferNFT: (call: TransferNFTCall, options?: RunOptions) => Promise<Receipt>
  readonly mintProperty: (call: MintPropertyCall, options?: RunOptions) => Promise<Receipt>
  readonly burnProperty: (call: BurnPropertyCall, options?: RunOptions) => Promise<Receipt>

  /** Everything to one owner. Settles the journal first; can be run again after any interruption. */
  readonly sweep: (call: SweepCall, options?: SendOptions & BatchOptions) => Promise<BatchResult>
  /** Many coins into few; the same way. */
  readonly consolidate: (
    call?: ConsolidateCall,
    options?: SendOptions & BatchOptions,
  ) => Promise<BatchResult>
  /** Everything that waits from another chain; the same way. */
  readonly import: (call: ImportCall, options?: SendOptions & BatchOptions) => Promise<BatchResult>

  /** The first step alone. */
  readonly prepare: Preparations
  /** The second: signs with what the wallet has, which may not be all. */
  readonly sign: (draft: Draft | Prepared, options?: SendOptions) => Promise<SignResult>
  /** The third: writes down, sends and waits. Sending the same again never pays twice. */
  readonly submit: (tx: Signed | SignedTx | Uint8Array, options?: RunOptions) => Promise<Receipt>
  /** Finds out about, or sends again, everything in the journal whose end is not known. */
  readonly resume: (options?: Pick<SendOptions, 'wait' | 'signal'>) => Promise<Settled[]>
  /**
   * What the journal says of the payments of these keys, in their order; of all that have one where left out.
   * Only what is `due` may be paid; `resume` first, and what an earlier run has left open is decided.
   */
  readonly payments: (keys?: readonly string[]) => Promise<Payment[]>
}

/** What a wallet does: all of it but its addresses. */
export type Operations = Omit<Wallet, 'addresses'>

/** The names of all methods; one that is forgotten does not compile. */
type Names<T> = { readonly [name in keyof T]: true }

const PREPARATIONS: Names<Preparations> = {
  transfer: true,
  sendAll: true,
  export: true,
  createAsset: true,
  operate: true,
  mint: true,
  mintNFT: true,
  transferNFT: true,
  mintProperty: true,
  burnProperty: true,
  sweep: true,
  consolidate: true,
  import: true,
}

const METHODS: Names<Omit<Operations, 'prepare'>> = {
  ...PREPARATIONS,
  balances: true,
  utxos: true,
  sign: true,
  submit: true,
  resume: true,
  payments: true,
}

/**
 * Makes a wallet. Most of its code is loaded by the first call, so that a page shows before; in a bundle of one
 * file it is there from the beginning.
 *
 * @example
 * const wallet = createWallet({ client, keys })
 * const { txID } = await wallet.transfer({ to: 'X-fuji1…', amount: parseAmount('1.5') })
 */
export function createWallet(options: WalletOptions): Wallet {
  const given = { ...options }
  const addresses = addressesOf(given)
  let loading: Promise<Operations> | undefined
  let loaded: Operations | undefined
  const load = (): Promise<Operations> => {
    loading ??= import('./operations.ts').then(
      ({ walletOperations }) => {
        loaded = walletOperations(given, addresses)
        return loaded
      },
      (cause) => {
        loading = undefined
        throw new WalletError('NOT_LOADED', 'the code of the wallet could not be loaded', {
          cause,
          hint: 'nothing was done; reload the page, or make a bundle of one file for a service worker',
        })
      },
    )
    return loading
  }
  const open = (): Operations | Promise<Operations> => loaded ?? load()
  return {
    addresses,
    ...later(METHODS, open, (operations) => operations),
    prepare: later(PREPARATIONS, open, (operations) => operations.prepare),
  }
}

type Method = (...given: readonly unknown[]) => Promise<unknown>

/** Methods that wait for the real ones and hand over to those of the same name. */
function later<T>(
  names: Names<T>,
  open: () => Operations | Promise<Operations>,
  methodsOf: (operations: Operations) => T,
): T {
  const handOver = (name: string): Method => {
    return async (...given) => {
      const now = given.map(snapshot)
      const opened = open()
      const operations = opened instanceof Promise ? await orAborted(opened, signalIn(now)) : opened
      return (methodsOf(operations) as { [name: string]: Method })[name]!(...now)
    }
  }
  return Object.fromEntries(Object.keys(names).map((name) => [name, handOver(name)])) as T
}

/** The signal among the arguments of a call, in whichever of them. */
function signalIn(given: readonly unknown[]): AbortSignal | undefined {
  return given
    .map((argument) => (argument as { readonly signal?: AbortSignal } | undefined)?.signal)
    .find((signal) => signal !== undefined)
}
