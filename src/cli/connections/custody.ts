import { ArgumentError } from '../../core/base/errors.ts'
import type { Json } from '../../core/codec/json.ts'
import { parseJSON } from '../../core/codec/json-text.ts'
import { isJSONObject } from '../../core/codec/json-value.ts'
import type { Custody, CustodyOptions, SweepRule } from '../../custody/index.ts'
import { CliError, UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import { readPolicy } from '../files/policy-file.ts'
import type { Invocation } from '../invocation.ts'
import { hdChoice, keyTexts, ownKeys } from '../keys/own-keys.ts'

/** Opens the custody system that the user named; it is closed at the end of the command. */
export async function openNamedCustody(
  invocation: Invocation,
  more: Partial<CustodyOptions> = {},
): Promise<Custody> {
  const { values } = invocation
  const { openCustody } = await import('../../custody/index.ts')
  const client = await invocation.client()
  const custody = await openCustody({
    database: databaseURL(invocation),
    schema: values.text('schema') ?? 'avmkit',
    client,
    quorum: await invocation.quorum(),
    ...more,
  })
  invocation.atEnd(() => custody.close())
  return custody
}

/** Opens the custody system that the user named, with the user's keys and sweep rules. */
export async function openSigningCustody(
  invocation: Invocation,
  more: Partial<CustodyOptions> = {},
): Promise<Custody> {
  const { values } = invocation
  const hot = values.list('hot')
  const file = values.text('rules')
  await invocation.context()
  const { accountsOf } = await import('../../inspect/key-text.ts')
  return openNamedCustody(invocation, {
    keys: (await ownKeys(invocation)).keys,
    // `keys` is the hot wallet; `accounts` sign for the deposit addresses of watched xpubs.
    accounts: accountsOf(await keyTexts(invocation), await hdChoice(invocation)),
    hot: hot.length === 0 ? undefined : hot,
    signing: { policy: await readPolicy(invocation) },
    sweeps: file === undefined ? undefined : parseRules(await readText(file, invocation.io)),
    ...more,
  }).catch(explainRules)
}

/**
 * Throws an error again: one of the sweep rules as an error of their file. Rules are checked when the system is opened,
 * their addresses at the first call that needs the network.
 *
 * @throws CliError `RULES_INVALID`, `UNKNOWN_OPTION`
 */
export function explainRules(error: unknown): never {
  if (!(error instanceof ArgumentError) || !error.path.startsWith('sweeps')) throw error
  throw invalidRules('rules', error.message.replace(/^openCustody: /, ''), error)
}

/** A password before the host, or in the query. The driver accepts any scheme. */
const HAS_PASSWORD = /^[^?#]*\/\/[^?#@]*:[^?#]*@|[?&]password=/i

/** The URL of the database. */
export function databaseURL({ values, io }: Invocation): string {
  const given = values.text('database')
  const url = given ?? io.env.AVMKIT_DATABASE
  if (!url)
    throw new UsageError('MISSING_OPTION', 'no database is configured', {
      hint: 'set AVMKIT_DATABASE or pass --database postgres://user@host/name',
    })
  // Other users of the machine can read the arguments of a process.
  if (given !== undefined && HAS_PASSWORD.test(given))
    throw new UsageError('KEY_IN_ARGUMENT', 'the URL of --database contains a password', {
      hint: 'put the URL into AVMKIT_DATABASE, or the password into PGPASSWORD or ~/.pgpass',
    })
  return url
}

/**
 * Reads sweep rules: a JSON list of objects, amounts as texts of digits or as numbers. Whether they are complete and
 * valid is checked when the system is opened.
 *
 * @throws CliError `RULES_INVALID`
 */
export function parseRules(text: string): SweepRule[] {
  const list = rulesJSON('rules', text)
  if (!Array.isArray(list) || !list.every(isJSONObject))
    throw invalidRules('rules', 'must be a JSON list of objects')
  return list.map((rule) => {
    // `above` of a consolidation is a number of UTXOs, not an amount.
    const isCount = rule.type === 'consolidate'
    const entries = Object.entries(rule).map(([name, value]) => [
      name,
      isCount || !AMOUNTS.includes(name) ? value : amountIn(value),
    ])
    return Object.fromEntries(entries) as SweepRule
  })
}

/** The JSON of the file of an option. */
export function rulesJSON(option: string, text: string): Json {
  try {
    return parseJSON(text)
  } catch (cause) {
    if (!(cause instanceof ArgumentError)) throw cause
    throw invalidRules(option, cause.message, cause)
  }
}

/** The error for the content of the file of an option, which is not an error of the command line. */
export function invalidRules(option: string, message: string, cause?: ArgumentError): CliError {
  const code = cause?.code === 'UNKNOWN_OPTION' ? cause.code : 'RULES_INVALID'
  return new CliError(code, `the file of --${option}: ${message}`, { cause, hint: cause?.hint })
}

const AMOUNTS: readonly string[] = ['above', 'below', 'keep', 'amount']

/** A value that is not an amount is returned unchanged, and rejected when the rules are checked. */
export function amountIn(value: Json): Json | bigint {
  const isAmount =
    Number.isSafeInteger(value) || (typeof value === 'string' && /^[0-9]{1,40}$/.test(value))
  return isAmount ? BigInt(value as string | number) : value
}
