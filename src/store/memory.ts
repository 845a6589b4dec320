import { equalBytes } from '../bytes/compare.ts'
import { Claims } from './claims.ts'
import { StoreError } from './errors.ts'
import type { Attempt, Store, StoreBinding } from './store.ts'

/**
 * A store that lasts as long as the process: it prevents double payments after lost responses, not after a crash.
 *
 * @example
 * const wallet = createWallet({ client, keys, store: memoryStore() })
 */
export function memoryStore(): Store {
  const claims = new Claims()
  let bound: StoreBinding | undefined
  return {
    bind: async (binding) => {
      bound ??= binding
      requireBinding(bound, binding)
    },
    claim: async (claim) => {
      const attempt = claims.check(claim)
      if (attempt !== undefined) claims.add(attempt, claim.payments)
    },
    assertOwned: async () => {},
    settle: async (acceptance) => claims.settle(acceptance),
    payments: async (keys) => keys.map((key) => claims.record(key)),
    list: async function* () {
      for (const key of [...claims.payments.keys()]) {
        // A payment with a generated key may have ended, and been forgotten, since the list was made.
        const record = claims.record(key)
        if (record.status !== 'unknown') yield record
      }
    },
    attempts: async function* (key) {
      yield* pendingAttempts(claims, key)
    },
  }
}

/** A copy of the pending attempts, of one key or all: the caller may settle them while it iterates. */
export function pendingAttempts(claims: Claims, key: string | undefined): Attempt[] {
  return key === undefined
    ? [...claims.attempts.values()]
    : [...(claims.payments.get(key)?.attempts ?? [])]
}

/** @throws StoreError `STORE_MISMATCH` if the store belongs to another network or chain */
export function requireBinding(bound: StoreBinding, asked: StoreBinding): void {
  if (bound.networkID === asked.networkID && equalBytes(bound.chainID, asked.chainID)) return
  throw new StoreError(
    'STORE_MISMATCH',
    `the store belongs to network ${bound.networkID}, the wallet uses network ${asked.networkID}`,
    { hint: 'use one store per network and chain' },
  )
}
