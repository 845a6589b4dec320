import { argument, type Check, fn, object, optional } from '../../base/argument.ts'
import { formatAmount, MAX_DENOMINATION } from '../../base/encoding/amount.ts'
import type { PolicyLabel } from '../policy.ts'
import { escaped, labelText, quoted, symbolText } from '../text.ts'
import { compareBigints, formatTime, lastLock } from './explain-warnings.ts'
import type {
  AssetDetails,
  AssetTotal,
  ExplainedChain,
  ExplainedOutput,
  ExplainedOwners,
  ExplainedSpend,
  Explanation,
} from './explanation.ts'
import { explanationArgument } from './explanation-argument.ts'

/** Label, amount, unit, and the rest of the line. */
type TextRow = readonly [label: string, amount: string, unit: string, rest: string]

/** Longer lists are abbreviated. */
const MAX_ROWS = 50

/** How many signer sets are listed. */
const MAX_SETS = 20

/** How many addresses of one set of owners are listed. */
const MAX_LISTED_ADDRESSES = 20

/** How many rows of each kind an abbreviated list shows: those with the largest amounts. */
const ROWS_PER_KEY = 20

/** What an output without an amount is. */
export const THINGS: { readonly [Type in ExplainedOutput['type']]: string } = {
  'secp256k1fx.TransferOutput': '',
  'stakeable.LockOut': '',
  EVMOutput: '',
  'secp256k1fx.MintOutput': 'right to mint',
  'nftfx.MintOutput': 'right to mint an NFT',
  'nftfx.TransferOutput': 'NFT',
  'propertyfx.MintOutput': 'right to mint properties',
  'propertyfx.OwnedOutput': 'property',
}

/** Functions that highlight lines of an explanation for a display. */
export type ExplanationStyle = {
  /** Highlights the first line. */
  readonly title?: ((line: string) => string) | undefined
  /** Highlights a warning. */
  readonly warning?: ((line: string) => string) | undefined
  /** Highlights a warning that signing refuses by default. */
  readonly danger?: ((line: string) => string) | undefined
}

type Paint = (line: string) => string

const styleArgument: Check<ExplanationStyle> = object<ExplanationStyle>({
  title: optional(fn<Paint>()),
  warning: optional(fn<Paint>()),
  danger: optional(fn<Paint>()),
})

/**
 * Formats an explanation as text in columns: totals first, then one line per detail, then the warnings with their codes.
 * Texts from the transaction are escaped. Long lists show their largest amounts, with the number and sum of those
 * omitted.
 */
export function formatExplanation(given: Explanation, style: ExplanationStyle = {}): string {
  const explanation = argument('formatExplanation', given, explanationArgument)
  const checked = argument('formatExplanation', style, styleArgument)
  const plain = (line: string) => line
  const { title: titleStyle = plain, warning = plain, danger: dangerStyle = plain } = checked
  const { network, title } = explanation
  const head = `${escaped(title)} on ${escaped(network.name)} (network ${network.networkID}), ${escaped(network.chainAlias)}-Chain`
  const rows: TextRow[] = [
    ...totalRows(explanation),
    ...spendRows(explanation),
    ...operationRows(explanation),
    ...outputRows('pay', 'payments', explanation.pays, explanation),
    ...outputRows('return', 'returned outputs', explanation.returns, explanation),
    amountRow('fee', network.assetID, explanation.fee, '', explanation),
    ...burnRows(explanation),
    ...otherRows(explanation),
  ]
  const warnings = explanation.warnings.map(
    ({ code, message, danger }) =>
      [
        danger ? 'DANGER ' : 'WARNING',
        code,
        oneLine(message),
        danger ? dangerStyle : warning,
      ] as const,
  )
  const width = longest(warnings.map(([, code]) => code))
  return [
    titleStyle(head),
    ...layOut(rows),
    ...warnings.map(([kind, code, message, paint]) =>
      paint(`${kind} ${code.padEnd(width)}  ${message}`),
    ),
    '',
  ].join('\n')
}

