import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Attempt } from '../store/store.ts'

/**
 * Returns available inputs such that every attempt of a list spends at least one of them; undefined if an attempt has
 * no available input. Takes the input that most attempts share first, so that few are needed.
 */
export function conflictingInputs(
  attempts: readonly Pick<Attempt, 'inputs'>[],
  isAvailable: (id: UTXOID) => boolean,
): UTXOID[] | undefined {
  const chosen: UTXOID[] = []
  let uncovered = [...attempts]
  while (uncovered.length > 0) {
    const counts = new Map<string, { readonly id: UTXOID; count: number }>()
    for (const { inputs } of uncovered)
      for (const id of inputs) {
        const entry = counts.get(utxoKey(id)) ?? { id, count: 0 }
        entry.count++
        counts.set(utxoKey(id), entry)
      }
    const [best] = [...counts.values()]
      .filter(({ id }) => isAvailable(id))
      .sort((a, b) => b.count - a.count)
    if (best === undefined) return undefined
    chosen.push(best.id)
    const name = utxoKey(best.id)
    uncovered = uncovered.filter(({ inputs }) => !inputs.some((id) => utxoKey(id) === name))
  }
  return chosen
}

/** Removes repetitions of UTXO IDs. */
export function distinctUTXOs(ids: readonly UTXOID[]): UTXOID[] {
  return [...new Map(ids.map((id) => [utxoKey(id), id])).values()]
}
