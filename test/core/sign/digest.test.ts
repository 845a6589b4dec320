import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { explainRequest } from '../../../src/core/sign/request/explain-request.ts'
import { signRequest } from '../../../src/core/sign/request/request-sign.ts'
import type { SigningRequest } from '../../../src/core/sign/request/signing-request.ts'
import { coins, keysOf, owners, people, proven, transfer } from './fixtures.ts'
import { asset, changeTo, payingToken, plain, requestOf, wide } from './scenes.ts'

describe('digest', () => {
  const token = asset()
  const tokens = payingToken(token.assetID)
  const request = requestOf(plain)
  const digest = (of: SigningRequest, who: number) =>
    explainRequest(of, { ours: keysOf(who), now: BigInt(who) }).digest

  it('is the same for all readers, signatures and signer sets', () => {
    expect(digest(request, 0)).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/)
    expect(digest(request, 1)).toBe(digest(request, 0))
    expect(digest(signRequest(request, keysOf(0)), 1)).toBe(digest(request, 0))
    const draft = transfer(coins(owners(2, 0, 1, 2)))
    const signers = [people[1]!.address, people[2]!.address]
    const [first, second] = [proven(draft), proven(draft, { signers })]
    expect(second.signerSets).not.toEqual(first.signerSets)
    expect(digest(second, 0)).toBe(digest(first, 0))
    expect(digest(proven(draft, { signers: 'all' }), 0)).toBe(digest(first, 0))
  })

  it('does not depend on known assets that do not occur', () => {
    const details = { symbol: 'TOK', denomination: 2 }
    const assets = { [formatID(token.assetID)]: details }
    expect(explainRequest(request, { assets }).digest).toBe(digest(request, 0))
    const unproven = requestOf(tokens)
    expect(explainRequest(unproven, { assets }).digest).not.toBe(digest(unproven, 0))
  })

  it('differs for other outputs, other evidence and other assets', () => {
    const digests = [
      request,
      requestOf(changeTo(wide)),
      { ...request, proofs: [] },
      requestOf(tokens),
      requestOf(tokens, [token.proof]),
    ].map((one) => digest(one, 0))
    expect(new Set(digests).size).toBe(digests.length)
  })
})
