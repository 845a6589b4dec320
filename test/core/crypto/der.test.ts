import { fc, test } from '@fast-check/vitest'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { signatureFromDER } from '../../../src/core/crypto/der.ts'
import { runs } from '../../helpers/runs.ts'
import { todaysFrom } from '../../helpers/todays-cases.ts'
import { anyHash } from './cases.ts'

/** The result of noble; undefined if it throws. */
function byNoble(der: Uint8Array): Uint8Array | undefined {
  try {
    return secp256k1.Signature.fromBytes(der, 'der').toBytes('compact')
  } catch {
    return undefined
  }
}

function toDER(r: Uint8Array, s: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array) => {
    const digits = hex.encode(bytes).replace(/^(00)+(?=..)/, '')
    const shown = digits >= '8' ? `00${digits}` : digits
    return `02${(shown.length / 2).toString(16).padStart(2, '0')}${shown}`
  }
  const body = integer(r) + integer(s)
  return hex.decode(`30${(body.length / 2).toString(16).padStart(2, '0')}${body}`)
}

/** Numbers of any size, including zero and those not below the group order. */
const anyNumber = fc
  .tuple(anyHash, fc.nat(32))
  .map(([bytes, zeros]) => bytes.map((byte, i) => (i < zeros ? 0 : byte)))

/** Changes, insertions and deletions of a few bytes. */
const damage = fc.array(
  fc.record({ at: fc.nat(75), remove: fc.nat(2), insert: fc.uint8Array({ maxLength: 2 }) }),
  { maxLength: 3 },
)

describe('signatureFromDER', () => {
  test.prop([anyNumber, anyNumber, damage], runs(2000))(
    'agrees with noble on valid and damaged DER',
    (r, s, changes) => {
      let der = toDER(r, s)
      for (const { at, remove, insert } of changes)
        der = Uint8Array.of(...der.subarray(0, at), ...insert, ...der.subarray(at + remove))
      expect(signatureFromDER(der)).toEqual(byNoble(der))
    },
  )

  test.prop([anyNumber, anyNumber])('decodes every signature', (r, s) => {
    const one = hex.decode(`${'00'.repeat(31)}01`)
    const [a, b] = [r, s].map((n) => (n.some((byte) => byte !== 0) && n[0]! < 0xff ? n : one))
    expect(signatureFromDER(toDER(a!, b!))).toEqual(Uint8Array.of(...a!, ...b!))
  })

  it('agrees with noble after any change of one byte', () => {
    const der = toDER(new Uint8Array(32).fill(0x81), new Uint8Array(32).fill(0x11))
    for (const at of todaysFrom(0, der.length))
      for (let value = 0; value < 256; value++) {
        const changed = der.slice()
        changed[at] = value
        expect(signatureFromDER(changed)).toEqual(byNoble(changed))
      }
  })
})
