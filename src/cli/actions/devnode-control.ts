import { parseAddress } from '../../core/base/encoding/address.ts'
import { formatAmount, parseAmount } from '../../core/base/encoding/amount.ts'
import type { Json } from '../../core/codec/json.ts'
import { isJSONObject, type JsonObject } from '../../core/codec/json-value.ts'
import { createRawClient, ReplyError, RpcError } from '../../node/index.ts'
import type { Params } from '../../node/methods/method.ts'
import type { Result } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { parseGrant } from '../spending/amounts.ts'
import { counted, timeText } from '../terminal/print.ts'
import { parseTime } from '../time.ts'

const DEFAULT_URL = 'http://127.0.0.1:9650'

/** A reply of the control API. */
type ControlReply = {
  readonly json: JsonObject
  /** A number or short name, as text. Other values are a `REPLY_SHAPE` error: any server may answer. */
  readonly text: (name: string, shape?: RegExp) => string
}

/** Calls a method of the control API of a running development node. */
async function callControl(
  invocation: Invocation,
  method: string,
  params: Params,
): Promise<ControlReply> {
  const found = await invocation.findURLs()
  const url = found.length === 0 ? [DEFAULT_URL] : found
  const client = createRawClient({ url, ...invocation.transport() })
  try {
    const call = invocation.callOptions()
    const json = await client.call('/ext/devnode', `devnode.${method}`, params, call)
    return readReply(json, `devnode.${method}`)
  } catch (cause) {
    if ((cause as { status?: unknown }).status === 404 && !(cause instanceof RpcError))
      throw new CliError('NOT_A_DEVNODE', 'the server is not a development node', {
        cause,
        hint: 'start one with avmkit devnode; check --url',
      })
    throw cause
  }
}

function readReply(json: Json, method: string): ControlReply {
  const bad = (path: string, expected: string) =>
    new ReplyError('REPLY_SHAPE', method, path, `must be ${expected}`)
  if (!isJSONObject(json)) throw bad('result', 'an object')
  return {
    json,
    text: (name, shape = NAME) => {
      const value = Object.hasOwn(json, name) ? json[name] : undefined
      const text = typeof value === 'object' ? '' : String(value)
      if (value === undefined || !shape.test(text))
        throw bad(`result.${name}`, shape === DIGITS ? 'a number' : 'a short name')
      return text
    },
  }
}

const NAME = /^[A-Za-z0-9-]{1,64}$/
const DIGITS = /^[0-9]{1,20}$/

export async function fund(invocation: Invocation): Promise<Result> {
  const [address, amount] = invocation.values.args as [string, string]
  // The node would refuse it, too, but this is wrong usage and needs no request.
  if (!address.startsWith('0x') && parseAddress(address).chain === 'C')
    throw new UsageError('BAD_VALUE', 'an account of the C-Chain is 0x and 40 hex digits')
  const asset = invocation.values.text('asset')
  const units = parseAmount(amount, asset === undefined ? 9 : 0)
  const { json, text } = await callControl(invocation, 'fund', {
    address,
    amount: String(units),
    asset,
  })
  const what = asset === undefined ? `${formatAmount(units)} AVAX` : `${units} units of ${asset}`
  return { json, text: `funded ${address} with ${what} on the ${text('chain')}-Chain` }
}

export async function time(invocation: Invocation): Promise<Result> {
  const [text] = invocation.values.args
  const now = async () => BigInt((await callControl(invocation, 'now', {})).text('time', DIGITS))
  const step = /^\+([0-9]{1,12})$/.exec(text ?? '')
  const wanted =
    text === undefined
      ? undefined
      : step === null
        ? parseTime(text)
        : (await now()) + BigInt(step[1]!)
  if (wanted !== undefined) await callControl(invocation, 'setTime', { time: String(wanted) })
  const seconds = wanted ?? (await now())
  return { json: { time: seconds }, text: `${seconds} (${timeText(seconds)})` }
}

export async function mine(invocation: Invocation): Promise<Result> {
  const { args } = invocation.values
  const { json, text } = await callControl(invocation, 'produceBlock', {
    chain: invocation.values.text('chain') ?? 'X',
    txIDs: args.length === 0 ? undefined : args,
  })
  const count = counted(BigInt(text('transactions', DIGITS)), 'transaction')
  const at = json.height === undefined ? '' : ` at height ${text('height', DIGITS)}`
  return { json, text: `block with ${count}${at} on the ${text('chain')}-Chain` }
}

export async function exportFrom(invocation: Invocation): Promise<Result> {
  const [chain, ...grants] = invocation.values.args as [string, ...string[]]
  const recipients = grants.map((text) => {
    const { address, amount } = parseGrant(text)
    return { address, amount: String(amount) }
  })
  const { json } = await callControl(invocation, 'exportFrom', { chain, recipients })
  const count = counted(recipients.length, 'UTXO')
  return { json, text: `${count} can be imported: avmkit import --source-chain ${chain}` }
}

export async function fault(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const number = (name: string) => values.integer(name, 0, 1_000_000_000)
  const { json, text } = await callControl(invocation, 'injectFault', {
    kind: values.args[0]!,
    on: values.text('on'),
    times: number('times'),
    after: number('after'),
    ms: number('ms'),
  })
  return { json, text: `fault ${text('faultID')} is armed` }
}

export async function snapshot(invocation: Invocation): Promise<Result> {
  const { json, text } = await callControl(invocation, 'snapshot', {})
  return { json, text: text('snapshotID') }
}

export async function revert(invocation: Invocation): Promise<Result> {
  const snapshotID = invocation.values.args[0]!
  await callControl(invocation, 'revert', { snapshotID })
  return { json: { snapshotID }, text: `reverted to snapshot ${snapshotID}` }
}
