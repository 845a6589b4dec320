import { statSync } from 'node:fs'
import { isEncryptedKeyFile } from '../../core/crypto/keyfile/index.ts'
import type { Config } from '../connections/config.ts'
import { UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import { isInteractive, type Surroundings } from '../surroundings.ts'
import { ask } from '../terminal/prompt.ts'
import type { Values } from '../values.ts'
import { openKeyFile } from './password.ts'

/** What is needed to find the configured keys. */
export type KeyContext = {
  readonly values: Values
  readonly io: Surroundings
  readonly config: () => Promise<Config>
  readonly warn: (code: string, message: string) => void
}

/** The configured keys as texts; undefined if none are configured. */
export async function readKeyTexts(context: KeyContext): Promise<readonly string[] | undefined> {
  const { values, io } = context
  const files = values.list('key-file')
  if (files.length > 0) {
    // One after the other: each may ask for its password.
    const texts: string[] = []
    for (const file of files) texts.push(await readKeyFile(file, context))
    return texts
  }
  const name = values.text('key-env')
  const text = name === undefined ? io.env.AVMKIT_KEY || io.env.AVMKIT_MNEMONIC : io.env[name]
  if (text) return [text]
  if (name !== undefined)
    throw new UsageError('NO_KEYS', 'the environment variable named by --key-env is empty')
  const { keyFile } = await context.config()
  return keyFile === undefined ? undefined : [await readKeyFile(keyFile, context)]
}

async function readKeyFile(path: string, context: KeyContext): Promise<string> {
  const text = await readText(path, context.io)
  if (isEncryptedKeyFile(text)) return openKeyFile(text, path, context.io)
  if (path !== '-' && process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    context.warn('KEY_FILE_OPEN', `other users can read ${path}: run chmod 600 on it`)
  return text
}

/**
 * Prompts for a key without echo.
 *
 * @throws UsageError `NO_KEYS` if there is no terminal
 */
export async function askForKey(io: Surroundings): Promise<string> {
  if (isInteractive(io)) return ask(io, 'private key or mnemonic (hidden): ', true)
  throw new UsageError('NO_KEYS', 'no private key is configured', {
    hint: 'pass --key-file FILE or set AVMKIT_KEY',
  })
}
