import { describe, expect, it } from 'vitest'
import type { NFTTransferOutput } from '../../../../src/core/chain/x/nftfx.ts'
import type { UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { UTXOSet } from '../../../../src/core/coins/utxo-set.ts'
import type { SpendableSet } from '../../../../src/core/draft/x/funds.ts'
import { buildImport } from '../../../../src/core/draft/x/import.ts'
import { buildMintNFT, buildOperations } from '../../../../src/core/draft/x/operations.ts'
import { buildSendAll } from '../../../../src/core/draft/x/send-all.ts'
import { planSweep, type SweepOptions } from '../../../../src/core/draft/x/sweep.ts'
import { buildTransfer } from '../../../../src/core/draft/x/transfer.ts'
import { codeOf } from '../../../helpers/vectors.ts'
import { alice, bob, coin, idOf, trio } from '../../coins/samples.ts'
import { addressText, context, fee, funds, native, now } from './sound.ts'

const token = idOf('tok')
const to = addressText(bob)

function sweep(
  list: readonly UTXO[],
  { only, ...options }: Partial<SweepOptions> & Pick<SpendableSet, 'only'> = {},
) {
  const plan = planSweep({
    context,
    funds: { ...funds(...list), owners: trio, only },
    to,
    ...options,
  })
  return {
    ...plan,
    made: [...plan.drafts()],
    left: plan.leftBehind.map(({ reason, count }) => ({ reason, count })),
  }
}

const natives = (count: number, amount: bigint) =>
  Array.from({ length: count }, (_, i) => native(`d${amount}/${i}`, amount))

describe('planSweep', () => {
  it('refuses a size in which no transaction fits', () => {
    const tooLarge = expect.objectContaining({ code: 'TX_TOO_LARGE' })
    const least = 58 + 80 + 161
    expect(() => sweep(natives(2, 2n * fee), { maxSize: -1 })).toThrow(
      expect.objectContaining({ code: 'ENC_INVALID', path: 'maxSize' }),
    )
    for (const maxSize of [0, 10, least - 1])
      expect(() => sweep(natives(2, 2n * fee), { maxSize })).toThrow(tooLarge)
    expect(sweep(natives(2, 2n * fee), { maxSize: least }).made).toHaveLength(2)
  })

  it('makes no transaction that only pays its fee', () => {
    const { made, left } = sweep([native('a', fee), coin('t', 1n, { assetID: token })], {
      maxSize: 300,
    })
    expect(made).toEqual([])
    expect(left).toEqual([
      { reason: 'dust', count: 1 },
      { reason: 'fee', count: 1 },
    ])
  })

  it('does not pay a fee per UTXO because of a token that does not fit', () => {
    const wide = coin('t', 5n, { assetID: token, threshold: 3, addresses: trio })
    const { made, left } = sweep([...natives(5, 2n * fee), wide], { maxSize: 500 })
    expect(made.map(({ utxos }) => utxos.length)).toEqual([2, 2, 1])
    expect(left).toEqual([{ reason: 'fee', count: 1 }])
  })

  it('lets a narrow UTXO pay if a wide one leaves no space', () => {
    const list = [
      native('wide', 20n * fee, { threshold: 3, addresses: trio }),
      native('narrow', 10n * fee, { threshold: 2, addresses: trio }),
      coin('t', 5n, { assetID: token, threshold: 2, addresses: trio }),
    ]
    expect(sweep(list, { maxSize: 733 }).left).toEqual([])
  })

  it('counts no AVAX output if the fee takes all of it', () => {
    const list = [native('a', fee), ...['t', 'u'].map((n) => coin(n, 1n, { assetID: token }))]
    // 58 + three inputs of 161 + one output of 80.
    const { made, left } = sweep(list, { maxSize: 621 })
    expect(made.map(({ signedSize }) => signedSize)).toEqual([621])
    expect(left).toEqual([])
  })

  it('continues after UTXOs that only pay for themselves', () => {
    const list = [
      native('wide', fee, { threshold: 2, addresses: trio }),
      native('a', fee),
      native('b', fee + 1n),
      native('c', 1n),
    ]
    const { made } = sweep(list, { maxSize: 460 })
    expect(made.map(({ unsignedTx }) => unsignedTx.outputs[0]!.output.amount)).toEqual([fee + 1n])
  })

  it('pays no second fee for dust beyond the display limit of a hardware wallet', () => {
    const list = [native('A', 10n * fee), native('B', 10n * fee), ...natives(110, 10n)]
    const { made, left } = sweep(list, { clearSign: true })
    expect(made.map(({ utxos }) => utxos.length)).toEqual([91])
    expect(left).toEqual([{ reason: 'dust', count: 21 }])
  })

  it('does not count credentials of fee payers for a hardware wallet', () => {
    const tokens = Array.from({ length: 89 }, (_, i) => coin(`t${i}`, 5n, { assetID: token }))
    const list = [native('A', 10n * fee), native('B', 10n * fee), ...tokens]
    // 54 bytes, two outputs of 80, 90 inputs of 88 and a path of 9 make 8143 of 8192.
    expect(sweep(list, { clearSign: true, assets: [token] }).transactions).toBe(1)
  })
})

describe('planSweep with `only`', () => {
  it('does not let other UTXOs pay', () => {
    const tokens = coin('t', 5n, { assetID: token })
    const payer = native('a', 10n * fee)
    const list = [tokens, payer, native('b', 10n * fee)]
    const alone = sweep(list, { assets: [token], only: [tokens] })
    expect([alone.made, alone.left]).toEqual([[], [{ reason: 'fee', count: 1 }]])
    const [draft] = sweep(list, { assets: [token], only: [tokens, payer] }).made
    expect(draft!.utxos.map(({ txID }) => txID).sort()).toEqual([tokens.txID, payer.txID].sort())
  })
})

describe('buildImport', () => {
  it('reports that it does not fit if only the first transaction can be paid', () => {
    const utxos = new UTXOSet()
    utxos.add([native('l', fee)])
    const tokens = Array.from({ length: 4 }, (_, i) => coin(`t${i}`, 5n, { assetID: token }))
    utxos.add(tokens, { sourceChain: context.chains.P! })
    const options = {
      context,
      funds: { utxos, owners: [alice], now },
      sourceChain: 'P',
      to,
      maxSize: 900,
    }
    expect(codeOf(() => buildImport(options))).toBe('FUNDS_DO_NOT_FIT')
  })
})

describe('buildSendAll', () => {
  it('reports an excessive sum, not an excessive size', () => {
    const list = [2n ** 63n, 2n ** 63n].map((n, i) => coin(`x${i}`, n, { assetID: token }))
    const options = { context, funds: funds(native('n', 5n * fee), ...list), assetID: token, to }
    expect(codeOf(() => buildSendAll(options))).toBe('AMOUNT_OVERFLOW')
  })
})

describe('buildTransfer', () => {
  it('does not replace characters of a memo', () => {
    const options = { context, funds: funds(native('n', 5n * fee)), outputs: [{ to, amount: 1n }] }
    expect(codeOf(() => buildTransfer({ ...options, memo: 'a\ud800' }))).toBe('ENC_INVALID')
  })
})

describe('operations', () => {
  it('leave a UTXO to the operation that requests it', () => {
    const nft = (name: string, groupID: number): UTXO & { output: NFTTransferOutput } => ({
      txID: idOf(name),
      outputIndex: 0,
      assetID: token,
      output: {
        type: 'nftfx.TransferOutput',
        groupID,
        payload: new Uint8Array(),
        locktime: 0n,
        threshold: 1,
        addresses: [alice],
      },
    })
    const nfts = ['n1', 'n2', 'n3'].map((name) => nft(name, 1))
    const given = { context, funds: funds(native('a', 5n * fee), ...nfts) }
    const any = { type: 'transferNFT', assetID: token, to } as const
    for (const utxo of nfts)
      expect(
        buildOperations({ ...given, operations: [any, any, { ...any, utxo }] }).utxos,
      ).toHaveLength(4)
    const groups = { context, funds: funds(native('a', 5n * fee), nft('n1', 1), nft('n2', 2)) }
    for (const groupID of [1, 2])
      expect(
        buildOperations({ ...groups, operations: [any, { ...any, groupID }] }).utxos,
      ).toHaveLength(3)
  })

  it('do not use up a mint right without recipients', () => {
    const right: UTXO = {
      txID: idOf('n'),
      outputIndex: 0,
      assetID: token,
      output: {
        type: 'nftfx.MintOutput',
        groupID: 1,
        locktime: 0n,
        threshold: 1,
        addresses: [alice],
      },
    }
    const given = { context, funds: funds(native('a', 5n * fee), right), assetID: token }
    expect(codeOf(() => buildMintNFT({ ...given, recipients: [], payload: 'x' }))).toBe(
      'UNINTENDED_BURN',
    )
  })
})
