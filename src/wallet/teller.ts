import { type IDArgument, toAddress, toPeer } from '../build/arguments.ts'
import type { Draft } from '../build/draft.ts'
import { BuildError } from '../build/errors.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { UTXOID } from '../chain/transferables.ts'
import { encodeTx, type SignedTx } from '../chain/tx.ts'
import type { AssetBalance } from '../coins/balances.ts'
import { FundsError } from '../coins/errors.ts'
import type { Source, UTXOSet } from '../coins/utxo-set.ts'
import { type Clock, systemClock } from '../rpc/clock.ts'
import type { CallOptions } from '../rpc/http.ts'
import type { NodeClient } from '../rpc/node.ts'
import { explainDraft } from '../sign/explain.ts'
import type { Explanation } from '../sign/explanation.ts'
import { requireSigned, type Signed, type SignResult } from '../sign/job.ts'
import { orAborted, refuseAborted } from './aborted.ts'
import { AssetBook } from './assets.ts'
import { Batch, type BatchJob, type BatchTools } from './batch.ts'
import type { BatchPreview, BatchResult } from './batch-result.ts'
import type { BatchOptions } from './batches.ts'
import { CoinDesk } from './coin-desk.ts'
import type { Outcome } from './delivery.ts'
import { Dispatch, type Parcel, parcelOf, type Settled } from './dispatch.ts'
import { WalletError } from './errors.ts'
import { keysOf, memoryJournal, type Payment } from './journal.ts'
import { Once } from './once.ts'
import {
  type Prepared,
  type Receipt,
  type RunOptions,
  type SendOptions,
  type WalletOptions,
  waitOptions,
} from './options.ts'
import { receiptOf } from './receipt.ts'
import type { Recipe, View } from './recipes.ts'
import { signWith } from './signing.ts'

/** A draft with its coins kept for it. */
type Kept = { readonly draft: Draft; readonly release: () => void }

/** Does what a wallet promises: everything between a call and its receipt. */
export class Teller {
  private readonly addresses: readonly Uint8Array[]
  private readonly options: WalletOptions
  private readonly client: NodeClient
  private readonly clock: Clock
  private readonly desk: CoinDesk
  private readonly dispatch: Dispatch
  private readonly book: AssetBook
  /** Payments that hold coins and will soon have spent them or given them back. */
  private readonly active = new Set<Promise<void>>()
  private readonly once: Once

  constructor(options: WalletOptions, addresses: readonly Uint8Array[]) {
    const { client, clock = systemClock, journal = memoryJournal(), wait = {} } = options
    this.options = options
    this.client = client
    this.clock = clock
    this.addresses = addresses
    this.desk = new CoinDesk(client, addresses, () => this.now())
    const courier = { client, clock, addresses }
    this.dispatch = new Dispatch(courier, journal, this.desk, wait)
    this.once = new Once(this.dispatch)
    this.book = new AssetBook(client)
  }

  private now(): bigint {
    const { clockSkewSeconds = 5 } = this.options
    // Locks open by the node's clock; where that is told, one of ours that is ahead does no harm.
    const now = Math.min(this.clock.now(), this.client.nodeTime() ?? Number.POSITIVE_INFINITY)
    return BigInt(Math.max(0, Math.floor(now / 1000) - clockSkewSeconds))
  }

  async balances(fromChain: IDArgument | undefined): Promise<AssetBalance[]> {
    const source = await this.source(fromChain)
    const { coins, owners, now } = await this.view(source)
    return coins.balances({ owners, now, ...source })
  }

  async utxos(fromChain: IDArgument | undefined): Promise<UTXOSet> {
    return (await this.view(await this.source(fromChain))).coins
  }

  private async source(fromChain: IDArgument | undefined): Promise<Source> {
    if (fromChain === undefined) return {}
    return { sourceChain: toPeer(fromChain, await this.context()).chainID }
  }

  private async context(refresh = false): Promise<NetworkContext> {
    const context = await this.client.context({ refresh })
    // Addresses given as text must be of this network.
    for (const address of this.options.addresses ?? []) toAddress(address, context)
    return context
  }

