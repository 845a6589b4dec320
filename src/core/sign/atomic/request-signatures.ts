import { equalBytes } from '../../base/bytes/compare.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatUTXOID } from '../../base/encoding/ids.ts'
import { isBytes } from '../../base/require.ts'
import { sortedByAddress } from '../../chain/x/order.ts'
import type { BackendOption } from '../../crypto/backend.ts'
import { CryptoError } from '../../crypto/errors.ts'
import { addressOf, requireBackend } from '../../crypto/secp256k1.ts'
import { normalizeSignature } from '../../crypto/signature.ts'
import { SignError, type SignErrorCode } from '../errors.ts'
import type { AddressSignature } from '../job.ts'
import type { AtomicRequest, RequestChain, RequestUTXO } from './request-chain.ts'
import { type AtomicTx, requireSigned, type Signable, type Signed, signWith } from './sign.ts'

/** Removes repeated addresses. The order of first occurrence stays. */
export function uniqueAddresses(addresses: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(addresses.map((address) => [hex.encode(address), address])).values()]
}

/**
 * Checks that a signature of 65 bytes is by a signer of the transaction.
 *
 * @throws SignError `WRONG_SIGNER`, `SIG_MALFORMED`, `SIG_INVALID` or `SIG_HIGH_S`
 */
function checkSignerSignature<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { unsignedTx, hash, signers }: Signable<Tx>,
  { address, signature }: AddressSignature,
  options: BackendOption | undefined,
): void {
  const backend = requireBackend(options?.backend)
  const name = hex.encode(address)
  if (!signers.flat().some((signer) => equalBytes(signer, address)))
    throw new SignError('WRONG_SIGNER', `${name} is not a signer of this transaction`, { address })
  try {
    if (!isBytes(signature) || signature.length !== 65)
      throw new CryptoError('SIG_MALFORMED', 'expected 65 bytes r‖s‖v')
    const publicKey = backend.recover(hash, signature)
    // Recovering accepts a high s, which the chain refuses.
    const canonical = normalizeSignature(signature, { hash, signer: addressOf(publicKey), backend })
    if (!equalBytes(canonical, signature))
      throw new CryptoError('SIG_HIGH_S', 's is above half the group order')
    if (!equalBytes(chain.signerOf(unsignedTx)(publicKey), address))
      throw new CryptoError('WRONG_SIGNER', 'the signature was not made by the expected signer')
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause
    throw new SignError(
      cause.code as SignErrorCode,
      `invalid signature of ${name}: ${cause.message}`,
      {
        cause,
        address,
      },
    )
  }
}

/**
 * Verifies every signature of a transaction against the owners of what it spends. `utxos` may be in any order and
 * include others.
 *
 * @throws SignError `UTXO_UNKNOWN`, `UTXO_MISMATCH`, `WRONG_NUMBER_OF_CREDENTIALS`, `CREDENTIAL_SIGNERS_MISMATCH`, or
 * the code of an invalid signature.
 */
export function verifyAtomicSignatures<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { unsignedTx, credentials }: AtomicTx<Tx>,
  utxos: readonly U[],
  options?: BackendOption,
): void {
  const byName = new Map(utxos.map((utxo) => [formatUTXOID(utxo), utxo]))
  const spent = chain.spent(unsignedTx).map((id) => {
    const utxo = byName.get(formatUTXOID(id))
    if (utxo === undefined) throw new SignError('UTXO_UNKNOWN', `missing UTXO ${formatUTXOID(id)}`)
    return utxo
  })
  const signable = chain.signable({ unsignedTx, utxos: spent })
  const { signers } = signable
  if (credentials.length !== signers.length)
    throw new SignError(
      'WRONG_NUMBER_OF_CREDENTIALS',
      `expected ${signers.length} credentials, found ${credentials.length}`,
    )
  const checked = new Set<string>()
  signers.forEach((list, credential) => {
    const { signatures } = credentials[credential]!
    if (signatures.length !== list.length)
      throw new SignError(
        'CREDENTIAL_SIGNERS_MISMATCH',
        `expected ${list.length} signatures in credential ${credential}, found ${signatures.length}`,
        { credential },
      )
    list.forEach((address, slot) => {
      const signature = signatures[slot]!
      // One signer often owns many inputs; recovering takes a thousand times as long as comparing.
      const name = hex.encode(address) + hex.encode(signature)
      if (!checked.has(name)) checkSignerSignature(chain, signable, { address, signature }, options)
      checked.add(name)
    })
  })
}

