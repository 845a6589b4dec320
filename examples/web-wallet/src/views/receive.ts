import { addressElement } from 'avmkit/view'
import type { View } from '../app.ts'
import { el, put } from '../dom.ts'
import { addressCard } from './address-card.ts'

/** The address for the next payment, and those that were used. */
export const receiveView: View = {
  title: 'Receive',
  show: async (place, { session: { wallet } }) => {
    const [address, addresses] = await Promise.all([wallet.receiveAddress(), wallet.addresses()])
    const used = addresses.filter(({ isUsed, branch }) => isUsed && branch === 'receive')
    put(
      place,
      el(
        'p',
        {},
        'Give this address to whoever pays you. After a payment to it, the wallet shows a new one.',
      ),
      addressCard(address),
      el(
        'p',
        { class: 'hint' },
        'Addresses that were used stay yours. A new one for each payment keeps others from adding up what you have.',
      ),
      used.length === 0
        ? el('p', { class: 'hint' }, 'No address was used yet.')
        : el(
            'details',
            {},
            el(
              'summary',
              {},
              used.length === 1 ? '1 used address' : `${used.length} used addresses`,
            ),
            el(
              'ul',
              { class: 'owners' },
              ...used.map(({ text, path }) =>
                el('li', {}, addressElement(text), el('span', {}, path)),
              ),
            ),
          ),
    )
  },
}