  private async view(
    source: Source = {},
    { signal, refresh = false }: Pick<SendOptions, 'signal'> & { readonly refresh?: boolean } = {},
  ): Promise<View> {
    await orAborted(this.dispatch.open(), signal)
    const context = await orAborted(this.context(refresh), signal)
    // Others may wait for the same walk, so it goes on without who left.
    const coins = await orAborted(this.desk.fresh(source), signal)
    const { changeTo } = this.options
    return {
      context,
      coins,
      owners: this.addresses,
      now: this.now(),
      ...(changeTo === undefined ? {} : { changeTo: toAddress(changeTo, context) }),
    }
  }

  /** Drafts, keeps the coins, and explains. */
  async prepare(recipe: Recipe, options: SendOptions = {}): Promise<Prepared> {
    const { draft, release } = await this.keep(recipe, options, () => {})
    try {
      return { draft, release, explanation: await this.explain(draft, options) }
    } catch (error) {
      release()
      throw error
    }
  }

  /**
   * Drafts and keeps the coins, with nothing in between. Where only coins of payments under way are missing,
   * it waits for those to end: their change will do.
   */
  private async keep(
    recipe: Recipe,
    { signal }: SendOptions,
    whenKept: () => void,
    replaced: readonly UTXOID[] = [],
    refresh = false,
  ): Promise<Kept> {
    for (;;) {
      const view = await this.view({}, { refresh, ...(signal === undefined ? {} : { signal }) })
      try {
        const draft = recipe({ ...view, pinned: shared(replaced, view) })
        const holder = {}
        this.desk.hold(draft.utxos, holder)
        whenKept()
        return { draft, release: () => this.desk.release(draft.utxos, holder) }
      } catch (error) {
        if (this.active.size === 0 || !wantsReserved(error)) throw error
        await orAborted(Promise.race(this.active), signal)
      }
    }
  }

  private async explain(draft: Draft, { signal }: SendOptions): Promise<Explanation> {
    const call: CallOptions = signal === undefined ? {} : { signal }
    const assetIDs = [...draft.utxos, ...draft.unsignedTx.outputs].map(({ assetID }) => assetID)
    return explainDraft(draft, {
      ours: this.addresses,
      assets: await this.book.facts(assetIDs, draft.context, call),
      now: this.now(),
    })
  }

  /** The whole way of one transaction, and of those that replace it where it can no longer be accepted. */
  async run(recipe: Recipe, options: RunOptions = {}): Promise<Receipt> {
    return this.once.run(options, () => this.pay(recipe, options))
  }

  async payments(keys: readonly string[] | undefined): Promise<Payment[]> {
    return this.dispatch.payments(keys)
  }

  private async pay(recipe: Recipe, options: RunOptions): Promise<Receipt> {
    const { maxRebuilds = 3 } = this.options
    let replaced: readonly UTXOID[] = []
    for (let attempt = 0; ; attempt++) {
      const gate = this.gate()
      try {
        const kept = await this.keep(recipe, options, gate.enter, replaced, attempt > 0)
        const { txID, outcome, explanation } = await this.send(kept, options, true)
        const again =
          outcome.status === 'refused' &&
          attempt < maxRebuilds &&
          outcome.error.class === 'rebuild' &&
          outcome.error.code !== 'INCOMPATIBLE_FX'
        if (!again) return receiptOf(txID, outcome, explanation)
        replaced = kept.draft.utxos
      } finally {
        gate.leave()
      }
    }
  }

  /** Lets others wait for a payment from when it holds coins. */
  private gate(): { readonly enter: () => void; readonly leave: () => void } {
    let leave = () => {}
    const done = new Promise<void>((resolve) => {
      leave = resolve
    })
    return {
      enter: () => this.active.add(done),
      leave: () => {
        this.active.delete(done)
        leave()
      },
    }
  }

