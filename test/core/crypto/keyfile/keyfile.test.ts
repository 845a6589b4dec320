import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  decryptKeyFile,
  encryptKeyFile,
  isEncryptedKeyFile,
} from '../../../../src/core/crypto/keyfile/index.ts'
import { isRunToday } from '../../../helpers/todays-cases.ts'

const TEXT = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN\n'
const PASSWORD = 'correct horse battery ſtaple'
const cost = { n: 1024, r: 8, p: 1 }

type File = {
  format: string
  version: number
  kdf: { name: string; n: number; r: number; p: number; salt: string }
  cipher: { name: string; nonce: string }
  check: string
  ciphertext: string
  checksum: string
}

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const digest = (data: string | Buffer) => createHash('sha256').update(data).digest()

function headerOf({ kdf: { n, r, p, salt }, cipher, check }: File): string {
  return `avmkit-key-file 1 scrypt ${n} ${r} ${p} ${salt} aes-256-gcm ${cipher.nonce} ${check}`
}

const withChecksum = (file: File): File => ({
  ...file,
  checksum: digest(`${headerOf(file)} ${file.ciphertext}`)
    .subarray(0, 8)
    .toString('hex'),
})

/** Opens a file with Node's own scrypt and AES, as the documentation describes. */
function openElsewhere(text: string, password: string): string {
  const file = JSON.parse(text) as File
  const { n: N, r, p, salt } = file.kdf
  const derived = scryptSync(password.normalize('NFKC'), bytes(salt), 64, { N, r, p, maxmem: 1e9 })
  expect(digest(derived.subarray(32)).subarray(0, 16).toString('hex')).toBe(file.check)
  expect(withChecksum(file).checksum).toBe(file.checksum)
  const sealed = bytes(file.ciphertext)
  const cipher = createDecipheriv('aes-256-gcm', derived.subarray(0, 32), bytes(file.cipher.nonce))
  cipher.setAAD(Buffer.from(headerOf(file)))
  cipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]).toString()
}

/** Makes a file the same way. */
function sealElsewhere(text: string, password: string): string {
  const salt = randomBytes(32)
  const derived = scryptSync(password.normalize('NFKC'), salt, 64, { N: 2048, r: 4, p: 2 })
  const file: File = {
    format: 'avmkit-key-file',
    version: 1,
    kdf: { name: 'scrypt', n: 2048, r: 4, p: 2, salt: salt.toString('hex') },
    cipher: { name: 'aes-256-gcm', nonce: randomBytes(12).toString('hex') },
    check: digest(derived.subarray(32)).subarray(0, 16).toString('hex'),
    ciphertext: '',
    checksum: '',
  }
  const cipher = createCipheriv('aes-256-gcm', derived.subarray(0, 32), bytes(file.cipher.nonce))
  cipher.setAAD(Buffer.from(headerOf(file)))
  const sealed = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
  return JSON.stringify(withChecksum({ ...file, ciphertext: sealed.toString('hex') }))
}

