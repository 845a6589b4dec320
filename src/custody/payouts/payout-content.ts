import { equalBytes } from '../../core/base/bytes/compare.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { MAX_MEMO_SIZE } from '../../core/chain/x/verify/verify.ts'
import type { AddressArgument, IDArgument } from '../../core/draft/arguments.ts'
import { type Content, contentDigest } from '../../wallet/payments/content.ts'
import { transferIntent } from '../../wallet/payments/intents.ts'
import { claimedPayments } from '../../wallet/payments/payment-keys.ts'
import type { ClaimedPayment } from '../../wallet/store/store.ts'
import { type Bytes, bytesOf, type Digits, isKeyColumn } from '../database/values.ts'

/** Longest key, in characters. */
const MAX_KEY_LENGTH = 256

/** The content of a payout. A payment of a wallet with the same content has the same digest. */
export function payoutContents(
  {
    to,
    amount,
    assetID,
    memo,
  }: {
    readonly to: AddressArgument
    readonly amount: bigint
    readonly assetID?: IDArgument | undefined
    readonly memo?: Uint8Array | string | undefined
  },
  context: NetworkContext,
): readonly Content[] {
  return transferIntent({ outputs: [{ to, amount, assetID }], memo }).contents(context)
}

/** The payment of a sweep, by the UTXOs that it spends. No caller knows its key. */
export function sweepPayment(utxos: readonly UTXOID[], context: NetworkContext): ClaimedPayment {
  const content: Content = { kind: 'sweep', parts: utxos.map(utxoKey) }
  return claimedPayments({}, [content], context)[0]!
}

/** Columns of a row of the queue. Database roles may insert rows themselves, so the values are not trusted. */
export type PayoutRow = {
  readonly key: string
  readonly digest: Bytes
  readonly address: Bytes | null
  readonly asset_id: Bytes | null
  readonly amount: Digits | null
  readonly memo: Bytes
}

/**
 * Why a row of the queue must not be paid; undefined if it is a payout as `requestPayouts` writes it. Outcomes are
 * recorded by key and digest, so a row whose key is another spelling of the key of a second row would be recorded under
 * the key of that row.
 */
export function faultOf(
  { key, digest, address, asset_id, amount, memo }: PayoutRow,
  context: NetworkContext,
): string | undefined {
  if (!isKeyColumn(key)) return 'the key is not in its stored form'
  if (key === '' || key.length > 2 * MAX_KEY_LENGTH) return KEY_LENGTH_FAULT
  // Counted in characters, as the database and the claims do.
  if ([...key.replaceAll(/\\./g, '.')].length > MAX_KEY_LENGTH) return KEY_LENGTH_FAULT
  if (address === null || asset_id === null || amount === null)
    return 'address, asset_id or amount is missing'
  if (memo.length > MAX_MEMO_SIZE) return `the memo has more than ${MAX_MEMO_SIZE} bytes`
  try {
    const payout = { to: bytesOf(address), amount: BigInt(amount), assetID: bytesOf(asset_id) }
    const [content] = payoutContents({ ...payout, memo: bytesOf(memo) }, context)
    const isSame = equalBytes(digest, contentDigest(content!, context))
    return isSame ? undefined : 'the digest is not that of the content'
  } catch (error) {
    // A SyntaxError comes from `BigInt('NaN')`: NaN is a value of the type numeric.
    if (error instanceof AvmError || error instanceof SyntaxError) return error.message
    throw error
  }
}

const KEY_LENGTH_FAULT = `the key must have 1 to ${MAX_KEY_LENGTH} characters`
