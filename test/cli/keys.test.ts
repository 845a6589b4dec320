import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseMnemonic } from '../../src/core/crypto/hd/index.ts'
import { vectors } from '../helpers/vectors.ts'
import {
  ALICE_HEX,
  ALICE_KEY,
  BOB_WORDS,
  cheapKeyFile,
  cli,
  EWOQ,
  EWOQ_KEY,
  folder,
  secretFile,
} from './shell.ts'

type HDVector = {
  readonly name: string
  readonly hd?: { readonly mnemonic: string; readonly xpub?: string }
  readonly addresses: readonly { readonly string: string; readonly index: number }[]
}

const named = (name: string) =>
  vectors<HDVector[]>('addresses.json').find((vector) => vector.name === name)!
const local = named('avalanchejs HD addresses 0..5')
const mainnet = named('wallet-sdk external addresses 0..15')

describe('keys new', () => {
  it('writes a key that only its owner can read, and prints its address only', async () => {
    const file = join(folder(), 'new.key')
    const made = await cli(['keys', 'new', '--out', file, '--network', 'local', '--json'])
    expect(made.code).toBe(0)
    const { address } = made.json<{ address: string }>()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const key = readFileSync(file, 'utf8').trim()
    expect(key).toMatch(/^PrivateKey-/)
    expect(made.out + made.err).not.toContain(key.slice(11, 20))
    const shown = await cli(['keys', 'show', '--key-file', file, '--network', 'local', '--json'])
    expect(shown.json()).toMatchObject({ keys: [{ address }] })
  })

  it('writes a mnemonic of the wanted length', async () => {
    const file = join(folder(), 'words')
    const made = await cli(['keys', 'new', '--mnemonic', '--words', '12', '-o', file])
    expect(made.code).toBe(0)
    const words = readFileSync(file, 'utf8').trim()
    expect(words.split(' ')).toHaveLength(12)
    expect(parseMnemonic(words)).toBe(words)
    expect(made.out).not.toContain(words.split(' ').slice(0, 2).join(' '))
  })

  it('refuses a number of words for a key that has none', async () => {
    const out = join(folder(), 'my.key')
    const ended = await cli(['keys', 'new', '--words', '12', '--out', out])
    expect([ended.code, ended.error().code, existsSync(out)]).toEqual([2, 'MISSING_OPTION', false])
  })

  it('never overwrites a file', async () => {
    const file = secretFile('precious')
    const ended = await cli(['keys', 'new', '--out', file])
    expect([ended.code, ended.error().code]).toEqual([1, 'FILE_EXISTS'])
    expect(readFileSync(file, 'utf8')).toBe('precious')
  })

  it('reports the path that it could not write', async () => {
    const file = join(folder(), 'no', 'such', 'folder')
    const ended = await cli(['keys', 'new', '--out', file])
    expect([ended.code, ended.error().code]).toEqual([1, 'FILE_UNWRITABLE'])
    expect(existsSync(file)).toBe(false)
  })
})

