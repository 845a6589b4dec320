import { formatAddress } from '../core/base/encoding/address.ts'
import { encodeUnsignedTx as encodeC } from '../core/chain/c/tx.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import { unlockedOutput } from '../core/chain/p/transferables.ts'
import { encodeUnsignedTx as encodeP } from '../core/chain/p/tx.ts'
import type { TransferOutput } from '../core/chain/secp256k1fx.ts'
import { encodeUnsignedTx } from '../core/chain/x/tx.ts'
import type { ExplainAtomicOptions } from '../core/sign/atomic/explain.ts'
import { formatAtomicRequestExplanation } from '../core/sign/atomic/explain-text.ts'
import type { AtomicRequest } from '../core/sign/atomic/request-chain.ts'
import type { AtomicRequests } from '../core/sign/atomic/requests.ts'
import * as cRequests from '../core/sign/c/request.ts'
import { formatExplanation } from '../core/sign/explain/explain-text.ts'
import type { ExplainOptions, Explanation } from '../core/sign/explain/explanation.ts'
import * as pRequests from '../core/sign/p/request.ts'
import { explainRequest } from '../core/sign/request/explain-request.ts'
import { finishRequest, type SigningRequest } from '../core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../core/sign/request/request-file.ts'
import { mergeRequests } from '../core/sign/request/request-merge.ts'
import { signRequest } from '../core/sign/request/request-sign.ts'
import type { AcceptCode } from '../core/sign/sign.ts'
import { type HDChoice, type RequestKeys, requestKeysOf } from '../inspect/key-text.ts'
import { readerWith, requestOwnersOf, requestStateOf } from '../inspect/other-chain-requests.ts'
import type { RequestChainName } from '../inspect/request-chain.ts'
import { type RequestJSON, requestJSON } from '../inspect/request-json.ts'
import { atomicFlowsOf, type Flow, flowsOf } from './flows.ts'

/** An explanation of a transaction of any chain, in the words of the library. */
export type PageExplanation = {
  readonly warnings: readonly {
    readonly code: string
    readonly message: string
    readonly danger: boolean
  }[]
  readonly flows: readonly Flow[]
  readonly words: string
  /** Absent for transactions of the P- and C-Chain outside of a request. */
  readonly digest?: string
}

/** Who reads an explanation. */
export type ExplanationReader = {
  /** Unix seconds. */
  readonly now: bigint
  /** Addresses of the reader; absent if they are unknown. */
  readonly ours?: readonly Uint8Array[]
  /** EVM addresses of the reader. */
  readonly accounts?: readonly Uint8Array[]
}

/** A signing request of any chain. Parsing has verified everything in it. */
export type PageRequest = {
  readonly chain: RequestChainName
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
  readonly explain: (reader: ExplanationReader) => PageExplanation
  /** Parses keys; for a mnemonic the keys at the paths of the request. */
  readonly keysOf: (text: string, choice: HDChoice) => RequestKeys
  /** The reader who has these keys. */
  readonly readerWith: (keys: RequestKeys) => Omit<ExplanationReader, 'now'>
  readonly sign: (keys: RequestKeys, accept: readonly AcceptCode[], now: bigint) => string
  /** Merges the texts of other copies. */
  readonly merge: (copies: readonly string[]) => string
  readonly finish: () => { readonly bytes: Uint8Array; readonly txID: Uint8Array }
}

/**
 * Parses a signing request and verifies all of it.
 *
 * @throws SignError, VerifyError
 */
export function parsePageRequest(chain: RequestChainName, text: string): PageRequest {
  switch (chain) {
    case 'X':
      return xRequest(parseRequest(text))
    case 'P':
      return atomicRequest(pRequests, pRequests.parseRequest(text), {
        encode: encodeP,
        outputOf: ({ output }) => unlockedOutput(output),
      })
    case 'C':
      return atomicRequest(cRequests, cRequests.parseRequest(text), {
        encode: encodeC,
        // Parsing has refused all other outputs.
        outputOf: ({ output }) => output as TransferOutput,
      })
  }
}

