import { formatID } from '../core/base/encoding/ids.ts'
import { AvmError } from '../core/base/errors.ts'
import { isBytes } from '../core/base/require.ts'
import { escaped } from '../core/sign/text.ts'
import { hintFor } from './hints.ts'
import type { Paint } from './terminal/paint.ts'
import { jsonLine } from './terminal/plain.ts'

/** How to print an error. */
export type ErrorFormat = {
  readonly json: boolean
  readonly paint: Paint
  /** Name of the command, if the command line named one. */
  readonly command?: string | undefined
}

/** An error as one line for people, or as one JSON object for programs. */
export function formatError(error: unknown, { json, paint, command = '' }: ErrorFormat): string {
  const description = describeError(error, command)
  if (json) return jsonLine({ error: description })
  const { code, message, hint, txID, reason } = description
  const about = [
    ...(txID === undefined || message.includes(txID) ? [] : [`, transaction ${txID}`]),
    ...(reason === undefined ? [] : [`; last error ${printable(reason)}`]),
  ].join('')
  const advice = hint === undefined ? '' : paint.dim(` (hint: ${printable(hint)})`)
  return `${paint.red(`error ${code}`)}: ${printable(message)}${about}${advice}`
}

type Description = {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly txID?: string | undefined
  /** Idempotency keys of the payments concerned. */
  readonly keys?: readonly string[] | undefined
  /** Why the outcome is not known. */
  readonly reason?: string | undefined
}

function describeError(error: unknown, command: string): Description {
  if (!(error instanceof AvmError)) {
    const message = error instanceof Error ? error.message : String(error)
    return { code: 'INTERNAL', message, hint: 'this is a defect of avmkit: please report it' }
  }
  const hint = hintFor(error, command)
  const { txID, keys } = error as { txID?: unknown; keys?: readonly string[] }
  const reason = keys === undefined ? undefined : innermostReason(error)
  return {
    code: error.code,
    message: error.message,
    hint,
    txID: isBytes(txID) ? formatID(txID) : undefined,
    keys: keys?.length === 0 ? undefined : keys,
    reason,
  }
}

/** The innermost cause of an error, such as the last answer about a pending transaction; undefined if there is none. */
export function innermostReason(error: unknown): string | undefined {
  let reason: AvmError | undefined
  for (let { cause } = error as Error; cause instanceof AvmError; { cause } = cause) reason = cause
  return reason && `${reason.code}: ${reason.message}`
}

/** Messages can contain text from a node or a file. */
function printable(text: string): string {
  return escaped(text.replaceAll(/\s*\n\s*/g, ' ')).replaceAll('\\\\', '\\')
}
