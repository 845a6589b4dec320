import { describe, expect, it } from 'vitest'
import * as cChain from '../../../src/core/c-chain.ts'
import type { OutputOwners } from '../../../src/core/chain/owners.ts'
import { compareOutputs } from '../../../src/core/chain/x/order.ts'
import type { UnsignedTx } from '../../../src/core/chain/x/tx.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import {
  explainDraft,
  explainRequest,
  formatExplanation,
  formatID,
  networks,
  type SignError,
  signDraft,
  signDraftWith,
  signRequest,
  signRequestWith,
} from '../../../src/index.ts'
import type { ParsedPolicy, PolicyRules } from '../../../src/signers/policy/index.ts'
import { accountOf, exportOfVault } from '../../core/sign/chains/fixtures.ts'
import {
  coins,
  created,
  draftOf,
  keysOf,
  owners,
  paying,
  people,
  proven,
  transfer,
  trusting,
} from '../../core/sign/fixtures.ts'
import {
  AVAX,
  addressText,
  bookOf,
  bookRule,
  local,
  policyOf,
  vault,
  vaultOwners,
} from './fixtures.ts'

const { assetID, txFee } = local
const TEN = 10_000_000_000n
const utxos = coins(vaultOwners)

/** Spends the vault's 10 AVAX; what the outputs leave beyond the fee returns to `changeTo`. */
function spending(
  outputs: readonly { readonly amount: bigint; readonly to: OutputOwners }[],
  changeTo: OutputOwners = vaultOwners,
): Draft {
  const paid = outputs.reduce((sum, { amount }) => sum + amount, 0n)
  const back = TEN - paid - txFee
  const all = [...outputs, { amount: back, to: changeTo }].map(({ amount, to }) => ({
    assetID,
    output: paying(amount, to),
  }))
  return transfer(utxos, { outputs: all.toSorted(compareOutputs) })
}

/** Every code that can be accepted. */
const everything = [
  ...trusting,
  'KEY_NOT_A_SIGNER',
  'BURN',
  'HIGH_FEE',
  'WRONG_NETWORK',
  'WRONG_CHAIN',
  'OPEN_OUTPUT',
  'UNKNOWN_CHAIN',
  'STUCK_EXPORT',
  'DEAD_ADDRESS',
  'WRONG_ACCOUNT',
  'UNKNOWN_ASSET',
] as const

/** Keys that fail the test as soon as they are used. */
function untouched(): KeyChain {
  const keys = keysOf(0)
  keys.sign = () => {
    throw new Error('a key was used')
  }
  return keys
}

/** The code with which all four ways of signing refuse a draft, whatever is accepted; undefined if they sign. */
async function verdict(draft: Draft, policy: ParsedPolicy): Promise<string | undefined> {
  const codeOf = (error: unknown) => (error as SignError).code ?? String(error)
  const options = { policy, accept: [...everything, ...(['POLICY_MAXIMUM'] as never[])] }
  const signer = {
    addresses: [people[0]!.address],
    sign: () => {
      throw new Error('a signer was asked')
    },
  }
  const request = proven(draft, { signers: 'all' })
  const attempts = [
    () => signDraft(draft, untouched(), options),
    () => signDraftWith(draft, [signer], options),
    () => signRequest(request, untouched(), options),
    () => signRequestWith(request, [signer], options),
  ]
  const codes = new Set<string | undefined>()
  for (const attempt of attempts)
    try {
      await attempt()
      codes.add(undefined)
    } catch (error) {
      const code = codeOf(error)
      // The key or signer was asked, so the policy allows it.
      codes.add(code.startsWith('Error: a key') || code === 'SIGNER_FAILED' ? undefined : code)
    }
  const explained = explainRequest(request, { ours: keysOf(0), policy })
  const refused = explained.warnings.find(({ code }) => code.startsWith('POLICY_'))?.code
  expect(codes).toEqual(new Set([refused]))
  return refused
}

const alice = { amount: 1_000_000_000n, to: owners(1, 5) }
const book = bookOf([
  { name: 'Alice', to: addressText(5) },
  { name: 'Both', to: [addressText(4), addressText(5)], threshold: 2 },
])
const strict = () => policyOf({ vaults: [vault], addressBook: bookRule }, { addressBook: book })

