import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { VerifyError } from '../../core/base/errors.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { AssetSums } from '../../core/chain/amounts.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { decodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import { FundsError } from '../../core/coins/errors.ts'
import { UTXOSet } from '../../core/coins/utxo-set.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { buildTransfer } from '../../core/draft/x/transfer.ts'
import { EVIDENCE_AMOUNT } from '../../wallet/evidence/own-outputs.ts'
import type { WalletName } from '../chain/outputs.ts'
import type { Queries } from '../database/database.ts'
import { amountOf, type Bytes, type Digits, idColumns } from '../database/values.ts'
import type { Settings } from '../settings.ts'
import type { TakenPayout } from './queue.ts'

/** Maximum number of UTXOs per asset from which the inputs of a draft are selected. */
const MAX_SELECTABLE_UTXOS = 384
/** Maximum number of outputs into which the change of an asset is split. */
const MAX_SPLIT = 8
/**
 * SQL condition: the locktime of an output has passed, by the clock of the database, which all workers share. Five
 * seconds are added, because the clocks of nodes decide and may be behind.
 */
export const IS_UNLOCKED = `locktime <= extract(epoch FROM now()) - 5`

/** How much of an asset is missing for the first payout that cannot be made. */
export type Missing = {
  readonly assetID: Uint8Array
  readonly amount: bigint
  /** Row number of the payout, if it is not the first that waits for the asset. */
  readonly seq?: Digits | undefined
}

/** Payouts that can be made now, and what is missing for the others. */
export type Funded = {
  readonly payouts: readonly TakenPayout[]
  /** Undefined if no payout can be made. */
  readonly draft: Draft | undefined
  readonly missing: readonly Missing[]
  /** Assets of payouts that cannot be made now, and that keep later ones waiting. */
  readonly short: readonly Uint8Array[]
  /** Payouts without funds that others, which were not among those given, may be made before. */
  readonly passed?: readonly TakenPayout[] | undefined
  /**
   * An asset of which the first payout needs more UTXOs than fit into a transaction: they have to be consolidated
   * first. `amount` is what is missing if they cannot be; 0n if that is not known.
   */
  readonly scattered?: Missing | undefined
  /** The first payout, if no transaction can make it with these UTXOs, and why. */
  readonly unpayable?: { readonly payout: TakenPayout; readonly reason: string } | undefined
}

/** The latest locktime of UTXOs: Unix seconds from which all of them can be spent. */
export function unlockedAt(utxos: readonly UTXO[]): bigint {
  return utxos.reduce(
    (latest, { output: { locktime } }) => (locktime > latest ? locktime : latest),
    0n,
  )
}

/** SQL condition: an output is unspent, not reserved or claimed, and one signature can spend it. */
export const IS_FREE = `spent_tx IS NULL AND draft IS NULL AND NOT claimed AND is_simple`

/**
 * Locks the largest free UTXOs of an asset until their sum reaches an amount, at most {@link MAX_SELECTABLE_UTXOS}.
 *
 * @param except - UTXOs that are left out
 */
export async function lockUTXOs(
  tx: Queries,
  wallet: WalletName,
  owners: readonly Uint8Array[],
  assetID: Uint8Array,
  amount: bigint,
  except: readonly UTXOID[] = [],
): Promise<UTXO[]> {
  for (let limit = 4; ; limit *= 8) {
    const size = Math.min(limit, MAX_SELECTABLE_UTXOS)
    const rows = await tx.query<{ utxo: Bytes; amount: Digits }>(
      `SELECT utxo, amount FROM @.outputs
       WHERE wallet = $1 AND asset_id = $2 AND ${IS_FREE} AND ${IS_UNLOCKED} AND address = ANY($3::bytea[])
         AND (tx_id, output_index) NOT IN (SELECT * FROM unnest($5::bytea[], $6::bigint[]))
       ORDER BY amount DESC LIMIT $4 FOR UPDATE SKIP LOCKED`,
      [wallet, assetID, owners, size, ...idColumns(except)],
    )
    const sum = rows.reduce((total, row) => total + BigInt(row.amount), 0n)
    if (sum >= amount || rows.length < size || size === MAX_SELECTABLE_UTXOS)
      return rows.map(({ utxo }) => decodeUTXO(utxo))
  }
}

/**
 * Drafts a transaction for as many of the payouts, in their order, as fit and as the free UTXOs of the hot wallet can
 * pay. The first payout that they cannot pay blocks those of the same asset after it, so that small payouts cannot
 * delay a large one; after some time they may.
 *
 * @param pinned - UTXOs that the draft must spend, whoever owns them
 */
export async function fundPayouts(
  tx: Queries,
  settings: Settings,
  payouts: readonly TakenPayout[],
  pinned: readonly UTXO[] = [],
): Promise<Funded> {
  const { context, hot } = settings
  const fee = { assetID: context.assetID, amount: context.txFee }
  const needs = new AssetSums([fee, ...payouts.map(({ assetID, amount }) => ({ assetID, amount }))])
  const utxos: UTXO[] = [...pinned]
  const available = new AssetSums(
    pinned.map(({ assetID, output }) => ({ assetID, amount: amountOf(output) })),
  )
  /** Assets of which there may be more UTXOs than those that were locked. */
  const capped = new Set<string>()
  for (const { assetID, amount } of needs.list()) {
    const needed = amount - available.get(assetID)
    if (needed <= 0n) continue
    const locked = await lockUTXOs(tx, 'hot', hot, assetID, needed, pinned)
    utxos.push(...locked)
    for (const utxo of locked) available.add(assetID, amountOf(utxo.output))
    if (locked.length === MAX_SELECTABLE_UTXOS && available.get(assetID) < amount)
      capped.add(hex.encode(assetID))
  }
  const covering = coveredBy(available, payouts, fee)
  const { covered, missing: uncovered } = covering
  const isCapped = ({ assetID }: Missing) => capped.has(hex.encode(assetID))
  const missing = await missingAfterChange(
    tx,
    hot,
    uncovered.filter((one) => !isCapped(one)),
  )
  if (covered.length === 0 && (pinned.length === 0 || payouts.length > 0)) {
    const { passed } = covering
    const short = payouts.filter((one) => !passed.includes(one)).map(({ assetID }) => assetID)
    const scattered = uncovered.find(isCapped)
    return { payouts: [], draft: undefined, missing, short, passed, scattered }
  }
  for (let count = covered.length; ; count = Math.floor(count / 2)) {
    const chosen = covered.slice(0, count)
    try {
      const draft = draftFor(settings, chosen, utxos, pinned, [])
      const split = pinned.length > 0 ? [] : await splitChange(tx, settings, draft, chosen)
      return {
        payouts: chosen,
        draft: split.length === 0 ? draft : draftFor(settings, chosen, draft.utxos, pinned, split),
        missing,
        short: [],
      }
    } catch (error) {
      // Too many small UTXOs for one transaction, or inputs of more than 2^64 − 1: fewer payouts need fewer of them.
      const isOverflow = error instanceof VerifyError && error.code === 'AMOUNT_OVERFLOW'
      if (!isOverflow && !(error instanceof FundsError)) throw error
      if (count > 1) continue
      if (isOverflow && count === 1)
        return {
          payouts: [],
          draft: undefined,
          missing: [],
          short: [],
          unpayable: {
            payout: chosen[0]!,
            reason: 'its inputs would add up to more than 2^64 − 1',
          },
        }
      const short = chosen.map(({ assetID }) => assetID)
      const scattered = { assetID: mostFrequentAsset(utxos), amount: 0n }
      return { payouts: [], draft: undefined, missing: [], short, scattered }
    }
  }
}

/**
 * Drafts a cancellation: spends the pinned UTXOs back to the hot wallet. It has an output for each payout that it ends,
 * as far as they fit: each of them may be made again, and then spends one. Undefined for lack of funds.
 *
 * @param count - number of payouts
 */
export async function fundCancellation(
  tx: Queries,
  settings: Settings,
  pinned: readonly UTXO[],
  count: number,
): Promise<Draft | undefined> {
  const { context, hot } = settings
  const { assetID, txFee } = context
  const available = new AssetSums(
    pinned.map((utxo) => ({ assetID: utxo.assetID, amount: amountOf(utxo.output) })),
  )
  const needed = txFee + BigInt(count) * EVIDENCE_AMOUNT - available.get(assetID)
  const added = needed > 0n ? await lockUTXOs(tx, 'hot', hot, assetID, needed, pinned) : []
  const utxos = [...pinned, ...added]
  const room = (MAX_SIGNED_SIZE - utxos.length * SIGNED_INPUT_SIZE) / CHANGE_OUTPUT_SIZE
  const outputs = Array.from({ length: Math.max(1, Math.min(count, Math.floor(room))) }, () => {
    return { assetID, amount: EVIDENCE_AMOUNT }
  })
  try {
    // Usually the change is one of the outputs.
    const draft = draftFor(settings, [], utxos, pinned, outputs.slice(1))
    return draft.unsignedTx.outputs.length >= outputs.length
      ? draft
      : draftFor(settings, [], utxos, pinned, outputs)
  } catch (error) {
    if (!(error instanceof FundsError)) throw error
    return undefined
  }
}

function mostFrequentAsset(utxos: readonly UTXO[]): Uint8Array {
  const counts = new AssetSums(utxos.map(({ assetID }) => ({ assetID, amount: 1n })))
  return counts.list().reduce((most, one) => (one.amount > most.amount ? one : most)).assetID
}

/** The payouts that the available amounts cover, in their order, and what is missing for the first others. */
function coveredBy(
  available: AssetSums,
  payouts: readonly TakenPayout[],
  fee: { readonly assetID: Uint8Array; readonly amount: bigint },
): { covered: TakenPayout[]; missing: Missing[]; passed: TakenPayout[] } {
  const used = new AssetSums([fee])
  const missing = new Map<string, Missing>()
  const addMissing = (assetID: Uint8Array, amount: bigint) => {
    const name = hex.encode(assetID)
    if (!missing.has(name)) missing.set(name, { assetID, amount })
  }
  const missingFee = fee.amount - available.get(fee.assetID)
  if (missingFee > 0n) {
    const first = payouts.find(({ assetID }) => equalBytes(assetID, fee.assetID))
    addMissing(fee.assetID, missingFee + (first?.amount ?? 0n))
    return { covered: [], missing: [...missing.values()], passed: [] }
  }
  /** Assets whose later payouts wait. */
  const blocked = new Set<string>()
  const passed: TakenPayout[] = []
  const missingForPassed: Missing[] = []
  /** Assets whose sum would exceed 64 bits, the limit of a transaction. */
  const full = new Set<string>()
  const covered = payouts.filter((payout) => {
    const { seq, assetID, amount, isPassable } = payout
    const name = hex.encode(assetID)
    if (blocked.has(name) || full.has(name)) return false
    const needed = used.get(assetID) + amount
    const short = needed - available.get(assetID)
    if (short > 0n) {
      // If one has waited long enough, the asset has been short for so long.
      if (isPassable || passed.some((one) => equalBytes(one.assetID, assetID))) {
        passed.push(payout)
        missingForPassed.push({ assetID, amount: short, seq })
      } else {
        blocked.add(name)
        missing.set(name, { assetID, amount: short, seq })
      }
      return false
    }
    if (needed > MAX_U64) {
      full.add(name)
      return false
    }
    used.add(assetID, amount)
    return true
  })
  return { covered, missing: [...missingForPassed, ...missing.values()], passed }
}

/** The amounts that will still be missing once the change of pending transactions is available. */
async function missingAfterChange(
  tx: Queries,
  hot: readonly Uint8Array[],
  missing: readonly Missing[],
): Promise<Missing[]> {
  if (missing.length === 0) return []
  const rows = await tx.query<{ asset_id: Bytes; returning: Digits }>(
    `SELECT asset_id, sum(amount) AS returning FROM (
       SELECT asset_id, amount FROM @.outputs
         WHERE address = ANY($2::bytea[]) AND asset_id = ANY($1::bytea[]) AND spent_tx IS NULL
           AND (claimed OR draft IS NOT NULL)
       UNION ALL
       SELECT asset_id, -amount FROM @.payments
         WHERE asset_id = ANY($1::bytea[]) AND (status = 'pending' OR status = 'queued' AND draft IS NOT NULL)
     ) AS under_way GROUP BY asset_id`,
    [missing.map(({ assetID }) => assetID), hot],
  )
  const returning = new Map(rows.map((row) => [hex.encode(row.asset_id), BigInt(row.returning)]))
  return missing
    .map(({ assetID, amount, seq }) => ({
      assetID,
      seq,
      amount: amount - (returning.get(hex.encode(assetID)) ?? 0n),
    }))
    .filter(({ amount }) => amount > 0n)
}

type Split = { readonly assetID: Uint8Array; readonly amount: bigint }

function draftFor(
  { context, hot }: Settings,
  payouts: readonly TakenPayout[],
  utxos: readonly UTXO[],
  pinned: readonly UTXO[],
  split: readonly Split[],
): Draft {
  const set = new UTXOSet()
  set.add(utxos)
  // Pinned UTXOs may belong to deposit addresses.
  const owners = [...hot, ...pinned.flatMap(({ output }) => output.addresses)]
  const changeTo = hot[0]!
  const memo = payouts[0]?.memo
  return buildTransfer({
    context,
    funds: { utxos: set, owners, now: unlockedAt(utxos), pinned },
    outputs: [
      ...payouts.map(({ address, assetID, amount }) => ({ to: address, assetID, amount })),
      ...split.map(({ assetID, amount }) => ({ to: changeTo, assetID, amount })),
    ],
    changeTo,
    memo,
  })
}

/**
 * Parts of the change that become separate UTXOs, if the hot wallet has so few that workers would wait for each other.
 * Each part is large enough to pay for another batch like this one.
 */
async function splitChange(
  tx: Queries,
  { limits, hot, context }: Settings,
  { change, signedSize }: Draft,
  payouts: readonly TakenPayout[],
): Promise<Split[]> {
  const spent = new AssetSums([{ assetID: context.assetID, amount: context.txFee }])
  for (const { assetID, amount } of payouts) spent.add(assetID, amount)
  const split: Split[] = []
  /** Number of outputs that still fit into the transaction. */
  let room = Math.floor((MAX_SIGNED_SIZE - signedSize) / CHANGE_OUTPUT_SIZE)
  for (const { assetID, amount } of change) {
    const [row] = await tx.query<{ free: Digits }>(
      `SELECT count(*) AS free FROM (SELECT FROM @.outputs
         WHERE wallet = 'hot' AND asset_id = $1 AND spent_tx IS NULL AND is_simple AND amount > ${EVIDENCE_AMOUNT}
           AND address = ANY($2::bytea[]) LIMIT $3) AS present`,
      [assetID, hot, limits.spareUTXOs],
    )
    const wanted = Math.min(MAX_SPLIT, limits.spareUTXOs - Number(row!.free))
    const possible = Number(amount / (spent.get(assetID) || 1n))
    const parts = Math.min(wanted, possible, room)
    if (parts < 2) continue
    room -= parts - 1
    for (let i = 1; i < parts; i++) split.push({ assetID, amount: amount / BigInt(parts) })
  }
  return split
}

/** Size limit of a signed transaction with split change, and the size of an output, in bytes. */
const MAX_SIGNED_SIZE = 65_000
const CHANGE_OUTPUT_SIZE = 80
/** Size of an input with its signature, in bytes. */
const SIGNED_INPUT_SIZE = 161

/** Returns those of the UTXOs that one signature can spend and that no block has spent. */
export async function unspentUTXOs(tx: Queries, ids: readonly UTXOID[]): Promise<UTXO[]> {
  const rows = await tx.query<{ utxo: Bytes }>(
    `SELECT utxo FROM @.outputs JOIN unnest($1::bytea[], $2::bigint[]) AS wanted(t, o)
       ON tx_id = t AND output_index = o WHERE coalesce(spent_tx, '') = '' AND is_simple`,
    idColumns(ids),
  )
  return rows.map(({ utxo }) => decodeUTXO(utxo))
}