describe('an encrypted key file', () => {
  it('is opened by another implementation, and opens files of it', async () => {
    const file = await encryptKeyFile(TEXT, PASSWORD, { cost })
    expect(isEncryptedKeyFile(file)).toBe(true)
    expect(file).not.toContain('ewoq')
    expect(openElsewhere(file, PASSWORD)).toBe(TEXT)
    expect(await decryptKeyFile(file, PASSWORD)).toBe(TEXT)
    // The same password as another keyboard may type it.
    expect(await decryptKeyFile(file, PASSWORD.replace('ſ', 's'))).toBe(TEXT)
    expect(await decryptKeyFile(sealElsewhere(TEXT, PASSWORD), PASSWORD)).toBe(TEXT)
  })

  it('never repeats its salt and nonce', async () => {
    const files = await Promise.all([1, 2].map(() => encryptKeyFile(TEXT, PASSWORD, { cost })))
    const [a, b] = files.map((text) => JSON.parse(text) as File) as [File, File]
    expect(a.kdf.salt).not.toBe(b.kdf.salt)
    expect(a.cipher.nonce).not.toBe(b.cipher.nonce)
  })

  it('distinguishes a wrong password from every kind of damage', async () => {
    const file = await encryptKeyFile(TEXT, PASSWORD, { cost })
    const codeOf = (text: string, password = PASSWORD) =>
      decryptKeyFile(text, password).then(
        () => 'opened',
        (error: { code: string }) => error.code,
      )
    expect(await codeOf(file, 'correct horse')).toBe('KEYFILE_WRONG_PASSWORD')
    expect(await codeOf(file, '')).toBe('BAD_PASSWORD')
    const json = JSON.parse(file) as File
    const flipped = (hex: string) => `${hex[0] === '0' ? '1' : '0'}${hex.slice(1)}`
    const { kdf, cipher } = json
    const changes: object[] = [
      { ciphertext: flipped(json.ciphertext) },
      { ciphertext: json.ciphertext.slice(2) },
      { ciphertext: 'x' },
      { check: flipped(json.check) },
      { checksum: flipped(json.checksum) },
      { kdf: { ...kdf, salt: flipped(kdf.salt) } },
      { kdf: { ...kdf, n: 2048 } },
      { kdf: { ...kdf, n: '1024' } },
      { kdf: null },
      { cipher: { ...cipher, nonce: flipped(cipher.nonce) } },
      { format: 'avmkit-key-files' },
    ]
    for (const change of changes)
      expect([change, await codeOf(JSON.stringify({ ...json, ...change }))]).toEqual([
        change,
        'KEYFILE_DAMAGED',
      ])
    for (const text of [file.slice(0, -20), '', '{}', '[]', 'null'])
      expect(await codeOf(text)).toBe('KEYFILE_DAMAGED')
    // Somebody who recomputes the checksum still cannot change the contents.
    const forged = withChecksum({ ...json, ciphertext: flipped(json.ciphertext) })
    expect(await codeOf(JSON.stringify(forged))).toBe('KEYFILE_DAMAGED')
  })

  it('has no other members, and no numbers of megabytes', async () => {
    const file = JSON.parse(await encryptKeyFile(TEXT, PASSWORD, { cost })) as File
    for (const [path, changed] of [
      ['comment', { ...file, comment: 'x' }],
      ['kdf.rounds', { ...file, kdf: { ...file.kdf, rounds: 1 } }],
      ['cipher.mode', { ...file, cipher: { ...file.cipher, mode: 1 } }],
    ] as const)
      await expect(decryptKeyFile(JSON.stringify(changed), PASSWORD)).rejects.toMatchObject({
        code: 'UNKNOWN_OPTION',
        path,
      })
    for (const size of [1_000_000, 8_000_000]) {
      const text = JSON.stringify(file).replace('"version":1', `"version":${'1'.repeat(size)}`)
      await expect(decryptKeyFile(text, PASSWORD)).rejects.toMatchObject({
        code: 'KEYFILE_DAMAGED',
      })
    }
    await expect(decryptKeyFile(5 as never, PASSWORD)).rejects.toMatchObject({
      code: 'ENC_INVALID',
    })
  })

  it('keeps a byte order mark', async () => {
    const file = await encryptKeyFile(`\ufeff${TEXT}`, PASSWORD, { cost })
    expect(await decryptKeyFile(file, PASSWORD)).toBe(`\ufeff${TEXT}`)
  })

  it('refuses to encrypt what it could not decrypt to the same text', async () => {
    const largest = 'é'.repeat(512 * 1024)
    expect(await decryptKeyFile(await encryptKeyFile(largest, PASSWORD, { cost }), PASSWORD)).toBe(
      largest,
    )
    await expect(encryptKeyFile(`${largest} `, PASSWORD, { cost })).rejects.toMatchObject({
      code: 'KEYFILE_UNSUPPORTED',
    })
    await expect(encryptKeyFile('a\ud800', PASSWORD, { cost })).rejects.toMatchObject({
      code: 'ENC_INVALID',
    })
    await expect(encryptKeyFile(TEXT, 'a\udc00', { cost })).rejects.toMatchObject({
      code: 'ENC_INVALID',
    })
  })

  it.runIf(isRunToday(6))(
    'accepts every cost within the limits',
    async () => {
      const file = await encryptKeyFile(TEXT, PASSWORD, { cost: { n: 1024, r: 4096, p: 2 } })
      expect(JSON.parse(file)).toMatchObject({ kdf: { r: 4096 } })
    },
    120_000,
  )

  it('refuses other versions, and costs outside the limits', async () => {
    const json = JSON.parse(await encryptKeyFile(TEXT, PASSWORD, { cost })) as File
    const { kdf } = json
    for (const change of [
      { version: 2 },
      { kdf: { ...kdf, name: 'argon2id' } },
      { kdf: { ...kdf, n: 2 ** 30 } },
      { kdf: { ...kdf, n: 1000 } },
      { kdf: { ...kdf, r: 2 ** 20 } },
      { kdf: { ...kdf, p: 1000 } },
      { kdf: { ...kdf, n: 2 } },
      { kdf: { ...kdf, n: 2 ** 16, r: 1 } },
    ])
      await expect(
        decryptKeyFile(JSON.stringify(withChecksum({ ...json, ...change })), PASSWORD),
      ).rejects.toMatchObject({ code: 'KEYFILE_UNSUPPORTED' })
  })
})
