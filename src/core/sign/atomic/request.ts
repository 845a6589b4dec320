import { compareBytes, equalBytes } from '../../base/bytes/compare.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatID } from '../../base/encoding/ids.ts'
import { sha256 } from '../../base/hash/sha256.ts'
import { sortedByAddress } from '../../chain/x/order.ts'
import { SignError } from '../errors.ts'
import { MAX_HD_ACCOUNTS, requireRequestOptions } from '../request/request-check.ts'
import { unionByAddress } from '../request/request-merge.ts'
import type { AddressPath } from '../signer.ts'
import { signerChoices } from '../signer-sets.ts'
import { atomicDigest } from './digest.ts'
import {
  type AtomicExplanation,
  type AtomicWarning,
  type ExplainAtomicRequestOptions,
  explainAtomic,
} from './explain.ts'
import type {
  AtomicRequest,
  AtomicRequestOptions,
  AtomicSignerSetStatus,
  RequestChain,
  RequestedDraft,
  RequestUTXO,
} from './request-chain.ts'
import { type AtomicProven, checkAtomicProofs, selectAtomicProofs } from './request-proofs.ts'
import { uniqueAddresses } from './request-signatures.ts'

/** Creates a signing request from a draft. */
export function createAtomicRequest<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  draft: RequestedDraft<Tx, U>,
  options: AtomicRequestOptions = {},
): AtomicRequest<Tx, U> {
  requireRequestOptions(options)
  const { unsignedTx, utxos, context } = draft
  chain.verify(unsignedTx, context)
  chain.signable(draft)
  const { signers } = options
  const txs =
    signers === undefined || utxos.length === 0
      ? [unsignedTx]
      : signerChoices(utxos.map(chain.outputOf), signers === 'all' ? undefined : signers).map(
          (pick) => chain.withSigners(unsignedTx, pick),
        )
  const proofs = selectAtomicProofs(chain, draft, options.parents ?? [])
  checkAtomicProofs(chain, draft, proofs)
  return canonicalRequest(chain, {
    context,
    utxos,
    paths: relevantPaths(chain, draft, options.paths ?? []),
    proofs,
    signerSets: txs.map((tx) => ({ unsignedTx: tx, signatures: [] })),
  })
}

/**
 * Paths of addresses that occur in a draft. A C-Chain export names accounts, so the addresses of its keys are unknown:
 * its first 256 paths are kept.
 */
export function relevantPaths<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { unsignedTx, utxos, context }: RequestedDraft<Tx, U>,
  paths: readonly AddressPath[],
): readonly AddressPath[] {
  const { accounts, outputs } = chain.detailsOf({ unsignedTx, context })
  if (accounts !== undefined) return paths.slice(0, MAX_HD_ACCOUNTS)
  const owners = [...utxos.map(chain.outputOf), ...outputs].flatMap(({ addresses }) => addresses)
  const names = new Set(owners.map(hex.encode))
  return paths.filter(({ address }) => names.has(hex.encode(address)))
}

/** Sorts the lists of a request, so that equal requests have equal texts. */
export function canonicalRequest<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  request: AtomicRequest<Tx, U>,
): AtomicRequest<Tx, U> {
  return {
    ...request,
    paths: sortedByAddress(request.paths),
    signerSets: request.signerSets
      .map((signerSet) => ({ signerSet, bytes: chain.encodeUnsignedTx(signerSet.unsignedTx) }))
      .sort((a, b) => compareBytes(a.bytes, b.bytes))
      .map(({ signerSet }) => ({
        ...signerSet,
        signatures: sortedByAddress(signerSet.signatures),
      })),
  }
}

/** The ID of a request, 32 bytes: a hash of the network, chain, UTXOs and all signer sets, without signatures. */
export function atomicRequestID<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { context, utxos, signerSets }: AtomicRequest<Tx, U>,
): Uint8Array {
  const name = `avmkit signing request 1, ${chain.alias}-Chain of network ${context.networkID}`
  const parts = [
    new TextEncoder().encode(name),
    context.chainID,
    context.assetID,
    ...utxos.map(chain.encodeUTXO),
    // Marks where the UTXOs end: otherwise a UTXO could pass as a signer set.
    new TextEncoder().encode(`${utxos.length} UTXOs`),
    ...signerSets.map(({ unsignedTx }) => chain.encodeUnsignedTx(unsignedTx)),
  ]
  // Hashing each part first makes the boundaries unambiguous.
  const hashes = new Uint8Array(32 * parts.length)
  parts.forEach((part, i) => {
    hashes.set(sha256(part), 32 * i)
  })
  return sha256(hashes)
}

