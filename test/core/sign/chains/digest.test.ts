import { describe, expect, it } from 'vitest'
import type { ChainAlias } from '../../../../src/core/chain/chain-types.ts'
import {
  createRequest,
  explainRequest,
  formatExplanation,
  type SigningRequest,
  signRequest,
} from '../../../../src/index.ts'
import { keysOf, owners, people } from '../fixtures.ts'
import { NOW as now } from '../verdicts.ts'
import { AVAX, accountOf, exportFromC, exportOfVault, importToC } from './fixtures.ts'
import { requestOf, samples } from './samples.ts'

const digestOf = (request: SigningRequest<ChainAlias>, options = {}) =>
  explainRequest(request, options).digest

describe('the digest of a request', () => {
  for (const [name, , sample] of samples) {
    const { draft, parents } = sample
    const isExport = draft.utxos.length === 0
    const request = requestOf(sample)
    const digest = digestOf(request)

    it(`of the ${name} has five groups of letters and is a line of the text`, () => {
      expect(digest).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/)
      const lines = formatExplanation(explainRequest(request)).split('\n')
      expect(lines).toContain(`digest  ${digest}`)
    })

    it(`of the ${name} is the same for all readers, signer sets and signatures`, () => {
      expect(digestOf(request, { ours: [people[0]!.address], now })).toBe(digest)
      expect(digestOf(signRequest(request, keysOf(0), { now }))).toBe(digest)
      expect(digestOf(createRequest(draft, { parents, signers: 'all' }))).toBe(digest)
      if (isExport) return
      const signers = [people[1]!.address, people[2]!.address]
      const others = createRequest(draft, { parents, signers })
      expect(others.signerSets).not.toEqual(request.signerSets)
      expect(digestOf(others)).toBe(digest)
    })

    if (!isExport)
      it(`of the ${name} differs for other evidence`, () => {
        const unproven = createRequest(draft)
        const [utxo] = unproven.utxos
        // Nothing but the file states who owns an unproven UTXO.
        const claimed = { ...utxo!, output: { ...utxo!.output, locktime: 1n } }
        const other = { ...unproven, utxos: [claimed] } as SigningRequest<ChainAlias>
        const digests = [digest, digestOf(unproven), digestOf(other)]
        expect(new Set(digests).size).toBe(3)
      })
  }

  it('differs for other transactions and chains', () => {
    const others = [
      exportOfVault().draft,
      exportOfVault({ to: people[5]!.address, amount: AVAX }).draft,
      exportFromC(),
      exportFromC(people[5]!.address),
      importToC(owners(1, 0)).draft,
      importToC(owners(1, 0), accountOf(keysOf(5))).draft,
    ]
    const digests = [
      ...samples.map(([, , sample]) => digestOf(requestOf(sample))),
      ...others.map((draft) => digestOf(createRequest<ChainAlias>(draft))),
    ]
    expect(new Set(digests).size).toBe(samples.length + others.length)
  })
})
