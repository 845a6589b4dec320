import { equalBytes } from '../../base/bytes/compare.ts'
import { MAX_DENOMINATION } from '../../base/encoding/amount.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatUTXOID } from '../../base/encoding/ids.ts'
import { AvmError } from '../../base/errors.ts'
import { sha256 } from '../../base/hash/sha256.ts'
import { isBytes } from '../../base/require.ts'
import type { ChainAlias } from '../../chain/chain-types.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import type { UTXOID } from '../../chain/x/transferables.ts'
import { decodeGenesisTx, type SignedTx } from '../../chain/x/tx.ts'
import {
  type AnyTx,
  type AnyUTXO,
  aliasOf,
  type Chain,
  type CreatedOutput,
  NEW_ASSET,
  spendsUTXO,
} from '../chain.ts'
import { isOfXChain } from '../chains/x.ts'
import { SignError } from '../errors.ts'

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

/** An export of another chain, and the chain that imports it. */
export type ExportQuery = {
  readonly bytes: Uint8Array
  /** ID of the transaction. */
  readonly id: Uint8Array
  /** The chain that exports. */
  readonly chain: ChainAlias
  /** ID of the chain that imports. */
  readonly destinationID: Uint8Array
  readonly context: NetworkContext
}

/** Reads the outputs that an ExportTx exports to a chain, by output index; undefined if it is not such an export. */
export type ReadExport = (query: ExportQuery) => ReadonlyMap<number, CreatedOutput> | undefined

/** A transaction and its UTXOs, which proofs are for. */
export type ProofSubject = {
  readonly chain: Chain
  readonly unsignedTx: AnyTx
  /** In the order of the credentials. */
  readonly utxos: readonly AnyUTXO[]
  readonly context: NetworkContext
}

/** A transaction that proves something, and the chain that accepted it. */
export type Parent = { readonly txID: Uint8Array; readonly chain: ChainAlias }

/**
 * The transactions that prove a transaction's UTXOs and assets, without repetition: those that created the UTXOs, and
 * the CreateAssetTx of each asset except the native one. UTXOs of the genesis of the P-Chain have the zero transaction
 * ID and no transaction; UTXOs of chains that are not known here cannot be proven.
 */
export function parentsOf(
  subject: Omit<ProofSubject, 'utxos'> & {
    /** In the order of the credentials; undefined for unknown ones. Only their IDs are read. */
    readonly utxos: readonly (UTXOID | undefined)[]
  },
): Parent[] {
  const parents = new Map<string, Parent>()
  const sources = sourcesOf(subject)
  sources.forEach(({ chain }, i) => {
    const txID = subject.utxos[i]?.txID
    if (chain !== undefined && txID?.some((byte) => byte !== 0))
      parents.set(hex.encode(txID), { txID, chain })
  })
  for (const [name, txID] of tokensOf(subject)) parents.set(name, { txID, chain: 'X' })
  return [...parents.values()]
}

/** Where the UTXO of a credential comes from. */
type Source = {
  readonly isImported: boolean
  /** The chain of the transaction that created it; undefined if its transactions cannot be decoded. */
  readonly chain: ChainAlias | undefined
}

/** The sources of the spent UTXOs, in their order. */
function sourcesOf({ chain, unsignedTx, context }: Omit<ProofSubject, 'utxos'>): Source[] {
  const local: Source = { isImported: false, chain: chain.alias }
  const imported: Source = {
    isImported: true,
    chain: 'sourceChain' in unsignedTx ? knownAlias(unsignedTx.sourceChain, context) : undefined,
  }
  return chain
    .spends(unsignedTx)
    .filter(spendsUTXO)
    .map(({ list }) => (list === 'importedInputs' ? imported : local))
}

function knownAlias(chainID: Uint8Array, context: NetworkContext): ChainAlias | undefined {
  if (equalBytes(chainID, context.chainID)) return 'X'
  const alias = aliasOf(chainID, context)
  return alias === 'P' || alias === 'C' ? alias : undefined
}

/** Selects the transactions that prove something, without repetition, by ID ascending. */
export function selectProofs(
  subject: Parameters<typeof parentsOf>[0],
  parents: readonly Uint8Array[],
): readonly Uint8Array[] {
  const wanted = new Set(parentsOf(subject).map(({ txID }) => hex.encode(txID)))
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
 * @param readExport - reads exports of other chains. Without it they are not checked and prove nothing, so that
 * programs that only create requests need no codecs of other chains.
 */
export function checkProofs(
  subject: ProofSubject,
  proofs: readonly Uint8Array[],
  readExport?: ReadExport,
): Proven {
  const { utxos, context } = subject
  const sources = sourcesOf(subject)
  const spent = new Map<string, number[]>()
  utxos.forEach(({ txID }, i) => {
    if (sources[i]!.chain === undefined) return
    const name = hex.encode(txID)
    const indices = spent.get(name)
    if (indices === undefined) spent.set(name, [i])
    else indices.push(i)
  })
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
    const createdFrom = createdReader(subject, { bytes, id, path }, readExport)
    for (const index of indices) {
      const created = createdFrom(sources[index]!)
      if (created === undefined) continue
      requireSame(utxos[index]!, created.get(utxos[index]!.outputIndex), path)
      proven[index] = true
    }
    if (tokens.has(name)) assets.set(name, provenAsset(decodeProof(bytes, context, path), path))
  })
  const unprovenAssets = [...tokens.keys()].filter((name) => !assets.has(name))
  return { utxos: proven, assets, unprovenAssets }
}

