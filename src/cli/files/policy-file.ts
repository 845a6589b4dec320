import { type ParsedPolicy, parsePolicy } from '../../signers/policy/policy.ts'
import { UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { readText } from './files.ts'

/**
 * The policy that the user named, read once per command: what is explained is what decides about signing.
 *
 * @throws PolicyError, ArgumentError; UsageError `MISSING_OPTION`
 */
export async function readPolicy(invocation: Invocation): Promise<ParsedPolicy | undefined> {
  const { values, io } = invocation
  const file = values.text('policy')
  const book = values.text('address-book')
  const checksum = values.text('policy-checksum')
  if (file === undefined) {
    if (book === undefined && checksum === undefined) return undefined
    throw new UsageError('MISSING_OPTION', '--address-book and --policy-checksum require --policy')
  }
  return parsePolicy(await readText(file, io), {
    addressBook: book === undefined ? undefined : await readText(book, io),
    checksum,
  })
}
