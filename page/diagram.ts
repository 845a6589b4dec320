import { formatAmount } from '../src/encoding/amount.ts'
import { ownersText } from '../src/sign/explain-text.ts'
import type { AssetTotal, ExplainedOwners, Explanation } from '../src/sign/index.ts'
import { escaped, symbolText } from '../src/sign/text.ts'
import { el, isNarrow, svg } from './dom.ts'

/** A block at one side of a diagram. */
type Block = {
  readonly kind: string
  readonly label: string
  readonly title: string
  amount: bigint
}

/** Widths of the image and of its blocks, in the unit of its texts. */
type Layout = { readonly width: number; readonly block: number }

const WIDE: Layout = { width: 720, block: 230 }
/** For screens on which the wide layout would have to be scrolled to see who is paid. */
const NARROW: Layout = { width: 336, block: 150 }
const ROW = 46
/** More blocks than this on one side are summed up. */
const MAX_BLOCKS = 8

/** One diagram for each asset whose amounts move: where they come from at the left, where they go at the right. */
export function diagrams(explanation: Explanation): HTMLElement {
  const figures = explanation.totals
    .filter(({ spent, minted }) => spent + minted > 0n)
    .map((total) => diagram(total, explanation))
  return el('div', { class: 'diagrams' }, ...figures)
}

function diagram(total: AssetTotal, explanation: Explanation): HTMLElement {
  const { assetID } = total
  const text = (amount: bigint) => amountText(amount, assetID, explanation)
  const sources = summed(sourcesOf(total, explanation), text)
  const targets = summed(targetsOf(total, explanation), text)
  const sum = total.spent + total.minted
  const height = Math.max(sources.length, targets.length) * ROW
  const layout = isNarrow() ? NARROW : WIDE
  const name = assetName(assetID, explanation)
  const words = [
    `${text(sum)} spent or minted`,
    ...targets.map(({ kind, label, amount }) => `${kind} ${text(amount)} ${label}`),
  ].join('; ')
  const image = svg(
    'svg',
    {
      class: 'flow',
      role: 'img',
      'aria-label': `${name}: ${words}`,
      viewBox: `0 0 ${layout.width} ${height}`,
    },
    ...side(sources, sum, height, layout, 0, text),
    ...side(targets, sum, height, layout, 1, text),
  )
  return el('figure', {}, el('figcaption', {}, name), image)
}

function side(
  blocks: readonly Block[],
  sum: bigint,
  height: number,
  { width, block }: Layout,
  at: 0 | 1,
  text: (amount: bigint) => string,
): SVGElement[] {
  const x = at === 0 ? 0 : width - block
  const edge = at === 0 ? block : width - block
  const middle = width / 2
  const gap = (height - blocks.length * ROW) / 2
  let inner = 0
  return blocks.map(({ kind, label, title, amount }, i) => {
    const y = gap + i * ROW
    // The middle is the whole sum, so that the ribbons show each share of it; a share is at least visible.
    const share = Number((amount * 100_000n) / sum) / 100_000
    const end = inner + share * height
    const low = Math.max(end, inner + 1)
    const half = Math.max(1.5, share * (ROW - 6)) / 2
    const [top, bottom] = [y + ROW / 2 - half, y + ROW / 2 + half]
    const bend = (edge + middle) / 2
    const there = `M${edge} ${top}C${bend} ${top} ${bend} ${inner} ${middle} ${inner}`
    const back = `V${low}C${bend} ${low} ${bend} ${bottom} ${edge} ${bottom}Z`
    const ribbon = `${there}${back}`
    inner = end
    return svg(
      'g',
      { class: `flow-${kind}` },
      svg('title', {}, title),
      svg('path', { d: ribbon, class: 'ribbon' }),
      svg('rect', { x, y: y + 2, width: block, height: ROW - 4, rx: 4 }),
      line(`${kind} ${text(amount)}`, 13, { x: x + 8, y: y + 19 }, block - 16),
      line(label, 11.5, { x: x + 8, y: y + 36, class: 'small' }, block - 16),
    )
  })
}

/** A text that is compressed if it is too long for its block: a part of an amount or address would mislead. */
function line(
  text: string,
  fontSize: number,
  place: { readonly x: number; readonly y: number; readonly class?: string },
  most: number,
): SVGElement {
  // More than the average width of a character in common fonts.
  const isLong = text.length * fontSize * 0.6 > most
  const fit = isLong ? { textLength: most, lengthAdjust: 'spacingAndGlyphs' } : {}
  return svg('text', { ...place, ...fit }, text)
}

