import type { AnyUTXO } from '../../core/sign/chain.ts'
import { formatExplanation } from '../../core/sign/explain/explain-text.ts'
import { formatTime } from '../../core/sign/explain/explain-warnings.ts'
import type { ExplainedOwners, Explanation } from '../../core/sign/explain/explanation.ts'
import type { AcceptCode } from '../../core/sign/sign.ts'
import { escaped, labelText, symbolText } from '../../core/sign/text.ts'
import type { WarningCode } from '../../core/sign/warnings.ts'
import { explainDetected, isTx, networkIDOf } from '../../inspect/explain.ts'
import { builtInContext } from '../../inspect/networks.ts'
import { type Child, el } from '../dom.ts'
import type { Loaded } from '../read.ts'
import type { ExplanationReader } from '../requests.ts'
import { addressElement } from './address.ts'
import { MEANINGS } from './dangers.ts'
import { diagrams } from './diagram.ts'
import { flowsOf } from './flows.ts'
import { headline, type Payment, type Summary, summaryOf } from './summary.ts'

/** More recipients and owners are listed in the text only. */
const MAX_SHOWN = 8

/** The current time in Unix seconds, with which locktimes are compared. */
export function now(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}

/** The explanation of a document, the same as that of `avmkit explain`; undefined if it has none. */
export function explanationOf(
  { found }: Loaded,
  reader: ExplanationReader,
  utxos: readonly AnyUTXO[] = [],
): Explanation | undefined {
  if (found?.kind === 'request') return found.request.explain(reader)
  if (found === undefined || !isTx(found)) return undefined
  const context = builtInContext(networkIDOf(found))
  return explainDetected(found, { ...reader, context, utxos })
}

/** All of an explanation: dangers first, then what leaves and what returns; the details are folded. */
export function explanationBox(explanation: Explanation): HTMLElement {
  const { title, network, warnings, digest } = explanation
  return el(
    'div',
    { class: 'explanation' },
    el('p', { class: 'what' }, `${escaped(title)}, ${escaped(network.chainAlias)}-Chain`),
    warningCards(warnings),
    figures(explanation),
    el(
      'div',
      { class: 'digest' },
      el('p', {}, 'Digest to compare with the other signers, by voice or on paper:'),
      el('code', {}, digest),
    ),
    diagrams(flowsOf(explanation)),
    wordsOf(explanation),
  )
}

/** The text of the library and of the command line. */
export function wordsOf(explanation: Explanation): HTMLElement {
  return el(
    'details',
    {},
    el('summary', {}, 'All details as text'),
    el(
      'pre',
      { tabindex: 0, class: 'words', 'aria-label': 'explanation' },
      formatExplanation(explanation),
    ),
  )
}

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
    danger ? accept?.(code as AcceptCode) : undefined,
  )
}

/** What leaves in large type, what returns, the fee and what is burned. */
export function figures(explanation: Explanation): HTMLElement {
  const summary = summaryOf(explanation)
  const { leaves, returns, fee, burned } = summary
  const { newAsset, operations } = explanation
  return el(
    'dl',
    { class: 'figures' },
    ...row('Leaves', 'leaves', ...paymentList(leaves, 'Nothing is paid to others.')),
    ...(newAsset === undefined
      ? []
      : row(
          'Creates',
          '',
          `the asset “${labelText(newAsset.name)}” (${symbolText(newAsset.symbol)})`,
        )),
    ...(operations.length === 0
      ? []
      : row('Does', '', ...operations.slice(0, MAX_SHOWN).map(({ words }) => el('p', {}, words)))),
    ...row('Returns', 'returns', ...paymentList(returns, 'Nothing returns.')),
    ...row('Fee', '', fee),
    ...(burned.length === 0
      ? []
      : row('Destroys', 'burns', ...burned.map((text) => el('p', {}, text)))),
  )
}

function row(name: string, kind: string, ...content: readonly Child[]): Child[] {
  return [el('dt', {}, name), el('dd', { class: kind === '' ? undefined : kind }, ...content)]
}

function paymentList(payments: readonly Payment[], none: string): Child[] {
  if (payments.length === 0) return [none]
  const left = payments.length - MAX_SHOWN
  return [
    ...payments.slice(0, MAX_SHOWN).map(paymentElement),
    left > 0 ? el('p', {}, `and ${left} more: see all details below`) : undefined,
  ]
}

function paymentElement({ number, unit, owners, outputs, exported }: Payment): HTMLElement {
  const notes = [
    exported ? 'exported to another chain' : '',
    outputs === 1 ? '' : `in ${outputs} outputs`,
  ].filter((note) => note !== '')
  return el(
    'div',
    { class: 'payment' },
    el('p', { class: 'amount' }, el('span', {}, number), ' ', el('span', {}, unit)),
    ...ownerLines(owners),
    notes.length === 0 ? undefined : el('p', { class: 'hint' }, notes.join(', ')),
  )
}

function ownerLines({
  threshold,
  addresses,
  locktime,
  stakeableLocktime = 0n,
}: ExplainedOwners): Child[] {
  const isOpen = threshold === 0 || addresses.length === 0
  const left = addresses.length - MAX_SHOWN
  return [
    isOpen
      ? el('p', {}, 'to anyone')
      : el(
          'p',
          {},
          addresses.length === 1 ? 'to' : `to ${threshold} of ${addresses.length} owners`,
        ),
    ...(isOpen ? [] : addresses.slice(0, MAX_SHOWN).map(addressElement)),
    left > 0 ? el('p', {}, `and ${left} more owners`) : undefined,
    locktime === 0n ? undefined : el('p', {}, `locked until ${formatTime(locktime)}`),
    stakeableLocktime === 0n
      ? undefined
      : el('p', {}, `only for staking until ${formatTime(stakeableLocktime)}`),
  ]
}

/** The figures in one sentence, for the place where they are signed. */
export function sentenceOf(summary: Summary): HTMLElement {
  const first = headline(summary)
  if (first === undefined)
    return el('p', { class: 'sentence' }, `Nothing is paid to others. Fee ${summary.fee}.`)
  const { amount, address, recipient, more } = first
  return el(
    'p',
    { class: 'sentence' },
    'You sign: ',
    el('span', { class: 'amount' }, amount),
    ' to ',
    address === undefined ? recipient : addressElement(address),
    more === 0 ? '' : ` and ${more} more ${more === 1 ? 'payment' : 'payments'}`,
    `. Fee ${summary.fee}.`,
  )
}
