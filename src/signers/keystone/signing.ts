import { argument, type Check, fn, list, object, optional, u32 } from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import { addressOf, recoverPublicKey } from '../../core/crypto/secp256k1.ts'
import { address, addressPath } from '../../core/sign/arguments.ts'
import { areSignedByAccounts } from '../../core/sign/chain.ts'
import type { AddressSignature } from '../../core/sign/faults.ts'
import { chainNamed } from '../../core/sign/registry.ts'
import { addSignature, requestStatus } from '../../core/sign/request/request.ts'
import { checkRequest } from '../../core/sign/request/request-check.ts'
import type { SigningRequest } from '../../core/sign/request/signing-request.ts'
import type { AddressPath, SignAllQuery, Signer } from '../../core/sign/signer.ts'
import {
  decodeSignature,
  encodeSignRequest,
  type KeystoneSignature,
  type KeystoneUTXO,
} from './avax.ts'
import { KeystoneError } from './errors.ts'
import { encodeUR, joinUR, urTexts } from './ur.ts'

/** What a request for a device is made of. */
type Subject = {
  readonly chain: ChainAlias
  readonly unsignedBytes: Uint8Array
  /** The encoded UTXOs, in the order of the credentials. */
  readonly utxos: readonly Uint8Array[]
  /** The signers, each with its path. */
  readonly signers: readonly AddressPath[]
}

/** The device shows these types of transactions and outputs on all three chains; others it cannot parse. */
const SHOWN = ['BaseTx', 'ImportTx', 'ExportTx']
const SHOWN_OUTPUTS = ['secp256k1fx.TransferOutput', 'EVMOutput']

/** The device derives keys of the first account only, and of the first account of the C-Chain. */
const PATH = /^m\/44'\/(9000'\/0'\/[01]\/\d{1,9}|60'\/0'\/0\/\d{1,9})$/

/** Accounts of the C-Chain are keys of EVM wallets. */
const ACCOUNT_PATH = /^m\/44'\/60'/

/**
 * The ID of a request for a device: a UUID from the hash of what is signed, so that an answer can be assigned to a
 * request without remembering anything.
 */
export function keystoneID(unsignedBytes: Uint8Array): Uint8Array {
  const id = sha256(sha256(unsignedBytes)).slice(0, 16)
  // Version 8 is for UUIDs of an application's own making.
  id[6] = (id[6]! & 0x0f) | 0x80
  id[8] = (id[8]! & 0x3f) | 0x80
  return id
}

/** @throws KeystoneError `KEYSTONE_PATH`, `KEYSTONE_UNSUPPORTED` */
function framesOf(
  { chain, unsignedBytes, utxos, signers }: Subject,
  fingerprint: number,
): string[] {
  const codec = chainNamed(chain)
  const tx = codec.decodeUnsignedTx(unsignedBytes)
  const outputs = codec.outputs(tx).map(({ type }) => type)
  const locks = codec.spends(tx).flatMap(({ stakeableLocktime }) => stakeableLocktime ?? [])
  const unknown = SHOWN.includes(tx.type)
    ? (outputs.find((type) => !SHOWN_OUTPUTS.includes(type)) ??
      (locks.length > 0 ? 'stakeable.LockIn' : undefined))
    : tx.type
  if (unknown !== undefined)
    throw new KeystoneError('KEYSTONE_UNSUPPORTED', `a Keystone device cannot show a ${unknown}`)
  for (const { path } of signers)
    if (!PATH.test(path))
      throw new KeystoneError('KEYSTONE_PATH', `a Keystone device does not use the path ${path}`, {
        hint: "its keys are at m/44'/9000'/0'/0/i, m/44'/9000'/0'/1/i and m/44'/60'/0'/0/i",
      })
  const byAddress = new Map(signers.map((signer) => [hex.encode(signer.address), signer.path]))
  const listed = utxos.flatMap((bytes): KeystoneUTXO[] => {
    const utxo = codec.decodeUTXO(bytes)
    const owner = codec
      .outputOf(utxo)
      .output.addresses.find((each) => byAddress.has(hex.encode(each)))
    const { txID, outputIndex } = utxo
    return owner ? [{ txID, outputIndex, path: byAddress.get(hex.encode(owner))! }] : []
  })
  const id = keystoneID(unsignedBytes)
  const paths = [...new Set(signers.map(({ path }) => path))]
  return encodeUR(encodeSignRequest({ id, unsignedBytes, fingerprint, paths, utxos: listed }))
}

