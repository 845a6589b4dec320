import { onAbort } from '../../node/transport/abort.ts'
import type { Database } from './database.ts'

/** Names of the channels of `LISTEN` and `NOTIFY`. */
export type Channels = {
  /** New deposits; the message is the cursor of the last one. */
  readonly deposits: string
  /** New payouts, funds or outcomes. */
  readonly work: string
}

/** The channels of a schema. */
export function channelsOf(schema: string): Channels {
  return { deposits: `${schema}_deposits`, work: `${schema}_work` }
}

/** Wakes a process when a notification arrives. */
export type Wakeup = {
  /** Resolves after the first notification since the last call, after a time, or when the signal is aborted. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Makes `wait` resolve, as a notification does. */
  readonly wake: () => void
  readonly close: () => Promise<void>
}

/** Pause before a failed step is repeated, such as opening a lost connection again. */
export const RETRY_MS = 1_000

/** How often a connection that only listens is checked. */
const CHECK_MS = 15_000

/**
 * Listens to a channel on its own connection. Notifications can be lost with the connection, so waiting callers also
 * poll at intervals.
 */
export function listenToChannel(database: Database, channel: string): Wakeup {
  const closing = new AbortController()
  const forgetDatabase = onAbort(database.closed, () => closing.abort())
  let isNotified = false
  let notify = () => {}
  const wake = () => {
    isNotified = true
    notify()
  }
  const listening = (async () => {
    while (!closing.signal.aborted) {
      try {
        await database.session(
          async (session) => {
            // It may have been closed while the connection was made.
            if (closing.signal.aborted) return
            let forget = () => {}
            let check: ReturnType<typeof setInterval> | undefined
            const ended = new Promise<void>((resolve) => {
              session.on('notification', wake)
              session.on('end', resolve)
              forget = onAbort(closing.signal, resolve)
              // A connection that a firewall has dropped silently delivers no notifications.
              check = setInterval(() => session.query('SELECT 1').catch(resolve), CHECK_MS)
            })
            try {
              await session.query(`LISTEN "${channel}"`)
              // Notifications may have been missed before this connection.
              wake()
              await ended
            } finally {
              clearInterval(check)
              forget()
            }
          },
          { isDedicated: true, signal: closing.signal },
        )
      } catch {
        // The database cannot be reached; the loop tries again.
      }
      if (!closing.signal.aborted) await pause(RETRY_MS, closing.signal)
    }
  })()
  return {
    wake,
    wait: async (ms, signal) => {
      const stop = new AbortController()
      const end = () => stop.abort()
      const forget = onAbort(signal, end)
      notify = end
      if (!isNotified && !signal?.aborted) await pause(ms, stop.signal)
      isNotified = false
      forget()
    },
    close: async () => {
      forgetDatabase()
      closing.abort()
      await listening
    },
  }
}

/** Sleeps; ends early, without an error, when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      forget()
      resolve()
    }
    const timer = setTimeout(done, ms)
    const forget = onAbort(signal, done)
  })
}
