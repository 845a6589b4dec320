import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import {
  decodeSignature,
  decodeSignRequest,
  decodeUTXO,
  encodeSignature,
  encodeSignRequest,
} from '../../../src/signers/keystone/avax.ts'
import { decodeCBOR } from '../../../src/signers/keystone/cbor.ts'
import { decodeUR, KeystoneError } from '../../../src/signers/keystone/index.ts'
import { encodeUR, type UR, URCollector } from '../../../src/signers/keystone/ur.ts'
import { codeOf, vectors } from '../../helpers/vectors.ts'

type Vectors = {
  readonly series: readonly { size: number; maxFragment: number; parts: readonly string[] }[]
  readonly tx: string
  readonly id: string
  readonly fingerprint: string
  readonly requests: readonly {
    name: string
    paths: string[]
    utxos: { txid: string; vout: number; path: string }[]
    cbor: string
  }[]
  readonly signatures: readonly { name: string; id?: string; signatures: string[]; cbor: string }[]
  readonly rust: {
    request: { ur: string; tx: string; id: string; paths: string[] }
    singlePathURInTest: string
    requestOfNpm: string
    signature: { id: string; signatures: string[]; cbor: string }
  }
  readonly npmTestSignature: { id: string; cbor: string }
}

const recorded = vectors<Vectors>('keystone.json')
const request = (cbor: string): UR => ({ type: 'avax-sign-request', bytes: hex.decode(cbor) })
const signature = (cbor: string): UR => ({ type: 'avax-signature', bytes: hex.decode(cbor) })
const message = (size: number) =>
  Uint8Array.from({ length: size }, (_, i) => (i * 37 + (i >> 8) * 11) & 0xff)

function collected(parts: readonly string[]): UR | undefined {
  const collector = new URCollector()
  for (const part of parts) {
    const ur = collector.add(part)
    if (ur !== undefined) return ur
  }
  return undefined
}

