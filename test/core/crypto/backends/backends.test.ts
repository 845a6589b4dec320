import { instantiateSecp256k1Wasm } from '@bitauth/libauth'
import { test } from '@fast-check/vitest'
import { hashes } from '@noble/secp256k1'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { checkedBackend } from '../../../../src/core/crypto/backend.ts'
import { loadDefaultBackend } from '../../../../src/core/crypto/backends/default-node.ts'
import { loadNativeBackend } from '../../../../src/core/crypto/backends/native.ts'
import {
  type LibauthSecp256k1Wasm,
  loadWasmBackend,
  wasmBackend,
} from '../../../../src/core/crypto/backends/wasm.ts'
import { engine as browserEngine } from '../../../../src/core/crypto/curve-browser.ts'
import { KeyChain } from '../../../../src/core/crypto/keychain.ts'
import { nobleBackend } from '../../../../src/core/crypto/secp256k1.ts'
import { runs } from '../../../helpers/runs.ts'
import {
  anyHash,
  anyHashBelowOrder,
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
  it(`does not recover the point at infinity: ${name}`, () => {
    // The nonce, s and the hash are 1, so that the public key would be the base point minus itself.
    const one = `${'00'.repeat(31)}01`
    const recover = () => backend.recover(hex.decode(one), hex.decode(`${baseX}${one}00`))
    expect(recover).toThrow(expect.objectContaining({ code: 'SIG_INVALID', reason: 'no-point' }))
    const other = `${'00'.repeat(31)}02`
    const key = backend.recover(hex.decode(other), hex.decode(`${baseX}${one}00`))
    expect(hex.encode(key)).toMatch(/^0[23]/)
  })

for (const [name, backend] of backends)
  describe(name, () => {
    it('agrees with the node on its recovery cases', () => {
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

    it('signs hashes at the limits like noble', () => {
      const privateKey = new Uint8Array(32).fill(3)
      for (const hash of ['00'.repeat(32), `${order.slice(0, -2)}40`].map(hex.decode))
        expect(backend.sign(hash, privateKey)).toEqual(nobleBackend.sign(hash, privateKey))
      for (const hash of [order, 'ff'.repeat(32)].map(hex.decode))
        expect(() => backend.sign(hash, privateKey)).toThrow(
          expect.objectContaining({ code: 'HASH_INVALID', reason: 'range' }),
        )
    })

    test.prop([anyHashBelowOrder, anyPrivateKey, anyHash], runs(25))(
      'equals noble for the same extra entropy',
      (hash, privateKey, extraEntropy) => {
        const signature = backend.sign(hash, privateKey, extraEntropy)
        expect(signature).toEqual(nobleBackend.sign(hash, privateKey, extraEntropy))
        expect(signature).not.toEqual(backend.sign(hash, privateKey))
      },
    )

    it('does not reuse the extra entropy of the previous call', () => {
      const [hash, key, entropy] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte))
      const plain = backend.sign(hash!, key!)
      backend.sign(hash!, key!, entropy)
      expect(backend.sign(hash!, key!)).toEqual(plain)
    })

    it('rejects extra entropy that does not have 32 bytes', () => {
      const key = new Uint8Array(32).fill(1)
      for (const size of [0, 31, 33])
        expect(verdict(() => backend.sign(key, key, new Uint8Array(size)))).toMatchObject({
          code: 'ENTROPY_INVALID',
        })
    })

    it('rejects a signature of another public key', () => {
      const [hash, key, other] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte))
      expect(() => backend.sign(hash!, key!, undefined, backend.publicKey(other!))).toThrow(
        expect.objectContaining({ code: 'BACKEND_FAILED', reason: 'verification' }),
      )
    })

    it('rejects what noble rejects, with the same code', () => {
      const hash = new Uint8Array(32).fill(1)
      for (const key of ['00'.repeat(32), order, '01'.repeat(31)].map(hex.decode)) {
        expect(verdict(() => backend.sign(hash, key))).toMatchObject({ code: 'KEY_INVALID' })
        expect(verdict(() => backend.publicKey(key))).toMatchObject({ code: 'KEY_INVALID' })
      }
      const sign = () => backend.sign(hash.subarray(1), new Uint8Array(32).fill(1))
      expect(verdict(sign)).toMatchObject({ code: 'HASH_INVALID' })
    })

    test.prop([anyHashBelowOrder, anyPrivateKey], runs(25))(
      'signs and recovers like noble',
      (hash, privateKey) => {
        const signature = backend.sign(hash, privateKey)
        expect(signature).toEqual(nobleBackend.sign(hash, privateKey))
        expect(backend.publicKey(privateKey)).toEqual(nobleBackend.publicKey(privateKey))
        expect(backend.recover(hash, signature)).toEqual(backend.publicKey(privateKey))
      },
    )

    test.prop([anyHash, anyHash, anyHash], runs(25))(
      'agrees with noble on random signatures',
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

describe('checkedBackend', () => {
  const { sign, recover, publicKey } = browserEngine
  const hash = new Uint8Array(32).fill(5)
  const key = new Uint8Array(32).fill(7)
  const order32 = hex.decode(order)

  /** Results of a faulty engine, each derived from the correct signature. */
  const faults: readonly (readonly [string, (signature: Uint8Array) => Uint8Array])[] = [
    ['a flipped bit in r', (signature) => flipped(signature, 5)],
    ['a flipped bit in s', (signature) => flipped(signature, 40)],
    ['the other recovery ID', (signature) => flipped(signature, 64)],
    ['a recovery ID above 3', (signature) => signature.with(64, signature[64]! + 4)],
    ['a recovery ID of 27 or 28', (signature) => signature.with(64, signature[64]! + 27)],
    ['r of zero', (signature) => signature.fill(0, 0, 32)],
    ['s of zero', (signature) => signature.fill(0, 32, 64)],
    ['s of the group order', (s) => Uint8Array.of(...s.subarray(0, 32), ...order32, s[64]!)],
    ['no recovery ID', (signature) => signature.slice(0, 64)],
    ['a byte too many', (signature) => Uint8Array.of(...signature, 0)],
    ['nothing', () => new Uint8Array(0)],
    ['zeros', () => new Uint8Array(65)],
    ['the signature of another hash', () => sign(key, key)],
    ['the signature of another key', () => sign(hash, hash)],
    ['high s', highS],
  ]
  for (const [name, fault] of faults)
    it(`does not return ${name} as a signature`, () => {
      const backend = checkedBackend({
        sign: (...args) => fault(sign(...args)),
        recover,
        publicKey,
      })
      expect(() => backend.sign(hash, key)).toThrow(
        expect.objectContaining({ code: 'BACKEND_FAILED', reason: 'verification' }),
      )
      const chain = new KeyChain([key], { backend })
      expect(() => chain.sign(chain.addresses[0]!, hash)).toThrow(
        expect.objectContaining({ code: 'BACKEND_FAILED' }),
      )
    })

  function flipped(signature: Uint8Array, at: number): Uint8Array {
    return signature.with(at, signature[at]! ^ 1)
  }

  /** The other valid form of a signature, which the chain does not accept. */
  function highS(signature: Uint8Array): Uint8Array {
    const s = BigInt(`0x${order}`) - BigInt(`0x${hex.encode(signature.subarray(32, 64))}`)
    signature.set(hex.decode(s.toString(16).padStart(64, '0')), 32)
    return flipped(signature, 64)
  }
})

describe('nobleBackend in browsers', () => {
  it('uses the HMAC that the page has set', () => {
    const key = new Uint8Array(32).fill(7)
    const own = hashes.hmacSha256!
    const hmac = vi.fn(own)
    hashes.hmacSha256 = hmac
    try {
      expect(browserEngine.sign(key, key)).toEqual(nobleBackend.sign(key, key))
      expect(hmac).toHaveBeenCalled()
    } finally {
      hashes.hmacSha256 = own
    }
  })
})

describe('wasmBackend', () => {
  it('throws a typed error if libsecp256k1 fails', async () => {
    const wasm = (await instantiateSecp256k1Wasm()) as LibauthSecp256k1Wasm
    const backend = wasmBackend({
      ...wasm,
      pubkeyCreate: () => 0,
      instance: { exports: { _secp256k1_ecdsa_sign_recoverable: () => 0 } },
    })
    const key = new Uint8Array(32).fill(1)
    expect(verdict(() => backend.sign(key, key))).toMatchObject({ code: 'BACKEND_FAILED' })
    expect(verdict(() => backend.publicKey(key))).toMatchObject({ code: 'BACKEND_FAILED' })
  })

  it('leaves neither keys nor entropy in its memory', async () => {
    const wasm = (await instantiateSecp256k1Wasm()) as LibauthSecp256k1Wasm
    const backend = wasmBackend(wasm)
    const [hash, key, entropy] = [0x41, 0x42, 0x43].map((byte) => new Uint8Array(32).fill(byte))
    backend.sign(hash!, key!, entropy)
    const memory = Buffer.from(wasm.heapU8.buffer)
    const isKept = (bytes: Uint8Array) => memory.includes(Buffer.from(bytes))
    // libsecp256k1's own stack is out of reach; it holds no copy at the time of writing.
    expect([isKept(hash!), isKept(key!), isKept(entropy!)]).toEqual([true, false, false])
  })

  it('throws if the instance cannot sign', async () => {
    const wasm = (await instantiateSecp256k1Wasm()) as LibauthSecp256k1Wasm
    for (const none of [undefined, null, 5, {}, { ...wasm, malloc: 1 }])
      expect(() => wasmBackend(none as never)).toThrow(
        expect.objectContaining({ name: 'ArgumentError' }),
      )
    expect(() => wasmBackend({ ...wasm, instance: { exports: {} } })).toThrow(
      expect.objectContaining({ code: 'BACKEND_UNAVAILABLE' }),
    )
  })
})

const LIBAUTH = '@bitauth/libauth/build/lib/bin/secp256k1/secp256k1-wasm.js'

describe('loading', () => {
  afterEach(() => {
    vi.doUnmock(LIBAUTH)
    vi.doUnmock('secp256k1/bindings.js')
  })

  const missing = () => {
    throw new Error('not installed')
  }

  it('reports a missing package', async () => {
    vi.doMock(LIBAUTH, missing)
    vi.doMock('secp256k1/bindings.js', missing)
    const unavailable = { code: 'BACKEND_UNAVAILABLE', hint: expect.any(String) }
    await expect(loadWasmBackend()).rejects.toMatchObject(unavailable)
    await expect(loadNativeBackend()).rejects.toMatchObject(unavailable)
  })

  it('loads the default backend of Node (WebAssembly) once', async () => {
    const [first, second] = await Promise.all([loadDefaultBackend(), loadDefaultBackend()])
    expect(first).toBe(second)
    expect(first).not.toBe(nobleBackend)
    const [hash, key] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)]
    expect(first.sign(hash, key)).toEqual(nobleBackend.sign(hash, key))
  })

  it('returns noble without WebAssembly, and in browsers', async () => {
    vi.resetModules()
    vi.doMock(LIBAUTH, missing)
    const fresh = await import('../../../../src/core/crypto/backends/default-node.ts')
    const core = await import('../../../../src/core/crypto/secp256k1.ts')
    expect(await fresh.loadDefaultBackend()).toBe(core.nobleBackend)
    const portable = await import('../../../../src/core/crypto/backends/default.ts')
    expect(await portable.loadDefaultBackend()).toBe(core.nobleBackend)
  })
})
