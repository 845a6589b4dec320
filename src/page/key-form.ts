import { decryptKeyFile, isEncryptedKeyFile } from '../core/crypto/keyfile/index.ts'
import type { HDChoice } from '../inspect/key-text.ts'
import { actions, button, clearField, el, fields, labeled, setChildren } from './dom.ts'
import { errorElement } from './elements/error.ts'
import { MAX_TEXT, tooLarge } from './read.ts'

/** Settings of a form for keys. */
export type KeyFormOptions = {
  /** Label of the field. */
  readonly label: string
  readonly hint: string
  /** Label of the button. */
  readonly action: string
  /** Whether to ask for how many addresses of a mnemonic. */
  readonly hasCount: boolean
  readonly open: (text: string, choice: HDChoice) => void
}

/**
 * A form for keys: typed, pasted or from a key file, which may be encrypted. The fields are cleared as soon as they are
 * read; the receiver of the keys must wipe them.
 */
export function keyForm({ label, hint, action, hasCount, open }: KeyFormOptions): HTMLElement {
  const secret = el('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' })
  const account = el('input', { type: 'number', min: 0, max: 2 ** 31 - 1, value: 0 })
  const count = el('input', { type: 'number', min: 1, max: 1000, value: 1 })
  const passphrase = el('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' })
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
    const choice = {
      account: Number(account.value),
      count: Number(count.value),
      passphrase: passphrase.value,
    }
    clearField(passphrase)
    open(text, choice)
  }
  const use = button(
    action,
    () => {
      const { value } = secret
      clearField(secret)
      read(value)
    },
    { class: 'primary' },
  )
  const decrypt = async () => {
    const { value } = password
    clearField(password)
    read(await decryptKeyFile(encrypted, value))
  }
  const decryptButton = button('Decrypt', decrypt)
  const unlock = fields(
    'encrypted key file',
    decryptButton,
    labeled('Password of the key file', password),
    actions(decryptButton),
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
        setChildren(problem, errorElement(error))
      }
      picker.value = ''
    },
  })
  const enter = fields(
    'key',
    use,
    labeled(label, secret, hint),
    el(
      'details',
      {},
      el('summary', {}, 'Options of a mnemonic'),
      el(
        'div',
        { class: 'row' },
        labeled('Account', account),
        hasCount ? labeled('Addresses', count) : undefined,
      ),
      labeled(
        'Passphrase of the mnemonic (BIP-39)',
        passphrase,
        'Only if you chose one: it is not the password of a key file. Every passphrase gives other addresses, so a wrong one is not recognized as wrong.',
      ),
    ),
    picker,
    actions(
      use,
      button('Open key file', () => picker.click()),
    ),
    problem,
  )
  return el('div', { class: 'key-form' }, enter, unlock)
}
