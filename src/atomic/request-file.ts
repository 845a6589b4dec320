import type { NetworkContext } from '../chain/networks.ts'
import type { Json } from '../codec/json.ts'
import type { JsonObject } from '../codec/json-value.ts'
import type { BackendOption } from '../crypto/backend.ts'
import { parseHDPath } from '../crypto/hd/path.ts'
import { formatAddress, parseAddress } from '../encoding/address.ts'
import { checkedHex } from '../encoding/checked-hex.ts'
import { formatID } from '../encoding/ids.ts'
import { SignError } from '../sign/errors.ts'
import { requireVariants } from '../sign/request-check.ts'
import { checkIDs, readNetwork, readRequestJSON } from '../sign/request-file.ts'
import { listOf, malformed, objectOf, read, textOf } from '../sign/request-json.ts'
import { atomicRequestID, canonicalRequest } from './request.ts'
import type { AtomicRequest, AtomicVariant, RequestChain, RequestUTXO } from './request-chain.ts'
import { checkAtomicProofs } from './request-proofs.ts'
import { checkSignatures, completedTx, uniqueAddresses } from './request-signatures.ts'
import { HALF_REQUEST_FORMATS, type OtherChain } from './view.ts'

const VERSION = 1

/** Options of `parseRequest`. */
export type ParseAtomicRequestOptions = BackendOption & {
  /** The expected network. Required for networks that are not built in. */
  readonly network?: NetworkContext | undefined
}

/**
 * Formats a request as JSON, with the transaction ID if it is complete. Equal requests give equal texts.
 */
export function formatAtomicRequest<Tx, U extends RequestUTXO>(
  on: RequestChain<Tx, U>,
  request: AtomicRequest<Tx, U>,
): string {
  const { context, utxos, paths, proofs, variants } = canonicalRequest(on, request)
  const { hrp } = context
  const signed = completedTx(on, request)
  const file = {
    format: HALF_REQUEST_FORMATS[on.chain],
    version: VERSION,
    id: formatID(atomicRequestID(on, request)),
    network: {
      name: context.name,
      networkID: context.networkID,
      chainID: formatID(context.chainID),
      assetID: formatID(context.assetID),
    },
    utxos: utxos.map((utxo) => checkedHex.encode(on.encodeUTXO(utxo))),
    paths: paths.map(({ address, path }) => ({
      address: formatAddress({ chain: on.chain, hrp, address }),
      path,
    })),
    proofs: proofs.map((bytes) => checkedHex.encode(bytes)),
    variants: variants.map(({ unsignedTx, signatures }) => ({
      unsignedTx: checkedHex.encode(on.encodeUnsignedTx(unsignedTx)),
      signatures: signatures.map(({ address, signature }) => ({
        signer: on.formatSigner(unsignedTx, address, context),
        signature: checkedHex.encode(signature),
      })),
    })),
    txID: signed && formatID(signed.txID),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

const MEMBERS = ['format', 'version', 'id', 'network', 'utxos', 'paths', 'proofs', 'variants']

/**
 * Parses a request file and verifies all of it: the network is known, every transaction obeys the stateless rules,
 * every input matches its UTXO, no proof contradicts a UTXO, the variants differ only in their signers, and all
 * signatures and IDs are correct.
 *
 * UTXOs without a proof are accepted here; explanations mark them, and signing refuses them.
 *
 * @throws SignError with a code that starts with `REQUEST_`, or the code of the broken rule.
 * @throws VerifyError if a transaction breaks a stateless rule.
 */
export function parseAtomicRequest<Tx, U extends RequestUTXO>(
  on: RequestChain<Tx, U>,
  text: string,
  options: ParseAtomicRequestOptions = {},
): AtomicRequest<Tx, U> {
  const file = readFile(on.chain, text)
  const context = readNetwork(file.network!, options.network)
  const bytesAt = (json: Json | undefined, path: string) => checkedHex.decode(textOf(json, path))
  const utxos = listOf(file.utxos, 'utxos').map((item, i) =>
    read(`utxos[${i}]`, () => on.decodeUTXO(bytesAt(item, `utxos[${i}]`))),
  )
  const paths = listOf(file.paths, 'paths').map((item, i) => {
    const at = `paths[${i}]`
    const record = objectOf(item, at, ['address', 'path'])
    const path = textOf(record.path, `${at}.path`)
    read(`${at}.path`, () => parseHDPath(path))
    const expected = { chain: on.chain, hrp: context.hrp }
    const address = read(
      `${at}.address`,
      () => parseAddress(textOf(record.address, `${at}.address`), expected).address,
    )
    return { address, path }
  })
  if (uniqueAddresses(paths.map(({ address }) => address)).length !== paths.length)
    throw malformed('paths', 'each address once')
  const proofs = listOf(file.proofs, 'proofs').map((item, i) =>
    read(`proofs[${i}]`, () => bytesAt(item, `proofs[${i}]`)),
  )
  const variants = listOf(file.variants, 'variants').map((item, i): AtomicVariant<Tx> => {
    const at = `variants[${i}]`
    const record = objectOf(item, at, ['unsignedTx', 'signatures'])
    const unsignedTx = read(`${at}.unsignedTx`, () =>
      on.decodeUnsignedTx(bytesAt(record.unsignedTx, `${at}.unsignedTx`)),
    )
    const signatures = listOf(record.signatures, `${at}.signatures`).map((entry, k) => {
      const path = `${at}.signatures[${k}]`
      const parts = objectOf(entry, path, ['signer', 'signature'])
      const signer = textOf(parts.signer, `${path}.signer`)
      return {
        address: read(`${path}.signer`, () => on.parseSigner(unsignedTx, signer, context)),
        signature: read(`${path}.signature`, () => bytesAt(parts.signature, `${path}.signature`)),
      }
    })
    return { unsignedTx, signatures }
  })
  requireVariants(
    variants.map(({ unsignedTx }) => unsignedTx),
    on.codecs,
  )
  const request = canonicalRequest(on, { context, utxos, paths, proofs, variants })
  for (const { unsignedTx } of variants) on.verify(unsignedTx, context)
  checkSignatures(on, request, options)
  checkAtomicProofs(on, { unsignedTx: request.variants[0]!.unsignedTx, utxos, context }, proofs)
  checkIDs(file, atomicRequestID(on, request), completedTx(on, request)?.txID)
  return request
}

function readFile(chain: OtherChain, text: string): JsonObject {
  const json = readRequestJSON(text)
  const { format, version } = objectOf(json, '')
  if (format !== HALF_REQUEST_FORMATS[chain])
    throw malformed('format', JSON.stringify(HALF_REQUEST_FORMATS[chain]))
  if (version !== VERSION)
    throw new SignError(
      'REQUEST_VERSION',
      `expected version ${VERSION} of the signing request of the ${chain}-Chain`,
      { path: 'version' },
    )
  return objectOf(json, '', MEMBERS, ['txID'])
}
