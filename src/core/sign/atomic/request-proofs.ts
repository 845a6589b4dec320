import { equalBytes } from '../../base/bytes/compare.ts'
import { hex } from '../../base/encoding/hex.ts'
import { AvmError } from '../../base/errors.ts'
import { sha256 } from '../../base/hash/sha256.ts'
import { contextFrom } from '../../chain/view.ts'
import { exportedTo } from '../atomic-parents.ts'
import { badProof, decodeProof, type ProvenAsset, provenAsset, requireSame } from '../proofs.ts'
import { aliasOf } from './explain.ts'
import type { RequestChain, RequestedDraft, RequestUTXO } from './request-chain.ts'

/** A chain whose transactions can be read here. */
export type ParentChain = 'X' | 'P' | 'C'

/** A transaction that proves a UTXO, and the chain that accepted it. */
export type Parent = { readonly txID: Uint8Array; readonly chain: ParentChain }

/** The chain of the transaction that created the UTXO of a credential, if its transactions can be read. */
function parentChain<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { unsignedTx, context }: RequestedDraft<Tx, U>,
  credential: number,
): ParentChain | undefined {
  const { local, sourceChain } = chain.sources(unsignedTx)
  if (credential < local || sourceChain === undefined) return chain.alias
  const alias = equalBytes(sourceChain, context.chainID) ? 'X' : aliasOf(sourceChain, context)
  return alias === 'X' || alias === 'P' || alias === 'C' ? alias : undefined
}

/** IDs of the assets that a draft spends or creates, except AVAX, by their hex. */
function otherAssets<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { unsignedTx, context }: RequestedDraft<Tx, U>,
): Map<string, Uint8Array> {
  const { spends, outputs } = chain.detailsOf({ unsignedTx, context })
  return new Map(
    [...spends, ...outputs]
      .filter(({ assetID }) => !equalBytes(assetID, context.assetID))
      .map(({ assetID }) => [hex.encode(assetID), assetID]),
  )
}

/**
 * The transactions that prove a draft, each once: those that created its UTXOs, and the CreateAssetTx of each asset
 * except AVAX. UTXOs with the zero transaction ID, which come from the genesis, have no transaction.
 */
export function parentsOf<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  draft: RequestedDraft<Tx, U>,
): Parent[] {
  const parents = new Map<string, Parent>()
  draft.utxos.forEach(({ txID }, i) => {
    const creator = parentChain(chain, draft, i)
    if (creator !== undefined && txID.some((byte) => byte !== 0))
      parents.set(hex.encode(txID), { txID, chain: creator })
  })
  for (const [name, txID] of otherAssets(chain, draft)) parents.set(name, { txID, chain: 'X' })
  return [...parents.values()]
}

/** Returns the bytes of an accepted transaction, or `undefined` if it is not known. */
export type GetParent = (txID: Uint8Array, chain: ParentChain) => Promise<Uint8Array | undefined>

/** Collects the transactions that prove a draft. The source need not be trusted: the ID is a hash of the bytes. */
export async function collectAtomicProofs<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  draft: RequestedDraft<Tx, U>,
  getParent: GetParent,
): Promise<Uint8Array[]> {
  const found: Uint8Array[] = []
  for (const parent of parentsOf(chain, draft)) {
    const bytes = await getParent(parent.txID, parent.chain)
    if (bytes !== undefined) found.push(bytes)
  }
  return selectAtomicProofs(chain, draft, found)
}

/** Selects the transactions that prove something, without repetition, by ID ascending. */
export function selectAtomicProofs<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  draft: RequestedDraft<Tx, U>,
  parents: readonly Uint8Array[],
): Uint8Array[] {
  const wanted = new Set(parentsOf(chain, draft).map(({ txID }) => hex.encode(txID)))
  const proofs = new Map<string, Uint8Array>()
  for (const bytes of parents) {
    const name = hex.encode(sha256(bytes))
    if (wanted.has(name)) proofs.set(name, bytes)
  }
  return [...proofs.keys()].sort().map((name) => proofs.get(name)!)
}

/** The details that the proofs of a request prove. */
export type AtomicProven = {
  /** For each credential, whether its UTXO is proven. */
  readonly utxos: readonly boolean[]
  /** By the hex of the asset ID. AVAX needs no proof. */
  readonly assets: ReadonlyMap<string, ProvenAsset>
  /** Assets that are neither AVAX nor proven. */
  readonly unprovenAssets: readonly Uint8Array[]
}

