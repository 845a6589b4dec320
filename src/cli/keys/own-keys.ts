import type { HDChoice, OwnKeys, RequestKeys, RequestOwners } from '../../inspect/key-text.ts'
import { CliError, UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { isInteractive } from '../surroundings.ts'

/** Configured keys by invocation. They are read once, because standard input cannot be read again. */
const configured = new WeakMap<Invocation, Promise<readonly string[] | undefined>>()

/** Choices by invocation: a passphrase is asked for once. */
const choices = new WeakMap<Invocation, Promise<HDChoice>>()

/** Which keys of a mnemonic to use, and the passphrase of the mnemonic. */
export function hdChoice(invocation: Invocation): Promise<HDChoice> {
  const choice = choices.get(invocation) ?? readChoice(invocation)
  choices.set(invocation, choice)
  return choice
}

async function readChoice(invocation: Invocation): Promise<HDChoice> {
  const { values } = invocation
  const named = await invocation.account()
  const number = named === undefined ? values.integer('account', 0, 2 ** 31 - 1) : named.number
  const { readPassphrase } = await import('./passphrase.ts')
  return {
    account: number ?? 0,
    count: values.integer('count', 1, 10_000) ?? named?.count,
    passphrase: await readPassphrase(invocation, named),
  }
}

/** Whether keys are configured, so that no prompt is necessary. */
export async function hasKeys(invocation: Invocation): Promise<boolean> {
  return (await configuredKeyTexts(invocation)) !== undefined
}

/**
 * Fails if no keys are configured and none can be asked for.
 *
 * @throws UsageError `NO_KEYS`
 */
export async function requireKeys(invocation: Invocation): Promise<void> {
  if (isInteractive(invocation.io) || (await hasKeys(invocation))) return
  throw (await import('./key-source.ts')).noKeys(await accountName(invocation))
}

/** The name of the account that `--account` names. */
async function accountName(invocation: Invocation): Promise<string | undefined> {
  return (await invocation.account()) && invocation.values.text('account')
}

/**
 * The user's keys without asking a node: from files, the environment, the config file, or a prompt without echo.
 * A mnemonic yields its first addresses.
 */
export async function ownKeys(invocation: Invocation): Promise<OwnKeys> {
  const { ownKeysOf } = await import('../../inspect/key-text.ts')
  return ownKeysOf(await keyTexts(invocation), await hdChoice(invocation))
}

/** The user's keys for a signing request. */
export async function keysForRequest(
  invocation: Invocation,
  request: RequestOwners,
): Promise<RequestKeys> {
  const { requestKeysOf } = await import('../../inspect/key-text.ts')
  return requestKeysOf(await keyTexts(invocation), await hdChoice(invocation), request)
}

/** Keys that were checked, by invocation: a prompt appears once. */
const checked = new WeakMap<Invocation, Promise<readonly string[]>>()

/** The configured keys and mnemonics, or one from a prompt. */
export function keyTexts(invocation: Invocation): Promise<readonly string[]> {
  const texts = checked.get(invocation) ?? readTexts(invocation)
  checked.set(invocation, texts)
  return texts
}

async function readTexts(invocation: Invocation): Promise<readonly string[]> {
  const configuredTexts = await configuredKeyTexts(invocation)
  const texts = configuredTexts ?? [
    await (await import('./key-source.ts')).askForKey(invocation.io, await accountName(invocation)),
  ]
  await checkTexts(texts, invocation)
  return texts
}

/**
 * Checks that a passphrase belongs to a mnemonic, and that a named account still has the keys it was added with.
 *
 * @throws UsageError `BAD_VALUE`
 * @throws CliError `ACCOUNT_CHANGED`
 */
async function checkTexts(texts: readonly string[], invocation: Invocation): Promise<void> {
  const choice = await hdChoice(invocation)
  const { hasMnemonic, publicTextsOf, samePublicTexts } = await import('../../inspect/key-text.ts')
  if (choice.passphrase !== undefined && !hasMnemonic(texts))
    throw new UsageError('BAD_VALUE', 'a passphrase is for a mnemonic, and the keys contain none', {
      hint: 'AVMKIT_PASSWORD_FILE gives the password of an encrypted key file',
    })
  const named = await invocation.account()
  if (named === undefined) return
  if (samePublicTexts(named.owners, publicTextsOf(texts, choice, 'avax'))) return
  throw new CliError('ACCOUNT_CHANGED', 'the keys are not those that the account was added with', {
    hint:
      choice.passphrase === undefined
        ? 'check its key file; avmkit accounts list shows it; nothing was signed'
        : 'the passphrase may be mistyped, or its key file was replaced; nothing was signed',
  })
}

function configuredKeyTexts(invocation: Invocation): Promise<readonly string[] | undefined> {
  let texts = configured.get(invocation)
  if (texts === undefined) {
    texts = import('./key-source.ts').then(({ readKeyTexts }) => readKeyTexts(invocation))
    configured.set(invocation, texts)
  }
  return texts
}
