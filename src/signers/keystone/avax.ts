import { argument } from '../../core/base/argument.ts'
import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import { badCBOR, type CBOR, decodeCBOR, encodeCBOR, isTagged } from './cbor.ts'
import { KeystoneError } from './errors.ts'
import { joinUR, type UR, urTexts } from './ur.ts'

/*
 * The contents of `avax-sign-request`, `avax-signature` and `avax-utxo`, as read in keystone-sdk-rust and keystone-sdk-base, November
 * 2026. The tests compare with bytes of both.
 */

/** Type of the UR of a request. */
export const SIGN_REQUEST = 'avax-sign-request'
/** Type of the UR of an answer. */
export const SIGNATURE = 'avax-signature'
/** Type of the UR of a UTXO. Requests contain UTXOs; no program is known that shows one alone. */
export const UTXO = 'avax-utxo'

const TAG_UUID = 37
const TAG_KEY_PATH = 304
const TAG_UTXO = 8303

/** The content of an `avax-utxo`, alone or in a request: where a UTXO was created, and the path of its owner. */
export type KeystoneUTXO = {
  readonly txID: Uint8Array
  readonly outputIndex: number
  readonly path: string
}

/** The content of an `avax-sign-request`. */
export type KeystoneSignRequest = {
  /** 16 bytes that the answer repeats; empty for none. */
  readonly id: Uint8Array
  readonly unsignedBytes: Uint8Array
  /** Fingerprint of the master key, a u32. */
  readonly fingerprint: number
  /** Paths of the keys that sign; none in the oldest layout. */
  readonly paths: readonly string[]
  readonly utxos: readonly KeystoneUTXO[]
  /** The oldest layout has the public account and the index of the address instead of paths. */
  readonly account?: { readonly xpub: string; readonly index: number } | undefined
}

/**
 * Encodes a request in the current layout, or in the oldest one if it has an `account`. Without UTXOs key 4 is left
 * out, as the Rust encoder does.
 */
export function encodeSignRequest(request: KeystoneSignRequest): UR {
  const { id, unsignedBytes, fingerprint, paths, utxos, account } = request
  const map = new Map<number, CBOR>([
    [1, { tag: TAG_UUID, value: id }],
    [2, unsignedBytes],
  ])
  if (account !== undefined) {
    map.set(3, fingerprint)
    map.set(6, account.xpub)
    map.set(7, account.index)
    return { type: SIGN_REQUEST, bytes: encodeCBOR(map) }
  }
  map.set(
    3,
    paths.map((path) => keyPath(path, fingerprint)),
  )
  if (utxos.length > 0)
    map.set(
      4,
      utxos.map(({ txID, outputIndex, path }) => ({
        tag: TAG_UTXO,
        value: new Map<number, CBOR>([
          [1, txID],
          [2, outputIndex],
          [3, keyPath(path, undefined)],
        ]),
      })),
    )
  return { type: SIGN_REQUEST, bytes: encodeCBOR(map) }
}

/**
 * Decodes a request in any layout: a list of paths (npm 0.1.4, Rust), one path (npm 0.1.3), or a public account (npm
 * 0.0.5); with or without key 4; transaction IDs with the tag of UUIDs (Rust) or without (npm).
 *
 * @throws KeystoneError `KEYSTONE_TYPE`, `KEYSTONE_CBOR`
 */
export function decodeSignRequest(ur: UR): KeystoneSignRequest {
  const map = contentOf(ur, SIGN_REQUEST)
  const common = {
    id: map.has(1) ? bytesIn(untagged(map.get(1), TAG_UUID), 'the request ID') : new Uint8Array(),
    unsignedBytes: bytesIn(map.get(2), 'the transaction'),
  }
  const signers = map.get(3)
  if (typeof signers === 'number') {
    const [xpub, index] = [map.get(6), map.get(7)]
    if (typeof xpub !== 'string' || typeof index !== 'number')
      throw badCBOR('has neither paths nor a public account')
    return { ...common, fingerprint: signers, paths: [], utxos: [], account: { xpub, index } }
  }
  const keys = (Array.isArray(signers) ? signers : [signers]).map(readKeyPath)
  const fingerprints = new Set(keys.map(({ fingerprint }) => fingerprint))
  const [fingerprint] = fingerprints
  if (fingerprint === undefined || fingerprints.size > 1)
    throw badCBOR('must have paths of one master key')
  return {
    ...common,
    fingerprint,
    paths: keys.map(({ path }) => path),
    utxos: listIn(map.get(4) ?? []).map((utxo) => readUTXO(mapIn(untagged(utxo, TAG_UTXO)))),
  }
}

/** The content of an `avax-signature`. */
export type KeystoneSignature = {
  /** The ID of the request; absent if the encoder left it out. */
  readonly id?: Uint8Array | undefined
  /** 65 bytes each. */
  readonly signatures: readonly Uint8Array[]
}

/** Encodes an answer as the device does. */
export function encodeSignature({ id, signatures }: KeystoneSignature): UR {
  const map = new Map<number, CBOR>()
  if (id !== undefined) map.set(1, id)
  map.set(2, signatures)
  return { type: SIGNATURE, bytes: encodeCBOR(map) }
}

