import { createPrivateKey, sign } from 'node:crypto'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { sha256 } from '../../../src/core/base/hash/sha256.ts'
import { addressOf, publicKeyOf, signHash } from '../../../src/core/crypto/secp256k1.ts'
import { normalizeSignature } from '../../../src/core/crypto/signature.ts'
import { runs } from '../../helpers/runs.ts'
import { anyPrivateKey, type RecoverCase, vectors } from './cases.ts'

// "Satoshi Nakamoto" signed by the key 1, from btcsuite/btcd, btcec/signature_test.go.
const hash = sha256(new TextEncoder().encode('Satoshi Nakamoto'))
const r = '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8'
const s = '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5'
/** The group order less `s`. */
const highS = 'dbbd3162d46e9f9bef7feb87c16dc13b4f6568a87f4e83f728e2443ba586675c'
// The compressed base point of the curve, and its address as in Bitcoin's first P2PKH examples.
const publicKey = hex.decode('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798')
const address = hex.decode('751e76e8199196d454941c45d1b3a323f1433bd6')

const der = `3045022100${r}0220${s}`
const rs = `${r}${s}`

function normalized(signature: string, signer: Uint8Array = address): string {
  return hex.encode(normalizeSignature(hex.decode(signature), { hash, signer }))
}

describe('normalizeSignature', () => {
  const recoveryID = normalized(rs).slice(-2)
  const flipped = recoveryID === '00' ? '01' : '00'
  const canonical = `${rs}${recoveryID}`

  const forms: readonly (readonly [string, string])[] = [
    ['65 bytes', canonical],
    ['65 bytes with high s', `${r}${highS}${flipped}`],
    ['64 bytes', rs],
    ['64 bytes with high s', `${r}${highS}`],
    ['DER', der],
    ['DER with high s', `3046022100${r}022100${highS}`],
  ]
  for (const [name, form] of forms)
    it(`accepts ${name}, for an address and for a public key`, () => {
      expect(normalized(form)).toBe(canonical)
      expect(normalized(form, publicKey)).toBe(canonical)
    })

  it('finds the recovery ID of every signature that the node accepts, including 2 and 3', () => {
    const accepted = vectors<RecoverCase>('generated/recover.json').filter(({ ok }) => ok)
    for (const v of accepted) {
      const check = { hash: hex.decode(v.hash), signer: hex.decode(v.publicKey!) }
      const found = normalizeSignature(hex.decode(v.signature.slice(0, 128)), check)
      expect(hex.encode(found), v.id).toBe(v.signature)
    }
    expect(accepted.some((v) => v.signature.endsWith('02') || v.signature.endsWith('03'))).toBe(
      true,
    )
  })

  it('agrees with the signature made here', () => {
    expect(canonical).toBe(hex.encode(signHash(hash, hex.decode(`${'00'.repeat(31)}01`))))
  })

  const malformed: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['a byte behind', `${der}00`],
    ['a byte behind inside the sequence', `3046022100${r}0220${s}00`],
    ['a missing byte', der.slice(0, -2)],
    ['another tag for the sequence', `31${der.slice(2)}`],
    ['another tag for an integer', `3045032100${r}0220${s}`],
    ['a sequence length too small', `3044${der.slice(4)}`],
    ['a sequence length too big', `3046${der.slice(4)}`],
    ['a long form of a short length', `308145${der.slice(4)}`],
    ['an indefinite length', `3080${der.slice(4)}0000`],
    ['a negative r', `30440220${r}0220${s}`],
    ['a leading zero too many in r', `304602220000${r}0220${s}`],
    ['a leading zero too many in s', `3046022100${r}022100${s}`],
    ['an empty r', `302402000220${s}`],
    ['a zero r', `30250201000220${s}`],
    ['an integer length beyond the end', `3045022100${r}0221${s}`],
  ]
  for (const [name, form] of malformed)
    it(`rejects DER with ${name}`, () => {
      expect(() => normalized(form)).toThrow(
        expect.objectContaining({ code: 'SIG_MALFORMED', reason: 'der' }),
      )
    })

  it('rejects a wrong recovery ID instead of replacing it', () => {
    expect(() => normalized(`${rs}${flipped}`)).toThrow(
      expect.objectContaining({ code: 'WRONG_SIGNER' }),
    )
  })

  it('rejects a recovery ID with 27 added', () => {
    expect(() => normalized(`${rs}1b`)).toThrow(
      expect.objectContaining({ code: 'SIG_INVALID', reason: 'recovery-id' }),
    )
  })

  it('rejects r or s out of range', () => {
    for (const form of [
      `${'00'.repeat(32)}${s}`,
      `${r}${'00'.repeat(32)}`,
      `${r}${'ff'.repeat(32)}`,
    ])
      expect(() => normalized(form)).toThrow(
        expect.objectContaining({ code: 'SIG_INVALID', reason: 'range' }),
      )
  })

  it('rejects another signer and another hash', () => {
    const wrong = expect.objectContaining({ code: 'WRONG_SIGNER' })
    for (const form of [der, rs, canonical]) {
      expect(() => normalized(form, new Uint8Array(20))).toThrow(wrong)
      expect(() =>
        normalizeSignature(hex.decode(form), { hash: sha256(hash), signer: address }),
      ).toThrow(wrong)
    }
  })

  it('rejects a signer that is neither an address nor a public key', () => {
    expect(() => normalized(der, new Uint8Array(32))).toThrow(
      expect.objectContaining({ code: 'KEY_INVALID' }),
    )
  })

  it('compares all bytes of the signer that signerOf returns', () => {
    const check = (signer: unknown) => () =>
      normalizeSignature(hex.decode(rs), { hash, signer: address, signerOf: () => signer as never })
    expect(check(address)).not.toThrow()
    for (const other of [new Uint8Array(0), address.subarray(0, 19), undefined, [...address]])
      expect(check(other)).toThrow(expect.objectContaining({ code: 'WRONG_SIGNER' }))
  })

  it('does not modify its argument', () => {
    const given = hex.decode(`${r}${highS}`)
    normalizeSignature(given, { hash, signer: address })
    expect(hex.encode(given)).toBe(`${r}${highS}`)
  })

  // OpenSSL signs with random nonces and leaves a high s as it is.
  test.prop([anyPrivateKey, fc.uint8Array()], runs(20))(
    'accepts signatures of OpenSSL',
    (privateKey, message) => {
      const signerKey = publicKeyOf(privateKey)
      // RFC 5915 with the key and the name of the curve only.
      const key = createPrivateKey({
        key: Buffer.from(`302e0201010420${hex.encode(privateKey)}a00706052b8104000a`, 'hex'),
        format: 'der',
        type: 'sec1',
      })
      for (const dsaEncoding of ['der', 'ieee-p1363'] as const) {
        const made = new Uint8Array(sign('sha256', message, { key, dsaEncoding }))
        const check = { hash: sha256(message), signer: addressOf(signerKey) }
        const canonical = normalizeSignature(made, check)
        expect(normalizeSignature(canonical, { ...check, signer: signerKey })).toEqual(canonical)
      }
    },
  )
})
