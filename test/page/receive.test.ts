import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { formatPrivateKey } from '../../src/core/base/encoding/ids.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import { publicTextsOf } from '../../src/inspect/key-text.ts'
import {
  payableText,
  payeeOf,
  vaultHRP,
  vaultPayee,
  verifyPayable,
} from '../../src/inspect/receive.ts'
import { formatPolicy, parsePolicy, vaultNamed } from '../../src/signers/policy/index.ts'
import { BOB, BOB_SECOND, BOB_WORDS, EWOQ, EWOQ_KEY } from '../cli/shell.ts'
import { people } from '../core/sign/fixtures.ts'
import { codeOf, vectors } from '../helpers/vectors.ts'
import { addressText, base, vault } from '../signers/policy/fixtures.ts'
import { hasChromium } from './browser.ts'
import { usePage } from './harness.ts'

const choice = { account: 0, count: undefined }
const account = accountFromMnemonic(BOB_WORDS).watch
const at = { chain: 'X', hrp: 'local' }

/** A vault of one account and two addresses, which has two indices. */
const derived = {
  name: 'Derived',
  threshold: 2,
  members: [account.extendedPublicKey, EWOQ, addressText(2)],
  indices: 2,
}
const policyFile = formatPolicy({ ...base, vaults: [vault, derived] })
const policy = parsePolicy(policyFile)

type HDVector = {
  readonly name: string
  readonly hd: { readonly mnemonic: string; readonly xpub: string }
  readonly addresses: readonly { readonly index: number; readonly string: string }[]
}

describe('payeeOf', () => {
  const words = payeeOf(publicTextsOf([BOB_WORDS], choice, 'local'))
  const keys = payeeOf(publicTextsOf([`${EWOQ_KEY}\n${keyOf(3)}`], choice, 'local'))

  it('has the address at each index of a mnemonic, of an account and of private keys', () => {
    expect([0, 1].map((index) => payableText(words, index, at))).toEqual([BOB, BOB_SECOND])
    const watching = payeeOf([account.extendedPublicKey])
    expect(payableText(watching, 1, at)).toBe(BOB_SECOND)
    expect([0, 1].map((index) => payableText(keys, index, at))).toEqual([EWOQ, addressText(3)])
    expect(payableText(words, 1, { chain: 'P', hrp: 'local' })).toBe(BOB_SECOND.replace('X-', 'P-'))
  })

  it('has the addresses that the wallet SDK of Ava Labs derives', () => {
    const { hd, addresses } = vectors<HDVector[]>('addresses.json').find(
      ({ name }) => name === 'wallet-sdk external addresses 0..15',
    )!
    for (const { index, string } of addresses)
      for (const texts of [[hd.xpub], publicTextsOf([hd.mnemonic], choice, 'avax')])
        expect(payableText(payeeOf(texts), index, { chain: 'X', hrp: 'avax' })).toBe(string)
  })

  it('refuses indices that it does not have', () => {
    for (const index of [-1, 2, 0.5, Number.NaN])
      expect(codeOf(() => payableText(keys, index, at))).toBe('NO_INDEX')
    expect(codeOf(() => payableText(words, 100_000, at))).toBe('NO_INDEX')
  })

  it('refuses several accounts, whose indices would be ambiguous', () => {
    const xpub = account.extendedPublicKey
    for (const texts of [
      [xpub, xpub],
      [EWOQ, xpub],
      [xpub, EWOQ],
    ])
      expect(codeOf(() => payeeOf(texts))).toBe('NOT_RECOGNIZED')
  })

  it('verifies an address on any chain of the network, and no other', () => {
    expect(verifyPayable(words, ` ${BOB_SECOND}\n`, 'local')).toEqual({ change: 0, index: 1 })
    expect(verifyPayable(words, BOB_SECOND.replace('X-', 'P-'), 'local').index).toBe(1)
    // Bech32 is either case, and QR codes are smaller in capitals.
    expect(verifyPayable(words, BOB_SECOND.toUpperCase(), 'local').index).toBe(1)
    expect(verifyPayable(keys, `1:${EWOQ}`, 'local').index).toBe(0)
    const last = formatAddress({ ...at, address: account.address({ change: 0, index: 999 }) })
    expect(verifyPayable(words, last, 'local').index).toBe(999)
    for (const [claimed, code] of [
      [EWOQ, 'NOT_YOURS'],
      [`2:${BOB},${BOB_SECOND}`, 'NOT_YOURS'],
      [`1:${BOB},${BOB_SECOND}`, 'NOT_YOURS'],
      [`${BOB},${BOB_SECOND}`, 'NOT_RECOGNIZED'],
      [`3:${BOB},${BOB_SECOND}`, 'NOT_RECOGNIZED'],
      [`1:${BOB},${BOB}`, 'NOT_RECOGNIZED'],
      [BOB_SECOND.replace('local', 'fuji'), 'ENC_BAD_CHECKSUM'],
      [
        formatAddress({
          chain: 'X',
          hrp: 'fuji',
          address: account.address({ change: 0, index: 1 }),
        }),
        'ENC_WRONG_HRP',
      ],
      ['0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc', 'ENC_MISSING_PREFIX'],
      ['', 'ENC_MISSING_PREFIX'],
    ] as const)
      expect(
        codeOf(() => verifyPayable(words, claimed, 'local')),
        claimed,
      ).toBe(code)
  })
})

