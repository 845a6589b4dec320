import { formatID } from '../../core/base/encoding/ids.ts'
import { ArgumentError } from '../../core/base/errors.ts'
import type { Json } from '../../core/codec/json.ts'
import { isJSONObject } from '../../core/codec/json-value.ts'
import type { Limit, LimitRule } from '../../custody/index.ts'
import type { Result } from '../command.ts'
import { amountIn, invalidRules, openNamedCustody, rulesJSON } from '../connections/custody.ts'
import { type AmountPrinter, amountPrinter } from '../connections/custody-amounts.ts'
import { readText } from '../files/files.ts'
import type { Invocation } from '../invocation.ts'
import { table } from '../terminal/print.ts'

/** `custody limits` */
export async function limits(invocation: Invocation): Promise<Result> {
  const { values, io, paint } = invocation
  const file = values.text('set')
  const rules = file === undefined ? [] : parseLimits(await readText(file, io))
  const custody = await openNamedCustody(invocation)
  for (const name of values.list('remove')) await custody.removeLimit(name)
  for (const [i, rule] of rules.entries())
    await custody.setLimit(rule).catch((error) => {
      if (!(error instanceof ArgumentError)) throw error
      throw invalidRules('set', `rule ${i + 1}: ${error.message}`, error)
    })
  const list = await custody.limits()
  const print = await amountPrinter(
    invocation,
    list.flatMap((limit) =>
      'assetID' in limit && limit.assetID !== undefined
        ? [{ assetID: limit.assetID as Uint8Array }]
        : [],
    ),
  )
  const columns = [{ title: 'name' }, { title: 'rule' }, { title: 'set by' }, { title: 'at' }]
  const cells = list.map((limit) => [
    limit.name,
    ruleText(limit, print),
    limit.setBy,
    limit.setAt.toISOString(),
  ])
  return {
    json: { limits: list.map(limitJSON) },
    text: list.length === 0 ? 'no limits' : table(columns, cells, paint),
  }
}

/** Reads limits: a JSON list of objects, amounts as texts of digits or as numbers. */
function parseLimits(text: string): LimitRule[] {
  const list = rulesJSON('set', text)
  if (!Array.isArray(list) || !list.every(isJSONObject))
    throw invalidRules('set', 'must be a JSON list of objects')
  return list.map((rule) => withAmounts(rule) as LimitRule)
}

/** The members `amount` and `unit` as amounts, also within lists. */
function withAmounts(value: Json): unknown {
  if (Array.isArray(value)) return value.map(withAmounts)
  if (!isJSONObject(value)) return value
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    name === 'amount' || name === 'unit' ? amountIn(member) : withAmounts(member),
  ])
  return Object.fromEntries(entries)
}

/** A limit as a rule that can be set again, with who set it and when. */
function limitJSON({ setAt, ...limit }: Limit): object {
  const withTexts = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return formatID(value)
    if (Array.isArray(value)) return value.map(withTexts)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withTexts(one)]))
  }
  return { ...(withTexts(limit) as object), setAt: setAt.toISOString() }
}

function ruleText(limit: Limit, print: AmountPrinter): string {
  switch (limit.type) {
    case 'allow':
      return [
        limit.destinations && `only ${limit.destinations.length} destinations`,
        limit.assetIDs && `only ${limit.assetIDs.length} assets`,
      ]
        .filter(Boolean)
        .join(', ')
    case 'delay':
      return `new destinations wait ${limit.seconds} s`
    case 'approvals':
      return `above ${amountText(limit, print)}: ${limit.count} approvals${
        limit.approvers === undefined ? '' : ` of ${limit.approvers.join(', ')}`
      }`
    case 'limit': {
      const window = limit.seconds === undefined ? '' : ` in ${limit.seconds} s`
      return `at most ${amountText(limit, print)} per ${limit.per}${window}`
    }
  }
}

function amountText(
  { amount, assetID, assets }: Extract<Limit, { amount: bigint }>,
  print: AmountPrinter,
): string {
  if (assetID !== undefined) return print(amount, assetID as Uint8Array)
  return `${amount} units of ${assets?.length ?? 0} assets`
}
