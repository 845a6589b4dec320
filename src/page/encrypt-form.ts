import { encryptKeyFile } from '../core/crypto/keyfile/index.ts'
import { actions, button, clearField, el, labeled, save } from './dom.ts'
import { PageError } from './errors.ts'

/**
 * A form that saves a secret as an encrypted key file, in the format of `avmkit keys new --encrypt`. The passwords are
 * cleared as soon as they are read.
 */
export function encryptForm(secret: string): HTMLElement {
  const password = passwordField()
  const repeated = passwordField()
  const encrypt = async () => {
    const [chosen, again] = [password.value, repeated.value]
    clearField(password)
    clearField(repeated)
    // A password with a typing error would lock the secret away.
    if (chosen !== again)
      throw new PageError('PASSWORD_MISMATCH', 'the passwords differ; nothing was saved')
    save('avmkit-key.json', await encryptKeyFile(`${secret}\n`, chosen))
  }
  return el(
    'form',
    {
      class: 'screen-only',
      autocomplete: 'off',
      // Enter clicks the button; the browser must not submit the form.
      onsubmit: (event) => event.preventDefault(),
    },
    el(
      'div',
      { class: 'row' },
      labeled('Password of the new key file', password),
      labeled('Repeat the password', repeated),
    ),
    actions(button('Save encrypted', encrypt, { class: 'primary', type: 'submit' })),
  )
}

function passwordField(): HTMLInputElement {
  return el('input', { type: 'password', autocomplete: 'new-password' })
}
