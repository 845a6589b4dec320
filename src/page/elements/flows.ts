import { formatAmount } from '../../core/base/encoding/amount.ts'
import { ownersText, unitOf } from '../../core/sign/explain/explain-text.ts'
import type {
  AssetTotal,
  ExplainedOwners,
  Explanation,
} from '../../core/sign/explain/explanation.ts'
import { symbolText } from '../../core/sign/text.ts'

/** A block at one side of a diagram. */
export type FlowBlock = {
  /** Such as `spend`, `pay`, `return` or `fee`. */
  readonly kind: string
  /** Short text in the block, with shortened addresses. */
  readonly label: string
  /** The complete text. */
  readonly title: string
  /** Complete addresses of the owners. */
  readonly addresses: readonly string[]
  /** In the smallest unit of the asset. */
  readonly amount: bigint
}

/** Where the amounts of one asset come from and where they go. */
export type Flow = {
  /** Name of the asset. */
  readonly name: string
  /** Everything that is spent or minted. */
  readonly sum: bigint
  readonly sources: readonly FlowBlock[]
  readonly targets: readonly FlowBlock[]
  /** An amount with its unit, with a short ID of the asset: the name has it complete. */
  readonly text: (amount: bigint) => string
}

/** The flow of each asset of which a transaction moves amounts. */
export function flowsOf(explanation: Explanation): Flow[] {
  return explanation.totals
    .map((total) => ({
      name: assetName(total.assetID, explanation),
      sum: total.spent + total.minted,
      sources: sourcesOf(total, explanation),
      targets: targetsOf(total, explanation),
      text: (amount: bigint) => {
        const { number, unit } = amountParts(amount, total.assetID, explanation)
        return `${number} ${shortUnit(unit, total.assetID)}`
      },
    }))
    .filter(({ sum }) => sum > 0n)
}

/** All outputs, with the kinds of their blocks. */
function outputsWithKinds<T>({
  pays,
  returns,
}: {
  readonly pays: readonly T[]
  readonly returns: readonly T[]
}): { readonly kind: string; readonly output: T }[] {
  return [
    ...pays.map((output) => ({ kind: 'pay', output })),
    ...returns.map((output) => ({ kind: 'return', output })),
  ]
}

function sourceBlock(
  kind: string,
  owners: ExplainedOwners | undefined,
  amount: bigint,
  proven = true,
): FlowBlock {
  const isClaim = !proven && owners !== undefined
  return {
    kind,
    label: `${isClaim ? 'unproven' : 'from'} ${shortOwners(owners)}`,
    title: `${ownersText(owners)}${isClaim ? ' (unproven)' : ''}`,
    addresses: owners?.addresses ?? [],
    amount,
  }
}

function targetBlock(
  kind: string,
  owners: ExplainedOwners | undefined,
  amount: bigint,
  where: string,
): FlowBlock {
  return {
    kind,
    label: `to ${shortOwners(owners)}${where}`,
    title: `${ownersText(owners)}${where}`,
    addresses: owners?.addresses ?? [],
    amount,
  }
}

/** One block for all amounts of the same kind and owners. */
function grouped(blocks: readonly FlowBlock[]): FlowBlock[] {
  const groups = new Map<string, FlowBlock>()
  for (const block of blocks) {
    const key = block.kind + block.title
    const amount = (groups.get(key)?.amount ?? 0n) + block.amount
    groups.set(key, { ...block, amount })
  }
  return [...groups.values()]
}

function lossBlocks(fee: bigint, burned: bigint): FlowBlock[] {
  return [
    { kind: 'fee', label: 'charged by the network', title: 'fee', addresses: [], amount: fee },
    {
      kind: 'burn',
      label: 'destroyed for nothing',
      title: 'burned',
      addresses: [],
      amount: burned,
    },
  ].filter(({ amount }) => amount > 0n)
}

function sourcesOf({ assetID, minted }: AssetTotal, { spends }: Explanation): FlowBlock[] {
  const blocks = spends.flatMap(({ assetID: spentAssetID, amount, imported, owners, proven }) =>
    spentAssetID !== assetID || amount === undefined
      ? []
      : [sourceBlock(imported ? 'import' : 'spend', owners, amount, proven)],
  )
  const mint = {
    kind: 'mint',
    label: 'new units',
    title: 'minted by this transaction',
    addresses: [],
    amount: minted,
  }
  return [...grouped(blocks), ...(minted === 0n ? [] : [mint])]
}

function targetsOf({ assetID, fee, burned }: AssetTotal, explanation: Explanation): FlowBlock[] {
  const targets = outputsWithKinds(explanation).flatMap(({ kind, output }) => {
    const { amount, owners, exported } = output
    return output.assetID !== assetID || amount === undefined
      ? []
      : [targetBlock(kind, owners, amount, exported ? ' (exported)' : '')]
  })
  return [...targets, ...lossBlocks(fee, burned)]
}

function shortOwners(owners: ExplainedOwners | undefined): string {
  if (owners === undefined) return 'an unknown owner'
  const { addresses, threshold } = owners
  const [first] = addresses
  if (first === undefined || threshold === 0) return 'anyone'
  const short = first.length > 24 ? `${first.slice(0, 12)}…${first.slice(-6)}` : first
  const isLocked = owners.locktime > 0n || owners.stakeableLocktime !== undefined
  const lock = isLocked ? ', locked' : ''
  return addresses.length === 1
    ? `${short}${lock}`
    : `${threshold} of ${addresses.length} owners${lock}`
}

/** An amount in the unit of an asset whose decimals are certain, and otherwise in its smallest unit. */
export function amountParts(
  amount: bigint,
  assetID: string | undefined,
  explanation: Explanation,
): { readonly number: string; readonly unit: string } {
  const known = assetID === undefined ? explanation.newAsset : explanation.assets[assetID]
  if (known === undefined || known.denomination > 32)
    return { number: String(amount), unit: 'units' }
  return {
    number: formatAmount(amount, known.denomination),
    unit: unitOf(assetID, known, explanation),
  }
}

/** The unit of amounts beside the name of their asset, which has the complete ID. */
function shortUnit(unit: string, assetID: string | undefined): string {
  return assetID === undefined
    ? unit
    : unit.replace(assetID, `${assetID.slice(0, 4)}…${assetID.slice(-4)}`)
}

/** An amount with its unit. */
export function amountText(
  amount: bigint,
  assetID: string | undefined,
  explanation: Explanation,
): string {
  const { number, unit } = amountParts(amount, assetID, explanation)
  return `${number} ${unit}`
}

/** The name of an asset: its symbol is not enough, because anyone can choose it. */
export function assetName(assetID: string | undefined, explanation: Explanation): string {
  if (assetID === undefined) return 'the new asset'
  const known = explanation.assets[assetID]
  if (assetID === explanation.network.assetID) return 'AVAX'
  return known === undefined ? assetID : `${symbolText(known.symbol)}, asset ${assetID}`
}
