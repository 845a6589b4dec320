import { decryptKeyFile, encryptKeyFile } from '../../core/crypto/keyfile/index.ts'
import { escaped } from '../../core/sign/text.ts'
import { CliError, UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import { isInteractive, type Surroundings } from '../surroundings.ts'
import { ask } from '../terminal/prompt.ts'

/** Decrypts the text of the key file at `path` with the user's password. */
export async function openKeyFile(text: string, path: string, io: Surroundings): Promise<string> {
  return decryptKeyFile(text, await currentPassword(path, io))
}

/** Encrypts keys with a password that the user chooses. */
export async function encryptedText(
  plain: string,
  io: Surroundings,
  variable = 'AVMKIT_PASSWORD_FILE',
): Promise<string> {
  return encryptKeyFile(plain, await newPassword(io, variable))
}

async function currentPassword(keyFile: string, io: Surroundings): Promise<string> {
  const password = await passwordIn('AVMKIT_PASSWORD_FILE', io)
  if (password !== undefined) return password
  if (isInteractive(io)) return ask(io, `password of ${escaped(keyFile)} (hidden): `, true)
  throw noPassword('AVMKIT_PASSWORD_FILE')
}

/** Asks twice: a password with a typo would lock the keys up. */
async function newPassword(io: Surroundings, variable: string): Promise<string> {
  const given = await passwordIn(variable, io)
  if (given !== undefined) return given
  if (!isInteractive(io)) throw noPassword(variable)
  const password = await ask(io, 'new password (hidden): ', true)
  if ((await ask(io, 'repeat the new password (hidden): ', true)) === password) return password
  throw new CliError('PASSWORD_MISMATCH', 'the passwords differ; nothing was written')
}

/** The first line of the file that a variable names. Errors do not quote the name: it may be the password itself. */
async function passwordIn(variable: string, io: Surroundings): Promise<string | undefined> {
  const path = io.env[variable]
  if (!path) return undefined
  return (await readText(path, io, `the file that ${variable} names`)).split(/\r?\n/, 1)[0]!
}

function noPassword(variable: string): UsageError {
  return new UsageError('NO_PASSWORD', 'the key file needs a password, and there is no terminal', {
    hint: `set ${variable} to a file with the password`,
  })
}
