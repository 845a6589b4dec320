import {
  argument,
  type Check,
  object,
  optional,
  text as textArgument,
} from '../../base/argument.ts'
import { equalBytes } from '../../base/bytes/compare.ts'
import { formatAddress, parseAddress } from '../../base/encoding/address.ts'
import { checkedHex } from '../../base/encoding/checked-hex.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatID, parseID } from '../../base/encoding/ids.ts'
import { ArgumentError } from '../../base/errors.ts'
import { MAX_U64 } from '../../base/integers.ts'
import type { ChainAlias } from '../../chain/chain-types.ts'
import { knownNetwork, type NetworkContext, networkContext } from '../../chain/networks.ts'
import { sortedByAddress } from '../../chain/x/order.ts'
import type { Json } from '../../codec/json.ts'
import { parseJSON } from '../../codec/json-text.ts'
import type { JsonObject } from '../../codec/json-value.ts'
import type { BackendOption } from '../../crypto/backend.ts'
import { parseHDPath } from '../../crypto/hd/path.ts'
import { backendOption } from '../../crypto/secp256k1.ts'
import { chainArgument } from '../arguments.ts'
import { areSignedByAccounts, type Chain } from '../chain.ts'
import { SignError } from '../errors.ts'
import { signerFormatter } from '../explain/explain-parts.ts'
import { type Job, openJob, signaturesOf, takeSignature } from '../job.ts'
import { readExport } from '../proofs/exports.ts'
import { checkProofs } from '../proofs/proofs.ts'
import { chainNamed } from '../registry.ts'
import { canonicalRequest, firstComplete, idOf, openSignerSets, relevantPaths } from './request.ts'
import { checkRequest, requireFewAccounts, requireSignerSets } from './request-check.ts'
import {
  listOf,
  malformed,
  objectOf,
  REQUEST_FORMAT,
  readMember,
  refuseRepeatedMembers,
  textOf,
} from './request-json.ts'
import type { RequestOf, SignerSet, SigningRequest } from './signing-request.ts'

/** The version of request files. */
const REQUEST_VERSION = 2

/** Options of {@link parseRequest}. */
export type ParseRequestOptions<A extends ChainAlias = ChainAlias> = BackendOption & {
  /** The expected network. Required for networks that are not built in. */
  readonly network?: NetworkContext | undefined
  /**
   * The expected chain.
   *
   * @defaultValue any
   */
  readonly chain?: A | undefined
}

/** Description of `ParseRequestOptions`. */
export const parseRequestOptions: Check<ParseRequestOptions> = object<ParseRequestOptions>({
  backend: backendOption,
  network: optional(networkContext),
  chain: optional(chainArgument),
})

/**
 * Formats a request as JSON (`docs/signing-request.schema.json`), with the transaction ID if it is complete. Equal
 * requests give equal texts.
 */
