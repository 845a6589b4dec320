import { describe, expect, it } from 'vitest'
import * as cChain from '../../src/c-chain/index.ts'
import * as pChain from '../../src/p-chain/index.ts'
import type { AcceptCode } from '../../src/sign/index.ts'
import { keysOf } from '../sign/fixtures.ts'
import { codeOf, NOW } from '../sign/verdicts.ts'
import { accountOf } from './fixtures.ts'
import { cases } from './misleading-requests.ts'

describe('misleading requests of the P- and C-Chain', () => {
  for (const [chain, name, make, reader, codes, paid] of cases)
    it(`${name}: ${codes.join(', ') || 'no warning'}`, () => {
      // The functions of both chains have the same shape, and the case states the chain of its request.
      const on = chain === 'P' ? pChain : (cChain as unknown as typeof pChain)
      const request = make() as pChain.SigningRequest
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
      expect(sign([...dangers]).variants[0]!.signatures).toHaveLength(1)
    })
})
