import { hex } from '../../core/base/encoding/hex.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Acceptance } from './store.ts'

/**
 * Those of some transactions that can never be accepted if another one is: they share an input with it, or descend from one
 * that does.
 *
 * @param txs - what each spends, by the hex of its ID
 * @returns their IDs, as hex
 */
export function excludedBy(
  { txID, inputs }: Pick<Acceptance, 'txID' | 'inputs'>,
  txs: ReadonlyMap<string, readonly UTXOID[]>,
): Set<string> {
  const excluded = new Set<string>()
  const spent = new Set(inputs.map(utxoKey))
  const accepted = hex.encode(txID)
  const isExcluded = (id: UTXOID) => spent.has(utxoKey(id)) || excluded.has(hex.encode(id.txID))
  for (let before = -1; before < excluded.size; ) {
    before = excluded.size
    for (const [name, consumed] of txs)
      if (name !== accepted && consumed.some(isExcluded)) excluded.add(name)
  }
  return excluded
}
