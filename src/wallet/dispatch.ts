import { consumedUTXOs } from '../chain/consumed.ts'
import { txID as idOf } from '../chain/ids.ts'
import { decodeTx, type SignedTx } from '../chain/tx.ts'
import { FundsError } from '../coins/errors.ts'
import { hex } from '../encoding/hex.ts'
import { formatID } from '../encoding/ids.ts'
import { AbortError } from '../rpc/errors.ts'
import type { WaitOptions } from '../rpc/wait.ts'
import { orAborted } from './aborted.ts'
import type { CoinDesk } from './coin-desk.ts'
import { type Courier, deliver, findTx, type Outcome } from './delivery.ts'
import { WalletError } from './errors.ts'
import { eachInFlight } from './in-flight.ts'
import {
  type Journal,
  type JournalEntry,
  type JournalRecord,
  JournalRecords,
  namedBy,
  type Payment,
  type PaymentKeys,
} from './journal.ts'

/** A transaction of the journal, and how it stands. */
export type Settled = PaymentKeys & {
  readonly txID: Uint8Array
  readonly status: 'accepted' | 'refused' | 'open'
  /** Why it was refused, or why nobody knows. */
  readonly error?: unknown
}

/** What is sent, decoded or not. */
export type Parcel = {
  readonly bytes: Uint8Array
  readonly tx: SignedTx
  readonly txID: Uint8Array
}

const RESUMED_IN_FLIGHT = 4

/** Sends transactions, each written to the journal before, and keeps the coins in step with their fate. */
export class Dispatch {
  private readonly courier: Courier
  private readonly journal: Journal
  private readonly desk: CoinDesk
  private readonly wait: WaitOptions
  private records = new JournalRecords()
  private opening: Promise<void> | undefined
  private readonly underWay = new Map<string, Promise<Outcome>>()
  /** Those of which nobody knows whether the journal has them. */
  private readonly doubtful = new Map<string, Parcel>()

  constructor(courier: Courier, journal: Journal, desk: CoinDesk, wait: WaitOptions) {
    this.courier = courier
    this.journal = journal
    this.desk = desk
    this.wait = wait
  }

  /**
   * Reads the journal once, and keeps what its open transactions spend from being chosen. Reads it again
   * where an entry may or may not have been written.
   */
  async open(): Promise<void> {
    this.opening ??= this.load().catch((error) => {
      this.opening = undefined
      throw error
    })
    await this.opening
    if (this.doubtful.size > 0) await this.clearDoubts()
  }

  private async load(): Promise<void> {
    const entries = await this.journal.load()
    this.records = new JournalRecords(entries)
    for (const record of this.records.open()) this.holdFor(parcelOf(record.bytes))
  }

  /** What the journal says of payments. */
  async payments(keys: readonly string[] | undefined): Promise<Payment[]> {
    await this.open()
    return this.records.payments(keys)
  }

  /** The transaction that stands for these payments and no others; throws where some stand elsewhere. */
  standing(keys: readonly string[]): JournalRecord | undefined {
    const records = keys.map((key) => this.records.standing(key))
    const taken = keys.filter((_, i) => records[i] !== undefined)
    const first = records.find((record) => record !== undefined)
    if (first === undefined) return undefined
    const isWhole = first.keys.size === keys.length && records.every((record) => record === first)
    if (isWhole) return first
    throw new WalletError(
      'KEYS_TAKEN',
      `expected ${keys.length} payments that are due, found ${taken.length} that other transactions make`,
      { keys: taken, hint: 'nothing was signed: pay those that payments says are due' },
    )
  }

  /** Writes a transaction down, sends it, and says how it ended. */
  async submit(parcel: Parcel, keys: readonly string[], wait: WaitOptions): Promise<Outcome> {
    await this.open()
    const name = hex.encode(parcel.txID)
    const running = this.underWay.get(name)
    if (running !== undefined) {
      if (keys.length > 0) await this.record(parcel, keys)
      return this.join(running, parcel, wait)
    }
    this.desk.hold(consumedUTXOs(parcel.tx.unsignedTx), name)
    return this.follow(
      name,
      this.record(parcel, keys).then(() => this.deliver(parcel, wait)),
    )
  }

  /** What comes of what another call is doing; where that call leaves it open by leaving, this one goes on. */
  private async join(
    running: Promise<Outcome>,
    parcel: Parcel,
    wait: WaitOptions,
  ): Promise<Outcome> {
    try {
      const outcome = await orAborted(running, wait.signal)
      const isLeft = outcome.status === 'open' && outcome.error instanceof AbortError
      return isLeft && !wait.signal?.aborted ? await this.settle(parcel, wait) : outcome
    } catch (error) {
      if (error instanceof AbortError) return { status: 'open', error }
      throw error
    }
  }

  private follow(name: string, work: Promise<Outcome>): Promise<Outcome> {
    const followed = work.finally(() => this.underWay.delete(name))
    this.underWay.set(name, followed)
    return followed
  }

