import { describe, expect, it } from 'vitest'
import { HDAccount } from '../../../src/core/crypto/hd/index.ts'
import { signMessage } from '../../../src/signers/message/index.ts'
import {
  addressBookMessage,
  formatAddressBook,
  formatPolicy,
  formatVault,
  parsePolicy,
  parseVault,
  positionInVault,
  vaultNamed,
} from '../../../src/signers/policy/index.ts'
import { keysOf } from '../../core/sign/fixtures.ts'
import {
  AVAX,
  addressText,
  base,
  bookOf,
  bookRule,
  policyOf,
  vault,
  vaultOwners,
} from './fixtures.ts'

const codeOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'none'
}

const xpub = (account: number) =>
  new HDAccount(new Uint8Array(64).fill(account + 1), { account }).watch.extendedPublicKey

const rules = {
  ...base,
  vaults: [vault],
  addressBook: { ...bookRule!, atLeast: 2 },
  maximum: { [AVAX]: 5n },
  maxFee: 1n,
  chains: ['P', 'X'],
  transactions: ['BaseTx'],
  assets: { [AVAX]: { symbol: 'AVAX', denomination: 9 } },
} as const

describe('parsePolicy', () => {
  it('reads what formatPolicy writes', () => {
    const text = formatPolicy(rules)
    const policy = parsePolicy(text)
    expect(policy.rules).toMatchObject({ ...rules, vaults: [vault] })
    expect(formatPolicy(policy.rules)).toBe(text)
  })

  it('has a checksum that covers every rule, but not the layout', () => {
    const text = formatPolicy(rules)
    const { checksum } = parsePolicy(text)
    expect(checksum).toMatch(/^([0-9A-Z]{5}-){4}[0-9A-Z]{5}$/)
    expect(parsePolicy(JSON.stringify(JSON.parse(text))).checksum).toBe(checksum)
    const changes: readonly object[] = [
      { name: 'Other' },
      { maxFee: 2n },
      { maximum: { [AVAX]: 6n } },
      { maximum: { [AVAX]: 'any' } },
      { chains: ['X'] },
      { transactions: ['BaseTx', 'ExportTx'] },
      { assets: {} },
      { assets: { [AVAX]: { symbol: 'AVAX', denomination: 8 } } },
      { addressBook: { ...rules.addressBook, atLeast: 3 } },
      { addressBook: { signer: addressText(5) } },
      { vaults: [{ ...vault, threshold: 1 }] },
      { vaults: [{ ...vault, name: 'Vault' }] },
      { vaults: [{ ...vault, members: vault.members.slice(1) }] },
      { vaults: undefined },
      { networkID: 9999 },
    ]
    const sums = changes.map(
      (change) => parsePolicy(formatPolicy({ ...rules, ...change })).checksum,
    )
    expect(new Set([checksum, ...sums]).size).toBe(changes.length + 1)
  })

  it('refuses a policy that was changed since it was explained', () => {
    const { checksum } = parsePolicy(formatPolicy(rules))
    const changed = formatPolicy({ ...rules, maxFee: 2n })
    expect(codeOf(() => parsePolicy(changed, { checksum }))).toBe('FILE_CHECKSUM')
    expect(codeOf(() => parsePolicy(formatPolicy(rules), { checksum }))).toBe('none')
  })

  const file = JSON.parse(formatPolicy(rules))
  const malformed: readonly (readonly [string, unknown, string])[] = [
    ['another format', { ...file, format: 'avmkit-vault' }, 'FILE_MALFORMED'],
    ['a later version', { ...file, version: 2, newRule: true }, 'FILE_VERSION'],
    ['an unknown member', { ...file, maximums: {} }, 'UNKNOWN_OPTION'],
    [
      'an unknown member of a vault',
      { ...file, vaults: [{ ...file.vaults[0], weight: 1 }] },
      'UNKNOWN_OPTION',
    ],
    ['an unknown type', { ...file, transactions: ['BaseTX'] }, 'ENC_INVALID'],
    ['an amount as number', { ...file, maxFee: 5 }, 'ENC_INVALID'],
    ['a negative amount', { ...file, maxFee: '-5' }, 'ENC_INVALID'],
    ['an amount above u64', { ...file, maxFee: '18446744073709551616' }, 'ENC_INVALID'],
    [
      'a threshold above the members',
      { ...file, vaults: [{ ...vault, threshold: 4 }] },
      'ENC_INVALID',
    ],
    ['a threshold of 0', { ...file, vaults: [{ ...vault, threshold: 0 }] }, 'ENC_INVALID'],
    [
      'a member twice',
      { ...file, vaults: [{ ...vault, members: [...vault.members, addressText(0, 'P')] }] },
      'ENC_INVALID',
    ],
    [
      'a member of another network',
      {
        ...file,
        vaults: [
          { ...vault, members: ['X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'], threshold: 1 },
        ],
      },
      'ENC_HRP',
    ],
    [
      'a changed registration',
      { ...file, vaults: [{ ...file.vaults[0], threshold: 1 }] },
      'FILE_CHECKSUM',
    ],
    ['two vaults of one name', { ...file, vaults: [vault, vault] }, 'FILE_MALFORMED'],
    ['hidden characters in a name', { ...file, name: 'Co\u200bld' }, 'ENC_INVALID'],
    ['no object', [], 'FILE_MALFORMED'],
  ]
  it.each(malformed)('refuses %s', (_, contents, code) => {
    const found = codeOf(() => parsePolicy(JSON.stringify(contents)))
    if (code === 'ENC_HRP') expect(found).toMatch(/^ENC_/)
    else expect(found).toBe(code)
  })

  it('refuses members that occur twice, and texts that are not JSON', () => {
    const text = formatPolicy(rules).replace('"maxFee": "1"', '"maxFee": "1", "maxFee": "9999"')
    expect(codeOf(() => parsePolicy(text))).toBe('FILE_MALFORMED')
    expect(codeOf(() => parsePolicy('PrivateKey-ewoq'))).toBe('FILE_MALFORMED')
    expect(codeOf(() => parsePolicy(undefined as never))).toBe('FILE_MALFORMED')
  })
})

