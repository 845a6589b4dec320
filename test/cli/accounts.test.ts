import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import {
  ALICE_KEY,
  BOB,
  BOB_SECOND,
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
    const receive = ['receive', '--account', 'cold', '--network', 'local']
    expect((await cli([...receive, '1'], { env })).out.trim()).toBe(BOB_SECOND)
    expect((await cli([...receive, '--verify', BOB_SECOND], { env })).out).toContain('index 1')
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

describe('what returns to an account', () => {
  it('is explained as its change, from its mnemonic, its xpub and its name, with a node or without', async () => {
    const { inside, env } = place()
    const { watch } = accountFromMnemonic(BOB_WORDS)
    const at = (change: number, index: number) =>
      formatAddress({ chain: 'X', hrp: 'local', address: watch.address({ change, index }) })
    const node = await devNode()
    // So that the change goes to an index that no first addresses contain.
    node.fund(at(1, 30), 5_000_000_000n)
    const words = secretFile(BOB_WORDS, 'words', inside)
    await cli(['accounts', 'add', 'hot', '--key-file', words], { env })
    await cli(['accounts', 'add', 'cold', watch.extendedPublicKey], { env })
    await cli(['accounts', 'add', 'one', at(1, 31)], { env })
    await cli(['accounts', 'add', 'other', EWOQ], { env })
    const file = join(inside, 'request.json')
    const draft = ['request', 'create', EWOQ, '1', '--account', 'cold', '--gap-limit', '40']
    expect((await cli([...draft, '--out', file], { node, env })).code).toBe(0)
    const warnings = async (...argv: string[]) =>
      (await cli(['explain', file, '--json', ...argv], { node, env }))
        .json<{ warnings: { code: string }[] }>()
        .warnings.map(({ code }) => code)
    for (const lookup of [[], ['--lookup', '--gap-limit', '40']]) {
      for (const own of [['--key-file', words], ...['hot', 'cold', 'one'].map(named)])
        expect(await warnings(...own, ...lookup)).toEqual([])
      expect(await warnings(...lookup)).toContain('FOREIGN_CHANGE')
      expect(await warnings(...named('other'), ...lookup)).toContain('FOREIGN_CHANGE')
    }
    // A transaction names no paths: the first addresses of both branches count.
    node.fund(at(0, 0), 50_000_000_000n)
    const paid = await cli(['send', EWOQ, '9', '--account', 'hot', '--yes', '--json'], {
      node,
      env,
    })
    const { txID } = paid.json<{ txID: string }>()
    const tx = await cli(['rpc', 'avm.getTx', JSON.stringify({ txID, encoding: 'hex' })], { node })
    const explained = await cli(['explain', tx.json<{ tx: string }>().tx, ...named('cold')], {
      env,
    })
    expect(explained.out).toContain(`to ${at(1, 0)}`)
    expect(explained.out).toMatch(/^return /m)
  })

  const named = (name: string) => ['--account', name]
})

describe('accounts without keys', () => {
  it('say where a payment is drafted, and have addresses of their network', async () => {
    const { env } = place()
    const node = await devNode()
    await cli(['accounts', 'add', 'cold', BOB], { env })
    for (const argv of [
      ['send', EWOQ, '1'],
      ['keys', 'show'],
    ]) {
      const refused = await cli([...argv, '--account', 'cold'], { node, env })
      expect([refused.code, refused.error()]).toMatchObject([
        2,
        { code: 'NO_KEYS', hint: expect.stringContaining('request create --account cold') },
      ])
    }
    const wrong = await cli(['accounts', 'add', 'fuji', BOB, '--network', 'fuji'], { env })
    expect([wrong.code, wrong.error().code]).toEqual([2, 'ENC_WRONG_HRP'])
    const right = await cli(['accounts', 'add', 'local', BOB, '--network', 'local'], { env })
    expect(right.code).toBe(0)
  })

  it('have addresses of the network of a profile, whose file is found from any folder', async () => {
    const { env } = place()
    const { watch } = accountFromMnemonic(BOB_WORDS)
    const path = join('networks', 'flare.json')
    const add = (...argv: string[]) =>
      cli(['accounts', 'add', ...argv, '--network', path, '--json'], { env })
    const cold = await add('cold', watch.extendedPublicKey)
    expect(cold.err).toBe('')
    expect(cold.json()).toMatchObject({ accounts: [{ network: resolve(path) }] })
    const address = formatAddress({
      chain: 'X',
      hrp: 'flare',
      address: watch.address({ change: 0, index: 0 }),
    })
    const hot = await add('hot', '--key-file', secretFile(BOB_WORDS))
    expect(hot.json()).toMatchObject({ accounts: [{ network: resolve(path) }] })
    const received = await cli(['receive', '0', '--account', 'cold'], { env })
    expect(received.out).toBe(`${address}\n`)
    expect((await add('local', BOB)).error().code).toBe('ENC_WRONG_HRP')
    const missing = ['accounts', 'add', 'none', address, '--network', './none.json']
    expect((await cli(missing, { env })).error().code).toBe('FILE_UNREADABLE')
  })

  it('verify an address of any network unless one is named', async () => {
    const env = { AVMKIT_KEY: BOB_WORDS }
    const verify = (...argv: string[]) => cli(['receive', '--verify', BOB, ...argv], { env })
    expect((await verify()).out).toBe('yours: index 0\n')
    expect((await verify('--network', 'fuji')).error().code).toBe('ENC_WRONG_HRP')
  })

  it('show an address at an index and verify one, for an xpub and for addresses', async () => {
    const { env } = place()
    const { watch } = accountFromMnemonic(BOB_WORDS)
    await cli(['accounts', 'add', 'cold', watch.extendedPublicKey, '--network', 'local'], { env })
    await cli(['accounts', 'add', 'one', BOB, '--network', 'local'], { env })
    const receive = async (...argv: string[]) => (await cli(['receive', ...argv], { env })).out
    expect(await receive('1', '--account', 'cold')).toBe(`${BOB_SECOND}\n`)
    expect(await receive('0', '--account', 'one')).toBe(`${BOB}\n`)
    expect(await receive('--verify', BOB, '--account', 'one')).toBe('yours: index 0\n')
    expect(await receive('--verify', BOB_SECOND, '--account', 'cold')).toBe('yours: index 1\n')
    const other = await cli(['receive', '--verify', BOB_SECOND, '--account', 'one'], { env })
    expect([other.code, other.error().code]).toEqual([1, 'NOT_YOURS'])
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

  it('is not empty: the mnemonic without one has other keys', async () => {
    const env = { AVMKIT_KEY: WORDS }
    const show = ['keys', 'show', '--network', 'local']
    for (const text of ['', '\n', '\nsecret']) {
      const file = secretFile(text, 'passphrase')
      const refused = await cli([...show, '--passphrase-file', file], { env })
      expect([refused.code, refused.error().code]).toEqual([2, 'BAD_VALUE'])
    }
    const typed = await cli([...show, '--passphrase'], { env, typed: '\n' })
    expect([typed.code, typed.error().code]).toEqual([2, 'BAD_VALUE'])
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
