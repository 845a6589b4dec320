import { hex } from '../../base/encoding/hex.ts'
import { formatID } from '../../base/encoding/ids.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import type { Output } from '../../chain/x/fx.ts'
import { NEW_ASSET } from '../chain.ts'
import type { AttributedOutput, OwnershipView, SpentOutput } from '../ownership.ts'
import type { Proven } from '../proofs/proofs.ts'
import { suspicionOf } from '../text.ts'
import { describeFault, type SignatureCount } from '../verify.ts'
import {
  type Burns,
  danger,
  dangersOf,
  deadAddressDangers,
  feeWarning,
  type TxView,
  type Warning,
  warningAmountText,
} from '../warnings.ts'
import type { CheckedExplainOptions, ExplainedOwners, Explanation } from './explanation.ts'
import { lookAlikeWarnings } from './look-alikes.ts'
import { amountList, mergedWarnings, type WarnedAmounts } from './merged-warnings.ts'

/** The transaction and evidence that warnings are derived from. */
export type WarningSubject = {
  readonly txView: TxView
  readonly context: NetworkContext
  /** Change as stated by the builder, per asset. */
  readonly change: readonly AssetAmount[]
  readonly burns: Burns
  readonly view: OwnershipView
  readonly spent: readonly SpentOutput[]
  /** Set for requests, whose author is not trusted. */
  readonly proven: Proven | undefined
  readonly signatures: SignatureCount
  /** What the policy of the signer has against the transaction. */
  readonly refusals: readonly Warning[]
}

/** All warnings about a transaction, at most one per code. */
export function warningsOf(
  subject: WarningSubject,
  explanation: Omit<Explanation, 'warnings'>,
  options: CheckedExplainOptions,
): Warning[] {
  const { txView, context, burns, proven, view, spent } = subject
  const { network = context, ours, accounts, now, price } = options
  const owners = new Set(
    [...spent.map((each) => each.owners?.addresses ?? []), ours?.addresses ?? []]
      .flat()
      .map(hex.encode),
  )
  const fee = feeWarning(txView, burns.fee, network, price)
  const byRequest = [
    ...changeWarnings(subject),
    ...outputWarnings(view, now),
    ...rightWarnings(view.outputs),
    ...view.outputs.flatMap(deadAddressDangers),
    ...(ours === undefined && accounts === undefined ? [] : foreignWarnings(subject, network)),
    ...destroyWarnings(explanation),
  ]
  const warnings = [
    ...subject.refusals,
    ...dangersOf(txView, context, options, owners, burns),
    ...(proven === undefined ? [] : unprovenWarnings(proven, explanation)),
    // The builder of a transaction knows where its outputs go; a signer of a request does not.
    ...byRequest.map((warning) => ({ ...warning, danger: warning.danger && proven !== undefined })),
    ...spendWarnings(spent, explanation, now),
    ...lookAlikeWarnings(explanation),
    ...(fee === undefined ? [] : [fee]),
  ]
  const warn = (code: Warning['code'], message: string, path = '') => {
    warnings.push({ code, message, path, danger: false })
  }
  for (const fault of subject.signatures.invalid)
    warn('INVALID_SIGNATURE', describeFault(fault), `credential ${fault.credential}`)
  const { sourceChain, memo, size, maxSize } = explanation
  if (sourceChain !== undefined && sourceChain.alias === undefined)
    warn(
      'UNKNOWN_SOURCE',
      `the chain ${sourceChain.chainID} is not a known chain of ${network.name}`,
    )
  if (burns.missing.length > 0) {
    const text = amountList(burns.missing, (amount) => warningAmountText(amount, network))
    warn('INSUFFICIENT_FUNDS', `creates ${text} more than it spends`)
  }
  const suspicion = suspicionOf(memo)
  if (suspicion !== undefined) warn('SUSPICIOUS_MEMO', suspicion, 'memo')
  if (size > maxSize) warn('TX_TOO_LARGE', `${size} bytes, the limit of the node is ${maxSize}`)
  return mergedWarnings(warnings, warnedAmounts(subject, network))
}

