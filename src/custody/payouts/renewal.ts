import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { hashToSign, txID as idOf, utxoKey } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import { decodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import { conflictingInputs } from '../../wallet/payments/conflicts.ts'
import { MAX_VARIANTS, variantOf } from '../../wallet/recovery/variant.ts'
import { StoreError } from '../../wallet/store/errors.ts'
import type { Attempt, Claim, ClaimedPayment } from '../../wallet/store/store.ts'
import { lockChain, readNextHeight, readSynced } from '../database/chain-row.ts'
import { isPendingAttempt, loadClaims, recordClaim } from '../database/claim-rows.ts'
import type { Database, Queries } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits, keyOf } from '../database/values.ts'
import { keysFor } from '../deposits/derived-keys.ts'
import type { Settings } from '../settings.ts'
import type { Claimer } from './claimer.ts'
import { insertDraft, type ReservedDraft, reserveUTXOs } from './drafts.ts'
import { fundCancellation, fundPayouts, unspentUTXOs } from './funding.ts'
import type { DueAttempt, PayoutIssuer } from './issuer.ts'
import { PAYOUT_COLUMNS, payoutOf } from './queue.ts'

/** Maximum number of transactions behind an attempt that are issued again. */
const MAX_ANCESTORS = 16

/**
 * Continues an attempt that every server has rejected. If the fee of the network has risen, the same payouts are
 * drafted again with inputs of the attempt; otherwise the transaction is signed again, because servers cache rejections
 * by ID. Both conflict with all earlier attempts, so at most one of them can be accepted.
 */
export async function renewAttempt(
  settings: Settings,
  { claimer, issuer }: { readonly claimer: Claimer; readonly issuer: PayoutIssuer },
  attempt: DueAttempt,
): Promise<void> {
  await settings.refreshFees()
  const { purpose, fee } = attempt
  const isUnderpaid = purpose !== 'wallet' && BigInt(fee) < settings.context.txFee
  if (!isUnderpaid) await issueAncestors(settings, issuer, attempt)
  const isRenewed = isUnderpaid
    ? await raiseFee(settings, claimer, attempt)
    : await vary(settings, issuer, attempt)
  if (!isRenewed) await issueAgain(issuer, attempt)
}

/**
 * Continues an attempt that every server has rejected while nothing may be claimed: it is issued as it is, after the
 * transactions behind it. If the last block that was applied was false and no honest server makes another one, only
 * these transactions can show it.
 */
export async function repeatAttempt(
  settings: Settings,
  issuer: PayoutIssuer,
  attempt: DueAttempt,
): Promise<void> {
  await issueAncestors(settings, issuer, attempt)
  await issueAgain(issuer, attempt)
}

function issueAgain(issuer: PayoutIssuer, { tx_id, bytes, issued }: DueAttempt): Promise<void> {
  return issuer.issue({ txID: bytesOf(tx_id), bytes: bytesOf(bytes), issued: issued + 1 })
}

/**
 * Issues own transactions that created inputs of an attempt, oldest first, although they count as accepted: a dishonest
 * server may have shown them while no other has them.
 */
async function issueAncestors(
  { database }: Settings,
  issuer: PayoutIssuer,
  { bytes, issued }: DueAttempt,
): Promise<void> {
  const found = new Map<string, Uint8Array>()
  let inputs = consumedUTXOs(decodeTx(bytesOf(bytes)).unsignedTx)
  while (inputs.length > 0 && found.size < MAX_ANCESTORS) {
    const rows = await database.query<{ tx_id: Bytes; bytes: Bytes }>(
      `SELECT DISTINCT tx_id, bytes FROM @.attempts WHERE tx_id = ANY($1::bytea[]) AND outcome = 'accepted' AND leg IS NULL
       LIMIT ${MAX_ANCESTORS}`,
      [inputs.map(({ txID }) => txID)],
    )
    const added = rows.filter(({ tx_id }) => !found.has(hex.encode(tx_id)))
    for (const row of added) found.set(hex.encode(row.tx_id), bytesOf(row.bytes))
    inputs = added.flatMap((row) => consumedUTXOs(decodeTx(bytesOf(row.bytes)).unsignedTx))
  }
  for (const before of [...found.values()].slice(0, MAX_ANCESTORS).reverse())
    await issuer.issue({ txID: idOf(before), bytes: before, issued })
}

/**
 * Drafts the payouts of an attempt again with the current fee. Sweeps are canceled instead, and planned again later.
 *
 * @returns whether another attempt was claimed
 */
async function raiseFee(
  settings: Settings,
  claimer: Claimer,
  { seq, purpose, kind }: DueAttempt,
): Promise<boolean> {
  const isPayout = purpose === 'payout' && kind === 'payment'
  const found = await settings.database.transaction(async (tx) => {
    // Locked, because a block may be spending the UTXOs that are reserved below. The claim checks whether the attempt
    // is still pending.
    const { nextHeight = 1n } = await lockChain(tx)
    const rows = await tx.query<Parameters<typeof payoutOf>[0]>(
      `SELECT ${PAYOUT_COLUMNS} FROM @.payments JOIN (
         SELECT ap.payment, ap.position FROM @.attempts a JOIN @.attempt_payments ap ON ap.attempt = a.seq
         WHERE a.seq = $1 AND a.outcome IS NULL
       ) AS paid ON paid.payment = seq ORDER BY paid.position`,
      [seq],
    )
    const payments = rows.map((row) => ({ key: keyOf(row.key), digest: bytesOf(row.digest) }))
    const replaced = await inputsToSpend(tx, payments)
    if (replaced === undefined) return undefined
    const { pinned, count } = replaced
    const { draft, payouts } = isPayout
      ? await fundPayouts(tx, settings, rows.map(payoutOf), pinned)
      : { draft: await fundCancellation(tx, settings, pinned, count), payouts: [] }
    if (draft === undefined) return undefined
    const id = await insertDraft(tx, settings, purpose, [])
    await reserveUTXOs(tx, id, draft.utxos)
    const reserved: ReservedDraft = { id, draft, fromHeight: nextHeight }
    return {
      reserved,
      payments: isPayout ? payouts.map(({ key, digest }) => ({ key, digest })) : payments,
    }
  })
  return (
    found !== undefined &&
    claimer.claimAndIssue(found.reserved, found.payments, {
      purpose: isPayout ? purpose : 'cancellation',
      kind: isPayout ? 'payment' : 'cancellation',
      replaces: seq,
    })
  )
}

