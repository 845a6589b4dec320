import type { LogDisk } from '../../../storage/disk.ts'
import { FileError, fileError } from '../../../storage/file-error.ts'
import type { Lock } from '../../../storage/lock.ts'
import { AppendLog, type Replay } from '../../../storage/log.ts'
import { StoreError, type StoreErrorCode } from '../errors.ts'
import { withIndexes } from '../indexes.ts'
import {
  newStoreID,
  pendingAttempts,
  requireBinding,
  storeState,
  unixTime,
  withBlock,
} from '../memory.ts'
import type {
  Acceptance,
  Attempt,
  Claim,
  PaymentRecord,
  StoreBinding,
  StoreState,
} from '../store.ts'
import { compactRecords, compactSize, decodeRecord, encodeRecord } from './records.ts'
import { ReplayedStore } from './replay.ts'

/** Disk and lock of a file store. */
export type StoreParts = {
  readonly disk: LogDisk
  /** Takes the lock in a directory. */
  readonly lock: (directory: string) => Promise<Lock>
}

/** First bytes of the file: its kind and the version of its format. */
const STORE_FILE_KIND = 'avmkst01'
/** The file is not compacted while obsolete records take less than this number of bytes. */
const MIN_GARBAGE = 1 << 20

/** Option of operations that write, or after which recorded transactions are issued. */
const DURABLE = { durable: true }

type Opened = {
  readonly lock: Lock
  readonly log: AppendLog
  state: ReplayedStore
  /** Whether records may be in the system's memory but not on the disk, see {@link Lock}. */
  isDirty: boolean
  /** The last time in the file; undefined if it has none. */
  time: bigint | undefined
}

/**
 * The operations of a file store. A change is checked, applied in memory and queued for the file in one synchronous
 * step, so that the next change is checked against it. Then the caller waits for the file. If writing fails, the state
 * in memory is rebuilt from the file before the next operation.
 */
export class StoreFile {
  private readonly path: string
  private readonly parts: () => StoreParts
  private opened: Opened | undefined
  /** Pending opening, recovery or compaction, for which other operations wait. */
  private busy: Promise<void> | undefined
  private lost: StoreError | undefined
  private closing: Promise<void> | undefined
  /** Acceptances that are not durable yet. They are written again after a failed write; callers do not repeat them. */
  private unsynced: { readonly record: number; readonly payload: Uint8Array }[] = []
  /** Number of claims that are being written. */
  private claiming = 0
  /** File size at which the amount of garbage is measured again. */
  private measureAt = 0
  private checking: Promise<void> | undefined
  private nextCheck: Promise<void> | undefined

  /** `parts` is called by the first operation; it throws on platforms without files. */
  constructor(path: string, parts: () => StoreParts) {
    this.path = path
    this.parts = parts
  }

  bind({ block, found = [], indexes, ...binding }: StoreBinding): Promise<StoreState> {
    const isWriting = block !== undefined || found.length > 0 || indexes !== undefined
    return this.whenReady(
      async (opened) => {
        const { binding: bound, id: known } = opened.state
        requireBinding(bound ?? binding, binding)
        // Files of earlier versions have no ID.
        const id = known ?? newStoreID()
        opened.state.id = id
        if (bound === undefined || known === undefined) await this.rewrite(opened, binding)
        const { state, log } = opened
        for (const one of found) {
          const payload = encodeRecord({ type: 'found', ...one })
          if (state.claims.addFound(decodeRecord(payload, 'found'))) log.append(payload)
        }
        if (indexes !== undefined) {
          // Not synced: the claim that follows is, and a claim is durable only together with the records before it.
          log.append(encodeRecord({ type: 'indexes', ...indexes }))
          state.indexes = withIndexes(state.indexes, indexes)
        }
        if (block !== undefined) {
          // Not synced: with an older block, more blocks are read after a crash.
          log.append(encodeRecord({ type: 'block', ...block }))
          state.blocks = withBlock(state.blocks, block)
        }
        return storeState({ ...state, id })
      },
      { durable: isWriting },
    )
  }

  binding(): Promise<StoreBinding | undefined> {
    return this.whenReady(({ state }) => state.binding && { ...state.binding })
  }

