import { hex } from '../../base/encoding/hex.ts'
import { formatID } from '../../base/encoding/ids.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import type { Output } from '../../chain/x/fx.ts'
import type { UnsignedTx } from '../../chain/x/tx.ts'
import { type AttributedOutput, NEW_ASSET, type OwnershipView } from '../ownership.ts'
import type { Proven } from '../proofs.ts'
import { suspicionOf } from '../text.ts'
import {
  type Burns,
  type DangerOptions,
  danger,
  dangersOf,
  feeWarning,
  type Warning,
  warningAmountText,
} from '../warnings.ts'
import type { Explanation } from './explanation.ts'
import { mergedWarnings, type WarnedAmounts } from './merged-warnings.ts'

/** The transaction and evidence that warnings are derived from. */
export type WarningSubject = {
  readonly unsignedTx: UnsignedTx
  readonly context: NetworkContext
  /** Change as stated by the builder, per asset. */
  readonly change: readonly AssetAmount[]
  readonly burns: Burns
  readonly view: OwnershipView
  /** Set for requests, whose author is not trusted. */
  readonly proven: Proven | undefined
}

/** All warnings about a transaction, at most one per code. */
export function warningsOf(
  subject: WarningSubject,
  explanation: Omit<Explanation, 'warnings'>,
  options: DangerOptions & { readonly now?: bigint | undefined },
): Warning[] {
  const { unsignedTx: tx, context, burns, proven } = subject
  const network = options.network ?? context
  const fee = feeWarning(tx, network)
  const aboutOutputs = [
    ...changeWarnings(subject),
    ...outputWarnings(subject.view, options.now),
    ...rightWarnings(subject.view.outputs),
  ]
  const warnings = [
    ...dangersOf(tx, context, options, burns),
    ...(proven === undefined ? [] : unprovenWarnings(proven, explanation)),
    // The builder of a transaction knows where its outputs go; a signer of a request does not.
    ...aboutOutputs.map((warning) => ({
      ...warning,
      danger: warning.danger && proven !== undefined,
    })),
    ...spendWarnings(explanation, options.now),
    ...(fee === undefined ? [] : [fee]),
  ]
  const warn = (code: Warning['code'], message: string, path = '') => {
    warnings.push({ code, message, path, danger: false })
  }
  if (tx.type === 'ImportTx' && explanation.sourceChain?.alias === undefined)
    warn(
      'UNKNOWN_SOURCE',
      `the chain ${explanation.sourceChain?.chainID} is not a known chain of ${network.name}`,
    )
  for (const { destroys, assetID } of explanation.operations)
    if (destroys !== undefined) warn('DESTROYED_RIGHT', `destroys ${destroys} of ${assetID}`)
  const suspicion = suspicionOf(explanation.memo)
  if (suspicion !== undefined) warn('SUSPICIOUS_MEMO', suspicion, 'memo')
  if (explanation.size > explanation.maxSize)
    warn(
      'TX_TOO_LARGE',
      `${explanation.size} bytes, the limit of the node is ${explanation.maxSize}`,
    )
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
  const byLock = outputs.toSorted((a, b) => compareBigints(b.output.locktime, a.output.locktime))
  for (const { output, outputIndex, ownership, ourOwners, assetID } of byLock) {
    const path = `output ${outputIndex}`
    const warn = (code: Warning['code'], message: string) => {
      warnings.push({ code, message, path, danger: false })
    }
    if (ownership === 'payment' && ourOwners > 0)
      warnings.push(
        danger(
          'SHARED_OUTPUT',
          `${path} has ${ourOwners} of our addresses and others as owners, who can spend or block it`,
          path,
        ),
      )
    if (output.locktime > now) {
      const until = formatTime(output.locktime)
      if (ownership !== 'payment' && output.locktime > latestLock)
        warnings.push(danger('LOCKED_RETURN', `${path} is returned locked until ${until}`, path))
      else warn('LOCKED_OUTPUT', `${path} is locked until ${until}`)
    }
    if (ownership !== 'ours') continue
    const asset = hex.encode(assetID)
    const spentThreshold = ourGroups
      .filter(({ spent }) => spent.has(asset))
      .reduce((most, { owners }) => Math.max(most, owners.threshold), 0)
    if (output.threshold < spentThreshold)
      warn(
        'WEAKER_CHANGE',
        `${path} needs ${output.threshold} signatures, the spent UTXOs need ${spentThreshold}`,
      )
  }
  return warnings
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
  { spends }: Pick<Explanation, 'spends'>,
  now: bigint | undefined,
): Warning[] {
  return spends.flatMap(({ utxo, owners }, i): Warning[] => {
    const place = { path: `spend ${i}`, danger: false }
    if (owners === undefined)
      return [{ code: 'UNKNOWN_UTXO', message: `the owners of ${utxo} are not known`, ...place }]
    // The node remembers a transaction that is issued too early and refuses the same bytes later.
    if (now === undefined || owners.locktime <= now) return []
    const until = formatTime(owners.locktime)
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
