import { equalBytes } from '../core/base/bytes/compare.ts'
import { ArgumentError, AvmError } from '../core/base/errors.ts'
import { AbortError } from '../node/errors.ts'
import { onAbort } from '../node/transport/abort.ts'
import { WalletError } from '../wallet/errors.ts'
import { Follower } from './chain/follower.ts'
import { isSynced, syncLock } from './database/chain-row.ts'
import { listenToChannel, pause, RETRY_MS, type Wakeup } from './database/channels.ts'
import { CustodyError } from './errors.ts'
import { cancelNext, IS_TO_CANCEL } from './payouts/canceler.ts'
import { Claimer } from './payouts/claimer.ts'
import { type DueAttempt, IS_DUE, PayoutIssuer } from './payouts/issuer.ts'
import { Payer, type PayStep } from './payouts/payer.ts'
import { renewAttempt, repeatAttempt } from './payouts/renewal.ts'
import type { Settings } from './settings.ts'
import { Sweeper } from './sweeps/sweeper.ts'

/** How long a worker waits for a notification before it polls. */
const WORK_POLL_MS = 1_000
/** Minimum time between two applications of the sweep rules, and between two requests for the fees. */
const SWEEP_MS = 10_000
const FEES_MS = 60_000
/** How long tasks in progress wait for connections when the worker stops. */
const STOP_MS = 5_000

/** The state of the tables that decides what a worker does next. */
type Work = {
  /** Whether `isSynced` holds. Claims check it again. */
  readonly is_synced: boolean | null
  readonly has_expired: boolean
  readonly has_due: boolean
  readonly has_to_cancel: boolean
  readonly has_queued: boolean
}

/** One worker: follows the chain if it is the leader, makes payouts, issues pending transactions, sweeps. */
export class Worker {
  private readonly settings: Settings
  private readonly follower: Follower
  private readonly claimer: Claimer
  private readonly payer: Payer
  private readonly issuer: PayoutIssuer
  private readonly sweeper: Sweeper
  /** Ends all parts: if one of them fails, the other must not continue after `run` has ended. */
  private readonly stop = new AbortController()
  /** Aborted some time after `stop`: tasks in progress no longer wait for connections. */
  private readonly leave = new AbortController()
  private sweptAt = Number.NEGATIVE_INFINITY
  private feesAt = performance.now()

  constructor(given: Settings) {
    const settings: Settings = {
      ...given,
      database: given.database.endingWith(this.leave.signal),
      // The fees change.
      get context() {
        return given.context
      },
    }
    this.settings = settings
    this.follower = new Follower(settings)
    this.issuer = new PayoutIssuer(settings)
    const { signal } = this.stop
    this.claimer = new Claimer(settings, this.issuer, signal)
    this.payer = new Payer(settings, this.claimer, signal)
    this.sweeper = new Sweeper(settings, this.claimer)
  }

