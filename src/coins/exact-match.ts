import type { CoinStore } from './coin-store.ts'

/** Coins that take part in the search: the largest that are not above the amount. */
const MAX_CANDIDATES = 1000
/** Steps before the search gives up: some hundredths of a second. */
const MAX_STEPS = 100_000

/**
 * Coins that bring exactly `amount` within `bytes`, so that no change is left, or up to `slack` more; undefined
 * where the bounded search finds none. Depth first, larger coins first; a branch ends where the coins left
 * cannot reach the amount. `rows` from large to small.
 */
export function exactMatch(
  store: CoinStore,
  rows: Uint32Array,
  amount: bigint,
  bytes: number,
  slack = 0n,
): number[] | undefined {
  const coins: { row: number; amount: bigint; size: number }[] = []
  for (const row of rows) {
    if (coins.length === MAX_CANDIDATES) break
    const coin = { row, amount: store.amount(row), size: store.spendSize(row) }
    if (coin.amount <= amount + slack) coins.push(coin)
  }
  const sumFrom = new Array<bigint>(coins.length + 1).fill(0n)
  for (let i = coins.length - 1; i >= 0; i--) sumFrom[i] = sumFrom[i + 1]! + coins[i]!.amount
  const picked: number[] = []
  let left = amount
  let room = bytes
  let at = 0
  for (let step = 0; step < MAX_STEPS; step++) {
    if (left <= 0n) return picked.map((i) => coins[i]!.row)
    const coin = coins[at]
    if (coin !== undefined && sumFrom[at]! >= left && room > 0) {
      const before = coins[at - 1]
      // A twin of a coin that was left out just now would only repeat that branch.
      const twin = before?.amount === coin.amount && before.size === coin.size
      if (coin.amount <= left + slack && coin.size <= room && !(twin && picked.at(-1) !== at - 1)) {
        picked.push(at)
        left -= coin.amount
        room -= coin.size
      }
      at++
      continue
    }
    const last = picked.pop()
    if (last === undefined) return undefined
    left += coins[last]!.amount
    room += coins[last]!.size
    at = last + 1
  }
  return undefined
}
