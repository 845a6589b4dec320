import { AvmError } from '../../core/base/errors.ts'
import type { Explanation } from '../../core/sign/explain/explanation.ts'
import type { AcceptCode } from '../../core/sign/sign.ts'
import type { RequestKeys } from '../../inspect/key-text.ts'
import { actions, button, el, setChildren } from '../dom.ts'
import { addressElement } from '../elements/address.ts'
import { sentenceElement, wordsOf } from '../elements/explanation.ts'
import { figures } from '../elements/figures.ts'
import { acceptBox, type Shown, warningCards } from '../elements/warnings.ts'
import { now } from '../explain.ts'
import type { PageRequest } from '../requests.ts'
import { signBlocker } from '../steps.ts'
import type { View, ViewHost } from './view.ts'

/** Signs a request after every danger was accepted. */
export function signView(host: ViewHost): View {
  const element = el('div')
  const update = () => {
    const [request, found] = [host.request(), host.keys()]
    if (request === undefined || found === undefined) {
      const isRequest = request !== undefined
      return setChildren(
        element,
        el('p', {}, signBlocker(host.progress())!),
        actions(
          button(
            isRequest ? 'Enter a key' : 'Load a request',
            () => host.open(isRequest ? 'Key' : 'Load'),
            { class: 'primary' },
          ),
        ),
      )
    }
    setChildren(element, reviewOf(host, request, found, host.explanation()!))
  }
  return { element, update }
}

/** The explanation for these keys, what must be accepted, and the button that signs. */
function reviewOf(
  host: ViewHost,
  request: PageRequest,
  found: RequestKeys,
  explanation: Explanation,
): HTMLElement {
  const accepted = new Set<AcceptCode>()
  const cards = el('div')
  const reason = el('p', { class: 'hint', id: 'sign-reason', role: 'status' })
  // Only an attempt to sign reveals what the library has against a key.
  const shown: Shown[] = [...explanation.warnings]
  const draw = () => {
    const dangers = new Set(shown.flatMap(({ code, danger }) => (danger ? [code] : [])))
    host.setUnaccepted([...dangers].filter((code) => !accepted.has(code as AcceptCode)).length)
    const blocker = signBlocker(host.progress())
    signButton.disabled = blocker !== undefined
    reason.textContent = blocker ?? ''
  }
  const accept = (code: AcceptCode) =>
    acceptBox(code, accepted.has(code), (isAccepted) => {
      if (isAccepted) accepted.add(code)
      else accepted.delete(code)
      draw()
    })
  const drawCards = () => {
    setChildren(cards, warningCards(shown, accept))
    draw()
  }
  const sign = () => {
    try {
      host.replace(request.sign(found, [...accepted], now()), true)
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      const { code } = error
      if (code !== 'UNUSED_KEY' && code !== 'KEY_NOT_A_SIGNER') throw error
      // Everything stays as it is, so that the reader can accept it.
      shown.push({ code, message: error.message, danger: true })
      drawCards()
    }
  }
  const signButton = button('Sign', sign, { class: 'primary', 'aria-describedby': reason.id })
  drawCards()
  return el(
    'div',
    {},
    cards,
    figures(explanation),
    wordsOf(explanation),
    el(
      'div',
      { class: 'keys' },
      el('p', {}, 'With the keys of'),
      ...request.namesOf(found.keys).slice(0, 20).map(addressElement),
    ),
    el(
      'div',
      { class: 'sign-bar' },
      sentenceElement(explanation),
      actions(
        signButton,
        button('Forget the keys', () => {
          host.useKeys(undefined)
          host.open('Key')
        }),
      ),
      reason,
    ),
  )
}