describe('a policy with a vault and an address book', () => {
  const cases: readonly (readonly [string, Draft, string | undefined])[] = [
    ['allows a recipient of the book', spending([alice]), undefined],
    ['allows owners of the book', spending([{ amount: 5n, to: owners(2, 4, 5) }]), undefined],
    [
      'refuses owners of the book with another threshold',
      spending([{ amount: 5n, to: owners(1, 4, 5) }]),
      'POLICY_RECIPIENT',
    ],
    [
      'refuses a locked output to a recipient of the book',
      spending([{ amount: 5n, to: { ...owners(1, 5), locktime: 1n } }]),
      'POLICY_RECIPIENT',
    ],
    ['refuses anyone else', spending([{ amount: 1n, to: owners(1, 3) }]), 'POLICY_RECIPIENT'],
    [
      'refuses a second output to someone else behind an allowed one',
      spending([alice, { amount: 1n, to: owners(1, 3) }]),
      'POLICY_RECIPIENT',
    ],
    [
      'refuses change to the own key of the signer',
      spending([alice], owners(1, 0)),
      'POLICY_VAULT',
    ],
    ['refuses change with threshold 1', spending([alice], owners(1, 0, 1, 2)), 'POLICY_VAULT'],
    ['refuses change with threshold 3', spending([alice], owners(3, 0, 1, 2)), 'POLICY_VAULT'],
    ['refuses change to fewer owners', spending([alice], owners(2, 0, 1)), 'POLICY_VAULT'],
    ['refuses change to a further owner', spending([alice], owners(2, 0, 1, 2, 3)), 'POLICY_VAULT'],
    [
      'refuses locked change',
      spending([alice], { ...vaultOwners, locktime: 4_000_000_000n }),
      'POLICY_VAULT',
    ],
    ['refuses change to strangers', spending([alice], owners(2, 3, 4)), 'POLICY_RECIPIENT'],
    ['counts change to an address of the book as paid', spending([], owners(1, 5)), undefined],
  ]
  it.each(cases)('%s', async (_, draft, code) => {
    expect(await verdict(draft, strict())).toBe(code)
  })

  it('refuses every payment without the address book', async () => {
    const policy = policyOf({ vaults: [vault], addressBook: bookRule })
    expect(await verdict(spending([alice]), policy)).toBe('POLICY_RECIPIENT')
    expect(await verdict(spending([]), policy)).toBe(undefined)
  })

  it('decides by the registration, not by the stated change', () => {
    const { assetID: asset } = local
    const draft = spending([alice], owners(1, 5))
    const honest = { ...draft, change: [{ assetID: asset, amount: 0n }] }
    for (const one of [draft, honest])
      expect(explainDraft(one, { policy: strict() }).returns).toEqual([])
    expect(explainDraft(spending([alice]), { policy: strict() }).returns).toMatchObject([
      { ownership: 'vault', amount: TEN - alice.amount - txFee },
    ])
  })

  it('shows policy and address book with their checksums', () => {
    const policy = strict()
    const explanation = explainDraft(spending([alice]), { policy })
    expect(explanation.policy).toEqual({
      name: 'Cold',
      checksum: policy.checksum,
      addressBook: { edition: 3, checksum: policy.addressBook!.checksum },
    })
    expect(formatExplanation(explanation)).toContain(
      `"Cold": ${policy.checksum}, address book 3: ${policy.addressBook!.checksum}`,
    )
  })
})

describe('a policy without vaults', () => {
  it('lets keys and spent UTXOs decide what returns', async () => {
    const policy = policyOf({ addressBook: bookRule }, { addressBook: book })
    expect(await verdict(spending([alice]), policy)).toBe(undefined)
    expect(await verdict(spending([alice], owners(1, 0)), policy)).toBe(undefined)
    expect(await verdict(spending([alice], owners(1, 3)), policy)).toBe('POLICY_RECIPIENT')
  })
})

