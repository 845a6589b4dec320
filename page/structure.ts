import { hex } from '../src/encoding/hex.ts'
import { actions, button, el, isNarrow, show } from './dom.ts'
import { type Decoded, type Field, fieldAt } from './spans.ts'

/** Number of bytes that are shown at once. */
const SHOWN = 2048
/** Parts of a field that are listed at once. */
const PARTS = 100

/** The structure of some bytes and the bytes beside it. Selecting a field highlights its bytes, and the reverse. */
export function structure({ root, error }: Decoded, bytes: Uint8Array): HTMLElement {
  const table = el('div', { class: 'bytes', role: 'group', 'aria-label': 'bytes', tabindex: 0 })
  const place = el('p', { class: 'hint', role: 'status' })
  const buttons = new Map<string, HTMLButtonElement>()
  const perRow = isNarrow() ? 8 : 16
  let first = 0
  let selected: Field | undefined

  const drawBytes = () => {
    const rows = []
    const end = Math.min(bytes.length, first + SHOWN)
    for (let at = first; at < end; at += perRow)
      rows.push(byteRow(bytes, { at, end: at + perRow, selected, errorAt: error?.offset, pick }))
    show(table, ...rows)
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
    const earlier = selected === undefined ? undefined : buttons.get(selected.path)
    earlier?.setAttribute('aria-pressed', 'false')
    selected = field
    buttons.get(field.path)?.setAttribute('aria-pressed', 'true')
    const name = field.path === '' ? 'everything' : field.path
    place.textContent = `${name}: bytes ${field.start} to ${field.end} (${field.end - field.start})`
    scrollTo(field.start)
    drawBytes()
    table.querySelector('.selected')?.scrollIntoView({ block: 'nearest' })
  }
  const pick = (offset: number) => {
    const field = fieldAt(root, offset)
    reveal(field.path)
    select(field)
    buttons.get(field.path)?.scrollIntoView({ block: 'nearest' })
  }
  /** Opens the groups around a field, so that its button exists. */
  const reveal = (path: string) => {
    for (const details of tree.querySelectorAll<HTMLDetailsElement>('details'))
      if (path.startsWith(details.dataset.path ?? '')) details.open = true
  }
  const tree = el('div', { class: 'tree', role: 'group', 'aria-label': 'structure' })
  const context: Context = { select, buttons, errorAt: error?.offset }
  tree.append(listOf(root.parts, context, true))
  if (error !== undefined) {
    scrollTo(error.offset)
    place.textContent = `the error is at byte ${error.offset}`
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

type Context = {
  readonly select: (field: Field) => void
  readonly buttons: Map<string, HTMLButtonElement>
  readonly errorAt: number | undefined
}

function listOf(parts: readonly Field[], context: Context, open: boolean): HTMLElement {
  const list = el('ul')
  const more = (from: number) => {
    const end = Math.min(parts.length, from + PARTS)
    for (let i = from; i < end; i++) list.append(el('li', {}, itemOf(parts[i]!, context, open)))
    if (end === parts.length) return
    const rest = el(
      'li',
      {},
      button(`Show ${Math.min(PARTS, parts.length - end)} of ${parts.length - end} more`, () => {
        rest.remove()
        more(end)
        list.children[end]?.querySelector('button')?.focus()
      }),
    )
    list.append(rest)
  }
  more(0)
  return list
}

function itemOf(field: Field, context: Context, open: boolean): Node {
  const { select, buttons, errorAt } = context
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
  buttons.set(field.path, pick)
  if (field.parts.length === 0) return pick
  const inner = el('div')
  const details = el(
    'details',
    {
      'data-path': field.path,
      // The parts of long lists are created when they are opened.
      ontoggle: () => {
        if (details.open && inner.childElementCount === 0)
          inner.append(listOf(field.parts, context, field.parts.length <= 10))
      },
    },
    el('summary', { 'aria-label': `parts of ${field.name}` }),
    inner,
  )
  if ((open && field.parts.length <= 10) || broken) {
    details.open = true
    inner.append(listOf(field.parts, context, field.parts.length <= 10))
  }
  return el('div', { class: 'branch' }, pick, details)
}

type Row = {
  readonly at: number
  readonly end: number
  readonly selected: Field | undefined
  readonly errorAt: number | undefined
  readonly pick: (offset: number) => void
}

function byteRow(bytes: Uint8Array, { at, end, selected, errorAt, pick }: Row): HTMLElement {
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
