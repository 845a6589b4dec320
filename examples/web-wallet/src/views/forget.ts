import { actions, button, checkbox, el } from '../dom.ts'
import { forgetAll } from '../settings.ts'

/** Removes the wallet from this browser, after the user has said that the words are elsewhere. */
export function forgetPart(again: () => Promise<void>): HTMLElement {
  const { element, box } = checkbox(
    'I have the recovery phrase or the device. Without it the funds are lost.',
    false,
  )
  const forget = button(
    'Forget this wallet',
    async () => {
      await forgetAll()
      location.hash = ''
      await again()
    },
    { class: 'danger', disabled: true },
  )
  box.addEventListener('change', () => {
    forget.disabled = !box.checked
  })
  return el('div', { class: 'forget' }, element, actions(forget))
}
