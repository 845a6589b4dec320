import { describe, expect, it } from 'vitest'
import {
  finishRequest,
  formatPrivateKey,
  formatRequest,
  mergeRequests,
  parseRequest,
  signRequest,
} from '../../src/index.ts'
import { type Found, loadText } from '../../src/page/read.ts'
import { formatPolicy, parsePolicy } from '../../src/signers/policy/index.ts'
import { coins, keysOf, owners, people, proven, transfer } from '../core/sign/fixtures.ts'
import {
  addressText,
  base,
  bookOf,
  bookRule,
  vault,
  vaultOwners,
} from '../signers/policy/fixtures.ts'
import { hasChromium } from './browser.ts'
import { usePage } from './harness.ts'

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

describe.runIf(hasChromium('policies and copies in the offline page'))('in Chromium', () => {
  const { panel, press, read, tab, saved, useKey } = usePage()

  it('every explanation shows the checksum of the policy', async () => {
    const file = formatPolicy({ ...base, vaults: [vault], addressBook: bookRule })
    const { checksum } = parsePolicy(file)
    await read(requestText)
    await tab('Check')
    expect(await panel('Check').innerText()).not.toContain(checksum)
    await read(file)
    await read(requestText)
    await tab('Check')
    const shown = panel('Check').locator('.explanation > p', { hasText: 'Policy' })
    expect(await shown.innerText()).toContain(checksum)
    // Also in the text that the command line prints.
    expect(await panel('Check').locator('pre.words').textContent()).toContain(checksum)
    await useKey(key)
    // What the policy forbids cannot be accepted.
    const sign = panel('Sign')
    expect(await sign.getByRole('button', { name: 'Sign', exact: true }).isDisabled()).toBe(true)
    expect(await sign.innerText()).toContain('POLICY_RECIPIENT')
  })

  it("a co-signer's wrong path and second signature do not stop a merge", async () => {
    const path = "m/44'/9000'/0'/0/0"
    const request = proven(transfer(coins(owners(2, 0, 1, 2))), {
      signers: 'all',
      paths: [{ address: people[0]!.address, path }],
    })
    const signed = (i: number, entropy: number) =>
      signRequest(request, keysOf(i), { extraEntropy: new Uint8Array(32).fill(entropy) })
    const [alice, again, bob] = [signed(0, 1), signed(0, 2), signed(1, 1)]
    await read(formatRequest(alice))
    await tab('Take away')
    const taken = panel('Take away')
    /** Merges a copy of which something is left out, and returns what the page reports. */
    const merge = async (copy: string, part: string) => {
      await taken.getByRole('textbox', { name: 'A copy of this request' }).fill(copy)
      await press('Merge', taken)
      const box = taken.locator('.state', { hasText: 'Invalid parts of copies were left out' })
      await box.getByText(part).first().waitFor()
      return box.locator('li').allInnerTexts()
    }
    // Alice signs for two of the three pairs.
    const second = 'signatures[0] of copy 1'
    expect(await merge(formatRequest(again), second)).toEqual([
      expect.stringContaining(second),
      expect.stringContaining(second),
    ])
    expect(parseRequest(await saved('Save request', taken))).toEqual(alice)

    const wrong = formatRequest(bob).replace(path, "m/44'/9000'/0'/0/7")
    expect(await merge(wrong, 'paths[0] of copy 1')).toHaveLength(1)
    const merged = parseRequest(await saved('Save request', taken))
    expect(merged).toEqual(mergeRequests(alice, bob))
    expect(finishRequest(merged).complete).toBe(true)
  })
})