function warnedAmounts({ view, burns }: WarningSubject, network: NetworkContext): WarnedAmounts {
  const byPath = new Map(burns.beyondFee.map((burned, i) => [`burn ${i}`, burned]))
  // Amounts of the new asset, which has no ID yet, are shown with each output only.
  for (const { outputIndex, assetID, output } of view.outputs)
    if (output.type === 'secp256k1fx.TransferOutput' && assetID !== NEW_ASSET)
      byPath.set(`output ${outputIndex}`, { assetID, amount: output.amount })
  return {
    native: network.assetID,
    byPath,
    amountText: (sum) => warningAmountText(sum, network),
  }
}

/** Imports and exports usually move one's own funds between chains. */
function foreignWarnings(
  { txView: { tx }, view }: WarningSubject,
  network: NetworkContext,
): Warning[] {
  if (tx.type !== 'ImportTx' && tx.type !== 'ExportTx') return []
  return view.outputs.flatMap(({ outputIndex, output, assetID, ownership, ourOwners }) => {
    if (ownership !== 'payment' || ourOwners > 0 || output.threshold === 0) return []
    if (output.type !== 'secp256k1fx.TransferOutput') return []
    const path = `output ${outputIndex}`
    const amount = warningAmountText({ assetID, amount: output.amount }, network)
    return [{ code: 'NOT_OURS', message: `${path} gives ${amount} to others`, path, danger: false }]
  })
}

function destroyWarnings({ operations }: Pick<Explanation, 'operations'>): Warning[] {
  return operations.flatMap(({ destroys, burnsProperty, assetID }): Warning[] => {
    if (burnsProperty) return [danger('BURNED_PROPERTY', `destroys a property of ${assetID}`)]
    return destroys === undefined
      ? []
      : [
          {
            code: 'DESTROYED_RIGHT',
            message: `destroys ${destroys} of ${assetID}`,
            path: '',
            danger: false,
          },
        ]
  })
}

function unprovenWarnings(
  { utxos, unprovenAssets }: Proven,
  { assets }: Pick<Explanation, 'assets'>,
): Warning[] {
  const warnings: Warning[] = []
  const count = utxos.filter((isProven) => !isProven).length
  if (count > 0)
    warnings.push(
      danger(
        'UNPROVEN_UTXO',
        `${count} of ${utxos.length} UTXOs are unproven: only the file states their owners`,
        `spend ${utxos.indexOf(false)}`,
      ),
    )
  const unknown = unprovenAssets.map((name) => formatID(hex.decode(name)))
  for (const assetID of unknown.filter((id) => assets[id] === undefined))
    warnings.push(
      danger(
        'UNPROVEN_ASSET',
        `the decimals of the asset ${assetID} are unproven: its amounts are in base units`,
      ),
    )
  return warnings
}

/** Outputs without an amount, in singular and plural. Rights to mint come first, because they are worth the most. */
const RIGHTS: readonly (readonly [Output['type'], one: string, many: string])[] = [
  ['secp256k1fx.MintOutput', 'a right to mint', 'rights to mint'],
  ['nftfx.MintOutput', 'a right to mint NFTs', 'rights to mint NFTs'],
  ['propertyfx.MintOutput', 'a right to mint properties', 'rights to mint properties'],
  ['nftfx.TransferOutput', 'an NFT', 'NFTs'],
  ['propertyfx.OwnedOutput', 'a property', 'properties'],
]

/**
 * One warning that lists all rights given away. As several warnings they would be merged, and all but the first hidden.
 */
function rightWarnings(outputs: readonly AttributedOutput[]): Warning[] {
  const transferred = RIGHTS.flatMap(([type, one, many]) => {
    const found = outputs.filter((o) => o.ownership === 'payment' && o.output.type === type)
    const [first] = found
    if (first === undefined) return []
    const path = `output ${first.outputIndex}`
    const what =
      found.length === 1 ? `${one} (${path})` : `${found.length} ${many} (${path} is the first)`
    return [{ path, what }]
  })
  const [first] = transferred
  if (first === undefined) return []
  const message = `gives to others: ${transferred.map(({ what }) => what).join(', ')}`
  return [{ code: 'TRANSFERRED_RIGHT', message, path: first.path, danger: false }]
}

/** One warning for each amount that is stated as change but that no output returns. */
function changeWarnings({ view, change, context }: WarningSubject): Warning[] {
  const isChange = ({ assetID, amount }: AssetAmount) =>
    view.outputs.some(
      (output) => isReturned(output) && isAmount(output, hex.encode(assetID), amount),
    )
  return change
    .filter((stated) => !isChange(stated))
    .map((stated) =>
      danger(
        'FOREIGN_CHANGE',
        `${warningAmountText(stated, context)}: stated as change but not returned`,
        'change',
      ),
    )
}

