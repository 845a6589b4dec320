import { statSync } from 'node:fs'
import type { Surroundings } from '../surroundings.ts'
import { readText } from './files.ts'

/** What is needed to read a secret. */
export type SecretContext = {
  readonly io: Surroundings
  readonly warn: (code: string, message: string) => void
}

/** Warns if other users can read a file with a secret. Errors and warnings call the file by `name`. */
export function warnIfOpen(
  path: string,
  code: string,
  context: SecretContext,
  name: string = path,
): void {
  if (path === '-' || process.platform === 'win32') return
  if ((statSync(path).mode & 0o077) !== 0)
    context.warn(code, `other users can read ${name}: run chmod 600 on it`)
}

/** The first line of a file with a password or passphrase. */
export async function readSecretLine(
  path: string,
  code: string,
  context: SecretContext,
  name: string,
): Promise<string> {
  const text = await readText(path, context.io, name)
  warnIfOpen(path, code, context, name)
  return text.split(/\r?\n/, 1)[0]!
}
