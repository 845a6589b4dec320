import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ArgumentError } from '../../../src/core/base/errors.ts'
import { parseNetworkProfile } from '../../../src/core/chain/network-profile.ts'

const flare = JSON.parse(
  readFileSync(new URL('../../../networks/flare.json', import.meta.url), 'utf8'),
) as object
const MEMBERS = ['txFee', 'createAssetTxFee'] as const

describe('a fee of a network profile', () => {
  for (const member of MEMBERS) {
    const parsed = (fee: string) =>
      parseNetworkProfile(JSON.stringify({ ...flare, [member]: fee })).context[member]

    it(`${member} is a decimal text of at most 64 bits`, () => {
      for (const fee of [0n, 9n, 10n, 10n ** 18n, 10n ** 19n, 2n ** 64n - 1n])
        expect(parsed(String(fee))).toBe(fee)
    })

    it.each([
      '18446744073709551616',
      '99999999999999999999',
      '100000000000000000000',
      '',
      '00',
      '01',
      '-1',
      '1.0',
      '0x1',
      '1e3',
      ' 1',
    ])(`${member} is not %j`, (fee) => {
      expect(() => parsed(fee)).toThrow(ArgumentError)
    })
  }
})
