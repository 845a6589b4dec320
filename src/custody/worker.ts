import { AvmError } from '../errors.ts'
import { WalletError } from '../wallet/errors.ts'
import { cancelNext } from './canceler.ts'
import { listen, pause, type Wakeup } from './channels.ts'
import { CustodyError } from './errors.ts'
import { Follower } from './follower.ts'
import { Issuer } from './issuer.ts'
import { Payer } from './payer.ts'
import type { Settings } from './settings.ts'
import { Sweeper } from './sweeper.ts'

/** How long a worker waits for a notification before it looks by itself. */
const LOOK_MS = 1_000
const RETRY_MS = 1_000
const SWEEP_MS = 10_000

/** One worker: follows the chain if it is the leader, makes payouts, issues pending transactions, sweeps. */
export class Worker {
  readonly follower: Follower
  private readonly settings: Settings
  private readonly payer: Payer
  private readonly issuer: Issuer
  private readonly sweeper: Sweeper

  constructor(settings: Settings) {
    this.settings = settings
    this.follower = new Follower(settings)
    this.issuer = new Issuer(settings)
    this.payer = new Payer(settings, this.issuer)
    this.sweeper = new Sweeper(settings, this.payer)
  }

  /** Works until the signal fires; then ends what is in progress. */
  async run(signal: AbortSignal): Promise<void> {
    const { database, channels, log, worker } = this.settings
    const wakeup = listen(database, channels.work)
    await log('info', 'worker.started', 'a worker has started', { worker })
    try {
      await Promise.all([this.follower.run(signal), this.pay(wakeup, signal)])
    } finally {
      await wakeup.close()
      await log('info', 'worker.stopped', 'a worker has stopped', { worker })
    }
  }

  private async pay(wakeup: Wakeup, signal: AbortSignal): Promise<void> {
    const startedAt = await this.startTime(signal)
    let sweptAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      try {
        await this.settings.database.query('DELETE FROM @.drafts WHERE expires_at <= now()')
        await this.issuer.issueDue()
        const isReady = await this.isSynced(startedAt)
        if (isReady && this.canSign()) {
          if (await cancelNext(this.settings, this.payer)) continue
          const step = await this.payer.step()
          if (step === 'paid') continue
          if (step === 'scattered' || Date.now() - sweptAt > SWEEP_MS) {
            sweptAt = Date.now()
            if (await this.sweeper.step(step)) continue
          }
        }
        await wakeup.wait(LOOK_MS, signal)
      } catch (error) {
        await this.survive(error, signal)
      }
    }
  }

  /** A failure of the database, the node or a signer: what was begun is undone or continued later. */
  private async survive(error: unknown, signal: AbortSignal): Promise<void> {
    if (error instanceof TypeError || error instanceof RangeError) throw error
    const isKnown = error instanceof AvmError
    const message = error instanceof Error ? error.message : String(error)
    const level = error instanceof CustodyError || error instanceof WalletError ? 'error' : 'warn'
    await this.settings.log(level, 'worker.failed', message, {
      code: isKnown ? error.code : 'ERROR',
    })
    await pause(RETRY_MS, signal)
  }

  private canSign(): boolean {
    const { keys, signers, hot } = this.settings
    return hot.length > 0 && (keys !== undefined || signers.length > 0)
  }

  private async startTime(signal: AbortSignal): Promise<Date> {
    while (!signal.aborted)
      try {
        const [row] = await this.settings.database.query<{ now: Date }>('SELECT now() AS now')
        return row!.now
      } catch (error) {
        await this.survive(error, signal)
      }
    return new Date()
  }

  /**
   * Whether the leader has applied all blocks since this worker started. After a backup was restored, payments that the
   * database has forgotten are found in blocks before anything is paid.
   */
  private async isSynced(startedAt: Date): Promise<boolean> {
    const [row] = await this.settings.database.query<{ is_synced: boolean | null }>(
      'SELECT synced_at >= $1 AS is_synced FROM @.chain',
      [startedAt],
    )
    return row?.is_synced === true
  }
}