/** Messages contain names of networks and assets, which are escaped already, but not line breaks of other origin. */
function oneLine(message: string): string {
  return message.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

function totalRows(explanation: Explanation): TextRow[] {
  const { pays, totals } = explanation
  const rows = totals.flatMap((total): TextRow[] => {
    const { assetID, paid, returned } = total
    const row = (amount: bigint, rest: string) =>
      amountRow('total', assetID, amount, rest, explanation)
    if (paid === 0n && returned === 0n) return []
    const paidRow = row(paid, paidText(total))
    return returned === 0n ? [paidRow] : [paidRow, row(returned, 'returned')]
  })
  const things = pays.filter(({ amount }) => amount === undefined).length
  if (things > 0)
    rows.push([
      'total',
      '',
      '',
      `${count(things, 'right, NFT or property', 'rights, NFTs or properties')} to others`,
    ])
  return rows
}

function paidText({ payments, recipients }: AssetTotal): string {
  if (payments === 0) return 'paid to others'
  return `paid to ${count(recipients, 'recipient')} in ${count(payments, 'output')}`
}

/** One row for all UTXOs with the same asset and owners. */
function spendRows(explanation: Explanation): TextRow[] {
  const groups = new Map<string, { spend: ExplainedSpend; sum: bigint; count: number }>()
  for (const spend of explanation.spends) {
    const { assetID, amount, imported, proven, owners, nonce } = spend
    const key = [assetID, amount === undefined, imported, proven, ownersText(owners), nonce].join()
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { spend, sum: amount ?? 0n, count: 1 })
    else {
      group.sum += amount ?? 0n
      group.count++
    }
  }
  const items = Array.from(groups.values(), ({ spend, sum, count: n }) => {
    const { assetID, amount, owners, imported, proven, nonce } = spend
    const utxos = n === 1 ? spend.utxo : `${n} UTXOs`
    const mark = proven || owners === undefined ? '' : ' (unproven)'
    const rest =
      nonce === undefined
        ? `${imported ? 'imported ' : ''}${utxos} from ${ownersText(owners)}${mark}`
        : `account ${ownersText(owners)}, nonce ${nonce}`
    const kind = nonce === undefined ? `${imported ? 'imported ' : ''}UTXO` : 'account'
    return { assetID, amount: amount === undefined ? undefined : sum, n, rest, kind, mark }
  })
  return abbreviated<(typeof items)[number], TextRow>(
    items,
    ({ amount, assetID, kind, mark }) => `${assetID}, ${amount === undefined}, ${kind}${mark}`,
    ({ amount, assetID, rest }) =>
      amount === undefined
        ? ['spend', '', '', `${rest}, asset ${assetID}`]
        : amountRow('spend', assetID, amount, rest, explanation),
    (omitted) => {
      const total = omitted.reduce((sum, { n }) => sum + n, 0)
      const { kind, mark } = omitted[0]!
      return omittedRow('spend', omitted, `${count(total, `more ${kind}`)}${mark}`, explanation)
    },
  )
}

function operationRows({ operations }: Explanation): TextRow[] {
  const items = operations.map((operation) => ({ ...operation, amount: undefined }))
  return abbreviated<(typeof items)[number], TextRow>(
    items,
    ({ words, assetID }) => `${words}, ${assetID}`,
    ({ words, assetID, groupID, payload }) => {
      const group = groupID === undefined ? '' : `, group ${groupID}`
      return [
        'do',
        '',
        '',
        `${words} of ${assetID}${group}${payload ? `, payload 0x${payload}` : ''}`,
      ]
    },
    (omitted) => ['do', '', '', count(omitted.length, 'more operation')],
  )
}

function outputRows(
  label: string,
  many: string,
  outputs: readonly ExplainedOutput[],
  explanation: Explanation,
): TextRow[] {
  return abbreviated<ExplainedOutput, TextRow>(
    outputs,
    ({ assetID, type, owners, exported }) => `${assetID}, ${type}, ${exported}, ${markOf(owners)}`,
    (output) => outputRow(label, output, explanation),
    (omitted) => {
      const mark = omittedMark(omitted.map(({ owners }) => owners))
      const rest = `in ${omitted.length} more ${many}${placeText(omitted[0]!, explanation)}${mark}`
      return omittedRow(label, omitted, rest, explanation)
    },
  )
}

/**
 * Part of the key of `abbreviated`: outputs that anyone can spend, and locked ones, are summed up separately, so that
 * other outputs do not hide them.
 */
function markOf(owners: ExplainedOwners): string {
  return `${owners.threshold === 0}, ${lastLock(owners) === 0n}`
}

/** Describes omitted outputs with the same `markOf`: whether anyone can spend them, and when the last lock ends. */
function omittedMark(owners: readonly ExplainedOwners[]): string {
  const last = owners.map(lastLock).reduce((most, lock) => (lock > most ? lock : most), 0n)
  const open = owners[0]!.threshold === 0 ? ' to anyone' : ''
  return last === 0n ? open : `${open}, locked, the last until ${formatTime(last)}`
}

/** The row that sums up omitted items of one asset. */
function omittedRow(
  label: string,
  omitted: readonly {
    readonly assetID?: string | undefined
    readonly amount?: bigint | undefined
  }[],
  rest: string,
  explanation: Explanation,
): TextRow {
  const { assetID, amount: first } = omitted[0]!
  if (first === undefined) return [label, '', '', rest]
  const sum = omitted.reduce((total, { amount }) => total + (amount ?? 0n), 0n)
  return amountRow(label, assetID, sum, rest, explanation)
}

