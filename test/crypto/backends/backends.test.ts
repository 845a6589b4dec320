import { test } from '@fast-check/vitest'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { loadNativeBackend } from '../../../src/crypto/backends/native.ts'
import { loadWasmBackend, wasmBackend } from '../../../src/crypto/backends/wasm.ts'
import { engine as browserEngine } from '../../../src/crypto/curve-browser.ts'
import { checkedBackend, nobleBackend } from '../../../src/crypto/index.ts'
import { hex } from '../../../src/encoding/hex.ts'
import {
  anyHash,
  anyPrivateKey,
  type RecoverCase,
  type SignCase,
  vectors,
  verdict,
} from '../cases.ts'

const backends = [
  ['wasmBackend', await loadWasmBackend()],
  ['nativeBackend', await loadNativeBackend()],
  ['nobleBackend in browsers', checkedBackend(browserEngine)],
] as const

const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'

/** The x of the base point, by SEC 2. */
const baseX = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

for (const [name, backend] of [['nobleBackend', nobleBackend], ...backends] as const)
  it(`finds no key at infinity: ${name}`, () => {
    // The nonce, s and the hash are 1, so that what is left of the key is the base point less itself.
    const one = `${'00'.repeat(31)}01`
    const recover = () => backend.recover(hex.decode(one), hex.decode(`${baseX}${one}00`))
    expect(recover).toThrow(expect.objectContaining({ code: 'SIG_INVALID', reason: 'no-point' }))
    const other = `${'00'.repeat(31)}02`
    const key = backend.recover(hex.decode(other), hex.decode(`${baseX}${one}00`))
    expect(hex.encode(key)).toMatch(/^0[23]/)
  })

for (const [name, backend] of backends)
  describe(name, () => {
    it("judges the node's recovery cases like the node", () => {
      for (const v of vectors<RecoverCase>('generated/recover.json'))
        expect(
          verdict(() => backend.recover(hex.decode(v.hash), hex.decode(v.signature))),
          v.id,
        ).toEqual(
          v.ok
            ? { publicKey: v.publicKey }
            : { code: v.code ?? 'SIG_INVALID', compressed: v.errName === 'errCompressed' },
        )
    })

    it("makes the node's signatures", () => {
      const cases = vectors<SignCase>('generated/sign.json')
      for (const v of cases.filter(({ what }) => what === 'hash' || what === 'message')) {
        const privateKey = hex.decode(v.privateKey)
        expect(hex.encode(backend.sign(hex.decode(v.hash), privateKey)), v.id).toBe(v.signature)
        expect(hex.encode(backend.publicKey(privateKey)), v.id).toBe(v.publicKey)
      }
    })

    it('signs hashes at the edges as noble does', () => {
      const privateKey = new Uint8Array(32).fill(3)
      for (const hash of ['00'.repeat(32), order, 'ff'.repeat(32)].map(hex.decode))
        expect(backend.sign(hash, privateKey)).toEqual(nobleBackend.sign(hash, privateKey))
    })

    it('refuses what noble refuses, with the same code', () => {
      const hash = new Uint8Array(32).fill(1)
      for (const key of ['00'.repeat(32), order, '01'.repeat(31)].map(hex.decode)) {
        expect(verdict(() => backend.sign(hash, key))).toMatchObject({ code: 'KEY_INVALID' })
        expect(verdict(() => backend.publicKey(key))).toMatchObject({ code: 'KEY_INVALID' })
      }
      const sign = () => backend.sign(hash.subarray(1), new Uint8Array(32).fill(1))
      expect(verdict(sign)).toMatchObject({ code: 'HASH_INVALID' })
    })

    test.prop([anyHash, anyPrivateKey], { numRuns: 25 })(
      'makes the bytes noble makes and recovers what noble recovers',
      (hash, privateKey) => {
        const signature = backend.sign(hash, privateKey)
        expect(signature).toEqual(nobleBackend.sign(hash, privateKey))
        expect(backend.publicKey(privateKey)).toEqual(nobleBackend.publicKey(privateKey))
        expect(backend.recover(hash, signature)).toEqual(backend.publicKey(privateKey))
      },
    )

    test.prop([anyHash, anyHash, anyHash], { numRuns: 25 })(
      'judges signatures nobody made as noble does',
      (hash, r, s) => {
        const signature = new Uint8Array(65)
        signature.set(r)
        signature.set(s, 32)
        for (let v = 0; v < 9; v++) {
          signature[64] = v
          expect(verdict(() => backend.recover(hash, signature))).toEqual(
            verdict(() => nobleBackend.recover(hash, signature)),
          )
        }
      },
    )
  })

describe('nobleBackend in browsers', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('blinds with random numbers that leave no trace in the bytes', () => {
    const hash = new Uint8Array(32).fill(5)
    const privateKey = new Uint8Array(32).fill(7)
    for (const byte of [1, 5, 7, 0x7f]) {
      const drawn = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
        const bytes = array as unknown as Uint8Array
        // Not the key or the nonce itself, which would leave nothing for the other part.
        bytes.fill(byte)
        bytes[31] = drawn.mock.calls.length
        return array
      })
      expect(browserEngine.sign(hash, privateKey)).toEqual(nobleBackend.sign(hash, privateKey))
      drawn.mockClear()
      const publicKey = browserEngine.publicKey(privateKey)
      expect(drawn).toHaveBeenCalled()
      drawn.mockClear()
      browserEngine.sign(hash, privateKey)
      // Once for the point, once for the inversion.
      expect(drawn).toHaveBeenCalledTimes(2)
      vi.restoreAllMocks()
      expect(publicKey).toEqual(nobleBackend.publicKey(privateKey))
    }
  })
})

describe('wasmBackend', () => {
  it('turns a failure of libauth into an error with a code', () => {
    const backend = wasmBackend({
      signMessageHashRecoverableCompact: () => 'out of order',
      recoverPublicKeyCompressed: () => 'out of order',
      derivePublicKeyCompressed: () => 'out of order',
    })
    const key = new Uint8Array(32).fill(1)
    expect(verdict(() => backend.sign(key, key))).toMatchObject({ code: 'BACKEND_FAILED' })
    expect(verdict(() => backend.publicKey(key))).toMatchObject({ code: 'BACKEND_FAILED' })
  })
})

describe('loading', () => {
  afterEach(() => {
    vi.doUnmock('@bitauth/libauth')
    vi.doUnmock('secp256k1/bindings.js')
  })

  const missing = () => {
    throw new Error('not installed')
  }

  it('says that a package is missing', async () => {
    vi.doMock('@bitauth/libauth', missing)
    vi.doMock('secp256k1/bindings.js', missing)
    const unavailable = { code: 'BACKEND_UNAVAILABLE', hint: expect.any(String) }
    await expect(loadWasmBackend()).rejects.toMatchObject(unavailable)
    await expect(loadNativeBackend()).rejects.toMatchObject(unavailable)
  })
})