describe('vaultPayee', () => {
  const treasury = vaultNamed(policy, 'Treasury')
  const owners = (addresses: readonly string[], threshold = 2) =>
    `${threshold}:${addresses.join(',')}`

  it('has the owners of the registration at each of its indices', () => {
    const payee = vaultPayee(treasury)
    const text = payableText(payee, 0, at)
    expect(text.slice(2).split(',').toSorted()).toEqual(vault.members.toSorted())
    expect(text.slice(0, 2)).toBe('2:')
    expect(codeOf(() => payableText(payee, 1, at))).toBe('NO_INDEX')
    const moving = vaultPayee(vaultNamed(policy, 'Derived'))
    expect(payableText(moving, 1, at)).toContain(BOB_SECOND)
    expect(payableText(moving, 1, at)).not.toContain(BOB)
    expect(codeOf(() => payableText(moving, 2, at))).toBe('NO_INDEX')
  })

  it('verifies the owners in any order, and nothing that is not the vault', () => {
    const payee = vaultPayee(treasury)
    const { members } = vault
    const first = { change: 0, index: 0 }
    expect(verifyPayable(payee, owners(members), 'local')).toEqual(first)
    expect(verifyPayable(payee, owners(members.toReversed()), 'local')).toEqual(first)
    for (const claimed of [
      owners(members, 1),
      owners(members, 3),
      owners(members.slice(0, 2)),
      owners([...members.slice(0, 2), addressText(3)]),
      owners([...members, addressText(3)]),
      members[0]!,
    ])
      expect(
        codeOf(() => verifyPayable(payee, claimed, 'local')),
        claimed,
      ).toBe('NOT_YOURS')
    const mixed = owners(members.map((each, i) => (i === 0 ? each.replace('X-', 'P-') : each)))
    expect(codeOf(() => verifyPayable(payee, mixed, 'local'))).toBe('NOT_RECOGNIZED')
  })

  it('says which owners are on the change side', () => {
    const open = vaultNamed(policy, 'Derived')
    const change = open.owners({ change: 1, index: 1 })
    const texts = change.addresses.map((address) => formatAddress({ ...at, address }))
    const position = { change: 1, index: 1 }
    expect(verifyPayable(vaultPayee(open), owners(texts), 'local')).toEqual(position)
  })

  it('has the prefix of its members on a network without a name', () => {
    const member = formatAddress({ chain: 'X', hrp: 'songbird', address: people[0]!.address })
    const rules = {
      ...base,
      networkID: 9999,
      vaults: [{ ...vault, threshold: 1, members: [member] }],
    }
    expect(vaultHRP(vaultNamed(parsePolicy(formatPolicy(rules)), 'Treasury'))).toBe('songbird')
    expect(vaultHRP(treasury)).toBe('local')
  })
})

function keyOf(person: number): string {
  return formatPrivateKey(people[person]!.key)
}

describe.runIf(hasChromium('receiving in the offline page'))('receiving in the page', () => {
  const { page, panel, tab, press, read } = usePage()
  const receive = () => panel('Receive')
  const shown = () => receive().locator('.addresses code').allInnerTexts()
  const verify = async (text: string) => {
    await receive().getByRole('textbox', { name: 'An address that was sent to you' }).fill(text)
    await press('Verify this address', receive())
  }
  const use = async (secret: string) => {
    await receive().getByLabel('Network of the address').selectOption('local')
    const field = receive().getByLabel('Private key, mnemonic or extended public key')
    await field.fill(secret)
    await field.press('Enter')
  }

  it('shows and verifies addresses of a mnemonic, of which nothing secret stays', async () => {
    await tab('Receive')
    await use('abandon abandon')
    expect(await receive().getByRole('alert').innerText()).toContain('MNEMONIC')
    await use(BOB_WORDS)
    expect(await shown()).toEqual([BOB])
    await receive().getByLabel('Index').fill('1')
    expect(await shown()).toEqual([BOB_SECOND])
    await receive().getByLabel('Chain').selectOption('P')
    expect(await shown()).toEqual([BOB_SECOND.replace('X-', 'P-')])
    for (const index of ['', '-1', '1.5', '100000']) {
      await receive().getByLabel('Index').fill(index)
      expect(await shown()).toEqual([])
      expect(await receive().getByRole('alert').innerText()).toContain('NO_INDEX')
    }
    await verify(BOB_SECOND)
    expect(await receive().locator('.state').innerText()).toBe('It is yours: index 1.')
    await verify(EWOQ)
    // The former answer is gone.
    expect(await receive().locator('.state').count()).toBe(0)
    expect(await receive().locator('.intake').innerText()).toContain('NOT_YOURS')
    const html = await page().content()
    for (const word of BOB_WORDS.split(' ').slice(0, 3)) expect(html).not.toContain(` ${word} `)
    await press('Forget this key', receive())
    expect(await shown()).toEqual([])
  })

  it('shows and verifies the owners of a registered vault', async () => {
    await tab('Receive')
    const whose = receive().getByLabel('Whose address')
    expect(await whose.locator('option').allInnerTexts()).toEqual(['my key'])
    await read(policyFile)
    await tab('Receive')
    await whose.selectOption('vault "Treasury"')
    expect(await receive().innerText()).toContain(vaultNamed(policy, 'Treasury').checksum)
    expect((await shown()).toSorted()).toEqual(vault.members.toSorted())
    await verify(`2:${vault.members.toReversed().join(',')}`)
    expect(await receive().locator('.state').innerText()).toBe('It is yours: index 0.')
    await verify(`1:${vault.members.join(',')}`)
    expect(await receive().locator('.intake').innerText()).toContain('NOT_YOURS')
    // Another policy replaces what was shown.
    await read(formatPolicy(base))
    await tab('Receive')
    expect(await whose.locator('option').allInnerTexts()).toEqual(['my key'])
    expect(await shown()).toEqual([])
  })
})
