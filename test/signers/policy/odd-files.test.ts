import { describe, expect, it } from 'vitest'
import { explainDraft, formatID } from '../../../src/index.ts'
import { formatPolicy, type ParsedPolicy, parsePolicy } from '../../../src/signers/policy/index.ts'
import { coins, owners, paying, transfer } from '../../core/sign/fixtures.ts'
import {
  AVAX,
  addressText,
  base,
  bookOf,
  bookRule,
  local,
  policyOf,
  vault,
  vaultOwners,
} from './fixtures.ts'

const TEN = 10_000_000_000n
const { assetID, txFee } = local

/** Pays 1 nAVAX from the vault to person 5. */
const paid = transfer(coins(vaultOwners), {
  outputs: [
    { assetID, output: paying(1n, owners(1, 5)) },
    { assetID, output: paying(TEN - txFee - 1n, vaultOwners) },
  ],
})
const home = transfer(coins(vaultOwners), {
  outputs: [{ assetID, output: paying(TEN - txFee, vaultOwners) }],
})
const codes = (draft: typeof paid, policy: ParsedPolicy) =>
  explainDraft(draft, { policy })
    .warnings.map(({ code }) => code)
    .filter((code) => code.startsWith('POLICY_'))
const upper = (text: string) => `${text.slice(0, 2)}${text.slice(2).toUpperCase()}`

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return (error as { code?: string }).code ?? 'unknown'
  }
  return 'none'
}

describe('a vault with odd spelling', () => {
  const { checksum } = policyOf({ vaults: [vault] }).registered[0]!
  const [a, b, c] = vault.members as [string, string, string]
  it.each([
    ['another order', [c, a, b]],
    ['capitals', [upper(a), b, upper(c)]],
    ['addresses of other chains', [a, addressText(1, 'P'), addressText(2, 'C')]],
  ])('has the same checksum and owners with %s', (_, members) => {
    const policy = policyOf({ vaults: [{ ...vault, members }] })
    expect(policy.registered[0]!.checksum).toBe(checksum)
    expect(codes(home, policy)).toEqual([])
  })

  it.each([
    ['capitals', [a, b, upper(a)]],
    ['another chain', [a, b, addressText(0, 'C')]],
  ])('cannot list a member twice by %s', (_, members) => {
    expect(codeOf(() => policyOf({ vaults: [{ ...vault, members }] }))).toBe('ENC_INVALID')
  })

  it('is another vault with one member or threshold changed', () => {
    for (const change of [{ threshold: 3 }, { members: [a, b, addressText(3)] }]) {
      const policy = policyOf({ vaults: [{ ...vault, ...change }] })
      expect(policy.registered[0]!.checksum).not.toBe(checksum)
      expect(codes(home, policy)).toContain('POLICY_VAULT')
    }
  })
})