/** A proof, its transaction ID and its place in the request. */
type Proof = { readonly bytes: Uint8Array; readonly id: Uint8Array; readonly path: string }

/** The outputs that a transaction creates, by output index; undefined if they are not read. */
type Created = ReadonlyMap<number, CreatedOutput> | undefined

/**
 * Returns a function that gives the outputs of a proof among which a UTXO must be: the exported ones if the UTXO is
 * imported, otherwise those that the transaction created on this chain. It is decoded once, not for each UTXO.
 */
function createdReader(
  subject: ProofSubject,
  proof: Proof,
  readExport: ReadExport | undefined,
): (source: Source) => Created {
  const cache = new Map<boolean, Created>()
  return (source) => {
    const { isImported } = source
    if (!cache.has(isImported))
      cache.set(isImported, readCreated(subject, proof, source, readExport))
    return cache.get(isImported)
  }
}

function readCreated(
  { chain, context }: Pick<ProofSubject, 'chain' | 'context'>,
  { bytes, id, path }: Proof,
  source: Source,
  readExport: ReadExport | undefined,
): Created {
  if (source.isImported && readExport === undefined) return undefined
  const creator = source.chain!
  let found: Created
  try {
    found = source.isImported
      ? readExport!({ bytes, id, chain: creator, destinationID: chain.idIn(context)!, context })
      : chain.created(bytes, id, context)
  } catch (cause) {
    if (!(cause instanceof AvmError)) throw cause
    throw badProof(path, `is not a transaction of the ${creator}-Chain`, cause)
  }
  if (found !== undefined) return found
  throw badProof(
    path,
    source.isImported
      ? `is not an export of the ${creator}-Chain to ${chain.alias}`
      : 'is a transaction of another chain',
  )
}

/** Reads the details of an asset from its CreateAssetTx. */
function provenAsset({ unsignedTx }: SignedTx, path: string): ProvenAsset {
  if (unsignedTx.type !== 'CreateAssetTx') throw badProof(path, 'is not a CreateAssetTx')
  const { name, symbol, denomination } = unsignedTx
  if (denomination > MAX_DENOMINATION)
    throw badProof(path, 'creates an asset with too many decimals')
  return { name, symbol, denomination }
}

/** Decodes a transaction of the X-Chain of a network. */
function decodeProof(bytes: Uint8Array, context: NetworkContext, path: string): SignedTx {
  let tx: SignedTx
  try {
    // Transactions of the genesis may exceed the size limit of others.
    tx = decodeGenesisTx(bytes)
  } catch (cause) {
    if (!(cause instanceof AvmError)) throw cause
    throw badProof(path, 'is not a transaction of the X-Chain', cause)
  }
  if (!isOfXChain(tx.unsignedTx, context)) throw badProof(path, 'is a transaction of another chain')
  return tx
}

/** Checks that a parent created a UTXO as the request states it. */
function requireSame(
  stated: UTXOID & CreatedOutput,
  created: CreatedOutput | undefined,
  path: string,
): void {
  if (created === undefined)
    throw badProof(path, `does not create the output of ${formatUTXOID(stated)}`)
  if (!equalBytes(stated.assetID, created.assetID) || !equalValues(stated.output, created.output))
    throw badProof(path, `creates another output than stated for ${formatUTXOID(stated)}`)
}

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

/** Every asset that is spent, created or operated on, except the native and new ones, by the hex of its ID. */
function tokensOf({
  chain,
  unsignedTx,
  context,
}: Omit<ProofSubject, 'utxos'>): Map<string, Uint8Array> {
  const tokens = new Map<string, Uint8Array>()
  let last: Uint8Array = context.assetID
  for (const { assetID } of [...chain.spends(unsignedTx), ...chain.outputs(unsignedTx)]) {
    // Most are native or equal to the previous one: comparing is faster than encoding hex.
    if (assetID === NEW_ASSET || equalBytes(assetID, last) || equalBytes(assetID, context.assetID))
      continue
    last = assetID
    tokens.set(hex.encode(assetID), assetID)
  }
  return tokens
}

/** The error for a proof that contradicts its request; `what` continues the sentence that starts with the path. */
function badProof(path: string, what: string, cause?: unknown): SignError {
  return new SignError('REQUEST_PROOF', `${path} ${what}`, {
    path,
    hint: 'the file was changed or is forged; do not sign it',
    cause,
  })
}