  /**
   * Works until the signal is aborted. After that it does not wait for a policy or signers, and their payouts return to
   * the queue; other tasks in progress are completed.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { stop, leave } = this
    let timer: ReturnType<typeof setTimeout> | undefined
    onAbort(stop.signal, () => {
      timer = setTimeout(() => leave.abort(), STOP_MS)
    })
    const { database, channels, log, worker } = this.settings
    const wakeup = listenToChannel(database, channels.work)
    await log('info', 'worker.started', 'a worker has started', { worker })
    const forget = onAbort(signal, () => stop.abort())
    if (signal.aborted) stop.abort()
    const parts = [this.follower.run(stop.signal), this.pay(wakeup, stop.signal)]
    try {
      await Promise.all(parts)
    } finally {
      stop.abort()
      await Promise.allSettled(parts)
      clearTimeout(timer)
      forget()
      await wakeup.close()
      await log('info', 'worker.stopped', 'a worker has stopped', { worker })
    }
  }

  private async pay(wakeup: Wakeup, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!(await this.step(await this.readWork()))) await wakeup.wait(WORK_POLL_MS, signal)
      } catch (error) {
        // A task that the signal has interrupted has not failed.
        if (signal.aborted && error instanceof AbortError) return
        await this.survive(error, signal)
      }
    }
  }

  /** Runs one task. Returns false if there is nothing to do until something changes. */
  private async step(work: Work): Promise<boolean> {
    const { database } = this.settings
    if (work.has_expired) await database.query('DELETE FROM @.drafts WHERE expires_at <= now()')
    const { signal } = this.stop
    const refused = work.has_due ? await this.issuer.issueDue(signal) : []
    for (const attempt of refused)
      if (signal.aborted) return false
      else if (work.is_synced) await this.renew(attempt)
      else await repeatAttempt(this.settings, this.issuer, attempt)
    if (!work.is_synced || signal.aborted) return false
    if (!this.canSweep()) return false
    await this.refreshFees()
    const canPay = this.canPay()
    if (canPay && work.has_to_cancel && (await cancelNext(this.settings, this.claimer))) return true
    const consolidate = (assetID: Uint8Array) => this.sweeper.consolidateAsset(assetID)
    const step = canPay && work.has_queued ? await this.payer.step(consolidate) : 'nothing'
    return step === 'paid' || step === 'decided' || this.sweep(step)
  }

  private renew(attempt: DueAttempt): Promise<void> {
    return renewAttempt(this.settings, { claimer: this.claimer, issuer: this.issuer }, attempt)
  }

  private async sweep(step: PayStep): Promise<boolean> {
    // `performance.now`, because the system clock may jump.
    if (performance.now() - this.sweptAt < SWEEP_MS) return false
    this.sweptAt = performance.now()
    return this.sweeper.step(step)
  }

  private async refreshFees(): Promise<void> {
    if (performance.now() - this.feesAt < FEES_MS) return
    this.feesAt = performance.now()
    await this.settings.refreshFees()
  }

  /**
   * Logs a failure of the database, the node, a signer or a policy, and pauses. Any error counts: `fetch` throws a
   * TypeError if a service cannot be reached. Work in progress is undone or continued later.
   */
  private async survive(error: unknown, signal: AbortSignal): Promise<void> {
    const code = error instanceof AvmError ? error.code : 'ERROR'
    const message = error instanceof Error ? error.message : String(error)
    // Other errors of this library are failures of the node, which the worker expects.
    const isExpected =
      error instanceof AvmError &&
      // An invalid decision of the policy.
      !(error instanceof ArgumentError) &&
      !(error instanceof CustodyError) &&
      !(error instanceof WalletError)
    await this.settings.log(isExpected ? 'warn' : 'error', 'worker.failed', message, { code })
    await pause(RETRY_MS, signal)
  }

  /** Whether this process may have keys of the hot wallet: one that only collects deposits must not take payouts. */
  private canPay(): boolean {
    const { keys, signers, hot } = this.settings
    return hot.some(
      (address) =>
        keys?.has(address) === true ||
        signers.some(({ addresses }) => addresses?.some((one) => equalBytes(one, address)) ?? true),
    )
  }

  /** Whether it has any keys, and an address to send the funds to. */
  private canSweep(): boolean {
    const { keys, signers, accounts, hot } = this.settings
    return hot.length > 0 && (keys !== undefined || signers.length > 0 || accounts.size > 0)
  }

  /** One statement, because idle workers repeat it. */
  private async readWork(): Promise<Work> {
    const { database } = this.settings
    const [row] = await database.query<Work>(
      `SELECT ${isSynced('$1')} AS is_synced,
         EXISTS (SELECT FROM @.drafts WHERE expires_at <= now()) AS has_expired,
         EXISTS (SELECT FROM @.attempts WHERE ${IS_DUE}) AS has_due,
         EXISTS (SELECT FROM @.payments p WHERE ${IS_TO_CANCEL}) AS has_to_cancel,
         fence_height IS NULL AND EXISTS (SELECT FROM @.payments WHERE status = 'queued' AND draft IS NULL) AS has_queued
       FROM @.chain`,
      [syncLock(database.schema)],
    )
    return row!
  }
}