function xRequest(request: SigningRequest): PageRequest {
  const { context, signerSets, proofs } = request
  return {
    chain: 'X',
    context,
    unsignedTx: encodeUnsignedTx(signerSets[0]!.unsignedTx),
    proofs: proofs.length,
    signatures: signaturesIn(request),
    text: formatRequest(request),
    state: requestJSON(request),
    explain: (reader) => xExplanation(explainRequest(request, xOptions(reader))),
    keysOf: (text, choice) => requestKeysOf([text], choice, request),
    readerWith: ({ ours }) => ({ ours }),
    sign: ({ keys, ours }, accept, now) =>
      formatRequest(signRequest(request, keys, { accept, ours, now })),
    merge: (copies) =>
      formatRequest(mergeRequests(request, ...copies.map((copy) => parseRequest(copy)))),
    finish: () => finishRequest(request),
  }
}

/** Functions of the P- or C-Chain that the page needs beside those for requests. */
type AtomicChain<Tx, U> = {
  readonly encode: (tx: Tx) => Uint8Array
  /** The transfer output of a UTXO, without a stakeable lock around it. */
  readonly outputOf: (utxo: U) => TransferOutput
}

function atomicRequest<Tx, U extends { readonly assetID: Uint8Array }>(
  api: AtomicRequests<Tx, U>,
  request: AtomicRequest<Tx, U>,
  { encode, outputOf }: AtomicChain<Tx, U>,
): PageRequest {
  const { context, utxos, signerSets, proofs } = request
  const state = requestStateOf(api, request)
  const { chain } = state
  const address = (bytes: Uint8Array) => formatAddress({ chain, hrp: context.hrp, address: bytes })
  return {
    chain,
    context,
    unsignedTx: encode(signerSets[0]!.unsignedTx),
    proofs: proofs.length,
    signatures: signaturesIn(request),
    text: api.formatRequest(request),
    state,
    explain: (reader) => {
      const explanation = api.explainRequest(request, atomicOptions(reader))
      const spends = utxos.map((utxo, i) => {
        const { amount, addresses, threshold, locktime } = outputOf(utxo)
        const owners = { addresses: addresses.map(address), threshold, locktime }
        return { assetID: utxo.assetID, amount, owners, proven: explanation.proven[i]! }
      })
      return {
        ...explanation,
        flows: atomicFlowsOf(explanation, context, spends),
        words: formatAtomicRequestExplanation(explanation, context),
      }
    },
    keysOf: (text, choice) => requestKeysOf([text], choice, requestOwnersOf(api, request)),
    readerWith,
    sign: (found, accept, now) =>
      api.formatRequest(
        api.signRequest(request, found.keys, { ...readerWith(found), accept, now }),
      ),
    merge: (copies) =>
      api.formatRequest(
        api.mergeRequests(request, ...copies.map((copy) => api.parseRequest(copy))),
      ),
    finish: () => api.finishRequest(request),
  }
}

/** The explanation of a transaction of the X-Chain, for the page. */
export function xExplanation(explanation: Explanation): PageExplanation {
  return {
    ...explanation,
    flows: flowsOf(explanation),
    words: formatExplanation(explanation),
  }
}

/** Options for explaining a transaction of the X-Chain to a reader. */
export function xOptions({ now, ours }: ExplanationReader): ExplainOptions {
  return { now, ...(ours === undefined ? {} : { ours }) }
}

/** Options for explaining a transaction of the P- or C-Chain to a reader. */
export function atomicOptions({
  now,
  ours = [],
  accounts = [],
}: ExplanationReader): ExplainAtomicOptions {
  return { now, ours, accounts }
}

function signaturesIn({
  signerSets,
}: {
  readonly signerSets: readonly { readonly signatures: readonly unknown[] }[]
}): number {
  return signerSets.reduce((sum, { signatures }) => sum + signatures.length, 0)
}