describe('maximum', () => {
  const limit = (maximum: PolicyRules['maximum'], more: Partial<PolicyRules> = {}) =>
    policyOf({ vaults: [vault], maximum, ...more })
  const two = { [AVAX]: 2_000_000_000n }
  const cases: readonly (readonly [string, Draft, string | undefined])[] = [
    ['allows exactly the maximum', spending([{ ...alice, amount: 2_000_000_000n }]), undefined],
    ['refuses one unit more', spending([{ ...alice, amount: 2_000_000_001n }]), 'POLICY_MAXIMUM'],
    [
      'adds up several outputs',
      spending([alice, alice, { ...alice, amount: 1n }]),
      'POLICY_MAXIMUM',
    ],
    [
      'adds up different recipients',
      spending([alice, { amount: 1_000_000_001n, to: owners(1, 3) }]),
      'POLICY_MAXIMUM',
    ],
    ['counts change to anyone else', spending([alice], owners(1, 4)), 'POLICY_MAXIMUM'],
    [
      'counts what is burned',
      transfer(utxos, {
        outputs: [{ assetID, output: paying(TEN - txFee - 2_000_000_001n, vaultOwners) }],
      }),
      'POLICY_MAXIMUM',
    ],
  ]
  it.each(cases)('%s', async (_, draft, code) => {
    expect(await verdict(draft, limit(two))).toBe(code)
  })

  const token = created([
    { assetID, output: paying(TEN, vaultOwners) },
    { assetID: new Uint8Array(32).fill(7), output: paying(500n, vaultOwners) },
  ]).utxos
  const tokenID = new Uint8Array(32).fill(7)
  const withToken = (amount: bigint): Draft =>
    transfer(token, {
      outputs: [
        { assetID, output: paying(TEN - txFee, vaultOwners) },
        { assetID: tokenID, output: paying(amount, owners(1, 5)) },
        { assetID: tokenID, output: paying(500n - amount, vaultOwners) },
      ].toSorted(compareOutputs),
    })

  it('is 0 for assets that are not listed', async () => {
    expect(await verdict(withToken(1n), limit(two))).toBe('POLICY_MAXIMUM')
    const listed = { ...two, [formatID(tokenID)]: 100n }
    expect(await verdict(withToken(100n), limit(listed))).toBe(undefined)
    expect(await verdict(withToken(101n), limit(listed))).toBe('POLICY_MAXIMUM')
    expect(await verdict(withToken(499n), limit({ ...two, [formatID(tokenID)]: 'any' }))).toBe(
      undefined,
    )
  })

  it('makes assets that the policy does not list a danger, which can be accepted', () => {
    const policy = policyOf({ vaults: [vault], assets: {} })
    const draft = withToken(1n)
    expect(() => signDraft(draft, keysOf(0), { policy })).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_ASSET' }),
    )
    expect(signDraft(draft, keysOf(0), { policy, accept: ['UNKNOWN_ASSET'] }).complete).toBe(false)
    const known = policyOf({
      vaults: [vault],
      assets: { [formatID(tokenID)]: { symbol: 'GOLD', denomination: 2 } },
    })
    const { warnings, assets } = explainDraft(draft, { policy: known })
    expect(warnings.map(({ code }) => code)).toEqual(['FOREIGN_CHANGE'])
    expect(assets[formatID(tokenID)]).toEqual({ symbol: 'GOLD', denomination: 2, known: true })
  })

  it('refuses to give away rights and NFTs, which have no amount', async () => {
    const minter = { type: 'secp256k1fx.MintOutput' as const, ...vaultOwners }
    const right = { ...token[1]!, output: minter }
    const operationTx = (newOwners: OutputOwners): UnsignedTx => ({
      ...transfer([token[0]!]).unsignedTx,
      type: 'OperationTx',
      outputs: [{ assetID, output: paying(TEN - txFee, vaultOwners) }],
      operations: [
        {
          assetID: tokenID,
          inputIDs: [{ txID: right.txID, outputIndex: right.outputIndex }],
          operation: {
            type: 'secp256k1fx.MintOperation',
            mintInput: { signatureIndices: [0, 1] },
            mintOutput: { ...minter, ...newOwners, type: 'secp256k1fx.MintOutput' },
            transferOutput: paying(7n, vaultOwners),
          },
        },
      ],
    })
    const draft = (to: OutputOwners) => draftOf(operationTx(to), [token[0]!, right])
    const codes = (one: Draft, policy: ParsedPolicy) =>
      explainDraft(one, { policy }).warnings.map(({ code }) => code)
    expect(codes(draft(vaultOwners), limit(two))).toEqual([])
    expect(codes(draft(owners(1, 5)), limit(two))).toContain('POLICY_MAXIMUM')
    expect(codes(draft(owners(1, 5)), strict())).not.toContain('POLICY_RECIPIENT')
    expect(codes(draft(owners(1, 3)), strict())).toContain('POLICY_RECIPIENT')
    expect(codes(draft(vaultOwners), limit(two, { transactions: ['BaseTx'] }))).toContain(
      'POLICY_TYPE',
    )
  })
})

