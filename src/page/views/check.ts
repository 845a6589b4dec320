import { parseAddress } from '../../core/base/encoding/address.ts'
import { parseEVMAddress } from '../../core/chain/c/evm-address.ts'
import { actions, button, el, labeled, setChildren } from '../dom.ts'
import { errorElement } from '../elements/error.ts'
import { explanationElement } from '../elements/explanation.ts'
import { explanationOf, now } from '../explain.ts'
import type { ExplanationReader } from '../requests.ts'
import type { View, ViewHost } from './view.ts'

/** Shows what a transaction or signing request does. */
export function checkView(host: ViewHost): View {
  const addresses = el('textarea', { rows: 2, spellcheck: 'false', autocomplete: 'off' })
  const result = el('div')
  const proceed = actions(
    button('Continue', () => host.open('Key'), { class: 'primary' }),
    button('Show its bytes', () => host.open('Decode')),
  )
  const show = () => {
    const loaded = host.loaded()
    proceed.firstElementChild!.toggleAttribute('hidden', host.request() === undefined)
    if (loaded === undefined) return setChildren(result)
    try {
      const lines = addresses.value.split(/\s+/).filter((line) => line !== '')
      const explanation =
        lines.length === 0 ? host.explanation() : explanationOf(loaded, readerOf(lines))
      setChildren(
        result,
        explanation === undefined
          ? el('p', {}, 'Load a transaction or a signing request first.')
          : explanationElement(explanation, { digest: true }),
      )
    } catch (error) {
      setChildren(result, errorElement(error))
    }
  }
  const element = el(
    'div',
    {},
    result,
    el(
      'details',
      { class: 'reader' },
      el('summary', {}, 'Your addresses'),
      labeled(
        'Your addresses (optional)',
        addresses,
        'One per line, or 0x… accounts of the C-Chain. What returns to them is distinguished from what is paid to others. Keys that you enter count by themselves.',
      ),
      actions(button('Explain', show)),
    ),
    proceed,
  )
  return { element, update: show }
}

function readerOf(lines: readonly string[]): ExplanationReader {
  const isAccount = (line: string) => line.startsWith('0x')
  return {
    now: now(),
    ours: lines.filter((line) => !isAccount(line)).map((line) => parseAddress(line).address),
    accounts: lines.filter(isAccount).map(parseEVMAddress),
  }
}
