import { type Check, capability } from '../../core/base/argument.ts'
import { isBytes } from '../../core/base/require.ts'
import { LedgerError, type LedgerErrorCode } from './errors.ts'

/**
 * A connection to a device, such as a transport of `@ledgerhq/hw-transport` or the result of `hidTransport`. `send`
 * returns the reply with its status word, the last two bytes. It may also throw an error with a `statusCode`.
 */
export type LedgerTransport = {
  /** Sends one command and returns the reply. */
  send(
    cla: number,
    ins: number,
    p1: number,
    p2: number,
    data: Uint8Array,
  ): Promise<Uint8Array> | Uint8Array
}

/** Describes a transport. It is used, not copied. */
export const transport: Check<LedgerTransport> = /* @__PURE__ */ capability<LedgerTransport>(
  'a Ledger transport',
  'send',
)

const OK = 0x9000

/** What to do if the app is not open. */
export const OPEN_APP = 'unlock the device and open the Avalanche app'

/** What to do about an app that is too old. */
export const UPDATE = 'update the Avalanche app to 1.4.13 or later'

/** What to do about a transaction that is too large. */
export const SHORTEN = 'pass maxSize: LEDGER_MAX_SIZE, or less'

type Meaning = readonly [code: LedgerErrorCode, message: string, hint?: string]

// The app's own words are those of app/rust/src/constants.rs at 1.4.4; the others come from the operating system.
const LOCKED: Meaning = ['LEDGER_LOCKED', 'the device is locked', OPEN_APP]
const WRONG_APP: Meaning = ['LEDGER_WRONG_APP', 'the Avalanche app is not open', OPEN_APP]
const REJECTED: Meaning = ['LEDGER_REJECTED', 'rejected on the device']
const TOO_LARGE: Meaning = ['LEDGER_TOO_LARGE', 'too large for the app', SHORTEN]
const BLIND: Meaning = [
  'LEDGER_BLIND_SIGNING',
  'blind signing is disabled on the device',
  'the app cannot show what it would sign',
]

const MEANINGS: { readonly [status: number]: Meaning } = {
  21251: LOCKED,
  21781: LOCKED,
  27010: LOCKED,
  25873: WRONG_APP,
  27904: WRONG_APP,
  27906: WRONG_APP,
  28160: WRONG_APP,
  28161: WRONG_APP,
  21761: REJECTED,
  27013: REJECTED,
  27014: REJECTED,
  26632: BLIND,
  27011: TOO_LARGE,
  27012: ['LEDGER_APP_OUTDATED', 'this version of the app refuses the derivation path', UPDATE],
  27264: ['LEDGER_DATA_REFUSED', 'the app cannot parse what was sent', UPDATE],
  36865: ['LEDGER_BUSY', 'the device is busy', 'finish what is on the device'],
}

/**
 * Sends one command and returns the reply without its status word.
 *
 * @throws LedgerError
 */
export async function exchange(
  connection: LedgerTransport,
  [cla, ins, p1, p2]: readonly [cla: number, ins: number, p1: number, p2: number],
  data: Uint8Array = new Uint8Array(),
): Promise<Uint8Array> {
  let reply: Uint8Array
  try {
    reply = await connection.send(cla, ins, p1, p2, data)
  } catch (cause) {
    throw transportError(cause)
  }
  if (!isBytes(reply) || reply.length < 2)
    throw new LedgerError('LEDGER_REPLY', 'the reply has no status word')
  const body = reply.slice(0, -2)
  const status = (reply.at(-2)! << 8) | reply.at(-1)!
  if (status === OK) return body
  throw statusError(status, body)
}

function transportError(cause: unknown): LedgerError {
  if (cause instanceof LedgerError) return cause
  // `TransportStatusError` of Ledger's own transports.
  const status = (cause as { readonly statusCode?: unknown } | undefined)?.statusCode
  if (typeof status === 'number') return statusError(status, new Uint8Array(), cause)
  return new LedgerError('LEDGER_TRANSPORT', 'the connection failed', {
    cause,
    hint: 'reconnect the device and close other programs',
  })
}

function statusError(status: number, body: Uint8Array, cause?: unknown): LedgerError {
  // The app explains refused data with a text.
  const isBlind = /blind/i.test(String.fromCharCode(...body.subarray(0, 100)))
  const word = `0x${status.toString(16).padStart(4, '0')}`
  const [code, message, hint] = (isBlind ? BLIND : MEANINGS[status]) ?? [
    'LEDGER_STATUS',
    'unexpected status word',
  ]
  return new LedgerError(code, `${message} (${word})`, { status, hint, cause })
}

const queues = /* @__PURE__ */ new WeakMap<LedgerTransport, Promise<unknown>>()

/**
 * Runs `work` when earlier work with the same connection has ended: the app assembles one upload at a time, and a
 * second one would replace what the user is reviewing.
 */
export function exclusively<T>(connection: LedgerTransport, work: () => Promise<T>): Promise<T> {
  const turn = (queues.get(connection) ?? Promise.resolve()).then(work)
  queues.set(
    connection,
    turn.catch(() => undefined),
  )
  return turn
}
