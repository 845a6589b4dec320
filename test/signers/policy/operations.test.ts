import { describe, expect, it } from 'vitest'
import type { OutputOwners } from '../../../src/core/chain/owners.ts'
import type { Output } from '../../../src/core/chain/x/fx.ts'
import type { OperationTx, UnsignedTx } from '../../../src/core/chain/x/tx.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import { explainDraft, formatID } from '../../../src/index.ts'
import type { ParsedPolicy } from '../../../src/signers/policy/index.ts'
import { coins, draftOf, owners, paying, transfer } from '../../core/sign/fixtures.ts'
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
const fee = coins(vaultOwners)
const thing = new Uint8Array(32).fill(7)
const signers = { signatureIndices: [0, 1] }
const payload = new Uint8Array([1, 2])
const stranger = owners(1, 5)

type Operation = OperationTx['operations'][number]['operation']

/** What an operation spends, and the operation itself with the owners of what it creates. */
type Scene = readonly [spent: Output, operation: (to: OutputOwners) => Operation]

const right = { type: 'nftfx.MintOutput' as const, groupID: 1, ...vaultOwners }
const nft = { type: 'nftfx.TransferOutput' as const, groupID: 1, payload, ...vaultOwners }
const propertyRight = { type: 'propertyfx.MintOutput' as const, ...vaultOwners }
const property = { type: 'propertyfx.OwnedOutput' as const, ...vaultOwners }
const SCENES: Readonly<Record<string, Scene>> = {
  'a mint of an NFT': [
    right,
    (to) => ({
      type: 'nftfx.MintOperation',
      mintInput: signers,
      groupID: 1,
      payload,
      outputs: [to],
    }),
  ],
  'a transfer of an NFT': [
    nft,
    (to) => ({ type: 'nftfx.TransferOperation', input: signers, output: { ...nft, ...to } }),
  ],
  'a mint of a property': [
    propertyRight,
    (to) => ({
      type: 'propertyfx.MintOperation',
      mintInput: signers,
      mintOutput: propertyRight,
      ownedOutput: { ...property, ...to },
    }),
  ],
  'a mint of a property that gives the right away': [
    propertyRight,
    (to) => ({
      type: 'propertyfx.MintOperation',
      mintInput: signers,
      mintOutput: { ...propertyRight, ...to },
      ownedOutput: property,
    }),
  ],
}

function operating(spent: Output, operation: Operation): Draft {
  const utxo = { ...fee[0]!, outputIndex: 1, assetID: thing, output: spent }
  const { txID, outputIndex } = utxo
  const unsignedTx: UnsignedTx = {
    ...transfer(fee).unsignedTx,
    type: 'OperationTx',
    outputs: [{ assetID, output: paying(10_000_000_000n - txFee, vaultOwners) }],
    operations: [{ assetID: thing, inputIDs: [{ txID, outputIndex }], operation }],
  }
  return draftOf(unsignedTx, [fee[0]!, utxo])
}

const id = formatID(thing)
const codes = (draft: Draft, policy: ParsedPolicy) =>
  explainDraft(draft, { policy })
    .warnings.map(({ code }) => code)
    .filter((code) => code.startsWith('POLICY_') || code === 'UNKNOWN_ASSET')

const maximum = (rules: Readonly<Record<string, bigint | 'any'>>) =>
  policyOf({ vaults: [vault], maximum: { [AVAX]: 'any', ...rules } })
const listed = { [id]: { symbol: 'ART', denomination: 0 } }
/** Person 5 is in the book, person 3 is not. */
const booked = policyOf(
  { vaults: [vault], addressBook: bookRule },
  { addressBook: bookOf([{ name: 'Alice', to: addressText(5) }]) },
)

describe.each(Object.entries(SCENES))('a policy and %s', (_, [spent, operation]) => {
  const home = operating(spent, operation(vaultOwners))
  const away = operating(spent, operation(stranger))

  it('allows it within the vault, and to others only without a maximum', () => {
    for (const policy of [maximum({}), maximum({ [id]: 0n }), maximum({ [id]: 100n })]) {
      expect(codes(home, policy)).toEqual([])
      expect(codes(away, policy)).toEqual(['POLICY_MAXIMUM'])
    }
    expect(codes(away, maximum({ [id]: 'any' }))).toEqual([])
  })

  it('allows recipients of the book only', () => {
    expect(codes(home, booked)).toEqual([])
    expect(codes(away, booked)).toEqual([])
    expect(codes(operating(spent, operation(owners(1, 3))), booked)).toEqual(['POLICY_RECIPIENT'])
  })

  it('refuses some owners of the vault as if they were the vault', () => {
    for (const part of [owners(1, 0, 1, 2), owners(2, 0, 1), { ...vaultOwners, locktime: 9n }])
      expect(codes(operating(spent, operation(part)), policyOf({ vaults: [vault] }))).toEqual([
        'POLICY_VAULT',
      ])
  })

  it('knows its asset only if it is listed', () => {
    expect(codes(home, policyOf({ vaults: [vault], assets: {} }))).toEqual(['UNKNOWN_ASSET'])
    expect(codes(home, policyOf({ vaults: [vault], assets: listed }))).toEqual([])
  })
})

describe('a policy and a burned property', () => {
  const burn = operating(property, { type: 'propertyfx.BurnOperation', ...signers })

  it('counts as a payment without an amount', () => {
    expect(codes(burn, maximum({}))).toEqual(['POLICY_MAXIMUM'])
    expect(codes(burn, maximum({ [id]: 5n }))).toEqual(['POLICY_MAXIMUM'])
    expect(codes(burn, maximum({ [id]: 'any' }))).toEqual([])
    expect(codes(burn, policyOf({ vaults: [vault], assets: {} }))).toEqual(['UNKNOWN_ASSET'])
  })
})

describe('a policy and a new asset', () => {
  const creating = (minters: OutputOwners, holders: OutputOwners): Draft =>
    draftOf(
      {
        ...transfer(fee).unsignedTx,
        type: 'CreateAssetTx',
        outputs: [
          { assetID, output: paying(10_000_000_000n - local.createAssetTxFee, vaultOwners) },
        ],
        name: 'Gold',
        symbol: 'AU',
        denomination: 0,
        initialStates: [
          {
            fxIndex: 0,
            outputs: [{ type: 'secp256k1fx.MintOutput', ...minters }, { ...paying(5n, holders) }],
          },
        ],
      } as UnsignedTx,
      fee,
    )

  it('stays in the vault, unless there is no maximum', () => {
    expect(codes(creating(vaultOwners, vaultOwners), maximum({}))).toEqual([])
    expect(codes(creating(stranger, vaultOwners), maximum({}))).toEqual(['POLICY_MAXIMUM'])
    expect(codes(creating(vaultOwners, stranger), maximum({}))).toEqual(['POLICY_MAXIMUM'])
    expect(codes(creating(owners(1, 3), vaultOwners), booked)).toEqual(['POLICY_RECIPIENT'])
    // The ID of the new asset is not known yet, and it is the own asset.
    expect(
      codes(creating(vaultOwners, vaultOwners), policyOf({ vaults: [vault], assets: {} })),
    ).toEqual([])
  })
})
