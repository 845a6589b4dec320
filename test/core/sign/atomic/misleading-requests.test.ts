import { describe, expect, it } from 'vitest'
import * as cChain from '../../../../src/core/c-chain.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import type { AcceptCode } from '../../../../src/core/sign/sign.ts'
import { keysOf, owners, paying } from '../fixtures.ts'
import { codeOf, NOW } from '../verdicts.ts'
import { AVAX, accountOf, alice } from './fixtures.ts'
import { cases, transfer } from './misleading-requests.ts'

describe('misleading requests of the P- and C-Chain', () => {
  for (const [chain, name, make, reader, codes, paid] of cases)
    it(`${name}: ${codes.join(', ') || 'no warning'}`, () => {
      // The functions of both chains have the same shape, and the case states the chain of its request.
      const on = chain === 'P' ? pChain : (cChain as unknown as typeof pChain)
      const request = make() as pChain.SigningRequest
      expect(codeOf(() => on.parseRequest(on.formatRequest(request)))).toBe('no error')
      const keys = keysOf(reader)
      const { warnings, pays } = on.explainRequest(request, {
        now: NOW,
        ours: keys.addresses,
        accounts: [accountOf(keys)],
      })
      expect(warnings.map(({ code, danger }) => `${code}${danger ? '!' : ''}`)).toEqual(codes)
      if (paid !== undefined) expect(pays.reduce((sum, { amount }) => sum + amount, 0n)).toBe(paid)
      const dangers = new Set(warnings.flatMap(({ code, danger }) => (danger ? [code] : [])))
      // In JavaScript, options can be undefined: they count as absent, and what the keys own is ours.
      const absent: object = { ours: undefined, accounts: undefined }
      const sign = (accept: readonly string[]) =>
        on.signRequest(request, keys, { now: NOW, accept: accept as AcceptCode[], ...absent })
      for (const missing of dangers)
        expect(codeOf(() => sign([...dangers].filter((code) => code !== missing)))).toBe(missing)
      expect(sign([...dangers]).signerSets[0]!.signatures).toHaveLength(1)
    })

  it('a transfer on another network, which no file can contain: WRONG_NETWORK', () => {
    const returned = [paying(AVAX - 10_000n, owners(1, 0))]
    const request = transfer([paying(AVAX, owners(1, 0))], returned, { networkID: 1 })
    expect(codeOf(() => pChain.parseRequest(pChain.formatRequest(request)))).toBe(
      'WRONG_NETWORK_ID',
    )
    expect(pChain.explainRequest(request)).toMatchObject({ network: 'mainnet' })
    expect(codeOf(() => pChain.signRequest(request, alice))).toBe('WRONG_NETWORK')
  })
})