/**
 * The unspent inputs of the newest attempt for payments, at least one input of every other attempt, and the number of
 * payments of these attempts; undefined if an attempt has no unspent input.
 */
async function inputsToSpend(tx: Queries, payments: readonly ClaimedPayment[]) {
  const keys = payments.map(({ key }) => key)
  const { claims } = await loadClaims(tx, { keys })
  const attempts = new Set<Attempt>(keys.flatMap((key) => claims.payments.get(key)?.attempts ?? []))
  const paying = [...attempts].filter((one) => one.kind !== 'cancellation')
  const newest = paying.at(-1)
  if (newest === undefined) return undefined
  const utxos = await unspentUTXOs(
    tx,
    paying.flatMap(({ inputs }) => inputs),
  )
  const known = new Map(utxos.map((utxo) => [utxoKey(utxo), utxo]))
  const shared = conflictingInputs(paying, (id) => known.has(utxoKey(id)))
  if (shared === undefined) return undefined
  const names = new Set([...newest.inputs, ...shared].map(utxoKey))
  const pinned = [...names].flatMap((name) => known.get(name) ?? [])
  return { pinned, count: new Set(paying.flatMap((one) => one.keys)).size }
}

/** Claims and issues the same transaction with other signatures. False if that is not possible. */
async function vary(
  settings: Settings,
  issuer: PayoutIssuer,
  { seq, kind, purpose, bytes, from_height, fee }: DueAttempt,
): Promise<boolean> {
  const { database, limits, log } = settings
  const variant = await variantWith(settings, bytesOf(bytes))
  if (variant === undefined) return false
  const payments = await paymentsOf(database, seq, decodeTx(variant))
  if (payments === undefined) return false
  const nextHeight = await readNextHeight(database)
  const first = BigInt(from_height)
  const fromHeight = nextHeight !== undefined && nextHeight < first ? nextHeight : first
  const claim: Claim = { kind, payments, bytes: variant, fromHeight }
  const notes = { purpose, fee: BigInt(fee), resendMs: limits.resendMs }
  try {
    const isClaimed = await database.transaction(async (tx) => {
      await lockChain(tx)
      // If the attempt has ended meanwhile, there is nothing to renew: its payouts are paid or back in the queue.
      const isPending = (await readSynced(tx, database.schema)) && (await isPendingAttempt(tx, seq))
      if (isPending) await recordClaim(tx, claim, notes)
      return isPending
    })
    if (!isClaimed) return true
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    // Otherwise the chain may have decided meanwhile. After a false block was taken back, two attempts for a payout can be
    // pending that no single transaction conflicts with: then each of them is issued as it is.
    return error.code !== 'EVIDENCE_UNSPENT' && error.code !== 'KEY_PENDING'
  }
  await log('info', 'attempt.varied', 'a rejected transaction was signed again', { seq })
  await issuer.issue({ txID: idOf(variant), bytes: variant, issued: 0 })
  return true
}

async function variantWith(settings: Settings, bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const { database, backend } = settings
  const tx = decodeTx(bytes)
  const utxos = await unspentUTXOs(database, consumedUTXOs(tx.unsignedTx))
  const { keys, wipe } = await keysFor(database, settings, utxos)
  try {
    return keys && variantOf(tx, keys, backend)
  } finally {
    wipe()
  }
}

/** The payments of an attempt; undefined if there are none, or it has too many variants already. */
async function paymentsOf(
  database: Database,
  seq: Digits,
  { unsignedTx }: SignedTx,
): Promise<ClaimedPayment[] | undefined> {
  const rows = await database.query<{ key: string; digest: Uint8Array; generated: boolean }>(
    `SELECT p.key, p.digest, p.generated FROM @.attempt_payments ap JOIN @.payments p ON p.seq = ap.payment
     WHERE ap.attempt = $1 ORDER BY ap.position`,
    [seq],
  )
  const pending = await database.query<{ bytes: Bytes }>(
    `SELECT a.bytes FROM @.attempt_payments own JOIN @.attempt_payments other ON other.payment = own.payment
       JOIN @.attempts a ON a.seq = other.attempt AND a.outcome IS NULL
     WHERE own.attempt = $1 AND own.position = 1`,
    [seq],
  )
  const hash = hashToSign(unsignedTx)
  const variants = pending.filter(({ bytes }) =>
    equalBytes(hashToSign(decodeTx(bytesOf(bytes)).unsignedTx), hash),
  )
  if (rows.length === 0 || variants.length > MAX_VARIANTS) return undefined
  return rows.map(({ key, digest, generated }) => ({
    key: keyOf(key),
    digest: bytesOf(digest),
    generated,
  }))
}