describe('keys from-mnemonic', () => {
  it('derives the addresses that other wallets derive', async () => {
    const file = secretFile(mainnet.hd!.mnemonic)
    const argv = ['keys', 'from-mnemonic', '--key-file', file, '--count', '16', '--json']
    const { code, json } = await cli(argv)
    expect(code).toBe(0)
    expect(json()).toEqual({
      extendedPublicKey: mainnet.hd!.xpub,
      addresses: mainnet.addresses.map(({ string, index }) => ({
        path: `m/44'/9000'/0'/0/${index}`,
        address: string,
      })),
    })
  })

  it('reads the words from the environment and writes the keys to a file', async () => {
    const out = join(folder(), 'keys')
    const env = { AVMKIT_MNEMONIC: local.hd!.mnemonic }
    const argv = ['keys', 'from-mnemonic', '--count', '2', '--out', out, '--network', 'local']
    const { code, out: printed } = await cli(argv, { env })
    expect(code).toBe(0)
    expect(printed).not.toContain('PrivateKey-')
    expect(statSync(out).mode & 0o777).toBe(0o600)
    const shown = await cli(['keys', 'show', '--key-file', out, '--network', 'local', '--json'])
    expect(
      shown.json<{ keys: { address: string }[] }>().keys.map(({ address }) => address),
    ).toEqual(local.addresses.slice(0, 2).map(({ string }) => string))
  })

  it('asks for the words without showing them', async () => {
    const typed = `${local.hd!.mnemonic}\n`
    const ended = await cli(['keys', 'from-mnemonic', '--network', 'local', '--json'], { typed })
    expect(ended.code).toBe(0)
    expect(ended.json()).toMatchObject({ addresses: [{ address: local.addresses[0]!.string }] })
    expect(ended.err).toBe('private key or mnemonic (hidden): \n')
  })

  it('opens an encrypted file', async () => {
    const password = secretFile('correct horse\n', 'password')
    const file = secretFile(await cheapKeyFile(local.hd!.mnemonic, 'correct horse'))
    const argv = ['keys', 'from-mnemonic', '--key-file', file, '--network', 'local', '--json']
    const { json } = await cli(argv, { env: { AVMKIT_PASSWORD_FILE: password } })
    expect(json()).toMatchObject({ addresses: [{ address: local.addresses[0]!.string }] })
  })

  it('refuses keys without a mnemonic, and several mnemonics', async () => {
    for (const [text, found] of [
      [ALICE_KEY, 'none'],
      [`${local.hd!.mnemonic}\n${local.hd!.mnemonic}`, '2'],
    ] as const) {
      const ended = await cli(['keys', 'from-mnemonic', '--key-file', secretFile(text)])
      expect([ended.code, ended.error().code]).toEqual([2, 'NO_KEYS'])
      expect(ended.error().message).toBe(`expected one mnemonic, found ${found}`)
    }
  })

  it('reports the position of a wrong word, not the word', async () => {
    const wrong = local.hd!.mnemonic.replace('obscure', 'obscurity')
    const ended = await cli(['keys', 'from-mnemonic'], { env: { AVMKIT_MNEMONIC: wrong } })
    expect([ended.code, ended.error().code]).toEqual([1, 'MNEMONIC_INVALID'])
    expect(ended.err).not.toContain('obscur')
  })
})

