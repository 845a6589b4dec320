import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import { type AssetAmount, AssetSums } from '../../core/chain/amounts.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { type Source, UTXOSet } from '../../core/coins/utxo-set.ts'
import type { Draft } from '../../core/draft/draft.ts'
import type { Plan } from '../../core/draft/plan.ts'
import type { WalletView } from '../payments/intents.ts'

/** Sums over all transactions of a batch. */
export type BatchTotal = {
  readonly transactions: number
  /** UTXOs that they spend, without those that they create themselves. */
  readonly utxoCount: number
  /** In the native asset. */
  readonly fee: bigint
  /** Amounts at the target after the last transaction, per asset. */
  readonly moved: readonly AssetAmount[]
}

/**
 * Limit for the transactions and rounds of a batch. One that spends none of the UTXOs at the beginning is not needed, but
 * a server can invent UTXOs and acceptances.
 */
export function maxTransactions({ utxos }: WalletView, source: Source): number {
  return 16 + utxos.size(source)
}

/** Adds up transactions. UTXOs that one of them creates and another spends are not counted. */
export class Tally {
  /** UTXOs that they spend, without those that they create themselves. */
  utxoCount = 0
  private transactions = 0
  private fee = 0n
  private readonly moved = new AssetSums()
  /** Whether an output that the transactions created counts as moved, by UTXO key; change does not. */
  private readonly createdOutputs = new Map<string, boolean>()

  count(draft: Draft, txID: Uint8Array): void {
    this.transactions++
    this.fee += draft.fee
    for (const utxo of draft.utxos) {
      const isMoved = this.createdOutputs.get(utxoKey(utxo))
      if (isMoved === undefined) this.utxoCount++
      else if (isMoved && 'amount' in utxo.output) this.moved.add(utxo.assetID, -utxo.output.amount)
    }
    const change = new AssetSums(draft.change)
    draft.unsignedTx.outputs.forEach(({ assetID, output: { amount } }, outputIndex) => {
      const isMoved = change.get(assetID) !== amount
      this.createdOutputs.set(utxoKey({ txID, outputIndex }), isMoved)
      if (isMoved) this.moved.add(assetID, amount)
      else change.add(assetID, -amount)
    })
  }

  total(): BatchTotal {
    const { transactions, utxoCount, fee } = this
    return { transactions, utxoCount, fee, moved: this.moved.list() }
  }
}

/**
 * Adds up a plan and the rounds that follow it.
 *
 * @param repeats - whether a round follows a plan
 * @param next - plans a round as if the rounds before were accepted
 * @param maxRounds - rounds after which it ends in any case
 */
export function totalOf(
  first: Plan,
  view: WalletView,
  repeats: (plan: Plan) => boolean,
  next: (view: WalletView) => Plan,
  maxRounds: number,
): BatchTotal {
  const tally = new Tally()
  let plan = first
  let { utxos } = view
  let drafted = 0
  for (let round = 0; round < maxRounds; round++) {
    const created: UTXO[] = []
    const spent = new Set<string>()
    for (const draft of plan.drafts()) {
      // A placeholder: the real ID depends on the signatures.
      const txID = new Uint8Array(ID_SIZE).fill(0xff)
      new DataView(txID.buffer).setUint32(0, drafted++)
      tally.count(draft, txID)
      for (const utxo of draft.utxos) spent.add(utxoKey(utxo))
      draft.unsignedTx.outputs.forEach((output, outputIndex) => {
        created.push({ txID, outputIndex, ...output })
      })
    }
    if (plan.transactions === 0 || !repeats(plan)) break
    const isLeft = (utxo: UTXO) => !spent.has(utxoKey(utxo)) && !utxos.isReserved(utxo, view.now)
    const after = new UTXOSet()
    after.add(created)
    for (const source of [{}, ...utxos.sourceChains.map((sourceChain) => ({ sourceChain }))])
      after.add(utxos.ofType('secp256k1fx.TransferOutput', source).filter(isLeft), source)
    utxos = after
    plan = next({ ...view, utxos })
  }
  return tally.total()
}