function sourcesOf({ assetID, minted }: AssetTotal, { spends }: Explanation): Block[] {
  const groups = new Map<string, Block>()
  for (const spend of spends) {
    if (spend.assetID !== assetID || spend.amount === undefined) continue
    const claim = spend.proven || spend.owners === undefined ? '' : ' (unproven)'
    const title = `${ownersText(spend.owners)}${claim}`
    const kind = spend.imported ? 'import' : 'spend'
    const block = groups.get(kind + title)
    if (block === undefined)
      groups.set(kind + title, {
        kind,
        title,
        label: `from ${shortOwners(spend.owners)}${claim}`,
        amount: spend.amount,
      })
    else block.amount += spend.amount
  }
  const mint = {
    kind: 'mint',
    label: 'new units',
    title: 'minted by this transaction',
    amount: minted,
  }
  return [...groups.values(), ...(minted === 0n ? [] : [mint])]
}

function targetsOf({ assetID, fee, burned }: AssetTotal, { pays, returns }: Explanation): Block[] {
  const outputs = [
    ...pays.map((output) => ({ kind: 'pay', output })),
    ...returns.map((output) => ({ kind: 'return', output })),
  ].flatMap(({ kind, output }): Block[] => {
    if (output.assetID !== assetID || output.amount === undefined) return []
    const where = output.exported ? ' (exported)' : ''
    return [
      {
        kind,
        label: `to ${shortOwners(output.owners)}${where}`,
        title: `${ownersText(output.owners)}${where}`,
        amount: output.amount,
      },
    ]
  })
  return [
    ...outputs,
    ...(fee === 0n
      ? []
      : [{ kind: 'fee', label: 'charged by the network', title: 'fee', amount: fee }]),
    ...(burned === 0n
      ? []
      : [{ kind: 'burn', label: 'destroyed for nothing', title: 'burned', amount: burned }]),
  ]
}

/** The largest blocks; the others of each kind become one. Fee and burn are never among those. */
function summed(blocks: readonly Block[], text: (amount: bigint) => string): Block[] {
  if (blocks.length <= MAX_BLOCKS) return [...blocks]
  const fixed = blocks.filter(({ kind }) => kind === 'fee' || kind === 'burn' || kind === 'mint')
  const others = blocks.filter((block) => !fixed.includes(block))
  const sorted = others.toSorted((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0))
  const kinds = new Map<string, Block[]>()
  for (const block of sorted.splice(MAX_BLOCKS - 3 - fixed.length))
    kinds.set(block.kind, [...(kinds.get(block.kind) ?? []), block])
  const rest = Array.from(kinds, ([kind, list]) => {
    const amount = list.reduce((sum, block) => sum + block.amount, 0n)
    return {
      kind,
      label: `in ${list.length} more`,
      title: `${list.length} more, ${text(amount)}`,
      amount,
    }
  })
  return [...sorted, ...rest, ...fixed]
}

function shortOwners(owners: ExplainedOwners | undefined): string {
  if (owners === undefined) return 'an unknown owner'
  const { addresses, threshold } = owners
  const [first] = addresses
  if (first === undefined) return 'anyone'
  const short = first.length > 24 ? `${first.slice(0, 12)}…${first.slice(-6)}` : first
  const lock = owners.locktime === 0n ? '' : ', locked'
  return addresses.length === 1
    ? `${short}${lock}`
    : `${threshold} of ${addresses.length} owners${lock}`
}

function amountText(amount: bigint, assetID: string | undefined, explanation: Explanation): string {
  const known = assetID === undefined ? explanation.newAsset : explanation.assets[assetID]
  if (known === undefined || known.denomination > 32) return `${amount} units`
  return `${formatAmount(amount, known.denomination)} ${symbolText(known.symbol)}`
}

function assetName(assetID: string | undefined, explanation: Explanation): string {
  if (assetID === undefined) return 'the new asset'
  const known = explanation.assets[assetID]
  if (assetID === explanation.network.assetID) return 'AVAX'
  return known === undefined ? assetID : `${escaped(symbolText(known.symbol))}, asset ${assetID}`
}
