import type { NetworkContext } from '../chain/index.ts'
import { parseAddress } from '../encoding/index.ts'
import { UsageError } from './errors.ts'
import type { Invocation } from './invocation.ts'

/** Whose coins are meant: addresses of the command line, or else those of the user's keys. */
export async function ownersOf(
  texts: readonly string[],
  invocation: Invocation,
  context: NetworkContext,
): Promise<readonly Uint8Array[]> {
  const expected = { chain: context.chainAlias, hrp: context.hrp }
  if (texts.length > 0) return texts.map((text) => parseAddress(text, expected).address)
  if (!(await invocation.hasKeys()))
    throw new UsageError(
      'MISSING_ARGUMENT',
      'expected an address, or keys to take addresses from',
      {
        hint: 'name an address, pass --key-file FILE or set AVMKIT_KEY',
      },
    )
  return (await invocation.keys()).addresses
}
