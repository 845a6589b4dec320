import {
  type AtomicSignOptions,
  inputSigners,
  type Keys,
  requireKeys,
  requireSignable,
  type Signable,
  type SignResult,
  signWith,
} from '../../atomic/sign.ts'
import { type AtomicSignerOptions, signWithSigners } from '../../atomic/signers.ts'
import { utxo } from '../../chain/utxo.ts'
import { addressOf } from '../../crypto/secp256k1.ts'
import { hex } from '../../encoding/hex.ts'
import { SignError } from '../../sign/errors.ts'
import type { Signer } from '../../sign/signer.ts'
import { evmAddressBytes } from '../evm-address.ts'
import { hashToSign } from '../ids.ts'
import { encodeTx, encodeUnsignedTx, type UnsignedTx } from '../tx.ts'
import type { Draft } from './draft.ts'

/**
 * Signs a draft of the C-Chain with keys that are at hand. An import is signed by the owners of its UTXOs, an
 * export by the keys of its accounts. The result is a whole signed transaction or says whose signatures are
 * missing; for an export these are EVM addresses.
 *
 * @throws SignError if an input and its UTXO do not belong together.
 * @example
 * const { bytes, txID } = cChain.requireSigned(cChain.signDraft(draft, keys))
 */
export function signDraft(
  draft: Pick<Draft, 'unsignedTx' | 'utxos'>,
  keys: Keys,
  options?: AtomicSignOptions,
): SignResult<UnsignedTx> {
  requireKeys(keys)
  const { extraEntropy, backend } = options ?? {}
  const signable = signableOf(draft)
  const toAddress = addressesFor(signable, () => keysByAccount(keys))
  return signWith(signable, (signer, hash) => {
    const address = toAddress(signer)
    return address && keys.has(address)
      ? keys.sign(address, hash, extraEntropy, backend)
      : undefined
  })
}

/** Options for external signers on the C-Chain. */
export type SignerOptions = AtomicSignerOptions & {
  /** Compressed public keys of the signers: an export names accounts, from which keys cannot be found. */
  readonly publicKeys?: readonly Uint8Array[] | undefined
}

/**
 * Signs a draft of the C-Chain with external signers: devices and key services. Each signature is checked.
 *
 * @throws SignError if an input and its UTXO do not belong together, or `SIGNER_FAILED`; CryptoError for a signature
 * that is not by the expected signer.
 */
export async function signDraftWith(
  draft: Pick<Draft, 'unsignedTx' | 'utxos'>,
  signers: readonly Signer[],
  options?: SignerOptions,
): Promise<SignResult<UnsignedTx>> {
  const signable = signableOf(draft)
  const toAddress = addressesFor(signable, () => addressesByAccount(options?.publicKeys ?? []))
  return signWithSigners(signable, signers, toAddress, options ?? {})
}

/** Finds the address of the key behind a signer, which an export names by its account. */
function addressesFor(
  { unsignedTx }: Pick<Draft, 'unsignedTx'>,
  byAccount: () => AddressesByAccount,
): (signer: Uint8Array) => Uint8Array | undefined {
  if (unsignedTx.type === 'ImportTx') return (address) => address
  const addresses = byAccount()
  return (account) => addresses.get(hex.encode(account))
}

/** Addresses of keys by the hex of their accounts. */
type AddressesByAccount = ReadonlyMap<string, Uint8Array>

function addressesByAccount(publicKeys: readonly Uint8Array[]): AddressesByAccount {
  return new Map(publicKeys.map((key) => [hex.encode(evmAddressBytes(key)), addressOf(key)]))
}

/** Kept, because the account of a key takes half the time of a signature. The keys of a key chain do not change. */
const kept = /* @__PURE__ */ new WeakMap<Keys, AddressesByAccount>()

function keysByAccount(keys: Keys): AddressesByAccount {
  const known = kept.get(keys) ?? addressesByAccount(keys.publicKeys)
  kept.set(keys, known)
  return known
}

/** Returns the signers of a draft, after comparing the inputs of an import with its UTXOs. */
export function signableOf(draft: Pick<Draft, 'unsignedTx' | 'utxos'>): Signable<UnsignedTx> {
  requireSignable(draft, utxo)
  const { unsignedTx, utxos } = draft
  const unsignedBytes = encodeUnsignedTx(unsignedTx)
  const common = { unsignedTx, unsignedBytes, hash: hashToSign(unsignedBytes), encode: encodeTx }
  const count = unsignedTx.type === 'ExportTx' ? 0 : unsignedTx.importedInputs.length
  if (utxos.length > count)
    throw new SignError(
      'UTXO_MISMATCH',
      `expected ${count} UTXOs, one for each imported input, found ${utxos.length}`,
    )
  if (unsignedTx.type === 'ExportTx')
    return { ...common, signers: unsignedTx.inputs.map(({ address }) => [address]) }
  const signers = unsignedTx.importedInputs.map((id, i) => {
    const utxo = utxos[i]
    const output = utxo?.output.type === 'secp256k1fx.TransferOutput' ? utxo.output : undefined
    return inputSigners({ id, input: id.input, utxo, output }, `importedInputs[${i}]`)
  })
  return { ...common, signers }
}
