import { resolve } from 'node:path'
import { parseAddress } from '../../../core/base/encoding/address.ts'
import { WatchAccount } from '../../../core/crypto/hd/index.ts'
import { publicTextsOf } from '../../../inspect/key-text.ts'
import type { Result } from '../../command.ts'
import {
  type Accounts,
  checkName,
  findAccount,
  type NamedAccount,
  readAccounts,
  writeAccounts,
} from '../../connections/accounts.ts'
import { isNetworkFile } from '../../connections/parse-network.ts'
import { CliError, UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { isXpub } from '../../keys/addresses.ts'
import { hdChoice, keyTexts } from '../../keys/own-keys.ts'
import { table } from '../../terminal/print.ts'

/** Gives a name to key files, or to addresses and xpubs whose keys are elsewhere. */
export async function add(invocation: Invocation): Promise<Result> {
  const { values, io } = invocation
  const [name, ...watched] = values.args as [string, ...string[]]
  checkName(name)
  const accounts = await readAccounts(io)
  if (accounts.has(name))
    throw new CliError('ACCOUNT_EXISTS', `there is already an account ${name}`, {
      hint: `choose another name, or run avmkit accounts remove ${name} first`,
    })
  const account =
    watched.length > 0 ? await watchedAccount(watched, invocation) : await keyedAccount(invocation)
  writeAccounts(new Map([...accounts, [name, account]]), io)
  return listing(new Map([[name, account]]), invocation)
}

async function watchedAccount(
  owners: readonly string[],
  invocation: Invocation,
): Promise<NamedAccount> {
  const { values } = invocation
  for (const option of ['key-file', 'count', 'account', 'passphrase', 'passphrase-file'])
    if (values.has(option))
      throw new UsageError(
        'BAD_VALUE',
        `--${option} is for an account with keys, not for addresses`,
      )
  const hrp = values.has('network') ? (await invocation.network()).hrp : undefined
  for (const text of owners)
    if (isXpub(text)) new WatchAccount(text)
    else parseAddress(text, { hrp })
  return {
    owners,
    keyFiles: [],
    number: 0,
    passphrase: false,
    network: recordedNetwork(invocation),
  }
}

async function keyedAccount(invocation: Invocation): Promise<NamedAccount> {
  const { values } = invocation
  const files = values.list('key-file')
  if (files.length === 0 || files.includes('-'))
    throw new UsageError(
      'MISSING_OPTION',
      'an account needs --key-file FILE, or addresses or xpubs',
      {
        hint: 'only the name of the file is recorded, never the key',
      },
    )
  const choice = await hdChoice(invocation)
  const { hrp } = await invocation.network()
  const passphraseFile = values.text('passphrase-file')
  return {
    owners: publicTextsOf(await keyTexts(invocation), choice, hrp),
    keyFiles: files.map((file) => resolve(file)),
    number: choice.account,
    count: choice.count,
    passphrase: choice.passphrase !== undefined,
    passphraseFile: passphraseFile === undefined ? undefined : resolve(passphraseFile),
    network: recordedNetwork(invocation),
  }
}

/** The network to record, which `Invocation.network` has checked. Commands may run in another folder. */
function recordedNetwork({ values }: Invocation): string | undefined {
  const text = values.text('network')
  return text !== undefined && isNetworkFile(text) ? resolve(text) : text
}

/** Lists all accounts. */
export async function list(invocation: Invocation): Promise<Result> {
  return listing(await readAccounts(invocation.io), invocation)
}

/** Forgets a name. */
export async function remove(invocation: Invocation): Promise<Result> {
  const [name] = invocation.values.args as [string]
  const accounts = new Map(await readAccounts(invocation.io))
  findAccount(name, accounts)
  accounts.delete(name)
  writeAccounts(accounts, invocation.io)
  return { json: { removed: name }, text: `removed ${name}; its key files were not touched` }
}

function listing(accounts: Accounts, { paint }: Invocation): Result {
  const columns = ['name', 'owners', 'keys', 'network'].map((title) => ({ title }))
  const rows = [...accounts].map(([name, account]) => [
    name,
    account.owners.join(', '),
    keysText(account),
    account.network ?? '',
  ])
  return {
    json: { accounts: [...accounts].map(([name, account]) => ({ name, ...account })) },
    text: rows.length === 0 ? 'no accounts' : table(columns, rows, paint),
  }
}

function keysText({ keyFiles, number, passphrase }: NamedAccount): string {
  if (keyFiles.length === 0) return 'elsewhere'
  const details = [number === 0 ? '' : ` account ${number}`, passphrase ? ' with passphrase' : '']
  return `${keyFiles.join(', ')}${details.join('')}`
}