describe('address books', () => {
  const recipients = [{ name: 'Alice', to: addressText(5) }]
  const read = (addressBook: string) =>
    policyOf({ addressBook: { ...bookRule!, atLeast: 2 } }, { addressBook })
  const cases: readonly (readonly [string, string, string])[] = [
    ['accepts the signature of the named key', bookOf(recipients), 'none'],
    ['refuses the signature of another key', bookOf(recipients, {}, 3), 'BOOK_SIGNATURE'],
    ['refuses a book of another policy', bookOf(recipients, { policy: 'Hot' }), 'BOOK_POLICY'],
    ['refuses a book of another network', bookOf([], { networkID: 5 }), 'BOOK_POLICY'],
    ['refuses an earlier edition', bookOf(recipients, { edition: 1 }), 'BOOK_OUTDATED'],
    [
      'refuses a signature of another policy under the name of this one',
      bookOf(recipients, { policy: 'Hot' }).replace('"policy": "Hot"', '"policy": "Cold"'),
      'BOOK_SIGNATURE',
    ],
    [
      'refuses a recipient that was exchanged after signing',
      bookOf(recipients).replace(addressText(5), addressText(3)),
      'BOOK_SIGNATURE',
    ],
    [
      'refuses a later edition that was not signed',
      bookOf(recipients).replace('"edition": 3', '"edition": 4'),
      'BOOK_SIGNATURE',
    ],
    [
      'refuses a later version',
      bookOf(recipients).replace('"version": 1', '"version": 2'),
      'FILE_VERSION',
    ],
    [
      'refuses unknown members',
      bookOf(recipients).replace('"edition": 3', '"edition": 3, "all": true'),
      'UNKNOWN_OPTION',
    ],
  ]
  it.each(cases)('%s', (_, book, code) => {
    expect(codeOf(() => read(book))).toBe(code)
  })

  it('are refused by policies that name no key', () => {
    expect(codeOf(() => policyOf({}, { addressBook: bookOf(recipients) }))).toBe('BOOK_POLICY')
  })

  it('refuse recipients that are no addresses', () => {
    const book = { policy: 'Cold', networkID: base.networkID, edition: 1 }
    for (const to of ['0x1234', [addressText(1), `0x${'11'.repeat(20)}`], [], 'X-local1abc'])
      expect(
        codeOf(() => addressBookMessage({ ...book, recipients: [{ name: 'A', to }] })),
      ).not.toBe('none')
    const few = { name: 'A', to: [addressText(1)], threshold: 2 }
    expect(codeOf(() => formatAddressBook({ ...book, recipients: [few] }, ''))).toBe(
      'FILE_MALFORMED',
    )
  })

  it('have one readable line to sign', () => {
    const book = { policy: 'Cold', networkID: base.networkID, edition: 3, recipients }
    const message = addressBookMessage(book)
    expect(message).toMatch(
      /^avmkit address book 3 for policy "Cold" on network 12345: 1 recipients, checksum [0-9A-Z-]{29}$/,
    )
    expect(formatAddressBook(book, signMessage(message, keysOf(4)))).toBe(bookOf(recipients))
  })
})

