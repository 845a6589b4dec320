import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parsePolicy } from '../../src/signers/policy/index.ts'
import {
  BOB,
  BOB_SECOND,
  BOB_WORDS,
  cli,
  devNode,
  EWOQ,
  EWOQ_KEY,
  folder,
  LOCAL_AVAX,
  secretFile,
} from './shell.ts'

const VAULT = `2:${EWOQ},${BOB},${BOB_SECOND}`
const FRIEND = 'X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2'

/** Files in a folder: a policy for the vault of ewoq and Bob, and its address book. */
async function files(rules: object = {}) {
  const inside = folder()
  const at = (name: string) => join(inside, name)
  const policy = {
    format: 'avmkit-policy',
    version: 1,
    name: 'Cold',
    networkID: 12345,
    vaults: [{ name: 'Treasury', threshold: 2, members: [EWOQ, BOB, BOB_SECOND] }],
    addressBook: { signer: EWOQ },
    ...rules,
  }
  writeFileSync(at('policy.json'), JSON.stringify(policy))
  const recipients = [{ name: 'Friend', to: FRIEND }]
  const book = { policy: 'Cold', networkID: 12345, edition: 1, recipients }
  writeFileSync(at('recipients.json'), JSON.stringify(book))
  const ewoq = secretFile(EWOQ_KEY, 'ewoq.key', inside)
  const argv = ['policy', 'sign-book', at('recipients.json'), '--key-file', ewoq, '--yes']
  expect((await cli([...argv, '--out', at('book.json')])).code).toBe(0)
  const options = ['--policy', at('policy.json'), '--address-book', at('book.json')]
  return { at, ewoq, words: secretFile(BOB_WORDS, 'bob.words', inside), options }
}