/** Signatures of an answer. Recovering the key of one takes about 4 ms. */
const MAX_SIGNATURES = 256

/**
 * The signatures of an answer with the addresses of their keys, which are recovered: nothing else in it is believed.
 *
 * @param nameOf - how the transaction names a key: by its address or its account
 * @throws KeystoneError `KEYSTONE_SIGNATURE`
 */
function signaturesBy(
  { signatures }: KeystoneSignature,
  unsignedBytes: Uint8Array,
  nameOf: (publicKey: Uint8Array) => Uint8Array = addressOf,
): readonly AddressSignature[] {
  if (signatures.length > MAX_SIGNATURES)
    throw new KeystoneError('KEYSTONE_SIGNATURE', `more than ${MAX_SIGNATURES} signatures`)
  const hash = sha256(unsignedBytes)
  return signatures.map((signature) => {
    try {
      return { address: nameOf(recoverPublicKey(hash, signature)), signature }
    } catch (cause) {
      if (!(cause instanceof AvmError)) throw cause
      throw new KeystoneError('KEYSTONE_SIGNATURE', `invalid signature: ${cause.message}`, {
        cause,
      })
    }
  })
}

/** @throws KeystoneError `KEYSTONE_REQUEST_ID` */
function requireID({ id }: KeystoneSignature, signed: readonly Uint8Array[]): void {
  if (id !== undefined && !signed.some((bytes) => equalBytes(keystoneID(bytes), id)))
    throw new KeystoneError('KEYSTONE_REQUEST_ID', 'the answer belongs to another request')
}

/** Options of {@link keystoneFrames}. */
export type KeystoneFramesOptions = {
  /** Fingerprint of the device's master key, a u32. The device refuses requests for another one. */
  readonly fingerprint: number
  /**
   * The addresses of the device.
   *
   * @defaultValue all signers with a path in the request
   */
  readonly addresses?: readonly Uint8Array[] | undefined
}

const framesOptions: Check<KeystoneFramesOptions> = /* @__PURE__ */ object<KeystoneFramesOptions>({
  fingerprint: u32,
  addresses: optional(list(address)),
})

/**
 * The texts of the QR codes that show a signing request to a Keystone device: for the first signer set that lacks
 * signatures of the device. Several are shown in turn, and half of them suffice.
 *
 * @throws KeystoneError `KEYSTONE_PATH` if no signature is missing from a key with a path; `KEYSTONE_UNSUPPORTED`
 */
export function keystoneFrames(
  given: SigningRequest<ChainAlias>,
  givenOptions: KeystoneFramesOptions,
): string[] {
  const request = checkRequest('keystoneFrames', given)
  const { fingerprint, addresses } = argument('keystoneFrames', givenOptions, framesOptions)
  const own = addresses && new Set(addresses.map(hex.encode))
  const chain = chainNamed(request.chain)
  for (const [i, { missing }] of requestStatus(request).entries()) {
    const names = new Set(missing.map((slot) => hex.encode(slot.address)))
    // The address of an account does not tell its key: the answer shows whether a path leads to it.
    const isDebit = areSignedByAccounts(chain.spends(request.signerSets[i]!.unsignedTx))
    const signers = request.paths.filter(({ address: owner, path }) => {
      const name = hex.encode(owner)
      if (own !== undefined && !own.has(name)) return false
      return isDebit ? names.size > 0 && ACCOUNT_PATH.test(path) : names.has(name)
    })
    if (signers.length === 0) continue
    const unsignedBytes = chain.encodeUnsignedTx(request.signerSets[i]!.unsignedTx)
    const utxos = request.utxos.map((utxo) => chain.encodeUTXO(utxo))
    return framesOf({ chain: request.chain, unsignedBytes, utxos, signers }, fingerprint)
  }
  throw new KeystoneError('KEYSTONE_PATH', 'no key with a path in the request lacks a signature', {
    hint: 'create the request from an xpub, so that it has the paths of its owners',
  })
}

