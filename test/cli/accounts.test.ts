import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { accountFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import {
  ALICE_KEY,
  BOB,
  BOB_WORDS,
  cli,
  devNode,
  EWOQ,
  EWOQ_KEY,
  folder,
  secretFile,
} from './shell.ts'

/** The words of the first vector of BIP-39, whose passphrase is TREZOR. */
const WORDS =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'

function place() {
  const inside = folder()
  return { inside, env: { AVMKIT_ACCOUNTS: join(inside, 'config', 'accounts.json') } }
}

describe('accounts', () => {
  it('pay with the keys of a name, and record no key', async () => {
    const { inside, env } = place()
    const file = secretFile(EWOQ_KEY, 'my.key', inside)
    const added = await cli(
      ['accounts', 'add', 'main', '--key-file', file, '--network', 'local', '--json'],
      { env },
    )
    expect(added.json()).toMatchObject({ accounts: [{ name: 'main', owners: [EWOQ] }] })
    expect(readFileSync(env.AVMKIT_ACCOUNTS, 'utf8')).not.toContain('ewoq')
    const node = await devNode()
    expect((await cli(['send', BOB, '1', '--account', 'main', '--yes'], { node, env })).code).toBe(
      0,
    )
    const shown = await cli(['keys', 'show', '--account', 'main'], { env })
    expect(shown.out).toContain(EWOQ)
  })

  it('refuse a key file that was replaced since, before anything is signed', async () => {
    const { inside, env } = place()
    const file = secretFile(EWOQ_KEY, 'my.key', inside)
    await cli(['accounts', 'add', 'main', '--key-file', file], { env })
    writeFileSync(file, ALICE_KEY)
    const node = await devNode()
    const ended = await cli(['send', BOB, '1', '--account', 'main', '--yes'], { node, env })
    expect([ended.code, ended.error().code]).toEqual([1, 'ACCOUNT_CHANGED'])
  })

  it('read and draft for addresses and xpubs whose keys are elsewhere, and do not sign', async () => {
    const { inside, env } = place()
    const xpub = accountFromMnemonic(BOB_WORDS).watch.extendedPublicKey
    const node = await devNode()
    node.fund(BOB, 5_000_000_000n)
    await cli(['accounts', 'add', 'cold', xpub], { env })
    const balance = await cli(['balance', '--account', 'cold', '--json'], { node, env })
    expect(balance.json()).toMatchObject({ assets: [{ spendable: '5000000000' }] })
    const all = await cli(['balance', '--account', 'cold', '--chain', 'all', '--json'], {
      node,
      env,
    })
    expect(
      all.json<{ balances: { chain: string }[] }>().balances.map(({ chain }) => chain),
    ).toEqual(['X', 'P', 'C'])
    const out = join(inside, 'request.json')
    const drafted = await cli(['request', 'create', EWOQ, '1', '--account', 'cold', '--out', out], {
      node,
      env,
    })
    expect([drafted.code, drafted.err]).toMatchObject([0, expect.not.stringContaining('error')])
    const signed = await cli(['send', EWOQ, '1', '--account', 'cold', '--yes'], { node, env })
    expect([signed.code, signed.error().code]).toEqual([2, 'NO_KEYS'])
  })

  it('have names that are not numbers, each once, and can be removed', async () => {
    const { env } = place()
    expect((await cli(['accounts', 'add', '1', EWOQ], { env })).error().code).toBe('BAD_VALUE')
    expect((await cli(['accounts', 'add', 'a', EWOQ], { env })).code).toBe(0)
    expect((await cli(['accounts', 'add', 'a', BOB], { env })).error().code).toBe('ACCOUNT_EXISTS')
    const unknown = await cli(['balance', '--account', 'b'], { env })
    expect([unknown.code, unknown.error().code]).toEqual([2, 'ACCOUNT_UNKNOWN'])
    expect((await cli(['accounts', 'remove', 'a'], { env })).code).toBe(0)
    expect((await cli(['accounts', 'list'], { env })).out).toBe('no accounts\n')
    writeFileSync(env.AVMKIT_ACCOUNTS, '{"a":{"owners":[]}}')
    expect((await cli(['accounts', 'list'], { env })).error().code).toBe('ACCOUNTS_INVALID')
  })
})

describe('a BIP-39 passphrase', () => {
  const show = ['keys', 'from-mnemonic', '--json']

  it('gives other keys, from a file, from a prompt and from the environment', async () => {
    const inside = folder()
    const words = ['--key-file', secretFile(WORDS, 'words', inside)]
    const file = secretFile('TREZOR\n', 'passphrase', inside)
    const expected = accountFromMnemonic(WORDS, { passphrase: 'TREZOR' }).watch.extendedPublicKey
    const plain = await cli([...show, ...words])
    expect(plain.json()).not.toMatchObject({ extendedPublicKey: expected })
    const read = await cli([...show, ...words, '--passphrase-file', file])
    expect(read.json()).toMatchObject({ extendedPublicKey: expected })
    const env = { AVMKIT_PASSPHRASE_FILE: file }
    expect((await cli([...show, ...words], { env })).json()).toEqual(read.json())
    const typed = await cli([...show, ...words, '--passphrase'], { typed: 'TREZOR\nTREZOR\n' })
    expect(typed.out).toContain(expected)
    const differs = await cli([...show, ...words, '--passphrase'], { typed: 'TREZOR\nTREZOX\n' })
    expect(differs.error().code).toBe('PASSWORD_MISMATCH')
  })

  it('is needed by an account that was added with it, and a typo is noticed', async () => {
    const { inside, env } = place()
    const words = secretFile(WORDS, 'words', inside)
    const file = secretFile('TREZOR\n', 'passphrase', inside)
    const added = await cli(['accounts', 'add', 'hidden', '--key-file', words, '--passphrase'], {
      env,
      typed: 'TREZOR\nTREZOR\n',
    })
    expect(added.code).toBe(0)
    const account = ['keys', 'show', '--account', 'hidden']
    expect((await cli(account, { env })).error().code).toBe('NO_PASSWORD')
    expect((await cli(account, { env, typed: 'TREZOR\n' })).code).toBe(0)
    expect((await cli(account, { env, typed: 'trezor\n' })).error().code).toBe('ACCOUNT_CHANGED')
    expect((await cli([...account, '--passphrase-file', file], { env })).code).toBe(0)
  })

  it('is refused for keys that are no mnemonic', async () => {
    const file = secretFile('TREZOR\n', 'passphrase')
    const argv = ['keys', 'show', '--key-file', secretFile(EWOQ_KEY), '--passphrase-file', file]
    expect((await cli(argv)).error().code).toBe('BAD_VALUE')
  })

  it('in a file that others can read is a warning', async () => {
    const file = secretFile('TREZOR\n', 'passphrase')
    chmodSync(file, 0o644)
    const argv = [...show, '--key-file', secretFile(WORDS), '--passphrase-file', file]
    expect(JSON.parse((await cli(argv)).err).warning.code).toBe('PASSWORD_FILE_OPEN')
  })
})
