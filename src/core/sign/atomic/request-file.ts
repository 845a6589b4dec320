import { formatAddress, parseAddress } from '../../base/encoding/address.ts'
import { checkedHex } from '../../base/encoding/checked-hex.ts'
import { formatID } from '../../base/encoding/ids.ts'
import { requireFields } from '../../base/require.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import { ATOMIC_REQUEST_FORMATS, type OtherChain } from '../../chain/view.ts'
import type { Json } from '../../codec/json.ts'
import type { JsonObject } from '../../codec/json-value.ts'
import type { BackendOption } from '../../crypto/backend.ts'
import { parseHDPath } from '../../crypto/hd/path.ts'
import { SignError } from '../errors.ts'
import { requireFewAccounts, requireSignerSets } from '../request/request-check.ts'
import { checkIDs, readNetwork, readRequestJSON } from '../request/request-file.ts'
import { listOf, malformed, objectOf, readMember, textOf } from '../request/request-json.ts'
import { atomicRequestID, canonicalRequest, relevantPaths } from './request.ts'
import type { AtomicRequest, AtomicSignerSet, RequestChain, RequestUTXO } from './request-chain.ts'
import { checkAtomicProofs } from './request-proofs.ts'
import { checkSignatures, completedTx, uniqueAddresses } from './request-signatures.ts'

const ATOMIC_REQUEST_VERSION = 1

/** Options of `parseRequest`. */
export type ParseAtomicRequestOptions = BackendOption & {
  /** The expected network. Required for networks that are not built in. */
  readonly network?: NetworkContext | undefined
}

/** Formats a request as JSON, with the transaction ID if it is complete. Equal requests give equal texts. */
export function formatAtomicRequest<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  request: AtomicRequest<Tx, U>,
): string {
  const { context, utxos, paths, proofs, signerSets } = canonicalRequest(chain, request)
  const { hrp } = context
  const signed = completedTx(chain, request)
  const file = {
    format: ATOMIC_REQUEST_FORMATS[chain.alias],
    version: ATOMIC_REQUEST_VERSION,
    id: formatID(atomicRequestID(chain, request)),
    network: {
      name: context.name,
      networkID: context.networkID,
      chainID: formatID(context.chainID),
      assetID: formatID(context.assetID),
    },
    utxos: utxos.map((utxo) => checkedHex.encode(chain.encodeUTXO(utxo))),
    paths: paths.map(({ address, path }) => ({
      address: formatAddress({ chain: chain.alias, hrp, address }),
      path,
    })),
    proofs: proofs.map((bytes) => checkedHex.encode(bytes)),
    signerSets: signerSets.map(({ unsignedTx, signatures }) => ({
      unsignedTx: checkedHex.encode(chain.encodeUnsignedTx(unsignedTx)),
      signatures: signatures.map(({ address, signature }) => ({
        signer: chain.formatSigner(unsignedTx, address, context),
        signature: checkedHex.encode(signature),
      })),
    })),
    txID: signed && formatID(signed.txID),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

const REQUEST_FILE_MEMBERS = [
  'format',
  'version',
  'id',
  'network',
  'utxos',
  'paths',
  'proofs',
  'signerSets',
]

/**
 * Parses a request file and verifies all of it: the network is known, every transaction obeys the stateless rules,
 * every input matches its UTXO, no proof contradicts a UTXO, the signer sets differ only in their signers, and all
 * signatures and IDs are correct.
 *
 * UTXOs without a proof are accepted here; explanations mark them, and signing refuses them.
 *
 * @throws SignError with a code that starts with `REQUEST_`, or the code of the broken rule.
 * @throws VerifyError if a transaction breaks a stateless rule.
 */
export function parseAtomicRequest<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  text: string,
  options: ParseAtomicRequestOptions = {},
): AtomicRequest<Tx, U> {
  requireFields(options, 'options', [])
  const file = readFile(chain.alias, text)
  const context = readNetwork(file.network!, options.network)
  const bytesAt = (json: Json | undefined, path: string) => checkedHex.decode(textOf(json, path))
  const utxos = listOf(file.utxos, 'utxos').map((item, i) =>
    readMember(`utxos[${i}]`, () => chain.decodeUTXO(bytesAt(item, `utxos[${i}]`))),
  )
  const paths = listOf(file.paths, 'paths').map((item, i) => {
    const at = `paths[${i}]`
    const record = objectOf(item, at, ['address', 'path'])
    const path = textOf(record.path, `${at}.path`)
    readMember(`${at}.path`, () => parseHDPath(path))
    const expected = { chain: chain.alias, hrp: context.hrp }
    const address = readMember(
      `${at}.address`,
      () => parseAddress(textOf(record.address, `${at}.address`), expected).address,
    )
    return { address, path }
  })
  if (uniqueAddresses(paths.map(({ address }) => address)).length !== paths.length)
    throw malformed('paths', 'each address once')
  const proofs = listOf(file.proofs, 'proofs').map((item, i) =>
    readMember(`proofs[${i}]`, () => bytesAt(item, `proofs[${i}]`)),
  )
  const signerSets = listOf(file.signerSets, 'signerSets').map((item, i): AtomicSignerSet<Tx> => {
    const at = `signerSets[${i}]`
    const record = objectOf(item, at, ['unsignedTx', 'signatures'])
    const unsignedTx = readMember(`${at}.unsignedTx`, () =>
      chain.decodeUnsignedTx(bytesAt(record.unsignedTx, `${at}.unsignedTx`)),
    )
    const signatures = listOf(record.signatures, `${at}.signatures`).map((entry, k) => {
      const path = `${at}.signatures[${k}]`
      const parts = objectOf(entry, path, ['signer', 'signature'])
      const signer = textOf(parts.signer, `${path}.signer`)
      return {
        address: readMember(`${path}.signer`, () => chain.parseSigner(unsignedTx, signer, context)),
        signature: readMember(`${path}.signature`, () =>
          bytesAt(parts.signature, `${path}.signature`),
        ),
      }
    })
    return { unsignedTx, signatures }
  })
  requireFewAccounts(paths)
  requireSignerSets(signerSets, chain.codecs)
  const request = canonicalRequest(chain, { context, utxos, paths, proofs, signerSets })
  const { unsignedTx } = request.signerSets[0]!
  if (relevantPaths(chain, { unsignedTx, utxos, context }, paths).length !== paths.length)
    throw malformed('paths', 'only owners of what is spent or created')
  for (const signerSet of signerSets) chain.verify(signerSet.unsignedTx, context)
  checkSignatures(chain, request, options)
  checkAtomicProofs(chain, { unsignedTx, utxos, context }, proofs)
  checkIDs(file, atomicRequestID(chain, request), completedTx(chain, request)?.txID)
  return request
}

function readFile(chain: OtherChain, text: string): JsonObject {
  const json = readRequestJSON(text)
  const { format, version } = objectOf(json, '')
  if (format !== ATOMIC_REQUEST_FORMATS[chain])
    throw malformed('format', JSON.stringify(ATOMIC_REQUEST_FORMATS[chain]))
  if (version !== ATOMIC_REQUEST_VERSION)
    throw new SignError(
      'REQUEST_VERSION',
      `expected version ${ATOMIC_REQUEST_VERSION} of the ${chain}-Chain signing request`,
      { path: 'version' },
    )
  return objectOf(json, '', REQUEST_FILE_MEMBERS, ['txID'])
}
