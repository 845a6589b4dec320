import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { weaknessOf } from '../../src/cli/keys/weak-password.ts'
import { cli, folder, secretFile } from './shell.ts'

describe('weaknessOf', () => {
  const weak = [
    '',
    'hunter2',
    'Tr0ub4d0r',
    'aaaaaaaaaaaa',
    'abababababab',
    'password123',
    'P@ssw0rd2024!',
    'qwertyuiop',
    '1234567890',
    'zyxwvutsrqponm',
    'passwordpassword',
    'iloveyou-2025',
    'abandon ability',
    'welcome1welcome1',
    '1qaz2wsx3edc',
  ]
  for (const password of weak)
    it(`finds ${JSON.stringify(password)} weak`, () => {
      expect(weaknessOf(password)).toBeTruthy()
    })

  const fine = [
    'correct horse battery staple',
    'xK9#mvQ2!tLp',
    // The shortest one that is accepted.
    'xK9#mvQ2!t',
    'vier zufällige wörter hier',
    'z4rd-oqum-plen',
  ]
  for (const password of fine)
    it(`accepts ${JSON.stringify(password)}`, () => {
      expect(weaknessOf(password)).toBeUndefined()
    })

  it('takes long passwords in bounded time', () => {
    expect(weaknessOf('abandon'.repeat(2000))).toBeTruthy()
    expect(weaknessOf(`x${'ab'.repeat(5000)}`)).toBeTruthy()
  })
})

describe('keys new --encrypt', () => {
  it('refuses a weak password before it writes, unless --weak is given', async () => {
    const out = join(folder(), 'keys.json')
    const argv = ['keys', 'new', '--encrypt', '--out', out]
    const env = { AVMKIT_PASSWORD_FILE: secretFile('password123\n', 'password') }
    const refused = await cli(argv, { env })
    expect([refused.code, refused.error().code]).toEqual([1, 'PASSWORD_WEAK'])
    expect(refused.err).not.toContain('password123')
    expect(existsSync(out)).toBe(false)
    expect((await cli([...argv, '--weak'], { env })).code).toBe(0)
  })
})
