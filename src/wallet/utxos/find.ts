import type { SignedTx } from '../../core/chain/x/tx.ts'
import { type Clock, sleepFor } from '../../node/clock.ts'
import type { CallOptions } from '../../node/http.ts'
import { isNotFound } from '../../node/issue/issue.ts'
import type { NodeClient } from '../../node/node.ts'

/** Maximum number of requests for something that servers should have, and the pause between them. */
const MAX_TRIES = 5
const FIND_RETRY_MS = 200

/** What `find` returns, which is called again while it returns undefined: servers may be behind. */
export async function findEventually<T>(
  find: () => Promise<T | undefined>,
  clock: Clock,
  signal?: AbortSignal,
): Promise<T | undefined> {
  for (let tries = 1; ; tries++) {
    const found = await find()
    if (found !== undefined || tries === MAX_TRIES) return found
    await sleepFor(clock, FIND_RETRY_MS, 'wallet', signal)
  }
}

/**
 * An accepted transaction with this ID, or undefined. All servers are asked at the same time, because one may withhold
 * it or not answer.
 */
export async function findOnAny(
  servers: readonly NodeClient[],
  txID: Uint8Array,
  call: CallOptions,
): Promise<SignedTx | undefined> {
  const answers = servers.map((server) => findTx(server, txID, call))
  const found = answers.map(async (answer) => (await answer) ?? Promise.reject())
  // Fails only if all servers do.
  return Promise.any(found)
    .catch(() => Promise.any(answers))
    .catch(() => answers[0])
}

/** An accepted transaction with this ID, or undefined. */
export async function findTx(
  client: NodeClient,
  txID: Uint8Array,
  call: CallOptions,
): Promise<SignedTx | undefined> {
  try {
    return await client.avm.getTx({ txID }, call)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
