import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { splitFrames } from '../../inspect/bbqr.ts'
import { actions, button, details, el, labeled, setChildren } from '../dom.ts'
import { errorElement } from '../elements/error.ts'
import { PageError } from '../errors.ts'
import { saveFile } from '../forbid-leaving.ts'
import { intake } from '../intake.ts'
import { qrSeries } from '../qr/qr.ts'
import type { Merged, PageRequest } from '../requests.ts'
import { signerList } from './key.ts'
import type { View, ViewHost } from './view.ts'

/** Shows what is missing, hands the request on, merges copies, and makes the signed transaction. */
export function takeAwayView(host: ViewHost): View {
  const element = el('div')
  let leftOut: readonly string[] = []
  const update = () => {
    const request = host.request()
    const omitted = leftOut
    leftOut = []
    if (request === undefined)
      return setChildren(element, el('p', {}, 'Load a signing request first.'))
    const next = el('p', {}, nextStep(request))
    setChildren(
      element,
      stateBox(request, host.progress().isSigned, next),
      leftOutBox(omitted),
      shareBox(request, () => {
        next.textContent = 'Take the transaction to an online machine, and issue it there.'
      }),
      request.state.complete ? undefined : signerList(request),
      keystoneBox(request),
      mergeBox(request, (merged) => {
        leftOut = merged.leftOut
        host.replace(merged.text, false)
      }),
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

/** The parts of copies that were not merged; nothing if there are none. */
function leftOutBox(leftOut: readonly string[]): HTMLElement | undefined {
  if (leftOut.length === 0) return undefined
  return el(
    'div',
    { class: 'state', role: 'status' },
    el('p', { class: 'card-title' }, 'Invalid parts of copies were left out'),
    el('ul', {}, ...leftOut.map((line) => el('li', {}, line))),
  )
}

/** Shows the request to a Keystone device. Its answer is scanned as a copy. */
function keystoneBox(request: PageRequest): HTMLElement | undefined {
  if (request.state.complete) return undefined
  const field = el('input', {
    type: 'text',
    maxlength: 8,
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const result = el('div')
  const show = () => {
    try {
      if (!/^[0-9a-f]{8}$/i.test(field.value))
        throw new PageError('MISMATCH', 'a fingerprint has 8 hex digits')
      const frames = request.keystoneFrames(Number.parseInt(field.value, 16))
      setChildren(result, qrSeries(frames))
    } catch (error) {
      setChildren(result, errorElement(error))
    }
  }
  return el(
    'details',
    { class: 'keystone' },
    el('summary', {}, 'Sign with a Keystone device'),
    labeled('Fingerprint of its master key', field),
    actions(button('Show to Keystone as QR codes', show)),
    result,
    el('p', { class: 'hint' }, 'Approve on the device, then scan what it shows as a copy below.'),
  )
}

/** Merges copies of a request that others have signed. */
function mergeBox(request: PageRequest, merged: (result: Merged) => void): HTMLElement {
  return el(
    'details',
    { class: 'merge', open: !request.state.complete },
    el('summary', {}, 'Merge copies that others have signed'),
    intake({
      label: 'A copy of this request with other signatures',
      hint: 'The QR codes of a Keystone device can be scanned here, too.',
      action: 'Merge',
      many: true,
      take: (...copies) => {
        const signed = copies.filter((copy) => copy.trim() !== '')
        if (signed.length > 0) merged(request.merge(signed))
      },
    }).element,
  )
}
