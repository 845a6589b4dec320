import { cb58 } from '../core/base/encoding/cb58.ts'
import { checkedHex } from '../core/base/encoding/checked-hex.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { AvmError, CodecError } from '../core/base/errors.ts'
import * as cChain from '../core/chain/c/tx.ts'
import type { NetworkProfile } from '../core/chain/network-profile.ts'
import * as pChain from '../core/chain/p/tx.ts'
import * as pUTXO from '../core/chain/p/utxo.ts'
import { block, encodeBlock } from '../core/chain/x/block.ts'
import { encodeGenesis, genesis } from '../core/chain/x/genesis.ts'
import { encodeTx, encodeUnsignedTx, signedTx, unsignedTx } from '../core/chain/x/tx.ts'
import { encodeUTXO, utxo } from '../core/chain/x/utxo.ts'
import { MAX_SIZE } from '../core/codec/codec.ts'
import type { Codec } from '../core/codec/io.ts'
import { WatchAccount } from '../core/crypto/hd/index.ts'
import { type Detected, detect } from '../inspect/detect.ts'
import { networkOfAsset } from '../inspect/networks.ts'
import type { ParsedPolicy } from '../signers/policy/policy.ts'
import { PageError } from './errors.ts'
import { isPolicyFile, loadPolicyFile } from './loaded/policies.ts'
import { isProfile, loadProfile } from './loaded/profiles.ts'
import { type PageRequest, parsePageRequest } from './requests.ts'
import { type Decoded, decodeSpans } from './spans.ts'

/** Limit of a text, in characters; far above the largest signing request. */
export const MAX_TEXT: number = 16 * 1024 * 1024

/** Genesis data can be larger than all other structures; more than this would take seconds to show. */
const MAX_STRUCTURE = 4 * MAX_SIZE

/** The kind of a text, and its content. */
export type Found =
  | Exclude<Detected, { kind: 'extendedPublicKey' | 'request' }>
  | { readonly kind: 'extendedPublicKey'; readonly account: WatchAccount }
  | { readonly kind: 'request'; readonly request: PageRequest }
  | { readonly kind: 'networkProfile'; readonly profile: NetworkProfile }
  | { readonly kind: 'policy'; readonly policy: ParsedPolicy }

/** A text and what was recognized in it. */
export type Loaded = {
  readonly text: string
  /** Absent if nothing was recognized. */
  readonly found?: Found
  readonly error?: AvmError
  /** The encoded structure, or the bytes that could be decoded in part only. */
  readonly bytes?: Uint8Array
  /** Absent for structures that are too large to show. */
  readonly decoded?: Decoded
}

/** Reads a text as `avmkit decode` does, and adds the position of each field in its bytes. */
export function loadText(text: string): Loaded {
  if (text.length > MAX_TEXT)
    return {
      text: '',
      error: tooLarge(),
    }
  try {
    if (isProfile(text))
      return { text, found: { kind: 'networkProfile', profile: loadProfile(text) } }
    if (isPolicyFile(text)) return { text, found: { kind: 'policy', policy: loadPolicyFile(text) } }
    const found = parseDetected(detect(text))
    return { text, found, ...structureOf(found) }
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    return { text, error, ...(error instanceof CodecError ? brokenStructure(text) : {}) }
  }
}

function parseDetected(found: Detected): Found {
  if (found.kind === 'request') return { kind: 'request', request: parsePageRequest(found.text) }
  if (found.kind === 'extendedPublicKey')
    return { kind: 'extendedPublicKey', account: new WatchAccount(found.text) }
  return found
}

type Structure = Pick<Loaded, 'bytes' | 'decoded'>

function structureOf(found: Found): Structure {
  switch (found.kind) {
    case 'tx':
      return spansOf('X', signedTx, encodeTx(found.tx))
    case 'unsignedTx':
      return spansOf('X', unsignedTx, encodeUnsignedTx(found.tx))
    case 'utxo':
      return spansOf('X', utxo, encodeUTXO(found.utxo), found.utxo.assetID)
    case 'block':
      return spansOf('X', block, encodeBlock(found.block))
    case 'genesis':
      return spansOf('X', genesis, encodeGenesis(found.genesis))
    case 'request':
      return requestStructure(found.request)
    case 'pTx':
      return spansOf('P', pChain.signedTx, pChain.encodeTx(found.tx))
    case 'pUnsignedTx':
      return spansOf('P', pChain.unsignedTx, pChain.encodeUnsignedTx(found.tx))
    case 'pUTXO':
      return spansOf('P', pUTXO.utxo, pUTXO.encodeUTXO(found.utxo), found.utxo.assetID)
    case 'cTx':
      return spansOf('C', cChain.signedTx, cChain.encodeTx(found.tx))
    case 'cUnsignedTx':
      return spansOf('C', cChain.unsignedTx, cChain.encodeUnsignedTx(found.tx))
    default:
      return {}
  }
}

function requestStructure({ chain, unsignedTx: bytes }: PageRequest): Structure {
  switch (chain) {
    case 'X':
      return spansOf('X', unsignedTx, bytes)
    case 'P':
      return spansOf('P', pChain.unsignedTx, bytes)
    case 'C':
      return spansOf('C', cChain.unsignedTx, bytes)
  }
}

/** A UTXO does not name its network; the native asset does. */
function spansOf<T>(
  chain: 'X' | 'P' | 'C',
  codec: Codec<T>,
  bytes: Uint8Array,
  assetID?: Uint8Array,
): Structure {
  if (bytes.length > MAX_STRUCTURE) return { bytes }
  const network = assetID === undefined ? undefined : networkOfAsset(assetID)
  return { bytes, decoded: decodeSpans(codec, bytes, { chain, hrp: network?.hrp ?? 'avax' }) }
}

/** Decodes bytes that fit no structure as the one of which the most bytes can be decoded. */
function brokenStructure(text: string): Structure {
  const bytes = bytesIn(text.trim())
  if (bytes === undefined || bytes.length > MAX_SIZE) return {}
  const attempts = [
    () => spansOf('X', signedTx, bytes),
    () => spansOf('X', unsignedTx, bytes),
    () => spansOf('X', utxo, bytes),
    () => spansOf('X', block, bytes),
    () => spansOf('X', genesis, bytes),
    () => spansOf('P', pChain.signedTx, bytes),
    () => spansOf('P', pUTXO.utxo, bytes),
    () => spansOf('C', cChain.signedTx, bytes),
  ]
  let best: Structure = {}
  for (const attempt of attempts) {
    const next = attempt()
    if (errorOffset(next) > errorOffset(best)) best = next
  }
  return best
}

function errorOffset({ decoded }: Structure): number {
  return decoded?.error?.offset ?? -1
}

function bytesIn(text: string): Uint8Array | undefined {
  for (const coder of [checkedHex, hex, cb58])
    try {
      return coder.decode(text)
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
    }
  return undefined
}

/** The error for a text or file above the limit. */
export function tooLarge(): PageError {
  return new PageError('INPUT_TOO_LARGE', `expected at most ${MAX_TEXT} characters`)
}
