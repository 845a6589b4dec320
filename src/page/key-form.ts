import { decryptKeyFile, isEncryptedKeyFile } from '../core/crypto/keyfile/index.ts'
import type { RequestKeys } from '../inspect/key-text.ts'
import {
  actions,
  button,
  type Child,
  clearField,
  el,
  errorBox,
  labeled,
  setChildren,
} from './dom.ts'
import { MAX_TEXT, tooLarge } from './read.ts'
import type { PageRequest } from './requests.ts'

/**
 * A form for the keys that sign a request: typed, pasted or from a key file, which may be encrypted. The fields are
 * cleared as soon as they are read; the receiver of the keys must wipe them.
 */
export function keyForm(request: PageRequest, open: (keys: RequestKeys) => void): HTMLElement {
  const secret = el('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' })
  const account = el('input', { type: 'number', min: 0, max: 2 ** 31 - 1, value: 0 })
  const count = el('input', { type: 'number', min: 1, max: 1000, value: 1 })
  const problem = el('div')
  const password = el('input', { type: 'password', autocomplete: 'off' })
  let encrypted = ''
  const read = (text: string) => {
    unlock.hidden = !isEncryptedKeyFile(text)
    if (!unlock.hidden) {
      encrypted = text
      password.focus()
      return
    }
    const choice = { account: Number(account.value), count: Number(count.value) }
    open(request.keysOf(text, choice))
  }
  const use = button(
    'Use these keys',
    () => {
      const { value } = secret
      clearField(secret)
      read(value)
    },
    { class: 'primary', type: 'submit' },
  )
  const decrypt = async () => {
    const { value } = password
    clearField(password)
    read(await decryptKeyFile(encrypted, value))
  }
  const unlock = form(
    labeled('Password of the key file', password),
    actions(button('Decrypt', decrypt, { type: 'submit' })),
  )
  unlock.hidden = true
  const picker = el('input', {
    type: 'file',
    class: 'visually-hidden',
    tabindex: -1,
    'aria-label': 'key file',
    onchange: async () => {
      const [file] = picker.files ?? []
      setChildren(problem)
      try {
        if (file !== undefined && file.size > MAX_TEXT) throw tooLarge()
        if (file !== undefined) read(await file.text())
      } catch (error) {
        setChildren(problem, errorBox(error))
      }
      picker.value = ''
    },
  })
  const enter = form(
    labeled(
      'Private key or mnemonic',
      secret,
      'The field is cleared as soon as it is read. Keys are never stored and are wiped after signing.',
    ),
    el(
      'details',
      {},
      el('summary', {}, 'Options of a mnemonic'),
      el('div', { class: 'row' }, labeled('Account', account), labeled('Addresses', count)),
    ),
    picker,
    actions(
      use,
      button('Open key file', () => picker.click()),
    ),
    problem,
  )
  return el('div', {}, enter, unlock)
}

/** Each secret has its own form, because Enter clicks the first button of the form that the field is in. */
function form(...children: readonly Child[]): HTMLFormElement {
  return el(
    'form',
    // The browser must not submit the form anywhere.
    { autocomplete: 'off', onsubmit: (event) => event.preventDefault() },
    ...children,
  )
}