describe('--policy', () => {
  it('lets two of three pay a recipient of the book from their vault, and nobody else', async () => {
    const node = await devNode()
    const paid = await cli(['send', VAULT, 'all', '--yes'], { node, env: { AVMKIT_KEY: EWOQ_KEY } })
    expect(paid.code).toBe(0)
    const { at, ewoq, words, options } = await files({ maximum: { [LOCAL_AVAX]: '3000000000' } })
    const from = [EWOQ, BOB, BOB_SECOND].flatMap((owner) => ['--from', owner])
    const create = async (to: string, amount: string, change: string, out: string) => {
      const argv = ['request', 'create', `${to}=${amount}`, ...from, '--change-to', change]
      const made = await cli([...argv, '--signers', 'all', '--out', at(out)], { node })
      expect([made.code, made.err]).toEqual([0, ''])
    }
    const sign = (file: string, key: string, out: string, ...more: string[]) =>
      cli([
        'request',
        'sign',
        at(file),
        '--key-file',
        key,
        '--yes',
        '--out',
        at(out),
        ...options,
        ...more,
      ])

    await create(FRIEND, '3', VAULT, 'good.json')
    await create(FRIEND, '3.1', VAULT, 'much.json')
    await create(EWOQ, '1', VAULT, 'member.json')
    await create(FRIEND, '3', EWOQ, 'change.json')
    const accept = ['--accept', 'WEAKER_CHANGE', '--accept', 'FOREIGN_CHANGE']
    for (const [file, code] of [
      ['much.json', 'POLICY_MAXIMUM'],
      ['member.json', 'POLICY_VAULT'],
      ['change.json', 'POLICY_VAULT'],
    ] as const) {
      const refused = await sign(file, ewoq, 'never.json', ...accept)
      expect([refused.code, refused.error().code], file).toEqual([1, code])
    }
    // On a terminal, the question is not asked.
    const argv = ['request', 'sign', at('much.json'), '--key-file', ewoq, '--out', at('never.json')]
    const typed = await cli([...argv, ...options], { typed: 'y\n' })
    expect([typed.code, typed.error().code]).toEqual([1, 'POLICY_MAXIMUM'])
    expect(typed.err).not.toContain('[y/N]')
    expect(() => readFileSync(at('never.json'))).toThrow()

    const { checksum } = parsePolicy(readFileSync(at('policy.json'), 'utf8'))
    const shown = await cli(['request', 'status', at('good.json'), ...options])
    expect(shown.out).toContain(`"Cold": ${checksum}`)
    const explained = await cli(['explain', at('good.json'), ...options, '--json'])
    expect(explained.json()).toMatchObject({ policy: { name: 'Cold', checksum } })

    expect((await sign('good.json', ewoq, 'ewoq.json', '--policy-checksum', checksum)).code).toBe(0)
    expect((await sign('good.json', words, 'bob.json')).code).toBe(0)
    // A file that was changed since it was explained.
    const changed = readFileSync(at('policy.json'), 'utf8').replace('3000000000', '9000000000')
    writeFileSync(at('policy.json'), changed)
    const other = await sign('good.json', ewoq, 'never.json', '--policy-checksum', checksum)
    expect(other.error().code).toBe('FILE_CHECKSUM')

    // A co-signer has spoiled a path of its copy, which does not stop the others.
    const copy = JSON.parse(readFileSync(at('bob.json'), 'utf8'))
    copy.paths.push({ address: BOB, path: 'm/0' })
    writeFileSync(at('bob.json'), JSON.stringify(copy))
    const merged = await cli([
      'request',
      'merge',
      at('ewoq.json'),
      at('bob.json'),
      '--out',
      at('all.json'),
    ])
    expect([merged.code, merged.err]).toEqual([0, expect.stringContaining('left out paths[')])
    expect((await cli(['request', 'finish', at('all.json'), '--out', at('tx.txt')])).code).toBe(0)
    const issued = await cli(['issue', at('tx.txt'), '--yes'], { node })
    expect([issued.code, issued.err]).toEqual([0, ''])
  })

  it('stops payments of the own wallet before they are recorded', async () => {
    const node = await devNode()
    const { options, at } = await files({
      vaults: undefined,
      maximum: { [LOCAL_AVAX]: '1000000000' },
    })
    const send = (to: string, amount: string, ...more: string[]) =>
      cli(['send', to, amount, '--yes', '--journal', at('journal'), ...more], {
        node,
        env: { AVMKIT_KEY: EWOQ_KEY },
      })
    expect((await send(FRIEND, '1.5', ...options)).error().code).toBe('POLICY_MAXIMUM')
    expect((await send(BOB, '0.5', ...options)).error().code).toBe('POLICY_RECIPIENT')
    expect((await send(FRIEND, '1', ...options.slice(2))).error().code).toBe('MISSING_OPTION')
    const journal = await cli(['journal', 'list', '--journal', at('journal'), '--json'], {
      node,
      env: { AVMKIT_KEY: EWOQ_KEY },
    })
    expect(journal.out).not.toContain('accepted')
    expect((await send(FRIEND, '1', ...options)).code).toBe(0)
  })
})

describe('--policy with sums over time', () => {
  it('counts the payments of the journal, also those without a key', async () => {
    const node = await devNode()
    const sums = [{ assetID: LOCAL_AVAX, amount: '3000000000', seconds: 86400 }]
    const { options, at } = await files({ vaults: undefined, sums })
    const run = (...argv: string[]) =>
      cli([...argv, '--yes', '--journal', at('journal'), ...options], {
        node,
        env: { AVMKIT_KEY: EWOQ_KEY },
      })
    // A plan needs no journal.
    expect((await run('sweep', EWOQ, '--plan')).code).toBe(0)
    expect((await run('send', FRIEND, '2')).code).toBe(0)
    const { code, message } = (await run('send', FRIEND, '1.5')).error()
    expect([code, message]).toEqual([
      'POLICY_SUM',
      expect.stringContaining('2 AVAX used, 1 AVAX left'),
    ])
    expect((await run('send', FRIEND, '1', '--idempotency-key', 'a')).code).toBe(0)
    expect((await run('send', FRIEND, '0.1')).error().code).toBe('POLICY_SUM')
    expect((await run('send', EWOQ, '5')).code).toBe(0)
    const shown = await cli(['policy', 'show', at('policy.json')])
    expect(shown.out).toContain(`at most 3000000000 units of ${LOCAL_AVAX} within 86400 s`)
  })

  it('is a danger for request sign, which explains it', async () => {
    const node = await devNode()
    const sums = [{ assetID: LOCAL_AVAX, amount: '3000000000', seconds: 86400 }]
    const { options, at, ewoq } = await files({ vaults: undefined, sums })
    const argv = ['request', 'create', `${FRIEND}=1`, '--from', EWOQ, '--out', at('request.json')]
    expect((await cli(argv, { node })).code).toBe(0)
    const sign = (...more: string[]) =>
      cli(['request', 'sign', at('request.json'), '--key-file', ewoq, '--yes', ...options, ...more])
    const refused = await sign('--out', at('a.json'))
    expect(refused.error().code).toBe('UNCHECKED_SUM')
    expect((await sign('--out', at('a.json'), '--accept', 'UNCHECKED_SUM')).code).toBe(0)
  })
})

