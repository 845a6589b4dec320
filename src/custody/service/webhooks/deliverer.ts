import { pause, RETRY_MS } from '../../database/channels.ts'
import type { Database, Session } from '../../database/database.ts'
import type { Digits } from '../../database/values.ts'
import type { Log } from '../../index.ts'
import { lastEvent } from '../../operations/events.ts'
import { Delivery } from './delivery.ts'
import type { Webhook, WebhookLimits } from './options.ts'
import { type Send, senderTo } from './send.ts'
import { secretKey, signatureHeaders } from './signature.ts'

/** 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h: about three days. */
const RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]

/** A receiver, and where deliveries to it are recorded. */
export type DelivererSettings = {
  readonly database: Database
  readonly hook: Webhook
  readonly limits: WebhookLimits
  readonly log: Log
}

/**
 * Delivers events to one receiver until the signal is aborted. Only one process does so at a time, the one whose session has
 * the lock; the others wait. Progress is recorded on the same session, so it cannot be after the lock is lost.
 */
export async function deliverEvents(
  settings: DelivererSettings,
  signal: AbortSignal,
): Promise<void> {
  const { database, hook, limits, log } = settings
  const { timeoutMs = 15_000, concurrency = 32 } = limits
  const { send, close } = senderTo(hook.url, { timeoutMs, connections: concurrency })
  while (!signal.aborted)
    try {
      const work = (session: Session) => deliverLocked(settings, session, send, signal)
      await database.session(work, { isDedicated: true, signal })
      await pause(RETRY_MS, signal)
    } catch (error) {
      if (signal.aborted) break
      const message = error instanceof Error ? error.message : String(error)
      await (async () =>
        log({
          level: 'error',
          event: 'webhook.failed',
          message,
          details: { webhook: hook.name },
        }))().catch(() => {})
      await pause(RETRY_MS, signal)
    }
  close()
}

/** Delivers if this session gets the lock. */
async function deliverLocked(
  settings: DelivererSettings,
  session: Session,
  send: Send,
  signal: AbortSignal,
): Promise<void> {
  const { database, hook, limits } = settings
  const [lock] = await session.query<{ held: boolean }>(
    'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
    [`avmkit webhook ${database.schema} ${hook.name}`],
  )
  if (!lock!.held) return
  const keys = hook.secrets.map(secretKey)
  await new Delivery({
    database,
    session,
    hook,
    cursor: await cursorOf(settings, session),
    retrySeconds: limits.retrySeconds ?? RETRY_SECONDS,
    concurrency: limits.concurrency ?? 32,
    send: (message, stop) => {
      const seconds = Math.floor(Date.now() / 1000)
      return send(message.body, signatureHeaders({ ...message, seconds }, keys), stop)
    },
  }).run(signal)
}

/** The cursor of the receiver. A new one is told about events from now on. */
export async function cursorOf(
  { database, hook }: Pick<DelivererSettings, 'database' | 'hook'>,
  session: Pick<Session, 'query'> = database,
): Promise<bigint> {
  await session.query(
    'INSERT INTO @.webhooks (name, cursor) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
    [hook.name, await lastEvent(database)],
  )
  const [known] = await session.query<{ cursor: Digits }>(
    'SELECT cursor FROM @.webhooks WHERE name = $1',
    [hook.name],
  )
  return BigInt(known!.cursor)
}
