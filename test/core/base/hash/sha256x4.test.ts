import { fc, test } from '@fast-check/vitest'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it, vi } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { decodeHexPage } from '../../../../src/core/base/hash/sha256x4.ts'
import { type Host, loadHashModule } from '../../../../src/core/base/hash/wasm.ts'

const module = loadHashModule()

/** Bytes that differ from message to message and from place to place. */
function filled(size: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => Math.imul(i + 1, seed * 2 + 7919) >>> 7)
}

function checkedHex(message: Uint8Array): string {
  return `0x${bytesToHex(message)}${bytesToHex(sha256(message).subarray(28))}`
}

function payloads(texts: readonly string[]): Uint8Array[] | undefined {
  const page = decodeHexPage(texts, 4, module)
  if (page === undefined) return undefined
  return texts.map((_, i) => page.bytes.slice(page.starts[i], page.ends[i]))
}

const anyMessage = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.uint8Array({ minLength: 118, maxLength: 118 }),
  fc.uint8Array({ minLength: 480, maxLength: 530 }),
)

describe('loadHashModule', () => {
  it('builds a module here, so that the other tests cover it', () => {
    expect(module).not.toBeNull()
  })

  const { Module, Instance } = WebAssembly
  const RefusedModule = class {
    constructor() {
      throw new WebAssembly.CompileError('refused by a content security policy')
    }
  }
  const IdleInstance = class {
    readonly exports = {
      memory: new WebAssembly.Memory({ initial: 1 }),
      pad: () => {},
      hash: () => {},
      unhex: () => 0,
    }
  }
  const hosts: [string, Host][] = [
    ['WebAssembly is missing', {}],
    ['compiling is refused', { WebAssembly: { Module: RefusedModule, Instance } }],
    ['the hash comes out wrong', { WebAssembly: { Module, Instance: IdleInstance } }],
    ['the host is Bun', { WebAssembly, Bun: {} }],
  ]
  for (const [name, host] of hosts)
    it(`returns null when ${name}`, () => {
      expect(loadHashModule(host)).toBeNull()
    })
})

describe('decodeHexPage', () => {
  const messages = Array.from({ length: 70 }, (_, i) => filled((i * 37) % 700, i))

  it('accepts the published digests of FIPS 180, and no others', () => {
    const published = [
      ['abc', 'f20015ad'],
      ['', '7852b855'],
      ['abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq', '19db06c1'],
      [
        'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
        '7afee9d1',
      ],
    ] as const
    const bytes = published.map(([text]) => utf8ToBytes(text))
    const texts = published.map(([, sum], i) => `0x${bytesToHex(bytes[i]!)}${sum}`)
    expect(payloads(texts)).toEqual(bytes)
    for (const [i, text] of texts.entries()) {
      expect(payloads([text])).toEqual([bytes[i]])
      expect(payloads(texts.with(i, `${text.slice(0, -1)}2`))).toBeUndefined()
    }
  })

  it('hashes every size up to 600 bytes, in ascending, descending and mixed order', () => {
    const rising = Array.from({ length: 601 }, (_, size) => filled(size, size))
    const mixed = rising.map((_, i) => rising[(i * 251) % 601]!)
    for (const page of [rising, rising.toReversed(), mixed])
      expect(payloads(page.map(checkedHex))!.map(hex.encode)).toEqual(page.map(hex.encode))
  })

  it('does not depend on earlier calls', () => {
    const large = Array.from({ length: 9 }, () => new Uint8Array(503).fill(0xff))
    const small = [filled(0, 1), filled(1, 2), filled(55, 3), filled(56, 4), filled(64, 5)]
    for (let i = 0; i < 3; i++) {
      expect(payloads(large.map(checkedHex))).toEqual(large)
      expect(payloads(small.map(checkedHex))).toEqual(small)
    }
  })

  it('builds the module after one page', async () => {
    // Another test may have decoded pages already.
    vi.resetModules()
    const fresh = await import('../../../../src/core/base/hash/sha256x4.ts')
    const page = Array.from({ length: 700 }, (_, i) => filled(118, i)).map(checkedHex)
    const found = [1, 2, 3].map(() => fresh.decodeHexPage(page, 4) !== undefined)
    expect(found).toEqual([false, true, true])
  })

  it('decodes texts of every size', () => {
    expect(payloads(messages.map(checkedHex))).toEqual(messages)
    expect(payloads([])).toEqual([])
    expect(payloads(['0x7852b855'])).toEqual([new Uint8Array()])
  })

  it('accepts upper-case digits but no upper-case prefix', () => {
    const text = checkedHex(filled(118, 5))
    expect(payloads([`0x${text.slice(2).toUpperCase()}`])).toEqual([filled(118, 5)])
    expect(payloads([text.toUpperCase()])).toBeUndefined()
  })

  it('decodes pages that fill its memory several times', () => {
    const many = Array.from({ length: 12 }, (_, i) => filled(100 + i * 7000, i))
    expect(payloads(many.map(checkedHex))?.map(bytesToHex)).toEqual(many.map(bytesToHex))
  })

  it('returns a copy that a later call does not change', () => {
    const page = decodeHexPage([checkedHex(filled(118, 1))], 4, module)!
    decodeHexPage([checkedHex(filled(118, 2))], 4, module)
    expect(page.bytes.slice(page.starts[0], page.ends[0])).toEqual(filled(118, 1))
  })

  it('returns undefined without a module', () => {
    expect(decodeHexPage([checkedHex(filled(118, 1))], 4, null)).toBeUndefined()
  })

  it('returns undefined for a text larger than its memory', () => {
    expect(payloads([checkedHex(filled(131_068, 1))])).toBeUndefined()
    const largest = filled(131_067, 1)
    expect(payloads([checkedHex(largest)])?.map(bytesToHex)).toEqual([bytesToHex(largest)])
  })

  it('returns undefined for a text without prefix, digit or checksum', () => {
    const good = checkedHex(filled(20, 1))
    for (const bad of ['', '0x', '0x7852b8', '0x7852b85', good.slice(2), `${good}0`, ` ${good} `])
      expect(payloads([good, bad, good])).toBeUndefined()
  })

  it('rejects every character that is not a hex digit, at every position', () => {
    const good = checkedHex(filled(30, 1))
    for (let at = 2; at < good.length; at++)
      expect(payloads([good, `${good.slice(0, at)}x${good.slice(at + 1)}`, good])).toBeUndefined()
    for (let c = 0; c < 0x180; c++) {
      const char = String.fromCharCode(c)
      // Whatever is put in place of a 0 is wrong: another digit breaks the checksum.
      if (char !== '0')
        expect(payloads([`0x${char}0${checkedHex(new Uint8Array(1)).slice(4)}`])).toBeUndefined()
    }
  })

  test.prop([fc.array(anyMessage, { minLength: 1, maxLength: 20 }), fc.nat(), fc.nat(7)])(
    'rejects any flipped bit',
    (page, where, bit) => {
      const texts = page.map(checkedHex)
      expect(payloads(texts)).toEqual(page)
      const i = where % texts.length
      const text = texts[i]!
      const at = where % text.length
      const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << bit))
      const changed = text.slice(0, at) + flipped + text.slice(at + 1)
      // Bit 5 only changes the case of a letter.
      fc.pre(changed.toLowerCase() !== text || at < 2)
      expect(payloads(texts.with(i, changed))).toBeUndefined()
    },
  )
})
