import { AvmError } from '../../../core/base/errors.ts'
import { pause } from '../../database/channels.ts'
import type { Database } from '../../database/database.ts'
import type { CustodyStatus } from '../../index.ts'

/** How often the status is read. */
const CHECK_MS = 2_000

/** Records problems of the system as events when they begin and end. Several processes may do so. */
export async function recordProblems(
  database: Database,
  status: () => Promise<CustodyStatus>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { problems } = await status()
      await database.query('SELECT @.record_problems($1::text[], $2::text[])', [
        problems.map(({ code }) => code),
        problems.map(({ message }) => message),
      ])
    } catch (error) {
      // The database cannot be reached: nothing can be recorded. Other errors are bugs.
      if (!(error instanceof AvmError)) throw error
    }
    await pause(CHECK_MS, signal)
  }
}
