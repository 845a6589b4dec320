import { bytesOf, type Check, integerFrom, invalid } from '../core/base/argument.ts'
import { ID_SIZE } from '../core/base/encoding/ids.ts'
import type { UTXOID } from '../core/chain/x/transferables.ts'

/** A UTXO or its ID. Other members are ignored, because callers pass UTXOs as they were decoded. */
export const utxoID: Check<UTXOID> = (value, at) => {
  if (typeof value !== 'object' || value === null) throw invalid(value, at, 'a UTXO ID')
  const { txID, outputIndex } = value as UTXOID
  const member = (name: string) => ({ ...at, path: `${at.path}.${name}` })
  return {
    txID: bytesOf(ID_SIZE)(txID, member('txID')),
    outputIndex: integerFrom(0, 2 ** 32 - 1)(outputIndex, member('outputIndex')),
  }
}
