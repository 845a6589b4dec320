import { hex } from '../../core/base/encoding/hex.ts'
import { txID as idOf } from '../../core/chain/x/ids.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { CallOptions } from '../../node/http.ts'
import type { WalletState } from '../wallet-state.ts'
import { txSigners } from './evidence.ts'

/** An accepted transaction that keys of the wallet signed and its store does not know. */
export type UnrecordedTx = {
  readonly height: bigint
  readonly txID: Uint8Array
  readonly tx: SignedTx
}

/**
 * Reads all blocks from a height on and lists the transactions that the wallet's keys signed and its store does not
 * know: those that a lost or restored store has forgotten, and those of other holders of the keys. Payments without a
 * caller's key are listed too, because a store forgets them once they are accepted.
 *
 * @throws ArgumentError `ENC_INVALID` if the height is not one
 */
export async function unrecordedTxs(
  state: WalletState,
  fromHeight: bigint,
  call: CallOptions,
): Promise<UnrecordedTx[]> {
  const reader = state.chain.blockReader({ from: fromHeight })
  await state.open(call)
  const known = await recordedIDs(state)
  const own = new Set(state.addresses.map(hex.encode))
  const backend = await state.backend()
  const found: UnrecordedTx[] = []
  for (let behind = 0; behind < state.chain.emptyReads; ) {
    const blocks = await reader.read({ signal: call.signal, timeoutMs: call.totalMs })
    behind = blocks.length === 0 ? behind + 1 : 0
    for (const { block } of blocks)
      for (const tx of block.txs) {
        const signers = txSigners(tx, backend)
        if (!signers.some((signer) => own.has(hex.encode(signer)))) continue
        const txID = idOf(tx)
        if (!known.has(hex.encode(txID))) found.push({ height: block.height, txID, tx })
      }
  }
  return found
}

async function recordedIDs({ store }: WalletState): Promise<Set<string>> {
  const known = new Set<string>()
  for await (const { txID } of store.list()) if (txID !== undefined) known.add(hex.encode(txID))
  for await (const { txID } of store.attempts()) known.add(hex.encode(txID))
  return known
}
