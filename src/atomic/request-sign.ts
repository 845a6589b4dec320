import type { BackendOption } from '../crypto/backend.ts'
import { addressOf } from '../crypto/secp256k1.ts'
import { hex } from '../encoding/hex.ts'
import { type AcceptCode, refuseBystander, refuseDangers, refuseUnused } from '../sign/sign.ts'
import type { ExplainHalfOptions } from './explain.ts'
import { explainHalfRequest } from './request.ts'
import type { HalfRequest, RequestChain, RequestUTXO } from './request-chain.ts'
import { uniqueAddresses, withSignatures } from './request-signatures.ts'
import type { HalfSignOptions, Keys } from './sign.ts'

/** Options of signing a request. Addresses and accounts of the keys are ours by default. */
export type HalfRequestSignOptions = BackendOption &
  HalfSignOptions &
  Partial<ExplainHalfOptions> & {
    /** Codes of refusals to ignore. */
    readonly accept?: readonly AcceptCode[] | undefined
  }

/**
 * Signs every variant of a request that the keys are signers of.
 *
 * @throws SignError with the code of the first danger that is not accepted, `UNUSED_KEY` or `KEY_NOT_A_SIGNER`.
 */
export function signHalfRequest<Tx, U extends RequestUTXO>(
  on: RequestChain<Tx, U>,
  request: HalfRequest<Tx, U>,
  keys: Keys,
  options: HalfRequestSignOptions = {},
): HalfRequest<Tx, U> {
  const { utxos, variants } = request
  const { publicKeys } = keys
  const signerOf = on.signerOf(variants[0]!.unsignedTx)
  const jobs = variants.map(({ unsignedTx }) => on.signable({ unsignedTx, utxos }))
  const needed = jobs.map(({ signers }) => new Set(signers.flat().map(hex.encode)))
  refuseUnused(
    [{ addresses: publicKeys.map(signerOf) }],
    needed.map((names) => ({ needed: names })),
    utxos.map((utxo) => ({ output: on.outputOf(utxo) })),
    options,
  )
  const byName = new Map(publicKeys.map((key) => [hex.encode(signerOf(key)), addressOf(key)]))
  if (!needed.some((names) => [...byName.keys()].some((name) => names.has(name))))
    refuseBystander(keys, options)
  const accounts = on.accountOf === undefined ? [] : publicKeys.map(on.accountOf)
  const { warnings } = explainHalfRequest(on, request, {
    ours: keys.addresses,
    accounts,
    ...options,
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
