import { equalBytes } from '../base/bytes/compare.ts'
import { MAX_DENOMINATION } from '../base/encoding/amount.ts'
import { hex } from '../base/encoding/hex.ts'
import { formatUTXOID } from '../base/encoding/ids.ts'
import { AvmError } from '../base/errors.ts'
import { sha256 } from '../base/hash/sha256.ts'
import { isBytes } from '../base/require.ts'
import { type NetworkContext, P_CHAIN_ID } from '../chain/networks.ts'
import { createdOutputs } from '../chain/x/created.ts'
import type { UTXOID } from '../chain/x/transferables.ts'
import { decodeGenesisTx, type SignedTx, type UnsignedTx } from '../chain/x/tx.ts'
import { requireUTXOs, type UTXO } from '../chain/x/utxo.ts'
import { requireDraft } from '../draft/x/draft.ts'
import { SignError } from './errors.ts'

/** Details of an asset from its CreateAssetTx. */
export type ProvenAsset = {
  readonly name: string
  readonly symbol: string
  readonly denomination: number
}

/** What the transactions attached to a request prove. */
export type Proven = {
  /** For each credential, whether the UTXO is proven by the transaction that created it. */
  readonly utxos: readonly boolean[]
  /** By the hex of the asset ID. The native asset needs no proof. */
  readonly assets: ReadonlyMap<string, ProvenAsset>
  /** Hex of the IDs of the assets that are neither native nor proven, in the order of their first use. */
  readonly unprovenAssets: readonly string[]
}

/** What a transaction creates at one output index. */
export type Created = Pick<UTXO, 'assetID' | 'output'>

/**
 * Reads the outputs that an ExportTx of another chain exports to the X-Chain, by output index; undefined if it is not
 * an export to the X-Chain.
 */
export type ReadExport = (
  bytes: Uint8Array,
  id: Uint8Array,
  chain: ProvableChain,
  context: NetworkContext,
) => ReadonlyMap<number, Created> | undefined

/** A transaction and its UTXOs, which proofs are for. */
export type ProofSubject = {
  readonly unsignedTx: UnsignedTx
  /** In the order of the credentials. */
  readonly utxos: readonly UTXO[]
  readonly context: NetworkContext
}

/**
 * IDs (32 bytes) of the transactions that prove a transaction's UTXOs and assets: those that created the UTXOs, and the
 * CreateAssetTx of each asset except the native one, without repetition.
 *
 * Atomic UTXOs are omitted: see {@link atomicProofIDs}.
 */
export function proofIDs(subject: ProofSubject): Uint8Array[] {
  requireDraft(subject)
  requireUTXOs(subject.utxos)
  const ids = new Map<string, Uint8Array>()
  for (const { txID } of subject.utxos.slice(0, localCount(subject)))
    ids.set(hex.encode(txID), txID)
  for (const [name, assetID] of tokensOf(subject)) ids.set(name, assetID)
  return [...ids.values()]
}

/** A chain whose exports can be decoded. */
export type ProvableChain = 'P' | 'C'

/** The chain with an ID, if its exports can be decoded. */
export function provableChain(
  chainID: Uint8Array,
  { chains }: NetworkContext,
): ProvableChain | undefined {
  if (equalBytes(chainID, P_CHAIN_ID)) return 'P'
  return chains.C !== undefined && equalBytes(chainID, chains.C) ? 'C' : undefined
}

/** IDs of the exports of the P-Chain or C-Chain that prove what a transaction imports. */
export function atomicProofIDs(subject: ProofSubject): {
  readonly txIDs: readonly Uint8Array[]
  readonly chain?: ProvableChain | undefined
} {
  requireDraft(subject)
  requireUTXOs(subject.utxos)
  const chain = provableSource(subject)
  if (chain === undefined) return { txIDs: [] }
  const ids = new Map<string, Uint8Array>()
  for (const { txID } of subject.utxos.slice(localCount(subject))) ids.set(hex.encode(txID), txID)
  return { txIDs: [...ids.values()], chain }
}

