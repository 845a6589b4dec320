import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { AvmError } from '../../../../src/core/base/errors.ts'
import type { TransferOutput } from '../../../../src/core/chain/secp256k1fx.ts'
import { verifyTx } from '../../../../src/core/chain/x/verify/verify.ts'
import type { OwnersArgument } from '../../../../src/core/draft/arguments.ts'
import type { Draft } from '../../../../src/core/draft/draft.ts'
import { buildCreateAsset } from '../../../../src/core/draft/x/create-asset.ts'
import { buildMint } from '../../../../src/core/draft/x/operations.ts'
import { buildSendAll } from '../../../../src/core/draft/x/send-all.ts'
import { u64 } from '../../../helpers/arbitraries.ts'
import { runs } from '../../../helpers/runs.ts'
import { alice, bob, carol, coin, idOf, trio } from '../../coins/samples.ts'
import { addressText, context, expectSound, fee, filled, funds, native, now } from './sound.ts'

// Any arguments give a draft that breaks no rule, or an error with a code.

const token = idOf('token')

/** A draft of the given arguments, which keeps the rules, or nothing if they were refused. */
function sound(build: () => Draft): Draft | undefined {
  let draft: Draft
  try {
    draft = build()
  } catch (error) {
    expect(error).toBeInstanceOf(AvmError)
    return undefined
  }
  expectSound(draft)
  verifyTx(filled(draft), context)
  return draft
}

const sumOf = (outputs: readonly { readonly output: TransferOutput }[]) =>
  outputs.reduce((sum, { output }) => sum + output.amount, 0n)

const anyOwners = fc.constantFrom<OwnersArgument>(
  { to: addressText(alice) },
  { to: addressText(bob), locktime: now + 5n },
  { to: trio.map((address) => addressText(address)), threshold: 2 },
  { to: [addressText(carol), addressText(alice)], threshold: 1 },
)

const anyNative = fc.array(
  fc.record({
    amount: fc.oneof(fc.bigInt({ min: 1n, max: 9n }), fc.bigInt({ min: 1n, max: 3n * fee }), u64),
    locktime: fc.constantFrom(0n, 0n, now, now + 1n),
    owner: fc.constantFrom(alice, alice, bob),
  }),
  { maxLength: 8 },
)

const toCoins = (specs: typeof anyNative extends fc.Arbitrary<infer T> ? T : never) =>
  specs
    .filter(({ amount }) => amount > 0n)
    .map(({ amount, locktime, owner }, i) =>
      native(`coin${i}`, amount, { locktime, addresses: [owner] }),
    )

describe('buildSendAll', () => {
  test.prop([anyNative], runs(100))('sends what the owner can spend now, less the fee', (specs) => {
    const coins = toCoins(specs)
    const spendable = coins.filter(({ output }) => {
      const { locktime, addresses } = output as TransferOutput
      return locktime <= now && addresses[0] === alice
    })
    const total = sumOf(spendable as unknown as { output: TransferOutput }[])
    const draft = sound(() =>
      buildSendAll({ context, funds: funds(...coins), to: addressText(bob) }),
    )
    if (total > fee && total < 2n ** 64n) {
      expect(draft).toBeDefined()
      const output = {
        type: 'secp256k1fx.TransferOutput',
        amount: total - fee,
        locktime: 0n,
        threshold: 1,
        addresses: [bob],
      }
      expect(draft!.unsignedTx.outputs).toEqual([{ assetID: context.assetID, output }])
      expect(draft!.unsignedTx.inputs).toHaveLength(spendable.length)
    } else expect(draft).toBeUndefined()
  })
})

/** Whether what Alice can spend now pays the fee; without one UTXO that does, no sum overflows. */
const canPay = (specs: Parameters<typeof toCoins>[0]) =>
  specs
    .filter(({ locktime, owner }) => locktime <= now && owner === alice)
    .reduce((sum, { amount }) => sum + amount, 0n) >= fee

describe('buildMint', () => {
  const rights = fc.array(fc.constantFrom(alice, bob), { maxLength: 3 })
  test.prop([rights, anyNative, u64, anyOwners], runs(100))(
    'mints the amount with one right of the owner and keeps the right, or refuses',
    (owners, specs, amount, recipient) => {
      const minting = owners.map((owner, i) => ({
        ...coin(`right${i}`, 1n, { assetID: token }),
        output: {
          type: 'secp256k1fx.MintOutput' as const,
          locktime: 0n,
          threshold: 1,
          addresses: [owner],
        },
      }))
      const draft = sound(() =>
        buildMint({
          context,
          funds: funds(...toCoins(specs), ...minting),
          assetID: token,
          amount,
          ...recipient,
        }),
      )
      expect(draft !== undefined).toBe(owners.includes(alice) && amount > 0n && canPay(specs))
      if (draft === undefined) return
      expect(draft.unsignedTx).toMatchObject({
        type: 'OperationTx',
        operations: [
          {
            operation: {
              type: 'secp256k1fx.MintOperation',
              mintOutput: { addresses: [alice], threshold: 1 },
              transferOutput: { amount },
            },
          },
        ],
      })
    },
  )
})

describe('buildCreateAsset', () => {
  const text = fc.oneof(fc.stringMatching(/^[A-Za-z0-9]{1,10}$/), fc.string({ maxLength: 140 }))
  const list = <T>(item: fc.Arbitrary<T>) =>
    fc.option(fc.array(item, { maxLength: 3 }), { nil: undefined })
  const anyGroup = fc
    .tuple(fc.nat(3), anyOwners)
    .map(([groupID, owners]) => ({ groupID, ...owners }))
  const anyAsset = fc.record({
    name: text,
    symbol: fc.oneof(fc.stringMatching(/^[A-Z]{1,4}$/), fc.string({ maxLength: 6 })),
    denomination: fc.oneof(fc.nat(32), fc.nat(255)),
    holders: list(fc.tuple(u64, anyOwners).map(([amount, owners]) => ({ amount, ...owners }))),
    minters: list(anyOwners),
    nftMinters: list(anyGroup),
    nfts: list(anyGroup.map((group) => ({ ...group, payload: 'a' }))),
    propertyMinters: list(anyOwners),
    properties: list(anyOwners),
  })

  test.prop([anyAsset], runs(100))('creates every output once, or refuses', (asset) => {
    const draft = sound(() =>
      buildCreateAsset({
        context,
        funds: funds(native('purse', 10n * context.createAssetTxFee)),
        ...asset,
      }),
    )
    const { holders, minters, nftMinters, nfts, propertyMinters, properties } = asset
    const asked = [holders, minters, nftMinters, nfts, propertyMinters, properties]
    const count = asked.reduce((sum, entries) => sum + (entries?.length ?? 0), 0)
    const isPlain =
      /^[A-Za-z0-9]{1,128}$/.test(asset.name) &&
      /^[A-Z]{1,4}$/.test(asset.symbol) &&
      asset.denomination <= 32 &&
      (holders ?? []).every(({ amount }) => amount > 0n)
    if (isPlain && count > 0) expect(draft).toBeDefined()
    if (draft === undefined) return
    if (draft.unsignedTx.type !== 'CreateAssetTx') throw new Error(draft.unsignedTx.type)
    const made = draft.unsignedTx.initialStates.flatMap(({ outputs }) => outputs)
    expect(made).toHaveLength(count)
    expect(draft.unsignedTx).toMatchObject({ name: asset.name, symbol: asset.symbol })
  })
})
