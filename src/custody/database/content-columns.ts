import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { encodeContent, outputText } from '../../wallet/payments/content.ts'
import { type Bytes, bytesOf, type Digits } from './values.ts'

/** Columns of the content of a payment: one of wallets, four of payouts. */
export type ContentColumns = {
  readonly content: Bytes | null
  readonly address: Bytes | null
  readonly asset_id: Bytes | null
  readonly amount: Digits | null
  readonly memo: Bytes
}

/** The columns in a query of `@.payments p`. */
export const CONTENT_COLUMNS = 'p.content, p.address, p.asset_id, p.amount, p.memo'

/** The content of a payment, encoded; undefined if it is not recorded, or if the row cannot be a payment. */
export function contentFrom({
  content,
  address,
  asset_id,
  amount,
  memo,
}: ContentColumns): Uint8Array | undefined {
  if (content !== null) return bytesOf(content)
  if (address === null || asset_id === null || amount === null) return undefined
  // NaN is a value of the type numeric.
  if (!/^\d+$/.test(amount)) return undefined
  try {
    const output = outputText({
      assetID: bytesOf(asset_id),
      output: {
        type: 'secp256k1fx.TransferOutput',
        amount: BigInt(amount),
        locktime: 0n,
        threshold: 1,
        addresses: [bytesOf(address)],
      },
    })
    const parts = memo.length === 0 ? [output] : [output, `memo ${hex.encode(bytesOf(memo))}`]
    return encodeContent({ kind: 'transfer', parts })
  } catch (error) {
    if (error instanceof AvmError) return undefined
    throw error
  }
}
