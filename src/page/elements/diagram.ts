import { addressElement } from './address.ts'
import { el, isNarrow, svg } from './dom.ts'
import type { Flow, FlowBlock } from './flows.ts'

/** Widths of the image and of its blocks, in the unit of its texts. */
type Layout = { readonly width: number; readonly block: number }

const WIDE: Layout = { width: 720, block: 230 }
/** For screens on which the wide layout would have to be scrolled to see who is paid. */
const NARROW: Layout = { width: 336, block: 150 }
const ROW = 46
/** If one side has more blocks than this, the smallest are summed up. */
const MAX_BLOCKS = 8
/** How many owners are listed below a diagram. */
const MAX_LISTED = 100

/** One diagram for each asset whose amounts move: where they come from at the left, where they go at the right. */
export function diagrams(flows: readonly Flow[]): HTMLElement {
  return el('div', { class: 'diagrams' }, ...flows.map(diagram))
}

function diagram({ name, sum, text, ...sides }: Flow): HTMLElement {
  const sources = summed(sides.sources, text)
  const targets = summed(sides.targets, text)
  const height = Math.max(sources.length, targets.length) * ROW
  const layout = isNarrow() ? NARROW : WIDE
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
    ...side(sources, sum, height, layout, 'left', text),
    ...side(targets, sum, height, layout, 'right', text),
  )
  return el(
    'figure',
    {},
    el('figcaption', {}, name),
    image,
    fullAddresses([...sides.sources, ...sides.targets], text),
  )
}

/** The diagram shortens addresses; here they are complete. */
function fullAddresses(
  blocks: readonly FlowBlock[],
  text: (amount: bigint) => string,
): HTMLElement | undefined {
  const owned = blocks.filter(({ addresses }) => addresses.length > 0)
  if (owned.length === 0) return undefined
  const rows = owned
    .slice(0, MAX_LISTED)
    .map(({ kind, amount, addresses }) =>
      el('li', {}, `${kind} ${text(amount)}`, ...addresses.map(addressElement)),
    )
  const left = owned.length - rows.length
  if (left > 0) rows.push(el('li', {}, `${left} more`))
  return el(
    'details',
    {},
    el('summary', {}, 'Full addresses of this diagram'),
    el('ul', { class: 'owners' }, ...rows),
  )
}

function side(
  blocks: readonly FlowBlock[],
  sum: bigint,
  height: number,
  { width, block }: Layout,
  position: 'left' | 'right',
  text: (amount: bigint) => string,
): SVGElement[] {
  const x = position === 'left' ? 0 : width - block
  const edge = position === 'left' ? block : width - block
  const middle = width / 2
  const gap = (height - blocks.length * ROW) / 2
  let inner = 0
  return blocks.map(({ kind, label, title, amount }, i) => {
    const y = gap + i * ROW
    // The ribbons of a side fill the height in the middle in proportion to their shares; the smallest stay visible.
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

/** The largest blocks; the other blocks of each kind are summed up in one. Fee, burn and mint keep their blocks. */
function summed(blocks: readonly FlowBlock[], text: (amount: bigint) => string): FlowBlock[] {
  if (blocks.length <= MAX_BLOCKS) return [...blocks]
  const fixed = blocks.filter(({ kind }) => kind === 'fee' || kind === 'burn' || kind === 'mint')
  const others = blocks.filter((block) => !fixed.includes(block))
  const sorted = others.toSorted((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0))
  const kinds = new Map<string, FlowBlock[]>()
  for (const block of sorted.splice(MAX_BLOCKS - 3 - fixed.length))
    kinds.set(block.kind, [...(kinds.get(block.kind) ?? []), block])
  const rest = Array.from(kinds, ([kind, list]) => {
    const amount = list.reduce((sum, block) => sum + block.amount, 0n)
    return {
      kind,
      label: `in ${list.length} more`,
      title: `${list.length} more, ${text(amount)}`,
      addresses: [],
      amount,
    }
  })
  return [...sorted, ...rest, ...fixed]
}
