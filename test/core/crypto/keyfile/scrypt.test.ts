import { describe, expect, it } from 'vitest'
import { scrypt as portable } from '../../../../src/core/crypto/keyfile/scrypt.ts'
import { scrypt as native } from '../../../../src/core/crypto/keyfile/scrypt-node.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const hexOf = (data: Uint8Array) => Buffer.from(data).toString('hex')

describe.each([
  ['in plain JavaScript', portable],
  ['of Node', native],
])('scrypt %s', (_, scrypt) => {
  it('gives the second and third vector of RFC 7914, section 12', async () => {
    const second = await scrypt(bytes('password'), bytes('NaCl'), { n: 1024, r: 8, p: 16 })
    expect(hexOf(second)).toBe(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162' +
        '2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    )
    const cost = { n: 16384, r: 8, p: 1 }
    expect(hexOf(await scrypt(bytes('pleaseletmein'), bytes('SodiumChloride'), cost))).toBe(
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
        'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    )
  })

  it('accepts costs at the limits of a key file, with the result of the other one', async () => {
    const other = scrypt === native ? portable : native
    for (const cost of [
      { n: 2 ** 15, r: 1, p: 1 },
      { n: 1024, r: 1, p: 16 },
      { n: 1024, r: 128, p: 2 },
    ]) {
      const derived = await scrypt(bytes('a'), bytes('b'), cost)
      expect(hexOf(derived)).toBe(hexOf(await other(bytes('a'), bytes('b'), cost)))
    }
  })

  it('returns bytes that a copy of a part does not share', async () => {
    const derived = await scrypt(bytes('a'), bytes('b'), { n: 1024, r: 1, p: 1 })
    const before = hexOf(derived)
    derived.slice(0, 32).fill(0)
    expect(hexOf(derived)).toBe(before)
  })
})