function outputWarnings({ outputs, groups }: OwnershipView, now = 0n): Warning[] {
  const warnings: Warning[] = []
  const ourGroups = [...groups.values()].filter(({ isOurs }) => isOurs)
  const latestLock = ourGroups.reduce(
    (last, { locktime }) => (locktime > last ? locktime : last),
    0n,
  )
  // The latest locktime first: of several warnings with one code, the first is quoted.
  const byLock = outputs.toSorted((a, b) => compareBigints(lockOf(b), lockOf(a)))
  for (const item of byLock) {
    const { output, outputIndex, ownership, ourOwners, assetID, stakeableLocktime } = item
    const path = `output ${outputIndex}`
    const warn = (code: Warning['code'], message: string) => {
      warnings.push({ code, message, path, danger: false })
    }
    if (ownership === 'payment' && ourOwners > 0 && output.threshold > 0)
      warnings.push(
        danger(
          'SHARED_OUTPUT',
          `${path} has ${ourOwners} of our addresses and others as owners, who can spend or block it`,
          path,
        ),
      )
    if (lockOf(item) > now) {
      const until = formatTime(lockOf(item))
      const isNewLock = output.locktime > now && output.locktime > latestLock
      const isNewStakeableLock = stakeableLocktime > now && !item.keepsLock
      if (ownership !== 'payment' && (isNewLock || isNewStakeableLock))
        warnings.push(danger('LOCKED_RETURN', `${path} is returned locked until ${until}`, path))
      else warn('LOCKED_OUTPUT', `${path} is locked until ${until}`)
    }
    if (ownership !== 'ours') continue
    const asset = hex.encode(assetID)
    const spentThreshold = ourGroups
      .filter(({ spent }) => spent.has(asset))
      .reduce((most, { owners }) => Math.max(most, owners.threshold), 0)
    if (output.threshold < spentThreshold)
      warnings.push(
        danger(
          'WEAKER_CHANGE',
          `${path} needs ${output.threshold} signatures, the spent UTXOs need ${spentThreshold}`,
          path,
        ),
      )
  }
  return warnings
}

/** Unix seconds until which an output cannot be transferred; 0n for never locked. */
export function lastLock({
  locktime,
  stakeableLocktime = 0n,
}: Pick<ExplainedOwners, 'locktime' | 'stakeableLocktime'>): bigint {
  return locktime > stakeableLocktime ? locktime : stakeableLocktime
}

function lockOf({ output, stakeableLocktime }: AttributedOutput): bigint {
  return lastLock({ locktime: output.locktime, stakeableLocktime })
}

/** Compares integers, for sorting. */
export function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Whether an output is returned on this chain. */
export function isReturned({ ownership, source }: AttributedOutput): boolean {
  return ownership !== 'payment' && source === 'outputs'
}

function isAmount({ output, assetID }: AttributedOutput, asset: string, amount: bigint): boolean {
  return (
    output.type === 'secp256k1fx.TransferOutput' &&
    output.amount === amount &&
    hex.encode(assetID) === asset
  )
}

function spendWarnings(
  spent: readonly SpentOutput[],
  { spends }: Pick<Explanation, 'spends'>,
  now: bigint | undefined,
): Warning[] {
  return spends.flatMap(({ utxo, owners }, i): Warning[] => {
    const place = { path: `spend ${i}`, danger: false }
    if (owners === undefined)
      return [{ code: 'UNKNOWN_UTXO', message: `the owners of ${utxo} are not known`, ...place }]
    // An input that states the stakeable lock may spend it: staking keeps the lock. Others have to wait for it, too.
    // The node remembers a transaction that is issued too early and refuses the same bytes later.
    const lock =
      spent[i]!.spend.stakeableLocktime === undefined ? lastLock(owners) : owners.locktime
    if (now === undefined || lock <= now) return []
    const until = formatTime(lock)
    return [{ code: 'LOCKED_UTXO', message: `${utxo} is locked until ${until}`, ...place }]
  })
}

/** Formats unix seconds as a date, if a `Date` can represent them. */
export function formatTime(seconds: bigint): string {
  // 8.64e12 is the last second that a Date can represent.
  return seconds <= 8_640_000_000_000n
    ? new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z')
    : `second ${seconds}`
}