  claim(claim: Claim): Promise<void> {
    return this.whenReady(async (opened) => {
      const { state, log } = opened
      if (state.binding === undefined)
        throw new StoreError('STORE_MISMATCH', 'the store is not bound to a network', {
          path: this.path,
          hint: 'call bind first',
        })
      // Encoded and decoded, so that the state shares no memory with the caller. `again` is not part of the record.
      const payload = encodeClaim(claim)
      const { again } = claim
      state.claims.now = unixTime()
      if (state.claim({ ...decodeRecord(payload, 'claim'), again })) appendChange(opened, payload)
      this.claiming++
      // Also for a claim that is already recorded: it may still be in the queue.
      await log.flush({ sync: true }).finally(() => {
        this.claiming--
      })
      this.afterFlush(opened)
    }, DURABLE)
  }

  recordAcceptance(acceptance: Acceptance): Promise<void> {
    return this.whenReady(async (opened) => {
      const { ends = [], own = [], ...rest } = opened.state.claims.essentialsOf(acceptance)
      const payload = encodeRecord({ ...rest, own, ends, type: 'accepted' })
      if (!this.applyAcceptance(opened, payload)) return
      await opened.log.flush({ sync: false })
      this.afterFlush(opened)
    }, DURABLE)
  }

  cancel(key: string): Promise<void> {
    return this.whenReady(async (opened) => {
      const { state, log } = opened
      state.claims.now = unixTime()
      if (state.claims.cancel(key)) appendChange(opened, encodeRecord({ type: 'canceled', key }))
      // Also if it is already recorded: it may still be in the queue.
      await log.flush({ sync: true })
      this.afterFlush(opened)
    }, DURABLE)
  }

  /** Applies and queues an acceptance; returns false if it affects no pending attempt. */
  private applyAcceptance(opened: Opened, payload: Uint8Array): boolean {
    opened.state.claims.now = unixTime()
    if (!opened.state.recordAcceptance(decodeRecord(payload, 'accepted'))) return false
    this.unsynced.push({ record: appendChange(opened, payload), payload })
    return true
  }

  /** Concurrent calls share a check that has not started yet. */
  assertOwned(): Promise<void> {
    if (this.nextCheck !== undefined) return this.nextCheck
    const check = () => {
      this.nextCheck = undefined
      this.checking = this.whenReady(({ log }) => log.assertOwned(), DURABLE).finally(() => {
        this.checking = undefined
      })
      return this.checking
    }
    if (this.checking === undefined) return check()
    this.nextCheck = this.checking.then(check, check)
    return this.nextCheck
  }

  payments(keys: readonly string[]): Promise<PaymentRecord[]> {
    return this.whenReady(({ state }) => keys.map((key) => state.claims.record(key)))
  }

  async *list(): AsyncGenerator<PaymentRecord> {
    const keys = await this.whenReady(({ state }) => [...state.claims.payments.keys()])
    for (const key of keys) {
      const record = this.opened!.state.claims.record(key)
      if (record.status !== 'unknown') yield record
    }
  }

  async *attempts(key: string | undefined): AsyncGenerator<Attempt> {
    yield* await this.whenReady(async ({ state, log }) => {
      const attempts = pendingAttempts(state.claims, key)
      // What is listed may be issued. A claim that is being written may still fail, and is forgotten then.
      if (attempts.length > 0 && this.claiming > 0) await log.flush({ sync: true })
      return attempts
    })
  }

  compact(): Promise<void> {
    return this.whenReady((opened) => {
      const { binding } = opened.state
      return binding === undefined ? undefined : this.rewrite(opened, binding)
    })
  }

  close(): Promise<void> {
    this.closing ??= this.finish()
    return this.closing
  }

  private async finish(): Promise<void> {
    await this.busy?.catch(() => {})
    const { opened } = this
    if (opened === undefined) return
    await this.removeFailedRecords(opened)
    try {
      await opened.log.close()
    } catch (error) {
      // An earlier operation already reported that the store is lost.
      if (this.lost === undefined) throw this.translate(error)
    } finally {
      await opened.lock.release(opened.isDirty || opened.log.failure !== undefined)
    }
  }

  /**
   * Runs `work` as soon as the store is open and no other exclusive work is pending; with `durable`, as soon as all
   * records are known to be durable. Nothing may be written before that: after a crash, records that follow lost ones
   * make the file a damaged one.
   */
  private async whenReady<T>(
    work: (opened: Opened) => T | Promise<T>,
    { durable = false } = {},
  ): Promise<T> {
    for (;;) {
      const { opened } = this
      if (this.closing !== undefined)
        throw new StoreError('STORE_CLOSED', 'the store is closed', { path: this.path })
      if (this.lost !== undefined) throw this.lost
      try {
        if (this.busy !== undefined) await this.busy
        else if (opened === undefined) await this.exclusively(this.open())
        else if (opened.log.failure !== undefined) await this.exclusively(this.recover(opened))
        // Writes and syncs a new file, so that the state of the old one no longer matters.
        else if (durable && opened.isDirty) await this.rewrite(opened, opened.state.binding!)
        else return await work(opened)
      } catch (error) {
        await this.removeFailedRecords(opened)
        throw this.translate(error)
      }
    }
  }

