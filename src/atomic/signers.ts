import { copyBytes } from '../bytes/copy.ts'
import { normalizeSignature } from '../crypto/signature.ts'
import { hex } from '../encoding/hex.ts'
import { AvmError } from '../errors.ts'
import { SignError } from '../sign/errors.ts'
import { type AddressPath, requireSigners, type Signer } from '../sign/signer.ts'
import { type AtomicSignOptions, type Signable, type SignResult, signWith } from './sign.ts'

/** Options for external signers. */
export type AtomicSignerOptions = AtomicSignOptions & {
  /** Derivation paths of the keys, if known. */
  readonly paths?: readonly AddressPath[] | undefined
}

/** A signer of a transaction and the address of its key, which differ for accounts of the C-Chain. */
type Asked = {
  readonly name: string
  readonly address: Uint8Array
  readonly path?: string | undefined
}

/** Finds the address of the key behind a signer; undefined if it is not known. */
export type ToAddress = (signer: Uint8Array) => Uint8Array | undefined

type AskOptions = AtomicSignerOptions & {
  /** Paths of addresses to which the transaction returns something. */
  readonly changePaths?: readonly string[] | undefined
}

/** Asks external signers for the signatures of a transaction, each address once, and checks every answer. */
export async function signWithSigners<UnsignedTx>(
  signable: Signable<UnsignedTx>,
  signers: readonly Signer[],
  toAddress: ToAddress,
  options: AtomicSignerOptions,
): Promise<SignResult<UnsignedTx>> {
  requireSigners(signers)
  const made = new Map<string, Uint8Array>()
  for (const signer of signers) await askSigner(signable, signer, toAddress, made, options)
  return signWith(signable, (signer) => made.get(hex.encode(signer)))
}

/**
 * Asks one signer for the signatures that are missing, checks its answers and adds them. Tells whether it is a signer
 * of the transaction.
 *
 * @param made - signatures by the hex of their signer
 */
export async function askSigner<UnsignedTx>(
  signable: Signable<UnsignedTx>,
  signer: Signer,
  toAddress: ToAddress,
  made: Map<string, Uint8Array>,
  options: AskOptions,
): Promise<boolean> {
  const { backend, paths = [] } = options
  const pathByName = new Map(paths.map(({ address, path }) => [hex.encode(address), path]))
  const own = signer.addresses && new Set(signer.addresses.map(hex.encode))
  const needed = new Map<string, Asked>()
  for (const each of signable.signers.flat()) {
    const address = toAddress(each)
    if (address === undefined || own?.has(hex.encode(address)) === false) continue
    const name = hex.encode(each)
    needed.set(name, { name, address, path: pathByName.get(hex.encode(address)) })
  }
  const asked = [...needed.values()].filter(({ name }) => !made.has(name))
  // A signer with known addresses may decline; one without is a signer only if it signs.
  let signs = own !== undefined && needed.size > 0
  if (asked.length === 0) return signs
  const answers = await answersOf(signer, signable, asked, options)
  for (const [i, { name, address }] of asked.entries()) {
    const signature = answers[i]
    if (signature === undefined) continue
    const check = { hash: signable.hash, signer: address, backend }
    made.set(name, normalizeSignature(signature, check))
    signs = true
  }
  return signs
}

/** The answers of one signer, in the order of what it is asked. Arguments are copies, so it cannot change them. */
async function answersOf<UnsignedTx>(
  signer: Signer,
  { hash, unsignedBytes }: Signable<UnsignedTx>,
  asked: readonly Asked[],
  { extraEntropy, changePaths = [] }: AskOptions,
): Promise<readonly (Uint8Array | undefined)[]> {
  const query = () => ({
    hash: copyBytes(hash),
    unsignedBytes: copyBytes(unsignedBytes),
    extraEntropy: extraEntropy && copyBytes(extraEntropy),
  })
  const keys = asked.map(({ address, path }) => ({ address: copyBytes(address), path }))
  const { address } = asked[0]!
  const failed = (message: string, cause?: unknown) =>
    new SignError('SIGNER_FAILED', message, { address, cause })
  try {
    if (signer.signAll === undefined) {
      const answers: (Uint8Array | undefined)[] = []
      for (const key of keys) answers.push(await signer.sign({ ...query(), ...key }))
      return answers
    }
    const answers = await signer.signAll({ ...query(), signers: keys, changePaths })
    if (Array.isArray(answers) && answers.length === keys.length) return answers
    throw failed(`expected ${keys.length} signatures from signAll, one per signer`)
  } catch (cause) {
    if (cause instanceof AvmError) throw cause
    throw failed(`the signer of ${hex.encode(address)} failed`, cause)
  }
}
