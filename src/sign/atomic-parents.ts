import { equalBytes } from '../bytes/compare.ts'
import { exportedUTXOs as exportedByC } from '../c-chain/ids.ts'
import { decodeTx as decodeCTx } from '../c-chain/tx.ts'
import { type NetworkContext, P_CHAIN_ID } from '../chain/networks.ts'
import { exportedUTXOs as exportedByP } from '../p-chain/ids.ts'
import { decodeTx as decodePTx } from '../p-chain/tx.ts'
import type { Created, ProvableChain } from './proofs.ts'

/**
 * What a signed ExportTx of the P- or C-Chain leaves for the X-Chain, by output index. Undefined if it is of another
 * network or chain, or exports to another chain.
 *
 * @throws CodecError for bytes that are no transaction of the chain.
 */
export function exportedToX(
  bytes: Uint8Array,
  id: Uint8Array,
  chain: ProvableChain,
  context: NetworkContext,
): ReadonlyMap<number, Created> | undefined {
  const tx = chain === 'P' ? decodePTx(bytes) : decodeCTx(bytes)
  const { unsignedTx } = tx
  const chainID = chain === 'P' ? P_CHAIN_ID : context.chains.C!
  if (
    unsignedTx.type !== 'ExportTx' ||
    unsignedTx.networkID !== context.networkID ||
    !equalBytes(unsignedTx.blockchainID, chainID) ||
    !equalBytes(unsignedTx.destinationChain, context.chainID)
  )
    return undefined
  const exported =
    'memo' in unsignedTx
      ? exportedByP({ ...tx, unsignedTx }, id)
      : exportedByC({ ...tx, unsignedTx }, id)
  const found = new Map<number, Created>()
  // Outputs that are locked for staking cannot be exported.
  for (const { outputIndex, assetID, output } of exported)
    if (output.type === 'secp256k1fx.TransferOutput') found.set(outputIndex, { assetID, output })
  return found
}
