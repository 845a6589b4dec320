import { parseAddress } from '../../src/encoding/index.ts'
import { actions, button, el, errorBox, labelled, show } from '../dom.ts'
import { explanationBox, explanationOf } from '../explain.ts'
import type { Host, View } from './view.ts'

/** Shows what a transaction or signing request does. */
export function explainView(host: Host): View {
  const addresses = el('textarea', { rows: 2, spellcheck: 'false', autocomplete: 'off' })
  const result = el('div')
  const update = () => {
    const loaded = host.loaded()
    if (loaded === undefined) return show(result)
    try {
      const lines = addresses.value.split(/\s+/).filter((line) => line !== '')
      const ours = lines.map((line) => parseAddress(line).address)
      const explanation = explanationOf(loaded, ours.length === 0 ? undefined : ours)
      show(
        result,
        explanation === undefined
          ? el('p', {}, 'Load a transaction or a signing request above.')
          : explanationBox(explanation),
      )
    } catch (error) {
      show(result, errorBox(error))
    }
  }
  const element = el(
    'div',
    {},
    labelled(
      'Your addresses (optional)',
      addresses,
      'One per line. What comes back to them is told apart from what is paid to others.',
    ),
    actions(button('Explain', update, { class: 'primary' })),
    result,
  )
  return { element, update }
}
