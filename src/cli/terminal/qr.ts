import { CliError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'

/** Bytes of the largest code that fits on a terminal and that phones read well. */
const MAX_BYTES = 1200

/**
 * QR codes of texts in block characters, if the user passed `--qr`.
 *
 * @throws CliError `TOO_LARGE_FOR_QR`
 */
export async function qrCodes(texts: readonly string[], { values }: Invocation): Promise<string[]> {
  if (!values.has('qr')) return []
  const { default: encodeQR } = await import('qr')
  return texts.map((text) => {
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw new CliError('TOO_LARGE_FOR_QR', `the text has more than ${MAX_BYTES} bytes`, {
        hint: 'copy the file instead',
      })
    const title = text.length > 80 ? 'signing request' : text
    return `${title}\n${encodeQR(text, 'ascii', { ecc: 'low' }).trimEnd()}`
  })
}
