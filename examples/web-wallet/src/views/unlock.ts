import { showPage } from '../app.ts'
import { el, field, form } from '../dom.ts'
import { openStored } from '../vault.ts'
import { forgetPart } from './forget.ts'
import type { OpenWallet } from './welcome.ts'

/** Asks for the password of the stored wallet. */
export function showUnlock(
  root: Element,
  { open, again }: { readonly open: OpenWallet; readonly again: () => Promise<void> },
): void {
  const password = el('input', { type: 'password', autocomplete: 'current-password' })
  showPage(
    root,
    'Unlock',
    form(
      'unlock',
      { label: 'Unlock', act: async () => open(await openStored(password.value)) },
      field('Password', password),
    ),
    el(
      'details',
      {},
      el('summary', {}, 'Forgotten password'),
      el(
        'p',
        {},
        'Nobody can reset it. Forget the wallet here, then restore it from its recovery phrase.',
      ),
      forgetPart(again),
    ),
  )
  password.focus()
}
