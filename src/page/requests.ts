// Requests of all chains can be read.
import '../inspect/chains.ts'
import { formatAddress } from '../core/base/encoding/address.ts'
import { evmAddressOf } from '../core/chain/c/evm-address.ts'
import type { ChainAlias } from '../core/chain/chain-types.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import type { KeyChain } from '../core/crypto/keychain.ts'
import type { ExplainOptions, Explanation } from '../core/sign/explain/explanation.ts'
import { chainNamed } from '../core/sign/registry.ts'
import { explainRequest } from '../core/sign/request/explain-request.ts'
import { finishRequest } from '../core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../core/sign/request/request-file.ts'
import { signRequest } from '../core/sign/request/request-sign.ts'
import type { AcceptCode } from '../core/sign/sign.ts'
import { type HDChoice, type RequestKeys, requestKeysOf } from '../inspect/key-text.ts'
import { type RequestJSON, requestJSON } from '../inspect/request-json.ts'
import { readerWith, requestOwnersOf } from '../inspect/request-keys.ts'
import { addKeystoneSignatures, keystoneFrames } from '../signers/keystone/signing.ts'
import { isUR } from '../signers/keystone/ur.ts'
import { mergeCopies } from '../signers/policy/merge-copies.ts'
import { loadedPolicy } from './loaded/policies.ts'
import { loadedNetworkOf } from './loaded/profiles.ts'

/** Who reads an explanation, and when. */
export type ExplanationReader = Pick<ExplainOptions, 'ours' | 'accounts'> & {
  /** Unix seconds. */
  readonly now: bigint
}

/** A merged request, and what was left out because it is invalid. */
export type Merged = { readonly text: string; readonly leftOut: readonly string[] }

/** A signing request of any chain. Parsing has verified everything in it. */
export type PageRequest = {
  readonly chain: ChainAlias
  readonly context: NetworkContext
  /** The unsigned transaction of the first signer set. */
  readonly unsignedTx: Uint8Array
  /** Number of transactions in the request that prove UTXOs and assets. */
  readonly proofs: number
  /** Number of signatures, of all signer sets. */
  readonly signatures: number
  /** The request file. */
  readonly text: string
  readonly state: RequestJSON
  readonly explain: (reader: ExplanationReader) => Explanation
  /** Parses keys; for a mnemonic the keys at the paths of the request. */
  readonly keysOf: (text: string, choice: HDChoice) => RequestKeys
  /** The names of keys among the signers: their addresses, or for an export of the C-Chain their accounts. */
  readonly namesOf: (keys: KeyChain) => readonly string[]
  readonly sign: (keys: RequestKeys, accept: readonly AcceptCode[], now: bigint) => string
  /** Merges the texts of other copies, and signatures of a Keystone device. */
  readonly merge: (copies: readonly string[]) => Merged
  /** The texts of the QR codes that show it to a Keystone device. */
  readonly keystoneFrames: (fingerprint: number) => readonly string[]
  readonly finish: () => { readonly bytes: Uint8Array; readonly txID: Uint8Array }
}

/**
 * Parses a signing request and verifies all of it.
 *
 * @throws SignError, VerifyError
 */
export function parsePageRequest(text: string): PageRequest {
  const request = parseKnown(text)
  const { chain, context, signerSets, proofs } = request
  // Read once: what the reader sees is what decides about signing.
  const policy = loadedPolicy()
  return {
    chain,
    context,
    unsignedTx: chainNamed(chain).encodeUnsignedTx(signerSets[0]!.unsignedTx),
    proofs: proofs.length,
    signatures: signerSets.reduce((sum, { signatures }) => sum + signatures.length, 0),
    text: formatRequest(request),
    state: requestJSON(request),
    explain: (reader) => explainRequest(request, { ...reader, policy }),
    keysOf: (text, choice) => requestKeysOf([text], choice, requestOwnersOf(request)),
    namesOf: (keys) =>
      requestOwnersOf(request).areAccounts
        ? keys.publicKeys.map(evmAddressOf)
        : keys.addresses.map((address) => formatAddress({ chain, hrp: context.hrp, address })),
    sign: (found, accept, now) =>
      formatRequest(
        signRequest(request, found.keys, { ours: readerWith(found), accept, now, policy }),
      ),
    merge: (copies) => merged(request, copies),
    keystoneFrames: (fingerprint) => keystoneFrames(request, { fingerprint }),
    finish: () => finishRequest(request),
  }
}

/** Parses a request of a built-in network, or of one whose profile was loaded. */
function parseKnown(text: string): ReturnType<typeof parseRequest> {
  return parseRequest(text, { network: loadedNetworkOf(text) })
}

function merged(request: ReturnType<typeof parseKnown>, texts: readonly string[]): Merged {
  const copies = texts.filter((text) => !isUR(text.trim()))
  const network = request.context
  const all = [formatRequest(request), ...copies]
  const { request: joined, leftOut } = mergeCopies(all, { network })
  const signed = texts
    .filter((text) => isUR(text.trim()))
    .reduce((sum, answer) => addKeystoneSignatures(sum, answer.trim()), joined)
  return {
    text: formatRequest(signed),
    leftOut: leftOut.map(({ copy, path, message }) => `${path} of copy ${copy}: ${message}`),
  }
}