/**
 * Adds the signatures of a Keystone device to a request. `answer` is the text of its QR code, or of all of them.
 *
 * Signatures of keys that have signed already, or that are no signers, are left out.
 *
 * @throws KeystoneError
 */
export function addKeystoneSignatures<A extends ChainAlias>(
  given: SigningRequest<A>,
  givenAnswer: string | readonly string[],
): SigningRequest<A> {
  const request = checkRequest('addKeystoneSignatures', given)
  const texts = argument('addKeystoneSignatures', givenAnswer, urTexts, 'answer')
  const answer = decodeSignature(joinUR(texts))
  const chain = chainNamed(request.chain)
  const sets = request.signerSets.map(({ unsignedTx }) => chain.encodeUnsignedTx(unsignedTx))
  requireID(answer, sets)
  const status = requestStatus(request)
  for (const [i, bytes] of sets.entries()) {
    const isDebit = areSignedByAccounts(chain.spends(request.signerSets[i]!.unsignedTx))
    const made = signaturesBy(answer, bytes, isDebit ? chain.accounts!.of : addressOf)
    const signers = new Set(status[i]!.signers.map(hex.encode))
    const own = made.filter((each) => signers.has(hex.encode(each.address)))
    if (own.length === 0) continue
    // A device may sign again with another nonce; the first signature is as good.
    const missing = new Set(status[i]!.missing.map((slot) => hex.encode(slot.address)))
    return own
      .filter((each) => missing.delete(hex.encode(each.address)))
      .reduce<SigningRequest<A>>(
        (result, signature) => addSignature(result, signature),
        request as SigningRequest<A>,
      )
  }
  throw new KeystoneError('KEYSTONE_SIGNATURE', 'no signer of the request has made the signatures')
}

/** Options of {@link keystoneSigner}. */
export type KeystoneSignerOptions = {
  /** Fingerprint of the device's master key, a u32. */
  readonly fingerprint: number
  /** The addresses of the device and their paths. */
  readonly paths: readonly AddressPath[]
  /** Shows the QR codes in turn, and returns the text of the answer, or the texts of all its QR codes. */
  readonly exchange: (
    frames: readonly string[],
  ) => Promise<string | readonly string[]> | string | readonly string[]
}

const signerOptions: Check<KeystoneSignerOptions> = /* @__PURE__ */ object<KeystoneSignerOptions>({
  fingerprint: u32,
  paths: list(addressPath),
  exchange: fn<KeystoneSignerOptions['exchange']>(),
})

/**
 * A signer whose keys are on a Keystone device, which is asked through QR codes.
 *
 * @example
 * const signer = keystoneSigner({ fingerprint: 0x2d0bdabc, paths, exchange: async (frames) => scan(show(frames)) })
 * const wallet = createWallet({ client, signers: [signer] })
 */
export function keystoneSigner(given: KeystoneSignerOptions): Signer {
  const { fingerprint, paths, exchange } = argument('keystoneSigner', given, signerOptions)
  const byAddress = new Map(paths.map((item) => [hex.encode(item.address), item]))
  const signAll = async (query: SignAllQuery) => {
    const signers = query.signers.flatMap((each) => byAddress.get(hex.encode(each.address)) ?? [])
    if (signers.length === 0) return query.signers.map(() => undefined)
    const given = await exchange(framesOf({ ...query, signers }, fingerprint))
    const answer = decodeSignature(joinUR(argument('keystoneSigner', given, urTexts, 'answer')))
    requireID(answer, [query.unsignedBytes])
    const made = new Map(
      signaturesBy(answer, query.unsignedBytes).map((item) => [
        hex.encode(item.address),
        item.signature,
      ]),
    )
    return query.signers.map((each) => made.get(hex.encode(each.address)))
  }
  return {
    addresses: paths.map((item) => item.address),
    paths,
    signAll,
    sign: () => {
      throw new KeystoneError(
        'KEYSTONE_UNSUPPORTED',
        'a device signs whole transactions: use signAll',
      )
    },
  }
}