  /** Confirms, signs and submits a draft; its coins are given back if nothing was sent. */
  private async send(
    { draft, release }: Kept,
    options: RunOptions,
    explained: boolean,
  ): Promise<{ txID: Uint8Array; outcome: Outcome; explanation?: Explanation }> {
    try {
      const confirm = options.confirm ?? this.options.confirm
      const explanation =
        explained || confirm !== undefined ? await this.explain(draft, options) : undefined
      if (confirm !== undefined && !(await confirm(explanation!, draft)))
        throw new WalletError(
          'NOT_CONFIRMED',
          'the transaction was not confirmed, nothing was sent',
        )
      const { bytes, signedTx: tx, txID } = requireSigned(await this.sign(draft, options))
      refuseAborted(options.signal)
      const outcome = await this.submitParcel({ bytes, tx, txID }, options)
      return { txID, outcome, ...(explanation === undefined ? {} : { explanation }) }
    } finally {
      // What was submitted is no longer the draft's.
      release()
    }
  }

  async sign(draft: Draft, { accept = [] }: SendOptions = {}): Promise<SignResult> {
    return signWith(this.options, draft, accept)
  }

  async submit(tx: Signed | SignedTx | Uint8Array, options: RunOptions = {}): Promise<Receipt> {
    const bytes = tx instanceof Uint8Array ? tx : 'bytes' in tx ? tx.bytes : encodeTx(tx)
    const parcel = parcelOf(bytes)
    return this.once.run(options, async () =>
      receiptOf(parcel.txID, await this.submitParcel(parcel, options)),
    )
  }

  private submitParcel(parcel: Parcel, options: RunOptions): Promise<Outcome> {
    return this.dispatch.submit(parcel, keysOf(options), waitOptions(options))
  }

  async resume(options: Pick<SendOptions, 'wait' | 'signal'> = {}): Promise<Settled[]> {
    return this.dispatch.resume(waitOptions(options))
  }

  /** What a batch would do. */
  async preview(job: (context: NetworkContext) => BatchJob): Promise<BatchPreview> {
    return this.newBatch(job(await this.context()), {}, []).preview()
  }

  /** Settles the journal, then runs a batch. */
  async batch(
    job: (context: NetworkContext) => BatchJob,
    options: SendOptions & BatchOptions = {},
  ): Promise<BatchResult> {
    const kind = job(await orAborted(this.context(), options.signal))
    const settled = await this.resume(options)
    return this.newBatch(kind, options, settled).run()
  }

  private newBatch(
    job: BatchJob,
    options: SendOptions & BatchOptions,
    settled: readonly Settled[],
  ): Batch {
    const { confirmPlan, onProgress, inFlight = 4, signal } = options
    const tools: BatchTools = {
      book: this.book,
      inFlight,
      signal,
      view: (source) =>
        this.view(source, { refresh: true, ...(signal === undefined ? {} : { signal }) }),
      send: (draft) => this.sendPart(draft, options),
      confirmPlan: async (preview) => (await confirmPlan?.(preview)) ?? true,
      onProgress: (progress) => onProgress?.(progress),
    }
    return new Batch(job, tools, settled)
  }

  private async sendPart(
    draft: Draft,
    options: SendOptions,
  ): Promise<{ txID: Uint8Array; outcome: Outcome }> {
    refuseAborted(options.signal)
    const holder = {}
    this.desk.hold(draft.utxos, holder)
    const gate = this.gate()
    gate.enter()
    try {
      const release = () => this.desk.release(draft.utxos, holder)
      return await this.send({ draft, release }, options, false)
    } finally {
      gate.leave()
    }
  }
}

/** A coin that the replaced transaction spends and that is still there. */
function shared(replaced: readonly UTXOID[], { coins }: View): UTXOID[] {
  const coin = replaced.find((id) => coins.get(id)?.output.type === 'secp256k1fx.TransferOutput')
  return coin === undefined ? [] : [coin]
}

/** Whether coins of others would have helped. */
function wantsReserved(error: unknown): boolean {
  if (error instanceof FundsError)
    return (
      error.assets.some(({ reserved }) => reserved > 0n) &&
      error.assets.every(({ needed, available, reserved }) => available + reserved >= needed)
    )
  // Mint rights and the like are not summed up.
  return error instanceof BuildError && error.code === 'NO_USABLE_UTXO'
}
