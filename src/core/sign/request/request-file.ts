import { equalBytes } from '../../base/bytes/compare.ts'
import { formatAddress, parseAddress } from '../../base/encoding/address.ts'
import { MAX_U64 } from '../../base/encoding/amount.ts'
import { checkedHex } from '../../base/encoding/checked-hex.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatID, parseID } from '../../base/encoding/ids.ts'
import { EncodingError } from '../../base/errors.ts'
import { requireFields, requireText } from '../../base/require.ts'
import { type NetworkContext, networks, requireNetwork } from '../../chain/networks.ts'
import { decodeUnsignedTx, encodeUnsignedTx } from '../../chain/x/tx.ts'
import { decodeUTXO, encodeUTXO } from '../../chain/x/utxo.ts'
import { verifyUnsigned } from '../../chain/x/verify/verify.ts'
import type { Json } from '../../codec/json.ts'
import { parseJSON } from '../../codec/json-text.ts'
import type { JsonObject } from '../../codec/json-value.ts'
import type { BackendOption } from '../../crypto/backend.ts'
import { parseHDPath } from '../../crypto/hd/path.ts'
import { exportedToX } from '../atomic-parents.ts'
import { SignError } from '../errors.ts'
import { openJob, takeSignature } from '../job.ts'
import { checkProofs } from '../proofs.ts'
import {
  canonicalRequest,
  completeSignerSet,
  ownersIn,
  requestID,
  type SignerSet,
  type SigningRequest,
} from './request.ts'
import {
  requireFewAccounts,
  requireRequest,
  requireSignerSets,
  xChainCodecs,
} from './request-check.ts'
import {
  listOf,
  malformed,
  objectOf,
  REQUEST_FORMAT,
  readMember,
  refuseRepeatedMembers,
  textOf,
} from './request-json.ts'

/** The version that `formatRequest` writes. `parseRequest` also reads version 1, which has no proofs. */
export const REQUEST_VERSION = 2

/** Options of {@link parseRequest}. */
export type ParseRequestOptions = BackendOption & {
  /** The expected network. Required for networks that are not built in. */
  readonly network?: NetworkContext | undefined
}

/**
 * Formats a request as JSON (`docs/signing-request.schema.json`), with the transaction ID if it is complete. Equal
 * requests give equal texts.
 */