  private async record({ txID, bytes }: Parcel, keys: readonly string[]): Promise<void> {
    const known = this.records.get(txID)
    const stands = known !== undefined && known.status !== 'refused'
    if (stands && keys.every((key) => known.keys.has(key))) return
    const entry: JournalEntry = { type: 'signed', txID, bytes, ...namedBy(keys) }
    try {
      await this.journal.append(entry)
    } catch (cause) {
      // It may have been written all the same, and a later `resume` would send it.
      this.doubtful.set(hex.encode(txID), parcelOf(bytes))
      throw new WalletError(
        'JOURNAL_FAILED',
        stands
          ? `transaction ${formatID(txID)} was sent before, but its names could not be written down`
          : `transaction ${formatID(txID)} was not sent, because the journal could not be written`,
        {
          txID,
          cause,
          hint: stands
            ? 'submit it again under these names; do not pay them by another'
            : 'call resume before paying again: it may have been recorded',
        },
      )
    }
    this.records.add(entry)
  }

  private async deliver(parcel: Parcel, wait: WaitOptions): Promise<Outcome> {
    const outcome = await deliver(this.courier, parcel.tx, parcel.bytes, {
      ...this.wait,
      ...wait,
    })
    await this.conclude(parcel, outcome)
    return outcome
  }

  private async conclude({ tx, txID }: Parcel, outcome: Outcome): Promise<void> {
    const { unsignedTx } = tx
    const ids = consumedUTXOs(unsignedTx)
    if (outcome.status === 'open') return
    if (outcome.status === 'accepted') {
      const { type } = unsignedTx
      this.desk.drop(ids, type === 'ImportTx' ? { chain: unsignedTx.sourceChain } : undefined)
      await this.note({ type: 'accepted', txID })
    } else {
      this.desk.release(ids, hex.encode(txID))
      const { code, nodeMessage = '' } = outcome.error
      await this.note({ type: 'refused', txID, code, reason: nodeMessage })
    }
  }

  /** An end that could not be written down is found again by the next `resume`: nothing is lost with it. */
  private async note(entry: JournalEntry): Promise<void> {
    this.records.add(entry)
    await this.journal.append(entry).catch(() => {})
  }

  /** Finds out about, or sends again, everything whose end the journal does not tell. */
  async resume(wait: WaitOptions): Promise<Settled[]> {
    await this.open()
    const settled: Settled[] = []
    await eachInFlight(this.records.open(), RESUMED_IN_FLIGHT, async (record) => {
      // Another call may have settled it since, and then its bytes are gone.
      const outcome: Pick<Settled, 'status'> =
        record.status === 'open' ? await this.settle(record, wait) : { status: record.status }
      settled.push({
        txID: record.txID,
        status: outcome.status,
        ...namedBy([...record.keys]),
        ...('error' in outcome ? { error: outcome.error } : {}),
      })
    })
    return settled
  }

  /** What the journal does not have was never sent, and its coins are free. */
  private async clearDoubts(): Promise<void> {
    const doubtful = [...this.doubtful]
    const recorded = new JournalRecords(await this.journal.load())
    for (const [name, parcel] of doubtful) {
      // Another call may have been first, and what came since is not in what was read before.
      if (this.doubtful.get(name) !== parcel) continue
      this.doubtful.delete(name)
      const { tx, txID, bytes } = parcel
      const record = recorded.get(txID)
      if (record === undefined) this.desk.release(consumedUTXOs(tx.unsignedTx), name)
      else this.records.add({ type: 'signed', txID, bytes, ...namedBy([...record.keys]) })
    }
  }

  /** Brings one transaction of the journal to its end. */
  async settle({ bytes }: Pick<JournalRecord, 'bytes'>, wait: WaitOptions): Promise<Outcome> {
    const parcel = parcelOf(bytes)
    const name = hex.encode(parcel.txID)
    const running = this.underWay.get(name)
    if (running !== undefined) return this.join(running, parcel, wait)
    this.holdFor(parcel)
    return this.follow(name, this.settleNow(parcel, wait))
  }

  private async settleNow(parcel: Parcel, wait: WaitOptions): Promise<Outcome> {
    const { signal } = wait
    try {
      // Looking first: most of what a journal leaves open was accepted.
      const call = signal === undefined ? {} : { signal }
      if ((await findTx(this.courier.client, parcel.txID, call)) !== undefined) {
        await this.conclude(parcel, { status: 'accepted' })
        return { status: 'accepted' }
      }
    } catch (error) {
      return { status: 'open', error }
    }
    return this.deliver(parcel, wait)
  }

  private holdFor({ tx, txID }: Parcel): void {
    try {
      this.desk.hold(consumedUTXOs(tx.unsignedTx), hex.encode(txID))
    } catch (error) {
      // A rival of this wallet has them: only one of the two can win.
      if (!(error instanceof FundsError)) throw error
    }
  }
}

/** Everything about a transaction, from its bytes. */
export function parcelOf(bytes: Uint8Array): Parcel {
  return { bytes, tx: decodeTx(bytes), txID: idOf(bytes) }
}