/**
 * Checks proofs and returns what they prove. The ID of a transaction is its hash, so its bytes cannot be forged.
 *
 * @throws SignError `REQUEST_PROOF` if a proof contradicts the request, proves nothing in it, is repeated, or cannot
 * be decoded.
 */
export function checkAtomicProofs<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  draft: RequestedDraft<Tx, U>,
  proofs: readonly Uint8Array[],
): AtomicProven {
  const { utxos, context } = draft
  const proven = utxos.map(() => false)
  const credentialsOf = credentialsByParent(utxos)
  const others = otherAssets(chain, draft)
  const assets = new Map<string, ProvenAsset>()
  const seen = new Set<string>()
  proofs.forEach((bytes, k) => {
    const path = `proofs[${k}]`
    const id = sha256(bytes)
    const name = hex.encode(id)
    if (seen.has(name)) throw badProof(path, 'is repeated')
    seen.add(name)
    const credentials = credentialsOf.get(name) ?? []
    const createdFor = createdReader(chain, draft, { bytes, id, path })
    for (const credential of credentials) {
      const utxo = utxos[credential]!
      requireSame(utxo, createdFor(credential).get(utxo.outputIndex), path)
      proven[credential] = true
    }
    if (others.has(name)) assets.set(name, provenAsset(decodeProof(bytes, context, path), path))
    else if (credentials.length === 0)
      throw badProof(path, 'is the parent of no UTXO and creates no asset of this request')
  })
  const unproven = [...others].filter(([name]) => !assets.has(name))
  return { utxos: proven, assets, unprovenAssets: unproven.map(([, assetID]) => assetID) }
}

/** The credentials that spend UTXOs of each transaction, by the hex of its ID. */
function credentialsByParent(utxos: readonly RequestUTXO[]): Map<string, number[]> {
  const credentials = new Map<string, number[]>()
  utxos.forEach(({ txID }, credential) => {
    const name = hex.encode(txID)
    const list = credentials.get(name)
    if (list === undefined) credentials.set(name, [credential])
    else list.push(credential)
  })
  return credentials
}

/** A proof, its transaction ID and its place in the request. */
type Proof = { readonly bytes: Uint8Array; readonly id: Uint8Array; readonly path: string }

/** The UTXOs that a parent created, by output index. */
type CreatedOutputs = ReadonlyMap<
  number,
  { readonly assetID: Uint8Array; readonly output: unknown }
>

/**
 * Returns a function that gives, for a credential, the UTXOs of the parent among which its UTXO must be: the exported
 * ones if the UTXO is imported, otherwise those that the parent created on this chain. The parent is decoded once, not
 * for each UTXO.
 */
function createdReader<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  draft: RequestedDraft<Tx, U>,
  proof: Proof,
): (credential: number) => CreatedOutputs {
  const { local } = chain.sources(draft.unsignedTx)
  const cache = new Map<boolean, CreatedOutputs>()
  return (credential) => {
    const isImported = credential >= local
    const created =
      cache.get(isImported) ??
      readParent(chain, draft, proof, parentChain(chain, draft, credential), isImported)
    cache.set(isImported, created)
    return created
  }
}

function readParent<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { context }: RequestedDraft<Tx, U>,
  { bytes, id, path }: Proof,
  creator: ParentChain | undefined,
  isImported: boolean,
): CreatedOutputs {
  if (creator === undefined) throw badProof(path, 'is a transaction of an unknown chain')
  let found: CreatedOutputs | undefined
  try {
    if (isImported) {
      const { chainID } = contextFrom(context, chain.alias)
      found = exportedTo(chainID, bytes, id, creator, context)
    } else {
      const created = chain.createdBy(bytes, context)
      found = created && new Map(created.map((utxo) => [utxo.outputIndex, utxo]))
    }
  } catch (cause) {
    if (!(cause instanceof AvmError)) throw cause
    throw badProof(path, `is not a transaction of the ${creator}-Chain`, cause)
  }
  if (found !== undefined) return found
  throw badProof(
    path,
    isImported
      ? `is not an export of the ${creator}-Chain to ${chain.alias}`
      : 'is a transaction of another chain',
  )
}
