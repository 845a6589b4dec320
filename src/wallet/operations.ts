import { consolidateJob, importJob, sweepJob } from './batches.ts'
import type { RunOptions, SendOptions, WalletOptions } from './options.ts'
import {
  type BurnPropertyCall,
  createAssetRecipe,
  exportRecipe,
  type MintCall,
  type MintNFTCall,
  type MintPropertyCall,
  operateRecipe,
  type Recipe,
  sendAllRecipe,
  type TransferNFTCall,
  transferRecipe,
} from './recipes.ts'
import { Teller } from './teller.ts'
import type { Operations } from './wallet.ts'

/** Makes what the methods of a wallet do. */
export function walletOperations(
  options: WalletOptions,
  addresses: readonly Uint8Array[],
): Operations {
  const teller = new Teller(options, addresses)
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
