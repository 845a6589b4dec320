import { requireFields } from '../../base/require.ts'
import { secpCredential } from '../../chain/secp256k1fx.ts'
import { requireAnyUTXOs } from '../../chain/x/utxo.ts'
import { requireEncodable } from '../../codec/codec.ts'
import type { Codec } from '../../codec/io.ts'
import type { BackendOption } from '../../crypto/backend.ts'
import { requireAnyDraft } from '../../draft/x/draft.ts'
import type { AddressSignature } from '../job.ts'
import { copiedRequest, requireAnyRequest } from '../request/request-check.ts'
import { requireSigners, type Signer } from '../signer.ts'
import type { ExplainAtomicRequestOptions } from './explain.ts'
import {
  type AtomicRequestExplanation,
  atomicRequestID,
  atomicRequestStatus,
  createAtomicRequest,
  explainAtomicRequest,
  mergeAtomicRequests,
} from './request.ts'
import type {
  AtomicRequest,
  AtomicRequestOptions,
  AtomicSignerSetStatus,
  RequestChain,
  RequestedDraft,
  RequestUTXO,
} from './request-chain.ts'
import {
  formatAtomicRequest,
  type ParseAtomicRequestOptions,
  parseAtomicRequest,
} from './request-file.ts'
import { collectAtomicProofs, type GetParent } from './request-proofs.ts'
import {
  type AtomicRequestSignerOptions,
  type AtomicRequestSignOptions,
  signAtomicRequest,
  signAtomicRequestWith,
} from './request-sign.ts'
import {
  addAtomicSignature,
  finishAtomicRequest,
  verifyAtomicSignatures,
} from './request-signatures.ts'
import type { AtomicTx, Keys, Signed } from './sign.ts'

/** The functions for signing requests of one chain, with the names of those for the X-Chain. */
export type AtomicRequests<Tx, U> = {
  /** Collects the transactions that prove a draft from a node, which need not be trusted. */
  readonly collectProofs: (
    draft: RequestedDraft<Tx, U>,
    getParent: GetParent,
  ) => Promise<Uint8Array[]>
  /**
   * Creates a signing request from a draft.
   *
   * @throws SignError `REQUEST_PROOF` if a parent contradicts the draft, or `REQUEST_SIGNER_SETS`.
   */
  readonly createRequest: (
    draft: RequestedDraft<Tx, U>,
    options?: AtomicRequestOptions,
  ) => AtomicRequest<Tx, U>
  /** Formats a request as JSON. */
  readonly formatRequest: (request: AtomicRequest<Tx, U>) => string
  /**
   * Parses a request file and verifies all of it.
   *
   * @throws SignError with a code that starts with `REQUEST_`, or the code of the broken rule.
   * @throws VerifyError if a transaction breaks a stateless rule.
   */
  readonly parseRequest: (text: string, options?: ParseAtomicRequestOptions) => AtomicRequest<Tx, U>
  /** Explains a request without trusting its author. */
  readonly explainRequest: (
    request: AtomicRequest<Tx, U>,
    options?: ExplainAtomicRequestOptions,
  ) => AtomicRequestExplanation
  /**
   * Signs every signer set that the keys are signers of.
   *
   * @throws SignError with the code of the first danger that is not accepted, `UNUSED_KEY` or `KEY_NOT_A_SIGNER`.
   */
  readonly signRequest: (
    request: AtomicRequest<Tx, U>,
    keys: Keys,
    options?: AtomicRequestSignOptions,
  ) => AtomicRequest<Tx, U>
  /**
   * Signs every signer set with external signers: devices and key services.
   *
   * @throws SignError like `signRequest`, or `SIGNER_FAILED`; CryptoError for a signature that is not by the expected
   * signer.
   */
  readonly signRequestWith: (
    request: AtomicRequest<Tx, U>,
    signers: readonly Signer[],
    options?: AtomicRequestSignerOptions,
  ) => Promise<AtomicRequest<Tx, U>>
  /**
   * Adds an external signature of 65 bytes `r‖s‖v`.
   *
   * @throws SignError `WRONG_SIGNER`, `SIGNATURE_DUPLICATE`, or the code of an invalid signature.
   */
  readonly addSignature: (
    request: AtomicRequest<Tx, U>,
    signature: AddressSignature,
    options?: BackendOption,
  ) => AtomicRequest<Tx, U>
  /**
   * Merges copies of one request.
   *
   * @throws SignError `REQUEST_CONFLICT`
   */
  readonly mergeRequests: (
    first: AtomicRequest<Tx, U>,
    ...others: readonly AtomicRequest<Tx, U>[]
  ) => AtomicRequest<Tx, U>
  /** The signers and missing signatures of each signer set. */
  readonly requestStatus: (request: AtomicRequest<Tx, U>) => AtomicSignerSetStatus[]
  /** A hash of everything but signatures, paths and proofs; the same for all copies of a request. */
  readonly requestID: (request: AtomicRequest<Tx, U>) => Uint8Array
  /**
   * The signed transaction of a complete request, with all signatures verified again.
   *
   * @throws SignError `INCOMPLETE`
   */
  readonly finishRequest: (request: AtomicRequest<Tx, U>, options?: BackendOption) => Signed<Tx>
  /**
   * Verifies every signature of a transaction; `utxos` may be in any order and include others.
   *
   * @throws SignError `UTXO_UNKNOWN`, `UTXO_MISMATCH`, or the code of the first fault.
   */
  readonly verifySignatures: (
    tx: AtomicTx<Tx>,
    utxos: readonly U[],
    options?: BackendOption,
  ) => void
}

