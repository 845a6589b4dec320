import { hex } from '../../base/encoding/hex.ts'
import { requireFields, requireList } from '../../base/require.ts'
import type { BackendOption } from '../../crypto/backend.ts'
import { addressOf } from '../../crypto/secp256k1.ts'
import { type AcceptCode, refuseDangers, refuseNonSigner, refuseUnused } from '../sign.ts'
import type { Signer } from '../signer.ts'
import type { ExplainAtomicRequestOptions } from './explain.ts'
import { explainAtomicRequest } from './request.ts'
import type { AtomicRequest, RequestChain, RequestUTXO } from './request-chain.ts'
import { uniqueAddresses, withSignatures } from './request-signatures.ts'
import type { AtomicSignOptions, Keys, Signable } from './sign.ts'
import { askSigner } from './signers.ts'

/** Options of signing a request. By default, `ours` and `accounts` are those of the keys. */
export type AtomicRequestSignOptions = BackendOption &
  AtomicSignOptions &
  ExplainAtomicRequestOptions & {
    /** Codes of refusals to ignore. */
    readonly accept?: readonly AcceptCode[] | undefined
  }

/**
 * Signs every signer set of a request that the keys are signers of.
 *
 * @throws SignError with the code of the first danger that is not accepted, `UNUSED_KEY` or `KEY_NOT_A_SIGNER`.
 */
export function signAtomicRequest<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  request: AtomicRequest<Tx, U>,
  keys: Keys,
  options: AtomicRequestSignOptions = {},
): AtomicRequest<Tx, U> {
  requireFields(options, 'options', [])
  const { signerSets } = request
  const { publicKeys } = keys
  const signerOf = chain.signerOf(signerSets[0]!.unsignedTx)
  const { jobs, needed } = jobsOf(chain, request)
  refuseUnusedKeys(chain, request, needed, publicKeys.map(signerOf), options)
  const byName = new Map(publicKeys.map((key) => [hex.encode(signerOf(key)), addressOf(key)]))
  if (!needed.some((names) => [...byName.keys()].some((name) => names.has(name))))
    refuseNonSigner(keys, options)
  const accounts = chain.accountOf === undefined ? [] : publicKeys.map(chain.accountOf)
  const { warnings } = explainAtomicRequest(chain, request, {
    ...options,
    ours: options.ours ?? keys.addresses,
    accounts: options.accounts ?? accounts,
  })
  refuseDangers(warnings, options)
  return jobs.reduce((signed, { hash, signers }, signerSet) => {
    const earlier = new Set(
      signerSets[signerSet]!.signatures.map(({ address }) => hex.encode(address)),
    )
    const added = uniqueAddresses(signers.flat()).flatMap((signer) => {
      const address = byName.get(hex.encode(signer))
      if (address === undefined || earlier.has(hex.encode(signer))) return []
      const signature = keys.sign(address, hash, options.extraEntropy, options.backend)
      return [{ address: signer, signature }]
    })
    return withSignatures(signed, signerSet, added)
  }, request)
}

/** Options of signing a request with external signers. */
export type AtomicRequestSignerOptions = AtomicRequestSignOptions & {
  /**
   * Compressed public keys of the signers. Required for exports of the C-Chain, which name accounts: the key of an
   * account cannot be derived from it.
   */
  readonly publicKeys?: readonly Uint8Array[] | undefined
}

/**
 * Signs every signer set of a request with external signers, each asked for its own addresses. Every signature is checked.
 *
 * @throws SignError like `signAtomicRequest`, or `SIGNER_FAILED`; CryptoError for a signature that is not by the
 * expected signer.
 */