describe('UR', () => {
  for (const { size, maxFragment, parts } of recorded.series)
    it(`has the parts of @ngraveio/bc-ur for ${size} bytes`, () => {
      const own = encodeUR({ type: 'bytes', bytes: message(size) }, maxFragment)
      const count = Math.min(own.length, parts.length)
      expect(count).toBeGreaterThan(size / maxFragment)
      expect(own.slice(0, count)).toEqual(parts.slice(0, count).map((part) => part.toUpperCase()))
      expect(collected(parts)).toEqual({ type: 'bytes', bytes: message(size) })
    })

  it('is put together from mixed parts alone', () => {
    const { size, parts } = recorded.series[3]!
    const mixed = parts.slice(20)
    expect(parts[19]).toMatch(/^ur:bytes\/20-20\//)
    expect(collected(mixed)).toEqual({ type: 'bytes', bytes: message(size) })
  })

  test.prop([
    fc.uint8Array({ minLength: 1, maxLength: 3000 }),
    fc.integer({ min: 10, max: 300 }),
    fc.integer(),
  ])('is read in any order, with every third part lost', (bytes, fragment, seed) => {
    const parts = encodeUR({ type: 'avax-signature', bytes }, fragment)
    const some = parts.filter((_, i) => parts.length < 6 || (i + seed) % 3 !== 0).toReversed()
    const read = collected([...some, ...parts])
    expect(read?.bytes).toEqual(bytes)
  })

  it('starts over with another series and takes repeated parts', () => {
    const [one, other] = [message(900), message(901)].map((bytes) =>
      encodeUR({ type: 'bytes', bytes }, 100),
    )
    const collector = new URCollector()
    for (const part of [one![0]!, one![0]!, one![1]!, other![0]!]) collector.add(part)
    expect(collector.progress).toEqual({ read: 1, count: 10 })
    for (const part of other!) if (collector.add(part) !== undefined) return
    expect.unreachable()
  })

  it.each([
    ['no UR', 'hello'],
    ['an empty text', ''],
    ['another type of value', 7],
    ['a wrong checksum', `${encodeUR({ type: 'bytes', bytes: message(5) })[0]!.slice(0, -2)}AE`],
    ['letters of no word', 'ur:bytes/zzzzzzzzzz'],
    ['a truncated text', 'ur:bytes/aea'],
    ['a number that contradicts its content', recorded.series[1]!.parts[0]!.replace('1-3', '2-3')],
  ])('is refused: %s', (_, text) => {
    expect(codeOf(() => new URCollector().add(text as string))).toBe('KEYSTONE_UR')
  })

  it('is refused if parts contradict each other', () => {
    const bytes = message(250)
    const [first, second, third] = encodeUR({ type: 'bytes', bytes }, 100)
    // A part of the same series whose data was changed, with a valid checksum of its own.
    const forged = forgedPart(second!)
    const collector = new URCollector()
    collector.add(first!)
    collector.add(forged)
    expect(codeOf(() => collector.add(third!))).toBe('KEYSTONE_UR')
    expect(collector.progress).toEqual({ read: 0, count: 0 })
  })
})

describe('avax-sign-request', () => {
  it('is that of the Rust implementation, without key 4', () => {
    const { ur, tx, id, paths } = recorded.rust.request
    const content = {
      id: hex.decode(id),
      unsignedBytes: hex.decode(tx),
      fingerprint: 0x2d0bdabc,
      paths,
      utxos: [],
    }
    const encoded = encodeSignRequest(content)
    expect(encodeUR(encoded, 10_000)).toEqual([ur.toUpperCase()])
    expect(decodeSignRequest(collected([ur])!)).toEqual(content)
  })

  it('is read with key 4 and two paths, as in the test of the Rust implementation', () => {
    const read = decodeSignRequest(request(recorded.rust.requestOfNpm))
    expect(read.paths).toEqual(["m/44'/9000'/0'/0/0", "m/44'/9000'/0'/0/1"])
    expect(read.utxos).toEqual([])
    // This one of the same file has one path outside of a list.
    const single = decodeSignRequest(collected([recorded.rust.singlePathURInTest])!)
    expect(single.paths).toEqual(["m/44'/9000'/0'/0/0"])
  })

  for (const { name, paths, utxos, cbor } of recorded.requests)
    it(`is read as npm writes it: ${name}`, () => {
      const read = decodeSignRequest(request(cbor))
      expect(read).toMatchObject({
        id: hex.decode(recorded.id),
        unsignedBytes: hex.decode(recorded.tx),
        fingerprint: Number.parseInt(recorded.fingerprint, 16),
        paths,
        utxos: utxos.map(({ txid, vout, path }) => ({
          txID: hex.decode(txid),
          outputIndex: vout,
          path,
        })),
      })
      if (name === '0.1.4, two paths, one UTXO' || name === '0.0.5')
        expect(hex.encode(encodeSignRequest(read).bytes)).toBe(cbor)
    })

  it('takes transaction IDs of UTXOs with a tag, as the Rust implementation writes them', () => {
    const { cbor } = recorded.requests[1]!
    const tagged = cbor.replace('a3015820', 'a301d8255820')
    expect(tagged).not.toBe(cbor)
    expect(decodeSignRequest(request(tagged))).toEqual(decodeSignRequest(request(cbor)))
  })
})

describe('avax-signature', () => {
  for (const { name, id, signatures, cbor } of [
    ...recorded.signatures,
    { name: 'Rust', ...recorded.rust.signature },
  ])
    it(`is read: ${name}`, () => {
      const read = decodeSignature(signature(cbor))
      expect(read.id && hex.encode(read.id)).toBe(id)
      expect(read.signatures.map(hex.encode)).toEqual(signatures)
    })

  it('is that of the device', () => {
    const { cbor, id } = recorded.npmTestSignature
    const read = decodeSignature(signature(cbor))
    expect(hex.encode(read.id!)).toBe(id)
    expect(hex.encode(encodeSignature(read).bytes)).toBe(cbor)
  })

  it('may be a single one', () => {
    const single = signature(`a102${'5841'}${'07'.repeat(65)}`)
    expect(decodeSignature(single).signatures).toHaveLength(1)
  })
})

describe('avax-utxo', () => {
  const path = '8a182cf5192328f500f501f403f4'
  const txID = '918cf421e834d4d7031175ac9605ba292ee04a17beb4fb81f8557969b4651b86'
  const expected = {
    type: 'avax-utxo',
    txID: hex.decode(txID),
    outputIndex: 1,
    path: "m/44'/9000'/0'/1/3",
  }
  // As npm writes it in a request, and as `AvaxUtxo` of keystone-sdk-rust does: with a tag and a fingerprint.
  const npm = `a3015820${txID}020103d90130a101${path}`
  const rust = `a301d8255820${txID}020103d90130a201${path}021af23a9fd2`
  const utxo = (cbor: string) => encodeUR({ type: 'avax-utxo', bytes: hex.decode(cbor) }, 40)

  it.each([
    ['npm', npm],
    ['Rust', rust],
  ])('is read alone: %s', (_, cbor) => {
    const texts = utxo(cbor)
    expect(texts.length).toBeGreaterThan(1)
    expect(decodeUR(texts)).toEqual(expected)
    expect(decodeUR(texts.toReversed().join('\n'))).toEqual(expected)
    expect(decodeUR(encodeUR({ type: 'avax-utxo', bytes: hex.decode(cbor) }))).toEqual(expected)
  })

  it('is in the recorded request of npm', () => {
    expect(recorded.requests[1]!.cbor).toContain(`d9206f${npm}`)
  })

  it.each([
    ['another tag for the transaction ID', rust.replace('d825', 'd826')],
    ['a short transaction ID', npm.replace('5820918c', '581f8c')],
    ['no transaction ID', npm.replace('a30158', 'a30458')],
    ['an index that is a text', npm.replace('0201', '026131')],
    ['no path', `a2015820${txID}0201`],
    ['bytes left over', `${npm}00`],
    ['a list', '80'],
    ['a tag', `d9206f${npm}`],
  ])('is refused with %s', (_, cbor) => {
    expect(cbor).not.toBe(npm)
    expect(codeOf(() => decodeUR(utxo(cbor)))).toBe('KEYSTONE_CBOR')
  })
})

describe('decodeUR', () => {
  it('reads requests and answers', () => {
    const { ur, tx } = recorded.rust.request
    expect(decodeUR(ur)).toMatchObject({
      type: 'avax-sign-request',
      fingerprint: 0x2d0bdabc,
      unsignedBytes: hex.decode(tx),
    })
    const { cbor, signatures } = recorded.rust.signature
    const read = decodeUR(encodeUR(signature(cbor)))
    expect(read).toMatchObject({
      type: 'avax-signature',
      signatures: signatures.map((text) => hex.decode(text)),
    })
  })

  it('refuses other types, incomplete series and other values', () => {
    const bytes = message(500)
    expect(codeOf(() => decodeUR(encodeUR({ type: 'crypto-account', bytes })))).toBe(
      'KEYSTONE_TYPE',
    )
    const [first] = encodeUR({ type: 'avax-utxo', bytes })
    expect(() => decodeUR(first!)).toThrow(
      expect.objectContaining({ code: 'KEYSTONE_UR', message: expect.stringContaining('1 of 3') }),
    )
    for (const text of ['', [], 'hello']) expect(codeOf(() => decodeUR(text))).toBe('KEYSTONE_UR')
    expect(codeOf(() => decodeUR(7 as never))).toBe('ENC_INVALID')
  })
})

describe('damaged contents', () => {
  it.each([
    ['an empty content', ''],
    ['no map', '01'],
    ['text keys', 'a1616101'],
    ['a repeated key', 'a201410101410102'],
    ['floats', 'a102fb3ff0000000000000'],
    ['negative numbers', 'a10220'],
    ['indefinite lengths', 'bf0102ff'],
    ['64-bit numbers', 'a1021b0000000000000001'],
    ['huge lists', 'a1029affffffff'],
    ['huge bytes', 'a1025affffffff'],
    ['bytes left over', 'a1028000'],
    ['deep nesting', `a102${'81'.repeat(40)}00`],
    ['another tag', 'a201d82650000102030405060708090a0b0c0d0e0f0280'],
    ['texts that are not UTF-8', 'a10262c328'],
    ['signatures that are texts', 'a102816161'],
  ])('are refused: %s', (_, cbor) => {
    expect(codeOf(() => decodeSignature(signature(cbor)))).toBe('KEYSTONE_CBOR')
  })

  it('are of the expected type', () => {
    const { cbor } = recorded.npmTestSignature
    expect(codeOf(() => decodeSignRequest(signature(cbor)))).toBe('KEYSTONE_TYPE')
  })

  const samples = [...recorded.requests, ...recorded.signatures].map(({ cbor }) => cbor)
  test.prop([fc.constantFrom(...samples), fc.nat(), fc.integer({ min: 1, max: 255 })])(
    'give a value or a KeystoneError, never anything else',
    (cbor, at, flip) => {
      const bytes = hex.decode(cbor)
      bytes[at % bytes.length]! ^= flip
      for (const [type, decode] of [
        ['avax-sign-request', decodeSignRequest],
        ['avax-signature', decodeSignature],
        ['avax-utxo', decodeUTXO],
      ] as const)
        for (const content of [bytes, bytes.subarray(0, at % bytes.length)])
          try {
            decode({ type, bytes: content })
          } catch (error) {
            expect(error).toBeInstanceOf(KeystoneError)
          }
    },
  )

  test.prop([fc.uint8Array({ maxLength: 60 })])('of any bytes, too', (bytes) => {
    try {
      decodeCBOR(bytes)
    } catch (error) {
      expect(error).toBeInstanceOf(KeystoneError)
    }
  })
})

/** The part with its last byte of data changed and a valid checksum. */
function forgedPart(text: string): string {
  const ur = text.toLowerCase()
  const [, letters] = /^ur:bytes\/2-3\/([a-z]+)$/.exec(ur) ?? []
  // A whole UR with the same letters has the same bytes and checksum.
  const part = new URCollector().add(`ur:bytes/${letters}`)!.bytes
  part[part.length - 1]! ^= 1
  const [whole] = encodeUR({ type: 'bytes', bytes: part }, 10_000)
  return whole!.replace('UR:BYTES/', 'UR:BYTES/2-3/')
}