/** The functions for signing requests of a chain. */
export function atomicRequests<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
): AtomicRequests<Tx, U> {
  // Every function checks its first argument here, since plain JavaScript can pass anything.
  const draftIn = (draft: RequestedDraft<Tx, U>) => {
    requireAnyDraft(draft, chain.codecs)
    return draft
  }
  const requestIn = (request: AtomicRequest<Tx, U>) => {
    requireAnyRequest(request, chain.codecs)
    return request
  }
  const signedTx: Codec<AtomicTx<Tx>> = (io, v) => ({
    unsignedTx: io.struct(v.unsignedTx, chain.codecs.unsignedTx),
    credentials: io.list(v.credentials, secpCredential),
  })
  return {
    collectProofs: async (draft, getParent) =>
      collectAtomicProofs(chain, draftIn(draft), getParent),
    createRequest: (draft, options) => createAtomicRequest(chain, draftIn(draft), options),
    formatRequest: (request) => formatAtomicRequest(chain, requestIn(request)),
    parseRequest: (text, options) => parseAtomicRequest(chain, text, options),
    explainRequest: (request, options) => explainAtomicRequest(chain, requestIn(request), options),
    signRequest: (request, keys, options) => {
      requireFields(keys, 'keys', ['publicKeys', 'sign'])
      return signAtomicRequest(chain, requestIn(copiedRequest(request)), keys, options)
    },
    signRequestWith: async (request, signers, options) => {
      requireSigners(signers)
      return signAtomicRequestWith(chain, requestIn(copiedRequest(request)), signers, options)
    },
    addSignature: (request, signature, options) => {
      requireFields(signature, 'signature', ['address', 'signature'])
      return addAtomicSignature(chain, requestIn(request), signature, options)
    },
    mergeRequests: (first, ...others) =>
      mergeAtomicRequests(chain, requestIn(first), ...others.map(requestIn)),
    requestStatus: (request) => atomicRequestStatus(chain, requestIn(request)),
    requestID: (request) => atomicRequestID(chain, requestIn(request)),
    finishRequest: (request, options) => finishAtomicRequest(chain, requestIn(request), options),
    verifySignatures: (tx, utxos, options) => {
      requireEncodable(signedTx, tx)
      requireAnyUTXOs(utxos, chain.codecs.utxo)
      return verifyAtomicSignatures(chain, tx, utxos, options)
    },
  }
}
