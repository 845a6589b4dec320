import { hex } from '../../core/base/encoding/hex.ts'
import { hashToSign } from '../../core/chain/p/ids.ts'
import { inputsOf, type SignedTx } from '../../core/chain/p/tx.ts'
import { encodeUTXO } from '../../core/chain/p/utxo.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { countdown } from '../../node/clock.ts'
import { ignoreAvmError } from '../../node/errors.ts'
import type { PChainClient } from '../../node/p-chain-client.ts'
import type { OtherView } from '../../node/view/other-view.ts'
import { recoveredSigners } from '../evidence/signatures.ts'
import type { WalletState } from '../wallet-state.ts'
import type { FoundTx, SideCall } from './side.ts'

/** Limits the requests of one search. */
const MAX_TXS = 256

/**
 * Searches the P-Chain for an import that another program made with the wallet's keys. The node cannot be asked which
 * transaction has spent a UTXO. Therefore the transactions that created the current UTXOs of the owners are read, then
 * those that created their inputs, and so on: if the import paid one of the owners, it is usually among them.
 *
 * @param utxos - UTXOs of another chain, one of which the import spends
 * @param recipient - owner besides the wallet's addresses
 */
export async function findPImport(
  state: WalletState,
  chain: OtherView<PChainClient>,
  utxos: readonly UTXOID[],
  recipient: Uint8Array,
  { totalMs, signal }: SideCall,
): Promise<FoundTx | undefined> {
  const remainingMs = countdown(state.clock, totalMs)
  const call = () => ({ totalMs: Math.max(1, remainingMs()), signal })
  const spent = new Set(utxos.map(utxoKey))
  const queue = new Map<string, Uint8Array>()
  const add = (ids: readonly UTXOID[]) => {
    for (const { txID } of ids) if (queue.size < MAX_TXS) queue.set(hex.encode(txID), txID)
  }
  const addresses = [...state.addresses, recipient]
  const listed = await chain.utxos(
    (server, limits) => server.utxoPages({ addresses, ...limits }),
    encodeUTXO,
    call(),
  )
  add([...listed.utxos, ...listed.disputed.map(({ utxo }) => utxo)])
  // The loop also visits entries that are added while it runs.
  for (const txID of queue.values()) {
    if (remainingMs() <= 0 || signal?.aborted) return undefined
    // Skips transactions that are not decoded here, such as those of validators, and what the node does not return.
    const tx = await chain.find(
      'platform.getTx',
      ({ platform }, limits) => platform.getTx({ txID }, limits).catch(ignoreAvmError),
      call(),
    )
    if (tx === undefined) continue
    const inputs = inputsOf(tx.unsignedTx)
    const isFound = (await isSignedByUs(tx, spent, state)) && (await chain.isAccepted(txID, call()))
    if (isFound) return { txID, inputs }
    add(inputs)
  }
  return undefined
}

/** Whether a transaction spends one of these UTXOs with signatures of the wallet's keys, which a node cannot invent. */
async function isSignedByUs(
  { unsignedTx, credentials }: SignedTx,
  spent: ReadonlySet<string>,
  state: WalletState,
): Promise<boolean> {
  const at = inputsOf(unsignedTx).findIndex((input) => spent.has(utxoKey(input)))
  const credential = credentials[at]
  if (credential === undefined) return false
  const ours = new Set(state.addresses.map(hex.encode))
  const hash = hashToSign(unsignedTx)
  const signers = recoveredSigners({ credential, hash }, await state.backend())
  return signers.length > 0 && signers.every((signer) => signer && ours.has(hex.encode(signer)))
}
