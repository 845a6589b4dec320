import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError, CodecError } from '../../core/base/errors.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import type { AssetAmount } from '../../core/chain/amounts.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { type TransferableOutput, transferableOutput } from '../../core/chain/x/transferables.ts'
import { decode, encode, encodeBare } from '../../core/codec/codec.ts'
import { type Codec, type Union, union } from '../../core/codec/io.ts'
import { Reader } from '../../core/codec/reader.ts'

/** The call that makes a payment. */
export type PaymentKind =
  | 'transfer'
  | 'sendAll'
  | 'export'
  | 'createAsset'
  | 'operate'
  | 'submit'
  | 'move'
  | 'batch'
  | 'sweep'
  | 'import'

/** Kinds of contents. The position is the number in records, so new ones are added at the end. */
const KINDS: readonly PaymentKind[] = [
  'transfer',
  'sendAll',
  'export',
  'createAsset',
  'operate',
  'submit',
  'move',
  'batch',
  'sweep',
  'import',
]

/** What a payment is about; two payments with the same content have the same digest. */
export type Content = {
  readonly kind: PaymentKind
  /** Recipients, assets and amounts; the order does not matter. */
  readonly parts: readonly string[]
  /**
   * What leaves by the payment, for the sums over time of a policy; absent if it is not recorded. It depends on the
   * transaction, so it is no part of the digest.
   */
  readonly leaves?: readonly AssetAmount[] | undefined
}

/** Separates the parts of a content from those of what leaves, which only the record has. */
const LEAVES = 'leaves'

/** Returns the content digest of a payment, 32 bytes. */
export function contentDigest(
  { kind, parts }: Content,
  { networkID, chainID }: Pick<NetworkContext, 'networkID' | 'chainID'>,
): Uint8Array {
  const lines = ['avmkit payment', networkID, hex.encode(chainID), kind, ...[...parts].sort()]
  return sha256(new TextEncoder().encode(JSON.stringify(lines)))
}

/** The text of an output, as it is part of the content of a payment. */
export function outputText(output: TransferableOutput): string {
  return hex.encode(encodeBare(transferableOutput, output))
}

/** The output that a part of a content is; undefined if it is another part. */
export function outputOf(part: string): TransferableOutput | undefined {
  if (!isHex(part)) return undefined
  const reader = new Reader(hex.decode(part))
  try {
    const output = reader.struct(undefined as unknown as TransferableOutput, transferableOutput)
    reader.finish()
    return output
  } catch (error) {
    if (error instanceof AvmError) return undefined
    throw error
  }
}

function isHex(part: string): boolean {
  return part.length % 2 === 0 && /^[0-9a-f]+$/.test(part)
}

/** A part of a content in a record. */
type Part =
  | { readonly type: 'text'; readonly utf8: Uint8Array }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  /** An output with one owner, threshold 1 and no locktime, as most payments have. */
  | {
      readonly type: 'output'
      readonly assetID: Uint8Array
      readonly amount: bigint
      readonly address: Uint8Array
    }

const parts: Union<Part> = /* @__PURE__ */ union<Part>(3, {
  text: [0, (io, v) => ({ type: 'text', utf8: io.blob(v.utf8) })],
  bytes: [1, (io, v) => ({ type: 'bytes', bytes: io.blob(v.bytes) })],
  output: [
    2,
    (io, v) => ({
      type: 'output',
      assetID: io.id(v.assetID),
      amount: io.u64(v.amount),
      address: io.address(v.address),
    }),
  ],
})

const part: Codec<Part> = (io, v) => io.typed(v, parts)

const recorded: Codec<{ readonly kind: number; readonly parts: readonly Part[] }> = (io, v) => ({
  kind: io.u8(v.kind),
  parts: io.list(v.parts, part),
})

/** Encodes a content for the record of its payment: 71 bytes for a payment of one owner without memo. */
export function encodeContent({ kind, parts, leaves }: Content): Uint8Array {
  const leaf = ({ assetID, amount }: AssetAmount) => `${hex.encode(assetID)} ${amount}`
  const all = leaves ? [...parts, LEAVES, ...leaves.map(leaf)] : parts
  return encode(recorded, { kind: KINDS.indexOf(kind), parts: all.map(toPart) })
}

function toPart(text: string): Part {
  const { assetID, output } = outputOf(text) ?? {}
  const [address, other] = output?.addresses ?? []
  const isPlain = output?.threshold === 1 && output.locktime === 0n && other === undefined
  if (assetID && output && address && isPlain)
    return { type: 'output', assetID, amount: output.amount, address }
  if (isHex(text)) return { type: 'bytes', bytes: hex.decode(text) }
  return { type: 'text', utf8: new TextEncoder().encode(text) }
}

/**
 * Decodes the content of a record.
 *
 * @throws CodecError
 */
export function decodeContent(bytes: Uint8Array): Content {
  const { kind, parts } = decode(recorded, bytes, bytes.length)
  const name = KINDS[kind]
  if (name === undefined) throw new CodecError('CODEC_BAD_VALUE', 'unknown kind of payment', 2)
  const all = parts.map(fromPart)
  const end = all.indexOf(LEAVES)
  const leaves = end < 0 ? undefined : all.splice(end).slice(1).map(leafOf)
  return { kind: name, parts: all, leaves }
}

/** The content of a record; undefined if it is damaged. */
export function readContent(bytes: Uint8Array): Content | undefined {
  try {
    return decodeContent(bytes)
  } catch (error) {
    if (error instanceof AvmError) return undefined
    throw error
  }
}

/** @throws CodecError */
function leafOf(part: string): AssetAmount {
  const [, assetID, amount] = /^([0-9a-f]{64}) (\d+)$/.exec(part) ?? []
  if (assetID === undefined) throw new CodecError('CODEC_BAD_VALUE', 'unknown amount', 0)
  return { assetID: hex.decode(assetID), amount: BigInt(amount!) }
}

function fromPart(part: Part): string {
  switch (part.type) {
    case 'text':
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part.utf8)
    case 'bytes':
      return hex.encode(part.bytes)
    case 'output': {
      const { assetID, amount, address } = part
      return outputText({
        assetID,
        output: {
          type: 'secp256k1fx.TransferOutput',
          amount,
          locktime: 0n,
          threshold: 1,
          addresses: [address],
        },
      })
    }
  }
}
