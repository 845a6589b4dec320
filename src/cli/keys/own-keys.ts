import type { HDChoice, OwnKeys, RequestKeys, RequestOwners } from '../../inspect/key-text.ts'
import type { Invocation } from '../invocation.ts'

/** Configured keys by invocation. They are read once, because standard input cannot be read again. */
const configured = new WeakMap<Invocation, Promise<readonly string[] | undefined>>()

/** Which keys of a mnemonic to use. */
export function hdChoice({ values }: Invocation): HDChoice {
  return {
    account: values.integer('account', 0, 2 ** 31 - 1) ?? 0,
    count: values.integer('count', 1, 10_000),
  }
}

/** Whether keys are configured, so that no prompt is necessary. */
export async function hasKeys(invocation: Invocation): Promise<boolean> {
  return (await configuredKeyTexts(invocation)) !== undefined
}

/**
 * The user's keys without asking a node: from files, the environment, the config file, or a prompt without echo.
 * A mnemonic yields its first addresses.
 */
export async function ownKeys(invocation: Invocation): Promise<OwnKeys> {
  const { ownKeysOf } = await import('../../inspect/key-text.ts')
  return ownKeysOf(await keyTexts(invocation), hdChoice(invocation))
}

/** The user's keys for a signing request. */
export async function keysForRequest(
  invocation: Invocation,
  request: RequestOwners,
): Promise<RequestKeys> {
  const { requestKeysOf } = await import('../../inspect/key-text.ts')
  return requestKeysOf(await keyTexts(invocation), hdChoice(invocation), request)
}

/** The configured keys and mnemonics, or one from a prompt. */
export async function keyTexts(invocation: Invocation): Promise<readonly string[]> {
  const texts = await configuredKeyTexts(invocation)
  return texts ?? [await (await import('./key-source.ts')).askForKey(invocation.io)]
}

function configuredKeyTexts(invocation: Invocation): Promise<readonly string[] | undefined> {
  let texts = configured.get(invocation)
  if (texts === undefined) {
    texts = import('./key-source.ts').then(({ readKeyTexts }) => readKeyTexts(invocation))
    configured.set(invocation, texts)
  }
  return texts
}