function placeText({ exported }: ExplainedOutput, { destinationChain }: Explanation): string {
  return exported ? ` on ${chainText(destinationChain)}` : ''
}

function outputRow(label: string, output: ExplainedOutput, explanation: Explanation): TextRow {
  const { type, assetID, amount, owners, change } = output
  const where = placeText(output, explanation)
  const rest = `to ${ownersText(owners)}${where}${change ? ' (change)' : ''}`
  if (amount !== undefined) return amountRow(label, assetID, amount, rest, explanation)
  return [label, '', '', `${THINGS[type]} of ${assetID ?? 'the new asset'} ${rest}`]
}

function chainText(chain: ExplainedChain | undefined): string {
  return chain?.alias === undefined ? `chain ${chain?.chainID}` : `the ${chain.alias}-Chain`
}

/**
 * The rows of a list. A long list shows, for each key, the rows with the largest amounts and one row that sums up the
 * others: an omitted amount is never larger than those shown.
 */
function abbreviated<T extends { readonly amount?: bigint | undefined }, R>(
  items: readonly T[],
  keyOf: (item: T) => string,
  rowOf: (item: T) => R,
  rowOfOmitted: (omitted: readonly T[]) => R,
): R[] {
  if (items.length <= MAX_ROWS) return items.map(rowOf)
  const lists = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const list = lists.get(key)
    if (list === undefined) lists.set(key, [item])
    else list.push(item)
  }
  return [...lists.values()].flatMap((list) => {
    const sorted = list.toSorted((a, b) => compareBigints(b.amount ?? 0n, a.amount ?? 0n))
    const shown = sorted.slice(0, ROWS_PER_KEY).map(rowOf)
    const omitted = sorted.slice(ROWS_PER_KEY)
    return omitted.length === 0 ? shown : [...shown, rowOfOmitted(omitted)]
  })
}

function amountRow(
  label: string,
  assetID: string | undefined,
  amount: bigint,
  rest: string,
  explanation: Explanation,
): TextRow {
  const { assets, newAsset } = explanation
  const details = assetID === undefined ? newAsset : assets[assetID]
  // Without decimals, the amount is shown in base units.
  if (details === undefined || details.denomination > MAX_DENOMINATION)
    return [label, amount.toString(), `units of ${assetID ?? 'the new asset'}`, rest]
  return [
    label,
    formatAmount(amount, details.denomination),
    unitOf(assetID, details, explanation),
    rest,
  ]
}

/**
 * The unit of an amount. Anyone can create an asset with the symbol of another: assets that the caller does not vouch
 * for are shown with their ID first and their symbol in quotation marks. The native asset is always shown by its symbol
 * alone, others show their ID too if another asset has the same symbol, ignoring case.
 */
export function unitOf(
  assetID: string | undefined,
  { symbol, known }: AssetDetails & { readonly known?: boolean },
  { assets, network }: Explanation,
): string {
  const name = symbolText(symbol)
  if (assetID === network.assetID) return name
  if (assetID === undefined || !known) return `${assetID ?? 'the new asset'} "${name}"`
  const isShared = Object.keys(assets).some(
    (id) => id !== assetID && symbolText(assets[id]!.symbol).toUpperCase() === name.toUpperCase(),
  )
  return isShared ? `${name} of ${assetID}` : name
}

function burnRows(explanation: Explanation): TextRow[] {
  const { burned, operations } = explanation
  const rights = operations.flatMap(({ destroys, assetID }) =>
    destroys === undefined ? [] : [{ destroys, assetID, amount: undefined }],
  )
  if (burned.length === 0 && rights.length === 0) return [['burn', '', '', 'nothing']]
  return [
    ...burned.map(({ assetID, amount }) =>
      amountRow('burn', assetID, amount, 'destroyed', explanation),
    ),
    ...abbreviated<(typeof rights)[number], TextRow>(
      rights,
      ({ assetID }) => assetID,
      ({ destroys, assetID }) => ['burn', '', '', `${destroys} of ${assetID}`],
      (omitted) => ['burn', '', '', `${omitted.length} more`],
    ),
  ]
}

function signatureText({ needed, made, invalid, unverified }: Explanation['signatures']): string {
  const parts = [`${made} of ${needed} signatures made`]
  if (unverified > 0) parts.push(`${unverified} not verified: the UTXOs are not known`)
  if (invalid > 0) parts.push(`${invalid} invalid`)
  return parts.join(', ')
}