export function formatRequest(given: SigningRequest<ChainAlias>): string {
  const request = canonicalRequest(checkRequest('formatRequest', given))
  const { context, utxos, change, paths, proofs, signerSets } = request
  const chain = chainNamed(request.chain)
  const jobs = openSignerSets(request)
  const prefix = chain.prefixIn(context)
  const signerText = signerFormatter(chain, context, jobs[0]!.signedByAccounts)
  const signed = firstComplete(jobs)
  const file = {
    format: REQUEST_FORMAT,
    version: REQUEST_VERSION,
    chain: chain.alias,
    id: formatID(idOf(request)),
    network: {
      name: context.name,
      networkID: context.networkID,
      chainID: formatID(context.chainID),
      assetID: formatID(context.assetID),
    },
    utxos: utxos.map((utxo) => checkedHex.encode(chain.encodeUTXO(utxo))),
    change: change.map(({ assetID, amount }) => ({
      assetID: formatID(assetID),
      amount: amount.toString(),
    })),
    paths: paths.map(({ address, path }) => ({
      address: formatAddress({ chain: prefix, hrp: context.hrp, address }),
      path,
    })),
    proofs: proofs.map((bytes) => checkedHex.encode(bytes)),
    signerSets: signerSets.map(({ unsignedTx }, i) => ({
      unsignedTx: checkedHex.encode(chain.encodeUnsignedTx(unsignedTx)),
      signatures: sortedByAddress(signaturesOf(jobs[i]!)).map(({ address, signature }) => ({
        address: signerText(address),
        signature: checkedHex.encode(signature),
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
export function parseRequest<A extends ChainAlias = ChainAlias>(
  given: string,
  givenOptions: ParseRequestOptions<A> = {},
): RequestOf<A> {
  const text = argument('parseRequest', given, textArgument, 'text')
  const options = argument('parseRequest', givenOptions, parseRequestOptions)
  const { file, chain } = readFile(text)
  if (options.chain !== undefined && options.chain !== chain.alias)
    throw new SignError('REQUEST_CHAIN', `the request is not for the ${options.chain}-Chain`, {
      path: 'chain',
    })
  const context = readNetwork(file.network!, options.network)
  const bytesAt = (json: Json | undefined, path: string) =>
    readMember(path, () => checkedHex.decode(textOf(json, path)))
  const addressAt = (json: Json | undefined, path: string) =>
    readMember(path, () => {
      const expected = { chain: chain.prefixIn(context), hrp: context.hrp }
      return parseAddress(textOf(json, path), expected).address
    })
  const utxos = listOf(file.utxos, 'utxos').map((item, i) =>
    readMember(`utxos[${i}]`, () => chain.decodeUTXO(bytesAt(item, `utxos[${i}]`))),
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
    return { address: addressAt(record.address, `${at}.address`), path }
  })
  const signerSets = listOf(file.signerSets, 'signerSets').map((item, i): SignerSet<ChainAlias> => {
    const at = `signerSets[${i}]`
    const record = objectOf(item, at, ['unsignedTx', 'signatures'])
    const unsignedTx = readMember(`${at}.unsignedTx`, () =>
      chain.decodeUnsignedTx(bytesAt(record.unsignedTx, `${at}.unsignedTx`)),
    )
    const accounts = areSignedByAccounts(chain.spends(unsignedTx)) ? chain.accounts : undefined
    const signatures = listOf(record.signatures, `${at}.signatures`).map((entry, k) => {
      const path = `${at}.signatures[${k}]`
      const parts = objectOf(entry, path, ['address', 'signature'])
      const signer = `${path}.address`
      return {
        address:
          accounts === undefined
            ? addressAt(parts.address, signer)
            : readMember(signer, () => accounts.parse(textOf(parts.address, signer))),
        signature: bytesAt(parts.signature, `${path}.signature`),
      }
    })
    return { unsignedTx, signatures }
  })
  const proofs = listOf(file.proofs, 'proofs').map((item, i) => bytesAt(item, `proofs[${i}]`))
  const contents = { chain: chain.alias, context, utxos, change, paths, proofs, signerSets }
  requireFewAccounts(paths)
  requireSignerSets(chain, signerSets)
  const request = canonicalRequest(contents)
  const jobs = verifiedJobs(chain, request, options)
  checkContents(chain, request)
  checkIDs(file, idOf(request), firstComplete(jobs)?.txID)
  return request as RequestOf<A>
}

/** Opens the signer sets of a file, after checking their transactions and signatures. */
function verifiedJobs(
  chain: Chain,
  { context, utxos, signerSets }: SigningRequest<ChainAlias>,
  options: BackendOption,
): Job[] {
  return signerSets.map(({ unsignedTx, signatures }, i) => {
    chain.verify(unsignedTx, context)
    const path = `signerSets[${i}].signatures`
    // Checked before the signers are recovered, which takes a thousand times as long.
    if (new Set(signatures.map(({ address }) => hex.encode(address))).size !== signatures.length)
      throw new SignError('SIGNATURE_DUPLICATE', `expected each address once in ${path}`, { path })
    const job = openJob(chain, unsignedTx, utxos)
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
    return job
  })
}

/** Checks what else a request states against its transaction. */
function checkContents(chain: Chain, request: SigningRequest<ChainAlias>): void {
  const { context, utxos, change, paths, proofs, signerSets } = request
  const { unsignedTx } = signerSets[0]!
  const subject = { chain, unsignedTx, utxos, context }
  checkProofs(subject, proofs, readExport)
  const pathAddresses = new Set(paths.map(({ address }) => hex.encode(address)))
  if (pathAddresses.size !== paths.length || relevantPaths(subject, paths).length !== paths.length)
    throw malformed('paths', 'each address once, and only owners of what is spent or created')
  const keyOf = (assetID: Uint8Array, amount: bigint) => `${hex.encode(assetID)}:${amount}`
  const outputAmounts = new Set(
    chain
      .outputs(unsignedTx)
      .flatMap(({ assetID, output, source }) =>
        source === 'outputs' && 'amount' in output ? [keyOf(assetID, output.amount)] : [],
      ),
  )
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
function checkIDs(file: JsonObject, requestID: Uint8Array, txID: Uint8Array | undefined): void {
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

const FILE_MEMBERS = [
  'format',
  'version',
  'chain',
  'id',
  'network',
  'utxos',
  'change',
  'paths',
  'proofs',
  'signerSets',
]

function readFile(text: string): { readonly file: JsonObject; readonly chain: Chain } {
  const json = readRequestJSON(text)
  const { format, version } = objectOf(json, '')
  if (format !== REQUEST_FORMAT) throw malformed('format', JSON.stringify(REQUEST_FORMAT))
  if (version !== REQUEST_VERSION)
    throw new SignError(
      'REQUEST_VERSION',
      `expected version ${REQUEST_VERSION} of the signing request`,
      { path: 'version' },
    )
  const file = objectOf(json, '', FILE_MEMBERS, ['txID'])
  if (file.chain !== 'X' && file.chain !== 'P' && file.chain !== 'C')
    throw malformed('chain', '"X", "P" or "C"')
  return { file, chain: chainNamed(file.chain) }
}

/**
 * Reads the JSON of a request file. Its errors have no cause, because a cause would quote the text, and a key file may
 * have been opened by mistake.
 */
function readRequestJSON(text: string): Json {
  try {
    refuseRepeatedMembers(text)
    return parseJSON(text)
  } catch (error) {
    throw error instanceof ArgumentError ? malformed('', 'JSON') : error
  }
}

/** Reads the network of a request. Its fees and IDs are built in or given by the caller, never taken from the file. */
function readNetwork(json: Json, given: NetworkContext | undefined): NetworkContext {
  const members = ['name', 'networkID', 'chainID', 'assetID']
  const { networkID, chainID, assetID, name } = objectOf(json, 'network', members)
  const network = given ?? (typeof networkID === 'number' ? knownNetwork(networkID) : undefined)
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
