import { MAX_DENOMINATION } from '../../../base/encoding/amount.ts'
import { VerifyError } from '../../../base/errors.ts'
import { bytesFromText } from '../../../codec/text.ts'
import type { CreateAssetTx } from '../tx.ts'

/** Maximum size of an asset's name in bytes. */
export const MAX_NAME_SIZE = 128
/** Maximum size of an asset's symbol in bytes. */
export const MAX_SYMBOL_SIZE = 4

/** White space as defined by Go's unicode.IsSpace, which differs from JavaScript's `trim`. */
const SPACE = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/

/** Checks name, symbol and denomination of an asset, and that it has initial states. */
export function verifyCreateAssetText(tx: CreateAssetTx): void {
  const { name, symbol, denomination } = tx
  const nameSize = utf8Size(name)
  const symbolSize = utf8Size(symbol)
  if (nameSize < 1)
    throw new VerifyError('NAME_TOO_SHORT', 'name is too short, minimum size is 1', 'name')
  if (nameSize > MAX_NAME_SIZE)
    throw new VerifyError(
      'NAME_TOO_LONG',
      `name is too long, maximum size is ${MAX_NAME_SIZE}`,
      'name',
    )
  if (symbolSize < 1)
    throw new VerifyError('SYMBOL_TOO_SHORT', 'symbol is too short, minimum size is 1', 'symbol')
  if (symbolSize > MAX_SYMBOL_SIZE)
    throw new VerifyError(
      'SYMBOL_TOO_LONG',
      `symbol is too long, maximum size is ${MAX_SYMBOL_SIZE}`,
      'symbol',
    )
  if (tx.initialStates.length === 0)
    throw new VerifyError('NO_FXS', 'assets must support at least one Fx', 'initialStates')
  if (denomination > MAX_DENOMINATION)
    throw new VerifyError('DENOMINATION_TOO_LARGE', 'denomination is too large', 'denomination')
  if (SPACE.test(name.at(0)!) || SPACE.test(name.at(-1)!))
    throw new VerifyError('NAME_WHITESPACE', 'unexpected whitespace provided', 'name')
  if (!/^[A-Za-z0-9 ]*$/.test(name))
    throw new VerifyError(
      'NAME_ILLEGAL_CHAR',
      "asset's name must be made up of only letters and numbers",
      'name',
    )
  if (!/^[A-Z]*$/.test(symbol))
    throw new VerifyError(
      'SYMBOL_ILLEGAL_CHAR',
      "asset's symbol must be all upper case letters",
      'symbol',
    )
}

/** Size in bytes. Text with a surrogate that cannot be encoded violates a later rule, so its size does not matter. */
function utf8Size(text: string): number {
  return bytesFromText(text)?.length ?? text.length
}
