import { KeystoneError } from './errors.ts'

/** The first and last letters of the 256 words of Bytewords (BCR-2020-012). */
const LETTERS =
  'aeadaoaxaaahamatayasbkbdbnbtbabsbebybgbwbbbzcmchcscfcycwcecackctcxclcpcndkdadsdidedtdrdndwdpdmdldyeheyeoeeecenemetesftfrfnfsfmfhfzfpfwfxfyfefgflfdgagegrgsgtglgwgdgygmgughgohfhghdhkhthphhhlhyhehnhsidiaieihiyioisinimjejzjnjtjljojsjpjkjykpkoktkskkknkgkekikblblalylflslrlplnltloldlelulklgmnmymhmemomumwmdmtmsmknlnyndnsntnnnenboyoeotoxonolospdptpkpypspmplpepfpaprqdqzrerprlrorhrdrkrfryrnrsrtsesasrssskswstspsosgsbsfsntotktitttdtetytltbtstptatnuyuoutueurvtvyvovlvevwvavdvswlwdwmwpwewywswtwnwzwfwkykynylyaytzszoztzczezm'

const VALUES: ReadonlyMap<string, number> = /* @__PURE__ */ new Map(
  Array.from({ length: 256 }, (_, byte) => [LETTERS.slice(2 * byte, 2 * byte + 2), byte]),
)

const CHECKSUM_BYTES = 4

/** Encodes bytes and their checksum, two letters for each byte. */
export function encodeBytewords(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += LETTERS.slice(2 * byte, 2 * byte + 2)
  const sum = crc32(bytes)
  for (const shift of [24, 16, 8, 0]) {
    const byte = (sum >>> shift) & 0xff
    text += LETTERS.slice(2 * byte, 2 * byte + 2)
  }
  return text
}

/**
 * Decodes letters in lower case and checks the checksum.
 *
 * @throws KeystoneError `KEYSTONE_UR`
 */
export function decodeBytewords(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1)
  for (let i = 0; i < bytes.length; i++) {
    const byte = VALUES.get(text.slice(2 * i, 2 * i + 2))
    if (byte === undefined) throw badUR('has letters that stand for no byte')
    bytes[i] = byte
  }
  if (text.length % 2 === 1 || bytes.length < CHECKSUM_BYTES) throw badUR('is truncated')
  const content = bytes.slice(0, -CHECKSUM_BYTES)
  const stated = new DataView(bytes.buffer).getUint32(content.length)
  if (stated !== crc32(content)) throw badUR('has an invalid checksum')
  return content
}

/** CRC-32 as in Ethernet and zip files. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

/** The error for a text that is not a UR. */
export function badUR(what: string): KeystoneError {
  return new KeystoneError('KEYSTONE_UR', `the UR ${what}`)
}
