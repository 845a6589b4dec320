import type { Draft } from '../build/draft.ts'
import { MAX_TX_SIZE } from '../chain/size.ts'
import { hex } from '../encoding/hex.ts'
import { formatID } from '../encoding/ids.ts'
import type { CallOptions } from '../rpc/http.ts'
import { waitFor } from '../rpc/time-limit.ts'
import { requireSigned, type SignResult } from '../sign/job.ts'
import type { Claim, ClaimedPayment } from '../store/store.ts'
import { AssetLookup } from '../wallet/assets.ts'
import { WalletError } from '../wallet/errors.ts'
import { signWithAll } from '../wallet/signing.ts'
import { nonceEntropy } from '../wallet/variant.ts'
import { isSynced, lockChain, syncLock } from './chain-row.ts'
import { isPendingAttempt, recordClaim } from './claim-rows.ts'
import type { Queries } from './database.ts'
import { keysFor } from './derived-keys.ts'
import { type Funded, fundPayouts, type Missing, reserveUTXOs } from './funding.ts'
import type { Issuer } from './issuer.ts'
import { applyPolicy, holdRows, lockPayouts, type TakenPayout } from './queue.ts'
import type { Settings } from './settings.ts'
import { type Digits, idColumns, keyColumn, textColumn } from './values.ts'

/** Maximum number of payouts in a transaction, with room for inputs and change. */
export const MAX_BATCH: number = Math.floor((MAX_TX_SIZE - 4096) / 80)

/** Time limit for reading what an asset is. */
const ASSET_LOOKUP: CallOptions = { totalMs: 10_000 }

/** A draft whose payouts and UTXOs are reserved under its number. */
export type ReservedDraft = {
  readonly id: Digits
  readonly draft: Draft
  /** First height at which a block may spend its inputs. */
  readonly fromHeight: bigint
}

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
 * Result of one step of the queue. `paid`: a transaction was made. `decided`: the policy held or delayed all payouts
 * that were taken; others may follow. `nothing`: there was nothing to pay, or the reservation ended. `short`: no payout
 * could be made, mostly for lack of funds.
 */
export type PayStep = 'paid' | 'decided' | 'nothing' | 'short'

/**
 * Makes payouts: takes them from the queue, reserves UTXOs, signs, claims, issues. Each step is a transaction of the
 * database. If a worker stops before the claim, its reservation expires; after the claim, any worker issues the
 * transaction.
 */
export class Payer {
  private readonly settings: Settings
  private readonly issuer: Issuer
  private readonly assets: AssetLookup
  private readonly signal: AbortSignal | undefined

  /**
   * @param signal - ends the waiting for a policy or for signers; the payouts then return to the queue
   */
  constructor(settings: Settings, issuer: Issuer, signal?: AbortSignal) {
    this.settings = settings
    this.issuer = issuer
    this.signal = signal
    this.assets = new AssetLookup(settings.client)
  }

  /**
   * Makes one transaction for the first payouts of the queue.
   *
   * @param consolidate - combines UTXOs of an asset, if a payout needs more of them than fit into a transaction;
   * returns whether it made a transaction
   */
  async step(
    consolidate: (assetID: Uint8Array) => Promise<boolean> = async () => false,
  ): Promise<PayStep> {
    const blocked: Uint8Array[] = []
    for (;;) {
      const { policy } = this.settings
      const taken =
        policy === undefined ? await this.takeFunded(blocked) : await this.takeByPolicy(blocked)
      if (taken === undefined) return blocked.length === 0 ? 'nothing' : 'short'
      if (typeof taken === 'string') return taken
      const { funded, reserved } = taken
      if (reserved !== undefined) {
        const payments = funded.payouts.map(({ key, digest }) => ({ key, digest }))
        const purpose = { purpose: 'payout', areQueued: true }
        return (await this.claimAndIssue(reserved, payments, purpose)) ? 'paid' : 'nothing'
      }
      if (funded.unpayable !== undefined) continue
      const { scattered } = funded
      if (scattered !== undefined) {
        if (await consolidate(scattered.assetID)) return 'paid'
        const missing = [...funded.missing, scattered].filter(({ amount }) => amount > 0n)
        await this.noteMissing(this.settings.database, taken.payouts, { ...funded, missing })
      }
      // Payouts of other assets may be behind those that wait for funds.
      const before = blocked.length
      for (const assetID of funded.short)
        if (!blocked.some((one) => hex.encode(one) === hex.encode(assetID))) blocked.push(assetID)
      if (blocked.length === before) return 'short'
    }
  }

  /** Takes payouts and reserves their UTXOs in one transaction of the database. */
  private async takeFunded(blocked: readonly Uint8Array[]): Promise<Taken | undefined> {
    const { database } = this.settings
    return database.transaction(async (tx) => {
      const payouts = await lockPayouts(tx, this.settings, blocked)
      return payouts.length === 0 ? undefined : this.fund(tx, payouts)
    })
  }

