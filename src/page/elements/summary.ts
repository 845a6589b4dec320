import { THINGS } from '../../core/sign/explain/explain-text.ts'
import type {
  ExplainedOutput,
  ExplainedOwners,
  Explanation,
} from '../../core/sign/explain/explanation.ts'
import { amountParts, amountText, assetName } from './flows.ts'

/** What one recipient gets of one asset. */
export type Payment = {
  /** Absent for an NFT or a right. */
  readonly amount?: bigint | undefined
  /** The amount, or what is given. */
  readonly number: string
  /** Unit of the amount, or the asset that the NFT or right is of. */
  readonly unit: string
  readonly owners: ExplainedOwners
  /** Number of outputs that are summed up. */
  readonly outputs: number
  readonly exported: boolean
}

/** The figures of a transaction that a signer must know. */
export type Summary = {
  /** To others, the largest first. */
  readonly leaves: readonly Payment[]
  /** To the reader, or to the owners of what is spent. */
  readonly returns: readonly Payment[]
  readonly fee: string
  readonly burned: readonly string[]
}

/** Sums up an explanation. */
export function summaryOf(explanation: Explanation): Summary {
  const { pays, returns, fee, burned, network } = explanation
  return {
    leaves: paymentsOf(pays, explanation),
    returns: paymentsOf(returns, explanation),
    fee: amountText(fee, network.assetID, explanation),
    burned: burned.map(({ assetID, amount }) => burnText(amount, assetID, explanation)),
  }
}

/** An amount that is burned, also in the unit of the warnings about it, which trust nobody's number of decimals. */
function burnText(amount: bigint, assetID: string, explanation: Explanation): string {
  const text = amountText(amount, assetID, explanation)
  const isSame = assetID === explanation.network.assetID || text.startsWith(`${amount} `)
  return isSame ? text : `${text}, which are ${amount} units`
}

/** One payment for all amounts of the same asset to the same owners. */
function paymentsOf(outputs: readonly ExplainedOutput[], explanation: Explanation): Payment[] {
  const groups = new Map<string, ExplainedOutput[]>()
  for (const output of outputs) {
    const { threshold, addresses, locktime, stakeableLocktime } = output.owners
    const owners = [threshold, locktime, stakeableLocktime, ...addresses].join()
    const key = [output.type, output.assetID, output.exported, owners].join()
    groups.set(key, [...(groups.get(key) ?? []), output])
  }
  return Array.from(groups.values(), (group) => paymentOf(group, explanation)).toSorted((a, b) =>
    (a.amount ?? 0n) < (b.amount ?? 0n) ? 1 : (a.amount ?? 0n) > (b.amount ?? 0n) ? -1 : 0,
  )
}

function paymentOf(group: readonly ExplainedOutput[], explanation: Explanation): Payment {
  const { type, assetID, owners, exported } = group[0]!
  const shared = { owners, exported, outputs: group.length }
  if (group[0]!.amount === undefined)
    return { ...shared, number: THINGS[type], unit: `of ${assetName(assetID, explanation)}` }
  const amount = group.reduce((sum, output) => sum + (output.amount ?? 0n), 0n)
  const parts = amountParts(amount, assetID, explanation)
  // Without decimals and symbol, only its ID names the asset.
  const unit = parts.unit === 'units' ? `units of ${assetName(assetID, explanation)}` : parts.unit
  return { ...shared, amount, number: parts.number, unit }
}

/** The first payment, and how many others there are; undefined if nothing leaves. */
export function headline({ leaves }: Summary):
  | {
      readonly amount: string
      /** Absent if the recipient is not one address. */
      readonly address?: string | undefined
      readonly recipient: string
      readonly more: number
    }
  | undefined {
  const [first] = leaves
  if (first === undefined) return undefined
  const { threshold, addresses } = first.owners
  const isOpen = threshold === 0 || addresses.length === 0
  return {
    amount: `${first.number} ${first.unit}`,
    address: !isOpen && addresses.length === 1 ? addresses[0] : undefined,
    recipient: isOpen ? 'anyone' : `${threshold} of ${addresses.length} owners`,
    more: leaves.length - 1,
  }
}