/** The chain that a transaction imports from, if its exports can be decoded. */
function provableSource({ unsignedTx, context }: ProofSubject): ProvableChain | undefined {
  return unsignedTx.type === 'ImportTx' ? provableChain(unsignedTx.sourceChain, context) : undefined
}

/** Selects the transactions that prove something, without repetition, by ID ascending. */
export function selectProofs(
  subject: ProofSubject,
  parents: readonly Uint8Array[],
): readonly Uint8Array[] {
  const wanted = new Set([...proofIDs(subject), ...atomicProofIDs(subject).txIDs].map(hex.encode))
  const proofs = new Map<string, Uint8Array>()
  for (const bytes of parents) {
    const name = hex.encode(sha256(bytes))
    if (wanted.has(name)) proofs.set(name, bytes)
  }
  return [...proofs.keys()].sort().map((name) => proofs.get(name)!)
}

/**
 * Checks proofs and reports what they prove. The ID of a transaction is its hash, so its bytes cannot be forged.
 *
 * @throws SignError `REQUEST_PROOF` if a proof contradicts the request, proves nothing in it, is repeated, or cannot
 * be decoded.
 *
 * @param readExport - reads exports of other chains, `exportedToX`. Without it they are not checked and prove nothing,
 * so that programs that only create requests need no codecs of other chains.
 */
export function checkProofs(
  subject: ProofSubject,
  proofs: readonly Uint8Array[],
  readExport?: ReadExport,
): Proven {
  const { utxos, context } = subject
  const chain = provableSource(subject)
  const local = localCount(subject)
  const spent = new Map<string, number[]>()
  for (let i = 0; i < (chain === undefined ? local : utxos.length); i++) {
    const name = hex.encode(utxos[i]!.txID)
    const indices = spent.get(name)
    if (indices === undefined) spent.set(name, [i])
    else indices.push(i)
  }
  const tokens = tokensOf(subject)
  const proven = utxos.map(() => false)
  const assets = new Map<string, ProvenAsset>()
  const seen = new Set<string>()
  proofs.forEach((bytes, i) => {
    const path = `proofs[${i}]`
    const id = sha256(bytes)
    const name = hex.encode(id)
    const indices = spent.get(name) ?? []
    if (seen.has(name)) throw badProof(path, 'is repeated')
    seen.add(name)
    if (indices.length === 0 && !tokens.has(name))
      throw badProof(path, 'is the parent of no UTXO and creates no asset of this request')
    if (chain !== undefined && indices.some((index) => index >= local)) {
      if (readExport === undefined) return
      const read = () => readExport(bytes, id, chain, context)
      const exported = decodeExport(read, chain, path)
      for (const index of indices) {
        requireSame(utxos[index]!, exported.get(utxos[index]!.outputIndex), path)
        proven[index] = true
      }
      return
    }
    const tx = decodeProof(bytes, context, path)
    const created = indices.length === 0 ? [] : createdOutputs(tx.unsignedTx, id)
    for (const index of indices) {
      requireSame(utxos[index]!, created[utxos[index]!.outputIndex], path)
      proven[index] = true
    }
    if (!tokens.has(name)) return
    assets.set(name, provenAsset(tx, path))
  })
  const unprovenAssets = [...tokens.keys()].filter((name) => !assets.has(name))
  return { utxos: proven, assets, unprovenAssets }
}

/** Reads the details of an asset from its CreateAssetTx. */
export function provenAsset({ unsignedTx }: SignedTx, path: string): ProvenAsset {
  if (unsignedTx.type !== 'CreateAssetTx') throw badProof(path, 'is not a CreateAssetTx')
  const { name, symbol, denomination } = unsignedTx
  if (denomination > MAX_DENOMINATION)
    throw badProof(path, 'creates an asset with too many decimals')
  return { name, symbol, denomination }
}

