import { isEncryptedKeyFile } from '../../core/crypto/keyfile/index.ts'
import type { NamedAccount } from '../connections/accounts.ts'
import type { Config } from '../connections/config.ts'
import { UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import { type SecretContext, warnIfOpen } from '../files/secret-file.ts'
import { isInteractive, type Surroundings } from '../surroundings.ts'
import { ask } from '../terminal/prompt.ts'
import type { Values } from '../values.ts'
import { openKeyFile } from './password.ts'

/** What is needed to find the configured keys. */
export type KeyContext = SecretContext & {
  readonly values: Values
  readonly config: () => Promise<Config>
  readonly account: () => Promise<NamedAccount | undefined>
}

/** The configured keys as texts; undefined if none are configured. */
export async function readKeyTexts(context: KeyContext): Promise<readonly string[] | undefined> {
  const { values, io } = context
  const named = await context.account()
  if (named !== undefined) return readAccountKeys(named, context)
  const files = values.list('key-file')
  if (files.length > 0) {
    // One after the other: each may ask for its password.
    const texts: string[] = []
    for (const file of files) texts.push(await readKeyFile(file, context))
    return texts
  }
  const name = values.text('key-env')
  const text = name === undefined ? io.env.AVMKIT_KEY || io.env.AVMKIT_MNEMONIC : io.env[name]
  if (text) return [checkedKeyText(text, name)]
  if (name !== undefined)
    throw new UsageError('NO_KEYS', 'the environment variable named by --key-env is empty')
  const { keyFile } = await context.config()
  return keyFile === undefined ? undefined : [await readKeyFile(keyFile, context)]
}

/** The keys of a named account; undefined if they are not on this machine. */
async function readAccountKeys(
  { keyFiles }: NamedAccount,
  context: KeyContext,
): Promise<readonly string[] | undefined> {
  for (const option of ['key-file', 'key-env'])
    if (context.values.has(option))
      throw new UsageError('BAD_VALUE', `the account has its own keys: --${option} is not possible`)
  if (keyFiles.length === 0) return undefined
  const texts: string[] = []
  for (const file of keyFiles) texts.push(await readKeyFile(file, context))
  return texts
}

/** A variable whose value is not a key may be meant as the idempotency key of a payment. */
function checkedKeyText(text: string, name = 'AVMKIT_KEY'): string {
  if (name !== 'AVMKIT_KEY' || looksLikeKey(text)) return text
  throw new UsageError('NO_KEYS', 'AVMKIT_KEY contains neither a private key nor a mnemonic', {
    hint: 'AVMKIT_KEY is secret; --idempotency-key names a payment, so that it is made once',
  })
}

function looksLikeKey(text: string): boolean {
  const plain = text.trim()
  return (
    /^\s*#|\s/.test(plain) || plain.includes('PrivateKey-') || /^(0x)?[0-9a-f]{50,}$/i.test(plain)
  )
}

async function readKeyFile(path: string, context: KeyContext): Promise<string> {
  const text = await readText(path, context.io)
  if (isEncryptedKeyFile(text)) return openKeyFile(text, path, context)
  warnIfOpen(path, 'KEY_FILE_OPEN', context)
  return text
}

/**
 * Prompts for a key without echo.
 *
 * @throws UsageError `NO_KEYS` if there is no terminal
 */
export async function askForKey(io: Surroundings, account?: string): Promise<string> {
  if (isInteractive(io)) return ask(io, 'private key or mnemonic (hidden): ', true)
  throw noKeys(account)
}

/**
 * No keys are configured, and there is no terminal to ask for one.
 *
 * @param account - name of the account, if it has no keys on this machine
 */
export function noKeys(account?: string): UsageError {
  if (account !== undefined)
    return new UsageError('NO_KEYS', `the keys of the account ${account} are elsewhere`, {
      hint: `avmkit request create --account ${account} drafts a payment, which is signed where the keys are`,
    })
  return new UsageError('NO_KEYS', 'no private key is configured', {
    hint: 'pass --key-file FILE or --account NAME, or set AVMKIT_KEY',
  })
}
