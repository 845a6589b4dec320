import type { IDArgument } from '../build/arguments.ts'
import type { Draft } from '../build/draft.ts'
import type { SignedTx } from '../chain/tx.ts'
import type { AssetBalance } from '../coins/balances.ts'
import type { UTXOSet } from '../coins/utxo-set.ts'
import type { Signed, SignResult } from '../sign/job.ts'
import type { BatchPreview, BatchResult } from './batch-result.ts'
import {
  type BatchOptions,
  type ConsolidateCall,
  consolidateJob,
  type ImportCall,
  importJob,
  type SweepCall,
  sweepJob,
} from './batches.ts'
import type { Settled } from './dispatch.ts'
import type { Payment } from './journal.ts'
import type { Prepared, Receipt, RunOptions, SendOptions, WalletOptions } from './options.ts'
import {
  type BurnPropertyCall,
  type CreateAssetCall,
  createAssetRecipe,
  type ExportCall,
  exportRecipe,
  type MintCall,
  type MintNFTCall,
  type MintPropertyCall,
  type OperateCall,
  operateRecipe,
  type Recipe,
  type SendAllCall,
  sendAllRecipe,
  type TransferCall,
  type TransferNFTCall,
  transferRecipe,
} from './recipes.ts'
import { Teller } from './teller.ts'

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

/**
 * Makes a wallet.
 *
 * @example
 * const wallet = createWallet({ client, keys })
 * const { txID } = await wallet.transfer({ to: 'X-fuji1…', amount: parseAmount('1.5') })
 */
export function createWallet(options: WalletOptions): Wallet {
  const teller = new Teller(options)
  const single = <C>(recipe: (call: C) => Recipe) => ({
    prepare: (call: C, run?: SendOptions) => teller.prepare(recipe(call), run),
    run: (call: C, run?: RunOptions) => teller.run(recipe(call), run),
  })
  const transfer = single(transferRecipe)
  const sendAll = single(sendAllRecipe)
  const exporting = single(exportRecipe)
  const createAsset = single(createAssetRecipe)
  const operate = single(operateRecipe)
  // An operation of one kind is its own list.
  const mint = single((call: MintCall) =>
    operateRecipe({ ...call, operations: [{ ...call, type: 'mint' }] }),
  )
  const mintNFT = single((call: MintNFTCall) =>
    operateRecipe({ ...call, operations: [{ ...call, type: 'mintNFT' }] }),
  )
  const transferNFT = single((call: TransferNFTCall) =>
    operateRecipe({ ...call, operations: [{ ...call, type: 'transferNFT' }] }),
  )
  const mintProperty = single((call: MintPropertyCall) =>
    operateRecipe({ ...call, operations: [{ ...call, type: 'mintProperty' }] }),
  )
  const burnProperty = single((call: BurnPropertyCall) =>
    operateRecipe({ ...call, operations: [{ ...call, type: 'burnProperty' }] }),
  )
  return {
    addresses: teller.addresses,
    balances: (of) => teller.balances(of?.fromChain),
    utxos: (of) => teller.utxos(of?.fromChain),
    transfer: transfer.run,
    sendAll: sendAll.run,
    export: exporting.run,
    createAsset: createAsset.run,
    operate: operate.run,
    mint: mint.run,
    mintNFT: mintNFT.run,
    transferNFT: transferNFT.run,
    mintProperty: mintProperty.run,
    burnProperty: burnProperty.run,
    sweep: (call, run) => teller.batch(() => sweepJob(call), run),
    consolidate: (call = {}, run) => teller.batch(() => consolidateJob(call), run),
    import: (call, run) => teller.batch((context) => importJob(call, context), run),
    prepare: {
      transfer: transfer.prepare,
      sendAll: sendAll.prepare,
      export: exporting.prepare,
      createAsset: createAsset.prepare,
      operate: operate.prepare,
      mint: mint.prepare,
      mintNFT: mintNFT.prepare,
      transferNFT: transferNFT.prepare,
      mintProperty: mintProperty.prepare,
      burnProperty: burnProperty.prepare,
      sweep: (call) => teller.preview(() => sweepJob(call)),
      consolidate: (call = {}) => teller.preview(() => consolidateJob(call)),
      import: (call) => teller.preview((context) => importJob(call, context)),
    },
    sign: (draft, run) => teller.sign('draft' in draft ? draft.draft : draft, run),
    submit: (tx, run) => teller.submit(tx, run),
    resume: (run) => teller.resume(run),
    payments: (keys) => teller.payments(keys),
  }
}
