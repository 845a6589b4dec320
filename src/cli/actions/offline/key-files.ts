import { isEncryptedKeyFile } from '../../../core/crypto/keyfile/index.ts'
import { InspectError } from '../../../inspect/errors.ts'
import { ownKeysOf } from '../../../inspect/key-text.ts'
import { addressText } from '../../../inspect/texts.ts'
import type { Result } from '../../command.ts'
import { CliError } from '../../errors.ts'
import { readText } from '../../files/files.ts'
import { replaceFile, writeSecret } from '../../files/write-file.ts'
import type { Invocation } from '../../invocation.ts'
import { encryptedText, openKeyFile } from '../../keys/password.ts'
import { counted } from '../../terminal/print.ts'

const OUT_HINT = 'the secret is written to a new file'

/** Encrypts plain keys into a new file. */
export async function keysImport(invocation: Invocation): Promise<Result> {
  const { values, io } = invocation
  const out = values.required('out', OUT_HINT)
  const plain = await readText(values.args[0]!, io)
  if (isEncryptedKeyFile(plain))
    throw new InspectError('NOT_RECOGNIZED', 'the keys are already encrypted', {
      hint: 'avmkit keys change-password changes their password',
    })
  // Fails for text that is not a key before it asks for a password.
  const { identity } = await ownKeysOf([plain], { account: 0, count: 1 })
  const network = await invocation.network()
  writeSecret(out, await encryptedText(plain, invocation))
  const addresses = identity.map((address) => addressText(address, network))
  return {
    json: { file: out, addresses },
    text: `${addresses.join('\n')}\n${counted(addresses.length, 'key')} encrypted into ${out}`,
  }
}

/** Decrypts a key file into a new file. */
export async function keysExport(invocation: Invocation): Promise<Result> {
  const out = invocation.values.required('out', OUT_HINT)
  writeSecret(out, await decrypted(invocation))
  return { json: { file: out }, text: `written to ${out} without encryption` }
}

/** Replaces the password of a key file. */
export async function keysChangePassword(invocation: Invocation): Promise<Result> {
  const path = invocation.values.args[0]!
  const plain = await decrypted(invocation)
  const text = await encryptedText(plain, invocation, 'AVMKIT_NEW_PASSWORD_FILE')
  replaceFile(path, text)
  return { json: { file: path }, text: `the password of ${path} was changed` }
}

/** The content of the key file that the first argument names. */
async function decrypted(invocation: Invocation): Promise<string> {
  const { values, io } = invocation
  const path = values.args[0]!
  const text = await readText(path, io)
  if (isEncryptedKeyFile(text)) return openKeyFile(text, path, invocation)
  throw new CliError('NOT_ENCRYPTED', 'this is not an encrypted key file', {
    hint: 'avmkit keys import encrypts plain keys',
  })
}