describe('limits of a policy', () => {
  it('of nothing allow nothing', () => {
    const none = { vaults: [vault], chains: [], transactions: [], maximum: {}, maxFee: 0n }
    expect(codes(paid, policyOf(none)).toSorted()).toEqual([
      'POLICY_CHAIN',
      'POLICY_FEE',
      'POLICY_MAXIMUM',
      'POLICY_TYPE',
    ])
    expect(codes(paid, policyOf({ vaults: [vault], maximum: { [AVAX]: 0n } }))).toEqual([
      'POLICY_MAXIMUM',
    ])
    expect(codes(home, policyOf({ vaults: [vault], maximum: { [AVAX]: 0n } }))).toEqual([])
    // An address book without entries.
    const empty = policyOf({ vaults: [vault], addressBook: bookRule }, { addressBook: bookOf([]) })
    expect(codes(paid, empty)).toEqual(['POLICY_RECIPIENT'])
  })

  it('may be as large as amounts, and no larger', () => {
    const most = 2n ** 64n - 1n
    expect(codes(paid, policyOf({ vaults: [vault], maximum: { [AVAX]: most } }))).toEqual([])
    const file = formatPolicy({ ...base, maximum: { [AVAX]: most } })
    for (const text of [`${most + 1n}`, '1e9', '0x10', '+1', ' 1', '01', '1.0', ''])
      expect(
        codeOf(() => parsePolicy(file.replace(`"${most}"`, JSON.stringify(text)))),
        text,
      ).toBe('ENC_INVALID')
  })

  it('name each asset and rule once, in one spelling', () => {
    const file = (maximum: string) =>
      `{"format":"avmkit-policy","version":1,"name":"Cold","networkID":12345,"maximum":${maximum}}`
    expect(codeOf(() => parsePolicy(file(`{"${AVAX}":"1"}`)))).toBe('none')
    for (const maximum of [
      `{"${AVAX}":"1","${AVAX}":"any"}`,
      `{"${AVAX}":"1","\\u0${AVAX.charCodeAt(0).toString(16).padStart(3, '0')}${AVAX.slice(1)}":"any"}`,
      `{"${AVAX} ":"any"}`,
      `{"0x${'00'.repeat(32)}":"any"}`,
      '{"AVAX":"any"}',
      '{"__proto__":"any"}',
      '{"constructor":"any"}',
      '[]',
      '"any"',
    ])
      expect(
        codeOf(() => parsePolicy(file(maximum))),
        maximum,
      ).not.toBe('none')
    const named = (member: string) =>
      parsePolicy(`{"format":"avmkit-policy","version":1,"name":"A","networkID":12345,${member}}`)
    for (const member of ['"__proto__":{"chains":["X"]}', '"Chains":["X"]', '"version":1'])
      expect(
        codeOf(() => named(member)),
        member,
      ).not.toBe('none')
  })

  it('have no versions but the first', () => {
    const file = formatPolicy(base)
    for (const version of ['0', '2', '"1"', '1.5', 'null', 'true', '[1]'])
      expect(
        codeOf(() => parsePolicy(file.replace('"version": 1', `"version": ${version}`))),
        version,
      ).not.toBe('none')
  })
})

describe('an address book with odd entries', () => {
  const policy = (to: string | readonly string[], threshold?: number) =>
    policyOf(
      { vaults: [vault], addressBook: bookRule },
      { addressBook: bookOf([{ name: 'Alice', to, ...(threshold && { threshold }) } as never]) },
    )

  it('means the owner, however the address is spelled', () => {
    for (const to of [addressText(5), upper(addressText(5)), addressText(5, 'P')])
      expect(codes(paid, policy(to)), to).toEqual([])
    // The same bytes as an account of the C-Chain are somebody else.
    const account = `0x${Buffer.from(owners(1, 5).addresses[0]!).toString('hex')}`
    expect(codes(paid, policy(account))).toEqual(['POLICY_RECIPIENT'])
    expect(codes(paid, policy([addressText(5), addressText(3)], 1))).toEqual(['POLICY_RECIPIENT'])
  })

  it('does not list owners of the vault as the vault', () => {
    const [first] = vault.members
    const member = transfer(coins(vaultOwners), {
      outputs: [{ assetID, output: paying(TEN - txFee, owners(1, 0)) }],
    })
    expect(codes(member, policy(addressText(5)))).toContain('POLICY_VAULT')
    // Unless its owner has signed that this one may be paid.
    expect(codes(member, policy(first!))).toEqual([])
  })
})

it('an asset that is not listed has a name that nobody can forge in the explanation', () => {
  const file = formatPolicy({ ...base, assets: {} })
  const odd = { symbol: 'AVAX\u202e', denomination: 0 }
  const forged = file.replace(
    '"assets": {}',
    `"assets": {"${formatID(new Uint8Array(32).fill(7))}": ${JSON.stringify(odd)}}`,
  )
  expect(codeOf(() => parsePolicy(forged))).toBe('ENC_INVALID')
})
