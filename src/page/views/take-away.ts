import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { actions, button, details, el, setChildren } from '../dom.ts'
import { saveFile } from '../forbid-leaving.ts'
import { intake } from '../intake.ts'
import { splitFrames } from '../qr/bbqr.ts'
import { qrSeries } from '../qr/qr.ts'
import type { PageRequest } from '../requests.ts'
import { signerList } from './key.ts'
import type { View, ViewHost } from './view.ts'

/** Shows what is missing, hands the request on, merges copies, and makes the signed transaction. */
export function takeAwayView(host: ViewHost): View {
  const element = el('div')
  const update = () => {
    const request = host.request()
    if (request === undefined)
      return setChildren(element, el('p', {}, 'Load a signing request first.'))
    const next = el('p', {}, nextStep(request))
    setChildren(
      element,
      stateBox(request, host.progress().isSigned, next),
      shareBox(request, () => {
        next.textContent = 'Take the transaction to an online machine, and issue it there.'
      }),
      request.state.complete ? undefined : signerList(request),
      mergeBox(request, (next) => host.replace(next, false)),
    )
  }
  return { element, update }
}

/** What was done, and what comes next. */
function stateBox({ state }: PageRequest, isSigned: boolean, next: HTMLElement): HTMLElement {
  const { complete, signerSets } = state
  const missing = Math.min(...signerSets.map((set) => set.missing.length))
  const title = complete
    ? 'Complete: all signatures are there'
    : `${isSigned ? 'Signed. ' : ''}${missing} ${missing === 1 ? 'signature is' : 'signatures are'} missing`
  return el(
    'div',
    { class: isSigned || complete ? 'state success' : 'state', role: 'status' },
    el('p', { class: 'card-title' }, title),
    next,
    details([['request ID', state.id]]),
  )
}

function nextStep({ state }: PageRequest): string {
  return state.complete
    ? 'Finalize it to get the transaction, and take that to an online machine.'
    : 'Save the request or show it as QR codes, and take it to the other signers. Their copies can be merged below.'
}

/** Saves a request or shows it as QR codes for other signers, and finalizes it once all have signed. */
function shareBox(request: PageRequest, finalized: () => void): HTMLElement {
  const result = el('div')
  const { text, state } = request
  const name = state.id.slice(0, 12)
  const utf8 = () => new TextEncoder().encode(text)
  const finalize = button(
    'Finalize',
    () => {
      setChildren(result, transactionBox(request))
      finalize.hidden = true
      finalized()
    },
    { class: 'primary' },
  )
  finalize.hidden = !state.complete
  return el(
    'div',
    {},
    actions(
      finalize,
      button('Save request', () => saveFile(`${name}.json`, text), {
        class: state.complete ? undefined : 'primary',
      }),
      button('Show request as QR code', () => {
        setChildren(result, qrSeries(splitFrames(utf8(), 'J')))
        finalize.hidden = !state.complete
      }),
    ),
    result,
  )
}

function transactionBox(request: PageRequest): HTMLElement {
  const { bytes, txID } = request.finish()
  const tx = checkedHex.encode(bytes)
  const id = formatID(txID)
  const qr = el('div')
  return el(
    'div',
    { class: 'transaction' },
    el('h3', {}, 'The signed transaction'),
    details([['txID', id]]),
    actions(
      button('Save transaction', () => saveFile(`${id.slice(0, 12)}.tx`, `${tx}\n`, 'text/plain'), {
        class: 'primary',
      }),
      button('Show transaction as QR code', () =>
        setChildren(qr, qrSeries(splitFrames(bytes, 'B'))),
      ),
    ),
    qr,
    el('pre', { class: 'tx', tabindex: 0, 'aria-label': 'signed transaction' }, tx),
    el(
      'p',
      { class: 'hint' },
      'Issue it online with ',
      el('code', {}, 'avmkit issue'),
      ' or with any node.',
    ),
  )
}

/** Merges copies of a request that others have signed. */
function mergeBox(request: PageRequest, merged: (next: string) => void): HTMLElement {
  return el(
    'details',
    { class: 'merge', open: !request.state.complete },
    el('summary', {}, 'Merge copies that others have signed'),
    intake({
      label: 'A copy of this request with other signatures',
      action: 'Merge',
      many: true,
      take: (...copies) => {
        const signed = copies.filter((copy) => copy.trim() !== '')
        if (signed.length > 0) merged(request.merge(signed))
      },
    }).element,
  )
}
