import { decryptKeyFile, encryptKeyFile } from '../../core/crypto/keyfile/index.ts'
import { escaped } from '../../core/sign/text.ts'
import { CliError, UsageError } from '../errors.ts'
import { readSecretLine, type SecretContext } from '../files/secret-file.ts'
import { isInteractive } from '../surroundings.ts'
import { ask } from '../terminal/prompt.ts'
import type { Values } from '../values.ts'
import { weaknessOf } from './weak-password.ts'

/** Decrypts the text of the key file at `path` with the user's password. */
export async function openKeyFile(
  text: string,
  path: string,
  context: SecretContext,
): Promise<string> {
  return decryptKeyFile(text, await currentPassword(path, context))
}

/** What is needed to encrypt keys: `--weak` accepts weak passwords. */
type EncryptContext = SecretContext & { readonly values: Values }

/** Encrypts keys with a password that the user chooses. */
export async function encryptedText(
  plain: string,
  context: EncryptContext,
  variable = 'AVMKIT_PASSWORD_FILE',
): Promise<string> {
  return encryptKeyFile(plain, await newPassword(context, variable))
}

async function currentPassword(keyFile: string, context: SecretContext): Promise<string> {
  const password = await passwordIn('AVMKIT_PASSWORD_FILE', context)
  if (password !== undefined) return password
  const { io } = context
  if (isInteractive(io)) return ask(io, `password of ${escaped(keyFile)} (hidden): `, true)
  throw noPassword('AVMKIT_PASSWORD_FILE')
}

/** Asks twice: a password with a typo would lock the keys up. */
async function newPassword(context: EncryptContext, variable: string): Promise<string> {
  const { io } = context
  const given = await passwordIn(variable, context)
  if (given === undefined && !isInteractive(io)) throw noPassword(variable)
  const password = given ?? (await ask(io, 'new password (hidden): ', true))
  refuseWeak(password, context)
  if (given !== undefined) return given
  if ((await ask(io, 'repeat the new password (hidden): ', true)) === password) return password
  throw new CliError('PASSWORD_MISMATCH', 'the passwords differ; nothing was written')
}

/**
 * Whoever has a copy of the file can try passwords on their own machines.
 *
 * @throws CliError `PASSWORD_WEAK`
 */
function refuseWeak(password: string, { values }: EncryptContext): void {
  const weakness = values.has('weak') ? undefined : weaknessOf(password)
  if (weakness !== undefined)
    throw new CliError('PASSWORD_WEAK', `the password is weak: ${weakness}; nothing was written`, {
      hint: 'use four or more random words; --weak accepts this one',
    })
}

/** The first line of the file that a variable names. Errors do not quote the name: it may be the password itself. */
async function passwordIn(variable: string, context: SecretContext): Promise<string | undefined> {
  const path = context.io.env[variable]
  if (!path) return undefined
  const name = `the file that ${variable} names`
  return readSecretLine(path, 'PASSWORD_FILE_OPEN', context, name)
}

function noPassword(variable: string): UsageError {
  return new UsageError('NO_PASSWORD', 'the key file needs a password, and there is no terminal', {
    hint: `set ${variable} to a file with the password`,
  })
}
