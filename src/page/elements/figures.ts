import { formatTime } from '../../core/sign/explain/explain-warnings.ts'
import type { ExplainedOwners, Explanation } from '../../core/sign/explain/explanation.ts'
import { labelText, symbolText } from '../../core/sign/text.ts'
import { addressElement } from './address.ts'
import { type Child, el } from './dom.ts'
import { headline, type Payment, type Summary, summaryOf } from './summary.ts'

/** More recipients and owners are listed in the text only. */
const MAX_SHOWN = 8

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
    el(
      'p',
      {},
      el('span', { class: 'amount' }, el('span', {}, number), ' ', el('span', {}, unit)),
      ` to ${recipientText(owners)}`,
    ),
    ...ownerLines(owners),
    notes.length === 0 ? undefined : el('p', { class: 'hint' }, notes.join(', ')),
  )
}

/** Who receives, as far as the addresses below do not say it. */
function recipientText({ threshold, addresses }: ExplainedOwners): string {
  if (threshold === 0 || addresses.length === 0) return 'anyone'
  return addresses.length === 1 ? '' : `${threshold} of ${addresses.length} owners`
}

function ownerLines({
  threshold,
  addresses,
  locktime,
  stakeableLocktime = 0n,
}: ExplainedOwners): Child[] {
  const left = addresses.length - MAX_SHOWN
  return [
    ...(threshold === 0 ? [] : addresses.slice(0, MAX_SHOWN).map(addressElement)),
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
