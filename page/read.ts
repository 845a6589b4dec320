import { block } from '../src/chain/block.ts'
import { genesis } from '../src/chain/genesis.ts'
import {
  encodeBlock,
  encodeGenesis,
  encodeTx,
  encodeUnsignedTx,
  encodeUTXO,
} from '../src/chain/index.ts'
import { signedTx, unsignedTx } from '../src/chain/tx.ts'
import { utxo } from '../src/chain/utxo.ts'
import { type Detected, detect } from '../src/cli/detect.ts'
import { networkOfAsset } from '../src/cli/networks.ts'
import type { Codec } from '../src/codec/io.ts'
import { cb58, checkedHex, hex } from '../src/encoding/index.ts'
import { AvmError, CodecError } from '../src/errors.ts'
import { PageError } from './errors.ts'
import { type Decoded, decodeSpans } from './spans.ts'

/** More than the largest request with all its signer sets and proofs that is worth reading in a page. */
export const MAX_TEXT: number = 16 * 1024 * 1024

/** What a text turned out to be. */
export type Loaded = {
  readonly text: string
  /** Left out if it could not be read. */
  readonly found?: Detected
  readonly error?: AvmError
  /** What it encodes, if it is bytes of a known structure, or bytes that broke off. */
  readonly bytes?: Uint8Array
  readonly decoded?: Decoded
}

/** Reads a text as `avmkit decode` does, and adds where each field stands in its bytes. */
export function load(text: string): Loaded {
  if (text.length > MAX_TEXT)
    return {
      text: '',
      error: tooLarge(),
    }
  try {
    const found = detect(text)
    return { text, found, ...structureOf(found) }
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    return { text, error, ...(error instanceof CodecError ? brokenStructure(text) : {}) }
  }
}

function structureOf(found: Detected): Pick<Loaded, 'bytes' | 'decoded'> {
  switch (found.kind) {
    case 'tx':
      return spansOf(signedTx, encodeTx(found.tx))
    case 'unsignedTx':
      return spansOf(unsignedTx, encodeUnsignedTx(found.tx))
    case 'utxo':
      return spansOf(utxo, encodeUTXO(found.utxo), networkOfAsset(found.utxo.assetID)?.hrp)
    case 'block':
      return spansOf(block, encodeBlock(found.block))
    case 'genesis':
      return spansOf(genesis, encodeGenesis(found.genesis))
    case 'request':
      return spansOf(unsignedTx, encodeUnsignedTx(found.request.variants[0]!.unsignedTx))
    default:
      return {}
  }
}

function spansOf<T>(
  codec: Codec<T>,
  bytes: Uint8Array,
  hrp = 'avax',
): Pick<Loaded, 'bytes' | 'decoded'> {
  return { bytes, decoded: decodeSpans(codec, bytes, hrp) }
}

/** Bytes that are none of the structures, as the one that gets furthest. */
function brokenStructure(text: string): Pick<Loaded, 'bytes' | 'decoded'> {
  const bytes = bytesIn(text.trim())
  if (bytes === undefined) return {}
  const attempts = [
    decodeSpans(signedTx, bytes, 'avax'),
    decodeSpans(unsignedTx, bytes, 'avax'),
    decodeSpans(utxo, bytes, 'avax'),
    decodeSpans(block, bytes, 'avax'),
    decodeSpans(genesis, bytes, 'avax'),
  ]
  const decoded = attempts.reduce((best, next) =>
    (next.error?.offset ?? 0) > (best.error?.offset ?? 0) ? next : best,
  )
  return { bytes, decoded }
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
