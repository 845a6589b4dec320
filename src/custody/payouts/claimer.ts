import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { requireSigned, type SignResult } from '../../core/sign/job.ts'
import type { CallOptions } from '../../node/http.ts'
import { waitFor } from '../../node/transport/time-limit.ts'
import { AssetLookup } from '../../wallet/assets.ts'
import { WalletError } from '../../wallet/errors.ts'
import { signWithAll } from '../../wallet/payments/signing.ts'
import { nonceEntropy } from '../../wallet/recovery/nonce-entropy.ts'
import { StoreError } from '../../wallet/store/errors.ts'
import type { Claim, ClaimedPayment } from '../../wallet/store/store.ts'
import { stopRefused } from '../control/limit-checks.ts'
import { isSynced, lockChain, syncLock } from '../database/chain-row.ts'
import { isPendingAttempt, recordClaim } from '../database/claim-rows.ts'
import { databaseErrorOf, type Queries } from '../database/database.ts'
import { SQL_STATES } from '../database/guards.ts'
import { type Digits, idColumns, keyColumn, textColumn } from '../database/values.ts'
import { keysFor } from '../deposits/derived-keys.ts'
import type { Settings } from '../settings.ts'
import { type ReservedDraft, releaseDraft } from './drafts.ts'
import type { PayoutIssuer } from './issuer.ts'

/** Time limit for reading what an asset is. */
const ASSET_LOOKUP: CallOptions = { totalMs: 10_000 }

/** Codes of refused claims that no repetition of the claim can change. */
const CONTRADICTORY: readonly string[] = [
  'KEY_ACCEPTED',
  'KEY_CANCELED',
  'KEY_CONFLICT',
  'KEY_PENDING',
]

/** Purpose of a claim, and the conditions under which it is made. */
export type ClaimOptions = {
  /** `payout`, `sweep`, `cancellation`. */
  readonly purpose: string
  /** @defaultValue `payment` */
  readonly kind?: Claim['kind'] | undefined
  /**
   * Whether the payments are payouts that the draft has taken from the queue, all of which must still be queued.
   *
   * @defaultValue false
   */
  readonly areQueued?: boolean | undefined
  /** Row number of the attempt that the claim replaces, which must still be pending. */
  readonly replaces?: Digits | undefined
}

/**
 * Signs reserved drafts, claims them in one transaction of the database, then issues them. If a worker stops before the
 * claim, its reservation expires; after the claim, any worker issues the transaction.
 */
export class Claimer {
  private readonly settings: Settings
  private readonly issuer: PayoutIssuer
  private readonly assets: AssetLookup
  private readonly signal: AbortSignal | undefined

  /** @param signal - ends the waiting for signers */
  constructor(settings: Settings, issuer: PayoutIssuer, signal?: AbortSignal) {
    this.settings = settings
    this.issuer = issuer
    this.assets = new AssetLookup(settings.chain)
    this.signal = signal
  }

  /**
   * Signs a reserved draft, claims it and issues it. False if the reservation had ended, an input was spent, or other
   * claims had reached a limit, before it was claimed: then nothing was issued.
   */
  async claimAndIssue(
    reserved: ReservedDraft,
    payments: readonly ClaimedPayment[],
    { purpose, kind = 'payment', areQueued = false, replaces }: ClaimOptions,
  ): Promise<boolean> {
    const { database, log, limits } = this.settings
    const { id, draft, fromHeight } = reserved
    const details = { draft: id, payouts: payments.length, inputs: draft.utxos.length }
    await log('debug', `${purpose}.reserved`, 'UTXOs are reserved for a transaction', details)
    const queued = areQueued ? payments.map(({ key }) => key) : []
    try {
      await this.assets.requireSpendable(draft, ASSET_LOOKUP)
      const { bytes, txID } = requireSigned(await this.sign(draft))
      await log('debug', `${purpose}.signed`, 'a transaction is signed', details)
      const notes = { purpose, fee: draft.fee, resendMs: limits.resendMs }
      const isClaimed = await database.transaction(async (tx) => {
        if (!(await this.isReserved(tx, reserved, queued, replaces))) return false
        await recordClaim(tx, { kind, payments, bytes, fromHeight }, notes)
        await releaseDraft(tx, id)
        await log('debug', `${purpose}.claiming`, 'a claim is about to be committed', details)
        return true
      })
      if (!isClaimed) {
        await log('warn', `${purpose}.expired`, 'a reservation ended before its claim', details)
        await releaseDraft(database, id)
        return false
      }
      await log('info', `${purpose}.claimed`, 'a transaction is claimed', {
        ...details,
        txID: formatID(txID),
      })
      await this.issuer.issue({ txID, bytes, issued: 0 })
      await log('debug', `${purpose}.issued`, 'a transaction was issued', { txID: formatID(txID) })
      return true
    } catch (error) {
      if (error instanceof WalletError && error.code === 'ASSET_UNSPENDABLE')
        await this.holdUnspendable(reserved, error.message)
      if (error instanceof StoreError && areQueued) await this.holdContradictory(error)
      await releaseDraft(database, id).catch(() => {})
      const { code, message, detail } = databaseErrorOf(error) ?? {}
      if (code !== SQL_STATES.limit) throw error
      await stopRefused(database, detail!)
      await log('warn', `${purpose}.limited`, message!, details)
      return false
    }
  }

