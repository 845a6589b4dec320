import { checkedHex } from '../core/base/encoding/checked-hex.ts'
import { formatID } from '../core/base/encoding/ids.ts'
import { actions, button, details, el, save, setChildren } from './dom.ts'
import { intake } from './intake.ts'
import { splitFrames } from './qr/bbqr.ts'
import { qrSeries } from './qr/qr.ts'
import type { PageRequest } from './requests.ts'

/** Merges copies of a request that others have signed. */
export function mergeForm(request: PageRequest, merged: (next: string) => void): HTMLElement {
  return intake({
    label: 'A copy of this request with other signatures',
    action: 'Merge',
    many: true,
    take: (...copies) => {
      const signed = copies.filter((copy) => copy.trim() !== '')
      if (signed.length > 0) merged(request.merge(signed))
    },
  }).element
}

/** Saves a request or shows it as QR codes for other signers, and finalizes it once all have signed. */
export function shareRequest(request: PageRequest): HTMLElement {
  const result = el('div')
  const { text, state } = request
  const name = state.id.slice(0, 12)
  const finish = () => {
    const { bytes, txID } = request.finish()
    const tx = checkedHex.encode(bytes)
    const qr = el('div')
    setChildren(
      result,
      details([['txID', formatID(txID)]]),
      el('pre', { class: 'tx', tabindex: 0, 'aria-label': 'signed transaction' }, tx),
      actions(
        button('Save transaction', () =>
          save(`${formatID(txID).slice(0, 12)}.tx`, `${tx}\n`, 'text/plain'),
        ),
        button('Show transaction as QR code', () =>
          setChildren(qr, qrSeries(splitFrames(bytes, 'B'))),
        ),
      ),
      qr,
    )
  }
  const utf8 = () => new TextEncoder().encode(text)
  return el(
    'div',
    {},
    actions(
      button('Save request', () => save(`${name}.json`, text)),
      button('Show request as QR code', () =>
        setChildren(result, qrSeries(splitFrames(utf8(), 'J'))),
      ),
      button('Finalize', finish, { class: 'primary' }),
    ),
    result,
  )
}
