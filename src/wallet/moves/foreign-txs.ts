import { AvmError } from '../../core/base/errors.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { ignoreAvmError } from '../../node/errors.ts'
import type { Attempt } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import type { MoveNote } from './note.ts'
import type { Side, SideCall } from './side.ts'

/**
 * Ends a move whose UTXOs another program has imported with the wallet's keys, if the import is found.
 *
 * @param side - the destination
 */
export async function endIfImported(
  state: WalletState,
  side: Side,
  exported: Attempt | undefined,
  { recipient }: MoveNote,
  utxos: readonly UTXOID[],
  call: SideCall,
): Promise<void> {
  if (utxos.length === 0) return
  const found = await side.findImport?.(utxos, recipient, call).catch(ignoreAvmError)
  if (found === undefined) return
  const inputs = [...found.inputs, ...(exported?.inputs ?? [])]
  await state.outcomes.decideBy({ ...found, inputs }, call)
}

/**
 * Rejects an export of the C-Chain if another transaction is found that has used its nonce. Returns whether the nonce is
 * used: then, even if no other transaction is found, issuing the export again is of no use in this call.
 */
export async function endIfNonceUsed(
  state: WalletState,
  { findRival, nonceMismatch }: Side,
  { bytes }: Attempt,
  call: SideCall,
): Promise<boolean> {
  try {
    const nonce = await nonceMismatch?.(bytes, call)
    if (nonce === undefined || nonce.export > nonce.next) return false
    const found = await findRival?.(bytes, call)
    if (found !== undefined) await state.outcomes.decideBy(found, call)
    return true
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    return false
  }
}
