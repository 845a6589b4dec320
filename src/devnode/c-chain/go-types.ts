import { type GoRegistry, unregistered } from '../go/decode.ts'

/** Go's names of the types in atomic transactions, by type ID. */
export const C_CHAIN_TYPES: GoRegistry = {
  types: [
    'atomic.UnsignedImportTx',
    'atomic.UnsignedExportTx',
    ...unregistered(3),
    'secp256k1fx.TransferInput',
    undefined,
    'secp256k1fx.TransferOutput',
    undefined,
    'secp256k1fx.Credential',
    'secp256k1fx.Input',
    'secp256k1fx.OutputOwners',
  ],
  interfaces: [
    ['ImportTx', 'atomic.UnsignedAtomicTx'],
    ['secp256k1fx.Credential', 'verify.Verifiable'],
    ['secp256k1fx.TransferOutput', 'avax.TransferableOut'],
    ['secp256k1fx.TransferInput', 'avax.TransferableIn'],
  ],
}
