import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../../../src/core/base/encoding/address.ts'
import { chooseCoins } from '../../../../src/core/coins/chosen.ts'
import { FundsError } from '../../../../src/core/coins/errors.ts'
import { selectFromPages } from '../../../../src/core/coins/stream.ts'
import { buildTransfer, needFor } from '../../../../src/core/draft/x/transfer.ts'
import { codeOf } from '../../../helpers/vectors.ts'
import { alice, bob, carol, coin, idOf, trio } from '../../coins/samples.ts'
import { addressText, context, expectSound, fee, funds, native, now } from './sound.ts'

const token = idOf('token')

describe('buildTransfer', () => {
  it('names the output whose address is of another chain or network', () => {
    const to = (chain: string, hrp: string) => formatAddress({ chain, hrp, address: bob })
    const wrong = [
      [to('P', context.hrp), 'ENC_WRONG_CHAIN'],
      [to('X', 'avax'), 'ENC_WRONG_HRP'],
    ] as const
    for (const [address, code] of wrong) {
      const outputs = [
        { to: bob, amount: 1n },
        { to: [bob, address], threshold: 1, amount: 1n },
      ]
      const found = { code, path: 'outputs[1].to' }
      expect(() => buildTransfer({ context, funds: funds(native('a', fee)), outputs })).toThrow(
        expect.objectContaining({ ...found, message: expect.stringMatching(/^buildTransfer: /) }),
      )
      expect(() => needFor({ context, outputs })).toThrow(expect.objectContaining(found))
    }
  })

  it('refuses sets without their methods', () => {
    const utxos = { holdings: () => {}, select: () => {} } as never
    const outputs = [{ to: bob, amount: 1n }]
    expect(() =>
      buildTransfer({ context, funds: { utxos, owners: [alice], now }, outputs }),
    ).toThrow(expect.objectContaining({ code: 'ENC_INVALID', path: 'funds.utxos' }))
  })

  it('accepts a fee of at most 0.1 AVAX by default', () => {
    const pay = (txFee: bigint) =>
      buildTransfer({
        context: { ...context, txFee },
        funds: funds(native('a', 2_000_000_000n)),
        outputs: [{ to: bob, amount: 1n }],
      })
    expect(pay(100_000_000n).fee).toBe(100_000_000n)
    expect(codeOf(() => pay(100_000_001n))).toBe('FEE_ABOVE_MAX')
  })

  it('pays many outputs of many assets, including locked and shared ones', () => {
    const draft = buildTransfer({
      context,
      funds: funds(native('a', 10_000_000n), coin('b', 100n, { assetID: token })),
      outputs: [
        { to: addressText(bob), amount: 5n },
        { to: [carol, alice, bob], threshold: 2, locktime: 99n, amount: 7n },
        { to: bob, amount: 60n, assetID: token },
      ],
      changeTo: addressText(carol),
      memo: 'hello',
    })
    expectSound(draft)
    expect(draft.change).toEqual([
      { assetID: token, amount: 40n },
      { assetID: context.assetID, amount: 10_000_000n - fee - 12n },
    ])
    const { outputs, memo } = draft.unsignedTx
    expect(outputs).toHaveLength(5)
    expect(outputs).toContainEqual({
      assetID: context.assetID,
      output: {
        type: 'secp256k1fx.TransferOutput',
        amount: 7n,
        locktime: 99n,
        threshold: 2,
        addresses: trio,
      },
    })
    expect(new TextDecoder().decode(memo)).toBe('hello')
  })

  it('refuses misspelled options, which would be ignored', () => {
    const options = { context, outputs: [{ to: bob, amount: 5n }], funds: funds(native('a', fee)) }
    for (const wrong of [{ Memo: 'a' }, { maxfee: 1n }, { changeto: alice }])
      expect(codeOf(() => buildTransfer({ ...options, ...wrong }))).toBe('UNKNOWN_OPTION')
    const exclude = { ...options.funds, exclude: [] }
    expect(codeOf(() => buildTransfer({ ...options, funds: exclude }))).toBe('UNKNOWN_OPTION')
  })

  it('creates no empty change output', () => {
    const draft = buildTransfer({
      context,
      funds: funds(native('a', fee + 5n)),
      outputs: [{ to: bob, amount: 5n }],
    })
    expect(draft.change).toEqual([])
    expect(draft.unsignedTx.outputs).toHaveLength(1)
  })

  it('spends all UTXOs of a given selection', async () => {
    const outputs = [{ to: bob, amount: 5n }]
    const list = [native('a', fee), native('b', 5n), native('c', 3n)]
    const need = needFor({ context, outputs, memo: 'note' })
    const streamed = await selectFromPages([list], { need, owners: [alice], now })
    expectSound(buildTransfer({ context, funds: streamed, outputs, memo: 'note' }))
    const { utxos: set } = funds(...list)
    const everything = set.select({ need, owners: [alice], now, strategy: 'all' })
    const draft = buildTransfer({ context, funds: everything, outputs, memo: 'note' })
    expect(draft.change).toEqual([{ assetID: context.assetID, amount: 3n }])
    expect(draft.signedSize).toBe(everything.size)
    const byHand = chooseCoins(list, { owners: [alice], now })
    expect(buildTransfer({ context, funds: byHand, outputs, memo: 'note' })).toEqual(draft)
    const tooLittle = { ...everything, coins: everything.coins.slice(0, 1) }
    const error = codeOf(() => buildTransfer({ context, funds: tooLittle, outputs }))
    expect(error).toBe('BUILDER_INSUFFICIENT_FUNDS')
  })

  it('respects maxSize', () => {
    const options = {
      context,
      funds: funds(native('a', fee), native('b', 5n)),
      outputs: [{ to: bob, amount: 5n }],
    }
    expect(buildTransfer({ ...options, maxSize: 58 + 80 + 2 * 161 }).signedSize).toBe(460)
    expect(codeOf(() => buildTransfer({ ...options, maxSize: 459 }))).toBe('FUNDS_DO_NOT_FIT')
    const { utxos: set } = options.funds
    const { funds: _, ...needed } = options
    const need = needFor(needed)
    const selection = set.select({ need, owners: [alice], now })
    expect(codeOf(() => buildTransfer({ ...options, funds: selection, maxSize: 459 }))).toBe(
      'TX_TOO_LARGE',
    )
  })

  it('requires an owner for change', () => {
    const anyones = native('a', 2n * fee, { threshold: 0, addresses: [] })
    const options = {
      context,
      funds: { ...funds(anyones), owners: [] },
      outputs: [{ to: bob, amount: 1n }],
    }
    expect(codeOf(() => buildTransfer(options))).toBe('ENC_WRONG_LENGTH')
    const draft = buildTransfer({ ...options, changeTo: bob })
    expectSound(draft)
    expect(draft.unsignedTx.inputs[0]!.input.signatureIndices).toEqual([])
  })

  it('returns change to several owners within maxSize', () => {
    const shared = native('a', 5n * fee, { threshold: 2, addresses: trio })
    const options = {
      context,
      funds: { ...funds(shared), owners: trio },
      outputs: [{ to: bob, amount: fee }],
      changeTo: { to: [carol, alice, bob], threshold: 2 },
    }
    const draft = buildTransfer(options)
    expectSound(draft)
    expect(draft.unsignedTx.outputs).toContainEqual({
      assetID: context.assetID,
      output: {
        type: 'secp256k1fx.TransferOutput',
        amount: 3n * fee,
        locktime: 0n,
        threshold: 2,
        addresses: trio,
      },
    })
    // 40 bytes more than change to one address, in the need as well as in the draft.
    const alone = { ...options, changeTo: alice }
    expect(draft.signedSize).toBe(buildTransfer(alone).signedSize + 40)
    const needOf = ({ funds: _, ...needed }: typeof options | typeof alone) => needFor(needed)
    expect(needOf(options).changeSize).toBe(needOf(alone).changeSize + 40)
    expect(codeOf(() => buildTransfer({ ...options, maxSize: draft.signedSize - 1 }))).toBe(
      'FUNDS_DO_NOT_FIT',
    )
    const open = { ...options, changeTo: { to: [alice, bob] } }
    expect(codeOf(() => buildTransfer(open))).toBe('THRESHOLD_MISSING')
    const high = { ...options, changeTo: { to: [alice, bob], threshold: 3 } }
    expect(codeOf(() => buildTransfer(high))).toBe('OWNERS_UNSPENDABLE')
  })

  it('refuses lists with holes', () => {
    const output = { to: bob, amount: 5n }
    // biome-ignore lint/suspicious/noSparseArray: what is tested
    const holed = [output, , output] as (typeof output)[]
    // biome-ignore lint/suspicious/noSparseArray: what is tested
    const to = [alice, , bob] as Uint8Array[]
    for (const outputs of [holed, [{ to, amount: 5n, threshold: 1 }]])
      expect(
        codeOf(() => buildTransfer({ context, funds: funds(native('a', 10_000_000n)), outputs })),
      ).toBe('MISSING_OPTION')
  })

  it('refuses unknown members of outputs, such as one that differs only in case', () => {
    const pay = (output: object, burn?: { amount: bigint }[]) =>
      codeOf(() =>
        buildTransfer({
          context,
          funds: funds(native('a', 10_000_000n)),
          outputs: [{ to: bob, amount: 5n, ...output }],
          burn,
        }),
      )
    expect(pay({})).toBeUndefined()
    expect(pay({ note: 'withdrawal 7' })).toBe('UNKNOWN_OPTION')
    // Ignored, it would pay AVAX instead of the token.
    expect(pay({ assetId: token })).toBe('UNKNOWN_OPTION')
    expect(pay({ lockTime: 9n })).toBe('UNKNOWN_OPTION')
    expect(pay({ stakeableLockTime: 9n })).toBe('UNKNOWN_OPTION')
    // Outputs of the X-Chain have no such lock.
    expect(pay({ stakeableLocktime: 9n })).toBe('UNKNOWN_OPTION')
    expect(pay({}, [{ amount: 1n, assetid: token } as { amount: bigint }])).toBe('UNKNOWN_OPTION')
  })

  const anyAmount = fc.oneof(
    fc.bigInt({ min: 1n, max: 30n }),
    fc.bigInt({ min: 1n, max: 2n ** 62n }),
  )
  const anyCoin = fc.record({
    amount: anyAmount,
    of: fc.constantFrom(0, 0, 1, 2),
    threshold: fc.constantFrom(0, 1, 1, 1, 2, 3),
  })
  const assets = [context.assetID, token, idOf('third')]
  const strategies = ['fewest', 'smallest', 'exact'] as const

  test.prop([
    fc.array(anyCoin, { maxLength: 60 }),
    fc.array(fc.record({ amount: anyAmount, of: fc.nat(2) }), { maxLength: 5 }),
    fc.constantFrom(...strategies),
    fc.integer({ min: 500, max: 4000 }),
    fc.uint8Array({ maxLength: 300 }),
    fc.boolean(),
  ])(
    'returns a consistent draft for any input, or a typed error',
    (list, outputs, strategy, maxSize, memo, more) => {
      const set = funds(
        native('fee', fee),
        ...list.map(({ amount, of, threshold }, i) =>
          coin(`${i}`, amount, {
            assetID: assets[of]!,
            threshold,
            addresses: [[], [alice], trio, trio][threshold]!,
          }),
        ),
      )
      try {
        const draft = buildTransfer({
          context,
          funds: { ...set, owners: trio, strategy, ...(more && { consolidate: {} }) },
          outputs: outputs.map(({ amount, of }) => ({ to: bob, amount, assetID: assets[of]! })),
          memo,
          maxSize,
        })
        expectSound(draft)
        expect(draft.signedSize).toBeLessThanOrEqual(maxSize)
      } catch (error) {
        if (error instanceof FundsError) return
        expect(error).toMatchObject({ code: 'MEMO_TOO_LARGE' })
        expect(memo.length).toBeGreaterThan(256)
      }
    },
  )
})
