import { equalBytes } from '../../base/bytes/compare.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatUTXOID } from '../../base/encoding/ids.ts'
import { sha256 } from '../../base/hash/sha256.ts'
import { requireFields, requireList } from '../../base/require.ts'
import { type NetworkContext, requireNetwork } from '../../chain/networks.ts'
import type { SecpCredential, TransferInput, TransferOutput } from '../../chain/secp256k1fx.ts'
import type { UTXOID } from '../../chain/x/transferables.ts'
import { requireAnyUTXOs } from '../../chain/x/utxo.ts'
import type { Codec } from '../../codec/io.ts'
import type { BackendOption } from '../../crypto/backend.ts'
import type { KeyChain } from '../../crypto/keychain.ts'
import { SignError } from '../errors.ts'
import type { SlotPlace } from '../faults.ts'
import { type AcceptCode, refuseDangers } from '../sign.ts'
import { type AtomicDetails, type ExplainAtomicOptions, explainAtomic } from './explain.ts'

/** The part of a `KeyChain` that signing uses. */
export type Keys = Pick<KeyChain, 'addresses' | 'publicKeys' | 'has' | 'sign'>

/** Options for signing with keys. */
export type AtomicSignOptions = BackendOption & {
  /** 32 bytes for the nonces (RFC 6979, section 3.6), so that equal transactions get different IDs. */
  readonly extraEntropy?: Uint8Array | undefined
}

/** Options for signing a draft. */
export type AtomicDraftOptions = AtomicSignOptions &
  Pick<ExplainAtomicOptions, 'maxFee'> & {
    /** Codes of refusals to ignore. */
    readonly accept?: readonly AcceptCode[] | undefined
  }

/** A signed transaction of the P- or C-Chain. */
export type AtomicTx<UnsignedTx> = {
  readonly unsignedTx: UnsignedTx
  readonly credentials: readonly SecpCredential[]
}

/** A transaction with all its signatures, ready to be issued. */
export type Signed<UnsignedTx> = {
  readonly complete: true
  readonly signedTx: AtomicTx<UnsignedTx>
  /** The encoded transaction. */
  readonly bytes: Uint8Array
  readonly txID: Uint8Array
}

/** A transaction with missing signatures. It has no signed form that could be issued by mistake. */
export type PartlySigned<UnsignedTx> = {
  readonly complete: false
  readonly unsignedTx: UnsignedTx
  /** The hash that every signature signs, 32 bytes. */
  readonly hash: Uint8Array
  /** The slots without a signature, in the order of the credentials. */
  readonly missing: readonly SlotPlace[]
}

/** Rejects drafts from plain JavaScript that lack what signing needs. */
export function requireSignable<U>(
  draft: { readonly unsignedTx: unknown; readonly utxos: readonly U[] },
  utxo: Codec<U>,
): void {
  requireFields(draft, 'draft', ['unsignedTx', 'utxos'])
  requireList(draft.utxos, 'utxos')
  // A missing UTXO is reported later, with its ID.
  requireAnyUTXOs(
    draft.utxos.filter((entry) => entry !== undefined),
    utxo,
  )
}

/**
 * Returns the signers of a draft, unless it has dangers that are not accepted.
 *
 * @throws SignError with the code of the first danger that is not accepted.
 */
export function openDraft<Tx, U>(
  draft: {
    readonly unsignedTx: Tx
    readonly utxos: readonly U[]
    readonly context: NetworkContext
  },
  signableOf: (draft: { readonly unsignedTx: Tx; readonly utxos: readonly U[] }) => Signable<Tx>,
  detailsOf: (draft: {
    readonly unsignedTx: Tx
    readonly context: NetworkContext
  }) => AtomicDetails,
  options?: AtomicDraftOptions,
): Signable<Tx> {
  requireFields(draft, 'draft', ['unsignedTx', 'utxos', 'context'])
  // Read once: what getters return could change between checking and signing.
  const { unsignedTx, utxos, context } = draft
  requireNetwork(context)
  const signable = signableOf({ unsignedTx, utxos })
  const { maxFee, accept } = options ?? {}
  refuseDangers(explainAtomic(detailsOf({ unsignedTx, context }), { ours: [], maxFee }).warnings, {
    accept,
  })
  return signable
}

/** Rejects values from plain JavaScript that are not keys. */
export function requireKeys(keys: Keys): void {
  requireFields(keys, 'keys', ['publicKeys', 'has', 'sign'])
}

/** Result of signing; check `complete` first. */
export type SignResult<UnsignedTx> = Signed<UnsignedTx> | PartlySigned<UnsignedTx>

