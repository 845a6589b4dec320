import { hex } from '../../../core/base/encoding/hex.ts'
import { FileError } from '../../../storage/file-error.ts'
import { attemptOf } from '../attempt.ts'
import { Claims } from '../claims.ts'
import { withIndexes } from '../indexes.ts'
import { withBlock } from '../memory.ts'
import type { Rival } from '../rivals.ts'
import type { Acceptance, AccountIndexes, BlockReference, Claim, StoreBinding } from '../store.ts'
import { decodeRecord, type StoreRecord } from './records.ts'

/**
 * The state of a store, rebuilt from its records. Every record must pass the checks that it passed when it was written.
 */
export class ReplayedStore {
  binding: StoreBinding | undefined
  /** Undefined for files of earlier versions. */
  id: Uint8Array | undefined
  /** Blocks that wallets have applied, the newest one last. */
  blocks: readonly BlockReference[] = []
  indexes: readonly AccountIndexes[] = []
  readonly claims: Claims = new Claims()
  /** The last rival of a compacted file. */
  private rival: Rival | undefined
  /** Type of the last record, to check the order of records. */
  private last: StoreRecord['type'] | undefined

  /**
   * Checks that no record is missing at the end.
   *
   * @throws FileError `FILE_CORRUPT`
   */
  end(records: number): void {
    if (records > 0 && !this.hasOrphan()) return
    const record = records + 1
    throw new FileError('FILE_CORRUPT', `record ${record} is missing`, { record })
  }

  /**
   * Checks and applies a record.
   *
   * @throws FileError `FILE_CORRUPT`
   */
  record(payload: Uint8Array, record: number): void {
    try {
      this.apply(decodeRecord(payload))
    } catch (cause) {
      throw new FileError('FILE_CORRUPT', `record ${record} is damaged: ${messageOf(cause)}`, {
        cause,
        record,
      })
    }
  }

  private apply(record: StoreRecord): void {
    this.checkOrder(record.type)
    this.last = record.type
    switch (record.type) {
      case 'binding':
        this.binding = { networkID: record.networkID, chainID: record.chainID }
        return
      case 'identity':
        this.id = record.id.slice()
        return
      case 'block':
        this.blocks = withBlock(this.blocks, {
          height: record.height,
          blockID: record.blockID.slice(),
          firm: record.firm,
        })
        return
      case 'indexes': {
        const { account, receive, change, nextChange } = record
        const entry = { account: account.slice(), receive, change, nextChange }
        this.indexes = withIndexes(this.indexes, entry)
        return
      }
      case 'time':
        this.claims.now = record.time
        return
      case 'made':
        for (const txID of record.txIDs) this.claims.rememberMade(txID.slice())
        return
      case 'found':
        if (!this.claims.addFound({ height: record.height, bytes: record.bytes }))
          throw new Error('transaction found twice')
        return
      case 'spent':
        for (const { txID, outputIndex } of record.inputs)
          this.claims.rememberSpent({ txID: txID.slice(), outputIndex })
        return
      case 'snapshot':
        this.restorePayments(record.payments)
        return
      case 'attempt':
        this.restoreAttempt(record)
        return
      case 'claim':
        if (!this.claim(record)) throw new Error('duplicate claim')
        return
      case 'rival': {
        const { txID, evidence, txs } = record
        this.rival = { txID: txID.slice(), evidence, txs }
        return
      }
      case 'ended':
        if (record.keys.some((key) => !this.claims.payments.has(key)))
          throw new Error('ended attempt for an unknown key')
        this.claims.rivals.add(record, this.rival!)
        // Another key of the attempt is not accepted.
        for (const key of record.keys)
          if (this.claims.payments.get(key)!.outcome?.status === 'accepted')
            this.claims.rivals.forget(key)
        return
      case 'accepted':
      case 'acceptance':
        if (!this.recordAcceptance(record)) throw new Error('acceptance without a pending attempt')
        return
      case 'canceled':
        if (!this.claims.cancel(record.key)) throw new Error('only rejected payments are canceled')
    }
  }