  /**
   * Removes records whose write or sync failed. This does not wait for the next operation, because there may be none:
   * then the next start would find a claim that was reported as failed.
   */
  private async removeFailedRecords(opened: Opened | undefined): Promise<void> {
    if (opened?.log.failure === undefined || this.lost !== undefined) return
    await (this.busy ?? this.exclusively(this.recover(opened))).catch(() => {})
  }

  private exclusively(job: Promise<void>): Promise<void> {
    this.busy = job.finally(() => {
      this.busy = undefined
    })
    return this.busy
  }

  private async open(): Promise<void> {
    const { disk, lock: takeLock } = this.parts()
    const path = await disk.realPath(this.path).catch((cause) => {
      throw fileError('FILE_UNREADABLE', this.path, cause)
    })
    const lock = await takeLock(`${path}.lock`)
    try {
      const state = new ReplayedStore()
      const options = { disk, path, kind: STORE_FILE_KIND, assertOwned: () => lock.assertHeld() }
      const log = await AppendLog.open(options, replayInto(state))
      const { now: time } = state.claims
      this.opened = { lock, log, state, isDirty: lock.isDirty && log.exists, time }
    } catch (error) {
      await lock.release(lock.isDirty)
      throw error
    }
  }

  private async recover(opened: Opened): Promise<void> {
    const { log } = opened
    const state = new ReplayedStore()
    await log.recover(replayInto(state))
    opened.state = state
    opened.time = state.claims.now
    const acceptances = this.unsynced.filter(({ record }) => record > log.syncedRecords)
    this.unsynced = []
    for (const { payload } of acceptances) this.applyAcceptance(opened, payload)
  }

  private afterFlush(opened: Opened): void {
    const { log, state } = opened
    this.unsynced = this.unsynced.filter(({ record }) => record > log.syncedRecords)
    if (log.size < this.measureAt || this.busy !== undefined || log.failure !== undefined) return
    const live = compactSize(state.claims)
    const allowedGarbage = Math.max(MIN_GARBAGE, live)
    // Not measured after every write, because measuring takes linear time in the number of payments.
    this.measureAt = log.size + allowedGarbage / 8
    // If compaction fails, the old file remains in use, and the next measurement tries again.
    if (log.size - live > allowedGarbage) this.rewrite(opened, state.binding!).catch(() => {})
  }

  /** Replaces the file by one without obsolete records, or creates it. */
  private rewrite(opened: Opened, binding: StoreBinding): Promise<void> {
    const { log } = opened
    opened.time = undefined
    const work = async () => {
      try {
        await log.rewrite(compactRecords({ ...opened.state, binding }))
        opened.state.binding = binding
        opened.isDirty = false
        this.unsynced = []
      } catch (error) {
        throw this.translate(error)
      }
    }
    const job = work()
    this.exclusively(job.catch(() => {}))
    return job
  }

  /** Converts errors of the file to those of the store. */
  private translate(error: unknown): unknown {
    const translated = storeError(error, this.path)
    if (translated instanceof StoreError && translated.code === 'STORE_LOST') this.lost = translated
    return translated
  }
}

/** Queues a change that was made in memory, after the time of it. Returns the number of its record. */
function appendChange(opened: Opened, payload: Uint8Array): number {
  const { log, state } = opened
  const { now } = state.claims
  if (now !== undefined && now !== opened.time)
    log.append(encodeRecord({ type: 'time', time: now }))
  opened.time = now
  return log.append(payload)
}

/** Converts a `FileError` to a `StoreError`; returns other errors unchanged. */
function storeError(error: unknown, path: string): unknown {
  if (!(error instanceof FileError)) return error
  const { code, message, hint, record } = error
  return new StoreError(code.replace('FILE', 'STORE') as StoreErrorCode, message, {
    path,
    record,
    cause: error,
    hint,
  })
}

function encodeClaim(claim: Claim): Uint8Array {
  try {
    return encodeRecord({ ...claim, type: 'claim' })
  } catch (cause) {
    throw new StoreError('CLAIM_INVALID', `invalid claim: ${(cause as Error).message}`, { cause })
  }
}

function replayInto(state: ReplayedStore): Replay {
  return {
    record: (payload, record) => state.record(payload, record),
    end: (records) => state.end(records),
  }
}