export function formatRequest(request: SigningRequest): string {
  requireRequest(request)
  const { context, utxos, change, paths, proofs, signerSets } = canonicalRequest(request)
  const address = (bytes: Uint8Array) =>
    formatAddress({ chain: context.chainAlias, hrp: context.hrp, address: bytes })
  const signed = completeSignerSet(request)
  const file = {
    format: REQUEST_FORMAT,
    version: REQUEST_VERSION,
    id: formatID(requestID(request)),
    network: {
      name: context.name,
      networkID: context.networkID,
      chainID: formatID(context.chainID),
      assetID: formatID(context.assetID),
    },
    utxos: utxos.map((utxo) => checkedHex.encode(encodeUTXO(utxo))),
    change: change.map(({ assetID, amount }) => ({
      assetID: formatID(assetID),
      amount: amount.toString(),
    })),
    paths: paths.map((item) => ({ address: address(item.address), path: item.path })),
    proofs: proofs.map((bytes) => checkedHex.encode(bytes)),
    signerSets: signerSets.map(({ unsignedTx, signatures }) => ({
      unsignedTx: checkedHex.encode(encodeUnsignedTx(unsignedTx)),
      signatures: signatures.map((item) => ({
        address: address(item.address),
        signature: checkedHex.encode(item.signature),
      })),
    })),
    txID: signed && formatID(signed.txID),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/**
 * Parses a request file and verifies all of it: the network is known, every transaction obeys the stateless rules,
 * every input matches its UTXO and every signer slot an owner, no proof contradicts a UTXO or asset, the signer sets
 * differ only in their signers, and all signatures and IDs are correct.
 *
 * UTXOs without a proof are accepted here; explanations mark them, and signing refuses them.
 *
 * @throws SignError with a code that starts with `REQUEST_`, or the code of the broken rule.
 * @throws VerifyError if a transaction breaks a stateless rule.
 * @example
 * const request = parseRequest(readFileSync('payout.json', 'utf8'), { network: networks.fuji })
 */
export function parseRequest(text: string, options: ParseRequestOptions = {}): SigningRequest {
  requireFields(options, 'options', [])
  const file = readFile(text)
  const context = readNetwork(file.network!, options.network)
  const address = (json: Json | undefined, path: string) =>
    readMember(path, () => {
      const expected = { chain: context.chainAlias, hrp: context.hrp }
      return parseAddress(textOf(json, path), expected).address
    })
  const utxos = listOf(file.utxos, 'utxos').map((item, i) =>
    readMember(`utxos[${i}]`, () => decodeUTXO(checkedHex.decode(textOf(item, `utxos[${i}]`)))),
  )
  const change = listOf(file.change, 'change').map((item, i) => {
    const path = `change[${i}]`
    const { assetID, amount } = objectOf(item, path, ['assetID', 'amount'])
    return {
      assetID: readMember(`${path}.assetID`, () => parseID(textOf(assetID, `${path}.assetID`))),
      amount: readBaseUnits(amount, `${path}.amount`),
    }
  })
  const paths = listOf(file.paths, 'paths').map((item, i) => {
    const at = `paths[${i}]`
    const record = objectOf(item, at, ['address', 'path'])
    const path = textOf(record.path, `${at}.path`)
    readMember(`${at}.path`, () => parseHDPath(path))
    return { address: address(record.address, `${at}.address`), path }
  })
  const signerSets = listOf(file.signerSets, 'signerSets').map((item, i): SignerSet => {
    const at = `signerSets[${i}]`
    const record = objectOf(item, at, ['unsignedTx', 'signatures'])
    const unsignedTx = readMember(`${at}.unsignedTx`, () =>
      decodeUnsignedTx(checkedHex.decode(textOf(record.unsignedTx, `${at}.unsignedTx`))),
    )
    const signatures = listOf(record.signatures, `${at}.signatures`).map((entry, k) => {
      const path = `${at}.signatures[${k}]`
      const parts = objectOf(entry, path, ['address', 'signature'])
      const signature = `${path}.signature`
      return {
        address: address(parts.address, `${path}.address`),
        signature: readMember(signature, () =>
          checkedHex.decode(textOf(parts.signature, signature)),
        ),
      }
    })
    return { unsignedTx, signatures }
  })
  // Version 1 has no proofs.
  const proofs = listOf(file.proofs === undefined ? [] : file.proofs, 'proofs').map((item, i) =>
    readMember(`proofs[${i}]`, () => checkedHex.decode(textOf(item, `proofs[${i}]`))),
  )
  const request = canonicalRequest({ context, utxos, change, paths, proofs, signerSets })
  checkRequest(request, options)
  checkIDs(file, requestID(request), completeSignerSet(request)?.txID)
  return request
}

/** Checks everything that a request states against its bytes. */
function checkRequest(request: SigningRequest, options: BackendOption): void {
  const { context, utxos, change, paths, signerSets } = request
  requireFewAccounts(paths)
  requireSignerSets(signerSets, xChainCodecs)
  signerSets.forEach(({ unsignedTx, signatures }, i) => {
    verifyUnsigned(unsignedTx, context)
    const path = `signerSets[${i}].signatures`
    // Checked before the signers are recovered, which takes a thousand times as long.
    if (new Set(signatures.map(({ address }) => hex.encode(address))).size !== signatures.length)
      throw new SignError('SIGNATURE_DUPLICATE', `expected each address once in ${path}`, { path })
    const job = openJob(unsignedTx, utxos)
    signatures.forEach((item, k) => {
      takeSignature(job, item, options)
      // Signers may use other formats; in a file only the chain's own can be merged.
      if (!equalBytes(job.signatures.get(hex.encode(item.address))!, item.signature))
        throw new SignError(
          'SIG_MALFORMED',
          `expected 65 bytes r‖s‖v with s in the lower half in ${path}[${k}]`,
          { path: `${path}[${k}].signature`, address: item.address },
        )
    })
  })
  const { unsignedTx } = signerSets[0]!
  checkProofs({ unsignedTx, utxos, context }, request.proofs, exportedToX)
  const owners = ownersIn({ unsignedTx, utxos })
  const pathAddresses = new Set(paths.map(({ address }) => hex.encode(address)))
  if (pathAddresses.size !== paths.length || [...pathAddresses].some((name) => !owners.has(name)))
    throw malformed('paths', 'each address once, and only owners of what is spent or created')
  const keyOf = (assetID: Uint8Array, amount: bigint) => `${hex.encode(assetID)}:${amount}`
  const outputAmounts = new Set(unsignedTx.outputs.map((o) => keyOf(o.assetID, o.output.amount)))
  if (!change.every(({ assetID, amount }) => outputAmounts.has(keyOf(assetID, amount))))
    throw malformed('change', 'amounts of outputs of the transaction')
  if (new Set(change.map(({ assetID }) => hex.encode(assetID))).size !== change.length)
    throw malformed('change', 'each asset once')
}

/**
 * Compares the IDs that a request file states with those of its contents.
 *
 * @param txID - ID of the signed transaction; undefined while signatures are missing
 * @throws SignError `REQUEST_ID`, `REQUEST_TX_ID`
 */
export function checkIDs(
  file: JsonObject,
  requestID: Uint8Array,
  txID: Uint8Array | undefined,
): void {
  const id = formatID(requestID)
  if (file.id !== id)
    throw new SignError(
      'REQUEST_ID',
      `the file states another id than that of its contents, ${id}`,
      {
        path: 'id',
        hint: 'the file was changed; ask for it again',
      },
    )
  const expected = txID && formatID(txID)
  if (file.txID !== expected)
    throw new SignError(
      'REQUEST_TX_ID',
      expected === undefined
        ? 'expected no txID: signatures are missing'
        : `expected the txID ${expected}`,
      { path: 'txID' },
    )
}

function readFile(text: string): JsonObject {
  const json = readRequestJSON(text)
  const { format, version } = objectOf(json, '')
  if (format !== REQUEST_FORMAT) throw malformed('format', JSON.stringify(REQUEST_FORMAT))
  if (version !== 1 && version !== REQUEST_VERSION)
    throw new SignError(
      'REQUEST_VERSION',
      `expected version 1 or ${REQUEST_VERSION} of the signing request`,
      { path: 'version' },
    )
  const members = ['format', 'version', 'id', 'network', 'utxos', 'change', 'paths', 'signerSets']
  return objectOf(json, '', version === 1 ? members : [...members, 'proofs'], ['txID'])
}

/**
 * Reads the JSON of a request file. Its errors have no cause, because a cause would quote the text, and a key file may
 * have been opened by mistake.
 */
export function readRequestJSON(text: string): Json {
  requireText(text, 'signing request')
  try {
    refuseRepeatedMembers(text)
    return parseJSON(text)
  } catch (error) {
    throw error instanceof EncodingError ? malformed('', 'JSON') : error
  }
}

/** Reads the network of a request. Its fees and IDs are built in or given by the caller, never taken from the file. */
export function readNetwork(json: Json, given: NetworkContext | undefined): NetworkContext {
  const members = ['name', 'networkID', 'chainID', 'assetID']
  const { networkID, chainID, assetID, name } = objectOf(json, 'network', members)
  if (given !== undefined) requireNetwork(given)
  const network = given ?? Object.values(networks).find((known) => known.networkID === networkID)
  if (
    network === undefined ||
    network.networkID !== networkID ||
    formatID(network.chainID) !== chainID ||
    formatID(network.assetID) !== assetID
  )
    throw new SignError(
      'REQUEST_NETWORK',
      given === undefined
        ? 'the request is for a network that is not built in'
        : `the request is not for the network ${given.name}`,
      {
        path: 'network',
        ...(given === undefined ? { hint: 'pass the expected network' } : {}),
      },
    )
  textOf(name, 'network.name')
  return network
}

function readBaseUnits(json: Json | undefined, path: string): bigint {
  const text = textOf(json, path)
  const amount = /^(0|[1-9][0-9]{0,19})$/.test(text) ? BigInt(text) : -1n
  if (amount < 0n || amount > MAX_U64) throw malformed(path, 'an amount in base units')
  return amount
}