describe('policy', () => {
  it('exports and imports vaults, whose checksum must be the one that was told', async () => {
    const { at } = await files()
    const exported = await cli([
      'policy',
      'export-vault',
      'Treasury',
      '--policy',
      at('policy.json'),
      '--out',
      at('vault.json'),
      '--json',
    ])
    const { checksum } = exported.json<{ checksum: string }>()
    const empty = { format: 'avmkit-policy', version: 1, name: 'Mine', networkID: 12345 }
    writeFileSync(at('mine.json'), JSON.stringify(empty))
    const take = (told: string, out: string) =>
      cli([
        'policy',
        'import-vault',
        at('vault.json'),
        '--policy',
        at('mine.json'),
        '--checksum',
        told,
        '--out',
        at(out),
      ])
    expect((await take('AAAAA-AAAAA', 'new.json')).error().code).toBe('VAULT_CHECKSUM')
    expect((await take(checksum, 'new.json')).code).toBe(0)
    expect((await take(checksum, 'new.json')).error().code).toBe('FILE_EXISTS')
    const shown = await cli(['policy', 'show', at('new.json'), '--json'])
    expect(shown.json()).toMatchObject({ name: 'Mine', vaults: [{ name: 'Treasury', checksum }] })
  })
})

describe('receive', () => {
  it('shows and verifies addresses of keys and vaults', async () => {
    const { at, words } = await files()
    const receive = (...argv: string[]) => cli(['receive', ...argv, '--network', 'local'])
    expect((await receive('1', '--key-file', words)).out.trim()).toBe(BOB_SECOND)
    expect((await receive('--key-file', words, '--verify', BOB_SECOND)).out).toContain('index 1')
    expect((await receive('--key-file', words, '--verify', EWOQ)).error().code).toBe('NOT_YOURS')
    const vault = ['--vault', 'Treasury', '--policy', at('policy.json')]
    const owners = (await receive(...vault)).out.split('\n')[0]!
    expect(owners).toMatch(/^2:X-local1\w+,X-local1\w+,X-local1\w+$/)
    expect((await receive(...vault, '--verify', VAULT)).out).toContain('yours')
    expect((await receive(...vault, '--verify', VAULT.replace('2:', '1:'))).error().code).toBe(
      'NOT_YOURS',
    )
    expect((await receive('1', ...vault)).error().code).toBe('NO_INDEX')
    // The same keys own it on another network, but the vault is registered for one.
    const elsewhere = VAULT.replaceAll('X-local1', 'X-fuji1')
    expect((await receive(...vault, '--verify', elsewhere)).error().code).toMatch(/^ENC_/)
  })
})

describe('message', () => {
  it('is signed and verified', async () => {
    const { ewoq } = await files()
    const argv = ['message', 'sign', 'hello', '--key-file', ewoq]
    expect((await cli(argv)).error().code).toBe('CONFIRMATION_NEEDED')
    const signature = (await cli([...argv, '--yes'])).out.trim()
    expect((await cli(['message', 'verify', EWOQ, 'hello', signature])).code).toBe(0)
    expect((await cli(['message', 'verify', BOB, 'hello', signature])).error().code).toBe(
      'MESSAGE_SIGNER',
    )
    expect((await cli(['message', 'verify', EWOQ, 'hello!', signature])).error().code).toBe(
      'MESSAGE_SIGNER',
    )
  })
})
