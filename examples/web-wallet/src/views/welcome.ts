import type { HDAccount } from 'avmkit/hd'
import { showPage } from '../app.ts'
import { actions, button, el, field, form } from '../dom.ts'
import { accountOf, connectLedger, hasLedger } from '../ledger.ts'
import { changeSettings } from '../settings.ts'
import { storeMnemonic } from '../vault.ts'
import { showCreate } from './create.ts'
import { passwordFields } from './password.ts'

/** Opens the wallet of an account; without one, that of a Ledger. */
export type OpenWallet = (account?: HDAccount) => Promise<void>

/** The first visit: create, restore, or connect a device. */
export function showWelcome(root: Element, open: OpenWallet): void {
  const back = () => showWelcome(root, open)
  const choices = [
    choice(
      'Create a new wallet',
      'You get a recovery phrase of 24 words. Everything the wallet has is derived from it.',
      button('Create', () => showCreate(root, open, back), { class: 'primary' }),
    ),
    choice(
      'Restore a wallet',
      'You have a recovery phrase and want its funds here.',
      button('Restore', () => showRestore(root, open, back)),
    ),
    choice(
      'Connect a Ledger',
      hasLedger()
        ? 'The keys stay on the device. Unlock it and open the Avalanche app first.'
        : 'This browser has no WebHID, which connects devices. Chromium-based browsers have it.',
      button('Connect', () => useLedger(open), { disabled: !hasLedger() }),
    ),
  ]
  showPage(
    root,
    'Welcome',
    el(
      'p',
      {},
      'This wallet runs in your browser. Keys and payments stay here; no account is needed.',
    ),
    el('ul', { class: 'choices' }, ...choices),
  )
}

function choice(title: string, text: string, action: HTMLElement): HTMLElement {
  return el('li', { class: 'card' }, el('h3', {}, title), el('p', {}, text), actions(action))
}

async function useLedger(open: OpenWallet): Promise<void> {
  const extendedPublicKey = await accountOf(await connectLedger())
  changeSettings({ keys: { kind: 'ledger', extendedPublicKey } })
  await open()
}

function showRestore(root: Element, open: OpenWallet, back: () => void): void {
  const words = el('textarea', {
    rows: 4,
    spellcheck: 'false',
    autocomplete: 'off',
    autocapitalize: 'none',
  })
  const password = passwordFields()
  showPage(
    root,
    'Restore a wallet',
    form(
      'restore',
      {
        label: 'Restore',
        act: async () => {
          const account = await storeMnemonic(words.value, password.value())
          words.value = ''
          await open(account)
        },
        others: [button('Back', back)],
      },
      field('Recovery phrase', words, 'The words in their order, separated by spaces.'),
      ...password.elements,
    ),
  )
}
