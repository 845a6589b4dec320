import {
  argument,
  bigintFrom,
  bytesOf,
  type Check,
  capability,
  integerFrom,
  invalid,
  isPlain,
  kinds,
  list,
  memberOf,
  object,
  oneOf,
  optional,
  text,
  u64,
} from '../base/argument.ts'
import { ADDRESS_SIZE } from '../base/encoding/address.ts'
import { ID_SIZE } from '../base/encoding/ids.ts'
import type { AssetAmount } from '../chain/amounts.ts'
import type { ChainAlias } from '../chain/chain-types.ts'
import { type NetworkContext, networkContext } from '../chain/networks.ts'
import type { BackendOption } from '../crypto/backend.ts'
import { backendOption } from '../crypto/secp256k1.ts'
import type { Draft } from '../draft/draft.ts'
import type { AnyTx, AnyUTXO, Chain } from './chain.ts'
import type { AddressSignature } from './faults.ts'
import { chainNamed } from './registry.ts'
import type { AddressPath, Keys, Signer } from './signer.ts'
import { requireUTXOCount } from './spends.ts'

// Descriptions of the arguments of signing, explanations and requests.

/** A struct of the protocol, which its codec checks later. */
export const present: Check<unknown> = (value, at) => {
  if (value === undefined) throw invalid(value, at, 'a struct')
  return value
}

/** An address of 20 bytes. */
export const address: Check<Uint8Array> = bytesOf(ADDRESS_SIZE)

/** Public keys. */
export const publicKeysArgument: Check<readonly Uint8Array[] | undefined> = optional(
  list(bytesOf(33)),
)

/** Options with a backend only. */
export const backendOptions: Check<BackendOption> = object<BackendOption>({
  backend: backendOption,
})

/** Keys in memory. */
export const keysArgument: Check<Keys> = (value, at) => {
  const keys = capability<Keys>('keys with addresses, has and sign', 'has', 'sign')(value, at)
  if (!Array.isArray(keys.addresses)) throw invalid(value, at, 'keys with addresses')
  if (!Array.isArray(keys.publicKeys ?? [])) throw invalid(value, at, 'keys with public keys')
  return keys
}

const signer: Check<Signer> = (value, at) => {
  const given = capability<Signer>('a signer', 'sign')(value, at)
  // Read once: the addresses decide what counts as ours.
  const { addresses, paths } = given
  return {
    addresses: optional(list(address))(addresses, memberOf(at, 'addresses')),
    paths: optional(list(addressPath))(paths, memberOf(at, 'paths')),
    sign: (query) => given.sign(query),
    ...(given.signAll !== undefined && { signAll: (query) => given.signAll!(query) }),
  }
}

/** External signers. */
export const signersArgument: Check<readonly Signer[]> = list(signer)

/** An address and its derivation path. */
export const addressPath: Check<AddressPath> = object<AddressPath>({
  address,
  path: text,
})

/** A signature, which is checked later, and its signer. */
export const addressSignature: Check<AddressSignature> = object<AddressSignature>({
  address,
  signature: bytesOf(),
})

const assetAmount: Check<AssetAmount> = object<AssetAmount>({
  assetID: bytesOf(ID_SIZE),
  amount: u64,
})

/** Stated change. */
export const changeArgument: Check<readonly AssetAmount[]> = list(assetAmount)

/** A chain that documents name. */
export const chainArgument: Check<ChainAlias> = oneOf<ChainAlias>('X', 'P', 'C')

/** The members that drafts may have. Structs of the protocol are checked by their codecs. */
type GivenDraft = {
  readonly chain?: ChainAlias | undefined
  readonly unsignedTx: unknown
  readonly utxos: readonly unknown[]
  readonly context: NetworkContext
  readonly fee?: bigint | undefined
  readonly change?: readonly AssetAmount[] | undefined
  readonly burned?: readonly AssetAmount[] | undefined
  readonly signedSize?: number | undefined
}

const draftArgument: Check<GivenDraft> = object<GivenDraft>({
  chain: optional(chainArgument),
  unsignedTx: present,
  utxos: (value, at) => {
    if (Array.isArray(value)) return value
    throw invalid(value, at, 'an array')
  },
  context: networkContext,
  fee: optional(bigintFrom(0n)),
  change: optional(changeArgument),
  burned: optional(changeArgument),
  signedSize: optional(integerFrom(0)),
})

/** A draft whose fields are checked and copied. */
export type CheckedDraft = {
  readonly chain: Chain
  readonly unsignedTx: AnyTx
  readonly unsignedBytes: Uint8Array
  /** In the order of the credentials; undefined for missing ones, which the function that needs them reports. */
  readonly utxos: readonly (AnyUTXO | undefined)[]
  readonly context: NetworkContext
  readonly change: readonly AssetAmount[]
  readonly fee: bigint
  readonly burned: readonly AssetAmount[]
  readonly signedSize: number
}

/**
 * Checks a draft and copies it, so that what is signed is what was checked. Drafts without a chain are of the X-Chain.
 *
 * @throws ArgumentError, CodecError, SignError `CHAIN_NOT_IMPORTED`
 */
export function checkDraft(call: string, value: unknown): CheckedDraft {
  // Structs are read here, too, so that failing getters of the caller give a typed error.
  return argument(call, value, readDraft)
}

const readDraft: Check<CheckedDraft> = (value, at) => {
  const given = draftArgument(value, at)
  const { context, change = [], fee = 0n, burned = [], signedSize = 0 } = given
  const chain = chainNamed(given.chain ?? 'X')
  const unsignedBytes = chain.encodeUnsignedTx(given.unsignedTx as AnyTx)
  const unsignedTx = chain.decodeUnsignedTx(unsignedBytes)
  const { length } = given.utxos
  requireUTXOCount(chain.spends(unsignedTx), length)
  // Not `map`, which keeps holes.
  const listed = Array.from({ length }, (_, i) => given.utxos[i])
  const known = chain.copyUTXOs(listed.filter((utxo) => utxo !== undefined) as AnyUTXO[])
  let next = 0
  const utxos = listed.map((utxo) => (utxo === undefined ? undefined : known[next++]))
  const stated = { change, fee, burned, signedSize }
  return { chain, unsignedTx, unsignedBytes, utxos, context, ...stated }
}

/** A checked copy of a draft of the X-Chain, for calls that await before they sign it. */
export const copyDraft: Check<Draft> = (value, at) => {
  const { chain, unsignedBytes: _, ...contents } = readDraft(value, at)
  if (chain.alias !== 'X') throw invalid(chain.alias, memberOf(at, 'chain'), '"X"')
  return { chain: chain.alias, ...contents } as Draft
}

/** Our addresses, or keys with addresses and public keys. */
export type OurKeys = {
  readonly addresses: readonly Uint8Array[]
  readonly publicKeys?: readonly Uint8Array[] | undefined
}

const ourKeys: Check<OurKeys> = object<OurKeys>({
  addresses: list(address),
  publicKeys: publicKeysArgument,
})

/** Addresses, or an object that has them, such as a key chain. */
export const oursArgument: Check<OurKeys> = kinds<OurKeys>({
  list: (value, at) => ({ addresses: list(address)(value, at) }),
  object: (value, at) => {
    if (isPlain(value) && !Object.hasOwn(value, 'sign')) return ourKeys(value, at)
    // Keys, of which nothing else is read.
    const { addresses, publicKeys } = value as OurKeys
    return {
      addresses: list(address)(addresses, memberOf(at, 'addresses')),
      publicKeys: publicKeysArgument(publicKeys, memberOf(at, 'publicKeys')),
    }
  },
})
