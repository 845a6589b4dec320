import { hex } from '../../core/base/encoding/hex.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'

/** Amount of the outputs of a cancellation that only show that it was accepted, in nAVAX. */
export const EVIDENCE_AMOUNT = 1n

/** Indices of the outputs of a transaction that the owners of these addresses can spend at once, without others. */
export function ownOutputs(tx: SignedTx, addresses: readonly Uint8Array[]): number[] {
  const own = new Set(addresses.map(hex.encode))
  return createdUTXOs(tx).flatMap(({ output, outputIndex }) => {
    if (output.type !== 'secp256k1fx.TransferOutput' || output.locktime > 0n) return []
    const signers = output.addresses.filter((address) => own.has(hex.encode(address)))
    return output.threshold > 0 && signers.length >= output.threshold ? [outputIndex] : []
  })
}
