import type { Draft } from '../build/draft.ts'
import { consumedUTXOs } from '../chain/spends.ts'
import { FundsError } from '../coins/errors.ts'
import type { Source } from '../coins/utxo-set.ts'
import { hex } from '../encoding/hex.ts'
import { throwIfAborted } from '../rpc/time-limit.ts'
import { StoreError } from '../store/errors.ts'
import type { Outcome } from '../store/store.ts'
import type { Engine } from './engine.ts'
import type { SendOptions } from './options.ts'
import { type Content, claimedPayments } from './payment-keys.ts'
import type { WalletState } from './wallet-state.ts'

/** How a draft of a batch ended, or that it is pending and why. */
export type DraftOutcome =
  | Outcome
  | { readonly status: 'pending'; readonly txID: Uint8Array; readonly error: unknown }

/** Claims, issues and waits for a draft of a batch. Throws only if nothing was claimed. */
export async function sendDraft(
  state: WalletState,
  engine: Engine,
  draft: Draft,
  source: Source,
  options: SendOptions,
): Promise<DraftOutcome> {
  throwIfAborted('wallet', options.signal)
  const { live } = state
  // The walk that the draft is based on is newer than the live set.
  if (!draft.utxos.every((utxo) => live.has(utxo))) live.walkAgain()
  const holder = {}
  live.reservations.reserve(draft.utxos, holder, source)
  const fromHeight = live.nextHeight ?? 1n
  try {
    const ids = consumedUTXOs(draft.unsignedTx).map(({ txID, outputIndex }) => [
      hex.encode(txID),
      outputIndex,
    ])
    const content: Content = { kind: 'batch', parts: [JSON.stringify(ids)] }
    const payments = claimedPayments({}, [content], draft.context)
    const reserved = { draft, fromHeight }
    const { group } = await engine.claimDraft(reserved, payments, options, false)
    const txID = group.attempts.at(-1)!.txID.slice()
    try {
      return await engine.issueUntilDecided(group, options, { queryFirst: false })
    } catch (error) {
      return { status: 'pending', txID, error }
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'INPUT_CLAIMED') {
      await state.readStore()
      throw new FundsError('UTXO_RESERVED', 'another process has claimed UTXOs of the draft')
    }
    throw error
  } finally {
    live.reservations.release(draft.utxos, holder)
  }
}