export async function signAtomicRequestWith<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  request: AtomicRequest<Tx, U>,
  signers: readonly Signer[],
  options: AtomicRequestSignerOptions = {},
): Promise<AtomicRequest<Tx, U>> {
  requireFields(options, 'options', [])
  const { signerSets, paths, context } = request
  const { unsignedTx } = signerSets[0]!
  const { publicKeys = [] } = options
  requireList(publicKeys, 'publicKeys')
  const signerOf = chain.signerOf(unsignedTx)
  // Exports of the C-Chain name their signers by account, all other transactions by address.
  const namesAddresses = signerOf === addressOf
  const keyBySigner = new Map(publicKeys.map((key) => [hex.encode(signerOf(key)), key]))
  const keyByAddress = new Map(publicKeys.map((key) => [hex.encode(addressOf(key)), key]))
  const toAddress = (signer: Uint8Array) => {
    const key = keyBySigner.get(hex.encode(signer))
    return namesAddresses ? signer : key && addressOf(key)
  }
  const toSigner = (address: Uint8Array) => {
    const key = keyByAddress.get(hex.encode(address))
    return namesAddresses ? [address] : key === undefined ? [] : [signerOf(key)]
  }
  const { jobs, needed } = jobsOf(chain, request)
  const addresses = signers.flatMap((signer) => signer.addresses ?? [])
  refuseUnusedKeys(chain, request, needed, addresses.flatMap(toSigner), options)
  // If a signer does not list its addresses, only outputs to the owners of spent UTXOs count as returned.
  const isKnown = signers.every((signer) => signer.addresses !== undefined)
  const accounts = chain.accountOf === undefined || !isKnown ? [] : publicKeys.map(chain.accountOf)
  const { warnings } = explainAtomicRequest(chain, request, {
    ...options,
    ours: options.ours ?? (isKnown ? addresses : undefined),
    accounts: options.accounts ?? accounts,
  })
  refuseDangers(warnings, options)
  const pathOf = new Map(paths.map(({ address, path }) => [hex.encode(address), path]))
  const owners = chain
    .detailsOf({ unsignedTx, context })
    .outputs.flatMap((output) => output.addresses)
  const changePaths = uniqueAddresses(owners).flatMap(
    (owner) => pathOf.get(hex.encode(owner)) ?? [],
  )
  const signaturesBySet = signerSets.map(
    ({ signatures }) =>
      new Map(signatures.map(({ address, signature }) => [hex.encode(address), signature])),
  )
  for (const signer of signers) {
    let signs = false
    for (const [signerSet, job] of jobs.entries()) {
      const signatures = signaturesBySet[signerSet]!
      if (await askSigner(job, signer, toAddress, signatures, { ...options, paths, changePaths }))
        signs = true
    }
    if (!signs) refuseNonSigner(signer, options)
  }
  return jobs.reduce((signed, job, signerSet) => {
    const earlier = new Set(
      signerSets[signerSet]!.signatures.map(({ address }) => hex.encode(address)),
    )
    const added = uniqueAddresses(job.signers.flat()).flatMap((address) => {
      const signature = signaturesBySet[signerSet]!.get(hex.encode(address))
      return signature === undefined || earlier.has(hex.encode(address))
        ? []
        : [{ address, signature }]
    })
    return withSignatures(signed, signerSet, added)
  }, request)
}

/** The signable form of each signer set, and the hex of the signers of each. */
function jobsOf<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { utxos, signerSets }: AtomicRequest<Tx, U>,
): { readonly jobs: readonly Signable<Tx>[]; readonly needed: readonly ReadonlySet<string>[] } {
  const jobs = signerSets.map(({ unsignedTx }) => chain.signable({ unsignedTx, utxos }))
  return { jobs, needed: jobs.map(({ signers }) => new Set(signers.flat().map(hex.encode))) }
}

function refuseUnusedKeys<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { utxos }: AtomicRequest<Tx, U>,
  needed: readonly ReadonlySet<string>[],
  addresses: readonly Uint8Array[],
  options: AtomicRequestSignOptions,
): void {
  refuseUnused(
    [{ addresses }],
    needed.map((names) => ({ needed: names })),
    utxos.map((utxo) => ({ output: chain.outputOf(utxo) })),
    options,
  )
}
