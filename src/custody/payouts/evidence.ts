import { formatID } from '../../core/base/encoding/ids.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { decodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import { conflictingInputs } from '../../wallet/payments/conflicts.ts'
import type { Queries } from '../database/database.ts'
import { type EndedRow, loadEnded, markAsked } from '../database/ended-rows.ts'
import { type Bytes, type Digits, idColumns, keyColumn } from '../database/values.ts'
import type { Settings } from '../settings.ts'
import { IS_FREE, IS_UNLOCKED } from './funding.ts'
import { holdRows, type TakenPayout } from './queue.ts'

/** Maximum number of UTXOs that a transaction spends only as evidence; others must fit as well. */
const MAX_PINNED = 128

/** An attempt for a payout that ended. */
export type EndedPayout = Pick<EndedRow, 'inputs' | 'evidence' | 'decidedBy'> & {
  /** Whether an operator, or several servers, vouch for the transaction that ended it. */
  readonly isVouched: boolean
}

/** What to do with payouts of which attempts ended. */
export type EvidencePlan<P> = {
  /** Payouts that can be made in one transaction, in their order. */
  readonly payable: readonly P[]
  /** UTXOs that it must spend. */
  readonly pinned: readonly UTXOID[]
  /** Payouts whose evidence other transactions are spending. */
  readonly waiting: readonly P[]
  /** Payouts without evidence, and the transaction that ended an attempt for each. */
  readonly unproven: ReadonlyMap<P, Uint8Array>
}

/**
 * Decides which payouts can be made again. An attempt that ended may be accepted after all if its end was a lie, so the
 * next one conflicts with it or spends an output that exists only if it can never be accepted.
 */
export function planEvidence<P>(
  payouts: readonly P[],
  endedOf: (payout: P) => readonly EndedPayout[],
  isFree: (id: UTXOID) => boolean,
): EvidencePlan<P> {
  const waiting: P[] = []
  const unproven = new Map<P, Uint8Array>()
  /** For each payout that can be made, the choices of inputs for each of its ended attempts. */
  const choices = new Map<P, { readonly inputs: readonly UTXOID[] }[]>()
  for (const payout of payouts) {
    const own: { readonly inputs: readonly UTXOID[] }[] = []
    let isWaiting = false
    for (const { inputs, evidence, decidedBy, isVouched } of endedOf(payout)) {
      const free = [...evidence, ...inputs].filter(isFree)
      if (free.length > 0) own.push({ inputs: free })
      else if (evidence.length > 0) isWaiting = true
      else if (decidedBy !== undefined && !isVouched) unproven.set(payout, decidedBy)
    }
    if (unproven.has(payout)) continue
    if (isWaiting) waiting.push(payout)
    else choices.set(payout, own)
  }
  for (let payable = [...choices.keys()]; ; payable = payable.slice(0, payable.length >> 1)) {
    const needs = payable.flatMap((payout) => choices.get(payout)!)
    const pinned = conflictingInputs(needs, () => true)!
    if (pinned.length <= MAX_PINNED || payable.length <= 1)
      return { payable, pinned, waiting, unproven }
  }
}

/** Payouts to make in one transaction, and the UTXOs that it must spend, which are locked. */
export type ProvenPayouts = {
  readonly payable: readonly TakenPayout[]
  readonly pinned: readonly UTXO[]
  readonly waiting: readonly TakenPayout[]
}

/**
 * Locks the UTXOs that further attempts for payouts must spend. Payouts without such UTXOs are held until an operator
 * releases them, unless several servers have agreed on the blocks.
 */
export async function lockEvidence(
  tx: Queries,
  settings: Settings,
  payouts: readonly TakenPayout[],
): Promise<ProvenPayouts> {
  const repeated = payouts.filter(({ hasEnded }) => hasEnded)
  if (repeated.length === 0) return { payable: payouts, pinned: [], waiting: [] }
  const ended = await loadEnded(tx, { keys: repeated.map(({ key }) => keyColumn(key)) })
  const asked = await tx.query<{ attempt: Digits; payment: Digits }>(
    'SELECT attempt, payment FROM @.attempt_payments WHERE payment = ANY($1::bigint[]) AND asked',
    [repeated.map(({ seq }) => seq)],
  )
  const vouched = new Set(asked.map(({ attempt, payment }) => `${attempt} ${payment}`))
  const free = await lockFree(
    tx,
    settings,
    ended.flatMap(({ evidence, inputs }) => [...evidence, ...inputs]),
  )
  const byKey = new Map<string, EndedRow[]>()
  for (const one of ended)
    for (const key of one.keys) byKey.set(key, [...(byKey.get(key) ?? []), one])
  const isAgreed = settings.chain.quorum > 1
  const plan = planEvidence(
    payouts,
    ({ seq, key }) =>
      (byKey.get(key) ?? []).map((one) => {
        return { ...one, isVouched: isAgreed || vouched.has(`${one.seq} ${seq}`) }
      }),
    (id) => free.has(utxoKey(id)),
  )
  await holdUnproven(tx, settings, plan.unproven)
  const { payable, pinned, waiting } = plan
  return { payable, pinned: pinned.map((id) => free.get(utxoKey(id))!), waiting }
}

/** Locks those of the UTXOs that the hot wallet can spend and that are free, by their names. */
async function lockFree(
  tx: Queries,
  { hot }: Settings,
  ids: readonly UTXOID[],
): Promise<Map<string, UTXO>> {
  const distinct = [...new Map(ids.map((id) => [utxoKey(id), id])).values()]
  const rows = await tx.query<{ utxo: Bytes }>(
    `SELECT utxo FROM @.outputs o JOIN unnest($1::bytea[], $2::bigint[]) AS wanted(t, i)
       ON o.tx_id = t AND o.output_index = i
     WHERE wallet = 'hot' AND ${IS_FREE} AND ${IS_UNLOCKED} AND address = ANY($3::bytea[])
     ORDER BY o.tx_id, o.output_index FOR UPDATE OF o SKIP LOCKED`,
    [...idColumns(distinct), hot],
  )
  const utxos = rows.map(({ utxo }) => decodeUTXO(utxo))
  return new Map(utxos.map((utxo) => [utxoKey(utxo), utxo]))
}

/** Holds payouts with a note that names the transaction. Once an operator releases them, they are paid. */
async function holdUnproven(
  tx: Queries,
  settings: Settings,
  unproven: ReadonlyMap<TakenPayout, Uint8Array>,
): Promise<void> {
  const notes = [...unproven].map(([{ seq }, rival]): [Digits, string] => [
    seq,
    `may still be paid: only one server shows ${formatID(rival)}, which ended its transaction`,
  ])
  await holdRows(tx, settings, new Map(notes))
  if (notes.length === 0) return
  await markAsked(
    tx,
    notes.map(([seq]) => seq),
  )
}
