import type { Candidates } from './candidates.ts'
import type { UTXOStore } from './store/utxo-store.ts'

/** UTXOs that take part in the search: the largest that are not above the amount. */
const MAX_CANDIDATES = 1000
/** Steps before the search gives up: some hundredths of a second. */
const MAX_STEPS = 100_000

/**
 * UTXOs that bring exactly `amount` within `bytes`, so that no change is left, or up to `slack` more; undefined
 * where the bounded search finds none. Depth first, larger UTXOs first; a branch ends where the UTXOs left
 * cannot reach the amount.
 */
export function exactMatch(
  store: UTXOStore,
  candidates: Candidates,
  amount: bigint,
  bytes: number,
  slack = 0n,
): number[] | undefined {
  const utxos: { row: number; amount: bigint; size: number }[] = []
  for (const row of candidates.largest(amount + slack)) {
    if (utxos.length === MAX_CANDIDATES) break
    utxos.push({ row, amount: store.amount(row), size: store.spendSize(row) })
  }
  const sumFrom = new Array<bigint>(utxos.length + 1).fill(0n)
  for (let i = utxos.length - 1; i >= 0; i--) sumFrom[i] = sumFrom[i + 1]! + utxos[i]!.amount
  const picked: number[] = []
  let left = amount
  let room = bytes
  let at = 0
  for (let step = 0; step < MAX_STEPS; step++) {
    if (left <= 0n) return picked.map((i) => utxos[i]!.row)
    const utxo = utxos[at]
    if (utxo !== undefined && sumFrom[at]! >= left && room > 0) {
      const before = utxos[at - 1]
      // A twin of a UTXO that was left out just now would only repeat that branch.
      const twin = before?.amount === utxo.amount && before.size === utxo.size
      if (utxo.amount <= left + slack && utxo.size <= room && !(twin && picked.at(-1) !== at - 1)) {
        picked.push(at)
        left -= utxo.amount
        room -= utxo.size
      }
      at++
      continue
    }
    const last = picked.pop()
    if (last === undefined) return undefined
    left += utxos[last]!.amount
    room += utxos[last]!.size
    at = last + 1
  }
  return undefined
}
