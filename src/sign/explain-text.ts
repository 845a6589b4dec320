import { formatAmount } from '../encoding/amount.ts'
import { formatTime } from './explain-warnings.ts'
import type { AssetFacts, ExplainedOutput, ExplainedOwners, Explanation } from './explanation.ts'
import { escaped, quoted } from './text.ts'

/** Label, amount, unit, and what is left to say. */
type Row = readonly [label: string, amount: string, unit: string, rest: string]

const THINGS: { readonly [Type in ExplainedOutput['type']]: string } = {
  'secp256k1fx.TransferOutput': '',
  'secp256k1fx.MintOutput': 'right to mint',
  'nftfx.MintOutput': 'right to mint an NFT',
  'nftfx.TransferOutput': 'NFT',
  'propertyfx.MintOutput': 'right to mint properties',
  'propertyfx.OwnedOutput': 'property',
}

/**
 * An explanation as text in columns, one fact a line, ending in the warnings with their codes. Nothing in
 * it can hide: texts that come from the transaction are escaped.
 */
export function formatExplanation(explanation: Explanation): string {
  const { network, title } = explanation
  const head = `${title} on ${network.name} (network ${network.networkID}), ${network.chainAlias}-Chain`
  const rows: Row[] = [
    ...spendRows(explanation),
    ...explanation.operations.map(({ words, assetID, groupID, payload }): Row => {
      const group = groupID === undefined ? '' : `, group ${groupID}`
      return [
        'do',
        '',
        '',
        `${words} of ${assetID}${group}${payload ? `, payload 0x${payload}` : ''}`,
      ]
    }),
    ...explanation.pays.map((output) => outputRow('pay', output, explanation)),
    ...explanation.returns.map((output) => outputRow('return', output, explanation)),
    amountRow('fee', network.assetID, explanation.fee, '', explanation),
    ...burnRows(explanation),
    ...otherRows(explanation),
  ]
  const warnings = explanation.warnings.map(({ code, message }) => [code, message] as const)
  const width = Math.max(0, ...warnings.map(([code]) => code.length))
  return [
    head,
    ...layOut(rows),
    ...warnings.map(([code, message]) => `WARNING ${code.padEnd(width)}  ${message}`),
    '',
  ].join('\n')
}

/** UTXOs of one asset and the same owners in one line. */
function spendRows(explanation: Explanation): Row[] {
  const groups = new Map<
    string,
    { row: Explanation['spends'][number]; sum: bigint; count: number }
  >()
  for (const spend of explanation.spends) {
    const kind = [
      spend.assetID,
      spend.amount === undefined,
      spend.imported,
      ownersText(spend.owners),
    ]
    const key = kind.join()
    const group = groups.get(key) ?? { row: spend, sum: 0n, count: 0 }
    groups.set(key, { ...group, sum: group.sum + (spend.amount ?? 0n), count: group.count + 1 })
  }
  return Array.from(groups.values(), ({ row, sum, count }) => {
    const utxos = count === 1 ? row.utxo : `${count} UTXOs`
    const rest = `${row.imported ? 'imported ' : ''}${utxos} from ${ownersText(row.owners)}`
    return row.amount === undefined
      ? ['spend', '', '', `${rest}, asset ${row.assetID}`]
      : amountRow('spend', row.assetID, sum, rest, explanation)
  })
}

function outputRow(label: string, output: ExplainedOutput, explanation: Explanation): Row {
  const { type, assetID, amount, owners, change, exported } = output
  const where = exported ? ` on the ${explanation.peer?.alias ?? 'other'}-Chain` : ''
  const rest = `to ${ownersText(owners)}${where}${change ? ' (change)' : ''}`
  if (amount !== undefined) return amountRow(label, assetID, amount, rest, explanation)
  return [label, '', '', `${THINGS[type]} of ${assetID ?? 'the new asset'} ${rest}`]
}