/** Decodes a transaction of the X-Chain of a network. */
export function decodeProof(bytes: Uint8Array, context: NetworkContext, path: string): SignedTx {
  let tx: SignedTx
  try {
    // Transactions of the genesis may exceed the size limit of others.
    tx = decodeGenesisTx(bytes)
  } catch (cause) {
    if (!(cause instanceof AvmError)) throw cause
    throw badProof(path, 'is not a transaction of the X-Chain', cause)
  }
  const { networkID, blockchainID } = tx.unsignedTx
  // Transactions of the genesis have no chain ID: the ID is derived from them.
  const isOfChain =
    equalBytes(blockchainID, context.chainID) || blockchainID.every((byte) => byte === 0)
  if (networkID !== context.networkID || !isOfChain)
    throw badProof(path, 'is a transaction of another chain')
  return tx
}

/** Decodes an export of another chain; every failure becomes `REQUEST_PROOF`. */
function decodeExport(
  read: () => ReturnType<ReadExport>,
  chain: ProvableChain,
  path: string,
): NonNullable<ReturnType<ReadExport>> {
  let exported: ReturnType<ReadExport>
  try {
    exported = read()
  } catch (cause) {
    if (!(cause instanceof AvmError)) throw cause
    throw badProof(path, `is not a transaction of the ${chain}-Chain`, cause)
  }
  if (exported === undefined) throw badProof(path, `is not an export of the ${chain}-Chain to X`)
  return exported
}

/** Checks that a parent created a UTXO as the request states it. */
export function requireSame(
  stated: UTXOID & CreatedValue,
  created: CreatedValue | undefined,
  path: string,
): void {
  if (created === undefined)
    throw badProof(path, `does not create the output of ${formatUTXOID(stated)}`)
  if (!equalBytes(stated.assetID, created.assetID) || !equalValues(stated.output, created.output))
    throw badProof(path, `creates another output than stated for ${formatUTXOID(stated)}`)
}

/** The members of a UTXO of any chain that a proof proves. */
type CreatedValue = { readonly assetID: Uint8Array; readonly output: unknown }

/** Whether two plain values have the same members with the same values. */
function equalValues(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (isBytes(a) || isBytes(b)) return isBytes(a) && isBytes(b) && equalBytes(a, b)
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  for (const name of names)
    if (
      !Object.hasOwn(b, name) ||
      !equalValues(a[name as keyof typeof a], b[name as keyof typeof b])
    )
      return false
  return true
}

/** Number of UTXOs of this chain; those of imported inputs follow them. */
function localCount({ unsignedTx, utxos }: ProofSubject): number {
  return unsignedTx.type === 'ImportTx' ? unsignedTx.inputs.length : utxos.length
}

/** Every asset that is spent, created or operated on, except the native one, by the hex of its ID. */
function tokensOf({ unsignedTx: tx, utxos, context }: ProofSubject): Map<string, Uint8Array> {
  const tokens = new Map<string, Uint8Array>()
  let last: Uint8Array = context.assetID
  const add = ({ assetID }: { readonly assetID: Uint8Array }) => {
    // Most are native or equal to the previous one: comparing is faster than encoding hex.
    if (equalBytes(assetID, last) || equalBytes(assetID, context.assetID)) return
    last = assetID
    tokens.set(hex.encode(assetID), assetID)
  }
  utxos.forEach(add)
  tx.outputs.forEach(add)
  if (tx.type === 'ExportTx') tx.exportedOutputs.forEach(add)
  if (tx.type === 'OperationTx') tx.operations.forEach(add)
  return tokens
}

/** The error for a proof that contradicts its request; `what` continues the sentence that starts with the path. */
export function badProof(path: string, what: string, cause?: unknown): SignError {
  return new SignError('REQUEST_PROOF', `${path} ${what}`, {
    path,
    hint: 'the file was changed or is forged; do not sign it',
    cause,
  })
}
