import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { Source } from '../../core/coins/utxo-set.ts'
import type { Draft } from '../../core/draft/draft.ts'
import type { CallOptions } from '../../node/http.ts'
import type { Confirm, SendOptions } from '../options.ts'
import type { Engine } from '../payments/engine.ts'
import type { WalletView } from '../payments/intents.ts'
import { type Resumed, resumePayments } from '../payments/resuming.ts'
import { isOfMove } from '../ports.ts'
import type { WalletState } from '../wallet-state.ts'
import { Batch, type BatchJob, type BatchTools } from './batch.ts'
import type { BatchPreview, BatchResult } from './batch-result.ts'
import { Tally } from './batch-total.ts'
import { type RedraftOptions, sendDraft } from './batch-tx.ts'
import type { BatchOptions } from './batches.ts'

const DEFAULT_IN_FLIGHT = 4

/** Plans a batch without running it. */
export async function previewBatch(
  state: WalletState,
  engine: Engine,
  jobOf: (context: NetworkContext) => BatchJob,
): Promise<BatchPreview> {
  const job = jobOf(await state.context(state.call({}), true))
  return newBatch(state, engine, job, {}, redraftOptions(state, job, {}), [], undefined).preview()
}

/** Resumes pending payments, then runs a batch. */
export async function runBatch(
  state: WalletState,
  engine: Engine,
  jobOf: (context: NetworkContext) => BatchJob,
  options: SendOptions & BatchOptions,
): Promise<BatchResult> {
  const job = jobOf(await state.context(state.call(options), true))
  const redraft = redraftOptions(state, job, options)
  const { fills } = state.live
  const resumed = await resumePayments(state, engine, redraft)
  try {
    return await newBatch(state, engine, job, options, redraft, resumed, fills).run()
  } finally {
    state.live.reservations.releaseAll(job)
  }
}

function newBatch(
  state: WalletState,
  engine: Engine,
  job: BatchJob,
  options: SendOptions & BatchOptions,
  redraft: RedraftOptions,
  resumed: readonly Resumed[],
  fillsBefore: number | undefined,
): Batch {
  const { confirmPlan, onProgress, inFlight = DEFAULT_IN_FLIGHT } = options
  const call = state.call(options)
  // The parameters of the network were read for this call; resuming may have taken long.
  let isCurrent = resumed.length === 0
  // Resuming may have listed the UTXOs for the first time, which is not done again for the first plan.
  let fills = fillsBefore
  const tools: BatchTools = {
    assets: state.assets,
    call,
    inFlight,
    send: (draft) => sendDraft(state, engine, draft, options, redraft, job),
    view: (source) => {
      const refresh = !isCurrent
      isCurrent = false
      const view = planView(state, source, call, refresh, fills)
      fills = undefined
      return view
    },
    confirmPlan: async (preview) =>
      confirmPlan === undefined || (await confirmPlan(preview)) === true,
    onProgress: (progress) => onProgress?.(progress),
  }
  return new Batch(job, tools, resumed)
}

/**
 * Options of transactions that are drafted again. Unless every transaction is confirmed, each of them is shown as a plan,
 * one after the other.
 */
function redraftOptions(
  state: WalletState,
  { maxFee }: BatchJob,
  { confirmPlan, confirm = state.options.confirm, ...options }: SendOptions & BatchOptions,
): RedraftOptions {
  if (confirm !== undefined || confirmPlan === undefined) return { ...options, maxFee, confirm }
  let asked: Promise<unknown> = Promise.resolve()
  const confirmAsPlan: Confirm = (_, draft) => {
    const answer = asked.then(() => confirmPlan(previewOf(draft)))
    asked = answer.catch(() => {})
    return answer
  }
  return { ...options, maxFee, confirm: confirmAsPlan }
}

/** A plan of one transaction. */
function previewOf(draft: Draft): BatchPreview {
  const tally = new Tally()
  tally.count(draft, new Uint8Array(ID_SIZE))
  return {
    transactions: 1,
    leftBehind: [],
    unspendable: [],
    total: () => tally.total(),
    *drafts() {
      yield draft
    },
  }
}

/** The UTXOs for a plan. What a pending move has exported is reserved, because its own import has a recipient. */
async function planView(
  state: WalletState,
  source: Source,
  call: CallOptions,
  refresh: boolean,
  fills: number | undefined,
): Promise<WalletView> {
  const view = await state.walkView(source, call, refresh, fills)
  if (source.sourceChain === undefined) return view
  // After the walk: a move is claimed, maybe by another process, before its UTXOs are listed.
  await state.readStore()
  const { utxos, now } = view
  const exported = utxos
    .ofType('secp256k1fx.TransferOutput', source)
    .filter((utxo) => isOfMove(state.pending, utxo) && !utxos.isReserved(utxo, now))
  utxos.reserve(exported, { now })
  return view
}
