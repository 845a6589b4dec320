import { waitFor } from '../../node/transport/time-limit.ts'
import type { Log, Settings } from '../settings.ts'

/** How long a worker waits for the caller's function. */
const LOG_MS = 5_000

/**
 * Passes events to the caller's function. If it fails, on a full disk for example, or does not answer, this must neither
 * stop payments nor undo the transaction of the event: errors are ignored, and after one event without an answer in
 * time, later events are not waited for until that answer has come.
 */
export function logTo(log: Log | undefined): Settings['log'] {
  let isStuck = false
  return async (level, event, message, details = {}) => {
    const written = (async () => log?.({ level, event, message, details }))().catch(() => {})
    if (isStuck) return
    await waitFor('log', written, { totalMs: LOG_MS }).catch(() => {
      isStuck = true
      void written.then(() => {
        isStuck = false
      })
    })
  }
}
