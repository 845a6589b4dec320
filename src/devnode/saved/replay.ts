import { hex } from '../../core/base/encoding/hex.ts'
import { decodeGenesis } from '../../core/chain/x/genesis.ts'
import { utxoID } from '../../core/chain/x/ids.ts'
import { DevNodeError } from '../errors.ts'
import type { OtherChains } from '../p-and-c-chains.ts'
import type { AddedChains } from '../x-chain/added-chains.ts'
import type { Chain } from '../x-chain/chain.ts'
import type { JournalEntry } from './journal.ts'

/** Applies a stored event to the chains, without checking the rules again. */
export function replayEntry(
  entry: JournalEntry,
  chain: Chain,
  others: OtherChains,
  added: AddedChains,
): void {
  const { state } = chain
  switch (entry.type) {
    case 'settings':
      return
    case 'block':
      chain.replayBlock(entry.bytes)
      return
    case 'atomic':
      state.putAtomic(entry.chainID, storedKey(entry.bytes), entry.bytes)
      return
    case 'taken':
      state.takeExported(entry.chainID, hex.encode(entry.key))
      return
    case 'chain':
      state.addChain(entry.chainID, entry.subnetID)
      return
    case 'added':
      state.addChain(entry.chainID, entry.subnetID)
      added.add(entry.chainID, entry.subnetID, decodeGenesis(entry.genesis))
      return
    case 'addedBlock':
      replayAdded(entry.chainID, entry.bytes, added)
      return
    case 'other':
      others.replay(entry.text)
  }
}

function replayAdded(chainID: Uint8Array, bytes: Uint8Array, added: AddedChains): void {
  const found = added.get(chainID)
  if (found === undefined)
    throw new DevNodeError('LOG_CORRUPT', 'the chain log contains a block of an unknown chain')
  found.chain.replayBlock(bytes)
}

/** Returns the ID of an encoded UTXO as hex. The bytes after the ID need not be decodable. */
export function storedKey(bytes: Uint8Array): string {
  if (bytes.length < 38)
    throw new DevNodeError('BAD_OPTION', `UTXO must have at least 38 bytes, has ${bytes.length}`)
  const index = new DataView(bytes.buffer, bytes.byteOffset).getUint32(34)
  return hex.encode(utxoID(bytes.subarray(2, 34), index))
}