/** The signed transaction of the first complete signer set, if any. */
export function completedTx<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { utxos, signerSets }: AtomicRequest<Tx, U>,
): Signed<Tx> | undefined {
  for (const { unsignedTx, signatures } of signerSets) {
    const result = signWith(chain.signable({ unsignedTx, utxos }), signatureIn(signatures))
    if (result.complete) return result
  }
  return undefined
}

function signatureIn(
  signatures: readonly AddressSignature[],
): (signer: Uint8Array) => Uint8Array | undefined {
  return (signer) => signatures.find(({ address }) => equalBytes(address, signer))?.signature
}

/**
 * Returns the signed transaction of the first complete signer set, with the signatures of all signer sets verified again.
 *
 * @throws SignError `INCOMPLETE` with the `missing` slots of the signer set that lacks the fewest signatures.
 */
export function finishAtomicRequest<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  request: AtomicRequest<Tx, U>,
  options?: BackendOption,
): Signed<Tx> {
  checkSignatures(chain, request, options)
  const signed = completedTx(chain, request)
  if (signed !== undefined) return signed
  const { utxos, signerSets } = request
  const results = signerSets.map(({ unsignedTx, signatures }) =>
    signWith(chain.signable({ unsignedTx, utxos }), signatureIn(signatures)),
  )
  const missing = (result: (typeof results)[number]) =>
    result.complete ? 0 : result.missing.length
  return requireSigned(results.toSorted((a, b) => missing(a) - missing(b))[0]!)
}

/** Verifies every signature of every signer set. */
export function checkSignatures<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { utxos, signerSets }: AtomicRequest<Tx, U>,
  options: BackendOption | undefined,
): void {
  signerSets.forEach(({ unsignedTx, signatures }, i) => {
    const path = `signerSets[${i}].signatures`
    // Checked before the signers are recovered, which takes a thousand times as long.
    if (uniqueAddresses(signatures.map(({ address }) => address)).length !== signatures.length)
      throw new SignError('SIGNATURE_DUPLICATE', `expected each signer once in ${path}`, { path })
    const signable = chain.signable({ unsignedTx, utxos })
    for (const item of signatures) checkSignerSignature(chain, signable, item, options)
  })
}

/**
 * Adds an external signature, 65 bytes `r‖s‖v`, to the signer set that it belongs to.
 *
 * @throws SignError `WRONG_SIGNER` if it belongs to none, `SIGNATURE_DUPLICATE`, or the code of an invalid signature.
 */
export function addAtomicSignature<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  request: AtomicRequest<Tx, U>,
  given: AddressSignature,
  options?: BackendOption,
): AtomicRequest<Tx, U> {
  let failure: unknown
  for (const [signerSet, { unsignedTx, signatures }] of request.signerSets.entries())
    try {
      const signable = chain.signable({ unsignedTx, utxos: request.utxos })
      checkSignerSignature(chain, signable, given, options)
      const earlier = signatureIn(signatures)(given.address)
      if (earlier === undefined) return withSignatures(request, signerSet, [given])
      if (equalBytes(earlier, given.signature)) return request
      failure = new SignError(
        'SIGNATURE_DUPLICATE',
        `two different signatures of ${hex.encode(given.address)} for the same transaction`,
        { address: given.address },
      )
      break
    } catch (error) {
      // `WRONG_SIGNER` only says that the signature does not belong to this signer set. Another error says why it is
      // invalid for a signer set that it belongs to, and is reported instead.
      const isWrongSigner = error instanceof SignError && error.code === 'WRONG_SIGNER'
      if (failure === undefined || !isWrongSigner) failure = error
    }
  throw failure
}

/** Adds signatures to one signer set. */
export function withSignatures<Tx, U>(
  request: AtomicRequest<Tx, U>,
  index: number,
  added: readonly AddressSignature[],
): AtomicRequest<Tx, U> {
  return {
    ...request,
    signerSets: request.signerSets.map((signerSet, i) =>
      i === index
        ? { ...signerSet, signatures: sortedByAddress([...signerSet.signatures, ...added]) }
        : signerSet,
    ),
  }
}