function amountRow(
  label: string,
  assetID: string | undefined,
  amount: bigint,
  rest: string,
  explanation: Explanation,
): Row {
  const { assets, newAsset } = explanation
  const facts = assetID === undefined ? newAsset : assets[assetID]
  // Without its decimals an amount can only be given in smallest units.
  if (facts === undefined) return [label, amount.toString(), `units of ${assetID}`, rest]
  const denomination = Math.min(facts.denomination, 32)
  return [label, formatAmount(amount, denomination), unitOf(assetID, facts, explanation), rest]
}

/** Anyone can call an asset like another: where two share a symbol, only the native one has it alone. */
function unitOf(
  assetID: string | undefined,
  { symbol }: AssetFacts,
  { assets, newAsset, network }: Explanation,
): string {
  const others = Object.keys(assets).filter((id) => id !== assetID && assets[id]!.symbol === symbol)
  const isShared = others.length > 0 || (assetID !== undefined && newAsset?.symbol === symbol)
  if (!isShared || assetID === network.assetID) return escaped(symbol)
  return `${escaped(symbol)} of ${assetID ?? 'the new asset'}`
}

function burnRows(explanation: Explanation): Row[] {
  const { burned } = explanation
  if (burned.length === 0) return [['burn', '', '', 'nothing']]
  return burned.map(({ assetID, amount }) =>
    amountRow('burn', assetID, amount, 'destroyed', explanation),
  )
}

function otherRows(explanation: Explanation): Row[] {
  const { newAsset, memo, size, maxSize, signatures, signerSets } = explanation
  const rows: Row[] = []
  if (newAsset !== undefined) {
    const { name, symbol, denomination } = newAsset
    const asset = `${quoted(name)}, symbol ${quoted(symbol)}, ${denomination} ${denomination === 1 ? 'decimal' : 'decimals'}`
    rows.push(['asset', '', '', asset])
  }
  const text = memo.text === undefined ? 'no text' : quoted(memo.text)
  rows.push(['memo', '', '', memo.hex === '' ? 'none' : `${text}, 0x${memo.hex}`])
  rows.push(['size', '', '', `${size} of ${maxSize} bytes`])
  rows.push(['sign', '', '', `${signatures.made} of ${signatures.needed} signatures made`])
  for (const { signers, missing } of signerSets ?? []) {
    const state = missing.length === 0 ? 'complete' : `missing ${missing.join(', ')}`
    rows.push(['set', '', '', `${signers.join(', ')}: ${state}`])
  }
  return rows
}

/** Who may spend something, in one line. */
export function ownersText(owners: ExplainedOwners | undefined): string {
  if (owners === undefined) return 'an unknown owner'
  const { threshold, addresses, locktime } = owners
  const lock = locktime === 0n ? '' : `, locked until ${formatTime(locktime)}`
  if (addresses.length === 0) return `anyone${lock}`
  if (addresses.length === 1) return `${addresses[0]}${lock}`
  return `${threshold} of ${addresses.length}: ${addresses.join(', ')}${lock}`
}

/** Columns two spaces apart, amounts with their points below each other. */
function layOut(rows: readonly Row[]): string[] {
  const parts = rows.map(([label, amount, unit, rest]) => {
    const point = amount.includes('.') ? amount.indexOf('.') : amount.length
    return { label, whole: amount.slice(0, point), decimals: amount.slice(point), unit, rest }
  })
  const widest = (pick: (part: (typeof parts)[number]) => string) =>
    Math.max(...parts.map((part) => pick(part).length))
  const label = widest((part) => part.label)
  const whole = widest((part) => part.whole)
  const decimals = widest((part) => part.decimals)
  const unit = widest((part) => (part.unit.length > 8 ? '' : part.unit))
  return parts.map((part) => {
    const name = part.label.padEnd(label)
    if (part.whole === '') return `${name}  ${part.rest}`
    const amount = part.whole.padStart(whole) + part.decimals.padEnd(decimals)
    return `${name}  ${amount}  ${part.unit.padEnd(unit)}  ${part.rest}`.trimEnd()
  })
}
