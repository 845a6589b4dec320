import { describe, expect, it } from 'vitest'
import type { CoinSource } from '../../../../src/core/draft/x/funds.ts'
import { buildSendAll } from '../../../../src/core/draft/x/send-all.ts'
import { codeOf } from '../../../helpers/vectors.ts'
import { bob, coin, coins, idOf } from '../../coins/samples.ts'
import { addressText, context, expectSound, fee, funds, native } from './sound.ts'

const token = idOf('token')
const to = addressText(bob)

describe('buildSendAll', () => {
  it('sends all of the native asset minus the fee, and no other assets', () => {
    const draft = buildSendAll({
      context,
      funds: funds(native('a', fee), native('b', 7n), coin('t', 5n, { assetID: token })),
      to,
    })
    expectSound(draft)
    expect(draft.unsignedTx.outputs.map(({ output }) => output)).toMatchObject([
      { amount: 7n, addresses: [bob] },
    ])
    expect(draft.change).toEqual([])
  })

  it('sends all of another asset, with change of the native one', () => {
    const draft = buildSendAll({
      context,
      funds: funds(native('a', fee), native('b', 9n * fee), ...coins(3, 5n, { assetID: token })),
      assetID: token,
      to,
    })
    expectSound(draft)
    expect(draft.unsignedTx.inputs).toHaveLength(4)
    expect(draft.change).toEqual([{ assetID: context.assetID, amount: 8n * fee }])
    expect(draft.unsignedTx.outputs).toHaveLength(2)
  })

  it('spends pinned UTXOs of other assets, too, and returns them as change', () => {
    const [small, mine] = [native('a', fee), coin('t', 5n, { assetID: token })]
    const other = coin('o', 3n, { assetID: idOf('other') })
    const plain = funds(small, native('b', 9n * fee), mine, other)
    const all = { context, to, funds: { ...plain, pinned: [small, other, mine] } }
    const tokens = buildSendAll({ ...all, assetID: token })
    const returned = { assetID: other.assetID, amount: 3n }
    expectSound(tokens)
    expect(tokens.utxos).toHaveLength(3)
    expect(tokens.change).toEqual([returned])
    const natives = buildSendAll(all)
    expectSound(natives)
    expect(natives.utxos).toHaveLength(4)
    expect(natives.change).toHaveLength(2)
    expect(natives.change).toContainEqual(returned)
    expect(natives.unsignedTx.outputs.map(({ output }) => output)).toContainEqual(
      expect.objectContaining({ amount: 9n * fee, addresses: [bob] }),
    )
  })

  it('takes funds that also state how to select UTXOs, and sends all the same', () => {
    const tokens = coins(3, 5n, { assetID: token })
    const plain = funds(native('a', 9n * fee), native('b', fee), ...tokens)
    const order = [tokens[0]!]
    const source: CoinSource = { ...plain, strategy: 'given', order, consolidate: {} }
    const all = { context, to, assetID: token }
    expect(buildSendAll({ ...all, funds: source }).unsignedTx).toEqual(
      buildSendAll({ ...all, funds: plain }).unsignedTx,
    )
  })

  it('names a recipient of another chain', () => {
    const wrong = to.replace('X-', 'P-')
    expect(() => buildSendAll({ context, funds: funds(native('a', 9n * fee)), to: wrong })).toThrow(
      expect.objectContaining({ code: 'ENC_WRONG_CHAIN', path: 'to' }),
    )
  })

  it('sends up to 406 UTXOs, the most that fit', () => {
    const many = (count: number) => funds(...coins(count, fee, { assetID: context.assetID }))
    expect(buildSendAll({ context, funds: many(406), to }).signedSize).toBe(65_504)
    expect(codeOf(() => buildSendAll({ context, funds: many(407), to }))).toBe('FUNDS_DO_NOT_FIT')
  })

  it('does not burn an amount that only covers the fee', () => {
    expect(codeOf(() => buildSendAll({ context, funds: funds(native('a', fee)), to }))).toBe(
      'BUILDER_INSUFFICIENT_FUNDS',
    )
    expect(codeOf(() => buildSendAll({ context, funds: funds(), to, assetID: token }))).toBe(
      'BUILDER_INSUFFICIENT_FUNDS',
    )
    const noFee = funds(coin('t', 5n, { assetID: token }))
    expect(codeOf(() => buildSendAll({ context, funds: noFee, to, assetID: token }))).toBe(
      'BUILDER_INSUFFICIENT_FUNDS',
    )
  })
})
