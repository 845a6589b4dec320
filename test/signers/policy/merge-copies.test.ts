import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { finishRequest, formatRequest, mergeRequests, signRequest } from '../../../src/index.ts'
import { mergeCopies } from '../../../src/signers/policy/index.ts'
import { coins, keysOf, owners, people, proven, transfer } from '../../core/sign/fixtures.ts'

const draft = transfer(coins(owners(2, 0, 1, 2)))
const [alicePath, bobPath] = ["m/44'/9000'/0'/0/0", "m/44'/9000'/0'/0/1"] as const
const paths = [
  { address: people[0]!.address, path: alicePath },
  { address: people[1]!.address, path: bobPath },
]
const request = proven(draft, { signers: 'all', paths })
const bySigner = (i: number, extraEntropy?: Uint8Array) =>
  signRequest(request, keysOf(i), { extraEntropy })
const alice = bySigner(0)
const bob = bySigner(1)

/** A copy whose file is changed. */
function changed(copy: typeof request, change: (file: never) => void): string {
  const file = JSON.parse(formatRequest(copy))
  change(file as never)
  return JSON.stringify(file)
}

type File = {
  paths: { address: string; path: string }[]
  signerSets: { signatures: { address: string; signature: string }[] }[]
}

const firstSigned = ({ signerSets }: File) =>
  signerSets.findIndex(({ signatures }) => signatures.length > 0)

const codes = (...copies: readonly string[]) => mergeCopies(copies).leftOut.map(({ code }) => code)

describe('mergeCopies', () => {
  it('equals mergeRequests if nothing is wrong', () => {
    const { request: merged, leftOut } = mergeCopies([formatRequest(alice), formatRequest(bob)])
    expect(leftOut).toEqual([])
    expect(merged).toEqual(mergeRequests(alice, bob))
    expect(finishRequest(merged).complete).toBe(true)
  })

  it('keeps the first of two signatures of one key', () => {
    const again = bySigner(0, new Uint8Array(32).fill(1))
    const { request: merged, leftOut } = mergeCopies([alice, again, bob].map(formatRequest))
    expect(merged).toEqual(mergeRequests(alice, bob))
    // Alice is a signer of two of the three signer sets.
    expect(leftOut.map(({ copy, code }) => [copy, code])).toEqual([
      [1, 'SIGNATURE_DUPLICATE'],
      [1, 'SIGNATURE_DUPLICATE'],
    ])
  })

  it('leaves out invalid signatures and keeps the valid ones beside them', () => {
    const both = mergeRequests(alice, bob)
    const broken = changed(both, (file: File) => {
      const set = file.signerSets[firstSigned(file)]!
      const bytes = checkedHex.decode(set.signatures[0]!.signature)
      bytes[5]! ^= 1
      set.signatures[0]!.signature = checkedHex.encode(bytes)
    })
    const { request: merged, leftOut } = mergeCopies([formatRequest(alice), broken])
    expect(leftOut).toMatchObject([{ copy: 1, path: expect.stringContaining('signatures[0]') }])
    expect(['WRONG_SIGNER', 'SIG_INVALID']).toContain(leftOut[0]!.code)
    expect(finishRequest(merged).complete).toBe(true)
  })

  it('leaves out signatures of strangers, and texts that are none', () => {
    const stranger = (signature: string) =>
      changed(bob, (file: File) => {
        file.signerSets[firstSigned(file)]!.signatures.push({
          address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
          signature,
        })
      })
    const signature = checkedHex.encode(new Uint8Array(65))
    expect(codes(formatRequest(alice), stranger(signature))).toEqual(['WRONG_SIGNER'])
    expect(codes(formatRequest(alice), stranger('0x12'))).toHaveLength(1)
    expect(finishRequest(mergeCopies([formatRequest(alice), stranger('')]).request).complete).toBe(
      true,
    )
  })

  it('leaves out wrong paths: malformed, of strangers, or other than in an earlier copy', () => {
    const pathsOf = (change: (paths: File['paths']) => void) =>
      changed(bob, (file: File) => change(file.paths))
    const other = pathsOf((list) => {
      list[0]!.path = "m/44'/9000'/0'/0/7"
    })
    const malformed = pathsOf((list) => {
      list[0]!.path = 'm/0'
    })
    const repeated = pathsOf((list) => {
      list.push({ ...list[0]! })
    })
    const foreign = pathsOf((list) => {
      list.push({ ...list[0]!, address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u' })
    })
    expect(codes(formatRequest(alice), other)).toEqual(['PATH_CONFLICT'])
    expect(codes(formatRequest(alice), malformed)).toEqual(['PATH_INVALID'])
    expect(codes(formatRequest(alice), repeated)).toEqual(['PATH_CONFLICT'])
    expect(codes(formatRequest(alice), foreign)).toEqual(['REQUEST_MALFORMED'])
    for (const copy of [other, malformed, repeated, foreign]) {
      const { request: merged } = mergeCopies([formatRequest(alice), copy])
      expect(merged.paths).toEqual(alice.paths)
      expect(finishRequest(merged).complete).toBe(true)
    }
  })

  it('refuses copies of other requests, and what else is wrong with a copy', () => {
    const code = (copy: string) => {
      try {
        mergeCopies([formatRequest(alice), copy])
      } catch (error) {
        return (error as { code: string }).code
      }
      return 'none'
    }
    const memo = { ...draft, unsignedTx: { ...draft.unsignedTx, memo: Uint8Array.of(1) } }
    expect(code(formatRequest(proven(memo)))).toBe('REQUEST_CONFLICT')
    const unproven = { ...request, proofs: [] }
    expect(
      code(
        changed(unproven, (file: { id: string }) => {
          file.id = 'other'
        }),
      ),
    ).toBe('REQUEST_ID')
    expect(code('{}')).toBe('REQUEST_MALFORMED')
    expect(code('PrivateKey-ewoq')).toBe('REQUEST_MALFORMED')
  })
})
