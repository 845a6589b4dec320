import { actions, button, el } from '../dom.ts'
import { type Intake, intake } from '../intake.ts'
import type { View, ViewHost } from './view.ts'

/** The view in which documents are loaded, and its field. */
export type LoadView = View & Pick<Intake, 'clear' | 'set'>

/** Loads a document: pasted, typed, dropped, opened as a file or an image, or scanned. */
export function loadView(host: ViewHost): LoadView {
  const broken = el(
    'div',
    { class: 'broken' },
    el('p', {}, 'A part of it could be decoded.'),
    actions(button('Show its bytes', () => host.open('Decode'))),
  )
  broken.hidden = true
  const source = intake({
    label: 'Signing request, transaction, UTXO, block, genesis data, address or ID',
    hint: 'Paste hex, cb58 or JSON, or drop a file here. Nothing leaves this page: it cannot connect to anything.',
    action: 'Read',
    isPrimary: true,
    take: (text) => {
      host.load(text)
      const { error, decoded } = host.loaded() ?? {}
      broken.hidden = error === undefined || decoded === undefined
      if (error !== undefined) throw error
    },
  })
  const element = el('div', { class: 'source' }, source.element, broken)
  return { element, clear: source.clear, set: source.set }
}
