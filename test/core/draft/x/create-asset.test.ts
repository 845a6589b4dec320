import { describe, expect, it } from 'vitest'
import type { CreateAssetTx } from '../../../../src/core/chain/x/tx.ts'
import {
  buildCreateAsset,
  type CreateAssetOptions,
} from '../../../../src/core/draft/x/create-asset.ts'
import { codeOf } from '../../../helpers/vectors.ts'
import { bob, trio } from '../../coins/samples.ts'
import { addressText, context, expectSound, funds, native } from './sound.ts'

const to = addressText(bob)

function create(options: Partial<CreateAssetOptions> = {}): CreateAssetTx {
  const draft = buildCreateAsset({
    context,
    funds: funds(native('a', 20_000_000n)),
    name: 'Gold',
    symbol: 'AU',
    holders: [{ to, amount: 5n }],
    ...options,
  })
  expectSound(draft)
  expect(draft.fee).toBe(10_000_000n)
  return draft.unsignedTx as CreateAssetTx
}

const states = (options: Partial<CreateAssetOptions>) =>
  create({ holders: [], ...options }).initialStates.map(({ fxIndex, outputs }) => [
    fxIndex,
    ...outputs.map(({ type }) => type),
  ])

describe('buildCreateAsset', () => {
  it('creates fixed, variable and non-fungible assets and properties', () => {
    expect(states({ holders: [{ to, amount: 5n }] })).toEqual([[0, 'secp256k1fx.TransferOutput']])
    expect(states({ minters: [{ to }, { to: trio, threshold: 2 }] })).toEqual([
      [0, 'secp256k1fx.MintOutput', 'secp256k1fx.MintOutput'],
    ])
    expect(
      states({
        nftMinters: [{ to, groupID: 7 }],
        nfts: [{ to, groupID: 1, payload: 'hello' }],
      }),
    ).toEqual([[1, 'nftfx.MintOutput', 'nftfx.TransferOutput']])
    expect(states({ propertyMinters: [{ to }], properties: [{ to }] })).toEqual([
      [2, 'propertyfx.MintOutput', 'propertyfx.OwnedOutput'],
    ])
  })

  it('rejects what the node rejects, with the rule', () => {
    const code = (options: Partial<CreateAssetOptions>) => codeOf(() => create(options))
    expect(code({ name: '' })).toBe('NAME_TOO_SHORT')
    expect(code({ name: 'x'.repeat(129) })).toBe('NAME_TOO_LONG')
    expect(code({ name: ' Gold' })).toBe('NAME_WHITESPACE')
    expect(code({ name: 'Göld' })).toBe('NAME_ILLEGAL_CHAR')
    expect(code({ symbol: '' })).toBe('SYMBOL_TOO_SHORT')
    expect(code({ symbol: 'GOLDS' })).toBe('SYMBOL_TOO_LONG')
    expect(code({ symbol: 'au' })).toBe('SYMBOL_ILLEGAL_CHAR')
    expect(code({ denomination: 33 })).toBe('DENOMINATION_TOO_LARGE')
    expect(code({ holders: [] })).toBe('NO_FXS')
    expect(code({ holders: [{ to, amount: 0n }] })).toBe('OUTPUT_ZERO_AMOUNT')
    expect(code({ nfts: [{ to, groupID: 0, payload: new Uint8Array(1025) }] })).toBe(
      'PAYLOAD_TOO_LARGE',
    )
    expect(code({ minters: [{ to: [to, to], threshold: 1 }] })).toBe('ADDRS_NOT_SORTED_UNIQUE')
    expect(create({ denomination: 32 }).denomination).toBe(32)
  })
})