describe('keys show', () => {
  it('takes keys of several files', async () => {
    const files = [ALICE_KEY, EWOQ_KEY].flatMap((key) => ['--key-file', secretFile(key)])
    const shown = await cli(['keys', 'show', ...files, '--json'])
    expect(shown.json<{ keys: object[] }>().keys).toHaveLength(2)
  })

  it('takes keys from files, the environment, the settings, standard input and a hidden question', async () => {
    const file = secretFile(`# mine\n\n${ALICE_KEY}\n`)
    const settings = secretFile(JSON.stringify({ keyFile: file, network: 'fuji' }), 'config.json')
    const ways = await Promise.all([
      cli(['keys', 'show', '--key-file', file]),
      cli(['keys', 'show'], { env: { AVMKIT_KEY: ALICE_KEY } }),
      cli(['keys', 'show', '--key-env', 'MY_KEY'], { env: { MY_KEY: ALICE_KEY } }),
      cli(['keys', 'show', '--config', settings, '--network', 'mainnet']),
      cli(['keys', 'show', '--key-file', '-'], { input: ALICE_KEY }),
      cli(['keys', 'show'], { typed: `${ALICE_KEY}\n` }),
    ])
    for (const { code, out, err } of ways) {
      expect(code).toBe(0)
      expect(out).toContain('X-avax1lnk637g0edwnqc2tn8tel39652fswa3xmgyghf')
      expect(out + err).not.toContain('24jUJ9')
    }
    const byConfig = await cli(['keys', 'show'], { env: { AVMKIT_CONFIG: settings } })
    expect(byConfig.out).toContain('X-fuji1')
  })

  it('takes a mnemonic from the environment, but a key before it', async () => {
    const env = { AVMKIT_MNEMONIC: local.hd!.mnemonic }
    const argv = ['keys', 'show', '--network', 'local', '--count', '2', '--json']
    const { json } = await cli(argv, { env })
    const addresses = json<{ keys: { address: string }[] }>().keys.map(({ address }) => address)
    expect(addresses).toEqual(local.addresses.slice(0, 2).map(({ string }) => string))
    const both = await cli(argv, { env: { ...env, AVMKIT_KEY: EWOQ_KEY } })
    // The account to which the local network's genesis allocates funds on the C-Chain.
    const account = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'
    expect(both.json()).toMatchObject({ keys: [{ address: EWOQ, account }] })
  })

  it('warns of a file that others can read', async () => {
    const { chmodSync } = await import('node:fs')
    const file = secretFile(EWOQ_KEY)
    chmodSync(file, 0o644)
    const plain = await cli(['keys', 'show', '--key-file', file, '--network', 'local'])
    expect([plain.code, plain.err.split(':')[0]]).toEqual([0, 'warning KEY_FILE_OPEN'])
    expect(plain.out).toContain(EWOQ)
    const json = await cli(['keys', 'show', '--key-file', file, '--json'])
    expect(JSON.parse(json.err).warning.code).toBe('KEY_FILE_OPEN')
  })

  it('reports what is wrong with a key without repeating it', async () => {
    for (const text of [`${ALICE_KEY.slice(0, -1)}x`, '00', 'secretsecret', '', '0'.repeat(64)]) {
      const ended = await cli(['keys', 'show', '--key-file', secretFile(text)])
      expect([ended.code, ended.error().code]).toEqual([1, 'KEY_INVALID'])
      expect(ended.err).not.toMatch(/24jUJ9|secretsecret|00/)
    }
  })

  it('reports a file that cannot be read', async () => {
    for (const path of [join(folder(), 'none'), folder()]) {
      const ended = await cli(['keys', 'show', '--key-file', path])
      expect([ended.code, ended.error().code]).toEqual([1, 'FILE_UNREADABLE'])
    }
  })

  it('does not repeat a key or password that was passed as the name of a file', async () => {
    const digits = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318'
    const words = BOB_WORDS.split(' ')
    for (const secret of [
      ALICE_KEY.replace('PrivateKey-', ''),
      ALICE_KEY.toLowerCase(),
      digits.slice(1),
      `${digits}a`,
      digits.replace('9', 'g'),
      digits.replaceAll(/(.{8})/g, '$1 '),
      words.join(','),
      words.join('-'),
      words.map((word, i) => `${i + 1}. ${word}`).join(' '),
    ]) {
      const { code, err, error } = await cli(['keys', 'show', '--key-file', secret])
      expect([code, error().code]).toEqual([1, 'FILE_UNREADABLE'])
      const config = secretFile(JSON.stringify({ keyFile: secret }))
      const configured = await cli(['keys', 'show', '--config', config])
      expect([configured.code, configured.error().code]).toEqual([1, 'FILE_UNREADABLE'])
      for (const part of secret.split(/[^0-9a-zA-Z]+/).filter(({ length }) => length > 4))
        expect(err + configured.err).not.toContain(part)
    }
    const plain = secretFile(ALICE_KEY)
    const argv = ['keys', 'import', plain, '--out', join(folder(), 'encrypted')]
    const { code, err, error } = await cli(argv, { env: { AVMKIT_PASSWORD_FILE: 'hunter2' } })
    expect([code, error().code, err.includes('hunter2')]).toEqual([1, 'FILE_UNREADABLE', false])
  })

  it('ends when the question is interrupted', async () => {
    const ended = await cli(['keys', 'show'], { typed: '\u0003' })
    expect([ended.code, ended.error().code]).toEqual([130, 'INTERRUPTED'])
  })
})

