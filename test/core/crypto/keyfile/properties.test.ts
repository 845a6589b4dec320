import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import {
  decryptKeyFile,
  encryptKeyFile,
  isEncryptedKeyFile,
} from '../../../../src/core/crypto/keyfile/index.ts'
import { scrypt as portable } from '../../../../src/core/crypto/keyfile/scrypt.ts'
import { scrypt as native } from '../../../../src/core/crypto/keyfile/scrypt-node.ts'
import { runs } from '../../../helpers/runs.ts'

const cost = { n: 1024, r: 1, p: 1 }

const anyText = fc
  .string({ unit: 'grapheme', maxLength: 200 })
  .filter((text) => !/\p{Surrogate}/u.test(text))
const anyPassword = anyText.filter((text) => text !== '')

describe('key files', () => {
  test.prop([anyText, anyPassword, anyPassword], runs(40))(
    'open with the password they were encrypted with, and with no other',
    async (text, password, other) => {
      const file = await encryptKeyFile(text, password, { cost })
      expect(isEncryptedKeyFile(file)).toBe(true)
      expect(await decryptKeyFile(file, password)).toBe(text)
      // Passwords that are equal for a person are equal here.
      if (other.normalize('NFKC') !== password.normalize('NFKC'))
        await expect(decryptKeyFile(file, other)).rejects.toMatchObject({
          code: 'KEYFILE_WRONG_PASSWORD',
        })
    },
  )

  test.prop([anyText, fc.nat(), fc.integer({ min: 1, max: 255 })], runs(80))(
    'are refused with a code if any character is changed',
    async (text, position, difference) => {
      const file = await encryptKeyFile(text, 'password', { cost })
      const at = position % file.length
      const character = String.fromCharCode(file.charCodeAt(at) ^ difference)
      const damaged = file.slice(0, at) + character + file.slice(at + 1)
      const opened = await decryptKeyFile(damaged, 'password').catch((error: unknown) => error)
      // Spaces between members can change, and hex can be in upper case or not; nothing else.
      if (typeof opened === 'string') expect(opened).toBe(text)
      else
        expect(opened).toMatchObject({ code: expect.stringMatching(/^(KEYFILE_|UNKNOWN_OPTION$)/) })
    },
  )

  test.prop([fc.oneof(anyText, fc.json())], runs(200))(
    'are told apart from any other text, which is refused',
    async (text) => {
      expect(isEncryptedKeyFile(text)).toBe(false)
      await expect(decryptKeyFile(text, 'password')).rejects.toMatchObject({
        code: expect.stringMatching(/^KEYFILE_/),
      })
    },
  )
})

describe('scrypt in plain JavaScript', () => {
  const anyCost = fc.record({
    n: fc.constantFrom(1024, 2048),
    r: fc.integer({ min: 1, max: 8 }),
    p: fc.integer({ min: 1, max: 3 }),
  })
  const bytes = fc.uint8Array({ maxLength: 80 })

  test.prop([bytes, bytes, anyCost], runs(20))(
    'derives the key that Node derives',
    async (password, salt, cost) => {
      expect(new Uint8Array(await portable(password, salt, cost))).toEqual(
        new Uint8Array(await native(password, salt, cost)),
      )
    },
  )
})