/**
 * Decodes an answer: the ID with the tag of UUIDs (npm), without (Rust) or absent; a list of signatures or a single one.
 *
 * @throws KeystoneError `KEYSTONE_TYPE`, `KEYSTONE_CBOR`
 */
export function decodeSignature(ur: UR): KeystoneSignature {
  const map = contentOf(ur, SIGNATURE)
  const [id, given] = [map.get(1), map.get(2)]
  const list = given instanceof Uint8Array ? [given] : listIn(given)
  return {
    ...(id !== undefined && { id: bytesIn(untagged(id, TAG_UUID), 'the request ID') }),
    signatures: list.map((signature) => bytesIn(signature, 'a signature')),
  }
}

/**
 * Decodes a UTXO: transaction IDs with the tag of UUIDs (Rust) or without (npm).
 *
 * @throws KeystoneError `KEYSTONE_TYPE`, `KEYSTONE_CBOR`
 */
export function decodeUTXO(ur: UR): KeystoneUTXO {
  return readUTXO(contentOf(ur, UTXO))
}

/** What a UR of these types contains. */
export type KeystoneContent =
  | ({ readonly type: 'avax-sign-request' } & KeystoneSignRequest)
  | ({ readonly type: 'avax-signature' } & KeystoneSignature)
  | ({ readonly type: 'avax-utxo' } & KeystoneUTXO)

/**
 * Decodes the texts of QR codes of any of these types. Nothing in it is proven: the signatures of an answer are checked by
 * `addKeystoneSignatures`.
 *
 * @param texts - the text of a QR code, those of a series separated by spaces or lines, or a list of them
 * @throws KeystoneError `KEYSTONE_UR`, `KEYSTONE_TYPE`, `KEYSTONE_CBOR`
 *
 * @example
 * const content = decodeUR(texts)
 * if (content.type === 'avax-utxo') console.log(formatUTXOID(content), content.path)
 */
export function decodeUR(texts: string | readonly string[]): KeystoneContent {
  const ur = joinUR(argument('decodeUR', texts, urTexts, 'texts'))
  switch (ur.type) {
    case SIGN_REQUEST:
      return { type: ur.type, ...decodeSignRequest(ur) }
    case SIGNATURE:
      return { type: ur.type, ...decodeSignature(ur) }
    case UTXO:
      return { type: ur.type, ...decodeUTXO(ur) }
  }
  throw new KeystoneError('KEYSTONE_TYPE', `cannot read a UR of type ${ur.type}`)
}

function contentOf({ type, bytes }: UR, expected: string): ReadonlyMap<number, CBOR> {
  if (type !== expected)
    throw new KeystoneError('KEYSTONE_TYPE', `expected a UR of type ${expected}, found ${type}`)
  return mapIn(decodeCBOR(bytes))
}

function mapIn(value: CBOR | undefined): ReadonlyMap<number, CBOR> {
  if (value instanceof Map) return value
  throw badCBOR('is not a map where one is expected')
}

function listIn(value: CBOR | undefined): readonly CBOR[] {
  if (Array.isArray(value)) return value
  throw badCBOR('is not a list where one is expected')
}

function bytesIn(value: CBOR | undefined, what: string): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw badCBOR(`does not have ${what} as bytes`)
}

/** The value in a tag, or the value itself if it has none. */
function untagged(value: CBOR | undefined, tag: number): CBOR | undefined {
  if (!isTagged(value)) return value
  if (value.tag === tag) return value.value
  throw badCBOR(`has the tag ${value.tag}, not ${tag}`)
}

/** A path such as `m/44'/9000'/0'/0/1` as pairs of number and whether it is hardened. */
function keyPath(path: string, fingerprint: number | undefined): CBOR {
  const parts = path
    .split('/')
    .slice(1)
    .flatMap((part) => [Number.parseInt(part, 10), part.endsWith("'")])
  const map = new Map<number, CBOR>([[1, parts]])
  if (fingerprint !== undefined) map.set(2, fingerprint)
  return { tag: TAG_KEY_PATH, value: map }
}

function readKeyPath(value: CBOR | undefined): { path: string; fingerprint: number | undefined } {
  const map = mapIn(untagged(value, TAG_KEY_PATH))
  const parts = listIn(map.get(1))
  const names = Array.from({ length: Math.ceil(parts.length / 2) }, (_, i) => {
    const [index, isHardened] = [parts[2 * i], parts[2 * i + 1]]
    if (typeof index !== 'number' || typeof isHardened !== 'boolean' || index >= 2 ** 31)
      throw badCBOR('has a path that cannot be read')
    return `/${index}${isHardened ? "'" : ''}`
  })
  const fingerprint = map.get(2)
  if (fingerprint !== undefined && typeof fingerprint !== 'number')
    throw badCBOR('has a fingerprint that is not a number')
  return { path: `m${names.join('')}`, fingerprint }
}

function readUTXO(map: ReadonlyMap<number, CBOR>): KeystoneUTXO {
  const txID = bytesIn(untagged(map.get(1), TAG_UUID), 'a transaction ID')
  const outputIndex = map.get(2)
  if (txID.length !== ID_SIZE || typeof outputIndex !== 'number')
    throw badCBOR('has a UTXO that cannot be read')
  return { txID, outputIndex, path: readKeyPath(map.get(3)).path }
}
