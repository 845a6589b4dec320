import encodeQR from 'qr'
import { CliError } from './errors.ts'

/** Bytes of the largest code that fits on a terminal and that phones read well. */
const MAX_BYTES = 1200

/**
 * A QR code of a text, in block characters for a terminal.
 *
 * @throws CliError `TOO_LARGE_FOR_QR`
 */
export function qrText(text: string): string {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new CliError('TOO_LARGE_FOR_QR', `the text has more than ${MAX_BYTES} bytes`, {
      hint: 'copy the file instead',
    })
  return encodeQR(text, 'ascii', { ecc: 'low' }).trimEnd()
}
