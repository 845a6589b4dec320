import { parseAddress } from '../../core/base/encoding/address.ts'
import { parseEVMAddress } from '../../core/chain/c/evm-address.ts'
import { actions, button, el, errorBox, labeled, setChildren } from '../dom.ts'
import { explanationBox, explanationOf, now } from '../explain.ts'
import type { ExplanationReader } from '../requests.ts'
import type { View, ViewHost } from './view.ts'

/** Shows what a transaction or signing request does. */
export function explainView(host: ViewHost): View {
  const addresses = el('textarea', { rows: 2, spellcheck: 'false', autocomplete: 'off' })
  const result = el('div')
  const update = () => {
    const loaded = host.loaded()
    if (loaded === undefined) return setChildren(result)
    try {
      const lines = addresses.value.split(/\s+/).filter((line) => line !== '')
      const explanation = explanationOf(loaded, readerOf(lines))
      setChildren(
        result,
        explanation === undefined
          ? el('p', {}, 'Load a transaction or a signing request above.')
          : explanationBox(explanation),
      )
    } catch (error) {
      setChildren(result, errorBox(error))
    }
  }
  const element = el(
    'div',
    {},
    labeled(
      'Your addresses (optional)',
      addresses,
      'One per line, or 0x… accounts of the C-Chain. What returns to them is distinguished from what is paid to others.',
    ),
    actions(button('Explain', update, { class: 'primary' })),
    result,
  )
  return { element, update }
}

function readerOf(lines: readonly string[]): ExplanationReader {
  if (lines.length === 0) return { now: now() }
  const isAccount = (line: string) => line.startsWith('0x')
  return {
    now: now(),
    ours: lines.filter((line) => !isAccount(line)).map((line) => parseAddress(line).address),
    accounts: lines.filter(isAccount).map(parseEVMAddress),
  }
}
