import type { BackendOption } from '../crypto/backend.ts'
import { addressOf } from '../crypto/secp256k1.ts'
import { hex } from '../encoding/hex.ts'
import { type AcceptCode, refuseDangers, refuseNonSigner, refuseUnused } from '../sign/sign.ts'
import type { Signer } from '../sign/signer.ts'
import type { ExplainAtomicRequestOptions } from './explain.ts'
import { explainAtomicRequest } from './request.ts'
import type { AtomicRequest, RequestChain, RequestUTXO } from './request-chain.ts'
import { uniqueAddresses, withSignatures } from './request-signatures.ts'
import type { AtomicSignOptions, Keys, Signable } from './sign.ts'
import { askSigner } from './signers.ts'

/** Options of signing a request. Addresses and accounts of the keys are ours by default. */
export type AtomicRequestSignOptions = BackendOption &
  AtomicSignOptions &
  ExplainAtomicRequestOptions & {
    /** Codes of refusals to ignore. */
    readonly accept?: readonly AcceptCode[] | undefined
  }

/**
 * Signs every variant of a request that the keys are signers of.
 *
 * @throws SignError with the code of the first danger that is not accepted, `UNUSED_KEY` or `KEY_NOT_A_SIGNER`.
 */
export function signAtomicRequest<Tx, U extends RequestUTXO>(
  on: RequestChain<Tx, U>,
  request: AtomicRequest<Tx, U>,
  keys: Keys,
  options: AtomicRequestSignOptions = {},
): AtomicRequest<Tx, U> {
  const { variants } = request
  const { publicKeys } = keys
  const signerOf = on.signerOf(variants[0]!.unsignedTx)
  const { jobs, needed } = jobsOf(on, request)
  refuseUnusedKeys(on, request, needed, publicKeys.map(signerOf), options)
  const byName = new Map(publicKeys.map((key) => [hex.encode(signerOf(key)), addressOf(key)]))
  if (!needed.some((names) => [...byName.keys()].some((name) => names.has(name))))
    refuseNonSigner(keys, options)
  const accounts = on.accountOf === undefined ? [] : publicKeys.map(on.accountOf)
  const { warnings } = explainAtomicRequest(on, request, {
    ...options,
    ours: options.ours ?? keys.addresses,
    accounts: options.accounts ?? accounts,
  })
  refuseDangers(warnings, options)
  return jobs.reduce((signed, { hash, signers }, at) => {
    const made = new Set(variants[at]!.signatures.map(({ address }) => hex.encode(address)))
    const more = uniqueAddresses(signers.flat()).flatMap((signer) => {
      const address = byName.get(hex.encode(signer))
      if (address === undefined || made.has(hex.encode(signer))) return []
      const signature = keys.sign(address, hash, options.extraEntropy, options.backend)
      return [{ address: signer, signature }]
    })
    return withSignatures(signed, at, more)
  }, request)
}

/** Options of signing a request with external signers. */
export type AtomicRequestSignerOptions = AtomicRequestSignOptions & {
  /**
   * Compressed public keys of the signers: an export of the C-Chain names accounts, from which keys cannot be found.
   */
  readonly publicKeys?: readonly Uint8Array[] | undefined
}

/**
 * Signs every variant of a request with external signers, each asked for its own addresses. Every signature is checked.
 *
 * @throws SignError like `signAtomicRequest`, or `SIGNER_FAILED`; CryptoError for a signature that is not by the expected
 * signer.
 */
export async function signAtomicRequestWith<Tx, U extends RequestUTXO>(
  on: RequestChain<Tx, U>,
  request: AtomicRequest<Tx, U>,
  signers: readonly Signer[],
  options: AtomicRequestSignerOptions = {},
): Promise<AtomicRequest<Tx, U>> {
  const { variants, paths, context } = request
  const { unsignedTx } = variants[0]!
  const { publicKeys = [] } = options
  const signerOf = on.signerOf(unsignedTx)
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
  const { jobs, needed } = jobsOf(on, request)
  const addresses = signers.flatMap((signer) => signer.addresses ?? [])
  refuseUnusedKeys(on, request, needed, addresses.flatMap(toSigner), options)
  // The addresses of a signer that does not name them are unknown: then only vaults count as returned.
  const isKnown = signers.every((signer) => signer.addresses !== undefined)
  const accounts = on.accountOf === undefined || !isKnown ? [] : publicKeys.map(on.accountOf)
  const { warnings } = explainAtomicRequest(on, request, {
    ...options,
    ours: options.ours ?? (isKnown ? addresses : undefined),
    accounts: options.accounts ?? accounts,
  })
  refuseDangers(warnings, options)
  const pathOf = new Map(paths.map(({ address, path }) => [hex.encode(address), path]))
  const owners = on.factsOf({ unsignedTx, context }).outputs.flatMap((output) => output.addresses)
  const changePaths = uniqueAddresses(owners).flatMap((one) => pathOf.get(hex.encode(one)) ?? [])
  const made = variants.map(
    ({ signatures }) =>
      new Map(signatures.map(({ address, signature }) => [hex.encode(address), signature])),
  )
  for (const signer of signers) {
    let signs = false
    for (const [at, job] of jobs.entries())
      if (await askSigner(job, signer, toAddress, made[at]!, { ...options, paths, changePaths }))
        signs = true
    if (!signs) refuseNonSigner(signer, options)
  }
  return jobs.reduce((signed, job, at) => {
    const earlier = new Set(variants[at]!.signatures.map(({ address }) => hex.encode(address)))
    const more = uniqueAddresses(job.signers.flat()).flatMap((address) => {
      const signature = made[at]!.get(hex.encode(address))
      return signature === undefined || earlier.has(hex.encode(address))
        ? []
        : [{ address, signature }]
    })
    return withSignatures(signed, at, more)
  }, request)
}

/** The signable form of each variant, with the names of its signers. */
function jobsOf<Tx, U extends RequestUTXO>(
  on: RequestChain<Tx, U>,
  { utxos, variants }: AtomicRequest<Tx, U>,
): { readonly jobs: readonly Signable<Tx>[]; readonly needed: readonly ReadonlySet<string>[] } {
  const jobs = variants.map(({ unsignedTx }) => on.signable({ unsignedTx, utxos }))
  return { jobs, needed: jobs.map(({ signers }) => new Set(signers.flat().map(hex.encode))) }
}

function refuseUnusedKeys<Tx, U extends RequestUTXO>(
  on: RequestChain<Tx, U>,
  { utxos }: AtomicRequest<Tx, U>,
  needed: readonly ReadonlySet<string>[],
  addresses: readonly Uint8Array[],
  options: AtomicRequestSignOptions,
): void {
  refuseUnused(
    [{ addresses }],
    needed.map((names) => ({ needed: names })),
    utxos.map((utxo) => ({ output: on.outputOf(utxo) })),
    options,
  )
}
