import { describe, expect, it } from 'vitest'
import type { Draft } from '../../../../src/core/draft/draft.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import type { AcceptCode } from '../../../../src/core/sign/sign.ts'
import {
  explainDraft,
  explainRequest,
  formatRequest,
  keyChainSigner,
  parseRequest,
  type SigningRequest,
  signDraft,
  signRequest,
  signRequestWith,
} from '../../../../src/index.ts'
import { keysOf, owners, paying } from '../fixtures.ts'
import { cases, transfer } from '../misleading/p-and-c-chains.ts'
import { codeOf, codeOfPromise, NOW } from '../verdicts.ts'
import {
  AVAX,
  accountOf,
  alice,
  BASE_FEE,
  context,
  exportFromC,
  fees,
  importToC,
} from './fixtures.ts'

describe('misleading requests of the P- and C-Chain', () => {
  for (const [chain, name, make, reader, codes, paid] of cases)
    it(`${name}: ${codes.join(', ') || 'no warning'}`, async () => {
      const request: SigningRequest<'P' | 'C'> = make()
      expect(request.chain).toBe(chain)
      expect(codeOf(() => parseRequest(formatRequest(request)))).toBe('no error')
      const keys = keysOf(reader)
      const { warnings, pays } = explainRequest(request, {
        now: NOW,
        ours: keys.addresses,
        accounts: [accountOf(keys)],
      })
      expect(warnings.map(({ code, danger }) => `${code}${danger ? '!' : ''}`)).toEqual(codes)
      if (paid !== undefined)
        expect(pays.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n)).toBe(paid)
      const dangers = new Set(warnings.flatMap(({ code, danger }) => (danger ? [code] : [])))
      // In JavaScript, options can be undefined: they count as absent, and what the keys own is ours.
      const absent: object = { ours: undefined, accounts: undefined }
      const sign = (accept: readonly string[]) =>
        signRequest(request, keys, { now: NOW, accept: accept as AcceptCode[], ...absent })
      for (const missing of dangers)
        expect(codeOf(() => sign([...dangers].filter((code) => code !== missing)))).toBe(missing)
      expect(sign([...dangers]).signerSets[0]!.signatures).toHaveLength(1)
      const { publicKeys } = keys
      const signWith = (accept: readonly string[]) =>
        signRequestWith(request, [keyChainSigner(keys)], {
          now: NOW,
          accept: accept as AcceptCode[],
          publicKeys,
          ...absent,
        })
      for (const missing of dangers) {
        const others = [...dangers].filter((code) => code !== missing)
        expect(await codeOfPromise(() => signWith(others))).toBe(missing)
      }
      expect(await signWith([...dangers])).toEqual(sign([...dangers]))
    })

  it('a transfer on another network, which no file can contain: WRONG_NETWORK', () => {
    const returned = [paying(AVAX - 10_000n, owners(1, 0))]
    const request = transfer([paying(AVAX, owners(1, 0))], returned, { networkID: 1 })
    expect(codeOf(() => parseRequest(formatRequest(request)))).toBe('WRONG_NETWORK_ID')
    expect(explainRequest(request)).toMatchObject({
      network: { name: 'mainnet', networkID: 1 },
    })
    expect(codeOf(() => signRequest(request, alice))).toBe('WRONG_NETWORK')
  })

  it('an account with the bytes of an address that owns UTXOs is refused in drafts, too', () => {
    const { draft } = importToC(owners(1, 0), alice.addresses[0]!)
    expect(codeOf(() => signDraft(draft, alice))).toBe('WRONG_ACCOUNT')
    expect(signDraft(draft, alice, { accept: ['WRONG_ACCOUNT'] }).complete).toBe(true)
    // The builder of a transaction names its recipients itself.
    for (const to of [new Uint8Array(20), new Uint8Array(20).fill(0xee)]) {
      const dead = importToC(owners(1, 0), to).draft
      expect(codeOf(() => signDraft(dead, alice))).toBe('no error')
      expect(explainDraft(dead).warnings).toMatchObject([{ code: 'DEAD_ADDRESS', danger: false }])
    }
    expect(codeOf(() => signDraft(exportFromC(new Uint8Array(20)), alice))).toBe('no error')
    const others = importToC(owners(1, 0), keysOf(5).addresses[0]!)
    expect(codeOf(() => signDraft(others.draft, alice))).toBe('no error')
    // The address of another of our keys owns none of the spent UTXOs, but the reader knows it.
    const { warnings } = explainDraft(others.draft, { ours: keysOf(0, 5) })
    expect(warnings.map(({ code }) => code)).toContain('WRONG_ACCOUNT')
    expect(codeOf(() => signDraft(others.draft, keysOf(0, 5)))).toBe('WRONG_ACCOUNT')
  })

  it('an import to the account of a stranger, by a reader who names only accounts: NOT_OURS', () => {
    const { draft } = importToC(owners(1, 0), accountOf(keysOf(5)))
    const codes = (accounts: readonly Uint8Array[]) =>
      explainDraft(draft, { accounts }).warnings.map(({ code }) => code)
    expect(codes([accountOf(alice)])).toEqual(['NOT_OURS'])
    expect(codes([accountOf(alice), accountOf(keysOf(5))])).toEqual([])
  })
})

describe('the option price', () => {
  const codes = (draft: Draft<'P' | 'C'>, price?: bigint) =>
    explainDraft(draft, { ours: alice, price }).warnings.map(({ code }) => code)

  it('is what the fee of the C-Chain is compared with', () => {
    const draft = exportFromC()
    expect(codes(draft)).toEqual([])
    expect(codes(draft, BASE_FEE / 2n)).toEqual([])
    expect(codes(draft, BASE_FEE / 4n)).toEqual(['FEE_ABOVE_KNOWN'])
    expect(codeOf(() => signDraft(draft, alice))).toBe('no error')
    expect(codeOf(() => signDraft(draft, alice, { price: 10n ** 9n }))).toBe('HIGH_FEE')
  })

  it('is what the fee of the P-Chain is compared with', () => {
    const draft = expensiveTransfer(20n)
    expect(codes(draft)).toEqual(['HIGH_FEE', 'FEE_ABOVE_KNOWN'])
    expect(codes(draft, 5n)).toEqual(['FEE_ABOVE_KNOWN'])
    expect(codes(draft, 20n)).toEqual([])
    expect(codeOf(() => signDraft(draft, alice))).toBe('HIGH_FEE')
    expect(codeOf(() => signDraft(draft, alice, { price: 20n }))).toBe('no error')
  })
})

/** A transfer of Alice to herself on the P-Chain that pays a price of gas. */
function expensiveTransfer(price: bigint): Draft<'P'> {
  const utxo: pChain.UTXO = {
    txID: new Uint8Array(32).fill(7),
    outputIndex: 0,
    assetID: context.assetID,
    output: paying(AVAX, owners(1, 0)),
  }
  return pChain.buildTransfer({
    context,
    funds: { utxos: [utxo], owners: alice.addresses, now: NOW },
    fees: { ...fees, price },
    outputs: [{ to: alice.addresses[0]!, amount: AVAX / 2n }],
  })
}