describe('network, chains, types and fee', () => {
  it('refuse what the policy does not name', async () => {
    const draft = spending([alice])
    expect(await verdict(draft, policyOf({ chains: ['P', 'C'] }))).toBe('POLICY_CHAIN')
    expect(await verdict(draft, policyOf({ transactions: ['ExportTx'] }))).toBe('POLICY_TYPE')
    expect(await verdict(draft, policyOf({ maxFee: txFee - 1n }))).toBe('POLICY_FEE')
    expect(await verdict(draft, policyOf({ maxFee: txFee, chains: ['X'] }))).toBe(undefined)
    expect(await verdict(draft, policyOf({ networkID: 5 }))).toBe('POLICY_NETWORK')
  })

  it('decide by the bytes if the draft claims another network', () => {
    const claimed = { ...networks.fuji, chainID: local.chainID, assetID: local.assetID }
    const draft = { ...spending([alice]), context: { ...claimed, networkID: local.networkID } }
    const wrong = { ...draft, unsignedTx: { ...draft.unsignedTx, networkID: 5 } }
    const codes = (one: Draft, policy: ParsedPolicy) =>
      explainDraft(one, { policy }).warnings.map(({ code }) => code)
    expect(codes(wrong, policyOf({}))).toContain('POLICY_NETWORK')
    // The transaction names the X-Chain of another network.
    expect(codes(wrong, policyOf({ networkID: 5 }))).toContain('POLICY_CHAIN')
  })

  it('refuse a recipient of the address book whose output of the P-Chain is locked', () => {
    const { draft } = exportOfVault()
    const codes = (stakeableLocktime: bigint | undefined) => {
      const output = paying(1n, owners(1, 5))
      const locked = { type: 'stakeable.LockOut', locktime: stakeableLocktime, output }
      const outputs = [{ assetID, output: stakeableLocktime === undefined ? output : locked }]
      const one = { ...draft, unsignedTx: { ...draft.unsignedTx, outputs } } as typeof draft
      return explainDraft(one, { policy: strict() }).warnings.map(({ code }) => code)
    }
    expect(codes(undefined)).not.toContain('POLICY_RECIPIENT')
    expect(codes(5n)).toContain('POLICY_RECIPIENT')
  })

  it('cover the other chain of exports and imports, and their atomic outputs', () => {
    const exported = exportOfVault({ to: people[3]!.address, amount: 1_000_000_000n }).draft
    const home = exportOfVault().draft
    const codes = (one: typeof home, policy: ParsedPolicy) =>
      explainDraft(one, { policy })
        .warnings.map(({ code }) => code)
        .filter((code) => code.startsWith('POLICY_'))
    expect(codes(home, strict())).toEqual([])
    expect(codes(exported, strict())).toEqual(['POLICY_RECIPIENT'])
    expect(codes(home, policyOf({ vaults: [vault], chains: ['P'] }))).toEqual(['POLICY_CHAIN'])
    expect(codes(home, policyOf({ vaults: [vault], chains: ['X'] }))).toEqual(['POLICY_CHAIN'])
    expect(codes(exported, policyOf({ vaults: [vault], maximum: { [AVAX]: 1n } }))).toEqual([
      'POLICY_MAXIMUM',
    ])
  })

  it('treat an account of the signer as foreign if a vault is registered', () => {
    const account = accountOf(keysOf(0))
    const unsignedTx: cChain.UnsignedTx = {
      type: 'ImportTx',
      networkID: local.networkID,
      blockchainID: local.chains.C!,
      sourceChain: local.chainID,
      importedInputs: utxos.map(({ output: _, ...id }) => ({
        ...id,
        input: { type: 'secp256k1fx.TransferInput', amount: TEN, signatureIndices: [0, 1] },
      })),
      outputs: [{ address: account, amount: TEN - txFee, assetID }],
    }
    const draft = { ...spending([]), chain: 'C' as const, unsignedTx, change: [] }
    const codes = (policy: ParsedPolicy) =>
      explainDraft<'C'>(draft, { policy, ours: keysOf(0) }).warnings.map(({ code }) => code)
    expect(codes(strict())).toContain('POLICY_RECIPIENT')
    const allowed = bookOf([{ name: 'Hot', to: cChain.formatEVMAddress(account) }])
    const policy = policyOf({ vaults: [vault], addressBook: bookRule }, { addressBook: allowed })
    expect(codes(policy)).not.toContain('POLICY_RECIPIENT')
  })
})
