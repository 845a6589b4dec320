import { hex } from '../../base/encoding/hex.ts'
import { requireList } from '../../base/require.ts'
import { evmAddressBytes } from '../../chain/c/evm-address.ts'
import { hashToSign } from '../../chain/c/ids.ts'
import { encodeTx, encodeUnsignedTx, type UnsignedTx } from '../../chain/c/tx.ts'
import { utxo } from '../../chain/x/utxo.ts'
import { addressOf } from '../../crypto/secp256k1.ts'
import type { Draft } from '../../draft/c/draft.ts'
import {
  type AtomicDraftOptions,
  inputSigners,
  type Keys,
  mismatch,
  openDraft,
  requireKeys,
  requireSignable,
  type Signable,
  type SignResult,
  signWith,
} from '../atomic/sign.ts'
import { type AtomicSignerOptions, signWithSigners } from '../atomic/signers.ts'
import { SignError } from '../errors.ts'
import type { Signer } from '../signer.ts'
import { detailsOf } from './explain.ts'

/**
 * Signs a draft of the C-Chain with keys in memory. An import is signed by the owners of its UTXOs, an export by the
 * keys of its accounts. The result is either the signed transaction, or the slots whose signatures are missing; in an
 * export these slots have EVM addresses.
 *
 * @throws SignError if an input does not match its UTXO, or with the code of the first danger that is not accepted.
 * @example
 * const { bytes, txID } = cChain.requireSigned(cChain.signDraft(draft, keys))
 */
export function signDraft(
  draft: Pick<Draft, 'unsignedTx' | 'utxos' | 'context'>,
  keys: Keys,
  options?: AtomicDraftOptions,
): SignResult<UnsignedTx> {
  requireKeys(keys)
  const { extraEntropy, backend } = options ?? {}
  const signable = openDraft(draft, signableOf, detailsOf, options)
  const toAddress = addressFinder(signable, () => cachedAddresses(keys))
  return signWith(signable, (signer, hash) => {
    const address = toAddress(signer)
    return address && keys.has(address)
      ? keys.sign(address, hash, extraEntropy, backend)
      : undefined
  })
}

/** Options for external signers on the C-Chain. */
export type SignerOptions = AtomicSignerOptions & {
  /**
   * Compressed public keys of the signers. Required for exports, which name accounts: the key of an account cannot be
   * derived from it.
   */
  readonly publicKeys?: readonly Uint8Array[] | undefined
}

/**
 * Signs a draft of the C-Chain with external signers: devices and key services. Each signature is checked.
 *
 * @throws SignError like `signDraft`, or `SIGNER_FAILED`; CryptoError for a signature that is not by the expected signer.
 */
export async function signDraftWith(
  draft: Pick<Draft, 'unsignedTx' | 'utxos' | 'context'>,
  signers: readonly Signer[],
  options?: SignerOptions,
): Promise<SignResult<UnsignedTx>> {
  const signable = openDraft(draft, signableOf, detailsOf, options)
  const { publicKeys = [] } = options ?? {}
  requireList(publicKeys, 'publicKeys')
  const toAddress = addressFinder(signable, () => addressesByAccount(publicKeys))
  return signWithSigners(signable, signers, toAddress, options ?? {})
}

/** Returns a function that finds the address of a signer's key. An import names the address, an export the account. */
function addressFinder(
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

/** A cache, because computing an account takes half as long as signing. The keys of a key chain do not change. */
const cache = /* @__PURE__ */ new WeakMap<Keys, AddressesByAccount>()

function cachedAddresses(keys: Keys): AddressesByAccount {
  const addresses = cache.get(keys) ?? addressesByAccount(keys.publicKeys)
  cache.set(keys, addresses)
  return addresses
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
    const path = `importedInputs[${i}]`
    const output = utxo?.output
    if (output !== undefined && output.type !== 'secp256k1fx.TransferOutput')
      throw mismatch(path, `the C-Chain cannot import a ${output.type}`)
    return inputSigners({ id, input: id.input, utxo, output }, path)
  })
  return { ...common, signers }
}
