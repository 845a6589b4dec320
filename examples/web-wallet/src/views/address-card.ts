import { addressElement, qrElement } from 'avmkit/view'
import encodeQR from 'qr'
import { actions, copyButton, el } from '../dom.ts'

/** An address with its QR code and a button that copies it. */
export function addressCard(address: string): HTMLElement {
  const rows = encodeQR(address, 'raw', { ecc: 'medium', border: 4 })
  return el(
    'div',
    { class: 'address-card' },
    qrElement(rows, `QR code of ${address}`),
    el('div', {}, addressElement(address), actions(copyButton(address, 'address'))),
  )
}
