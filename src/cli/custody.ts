import { parseJSON } from '../codec/index.ts'
import type { Custody, CustodyOptions, SweepRule } from '../custody/index.ts'
import { UsageError } from './errors.ts'
import { readText } from './files.ts'
import type { Invocation } from './invocation.ts'

/** Opens the custody system that the user named; it is closed at the end of the command. */
export async function openNamedCustody(
  invocation: Invocation,
  more: Partial<CustodyOptions> = {},
): Promise<Custody> {
  const { values } = invocation
  const { openCustody } = await import('../custody/index.ts')
  const client = await invocation.client()
  const custody = await openCustody({
    database: databaseURL(invocation),
    schema: values.text('schema') ?? 'avmkit',
    client,
    ...more,
  })
  invocation.atEnd(() => custody.close())
  return custody
}

/** The same with the user's keys and rules. */
export async function openSigningCustody(
  invocation: Invocation,
  more: Partial<CustodyOptions> = {},
): Promise<Custody> {
  const { values } = invocation
  const hot = values.list('hot')
  const file = values.text('rules')
  await invocation.context()
  const { accountsOf } = await import('./key-text.ts')
  return openNamedCustody(invocation, {
    keys: (await invocation.keys()).keys,
    // Deposit addresses of watched xpubs; the hot wallet is what `keys` has.
    accounts: accountsOf(await invocation.keyTextsOrPrompt(), invocation.hdChoice()),
    hot: hot.length === 0 ? undefined : hot,
    sweeps: file === undefined ? undefined : parseRules(await readText(file, invocation.io)),
    ...more,
  })
}

function databaseURL({ values, io }: Invocation): string {
  const given = values.text('database')
  const url = given ?? io.env.AVMKIT_DATABASE
  if (!url)
    throw new UsageError('MISSING_OPTION', 'expected a database', {
      hint: 'set AVMKIT_DATABASE or pass --database postgres://user@host/name',
    })
  // Other users of the machine can read the arguments of a process.
  if (given !== undefined && /^[a-z]+:\/\/[^/@]*:[^/@]*@/i.test(given))
    throw new UsageError('KEY_IN_ARGUMENT', 'the URL behind --database contains a password', {
      hint: 'put the URL into AVMKIT_DATABASE, or the password into PGPASSWORD or ~/.pgpass',
    })
  return url
}

const AMOUNTS: readonly string[] = ['above', 'below', 'keep', 'amount']
const TYPES: readonly string[] = ['collect', 'store', 'refill', 'consolidate']

/** Reads sweep rules: a JSON list of objects, amounts as texts of digits. */
export function parseRules(text: string): SweepRule[] {
  const list = parseJSON(text)
  const bad = (i: number, why: string) =>
    new UsageError('BAD_VALUE', `rule ${i + 1} in the file behind --rules: ${why}`)
  if (!Array.isArray(list)) throw new UsageError('BAD_VALUE', 'expected a JSON list of sweep rules')
  return list.map((item: unknown, i) => {
    if (typeof item !== 'object' || item === null) throw bad(i, 'expected an object')
    const rule = item as { readonly [name: string]: unknown }
    if (!TYPES.includes(String(rule.type))) throw bad(i, `type must be one of ${TYPES.join(', ')}`)
    const isCount = rule.type === 'consolidate'
    const entries = Object.entries(rule).map(([name, value]): [string, unknown] => {
      if (!AMOUNTS.includes(name)) return [name, value]
      if (!/^[0-9]{1,20}$/.test(String(value))) throw bad(i, `${name} must be a number`)
      return [name, isCount ? Number(value) : BigInt(String(value))]
    })
    const needed = {
      collect: ['above'],
      store: ['above', 'keep', 'to'],
      refill: ['below', 'amount', 'from'],
      consolidate: ['above'],
    }
    for (const name of needed[rule.type as SweepRule['type']])
      if (!Object.hasOwn(rule, name)) throw bad(i, `${name} is missing`)
    return Object.fromEntries(entries) as unknown as SweepRule
  })
}
