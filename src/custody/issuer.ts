import { txID as idOf } from '../chain/ids.ts'
import { decodeTx } from '../chain/tx.ts'
import { formatID } from '../encoding/ids.ts'
import { AvmError } from '../errors.ts'
import { RpcError } from '../rpc/errors.ts'
import type { Rejection } from '../rpc/rejections.ts'
import { StoreError } from '../store/errors.ts'
import type { Claim } from '../store/store.ts'
import { eachInFlight } from '../wallet/in-flight.ts'
import { variantOf } from '../wallet/variant.ts'
import { lockChain, readChain } from './chain-row.ts'
import { recordClaim } from './claim-rows.ts'
import type { Settings } from './settings.ts'
import { type Bytes, bytesOf, type Digits, keyOf } from './values.ts'

const REQUEST_TIMEOUT_MS = 10_000
/** Attempts that are issued again together. */
const DUE = 16
const IN_FLIGHT = 8
const MAX_RESEND_MS = 60_000
/** Pause after a rejection that the node remembers. */
const REFUSED_MS = 1_000
/** Variants of one transaction after which the newest is issued again and again. */
const MAX_VARIANTS = 8

type DueColumns = {
  readonly seq: Digits
  readonly tx_id: Bytes
  readonly kind: Claim['kind']
  readonly purpose: string
  readonly bytes: Bytes
  readonly from_height: Digits
  readonly fee: Digits
  readonly issued: number
  readonly refused: number
}

/**
 * Issues claimed transactions, again and again until the follower has recorded their outcome. What a node answers
 * never ends an attempt.
 */
export class Issuer {
  private readonly settings: Settings

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** Sends a claimed transaction once. Returns a rejection that the node remembers, if it gave one. */
  async issue({
    txID,
    bytes,
    issued,
  }: {
    readonly txID: Uint8Array
    readonly bytes: Uint8Array
    readonly issued: number
  }): Promise<Rejection | undefined> {
    const { client, database, log } = this.settings
    const servers = client.servers()
    try {
      await servers[issued % servers.length]!.avm.issueTx(
        { tx: bytes },
        { timeoutMs: REQUEST_TIMEOUT_MS },
      )
      return undefined
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      const rejection =
        error instanceof RpcError ? error.rejection(decodeTx(bytes).unsignedTx.type) : undefined
      const isSticky = rejection?.remembered === true
      await database.query(
        `UPDATE @.attempts SET last_error = $2, refused = refused + $3,
           next_issue = least(next_issue, now() + $4 * interval '1 millisecond')
         WHERE tx_id = $1 AND outcome IS NULL AND next_issue < 'infinity'`,
        [
          txID,
          error.message.slice(0, 500),
          isSticky ? 1 : 0,
          isSticky ? REFUSED_MS : MAX_RESEND_MS,
        ],
      )
      await log('warn', 'issue.failed', error.message, { txID: formatID(txID), code: error.code })
      return isSticky ? rejection : undefined
    }
  }

  /** Issues attempts that are due, whichever worker claimed them. Returns how many there were. */
  async issueDue(): Promise<number> {
    const { database, limits } = this.settings
    // Taking one makes it due again only later, so two workers do not send the same one at the same time.
    const due = await database.query<DueColumns>(
      `UPDATE @.attempts SET issued = issued + 1,
         next_issue = now() + least($1 * power(2, least(issued, 20)), $2) * interval '1 millisecond'
       WHERE seq IN (SELECT seq FROM @.attempts WHERE outcome IS NULL AND next_issue <= now()
         ORDER BY next_issue LIMIT $3 FOR UPDATE SKIP LOCKED)
       RETURNING seq, tx_id, kind, purpose, bytes, from_height, fee, issued, refused`,
      [limits.resendMs, MAX_RESEND_MS, DUE],
    )
    await eachInFlight(due, IN_FLIGHT, async (row) => {
      const { issued } = row
      const rejection = await this.issue({
        txID: bytesOf(row.tx_id),
        bytes: bytesOf(row.bytes),
        issued,
      })
      if (rejection !== undefined) await this.vary(row)
    })
    return due.length
  }

  /**
   * Claims another attempt with the same inputs, once every server has refused the newest one: the servers do not
   * remember its ID.
   */
  private async vary({
    seq,
    kind,
    purpose,
    bytes,
    from_height,
    fee,
    refused,
  }: DueColumns): Promise<void> {
    const { client, database, keys, backend, limits, log } = this.settings
    const isRefusedByAll = (refused + 1) % client.servers().length === 0
    if (keys === undefined || !isRefusedByAll) return
    const variant = variantOf(decodeTx(bytesOf(bytes)), keys, backend)
    if (variant === undefined) return
    const rows = await database.query<{
      key: string
      digest: Bytes
      generated: boolean
      tries: Digits
    }>(
      `SELECT p.key, p.digest, p.generated, (SELECT count(*) FROM @.attempt_payments o
         JOIN @.attempts a ON a.seq = o.attempt AND a.outcome IS NULL WHERE o.payment = p.seq) AS tries
       FROM @.attempt_payments ap JOIN @.payments p ON p.seq = ap.payment
       WHERE ap.attempt = $1 ORDER BY ap.position`,
      [seq],
    )
    if (rows.length === 0 || rows.some(({ tries }) => Number(tries) > MAX_VARIANTS)) return
    const payments = rows.map(({ key, digest, generated }) => ({
      key: keyOf(key),
      digest: bytesOf(digest),
      generated,
    }))
    const { nextHeight } = await readChain(database)
    const first = BigInt(from_height)
    const fromHeight = nextHeight !== undefined && nextHeight < first ? nextHeight : first
    const claim = { kind, payments, bytes: variant, fromHeight }
    try {
      const notes = { purpose, fee: BigInt(fee), resendMs: limits.resendMs }
      const isClaimed = await database.transaction(async (tx) => {
        await lockChain(tx)
        // If the attempt has ended meanwhile, its inputs are spent, and the payouts are back in the queue.
        const pending = await tx.query(
          'SELECT FROM @.attempts WHERE seq = $1 AND outcome IS NULL',
          [seq],
        )
        if (pending.length > 0) await recordClaim(tx, claim, notes)
        return pending.length > 0
      })
      if (!isClaimed) return
      await log('info', 'attempt.varied', 'a refused transaction was signed again', { seq })
    } catch (error) {
      // The chain may have decided meanwhile.
      if (!(error instanceof StoreError)) throw error
      return
    }
    await this.issue({ txID: idOf(variant), bytes: variant, issued: 0 })
  }
}