/** A transaction to sign, and who signs it. */
export type Signable<UnsignedTx> = {
  readonly unsignedTx: UnsignedTx
  /** The encoded unsigned transaction. */
  readonly unsignedBytes: Uint8Array
  /** SHA-256 of the encoded unsigned transaction. */
  readonly hash: Uint8Array
  /** For each credential, its signers in the order of its signatures, 20 bytes each. */
  readonly signers: readonly (readonly Uint8Array[])[]
  readonly encode: (tx: AtomicTx<UnsignedTx>) => Uint8Array
}

/**
 * Creates the credentials of a transaction. `sign` is called once per signer, however many inputs it owns, and returns
 * undefined for signers that it cannot sign for.
 */
export function signWith<UnsignedTx>(
  { unsignedTx, hash, signers, encode }: Signable<UnsignedTx>,
  sign: (signer: Uint8Array, hash: Uint8Array) => Uint8Array | undefined,
): SignResult<UnsignedTx> {
  const bySigner = new Map<string, Uint8Array | undefined>()
  const missing: SlotPlace[] = []
  const credentials = signers.map((list, credential): SecpCredential => {
    const signatures = list.flatMap((address, slot) => {
      const name = hex.encode(address)
      if (!bySigner.has(name)) bySigner.set(name, sign(address, hash))
      const signature = bySigner.get(name)
      if (signature !== undefined) return [signature]
      missing.push({ credential, slot, address })
      return []
    })
    return { type: 'secp256k1fx.Credential', signatures }
  })
  if (missing.length > 0) return { complete: false, unsignedTx, hash, missing }
  const signedTx = { unsignedTx, credentials }
  const bytes = encode(signedTx)
  return { complete: true, signedTx, bytes, txID: sha256(bytes) }
}

/** An input and the UTXO that the caller states for it. */
export type SpentInput = {
  /** The UTXO that the input names. */
  readonly id: UTXOID & { readonly assetID: Uint8Array }
  readonly input: TransferInput
  /** The UTXO given by the caller; undefined if it is missing. */
  readonly utxo: (UTXOID & { readonly assetID: Uint8Array }) | undefined
  /** The output of `utxo`, without a stakeable lock. */
  readonly output: TransferOutput | undefined
}

/**
 * Returns the signers of an input, after comparing it with the UTXO it spends.
 *
 * @throws SignError if the input does not match the UTXO, or its signature indices do not match the owners.
 */
export function inputSigners({ id, input, utxo, output }: SpentInput, path: string): Uint8Array[] {
  if (utxo === undefined || output === undefined)
    throw new SignError('UTXO_UNKNOWN', `missing UTXO ${formatUTXOID(id)} of ${path}`, {
      path,
    })
  if (id.outputIndex !== utxo.outputIndex || !equalBytes(id.txID, utxo.txID))
    throw mismatch(path, `it spends ${formatUTXOID(id)}, not ${formatUTXOID(utxo)}`)
  if (!equalBytes(id.assetID, utxo.assetID)) throw mismatch(path, 'it has a different asset')
  if (input.amount !== output.amount)
    throw mismatch(path, `it spends ${input.amount} of a UTXO of ${output.amount}`)
  const { signatureIndices } = input
  if (signatureIndices.length !== output.threshold)
    throw new SignError(
      signatureIndices.length > output.threshold ? 'TOO_MANY_SIGNERS' : 'TOO_FEW_SIGNERS',
      `expected ${output.threshold} signers of ${path}, found ${signatureIndices.length}`,
      { path },
    )
  return signatureIndices.map((index, slot) => {
    const address = output.addresses[index]
    if (address === undefined)
      throw new SignError(
        'SIGNER_INVALID_SIG_INDEX',
        `signature index ${index} of ${path} is not below ${output.addresses.length}`,
        { path, slot },
      )
    return address
  })
}

/** The error for an input that does not match its UTXO. */
export function mismatch(path: string, how: string): SignError {
  return new SignError('UTXO_MISMATCH', `${path} does not match its UTXO: ${how}`, { path })
}

/**
 * The signed transaction of a result.
 *
 * @throws SignError `INCOMPLETE` with the `missing` slots.
 */
export function requireSigned<UnsignedTx>(result: SignResult<UnsignedTx>): Signed<UnsignedTx> {
  requireFields(result, 'result', ['complete'])
  if (result.complete) return result
  requireList(result.missing, 'missing')
  const { missing } = result
  throw new SignError('INCOMPLETE', `${missing.length} signatures are missing`, { missing })
}
