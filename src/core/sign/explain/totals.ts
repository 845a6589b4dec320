import { equalBytes } from '../../base/bytes/compare.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatID } from '../../base/encoding/ids.ts'
import { NEW_ASSET, type Spend } from '../chain.ts'
import type { AttributedOutput } from '../ownership.ts'
import type { AssetTotal } from './explanation.ts'

type RunningTotal = {
  assetID: Uint8Array
  spent: bigint
  minted: bigint
  paid: bigint
  returned: bigint
  fee: bigint
  burned: bigint
  payments: number
  readonly recipients: Set<string>
}

/** Computes the totals of each asset, the native asset first. */
export function totalsOf(
  spends: readonly Pick<Spend, 'assetID' | 'amount'>[],
  outputs: readonly AttributedOutput[],
  native: { readonly assetID: Uint8Array; readonly fee: bigint },
  burned: readonly { readonly assetID: Uint8Array; readonly amount: bigint }[],
): AssetTotal[] {
  const sums = new Map<string, RunningTotal>()
  // Consecutive amounts are usually of the same asset: comparing is faster than encoding hex.
  let last: RunningTotal | undefined
  const of = (assetID: Uint8Array): RunningTotal => {
    if (last !== undefined && equalBytes(last.assetID, assetID)) return last
    const name = hex.encode(assetID)
    last = sums.get(name)
    if (last === undefined) {
      const none = { spent: 0n, minted: 0n, paid: 0n, returned: 0n, fee: 0n, burned: 0n }
      last = { assetID, ...none, payments: 0, recipients: new Set() }
      sums.set(name, last)
    }
    return last
  }
  of(native.assetID).fee = native.fee
  for (const { assetID, amount } of spends) of(assetID).spent += amount ?? 0n
  for (const { assetID, amount } of burned) of(assetID).burned += amount
  for (const { assetID, output, source, ownership } of outputs) {
    if (output.type !== 'secp256k1fx.TransferOutput') continue
    const sum = of(assetID)
    if (source === 'operations' || source === 'initialStates') sum.minted += output.amount
    if (ownership !== 'payment') {
      sum.returned += output.amount
      continue
    }
    sum.paid += output.amount
    sum.payments++
    sum.recipients.add(`${output.threshold}:${output.addresses.map(hex.encode).join()}`)
  }
  return Array.from(sums.values(), ({ assetID, recipients, ...rest }) => ({
    assetID: assetID === NEW_ASSET ? undefined : formatID(assetID),
    ...rest,
    recipients: recipients.size,
  }))
}
