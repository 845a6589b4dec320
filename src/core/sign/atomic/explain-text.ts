import { formatAmount } from '../../base/encoding/amount.ts'
import { hex } from '../../base/encoding/hex.ts'
import { requireFields } from '../../base/require.ts'
import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import { abbreviated, addressList, MAX_SETS, markOf, omittedMark } from '../explain/explain-text.ts'
import { formatTime } from '../explain/explain-warnings.ts'
import {
  type AtomicExplanation,
  amountText,
  type ExplainedAccount,
  type ExplainedOutput,
  lockOf,
} from './explain.ts'
import type { AtomicRequestExplanation } from './request.ts'

/** The details that every explanation has. */
const ATOMIC_EXPLANATION_FIELDS = [
  'chain',
  'type',
  'pays',
  'returns',
  'fee',
  'burned',
  'warnings',
] as const

/**
 * Formats an explanation as text: one line for each thing that a transaction does. Long lists show their largest
 * amounts, with the number and sum of those omitted.
 */
export function formatAtomicExplanation(
  explanation: AtomicExplanation,
  context: NetworkContext,
): string {
  requireFields(explanation, 'explanation', ATOMIC_EXPLANATION_FIELDS)
  requireFields(context, 'context', ['assetID'])
  const { chain, type, network, accounts = [], pays, returns, fee, burned, warnings } = explanation
  const { assets, sourceChain, destinationChain } = explanation
  const verb = { BaseTx: 'transfer', ImportTx: 'import', ExportTx: 'export' }[type]
  const from = sourceChain === undefined ? '' : ` from ${sourceChain}`
  const to = destinationChain === undefined ? '' : ` to ${destinationChain}`
  const amountOf = (amount: AssetAmount) => amountText(amount, { context, assets })
  return [
    `${verb} on the ${chain}-Chain of ${network}${from}${to}`,
    ...accountLines(accounts, amountOf),
    ...outputLines('pays', pays, amountOf),
    ...outputLines('returns', returns, amountOf),
    `fee ${formatAmount(fee)} AVAX`,
    ...burned.map((amount) => `burns ${amountOf(amount)}`),
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
    ...signerSetLines(signerSets),
  ].join('\n')
}

function signerSetLines(sets: AtomicRequestExplanation['signerSets']): string[] {
  const lines = sets.slice(0, MAX_SETS).map(({ signers, missing }, i) => {
    const which = sets.length === 1 ? 'signers' : `signers ${i + 1}`
    const state = missing.length === 0 ? 'complete' : `missing ${addressList(missing)}`
    return `${which} ${addressList(signers)}: ${state}`
  })
  return sets.length <= MAX_SETS
    ? lines
    : [...lines, `${sets.length - MAX_SETS} more sets of signers`]
}

function accountLines(
  accounts: readonly ExplainedAccount[],
  amountOf: (amount: AssetAmount) => string,
): string[] {
  return abbreviated(
    accounts,
    ({ assetID }) => hex.encode(assetID),
    (account) => `debits ${amountOf(account)} from ${account.address}, nonce ${account.nonce}`,
    (omitted) => `debits ${sumText(omitted, amountOf)} from ${omitted.length} more accounts`,
  )
}

/** The total of each asset that has several outputs, then the outputs. */
function outputLines(
  verb: string,
  outputs: readonly ExplainedOutput[],
  amountOf: (amount: AssetAmount) => string,
): string[] {
  const counts = new Map<string, number>()
  for (const { assetID } of outputs) {
    const name = hex.encode(assetID)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const totals = new AssetSums(outputs).list().flatMap((sum) => {
    const count = counts.get(hex.encode(sum.assetID))!
    return count === 1 ? [] : [`${verb} ${amountOf(sum)} in total, in ${count} outputs`]
  })
  const lines = abbreviated(
    outputs,
    (output) =>
      `${hex.encode(output.assetID)}, ${output.chain}, ${markOf(output.threshold, lockOf(output))}`,
    (output) =>
      `${verb} ${amountOf(output)} to ${ownersText(output)} on ${output.chain}${lockText(output)}`,
    (omitted) => {
      const { chain } = omitted[0]!
      const mark = omittedMark(
        omitted.map((output) => ({ threshold: output.threshold, locktime: lockOf(output) })),
      )
      return `${verb} ${sumText(omitted, amountOf)} in ${omitted.length} more outputs on ${chain}${mark}`
    },
  )
  return [...totals, ...lines]
}

/** The sum of amounts of one asset. */
function sumText(
  amounts: readonly AssetAmount[],
  amountOf: (amount: AssetAmount) => string,
): string {
  return new AssetSums(amounts).list().map(amountOf).join()
}

function lockText({ locktime, stakeableLocktime }: ExplainedOutput): string {
  const lock = locktime === 0n ? '' : `, locked until ${formatTime(locktime)}`
  return stakeableLocktime === 0n
    ? lock
    : `${lock}, only for staking until ${formatTime(stakeableLocktime)}`
}

/** Formats owners and the number of signatures needed. */
function ownersText({ owners, threshold }: ExplainedOutput): string {
  if (owners.length === 0 || threshold === 0) return 'anyone'
  return owners.length === 1
    ? owners[0]!
    : `${threshold} of ${owners.length}: ${addressList(owners)}`
}
