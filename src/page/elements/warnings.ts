import { isPolicyCode } from '../../core/sign/policy.ts'
import type { AcceptCode } from '../../core/sign/sign.ts'
import { escaped } from '../../core/sign/text.ts'
import type { WarningCode } from '../../core/sign/warnings.ts'
import { MEANINGS } from './dangers.ts'
import { el } from './dom.ts'

/** A warning, or a reason of the library to refuse a key. */
export type Shown = {
  readonly code: WarningCode | AcceptCode
  readonly message: string
  readonly danger: boolean
}

/** Warnings as cards, dangers first. `accept` adds to a danger what is needed to accept it. */
export function warningCards(
  warnings: readonly Shown[],
  accept?: (code: AcceptCode) => HTMLElement,
): HTMLElement {
  if (warnings.length === 0) return el('p', { class: 'good' }, 'No warnings.')
  const ordered = [...warnings.filter((each) => each.danger), ...warnings.filter((w) => !w.danger)]
  return el('ul', { class: 'warnings' }, ...ordered.map((each) => warningCard(each, accept)))
}

/** One warning: what it is, what happens, and what to compare. */
function warningCard(
  { code, message, danger }: Shown,
  accept?: (code: AcceptCode) => HTMLElement,
): HTMLElement {
  const { title, consequence, compare } = MEANINGS[code]
  return el(
    'li',
    { class: danger ? 'danger' : 'warning' },
    el(
      'div',
      { class: 'card-head' },
      el('p', { class: 'card-title' }, title),
      el('strong', {}, `${danger ? 'DANGER' : 'WARNING'} ${code}`),
    ),
    el('p', { class: 'message' }, escaped(message)),
    el('p', {}, consequence),
    el('p', {}, el('em', {}, 'Compare: '), compare),
    danger && !isPolicyCode(code) ? accept?.(code as AcceptCode) : undefined,
  )
}

/** A box to accept a danger. */
export function acceptBox(
  code: AcceptCode,
  isAccepted: boolean,
  change: (isAccepted: boolean) => void,
): HTMLElement {
  const box = el('input', { type: 'checkbox', onchange: () => change(box.checked) })
  box.checked = isAccepted
  return el('label', { class: 'check' }, box, ` Accept ${code}: I have compared it`)
}
