import type { ExplainedOutput, Explanation } from './explanation.ts'
import { suspicionOf } from './text.ts'
import type { Warning } from './warnings.ts'

/** What is to be said beside the dangers, outputs first and in their order. */
export function outputWarnings(
  facts: Omit<Explanation, 'warnings'>,
  outputs: readonly ExplainedOutput[],
  now: bigint | undefined,
): Warning[] {
  const warnings: Warning[] = []
  const warn = (code: Warning['code'], message: string, path = '') => {
    warnings.push({ code, message, path })
  }
  // Two outputs may look like the change; it is in order if one of them is.
  const anyLike = (change: ExplainedOutput, isInOrder: (output: ExplainedOutput) => boolean) =>
    outputs.some(
      (o) => o.change && o.assetID === change.assetID && o.amount === change.amount && isInOrder(o),
    )
  // As many as must sign for every coin: a change that fewer can spend was perhaps not meant so.
  const thresholds = facts.spends.map(({ owners }) => owners?.threshold ?? 0)
  const guard = thresholds.reduce((least, one) => Math.min(least, one), thresholds[0] ?? 0)
  for (const output of outputs) {
    const { owners, outputIndex, change, ours } = output
    const path = `output ${outputIndex}`
    if (change && !anyLike(output, (o) => o.ours))
      warn('FOREIGN_CHANGE', `the change in ${path} goes to an address that is not ours`, path)
    if ((change || ours) && owners.threshold === 1 && owners.addresses.length > 1)
      warn(
        'ONE_OF_N_CHANGE',
        `any of ${owners.addresses.length} owners can take ${path} alone`,
        path,
      )
    if (change && !anyLike(output, (o) => o.owners.threshold >= guard))
      warn(
        'WEAKER_CHANGE',
        `${owners.threshold} must sign for the change in ${path}, where ${guard} signed for what is spent`,
        path,
      )
    if (owners.addresses.length === 0) warn('OPEN_OUTPUT', `anyone can spend ${path}`, path)
    if (owners.locktime > (now ?? 0n))
      warn('LOCKED_OUTPUT', `${path} is locked until ${formatTime(owners.locktime)}`, path)
    if (output.exported && facts.peer?.alias === 'C' && output.assetID !== facts.network.assetID)
      warn(
        'STUCK_EXPORT',
        `the C-Chain takes no asset but the native one, ${path} gets stuck`,
        path,
      )
  }
  facts.spends.forEach(({ utxo, owners }, i) => {
    const path = `spend ${i}`
    if (owners === undefined)
      warn('UNKNOWN_UTXO', `what is known does not show who owns ${utxo}`, path)
    // The node remembers a spend that comes too early and refuses the same bytes later on.
    else if (now !== undefined && owners.locktime > now)
      warn('LOCKED_UTXO', `${utxo} is locked until ${formatTime(owners.locktime)}`, path)
  })
  if (facts.peer !== undefined && facts.peer.alias === undefined)
    warn('UNKNOWN_CHAIN', `the chain ${facts.peer.chainID} is not one of ${facts.network.name}`)
  const suspicion = suspicionOf(facts.memo)
  if (suspicion !== undefined) warn('SUSPICIOUS_MEMO', suspicion, 'memo')
  if (facts.size > facts.maxSize)
    warn('TX_TOO_LARGE', `${facts.size} bytes, the node takes ${facts.maxSize}`)
  return warnings
}

/** Unix seconds as a date where there is one. */
export function formatTime(seconds: bigint): string {
  // The last second that a Date can hold.
  return seconds <= 8_640_000_000_000n
    ? new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z')
    : `second ${seconds}`
}