/** The signers and missing signatures of each signer set, in the order of the signer sets. */
export function atomicRequestStatus<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { utxos, signerSets }: AtomicRequest<Tx, U>,
): AtomicSignerSetStatus[] {
  return signerSets.map(({ unsignedTx, signatures }) => {
    const { hash, signers } = chain.signable({ unsignedTx, utxos })
    const signed = new Set(signatures.map(({ address }) => hex.encode(address)))
    const slots = signers.flatMap((list, credential) =>
      list.map((address, slot) => ({ credential, slot, address })),
    )
    return {
      hash,
      signers: uniqueAddresses(signers.flat()),
      missing: slots.filter(({ address }) => !signed.has(hex.encode(address))),
    }
  })
}

/**
 * Merges the signatures, paths and proofs of several copies of one request.
 *
 * @throws SignError `REQUEST_CONFLICT` if the copies are of different requests, or have different signatures of one
 * signer or different paths of one address.
 */
export function mergeAtomicRequests<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  first: AtomicRequest<Tx, U>,
  ...others: readonly AtomicRequest<Tx, U>[]
): AtomicRequest<Tx, U> {
  return others.reduce((merged, other) => mergeTwo(chain, merged, other), first)
}

function mergeTwo<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  a: AtomicRequest<Tx, U>,
  b: AtomicRequest<Tx, U>,
): AtomicRequest<Tx, U> {
  if (!equalBytes(atomicRequestID(chain, a), atomicRequestID(chain, b)))
    throw new SignError('REQUEST_CONFLICT', 'the requests are for different transactions')
  const draft = { ...a, unsignedTx: a.signerSets[0]!.unsignedTx }
  return canonicalRequest(chain, {
    ...a,
    paths: unionByAddress(a.paths, b.paths, (one, other) => one.path === other.path, 'paths'),
    proofs: selectAtomicProofs(chain, draft, [...a.proofs, ...b.proofs]),
    signerSets: a.signerSets.map((signerSet, i) => ({
      ...signerSet,
      signatures: unionByAddress(
        signerSet.signatures,
        b.signerSets[i]!.signatures,
        (one, other) => equalBytes(one.signature, other.signature),
        `signerSets[${i}].signatures`,
      ),
    })),
  })
}

/** An explanation of a request: what its transaction does, what proves it, and who has signed. */
export type AtomicRequestExplanation = AtomicExplanation & {
  /** For each spent UTXO, whether the transaction that created it proves it. */
  readonly proven: readonly boolean[]
  /** A short text that signers compare to check that they see the same transaction with the same evidence. */
  readonly digest: string
  /** The signer sets; any one of them is sufficient. */
  readonly signerSets: readonly {
    /** Addresses, or the accounts of a C-Chain export as `0x…`. */
    readonly signers: readonly string[]
    /** The signers whose signatures are missing. */
    readonly missing: readonly string[]
  }[]
}

/**
 * Explains a request without trusting its author: the owners of spent UTXOs are used only if they are proven, and
 * everything else is read from the transaction.
 */
export function explainAtomicRequest<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  request: AtomicRequest<Tx, U>,
  options: ExplainAtomicRequestOptions = {},
): AtomicRequestExplanation {
  const { context, utxos, signerSets } = request
  const { unsignedTx } = signerSets[0]!
  const proofs = checkAtomicProofs(chain, { unsignedTx, utxos, context }, request.proofs)
  const { utxos: proven, assets } = proofs
  const certain = utxos.map((utxo, i) => (proven[i] ? utxo : undefined))
  const details = chain.detailsOf({ unsignedTx, context, utxos: certain })
  const explanation = explainAtomic({ ...details, assets }, options, unprovenWarnings(proofs))
  const signerText = (signer: Uint8Array) => chain.formatSigner(unsignedTx, signer, context)
  return {
    ...explanation,
    proven,
    digest: atomicDigest(chain, request, proofs),
    signerSets: atomicRequestStatus(chain, request).map(({ signers, missing }) => ({
      signers: signers.map(signerText),
      missing: uniqueAddresses(missing.map(({ address }) => address)).map(signerText),
    })),
  }
}

function unprovenWarnings({ utxos: proven, unprovenAssets }: AtomicProven): AtomicWarning[] {
  const count = proven.filter((isProven) => !isProven).length
  return [
    ...(count === 0
      ? []
      : [
          {
            code: 'UNPROVEN_UTXO' as const,
            message: `${count} of ${proven.length} UTXOs are unproven: only the file states their owners`,
            path: `utxos[${proven.indexOf(false)}]`,
            danger: true,
          },
        ]),
    ...unprovenAssets.map((assetID) => ({
      code: 'UNPROVEN_ASSET' as const,
      message: `the decimals of the asset ${formatID(assetID)} are unproven: its amounts are in base units`,
      path: '',
      danger: true,
    })),
  ]
}
