import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nearest } from '../../core/base/nearest.ts'
import { parseJSON } from '../../core/codec/json-text.ts'
import { isJSONObject, type Json } from '../../core/codec/json-value.ts'
import { holdsSecret, isHexKey } from '../../inspect/secrets.ts'
import { CliError, UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import { makeFolder, replaceFile } from '../files/write-file.ts'
import type { Surroundings } from '../surroundings.ts'
import { settingsFolder } from '../surroundings.ts'

/** An account that the user named: what it owns, and where its keys are, if this machine has them. */
export type NamedAccount = {
  /** Addresses and xpubs. For an account with keys, those that its keys gave when it was added. */
  readonly owners: readonly string[]
  /** Absolute paths; none for an account without keys. */
  readonly keyFiles: readonly string[]
  /** Number of the account of a mnemonic. */
  readonly number: number
  /** First addresses of a mnemonic to use, instead of a search. */
  readonly count?: number | undefined
  /** Whether its mnemonic has a passphrase. */
  readonly passphrase: boolean
  /** File with the passphrase; without one it is asked for. */
  readonly passphraseFile?: string | undefined
  /** Network, if `--network` does not name one. */
  readonly network?: string | undefined
}

/** Accounts by name. */
export type Accounts = ReadonlyMap<string, NamedAccount>

/** A name starts with a letter: `--account 1` is the number of an account of a mnemonic. */
const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,31}$/

/** @throws UsageError `BAD_VALUE` */
export function checkName(name: string): void {
  if (!NAME.test(name))
    throw new UsageError('BAD_VALUE', 'the name of an account starts with a letter', {
      hint: 'up to 32 letters, digits, dots, dashes and underscores',
    })
}

/**
 * The file of the accounts, which contains no keys: `AVMKIT_ACCOUNTS`, or accounts.json beside the config file.
 *
 * @throws UsageError `MISSING_OPTION` if there is no home folder
 */
function accountsPath(env: Surroundings['env']): string {
  if (env.AVMKIT_ACCOUNTS) return env.AVMKIT_ACCOUNTS
  const folder = settingsFolder(env)
  if (folder !== undefined) return join(folder, 'accounts.json')
  throw new UsageError('MISSING_OPTION', 'there is no home folder for the accounts', {
    hint: 'set AVMKIT_ACCOUNTS to a file',
  })
}

/** @throws CliError `ACCOUNTS_INVALID`, `FILE_UNREADABLE` */
export async function readAccounts(io: Surroundings): Promise<Accounts> {
  const path = accountsPath(io.env)
  if (!existsSync(path)) return new Map()
  let json: Json
  try {
    json = parseJSON(await readText(path, io)) as Json
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    throw invalid(path, 'is not JSON', cause)
  }
  if (!isJSONObject(json)) throw invalid(path, 'must be a JSON object')
  return new Map(
    Object.entries(json).map(([name, value]) => {
      const account = NAME.test(name) ? accountOf(value) : undefined
      if (account === undefined)
        throw invalid(path, `has an invalid account ${JSON.stringify(name.slice(0, 32))}`)
      return [name, account]
    }),
  )
}

/** @throws CliError `FILE_UNWRITABLE` */
export function writeAccounts(accounts: Accounts, { env }: Surroundings): void {
  const path = accountsPath(env)
  makeFolder(dirname(path))
  replaceFile(path, `${JSON.stringify(Object.fromEntries(accounts), null, 2)}\n`)
}

/** @throws UsageError `ACCOUNT_UNKNOWN` */
export function findAccount(name: string, accounts: Accounts): NamedAccount {
  const found = accounts.get(name)
  if (found !== undefined) return found
  const suggestion = nearest(name, accounts.keys())
  throw new UsageError('ACCOUNT_UNKNOWN', `there is no account ${name.length <= 32 ? name : '…'}`, {
    hint:
      suggestion === undefined
        ? 'avmkit accounts list shows the names; avmkit accounts add NAME adds one'
        : `did you mean ${suggestion}?`,
  })
}

/** A checked account; undefined if a member is missing, unknown or of another kind. */
function accountOf(value: Json | undefined): NamedAccount | undefined {
  if (!isJSONObject(value)) return undefined
  const { owners, keyFiles, number, count, passphrase, passphraseFile, network, ...rest } = value
  const isTexts = (list: unknown): list is readonly string[] =>
    Array.isArray(list) && list.every((text) => typeof text === 'string' && !isSecret(text))
  const isNumber = (each: unknown) => Number.isSafeInteger(each) && (each as number) >= 0
  const isValid =
    Object.keys(rest).length === 0 &&
    isTexts(owners) &&
    owners.length > 0 &&
    isTexts(keyFiles) &&
    isNumber(number) &&
    (count === undefined || isNumber(count)) &&
    typeof passphrase === 'boolean' &&
    isTexts([passphraseFile, network].filter((text) => text !== undefined))
  return isValid ? (value as unknown as NamedAccount) : undefined
}

function isSecret(text: string): boolean {
  return holdsSecret(text) || isHexKey(text)
}

function invalid(path: string, what: string, cause?: unknown): CliError {
  return new CliError('ACCOUNTS_INVALID', `the file of accounts ${path} ${what}`, {
    cause,
    hint: 'correct or remove it; it contains no keys, only where they are',
  })
}
