import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatAddress } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import type { AssetAmount } from '../../core/chain/amounts.ts'
import { aliasOf, type NetworkContext } from '../../core/chain/networks.ts'
import type { PaymentRecord, Store } from '../store/store.ts'
import { type Content, contentDigest, outputOf, type PaymentKind, readContent } from './content.ts'
import { requireKeyText } from './payment-keys.ts'

/** Who gets what by a payment. */
export type PaymentOutput = {
  /** Addresses of the owners on the chain where they get it, such as `X-avax1…`, or `0x…` on the C-Chain, in lower case. */
  readonly to: readonly string[]
  /** How many of the owners must sign to spend it. */
  readonly threshold: number
  /** Unix seconds until which it is locked; 0n for not locked. */
  readonly locktime: bigint
  readonly assetID: Uint8Array
  /** In the asset's smallest unit; `all` for the whole balance. */
  readonly amount: bigint | 'all'
}

/** What was requested under an idempotency key. */
export type PaymentDetails = {
  /** The call, such as `transfer` or `move`. */
  readonly kind: PaymentKind
  readonly outputs: readonly PaymentOutput[]
  /** The chain that gets the outputs of an export or a move, by its alias or ID; absent for other payments. */
  readonly destinationChain?: string | undefined
  /** Absent if it is empty. */
  readonly memo?: Uint8Array | undefined
  /** Further parts of the content, as they are part of its digest: new assets, operations, burned amounts. */
  readonly other: readonly string[]
  /**
   * What leaves to others or is destroyed, fees excluded. Recorded only if the policy of the wallet has sums over time.
   */
  readonly leaves?: readonly AssetAmount[] | undefined
}

/** A payment as a wallet shows it. */
export type WalletPayment = PaymentRecord & {
  /** What was requested; absent if it is not recorded, as by earlier versions. */
  readonly details?: PaymentDetails | undefined
}

/** The context that addresses of contents are written with, and their digests computed. */
export type ContentContext = Pick<
  NetworkContext,
  'networkID' | 'chainID' | 'hrp' | 'chainAlias' | 'chains'
>

/** The record of a payment with what was requested. A content that does not have the recorded digest is not shown. */
export function withDetails(record: PaymentRecord, context: ContentContext): WalletPayment {
  const { content, digest } = record
  const decoded = content && readContent(content)
  if (decoded === undefined || !equalBytes(contentDigest(decoded, context), digest!)) return record
  return { ...record, details: detailsOf(decoded, context) }
}

/** What the store knows of the payments with some keys, or of all, and what was requested. */
export async function listPayments(
  store: Store,
  keys: readonly string[] | undefined,
  context: ContentContext,
): Promise<WalletPayment[]> {
  if (keys !== undefined) {
    for (const key of keys) requireKeyText(key)
    const records = await store.payments(keys)
    return records.map((record) => withDetails(record, context))
  }
  const payments: WalletPayment[] = []
  for await (const record of store.list()) payments.push(withDetails(record, context))
  return payments
}

/** The details of a recorded content; undefined if it is not recorded, or a later version has written it. */
export function contentDetails(
  bytes: Uint8Array | undefined,
  context: ContentContext,
): PaymentDetails | undefined {
  const content = bytes && readContent(bytes)
  return content && detailsOf(content, context)
}

function detailsOf(content: Content, context: ContentContext): PaymentDetails {
  const read = content.kind === 'move' ? moveDetails : outputDetails
  return { ...read(content, context), leaves: content.leaves }
}

function outputDetails({ kind, parts }: Content, context: ContentContext): PaymentDetails {
  const chainID = kind === 'export' ? parts.find((part) => /^[0-9a-f]{64}$/.test(part)) : undefined
  const alias = chainID && aliasOf(hex.decode(chainID), context)
  const destinationChain = chainID && (alias ?? formatID(hex.decode(chainID)))
  const chain = alias ?? context.chainAlias
  const memo = parts.find((part) => part.startsWith('memo '))
  const outputs: PaymentOutput[] = []
  const other: string[] = []
  for (const part of parts) {
    if (part === chainID || part === memo) continue
    const output = wholeOutput(part) ?? outputOfPart(part)
    if (output === undefined) other.push(part)
    else
      outputs.push({
        ...output,
        to: output.to.map((address) => addressText(chain, address, context)),
      })
  }
  return {
    kind,
    outputs,
    other,
    ...(destinationChain && { destinationChain }),
    ...(memo && { memo: hex.decode(memo.slice(5)) }),
  }
}

type RawOutput = Omit<PaymentOutput, 'to'> & { readonly to: readonly Uint8Array[] }

function outputOfPart(part: string): RawOutput | undefined {
  const found = outputOf(part)
  if (found === undefined) return undefined
  const { amount, addresses: to, threshold, locktime } = found.output
  return { to, threshold, locktime, assetID: found.assetID, amount }
}

/** Who gets the whole balance of an asset, as `recipientText` writes it. */
function wholeOutput(part: string): RawOutput | undefined {
  const [, assetID, locktime, owners, threshold] =
    /^\{"assetID":"([0-9a-f]{64})","locktime":(\d+)n,"owners":\[([^\]]*)\],"threshold":(\d+)\}$/.exec(
      part,
    ) ?? []
  if (assetID === undefined) return undefined
  return {
    to: (owners!.match(/[0-9a-f]{40}/g) ?? []).map((address) => hex.decode(address)),
    threshold: Number(threshold),
    locktime: BigInt(locktime!),
    assetID: hex.decode(assetID),
    amount: 'all',
  }
}

function moveDetails({ parts }: Content, context: ContentContext): PaymentDetails {
  const partOf = (name: string) =>
    parts.find((part) => part.startsWith(`${name} `))?.slice(name.length + 1) ?? ''
  const amount = partOf('amount')
  const destinationChain = partOf('to')
  const output = {
    to: [addressText(destinationChain, hex.decode(partOf('recipient')), context)],
    threshold: 1,
    locktime: 0n,
    assetID: hex.decode(partOf('asset')),
    amount: amount === 'all' ? ('all' as const) : BigInt(amount),
  }
  return { kind: 'move', destinationChain, outputs: [output], other: [] }
}

function addressText(chain: string, address: Uint8Array, { hrp }: ContentContext): string {
  return chain === 'C' ? `0x${hex.encode(address)}` : formatAddress({ chain, hrp, address })
}
