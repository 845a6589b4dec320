import { equalBytes } from '../bytes/compare.ts'
import { exportedUTXOs as exportedByC } from '../c-chain/ids.ts'
import { decodeTx as decodeCTx } from '../c-chain/tx.ts'
import { exportedUTXOs as exportedByX } from '../chain/created.ts'
import { type NetworkContext, P_CHAIN_ID } from '../chain/networks.ts'
import { decodeTx as decodeXTx } from '../chain/tx.ts'
import { exportedUTXOs as exportedByP } from '../p-chain/ids.ts'
import { decodeTx as decodePTx } from '../p-chain/tx.ts'
import type { Created, ReadExport } from './proofs.ts'

/** A chain and what decodes its exports. */
type Exporter = (
  bytes: Uint8Array,
  id: Uint8Array,
) => {
  readonly unsignedTx: {
    readonly type: string
    readonly networkID: number
    readonly blockchainID: Uint8Array
    readonly destinationChain?: Uint8Array | undefined
  }
  readonly exported: readonly ({ readonly outputIndex: number } & {
    readonly assetID: Uint8Array
    readonly output: Created['output'] | { readonly type: 'stakeable.LockOut' }
  })[]
}

const exporters: { readonly [chain in 'X' | 'P' | 'C']: Exporter } = {
  X: (bytes, id) => {
    const tx = decodeXTx(bytes)
    return { ...tx, exported: exportedByX(tx, id) }
  },
  P: (bytes, id) => {
    const tx = decodePTx(bytes)
    return { ...tx, exported: exportedByP(tx, id) }
  },
  C: (bytes, id) => {
    const tx = decodeCTx(bytes)
    return { ...tx, exported: exportedByC(tx, id) }
  },
}

/**
 * What a signed ExportTx of a chain leaves for another one, by output index. Undefined if it is of another network or
 * chain, or exports to another chain.
 *
 * @param destinationID - ID of the chain that imports
 * @throws CodecError for bytes that are not a transaction of the chain.
 */
export function exportedTo(
  destinationID: Uint8Array,
  bytes: Uint8Array,
  id: Uint8Array,
  chain: 'X' | 'P' | 'C',
  context: NetworkContext,
): ReadonlyMap<number, Created> | undefined {
  const { unsignedTx, exported } = exporters[chain](bytes, id)
  const chainID = { X: context.chainID, P: P_CHAIN_ID, C: context.chains.C }[chain]
  if (
    unsignedTx.type !== 'ExportTx' ||
    unsignedTx.networkID !== context.networkID ||
    chainID === undefined ||
    !equalBytes(unsignedTx.blockchainID, chainID) ||
    !equalBytes(unsignedTx.destinationChain!, destinationID)
  )
    return undefined
  const found = new Map<number, Created>()
  // Outputs that are locked for staking cannot be exported.
  for (const { outputIndex, assetID, output } of exported)
    if (output.type === 'secp256k1fx.TransferOutput') found.set(outputIndex, { assetID, output })
  return found
}

/** What an ExportTx of the P- or C-Chain leaves for the X-Chain. */
export const exportedToX: ReadExport = (bytes, id, chain, context) =>
  exportedTo(context.chainID, bytes, id, chain, context)
