import type { Candidates } from './candidates.ts'
import type { UTXOStore } from './store/utxo-store.ts'

/** Number of UTXOs considered: the largest that do not exceed the amount. */
const MAX_CONSIDERED_UTXOS = 1000
/** Number of steps before the search gives up, after a few hundredths of a second. */
const MAX_STEPS = 100_000

/**
 * Searches for UTXOs whose sum is `amount`, or at most `slack` more, within `bytes`, so that no change is needed.
 * Returns undefined if the bounded search finds none. Depth-first, larger UTXOs first; a branch ends when the
 * remaining UTXOs cannot reach the amount.
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
    if (utxos.length === MAX_CONSIDERED_UTXOS) break
    utxos.push({ row, amount: store.amount(row), size: store.spendSize(row) })
  }
  /** Sum of the amounts from each position to the end. */
  const sumFrom = new Array<bigint>(utxos.length + 1).fill(0n)
  for (let i = utxos.length - 1; i >= 0; i--) sumFrom[i] = sumFrom[i + 1]! + utxos[i]!.amount
  const picked: number[] = []
  let missing = amount
  let bytesLeft = bytes
  let at = 0
  for (let step = 0; step < MAX_STEPS; step++) {
    if (missing <= 0n) return picked.map((i) => utxos[i]!.row)
    const utxo = utxos[at]
    if (utxo !== undefined && sumFrom[at]! >= missing && bytesLeft > 0) {
      const before = utxos[at - 1]
      // After a UTXO was skipped, an equal one would only repeat that branch.
      const twin = before?.amount === utxo.amount && before.size === utxo.size
      const repeats = twin && picked.at(-1) !== at - 1
      if (utxo.amount <= missing + slack && utxo.size <= bytesLeft && !repeats) {
        picked.push(at)
        missing -= utxo.amount
        bytesLeft -= utxo.size
      }
      at++
      continue
    }
    const last = picked.pop()
    if (last === undefined) return undefined
    missing += utxos[last]!.amount
    bytesLeft += utxos[last]!.size
    at = last + 1
  }
  return undefined
}