describe('vaults', () => {
  it('are exported and imported between co-signers with a checksum', () => {
    const policy = policyOf({ vaults: [vault] })
    const text = formatVault(vaultNamed(policy, 'Treasury'))
    const found = parseVault(text)
    expect(found).toMatchObject({ ...vault, networkID: base.networkID })
    expect(found.checksum).toBe(policy.registered[0]!.checksum)
    // Co-signers may list the members in another order and name the vault differently.
    const other = { ...vault, name: 'Ours', members: vault.members.toReversed() }
    expect(policyOf({ vaults: [other] }).registered[0]!.checksum).toBe(found.checksum)
    expect(codeOf(() => parseVault(text.replace('"threshold": 2', '"threshold": 1')))).toBe(
      'FILE_CHECKSUM',
    )
    expect(codeOf(() => parseVault(text.replace(/,\s*"checksum": "[^"]*"/, '')))).toBe(
      'FILE_MALFORMED',
    )
    expect(codeOf(() => parseVault(text.replace('"version": 1', '"version": 3')))).toBe(
      'FILE_VERSION',
    )
    expect(codeOf(() => vaultNamed(policy, 'Treasure'))).toBe('VAULT_UNKNOWN')
  })

  it('have one set of owners, or one per index if a member is an account', () => {
    const fixed = policyOf({ vaults: [vault] }).registered[0]!
    expect(fixed.allOwners).toEqual([{ ...vaultOwners, position: { change: 0, index: 0 } }])
    const derived = {
      name: 'HD',
      threshold: 2,
      members: [xpub(0), xpub(1), addressText(2)],
      indices: 3,
    }
    const { registered, vaults } = policyOf({ vaults: [derived] })
    expect(vaults.length).toBe(6)
    const third = registered[0]!.owners({ change: 1, index: 2 })
    expect(positionInVault(registered[0]!, third)).toEqual({ change: 1, index: 2 })
    const beyond = registered[0]!.owners({ change: 0, index: 3 })
    expect(positionInVault(registered[0]!, beyond)).toBe(undefined)
    expect(positionInVault(registered[0]!, { ...third, threshold: 1 })).toBe(undefined)
    expect(codeOf(() => policyOf({ vaults: [{ ...vault, indices: 3 }] }))).toBe('ENC_INVALID')
    expect(codeOf(() => policyOf({ vaults: [{ ...derived, members: [xpub(0), xpub(0)] }] }))).toBe(
      'ENC_INVALID',
    )
  })
})