describe('address', () => {
  it('writes an address for another chain and network', async () => {
    const { json } = await cli(['address', EWOQ, '--network', 'fuji', '--chain', 'P', '--json'])
    expect(json()).toEqual({
      addresses: [
        {
          address: 'P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t',
          hex: '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c',
        },
      ],
    })
  })

  it.each(['address', 'convert'])(
    'derives addresses of an extended public key (%s)',
    async (command) => {
      const { json } = await cli([command, mainnet.hd!.xpub!, '--count', '3', '--json'])
      expect(json<{ addresses: { address: string }[] }>().addresses).toMatchObject(
        mainnet.addresses.slice(0, 3).map(({ string }) => ({ address: string })),
      )
    },
  )

  it('reads public keys and bytes', async () => {
    const { json } = await cli(['address', ALICE_HEX, '--network', '10', '--json'])
    expect(json()).toMatchObject({
      addresses: [{ address: 'X-testing1lnk637g0edwnqc2tn8tel39652fswa3xk4r65e' }],
    })
  })

  it.each(['address', 'convert'])('refuses --count for a single address (%s)', async (command) => {
    const ended = await cli([command, EWOQ, '--count', '5'])
    expect([ended.code, ended.error().code, ended.out]).toEqual([2, 'BAD_VALUE', ''])
  })

  it('refuses text that has no address', async () => {
    const id = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'
    const ended = await cli(['address', id])
    expect([ended.code, ended.error().code]).toEqual([1, 'NOT_RECOGNIZED'])
  })
})

describe('the config file', () => {
  const run = (text: string) =>
    cli(['balance', EWOQ], { env: { AVMKIT_CONFIG: secretFile(text, 'config.json') } })

  it('must be an object of known settings', async () => {
    const bad = [
      '',
      '[]',
      '{"url":1}',
      '{"url":"127.0.0.1:9650"}',
      '{"url":"http://node","network":"fuij"}',
      '{"url":"http://node","metricsUrl":"nonsense"}',
      JSON.stringify({ keyFile: EWOQ_KEY }),
      JSON.stringify({ keyFile: '0'.repeat(63) + 1 }),
    ]
    for (const text of bad) {
      const ended = await run(text)
      expect([ended.code, ended.error().code]).toEqual([1, 'CONFIG_INVALID'])
      expect(ended.error().message).toMatch(/^the config file \S+config\.json /)
      expect(ended.err).not.toMatch(/ewoqjP7|000/)
    }
    const unknown = await run('{"uri":"http://node"}')
    expect([unknown.code, unknown.error()]).toEqual([
      1,
      expect.objectContaining({ code: 'UNKNOWN_OPTION', hint: 'did you mean url?' }),
    ])
  })

  it('resolves file names from the current folder, or from home', async () => {
    const home = folder()
    secretFile(EWOQ_KEY, 'my.key', home)
    for (const keyFile of ['my.key', './my.key', '~/my.key']) {
      const config = secretFile(JSON.stringify({ keyFile, network: 'local' }), 'config.json', home)
      const { out } = await cli(['keys', 'show', '--config', config], { env: { HOME: home } })
      expect(out).toContain(EWOQ)
    }
  })

  it('must be there if it is named', async () => {
    const ended = await cli(['balance', EWOQ, '--config', join(folder(), 'none')])
    expect([ended.code, ended.error().code]).toEqual([1, 'FILE_UNREADABLE'])
  })

  it('is looked for in the home of the user', async () => {
    const { mkdirSync, writeFileSync } = await import('node:fs')
    const home = folder()
    mkdirSync(join(home, '.config', 'avmkit'), { recursive: true })
    writeFileSync(join(home, '.config', 'avmkit', 'config.json'), '{"network":"fuji"}')
    const env = { HOME: home, AVMKIT_KEY: EWOQ_KEY }
    expect((await cli(['keys', 'show'], { env })).out).toContain('X-fuji18jma8ppw3')
  })
})