  /** Takes payouts, asks the policy about them, then reserves UTXOs for those that it allows. */
  private async takeByPolicy(blocked: readonly Uint8Array[]): Promise<Taken | PayStep | undefined> {
    const { database, policy } = this.settings
    const taken = await database.transaction(async (tx) => {
      // Under this lock drafts are numbered in the order in which they become visible.
      await lockChain(tx)
      const payouts = await lockPayouts(tx, this.settings, blocked)
      if (payouts.length === 0) return undefined
      return { id: await this.insertDraft(tx, payouts), payouts }
    })
    if (taken === undefined) return undefined
    const { id } = taken
    const { signal } = this
    const deciding = applyPolicy(this.settings, policy!, { id, payouts: taken.payouts, signal })
    const allowed = await deciding.catch(async (error) => {
      await this.release(id)
      throw error
    })
    return database.transaction(async (tx) => {
      // The reservation may have ended, or payouts may have been canceled, while the policy was asked. The claim checks
      // this again.
      const rows = await tx.query<{ seq: Digits }>(
        'SELECT seq FROM @.payments WHERE draft = $1 AND seq = ANY($2::bigint[])',
        [id, allowed.map(({ seq }) => seq)],
      )
      const seqs = new Set(rows.map(({ seq }) => seq))
      const stillReserved = allowed.filter(({ seq }) => seqs.has(seq))
      const funded = stillReserved.length > 0 ? await this.fund(tx, stillReserved, id) : undefined
      if (funded?.reserved === undefined) await tx.query('DELETE FROM @.drafts WHERE id = $1', [id])
      return funded ?? (allowed.length === 0 ? 'decided' : 'nothing')
    })
  }

  /**
   * Drafts a transaction and reserves its UTXOs.
   *
   * @param draftID - of the draft that has reserved the payouts already. It is kept, because its number tells the
   * policies of other workers that these payouts were taken before theirs.
   */
  private async fund(
    tx: Queries,
    payouts: readonly TakenPayout[],
    draftID?: Digits,
  ): Promise<Taken> {
    const funded = await fundPayouts(tx, this.settings, payouts)
    // If UTXOs have to be consolidated first, what is missing is known only after that.
    if (funded.scattered === undefined) await this.noteMissing(tx, payouts, funded)
    const { draft, unpayable } = funded
    if (unpayable !== undefined) {
      const note = `cannot be paid: ${unpayable.reason}`
      await holdRows(tx, this.settings, new Map([[unpayable.payout.seq, note]]))
    }
    if (draft === undefined) return { funded, payouts, reserved: undefined }
    const id = draftID ?? (await this.insertDraft(tx, funded.payouts))
    if (draftID !== undefined)
      await tx.query(
        'UPDATE @.payments SET draft = NULL WHERE draft = $1 AND seq <> ALL($2::bigint[])',
        [id, funded.payouts.map(({ seq }) => seq)],
      )
    await reserveUTXOs(tx, id, draft.utxos)
    const { nextHeight = 1n } = await chainHeight(tx)
    return { funded, payouts, reserved: { id, draft, fromHeight: nextHeight } }
  }

  /** Records how much is missing at the first payout that waits for it, and clears this of all other waiting ones. */
  private async noteMissing(
    tx: Queries,
    payouts: readonly TakenPayout[],
    { missing, payouts: covered }: Funded,
  ): Promise<void> {
    if (missing.length === 0 && covered.length === payouts.length) return
    const paid = new Set(covered.map(({ seq }) => seq))
    const waiting = payouts.filter(({ seq }) => !paid.has(seq))
    const first = missing.map(({ assetID, amount }): Missing & { seq: Digits } => {
      const same = waiting.find((one) => hex.encode(one.assetID) === hex.encode(assetID))
      return { assetID, amount, seq: (same ?? waiting[0] ?? payouts[0]!).seq }
    })
    await tx.query(
      `UPDATE @.payments p SET missing = f.m, missing_asset = f.a
       FROM unnest($1::bigint[]) AS waiting(s)
         LEFT JOIN unnest($2::bigint[], $3::numeric[], $4::bytea[]) AS f(s, m, a) ON f.s = waiting.s
       WHERE p.seq = waiting.s AND (p.missing IS DISTINCT FROM f.m)`,
      [
        waiting.map(({ seq }) => seq),
        first.map(({ seq }) => seq),
        first.map(({ amount }) => amount),
        first.map(({ assetID }) => assetID),
      ],
    )
  }

  private async insertDraft(tx: Queries, payouts: readonly TakenPayout[]): Promise<Digits> {
    return insertDraft(
      tx,
      this.settings,
      'payout',
      payouts.map(({ seq }) => seq),
    )
  }

