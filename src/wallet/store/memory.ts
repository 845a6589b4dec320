import { argument, list, optional, text } from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { iterate } from '../../core/base/iterate.ts'
import { Claims } from './claims.ts'
import { StoreError } from './errors.ts'
import { withIndexes } from './indexes.ts'
import {
  type AccountIndexes,
  type Attempt,
  acceptanceArgument,
  type BlockReference,
  claimArgument,
  type EndedAttempt,
  STORE_ID_SIZE,
  type Store,
  type StoreBinding,
  type StoreState,
  storeBinding,
} from './store.ts'

/**
 * Creates a store in memory. It prevents double payments after lost responses, but not after a crash.
 *
 * @example
 * const wallet = createWallet({ client, keys, store: memoryStore() })
 */
export function memoryStore(): Store {
  const claims = new Claims()
  const id = newStoreID()
  let bound: StoreBinding | undefined
  let blocks: readonly BlockReference[] = []
  let indexes: readonly AccountIndexes[] = []
  return checkedStore({
    bind: async ({ block, found = [], indexes: used, ...binding }) => {
      requireBinding(bound ?? binding, binding)
      bound = binding
      for (const one of found) claims.addFound(one)
      if (block !== undefined) blocks = withBlock(blocks, block)
      if (used !== undefined) indexes = withIndexes(indexes, used)
      return storeState({ id, blocks, claims, indexes })
    },
    claim: async (claim) => {
      const attempt = claims.check(claim)
      claims.now = unixTime()
      if (attempt !== undefined) claims.add(attempt, claim.payments)
    },
    assertOwned: async () => {},
    recordAcceptance: async (acceptance) => {
      claims.now = unixTime()
      claims.recordAcceptance(acceptance)
    },
    cancel: async (key) => {
      claims.now = unixTime()
      claims.cancel(key)
    },
    payments: async (keys) => keys.map((key) => claims.record(key)),
    list: async function* () {
      for (const key of [...claims.payments.keys()]) {
        // A payment with a generated key may have been removed since the list was created.
        const record = claims.record(key)
        if (record.status !== 'unknown') yield record
      }
    },
    attempts: async function* (key) {
      yield* pendingAttempts(claims, key)
    },
  })
}

/** A store that checks and copies its arguments before it passes them on. */
export function checkedStore<S extends Store>(store: S): S {
  return {
    ...store,
    bind: async (binding) => store.bind(argument('store.bind', binding, storeBinding)),
    claim: async (claim) => store.claim(argument('store.claim', claim, claimArgument)),
    recordAcceptance: async (acceptance) =>
      store.recordAcceptance(argument('store.recordAcceptance', acceptance, acceptanceArgument)),
    cancel: async (key) => store.cancel(argument('store.cancel', key, text, 'key')),
    payments: async (keys) => store.payments(argument('store.payments', keys, list(text), 'keys')),
    attempts: (key) =>
      iterate(
        () => argument('store.attempts', key, optional(text), 'key'),
        (checked) => store.attempts(checked),
      ),
  }
}

/**
 * Returns a copy of the pending attempts of one key or of all keys, so that the caller may end them while iterating.
 */
export function pendingAttempts(claims: Claims, key: string | undefined): Attempt[] {
  return key === undefined
    ? [...claims.attempts.values()]
    : [...(claims.payments.get(key)?.attempts ?? [])]
}

/** What a store returns when it is bound. */
export function storeState({
  id,
  blocks,
  claims,
  indexes,
}: Pick<StoreState, 'id' | 'blocks' | 'indexes'> & { readonly claims: Claims }): StoreState {
  return {
    id: id.slice(),
    blocks,
    indexes,
    ended: endedAttempts(claims),
    found: [...claims.found.values()],
    made: [...claims.made.values()],
  }
}

/** The ended attempts of all payments. */
function endedAttempts({ rivals }: Claims): EndedAttempt[] {
  const keys = new Set([...rivals.ended.values()].flatMap((ended) => ended.keys))
  const all = [...keys].flatMap((key) => rivals.endedFor(key))
  return [...new Map(all.map((ended) => [hex.encode(ended.txID), ended])).values()]
}

/** The time of the system, in Unix seconds. */
export function unixTime(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}

/** A random ID for a new store. */
export function newStoreID(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(STORE_ID_SIZE))
}

/**
 * Adds a block to those that a wallet has applied, in the order of their heights, and removes those at its height and
 * above, except firm ones if it is not. Of the others, the first one and the newest firm one are kept, and one at each of
 * the distances 1, 2, 4, 8, …
 */
export function withBlock(
  blocks: readonly BlockReference[],
  block: BlockReference,
): BlockReference[] {
  const { height, firm } = block
  const before = blocks.filter((one) => one.height < height)
  const above = blocks.filter((one) => one.height > height && one.firm && !firm)
  const all = [...before, block, ...above]
  const newest = all.at(-1)!
  const newestFirm = all.findLast((one) => one.firm)
  let distance = 1n
  const kept = all.toReversed().filter((one, i) => {
    const isNext = newest.height - one.height >= distance
    if (isNext) distance *= 2n
    return isNext || one === newest || one === newestFirm || i === all.length - 1
  })
  return kept.reverse()
}

/**
 * Checks that a store belongs to the requested network and chain.
 *
 * @throws StoreError `STORE_MISMATCH`
 */
export function requireBinding(bound: StoreBinding, requested: StoreBinding): void {
  const { networkID, chainID } = requested
  if (bound.networkID === networkID && equalBytes(bound.chainID, chainID)) return
  throw new StoreError(
    'STORE_MISMATCH',
    `the store belongs to network ${bound.networkID}, the wallet uses network ${networkID}`,
    { hint: 'use one store per network and chain' },
  )
}
