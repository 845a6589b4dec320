import type { View } from '../app.ts'
import { actions, announce, button, checkbox, el, field, form, put, saveFile } from '../dom.ts'
import { openNode } from '../network.ts'
import { changeSettings, loadSettings } from '../settings.ts'
import { readMnemonic, storedKeyFile } from '../vault.ts'
import { forgetPart } from './forget.ts'

/** Network, privacy, and the keys. */
export const settingsView: View = {
  title: 'Settings',
  show: (place, { session, reopen, lock }) => {
    const { freshChange } = loadSettings()
    const fresh = checkbox('A new change address for every payment', freshChange)
    fresh.box.addEventListener('change', async () => {
      changeSettings({ freshChange: fresh.box.checked })
      await reopen()
      announce('Saved.')
    })
    put(
      place,
      section('Network', networkForm(reopen)),
      section(
        'Privacy',
        fresh.element,
        el(
          'p',
          { class: 'hint' },
          'Others then cannot tell which part of a payment returned to you.',
        ),
      ),
      session.isLedger ? undefined : section('Backup', ...backupParts()),
      section(
        'Forget',
        el('p', {}, 'Removes the keys, the settings and the record of payments from this browser.'),
        forgetPart(lock),
      ),
    )
  },
}

function section(title: string, ...children: readonly Node[]): HTMLElement {
  return el('section', {}, el('h3', {}, title), ...children)
}

/** Chooses a network. The node is asked which network it belongs to before it is used. */
export function networkForm(changed: () => Promise<void>): HTMLElement {
  const { network } = loadSettings()
  const url = el('input', {
    type: 'url',
    autocomplete: 'off',
    placeholder: 'http://127.0.0.1:9650',
  })
  url.value = network.kind === 'node' ? network.url : ''
  return form(
    'network',
    {
      label: 'Connect',
      act: async () => {
        const { context } = await openNode(url.value.trim())
        changeSettings({
          network: { kind: 'node', url: url.value.trim(), networkID: context.networkID },
        })
        await changed()
        announce(`Connected to ${context.name}.`)
      },
      others: [
        button(
          'Use the development node',
          async () => {
            changeSettings({ network: { kind: 'development' } })
            await changed()
          },
          { disabled: network.kind === 'development' },
        ),
      ],
    },
    el(
      'p',
      {},
      network.kind === 'development'
        ? 'The chain is a development node in this page. Its funds are worth nothing.'
        : `Connected to ${network.url}, network ${network.networkID}. Another network at this URL is refused.`,
    ),
    field('URL of a node', url, 'The node must allow this page: --http-allowed-origins.'),
  )
}

function backupParts(): HTMLElement[] {
  const password = el('input', { type: 'password', autocomplete: 'current-password' })
  const words = el('div', { 'aria-live': 'polite' })
  const hide = () => put(words)
  const show = form(
    'recovery phrase',
    {
      label: 'Show the recovery phrase',
      isMinor: true,
      act: async () => {
        const phrase = await readMnemonic(password.value)
        password.value = ''
        put(
          words,
          el('ol', { class: 'phrase' }, ...phrase.split(' ').map((word) => el('li', {}, word))),
          actions(button('Hide', hide)),
        )
      },
    },
    field('Password', password, 'Make sure that nobody watches.'),
  )
  return [
    actions(
      button('Save the encrypted key file', () => saveFile('wallet.key.json', storedKeyFile())),
    ),
    el(
      'p',
      { class: 'hint' },
      'It needs your password. The command line opens it, too: avmkit --key-file.',
    ),
    show,
    words,
  ]
}
