import { equalBytes } from '../bytes/compare.ts'
import { type AssetAmount, AssetSums } from '../chain/amounts.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { OutputOwners } from '../chain/owners.ts'
import { formatAddress } from '../encoding/address.ts'
import { formatAmount } from '../encoding/amount.ts'
import { hex } from '../encoding/hex.ts'
import { formatID } from '../encoding/ids.ts'
import type { OtherChain } from './view.ts'

/** What a signer should notice. */
export type HalfWarningCode =
  | 'STUCK_EXPORT'
  | 'ANYONE_CAN_SPEND'
  | 'NOT_OURS'
  | 'TIME_LOCKED'
  | 'BURNS_ASSET'
  | 'HIGH_FEE'

/** A warning and where in the transaction it belongs. */
export type HalfWarning = {
  readonly code: HalfWarningCode
  readonly message: string
  readonly path: string
}

/** An amount that a transaction creates, and who gets it on which chain. */
export type ExplainedOutput = {
  readonly amount: bigint
  readonly assetID: Uint8Array
  /** Alias or ID of the chain on which it arrives. */
  readonly chain: string
  /** Addresses of that chain, or the account as `0x…`. */
  readonly owners: readonly string[]
  readonly threshold: number
  /** Unix seconds before which it cannot be spent; 0n for never locked. */
  readonly locktime: bigint
  /** Unix seconds before which it can be staked only; 0n for never locked. */
  readonly stakeableLocktime: bigint
  /** Whether `ours` can spend it, so that it comes back. */
  readonly change: boolean
  readonly path: string
}

/** What a transaction of the P- or C-Chain does, read from the transaction itself. */
export type HalfExplanation = {
  readonly chain: OtherChain
  readonly type: 'BaseTx' | 'ImportTx' | 'ExportTx'
  readonly network: string
  /** Alias or ID of the chain on the other side; absent for a BaseTx. */
  readonly peer?: string | undefined
  readonly spends: readonly AssetAmount[]
  /** Amounts for others. */
  readonly pays: readonly ExplainedOutput[]
  /** Amounts for `ours`, on whichever chain. */
  readonly returns: readonly ExplainedOutput[]
  /** AVAX that is burned: all that is spent and not in an output, in nAVAX. */
  readonly fee: bigint
  readonly warnings: readonly HalfWarning[]
}

/** Whose a transaction is. */
export type ExplainHalfOptions = {
  /** Addresses of the signer, 20 bytes each; for accounts of the C-Chain their EVM addresses too. */
  readonly ours: readonly Uint8Array[]
}

/** A tenth of an AVAX: far above what both chains charge for any transfer. */
const HIGH_FEE = 100_000_000n

/** The parts that the two chains read differently. */
export type HalfFacts = Pick<HalfExplanation, 'chain' | 'type'> & {
  readonly context: NetworkContext
  /** ID of the chain on the other side. */
  readonly peerID?: Uint8Array | undefined
  readonly spends: readonly AssetAmount[]
  readonly outputs: readonly Omit<ExplainedOutput, 'change'>[]
  /** For each output whether `ours` can spend it. */
  readonly isOurs: (index: number) => boolean
}

/** Explains what the parts of a transaction come to. */
export function explainHalf(facts: HalfFacts): HalfExplanation {
  const { chain, type, context, peerID } = facts
  const outputs = facts.outputs.map((output, i) => ({ ...output, change: facts.isOurs(i) }))
  const left = new AssetSums(facts.spends)
  for (const { assetID, amount } of outputs) left.add(assetID, -amount)
  const fee = left.get(context.assetID)
  const burned = left.list().filter(({ assetID }) => !equalBytes(assetID, context.assetID))
  return {
    chain,
    type,
    network: context.name,
    peer: peerID && aliasOf(peerID, context),
    spends: new AssetSums(facts.spends).list(),
    pays: outputs.filter(({ change }) => !change),
    returns: outputs.filter(({ change }) => change),
    fee,
    warnings: [
      ...outputs.flatMap((output) => warningsOf(output, facts)),
      ...burned.map(({ assetID, amount }) => ({
        code: 'BURNS_ASSET' as const,
        message: `burns ${amount} of ${formatID(assetID)}`,
        path: '',
      })),
      ...(fee > HIGH_FEE
        ? [
            {
              code: 'HIGH_FEE' as const,
              message: `burns ${formatAmount(fee)} AVAX as fee`,
              path: '',
            },
          ]
        : []),
    ],
  }
}

function warningsOf(output: ExplainedOutput, { context, type }: HalfFacts): HalfWarning[] {
  const { path, chain } = output
  const warnings: HalfWarning[] = []
  const warn = (code: HalfWarningCode, message: string) => warnings.push({ code, message, path })
  const isAVAX = equalBytes(output.assetID, context.assetID)
  if (type === 'ExportTx' && chain === 'C' && !isAVAX)
    warn('STUCK_EXPORT', `sends ${formatID(output.assetID)} to the C-Chain, which cannot import it`)
  if (output.threshold === 0)
    warn('ANYONE_CAN_SPEND', `leaves ${text(output, context)} to anyone who takes it`)
  // A transfer to others is ordinary; both halves of a transfer between chains are usually one's own.
  else if (type !== 'BaseTx' && !output.change)
    warn('NOT_OURS', `gives ${text(output, context)} to ${output.owners.join(', ')}`)
  if (output.locktime > 0n)
    warn('TIME_LOCKED', `locks ${text(output, context)} until ${output.locktime}`)
  return warnings
}

function text({ amount, assetID }: ExplainedOutput, context: NetworkContext): string {
  return equalBytes(assetID, context.assetID)
    ? `${formatAmount(amount)} AVAX`
    : `${amount} of ${formatID(assetID)}`
}

/** The alias of a chain of the network, or its ID. */
export function aliasOf(chainID: Uint8Array, context: NetworkContext): string {
  if (equalBytes(chainID, context.chainID)) return context.chainAlias
  const known = Object.entries(context.chains).find(([, id]) => equalBytes(id, chainID))
  return known?.[0] ?? formatID(chainID)
}

/** Owners as addresses of a chain. */
export function ownerTexts(
  { addresses }: OutputOwners,
  chain: string,
  { hrp }: NetworkContext,
): string[] {
  return addresses.map((address) => formatAddress({ chain, hrp, address }))
}

/** Whether enough of the owners are ours. */
export function canSpend(
  { addresses, threshold }: OutputOwners,
  ours: ReadonlySet<string>,
): boolean {
  if (threshold === 0) return false
  return addresses.filter((address) => ours.has(hex.encode(address))).length >= threshold
}

/** One line for each thing that a transaction does, for people. */
export function formatHalfExplanation(
  explanation: HalfExplanation,
  context: NetworkContext,
): string {
  const { chain, type, network, peer, pays, returns, fee, warnings } = explanation
  const verb = { BaseTx: 'transfer', ImportTx: 'import', ExportTx: 'export' }[type]
  const side = peer === undefined ? '' : type === 'ImportTx' ? ` from ${peer}` : ` to ${peer}`
  const line = (word: string) => (output: ExplainedOutput) =>
    `${word} ${text(output, context)} to ${output.owners.join(', ') || 'anyone'} on ${output.chain}`
  return [
    `${verb} on the ${chain}-Chain of ${network}${side}`,
    ...pays.map(line('pays')),
    ...returns.map(line('returns')),
    `fee ${formatAmount(fee)} AVAX`,
    ...warnings.map(({ code, message }) => `warning ${code}: ${message}`),
  ].join('\n')
}
