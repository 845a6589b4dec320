import { IssueError } from '../../node/index.ts'
import type { Issued } from '../../node/issue/issue.ts'

/**
 * Treats a rejection that may be temporary as pending, so that the caller waits and issues again; throws other errors.
 */
export function pendingIfTemporary(error: unknown): Issued {
  if (error instanceof IssueError && error.class === 'retry-later' && !error.remembered)
    return { txID: error.txID, status: 'pending' }
  throw error
}