/** A policy and its address book, with the checksums to compare. */
export function policyText({ name, checksum, addressBook }: PolicyLabel): string {
  const book =
    addressBook === undefined
      ? ''
      : `, address book ${addressBook.edition}: ${escaped(addressBook.checksum)}`
  return `${quoted(name)}: ${escaped(checksum)}${book}`
}

function otherRows(explanation: Explanation): TextRow[] {
  const { newAsset, memo, size, maxSize, signatures, signerSets, digest, policy } = explanation
  const rows: TextRow[] = []
  if (newAsset !== undefined) {
    const { name, symbol, denomination } = newAsset
    const asset = `"${labelText(name)}", symbol "${symbolText(symbol)}", ${count(denomination, 'decimal')}`
    rows.push(['asset', '', '', asset])
  }
  for (const [assetID, details] of describedAssets(explanation)) {
    const unit = unitOf(assetID, details, explanation)
    const name = unit.includes(assetID) ? unit : `${unit} is ${assetID}`
    rows.push(['asset', '', '', `${name}, ${count(details.denomination, 'decimal')}`])
  }
  const text = memo.text === undefined ? 'no text' : quoted(memo.text)
  rows.push(['memo', '', '', memo.hex === '' ? 'none' : `${text}, 0x${memo.hex}`])
  rows.push(['size', '', '', `${size} of ${maxSize} bytes`])
  rows.push(['sign', '', '', signatureText(signatures)])
  const sets = signerSets ?? []
  for (const { signers, missing } of sets.slice(0, MAX_SETS)) {
    const state = missing.length === 0 ? 'complete' : `missing ${addressList(missing)}`
    rows.push(['set', '', '', `${addressList(signers)}: ${state}`])
  }
  if (sets.length > MAX_SETS)
    rows.push(['set', '', '', `${sets.length - MAX_SETS} more signer sets`])
  rows.push(['digest', '', '', digest])
  if (policy !== undefined) rows.push(['policy', '', '', policyText(policy)])
  return rows
}

/** Assets of the totals with known decimals, except the native one. */
function describedAssets({ totals, assets, network }: Explanation): [string, AssetDetails][] {
  return totals.flatMap(({ assetID }): [string, AssetDetails][] => {
    const details = assetID === undefined ? undefined : assets[assetID]
    return assetID === undefined || assetID === network.assetID || details === undefined
      ? []
      : [[assetID, details]]
  })
}

/** Formats owners in one line. */
export function ownersText(owners: ExplainedOwners | undefined): string {
  if (owners === undefined) return 'an unknown owner'
  const { threshold, addresses, locktime, stakeableLocktime = 0n } = owners
  const staking =
    stakeableLocktime === 0n ? '' : `, only for staking until ${formatTime(stakeableLocktime)}`
  const lock = `${locktime === 0n ? '' : `, locked until ${formatTime(locktime)}`}${staking}`
  if (threshold === 0 || addresses.length === 0) return `anyone${lock}`
  if (addresses.length === 1) return `${addresses[0]}${lock}`
  return `${threshold} of ${addresses.length}: ${addressList(addresses)}${lock}`
}

/** Joins addresses; a long list is abbreviated. */
function addressList(addresses: readonly string[]): string {
  const shown = addresses.slice(0, MAX_LISTED_ADDRESSES).join(', ')
  return addresses.length <= MAX_LISTED_ADDRESSES
    ? shown
    : `${shown} and ${addresses.length - MAX_LISTED_ADDRESSES} more`
}

/** Longer units, which name an asset by its ID, do not widen the column. */
const MAX_UNIT_WIDTH = 8

/** Aligns rows in columns two spaces apart, amounts at their decimal points. */
function layOut(rows: readonly TextRow[]): string[] {
  const parts = rows.map(([label, amount, unit, rest]) => {
    const point = amount.includes('.') ? amount.indexOf('.') : amount.length
    return { label, whole: amount.slice(0, point), decimals: amount.slice(point), unit, rest }
  })
  const labelWidth = longest(parts.map(({ label }) => label))
  const wholeWidth = longest(parts.map(({ whole }) => whole))
  const decimalsWidth = longest(parts.map(({ decimals }) => decimals))
  const units = parts.map(({ unit }) => unit)
  const unitWidth = longest(units.filter(({ length }) => length <= MAX_UNIT_WIDTH))
  return parts.map(({ label, whole, decimals, unit, rest }) => {
    const paddedLabel = label.padEnd(labelWidth)
    if (whole === '') return `${paddedLabel}  ${rest}`
    const amount = whole.padStart(wholeWidth) + decimals.padEnd(decimalsWidth)
    return `${paddedLabel}  ${amount}  ${unit.padEnd(unitWidth)}  ${rest}`.trimEnd()
  })
}

function longest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0)
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}
