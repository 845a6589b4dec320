import { type AssetAmount, AssetSums } from '../chain/amounts.ts'
import type { NetworkContext } from '../chain/networks.ts'
import { formatAmount } from '../encoding/amount.ts'
import { hex } from '../encoding/hex.ts'
import { requireFields } from '../encoding/require.ts'
import { compareBigints } from '../sign/explain-warnings.ts'
import { type AtomicExplanation, amountText, type ExplainedOutput } from './explain.ts'
import type { AtomicRequestExplanation } from './request.ts'

/** Longer lists are abbreviated. */
const MAX_LINES = 50

/** How many outputs of each asset an abbreviated list shows: those with the largest amounts. */
const LINES_PER_ASSET = 20

/**
 * Formats an explanation as text: one line for each thing that a transaction does. Long lists show their largest
 * amounts, with the number and sum of those omitted.
 */
export function formatAtomicExplanation(
  explanation: AtomicExplanation,
  context: NetworkContext,
): string {
  requireFields(explanation, 'explanation', ['chain', 'type', 'pays', 'returns', 'fee', 'warnings'])
  requireFields(context, 'context', ['assetID'])
  const { chain, type, network, accounts = [], pays, returns, fee, warnings } = explanation
  const { assets, sourceChain, destinationChain } = explanation
  const verb = { BaseTx: 'transfer', ImportTx: 'import', ExportTx: 'export' }[type]
  const from = sourceChain === undefined ? '' : ` from ${sourceChain}`
  const to = destinationChain === undefined ? '' : ` to ${destinationChain}`
  const amountOf = (amount: AssetAmount) => amountText(amount, { context, assets })
  return [
    `${verb} on the ${chain}-Chain of ${network}${from}${to}`,
    ...accounts.map(
      ({ address, amount, nonce }) =>
        `debits ${formatAmount(amount)} AVAX from ${address}, nonce ${nonce}`,
    ),
    ...outputLines('pays', pays, amountOf),
    ...outputLines('returns', returns, amountOf),
    `fee ${formatAmount(fee)} AVAX`,
    ...warnings.map(({ code, message }) => `warning ${code}: ${message}`),
  ].join('\n')
}

/** Formats the explanation of a request as text: what it does, its digest, and who has signed. */
export function formatAtomicRequestExplanation(
  explanation: AtomicRequestExplanation,
  context: NetworkContext,
): string {
  requireFields(explanation, 'explanation', ['digest', 'signerSets'])
  const { digest, signerSets } = explanation
  return [
    formatAtomicExplanation(explanation, context),
    `digest ${digest}`,
    ...signerSets.map(({ signers, missing }, i) => {
      const which = signerSets.length === 1 ? 'signers' : `signers ${i + 1}`
      const state = missing.length === 0 ? 'complete' : `missing ${missing.join(', ')}`
      return `${which} ${signers.join(', ')}: ${state}`
    }),
  ].join('\n')
}

/** The total of each asset that has several outputs, then the outputs. */
function outputLines(
  verb: string,
  outputs: readonly ExplainedOutput[],
  amountOf: (amount: AssetAmount) => string,
): string[] {
  const line = (output: ExplainedOutput) =>
    `${verb} ${amountOf(output)} to ${ownersText(output)} on ${output.chain}`
  const groups = [...byAsset(outputs).values()]
  const sumOf = (list: readonly ExplainedOutput[]) =>
    new AssetSums(list).list().map(amountOf).join()
  const totals = groups
    .filter((group) => group.length > 1)
    .map((group) => `${verb} ${sumOf(group)} in total, in ${group.length} outputs`)
  if (outputs.length <= MAX_LINES) return [...totals, ...outputs.map(line)]
  return [
    ...totals,
    ...groups.flatMap((group) => {
      const sorted = group.toSorted((a, b) => compareBigints(b.amount, a.amount))
      const shown = sorted.slice(0, LINES_PER_ASSET).map(line)
      const omitted = sorted.slice(LINES_PER_ASSET)
      if (omitted.length === 0) return shown
      return [...shown, `${verb} ${sumOf(omitted)} in ${omitted.length} more outputs`]
    }),
  ]
}

function byAsset(outputs: readonly ExplainedOutput[]): Map<string, ExplainedOutput[]> {
  const groups = new Map<string, ExplainedOutput[]>()
  for (const output of outputs) {
    const name = hex.encode(output.assetID)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [output])
    else group.push(output)
  }
  return groups
}

/** Formats owners and the number of signatures needed. */
function ownersText({ owners, threshold }: ExplainedOutput): string {
  if (owners.length === 0 || threshold === 0) return 'anyone'
  return owners.length === 1 ? owners[0]! : `${threshold} of ${owners.length}: ${owners.join(', ')}`
}
