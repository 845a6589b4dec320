import { IssueError } from '../rpc/index.ts'
import type { Issued } from '../rpc/issue.ts'

/** A sending that may have arrived, or can be repeated, is left to the waiting. */
export function pendingYet(error: unknown): Issued {
  if (error instanceof IssueError && error.class === 'retry-later' && !error.remembered)
    return { txID: error.txID, status: 'pending' }
  throw error
}
