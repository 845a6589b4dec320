import { describe, expect, it } from 'vitest'
import * as cChain from '../../../../src/core/c-chain.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { people } from '../fixtures.ts'
import { NOW } from '../verdicts.ts'
import { alice, exportFromC, exportOfVault, vault } from './fixtures.ts'

describe('the digest of a request of the P- or C-Chain', () => {
  const { draft, parent } = exportOfVault()
  const parents = [parent]
  const digestOf = (request: pChain.SigningRequest, options = {}) =>
    pChain.explainRequest(request, options).digest
  const request = pChain.createRequest(draft, { parents })
  const digest = digestOf(request)

  it('has five groups of letters and is a line of the text', () => {
    expect(digest).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/)
    const text = pChain.formatAtomicRequestExplanation(
      pChain.explainRequest(request),
      request.context,
    )
    expect(text.split('\n')).toContain(`digest ${digest}`)
    expect(text).toMatch(/^returns 1 AVAX to 2 of 3: (X-local1\w+, ){2}X-local1\w+ on X$/m)
  })

  it('is the same for all readers, signer sets and signatures', () => {
    expect(digestOf(request, { ours: [people[0]!.address], now: NOW })).toBe(digest)
    const others = pChain.createRequest(draft, { parents, signers: vault.to.slice(1) })
    expect(others.signerSets).not.toEqual(request.signerSets)
    expect(digestOf(others)).toBe(digest)
    expect(digestOf(pChain.createRequest(draft, { parents, signers: 'all' }))).toBe(digest)
    expect(digestOf(pChain.signRequest(request, alice, { now: NOW }))).toBe(digest)
  })

  it('differs for other transactions, chains and evidence', () => {
    const unproven = pChain.createRequest(draft)
    const [utxo] = unproven.utxos
    // Nothing but the file states who owns an unproven UTXO.
    const claimed = { ...utxo!, output: { ...utxo!.output, locktime: 1n } } as pChain.UTXO
    const other = exportOfVault({ to: people[5]!.address, amount: 1_000_000_000n })
    const digests = [
      digest,
      digestOf(unproven),
      digestOf({ ...unproven, utxos: [claimed] }),
      digestOf(pChain.createRequest(other.draft, { parents: [other.parent] })),
      cChain.explainRequest(cChain.createRequest(exportFromC())).digest,
      cChain.explainRequest(cChain.createRequest(exportFromC(people[5]!.address))).digest,
    ]
    expect(new Set(digests).size).toBe(digests.length)
  })
})