  /**
   * Signs a reserved draft, claims it and issues it. False if the reservation had ended, or an input was spent, before
   * it was claimed: then nothing was issued.
   */
  async claimAndIssue(
    reserved: ReservedDraft,
    payments: readonly ClaimedPayment[],
    { purpose, kind = 'payment', areQueued = false, replaces }: ClaimOptions,
  ): Promise<boolean> {
    const { database, log, limits } = this.settings
    const { id, draft, fromHeight } = reserved
    const facts = { draft: id, payouts: payments.length, inputs: draft.utxos.length }
    await log('debug', `${purpose}.reserved`, 'UTXOs are reserved for a transaction', facts)
    const queued = areQueued ? payments.map(({ key }) => key) : []
    try {
      await this.assets.requireSpendable(draft, ASSET_LOOKUP)
      const { bytes, txID } = requireSigned(await this.sign(draft))
      await log('debug', `${purpose}.signed`, 'a transaction is signed', facts)
      const notes = { purpose, fee: draft.fee, resendMs: limits.resendMs }
      const isClaimed = await database.transaction(async (tx) => {
        if (!(await this.isReserved(tx, reserved, queued, replaces))) return false
        await recordClaim(tx, { kind, payments, bytes, fromHeight }, notes)
        await tx.query('DELETE FROM @.drafts WHERE id = $1', [id])
        await log('debug', `${purpose}.claiming`, 'a claim is about to be committed', facts)
        return true
      })
      if (!isClaimed) {
        await log('warn', `${purpose}.expired`, 'a reservation ended before its claim', facts)
        await this.release(id)
        return false
      }
      await log('info', `${purpose}.claimed`, 'a transaction is claimed', {
        ...facts,
        txID: formatID(txID),
      })
      await this.issuer.issue({ txID, bytes, issued: 0 })
      await log('debug', `${purpose}.issued`, 'a transaction was issued', { txID: formatID(txID) })
      return true
    } catch (error) {
      if (error instanceof WalletError && error.code === 'ASSET_UNSPENDABLE')
        await this.holdUnspendable(reserved, error.message)
      await this.release(id).catch(() => {})
      throw error
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
    const [row] = await tx.query<{ unspent: Digits; queued: Digits; is_synced: boolean }>(
      `SELECT (SELECT count(*) FROM @.outputs JOIN unnest($4::bytea[], $5::bigint[]) AS input(t, o)
           ON tx_id = t AND output_index = o WHERE draft = $1 AND spent_tx IS NULL) AS unspent,
         (SELECT count(*) FROM (SELECT FROM @.payments
           WHERE draft = $1 AND status = 'queued' AND key = ANY($6::text[]) FOR UPDATE) AS q) AS queued,
         (SELECT ${isSynced('$3')} FROM @.chain) AS is_synced
       FROM @.drafts WHERE id = $1 AND worker = $2 AND expires_at > clock_timestamp() FOR UPDATE`,
      [id, worker, syncLock(database.schema), ...idColumns(draft.utxos), queued.map(keyColumn)],
    )
    return (
      row !== undefined &&
      Number(row.unspent) === draft.utxos.length &&
      Number(row.queued) === queued.length &&
      (queued.length === 0 || row.is_synced) &&
      (replaces === undefined || (await isPendingAttempt(tx, replaces)))
    )
  }

  /** Ends a reservation; has no effect after its claim. */
  private async release(id: Digits): Promise<void> {
    await this.settings.database.query('DELETE FROM @.drafts WHERE id = $1', [id])
  }
}

/** Payouts that were taken from the queue, and the draft for those that can be paid. */
type Taken = {
  readonly funded: Funded
  readonly reserved: ReservedDraft | undefined
  /** All payouts that were taken. */
  readonly payouts: readonly TakenPayout[]
}

/**
 * Creates a reservation, which expires. The caller must have locked the payouts, or the chain's row if they are
 * pending.
 */
export async function insertDraft(
  tx: Queries,
  { worker, limits }: Settings,
  purpose: string,
  payouts: readonly Digits[],
): Promise<Digits> {
  const [row] = await tx.query<{ id: Digits }>(
    `WITH draft AS (
       INSERT INTO @.drafts (worker, purpose, expires_at)
       VALUES ($1, $2, now() + $3 * interval '1 millisecond') RETURNING id
     ), reserved AS (
       UPDATE @.payments SET draft = draft.id FROM draft WHERE seq = ANY($4::bigint[])
     )
     SELECT id FROM draft`,
    [worker, purpose, limits.draftMs, payouts],
  )
  return row!.id
}

async function chainHeight(tx: Queries): Promise<{ readonly nextHeight?: bigint }> {
  const [row] = await tx.query<{ next_height: Digits | null }>('SELECT next_height FROM @.chain')
  return row!.next_height === null ? {} : { nextHeight: BigInt(row!.next_height) }
}