  /**
   * Holds those payouts of a draft whose asset no transaction can spend, so that the rest of the queue continues: a
   * transaction with one of them would stay pending forever.
   */
  private async holdUnspendable({ id, draft }: ReservedDraft, note: string): Promise<void> {
    const native = draft.context.assetID
    const assetIDs = new Map(draft.utxos.map(({ assetID }) => [hex.encode(assetID), assetID]))
    assetIDs.delete(hex.encode(native))
    const faults = await this.assets.faults([...assetIDs.values()], ASSET_LOOKUP)
    const unspendable = faults.filter(({ fault }) => fault !== 'ASSET_NOT_FOUND')
    await this.settings.database.query(
      `UPDATE @.payments SET status = 'held', note = $3
       WHERE draft = $1 AND status = 'queued' AND asset_id = ANY($2::bytea[])`,
      [id, unspendable.map(({ assetID }) => assetID), textColumn(note)],
    )
  }

  /**
   * Holds payouts of which the claim shows that they are paid, canceled or pending already, so that the queue continues
   * without them.
   */
  private async holdContradictory({ code, keys, message }: StoreError): Promise<void> {
    if (!CONTRADICTORY.includes(code)) return
    await this.settings.database.query(
      `UPDATE @.payments SET status = 'held', draft = NULL, note = $2 WHERE status = 'queued' AND key = ANY($1::text[])`,
      [keys.map(keyColumn), textColumn(`contradictory row: ${message}`)],
    )
  }

  private async sign(draft: Draft): Promise<SignResult> {
    const { client, database, signers, limits, backend } = this.settings
    const { keys, wipe } = await keysFor(database, this.settings, draft.utxos)
    try {
      const options = { client, keys, signers, signing: this.settings.signing }
      const signing = signWithAll(options, backend, draft, [], nonceEntropy())
      return await waitFor('signers', signing, { totalMs: limits.draftMs, signal: this.signal })
    } finally {
      wipe()
    }
  }

  /**
   * Whether the reservation has not expired, its UTXOs are unspent, its payouts are still queued, and the attempt that
   * it replaces, if any, is pending. Locks the chain's row first, as every claim does, and the payouts, so that none is
   * canceled before the claim.
   *
   * Another database server with an older state may have taken over since the reservation. There its number may belong
   * to another reservation, so UTXOs and payouts are compared; and payouts may be queued that are paid, until a leader
   * has applied all blocks.
   */
  private async isReserved(
    tx: Queries,
    { id, draft }: ReservedDraft,
    queued: readonly string[],
    replaces: Digits | undefined,
  ): Promise<boolean> {
    const { database, worker } = this.settings
    await lockChain(tx)
    const [row] = await tx.query<{
      unspent: Digits
      queued: Digits
      is_synced: boolean | null
      is_open: boolean
    }>(
      `SELECT (SELECT count(*) FROM @.outputs JOIN unnest($4::bytea[], $5::bigint[]) AS input(t, o)
           ON tx_id = t AND output_index = o WHERE draft = $1 AND spent_tx IS NULL) AS unspent,
         (SELECT count(*) FROM (SELECT FROM @.payments
           WHERE draft = $1 AND status = 'queued' AND key = ANY($6::text[]) FOR UPDATE) AS q) AS queued,
         (SELECT ${isSynced('$3')} FROM @.chain) AS is_synced,
         (SELECT fence_height IS NULL FROM @.chain) AS is_open
       FROM @.drafts WHERE id = $1 AND worker = $2 AND expires_at > clock_timestamp() FOR UPDATE`,
      [id, worker, syncLock(database.schema), ...idColumns(draft.utxos), queued.map(keyColumn)],
    )
    return (
      row !== undefined &&
      Number(row.unspent) === draft.utxos.length &&
      Number(row.queued) === queued.length &&
      row.is_synced === true &&
      (queued.length === 0 || row.is_open) &&
      (replaces === undefined || (await isPendingAttempt(tx, replaces)))
    )
  }
}
