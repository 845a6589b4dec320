import { boolean, type Check, fn, object, optional } from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { LeftBehind } from '../../core/draft/plan.ts'
import { planSweep } from '../../core/draft/x/sweep.ts'
import type { CallOptions } from '../../node/http.ts'
import { bigintHeight } from '../../node/methods/params.ts'
import type { BatchJob } from '../batches/batch.ts'
import { runBatch } from '../batches/batch-run.ts'
import type { BatchOptions } from '../batches/batches.ts'
import { type BlockProgress, type SendOptions, sendMembers } from '../options.ts'
import type { Engine } from '../payments/engine.ts'
import type { WalletState } from '../wallet-state.ts'
import type { UnrecordedTx } from './catch-up.ts'
import { reachedHeight } from './reached.ts'

/** Options of `recover`. */
export type RecoverOptions = SendOptions &
  Pick<BatchOptions, 'confirmPlan'> & {
    /** Height of the first block to read: below all payments that the store may not know. */
    readonly fromHeight: bigint
    /**
     * First spend all UTXOs of the wallet to itself, and wait. Then no transaction can be accepted any more that was signed
     * before and is in no block, except those for payments that stay pending: their inputs are not spent.
     *
     * @defaultValue false
     */
    readonly fence?: boolean | undefined
    /** Called while blocks are read. */
    readonly onProgress?: ((progress: BlockProgress) => void) | undefined
  }

/** Description of `RecoverOptions`. */
export const recoverOptions: Check<RecoverOptions> = object<RecoverOptions>({
  ...sendMembers,
  fromHeight: bigintHeight,
  fence: optional(boolean),
  confirmPlan: optional(fn<NonNullable<BatchOptions['confirmPlan']>>()),
  onProgress: optional(fn<(progress: BlockProgress) => void>()),
})

/** What `recover` has found and done. */
export type Recovery = {
  /** Own accepted transactions that the store does not know. */
  readonly unrecorded: readonly UnrecordedTx[]
  /** IDs of the transactions of the fence. */
  readonly fenceTxIDs: readonly Uint8Array[]
  /**
   * UTXOs that the fence did not spend. A transaction that was signed before can still be accepted if these pay its fee, or
   * if it imports.
   */
  readonly leftBehind: readonly LeftBehind[]
}

/**
 * Reads all blocks from a height on and lists the transactions that the wallet's keys signed and its store does not
 * know: those that a lost or restored store has forgotten, and those of other holders of the keys. Old payments without
 * a caller's key are listed, too, because a store remembers only the last ones.
 */
export async function unrecordedTxs(
  state: WalletState,
  fromHeight: bigint,
  call: CallOptions,
  onProgress?: (progress: BlockProgress) => void,
): Promise<UnrecordedTx[]> {
  const reader = state.chain.blockReader({ from: fromHeight })
  await state.open(call)
  const end = await reachedHeight(state, call)
  return state.catchUp.scan(reader, end, onProgress, call)
}

/** Makes a store usable again that was lost, restored from a backup, or not used for long. */
export async function recover(
  state: WalletState,
  engine: Engine,
  { fromHeight, fence, onProgress, ...options }: RecoverOptions,
): Promise<Recovery> {
  const scan = async (from: bigint) => {
    const found = await unrecordedTxs(state, from, state.call(options), onProgress)
    await state.catchUp.end(found)
    await state.recordBlock()
    return found
  }
  const before = await scan(fromHeight)
  if (!fence) return { unrecorded: before, fenceTxIDs: [], leftBehind: [] }
  // Only now, because a store that does not fit the chain refuses claims.
  const { nextHeight = fromHeight } = state.live
  const { txIDs: fenceTxIDs, leftBehind } = await runBatch(
    state,
    engine,
    () => fenceJob(state),
    options,
  )
  // Some of the blocks that were read before may not have been applied yet.
  const known = [...fenceTxIDs, ...before.map(({ txID }) => txID)]
  const isKnown = ({ txID }: UnrecordedTx) => known.some((id) => equalBytes(id, txID))
  const since = (await scan(nextHeight)).filter((one) => !isKnown(one))
  return { unrecorded: [...before, ...since], fenceTxIDs, leftBehind }
}

/**
 * Spends everything to the wallet itself, once, except the inputs of payments that stay pending, because the node refuses
 * them: whatever was signed for such a payment spends one of them, too, and nothing else could claim them.
 */
function fenceJob({ pending }: WalletState): BatchJob {
  return {
    source: {},
    maxFee: undefined,
    leavesPending: true,
    repeats: () => false,
    plan: ({ context, utxos, owners, now }, withoutAssets) => {
      const to = owners[0]!
      // The set is that of a fresh walk.
      utxos.remove([...pending.claims.attempts.values()].flatMap(({ inputs }) => inputs))
      return planSweep({ context, funds: { utxos, owners, now }, withoutAssets, to, changeTo: to })
    },
  }
}
