import { equalBytes } from '../../base/bytes/compare.ts'
import { exportedUTXOs as exportedByC } from '../../chain/c/ids.ts'
import { decodeTx as decodeCTx } from '../../chain/c/tx.ts'
import type { ChainAlias } from '../../chain/chain-types.ts'
import { P_CHAIN_ID } from '../../chain/networks.ts'
import { exportedUTXOs as exportedByP } from '../../chain/p/ids.ts'
import { decodeTx as decodePTx } from '../../chain/p/tx.ts'
import { exportedUTXOs as exportedByX } from '../../chain/x/created.ts'
import { decodeTx as decodeXTx } from '../../chain/x/tx.ts'
import type { CreatedOutput } from '../chain.ts'
import type { ReadExport } from './proofs.ts'

/** Decodes a signed transaction of one chain, with the UTXOs that it exports. */
type DecodeExport = (
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
    readonly output: { readonly type: string }
  })[]
}

const decoders: { readonly [chain in ChainAlias]: DecodeExport } = {
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
 * The outputs that a signed transaction exports to a chain, by output index. Undefined if it is not an ExportTx of the
 * given chain and network, or exports to another chain. The codecs of all chains are needed here: an import of one
 * chain is proven by an export of another.
 *
 * @throws CodecError for bytes that are not a transaction of the chain.
 */
export const readExport: ReadExport = ({ bytes, id, chain, destinationID, context }) => {
  const { unsignedTx, exported } = decoders[chain](bytes, id)
  const chainID = { X: context.chainID, P: P_CHAIN_ID, C: context.chains.C }[chain]
  if (
    unsignedTx.type !== 'ExportTx' ||
    unsignedTx.networkID !== context.networkID ||
    chainID === undefined ||
    !equalBytes(unsignedTx.blockchainID, chainID) ||
    !equalBytes(unsignedTx.destinationChain!, destinationID)
  )
    return undefined
  const found = new Map<number, CreatedOutput>()
  // Outputs that are locked for staking cannot be exported.
  for (const { outputIndex, assetID, output } of exported)
    if (output.type === 'secp256k1fx.TransferOutput') found.set(outputIndex, { assetID, output })
  return found
}
