import { encryptKeyFile } from '../core/crypto/keyfile/index.ts'
import { actions, button, clearField, el, fields, labeled } from './dom.ts'
import { PageError } from './errors.ts'
import { saveFile } from './forbid-leaving.ts'

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
    saveFile('avmkit-key.json', await encryptKeyFile(`${secret}\n`, chosen))
  }
  const submit = button('Save encrypted', encrypt, { class: 'primary' })
  return fields(
    'encrypted key file',
    submit,
    el(
      'div',
      { class: 'row screen-only' },
      labeled('Password of the new key file', password),
      labeled('Repeat the password', repeated),
    ),
    actions(submit),
  )
}

function passwordField(): HTMLInputElement {
  return el('input', { type: 'password', autocomplete: 'new-password' })
}
