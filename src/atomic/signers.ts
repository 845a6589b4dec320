import { normalizeSignature } from '../crypto/signature.ts'
import { hex } from '../encoding/hex.ts'
import { AvmError } from '../errors.ts'
import { SignError } from '../sign/errors.ts'
import type { AddressPath, Signer } from '../sign/signer.ts'
import { type HalfSignOptions, type Signable, type SignResult, signWith } from './sign.ts'

/** How external signers sign. */
export type HalfSignerOptions = HalfSignOptions & {
  /** Where keys are, as far as known. */
  readonly paths?: readonly AddressPath[] | undefined
}

/** A signer of a transaction and the address of its key, which differ for accounts of the C-Chain. */
type Asked = {
  readonly name: string
  readonly address: Uint8Array
  readonly path?: string | undefined
}

/**
 * Asks external signers for the signatures of a transaction, each address once, and checks every answer.
 *
 * @param toAddress - the address of the key behind a signer; undefined if it is not known
 */
export async function signWithSigners<UnsignedTx>(
  signable: Signable<UnsignedTx>,
  signers: readonly Signer[],
  toAddress: (signer: Uint8Array) => Uint8Array | undefined,
  options: HalfSignerOptions,
): Promise<SignResult<UnsignedTx>> {
  const { backend, paths = [] } = options
  const pathByName = new Map(paths.map(({ address, path }) => [hex.encode(address), path]))
  const needed = new Map<string, Asked>()
  for (const signer of signable.signers.flat()) {
    const address = toAddress(signer)
    if (address === undefined) continue
    const name = hex.encode(signer)
    const path = pathByName.get(hex.encode(address))
    needed.set(name, { name, address, path })
  }
  const made = new Map<string, Uint8Array>()
  for (const signer of signers) {
    const own = signer.addresses && new Set(signer.addresses.map(hex.encode))
    const asked = [...needed.values()].filter(
      ({ name, address }) => !made.has(name) && (own?.has(hex.encode(address)) ?? true),
    )
    if (asked.length === 0) continue
    const answers = await answersOf(signer, signable, asked, options)
    for (const [i, { name, address }] of asked.entries()) {
      const signature = answers[i]
      if (signature === undefined) continue
      const check = { hash: signable.hash, signer: address, backend }
      made.set(name, normalizeSignature(signature, check))
    }
  }
  return signWith(signable, (signer) => made.get(hex.encode(signer)))
}

/** The answers of one signer, in the order of what it is asked. Arguments are copies, so it cannot change them. */
async function answersOf<UnsignedTx>(
  signer: Signer,
  { hash, unsignedBytes }: Signable<UnsignedTx>,
  asked: readonly Asked[],
  { extraEntropy }: HalfSignerOptions,
): Promise<readonly (Uint8Array | undefined)[]> {
  const query = () => ({
    hash: hash.slice(),
    unsignedBytes: unsignedBytes.slice(),
    extraEntropy: extraEntropy?.slice(),
  })
  const keys = asked.map(({ address, path }) => ({ address: address.slice(), path }))
  try {
    if (signer.signAll !== undefined)
      return await signer.signAll({ ...query(), signers: keys, changePaths: [] })
    const answers: (Uint8Array | undefined)[] = []
    for (const key of keys) answers.push(await signer.sign({ ...query(), ...key }))
    return answers
  } catch (cause) {
    if (cause instanceof AvmError) throw cause
    const { address } = asked[0]!
    throw new SignError('SIGNER_FAILED', `the signer of ${hex.encode(address)} failed`, {
      address,
      cause,
    })
  }
}
