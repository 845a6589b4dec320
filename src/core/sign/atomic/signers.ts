import { copyBytes } from '../../base/bytes/copy.ts'
import { hex } from '../../base/encoding/hex.ts'
import { AvmError } from '../../base/errors.ts'
import { normalizeSignature } from '../../crypto/signature.ts'
import { SignError } from '../errors.ts'
import { type AddressPath, requirePaths, requireSigners, type Signer } from '../signer.ts'
import { type AtomicDraftOptions, type Signable, type SignResult, signWith } from './sign.ts'

/** Options for external signers. */
export type AtomicSignerOptions = AtomicDraftOptions & {
  /** Derivation paths of the keys, if known. */
  readonly paths?: readonly AddressPath[] | undefined
}

/** A signature to ask for. The signer and the address of its key differ for accounts of the C-Chain. */
type SignerQuery = {
  /** Hex of the signer as the transaction names it. */
  readonly name: string
  /** Address of the key. */
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
  if (options.paths !== undefined) requirePaths(options.paths)
  const signatures = new Map<string, Uint8Array>()
  for (const signer of signers) await askSigner(signable, signer, toAddress, signatures, options)
  return signWith(signable, (signer) => signatures.get(hex.encode(signer)))
}

/**
 * Asks one signer for the signatures that are missing, checks its answers and adds them to `signatures`. Returns
 * whether it is a signer of the transaction.
 *
 * @param signatures - by the hex of their signer
 */
export async function askSigner<UnsignedTx>(
  signable: Signable<UnsignedTx>,
  signer: Signer,
  toAddress: ToAddress,
  signatures: Map<string, Uint8Array>,
  options: AskOptions,
): Promise<boolean> {
  const { backend, paths = [] } = options
  const pathByName = new Map(paths.map(({ address, path }) => [hex.encode(address), path]))
  const own = signer.addresses && new Set(signer.addresses.map(hex.encode))
  const candidates = new Map<string, SignerQuery>()
  for (const named of signable.signers.flat()) {
    const address = toAddress(named)
    if (address === undefined || own?.has(hex.encode(address)) === false) continue
    const name = hex.encode(named)
    candidates.set(name, { name, address, path: pathByName.get(hex.encode(address)) })
  }
  const queries = [...candidates.values()].filter(({ name }) => !signatures.has(name))
  // A signer that lists an address of the transaction counts even if it declines; one without a list must sign.
  let signs = own !== undefined && candidates.size > 0
  if (queries.length === 0) return signs
  const answers = await answersOf(signer, signable, queries, options)
  for (const [i, { name, address }] of queries.entries()) {
    const signature = answers[i]
    if (signature === undefined) continue
    const check = { hash: signable.hash, signer: address, backend }
    signatures.set(name, normalizeSignature(signature, check))
    signs = true
  }
  return signs
}

/** The answers of one signer, in the order of the queries. It gets copies, so that it cannot modify what is signed. */
async function answersOf<UnsignedTx>(
  signer: Signer,
  { hash, unsignedBytes }: Signable<UnsignedTx>,
  queries: readonly SignerQuery[],
  { extraEntropy, changePaths = [] }: AskOptions,
): Promise<readonly (Uint8Array | undefined)[]> {
  const common = () => ({
    hash: copyBytes(hash),
    unsignedBytes: copyBytes(unsignedBytes),
    extraEntropy: extraEntropy && copyBytes(extraEntropy),
  })
  const keys = queries.map(({ address, path }) => ({ address: copyBytes(address), path }))
  const { address } = queries[0]!
  const failed = (message: string, cause?: unknown) =>
    new SignError('SIGNER_FAILED', message, { address, cause })
  try {
    if (signer.signAll === undefined) {
      const answers: (Uint8Array | undefined)[] = []
      for (const key of keys) answers.push(await signer.sign({ ...common(), ...key }))
      return answers
    }
    const answers = await signer.signAll({ ...common(), signers: keys, changePaths })
    if (Array.isArray(answers) && answers.length === keys.length) return answers
    throw failed(`expected ${keys.length} signatures from signAll, one per signer`)
  } catch (cause) {
    if (cause instanceof AvmError) throw cause
    throw failed(`the signer of ${hex.encode(address)} failed`, cause)
  }
}
