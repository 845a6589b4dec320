import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { ignoreAvmError } from '../../node/errors.ts'
import type { AttemptGroup } from '../payments/attempts.ts'
import type { WalletState } from '../wallet-state.ts'
import type { MoveNote } from './note.ts'
import { type FoundTx, firstExport, type Side, type SideCall } from './side.ts'

/**
 * Ends a move whose UTXOs another program has imported with the wallet's keys, if the import is found.
 *
 * @param side - the destination
 */
export async function endIfImported(
  state: WalletState,
  side: Side,
  { exported }: AttemptGroup,
  { recipient }: MoveNote,
  utxos: readonly UTXOID[],
  call: SideCall,
): Promise<void> {
  if (utxos.length === 0) return
  const found = await side.findImport?.(utxos, recipient, call).catch(ignoreAvmError)
  if (found === undefined) return
  await decideBy(state, { ...found, inputs: [...found.inputs, ...(exported?.inputs ?? [])] }, call)
}

/**
 * Rejects an export of the C-Chain if another transaction is found that has used its nonce. Returns whether the nonce is
 * used: then, even if no other transaction is found, issuing the export again is of no use in this call.
 */
export async function endIfNonceUsed(
  state: WalletState,
  { findRival, nonceMismatch }: Side,
  group: AttemptGroup,
  call: SideCall,
): Promise<boolean> {
  const { bytes } = firstExport(group)!
  try {
    const nonce = await nonceMismatch?.(bytes, call)
    if (nonce === undefined || nonce.export > nonce.next) return false
    const found = await findRival?.(bytes, call)
    if (found !== undefined) await decideBy(state, found, call)
    return true
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    return false
  }
}

/** Decides moves by a transaction of another program. */
async function decideBy(
  { pending, outcomes }: WalletState,
  found: FoundTx,
  call: SideCall,
): Promise<void> {
  pending.candidates.set(hex.encode(found.txID), found)
  await outcomes.decide(call)
}