  private checkOrder(type: StoreRecord['type']): void {
    const { last } = this
    if (!mayFollow(last, type)) throw new Error(`unexpected ${type} record`)
    const isFirstChange = isChange(type) && !(last !== undefined && isChange(last))
    if (isFirstChange && this.hasOrphan())
      throw new Error('an attempt is missing before this record')
  }

  /** Whether a payment of the snapshots has neither an outcome nor an attempt. All snapshots precede all attempts. */
  private hasOrphan(): boolean {
    if (this.last === undefined || !COMPACTED.includes(this.last)) return false
    for (const { attempts, outcome } of this.claims.payments.values())
      if (outcome === undefined && attempts.length === 0) return true
    return false
  }

  private restorePayments(payments: Extract<StoreRecord, { type: 'snapshot' }>['payments']): void {
    const known = this.claims.payments
    const expected = known.size + payments.length
    for (const payment of payments) known.set(payment.key, payment)
    if (known.size !== expected) throw new Error('duplicate key')
  }

  /** Does not check the rules for claims: some attempts that existed at the time of the claim have ended since. */
  private restoreAttempt(record: Extract<StoreRecord, { type: 'attempt' }>): void {
    const payments = record.keys.map((key) => {
      const payment = this.claims.payments.get(key)
      if (payment === undefined) throw new Error('attempt for an unknown key')
      return { key, digest: payment.digest }
    })
    const attempt = attemptOf({ ...record, payments })
    if (this.claims.attempts.has(hex.encode(attempt.txID))) throw new Error('duplicate attempt')
    this.claims.add(attempt, payments)
  }

  /**
   * Checks and adds a claim. Digests and contents are copied, because views would keep the whole record in memory after the payment
   * has ended.
   *
   * @returns false if exactly this claim is already recorded
   */
  claim(claim: Claim): boolean {
    const attempt = this.claims.check(claim)
    if (attempt === undefined) return false
    this.claims.add(
      attempt,
      claim.payments.map(({ content, ...payment }) => ({
        ...payment,
        digest: payment.digest.slice(),
        content: content?.slice(),
      })),
    )
    return true
  }

  /** Ends attempts; returns false if the transaction affects no pending attempt. */
  recordAcceptance(acceptance: Acceptance): boolean {
    if (!this.claims.isDecisive(acceptance)) return false
    this.claims.recordAcceptance({ ...acceptance, txID: acceptance.txID.slice() })
    return true
  }
}

/** Records after which every payment must have an outcome or an attempt. */
const COMPACTED: readonly StoreRecord['type'][] = ['snapshot', 'attempt', 'rival', 'ended']

/** Whether a record may follow another one. The first record of a file, which follows none, is the binding. */
function mayFollow(last: StoreRecord['type'] | undefined, type: StoreRecord['type']): boolean {
  if (last === undefined) return type === 'binding'
  switch (type) {
    case 'binding':
      return false
    case 'identity':
      return last === 'binding'
    case 'spent':
      return last === 'binding' || last === 'identity'
    case 'snapshot':
      return last === 'binding' || last === 'identity' || last === 'spent' || last === 'snapshot'
    case 'attempt':
      return last === 'snapshot' || last === 'attempt'
    case 'rival':
      return last === 'snapshot' || last === 'attempt' || last === 'ended'
    case 'ended':
      return last === 'rival' || last === 'ended'
    case 'block':
    case 'indexes':
    case 'time':
    case 'made':
    case 'found':
    case 'claim':
    case 'accepted':
    case 'acceptance':
    case 'canceled':
      return true
  }
}

/** Whether a record describes a change, and not the state when the file was compacted. */
function isChange(type: StoreRecord['type']): boolean {
  return [
    'block',
    'indexes',
    'time',
    'made',
    'found',
    'claim',
    'accepted',
    'acceptance',
    'canceled',
  ].includes(type)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
