import { describe, expect, it } from 'vitest'
import { formatPrivateKey, formatRequest } from '../../src/index.ts'
import { type Found, loadText } from '../../src/page/read.ts'
import { formatPolicy } from '../../src/signers/policy/index.ts'
import { coins, people, proven, transfer } from '../core/sign/fixtures.ts'
import {
  addressText,
  base,
  bookOf,
  bookRule,
  vault,
  vaultOwners,
} from '../signers/policy/fixtures.ts'

const requestText = formatRequest(proven(transfer(coins(vaultOwners)), { signers: 'all' }))
const key = formatPrivateKey(people[0]!.key)

/** The keys of the first owner, as the page reads them. */
const keysFor = () =>
  requestOf(requestText).keysOf(key, { account: 0, count: 1, passphrase: undefined })

/** The request that a text is. */
function requestOf(text: string) {
  const { found, error } = loadText(text)
  if (error !== undefined) throw error
  return (found as Extract<Found, { kind: 'request' }>).request
}

describe('a policy in the page', () => {
  it('decides about all requests that are read after it', () => {
    const before = requestOf(requestText)
    expect(before.explain({ now: 0n }).policy).toBe(undefined)

    expect(loadText(bookOf([])).error?.code).toBe('MISMATCH')
    const policyFile = formatPolicy({ ...base, vaults: [vault], addressBook: bookRule })
    const { found } = loadText(policyFile)
    expect(found).toMatchObject({ kind: 'policy', policy: { name: base.name } })
    const { policy } = found as Extract<Found, { kind: 'policy' }>

    const refused = requestOf(requestText)
    const { warnings, policy: shown } = refused.explain({ now: 0n })
    expect(shown?.checksum).toBe(policy.checksum)
    expect(warnings.map(({ code }) => code)).toContain('POLICY_RECIPIENT')
    expect(() => refused.sign(keysFor(), ['POLICY_RECIPIENT' as never], 0n)).toThrow(
      expect.objectContaining({ code: 'POLICY_RECIPIENT' }),
    )

    // A book that the named key has not signed changes nothing.
    const recipients = [{ name: 'Alice', to: addressText(5) }]
    expect(loadText(bookOf(recipients, {}, 3)).error?.code).toBe('BOOK_SIGNATURE')
    expect(() => requestOf(requestText).sign(keysFor(), [], 0n)).toThrow(
      expect.objectContaining({ code: 'POLICY_RECIPIENT' }),
    )
    expect(loadText(bookOf(recipients)).error).toBe(undefined)
    expect(requestOf(requestText).sign(keysFor(), [], 0n)).toContain('"signature"')
    // What was explained with the former policy is decided by it.
    expect(() => refused.sign(keysFor(), [], 0n)).toThrow()
    expect(loadText(policyFile.replace('"version": 1', '"version": 2')).error?.code).toBe(
      'FILE_VERSION',
    )
  })
})
