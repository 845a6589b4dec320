// Requests of all chains can be read.
import '../../../inspect/chains.ts'
import { parseRequest } from '../../../core/sign/request/request-file.ts'
import { FrameCollector, isFrame, splitFrames } from '../../../inspect/bbqr.ts'
import { keystoneFrames } from '../../../signers/keystone/signing.ts'
import { isUR } from '../../../signers/keystone/ur.ts'
import type { Result } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { fileText } from '../../files/input.ts'
import { writeText } from '../../files/write-file.ts'
import type { Invocation } from '../../invocation.ts'
import { parseOptions } from '../../spending/request-files.ts'
import { qrCodes } from '../../terminal/qr.ts'

/** Prints the texts of the QR codes of a request. */
export async function exportFrames(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const format = values.required('format', 'keystone or bbqr')
  const text = await fileText(invocation)
  const request = parseRequest(text, await parseOptions(text, invocation))
  const frames =
    format === 'bbqr'
      ? splitFrames(new TextEncoder().encode(text), 'J')
      : keystoneFrames(request, { fingerprint: fingerprintIn(invocation) })
  const lines = `${frames.join('\n')}\n`
  const codes = await qrCodes(frames, invocation)
  const out = values.text('out')
  if (out === undefined) return { json: { frames }, text: [lines.trimEnd(), ...codes].join('\n\n') }
  writeText(out, lines)
  const line = `${frames.length} QR codes written to ${out}`
  return { json: { file: out, frames: frames.length }, text: [line, ...codes].join('\n\n') }
}

function fingerprintIn({ values }: Invocation): number {
  const text = values.required('fingerprint', 'the device shows it with its account')
  if (/^[0-9a-f]{8}$/i.test(text)) return Number.parseInt(text, 16)
  throw new UsageError('BAD_VALUE', '--fingerprint must be 8 hex digits')
}

/** Copies of a request, which of the files each is, and answers of Keystone devices. */
export type Copies = {
  readonly copies: readonly [string, ...string[]]
  readonly numbers: readonly number[]
  readonly answers: readonly string[]
}

/** Tells files of requests from those with the texts of QR codes. The first one is the request. */
export async function readCopies([first, ...others]: readonly [
  string,
  ...string[],
]): Promise<Copies> {
  const copies: [string, ...string[]] = [first]
  const numbers = [0]
  const answers: string[] = []
  for (const [i, text] of others.entries()) {
    if (isUR(text.trim())) {
      answers.push(text)
      continue
    }
    copies.push(await requestText(text))
    numbers.push(i + 1)
  }
  return { copies, numbers, answers }
}

/**
 * The text of a request that may be a series of QR codes.
 *
 * @throws UsageError `MISSING_OPTION` for signatures of a device, which belong to a request
 */
export async function requestText(text: string): Promise<string> {
  if (isUR(text.trim()))
    throw new UsageError('MISSING_OPTION', 'the option --into is required: these are signatures', {
      hint: 'name the request that they belong to',
    })
  return isFrame(text.trim()) ? joined(text) : text
}

async function joined(text: string): Promise<string> {
  const collector = new FrameCollector()
  let isComplete = false
  for (const line of text.split(/\s+/).filter(Boolean)) isComplete = collector.add(line)
  if (isComplete) return new TextDecoder().decode((await collector.join()).bytes)
  const { read, count } = collector.progress
  throw new UsageError('BAD_VALUE', `${read} of ${count} QR codes of the series are there`)
}
