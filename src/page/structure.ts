import { hex } from '../core/base/encoding/hex.ts'
import { actions, button, el, setChildren } from './dom.ts'
import { isNarrow } from './elements/dom.ts'
import { type Decoded, type Field, fieldsAt } from './spans.ts'

/** Number of bytes that are shown at once. */
const SHOWN = 2048
/** Number of parts of a field that are listed at once. */
const PARTS = 100

/** The structure of bytes, and the bytes beside it. Selecting a field highlights its bytes, and the reverse. */
export function structure({ root, error }: Decoded, bytes: Uint8Array): HTMLElement {
  const table = el('div', { class: 'bytes', role: 'group', 'aria-label': 'bytes', tabindex: 0 })
  const place = el('p', { class: 'hint', role: 'status' })
  const items = new Map<Field, Item>()
  const perRow = isNarrow() ? 8 : 16
  let first = 0
  let selected: Field | undefined

  const drawBytes = () => {
    const rows = []
    const end = Math.min(bytes.length, first + SHOWN)
    for (let at = first; at < end; at += perRow)
      rows.push(byteRow(bytes, { at, end: at + perRow, selected, errorAt: error?.offset, pick }))
    setChildren(table, ...rows)
    before.disabled = first === 0
    after.disabled = end === bytes.length
  }
  const move = (by: number) => () => {
    first = clamp(first + by * SHOWN, bytes.length)
    drawBytes()
  }
  const before = button('Earlier bytes', move(-1))
  const after = button('Later bytes', move(1))
  const scrollTo = (offset: number) => {
    if (offset < first || offset >= first + SHOWN)
      first = clamp(offset - (offset % 16) - 64, bytes.length)
  }
  const select = (field: Field) => {
    if (selected !== undefined) items.get(selected)?.pick.setAttribute('aria-pressed', 'false')
    selected = field
    items.get(field)?.pick.setAttribute('aria-pressed', 'true')
    const name = field.path === '' ? 'everything' : field.path
    place.textContent = `${name}: bytes ${field.start} to ${field.end} (${field.end - field.start})`
    scrollTo(field.start)
    drawBytes()
    table.querySelector('.selected')?.scrollIntoView({ block: 'nearest' })
  }
  const pick = (offset: number) => {
    let holder: Pick<Item, 'reveal'> = list
    for (const field of fieldsAt(root, offset)) {
      holder.reveal?.(field)
      holder = items.get(field)!
    }
    const field = fieldsAt(root, offset).at(-1) ?? root
    select(field)
    items.get(field)?.pick.scrollIntoView({ block: 'nearest' })
  }
  const context: Context = { select, items, errorAt: error?.offset }
  const list = partListOf(root.parts, context, true)
  const tree = el('div', { class: 'tree', role: 'group', 'aria-label': 'structure' }, list.element)
  if (error !== undefined) {
    scrollTo(error.offset)
    place.textContent = `the error is at byte ${error.offset}`
    // Once the table is in the page and has a height; the page itself must not scroll away from the error.
    queueMicrotask(() => {
      const row = table.querySelector<HTMLElement>('.fault') ?? table.lastElementChild
      table.scrollTop = (row as HTMLElement).offsetTop - table.offsetTop
    })
  }
  drawBytes()
  return el(
    'div',
    { class: 'structure' },
    tree,
    el(
      'div',
      { class: 'beside' },
      place,
      table,
      bytes.length > SHOWN ? actions(before, after) : undefined,
    ),
  )
}

/** The elements that show a field. Fields of long lists get theirs when they are revealed. */
type Item = {
  readonly pick: HTMLButtonElement
  /** Opens the list of its parts and creates one of them; absent for a field without parts. */
  readonly reveal?: (part: Field) => void
}

type Context = {
  readonly select: (field: Field) => void
  readonly items: Map<Field, Item>
  readonly errorAt: number | undefined
}

type List = { readonly element: HTMLElement; readonly reveal: (part: Field) => void }

function partListOf(parts: readonly Field[], context: Context, open: boolean): List {
  const element = el('ul')
  let shown = 0
  const more = button('', () => {
    const first = shown
    showMore()
    element.children[first]?.querySelector('button')?.focus()
  })
  const rest = el('li', {}, more)
  const showMore = () => {
    rest.remove()
    const end = Math.min(parts.length, shown + PARTS)
    for (; shown < end; shown++) element.append(el('li', {}, itemOf(parts[shown]!, context, open)))
    const left = parts.length - shown
    if (left === 0) return
    more.textContent = `Show ${Math.min(PARTS, left)} of ${left} more`
    element.append(rest)
  }
  showMore()
  const reveal = (part: Field) => {
    while (!context.items.has(part)) showMore()
  }
  return { element, reveal }
}

function itemOf(field: Field, context: Context, open: boolean): Node {
  const { select, items, errorAt } = context
  const broken = errorAt !== undefined && field.start <= errorAt && errorAt <= field.end
  const pick = button('', () => select(field), {
    class: 'pick',
    'aria-pressed': 'false',
    'data-path': field.path,
  })
  pick.append(
    el('span', { class: 'name' }, field.name),
    ' ',
    el(
      'span',
      { class: 'value' },
      field.value === undefined ? (field.note ?? '') : shortened(field.value),
    ),
  )
  if (field.parts.length === 0) {
    items.set(field, { pick })
    return pick
  }
  const inner = el('div')
  let list: List | undefined
  // The parts of long lists are created when they are opened.
  const listed = () => {
    if (list === undefined) {
      list = partListOf(field.parts, context, field.parts.length <= 10)
      inner.append(list.element)
    }
    return list
  }
  const details = el(
    'details',
    {
      ontoggle: () => {
        if (details.open) listed()
      },
    },
    el('summary', { 'aria-label': `parts of ${field.name}` }),
    inner,
  )
  const reveal = (part: Field) => {
    details.open = true
    listed().reveal(part)
  }
  items.set(field, { pick, reveal })
  if ((open && field.parts.length <= 10) || broken) {
    details.open = true
    listed()
  }
  return el('div', { class: 'branch' }, pick, details)
}

type ByteRow = {
  readonly at: number
  readonly end: number
  readonly selected: Field | undefined
  readonly errorAt: number | undefined
  readonly pick: (offset: number) => void
}

function byteRow(bytes: Uint8Array, { at, end, selected, errorAt, pick }: ByteRow): HTMLElement {
  const row = el(
    'div',
    { class: 'byte-row' },
    el('span', { class: 'offset' }, String(at).padStart(6, ' ')),
  )
  for (let i = at; i < Math.min(end, bytes.length); i++) {
    const isSelected = selected !== undefined && selected.start <= i && i < selected.end
    const name = [isSelected ? 'selected' : '', i === errorAt ? 'fault' : ''].join(' ').trim()
    const byte = el(
      'span',
      { class: name === '' ? undefined : name },
      hex.encode(bytes.subarray(i, i + 1)),
    )
    // A pointer picks fields by their bytes; the structure does the same for keyboards.
    byte.addEventListener('click', () => pick(i))
    row.append(byte)
  }
  return row
}

/** The first byte to show, so that the last page is full. */
function clamp(offset: number, size: number): number {
  const last = Math.max(0, Math.ceil((size - SHOWN) / 16) * 16)
  return Math.max(0, Math.min(offset, last))
}

function shortened(text: string): string {
  return text.length <= 140 ? text : `${text.slice(0, 120)}… (${text.length} characters)`
}
