import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { nobleBackend } from '../../../src/core/crypto/secp256k1.ts'
import { formatRequest, parseRequest } from '../../../src/core/sign/request/request-file.ts'
import { signRequest } from '../../../src/core/sign/request/request-sign.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { coins, keysOf, owners, proven, transfer, trusting } from './fixtures.ts'

const draft = transfer(coins(owners(2, 0, 1, 2), owners(1, 0)))

function fileWith(change: (signature: Uint8Array) => Uint8Array, copies = 1): string {
  const file = JSON.parse(
    formatRequest(signRequest(proven(draft), keysOf(0), { accept: trusting })),
  )
  const [entry] = file.signerSets[0].signatures
  entry.signature = checkedHex.encode(change(checkedHex.decode(entry.signature)))
  file.signerSets[0].signatures = new Array(copies).fill(entry)
  return JSON.stringify(file)
}

function highS(signature: Uint8Array): Uint8Array {
  const s = BigInt(`0x${hex.encode(signature.subarray(32, 64))}`)
  const changed = signature.slice()
  const other = (secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, '0')
  changed.set(hex.decode(other), 32)
  changed[64]! ^= 1
  return changed
}

describe('a signature in a request file', () => {
  // The schema says 65 bytes with s in the lower half; other forms cannot be merged, encoded or issued.
  it.each([
    ['high s', highS],
    ['r and s only', (signature: Uint8Array) => signature.slice(0, 64)],
    [
      'DER',
      (signature: Uint8Array) =>
        secp256k1.Signature.fromBytes(signature.slice(0, 64), 'compact').toBytes('der'),
    ],
  ])('is rejected in another form: %s', (_, change) => {
    expect(codeOf(() => parseRequest(fileWith(change)))).toBe('SIG_MALFORMED')
    expect(codeOf(() => parseRequest(fileWith((signature) => signature)))).toBeUndefined()
  })

  it('is recovered only once for all copies', () => {
    let recovered = 0
    const backend = {
      ...nobleBackend,
      recover: (hash: Uint8Array, signature: Uint8Array) => {
        recovered++
        return nobleBackend.recover(hash, signature)
      },
    }
    const file = fileWith((signature) => signature, 50)
    expect(codeOf(() => parseRequest(file, { backend }))).toBe('SIGNATURE_DUPLICATE')
    expect(recovered).toBeLessThan(2)
  })
})
