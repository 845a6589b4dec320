import type { Database, Session } from '../../database/database.ts'
import type { Digits } from '../../database/values.ts'
import { lastEvent } from '../../operations/events.ts'
import { type Message, messagesOf, readMessages } from './messages.ts'
import type { Webhook } from './options.ts'
import {
  readDue,
  removeDelivered,
  settleLane,
  settleLanes,
  storeBehind,
  storeFailure,
} from './waiting.ts'
import { DeliveryWindow } from './window.ts'

/** How often new events and due messages are looked for. */
const POLL_MS = 200
/** Messages that are read ahead, and read at once. */
const MAX_OPEN = 2_000
const READ_AT_ONCE = 1_000
/** How long deliveries in progress may take when the service stops. */
const STOP_MS = 5_000

type DeliverySettings = {
  readonly database: Database
  /** The session that has the lock. */
  readonly session: Session
  readonly hook: Webhook
  /** Event up to which all are delivered, or wait in the database. */
  readonly cursor: bigint
  /** Seconds before each further attempt. After the last one a message is dead. */
  readonly retrySeconds: readonly number[]
  readonly concurrency: number
  /** Returns why an attempt failed, or undefined. */
  readonly send: (message: Message, stop: AbortSignal) => Promise<string | undefined>
}

/** The end of an attempt. `failures` is the number of failed attempts before, undefined for the first attempt. */
type Ended = {
  readonly message: Message
  readonly failures: number | undefined
  readonly error: string | undefined
}

/**
 * Deliveries of a session that has the lock. First attempts are made from a window of events. If one fails, it and the later
 * messages of its lane wait in the database, and the window moves on.
 */
export class Delivery {
  private readonly settings: DeliverySettings
  private readonly window: DeliveryWindow<Message>
  /** Event up to which events were read. */
  private readTo: bigint
  /** Cursor in the database. */
  private saved: bigint
  /** Messages delivered since the cursor was saved. */
  private delivered = 0
  private readonly ended: Ended[] = []
  private readonly sending = new Set<Promise<void>>()
  /** Lanes in which messages wait, and those of them in which one is being sent. */
  private blocked = new Set<string>()
  private readonly retrying = new Set<string>()
  private notify = () => {}
  private readonly stop = new AbortController()

  constructor(settings: DeliverySettings) {
    this.settings = settings
    this.window = new DeliveryWindow(settings.cursor)
    this.readTo = settings.cursor
    this.saved = settings.cursor
  }

  /** Delivers until the signal is aborted. Attempts in progress are completed. */
  async run(signal: AbortSignal): Promise<void> {
    const { session, hook } = this.settings
    this.blocked = await settleLanes(session, hook.name)
    let polledAt = Number.NEGATIVE_INFINITY
    const wake = () => this.notify()
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        const hasRetried = await this.recordEnded()
        const isTime = performance.now() - polledAt >= POLL_MS
        if (isTime) polledAt = performance.now()
        if (isTime || hasRetried) await this.sendDue()
        if (isTime || this.window.size < this.settings.concurrency) await this.read()
        this.sendReady()
        if (isTime) await this.save()
        await this.wait()
      }
    } finally {
      signal.removeEventListener('abort', wake)
      const timer = setTimeout(() => this.stop.abort(), STOP_MS)
      await Promise.all(this.sending)
      clearTimeout(timer)
    }
    await this.recordEnded()
    await this.save()
  }

  /** Reads further events. Those of lanes in which messages wait are stored behind them. */
  private async read(): Promise<void> {
    const { database, session, hook } = this.settings
    if (this.window.size > MAX_OPEN - READ_AT_ONCE) return
    // A cheap look first: `lastEvent` waits for all transactions that add events.
    const [newest] = await session.query<{ seq: Digits }>(
      'SELECT coalesce(max(seq), 0) AS seq FROM @.events',
    )
    if (BigInt(newest!.seq) <= this.readTo) return
    const last = await lastEvent(database)
    const range = { after: this.readTo, last, limit: READ_AT_ONCE }
    const found = await readMessages(session, range)
    const messages = found.filter(({ topic }) => hook.topics?.includes(topic) ?? true)
    const isBehind = ({ lane }: Message) => this.blocked.has(lane)
    await storeBehind(session, hook.name, messages.filter(isBehind))
    for (const message of messages) if (!isBehind(message)) this.window.add(message)
    this.readTo = found.length < READ_AT_ONCE ? last : found.at(-1)!.event
    this.window.pass(this.readTo)
  }

  /** Sends messages again whose time has come, one of each lane. */
  private async sendDue(): Promise<void> {
    const { session, hook, concurrency } = this.settings
    const free = concurrency - this.sending.size
    if (free <= 0) return
    const due = await readDue(session, hook.name, concurrency + this.retrying.size)
    const failures = new Map(due.map(({ event, attempts }) => [event, attempts]))
    if (due.length === 0) return
    let started = 0
    for (const message of await messagesOf(session, [...failures.keys()])) {
      if (this.retrying.has(message.lane) || started++ >= free) continue
      // Messages that an operator replays were not waiting.
      this.blocked.add(message.lane)
      this.retrying.add(message.lane)
      this.start(message, failures.get(message.event))
    }
  }

  private sendReady(): void {
    while (this.sending.size < this.settings.concurrency) {
      const message = this.window.take()
      if (message === undefined) return
      this.start(message, undefined)
    }
  }

  private start(message: Message, failures: number | undefined): void {
    const work = this.settings.send(message, this.stop.signal).then((error) => {
      this.sending.delete(work)
      this.ended.push({ message, failures, error })
      this.notify()
    })
    this.sending.add(work)
  }

  /** Records attempts that have ended. Returns whether one of them was a further attempt. */
  private async recordEnded(): Promise<boolean> {
    const { session, hook } = this.settings
    let hasRetried = false
    for (const { message, failures, error } of this.ended.splice(0)) {
      // Interrupted because the service stops: it is sent again by the next one.
      if (error !== undefined && this.stop.signal.aborted) continue
      if (error === undefined) this.delivered++
      if (failures === undefined && error === undefined) {
        this.window.done(message)
        continue
      }
      hasRetried ||= failures !== undefined
      if (error === undefined) await removeDelivered(session, hook.name, message.event)
      else await this.recordFailure(message, (failures ?? 0) + 1, error)
      if (failures === undefined)
        await storeBehind(session, hook.name, this.window.block(message).slice(1))
      this.retrying.delete(message.lane)
      const isBlocked = await settleLane(session, hook.name, message.lane)
      if (isBlocked) this.blocked.add(message.lane)
      else this.blocked.delete(message.lane)
    }
    return hasRetried
  }

  private async recordFailure(message: Message, attempts: number, error: string): Promise<void> {
    const { session, hook, retrySeconds } = this.settings
    const seconds = retrySeconds[attempts - 1]
    await storeFailure(session, hook.name, message, { attempts, error, seconds })
  }

  private async save(): Promise<void> {
    const { session, hook } = this.settings
    const { cursor } = this.window
    if (cursor === this.saved && this.delivered === 0) return
    await session.query(
      `UPDATE @.webhooks SET cursor = $2, delivered = delivered + $3,
         last_delivery = CASE WHEN $3 > 0 THEN now() ELSE last_delivery END WHERE name = $1`,
      [hook.name, cursor, this.delivered],
    )
    this.saved = cursor
    this.delivered = 0
  }

  /** Waits for the end of an attempt, or until it is time to look again. */
  private async wait(): Promise<void> {
    if (this.ended.length > 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS)
      this.notify = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
