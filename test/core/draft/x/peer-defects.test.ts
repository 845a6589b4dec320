import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../../../src/core/base/encoding/bech32.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../../src/core/base/encoding/ids.ts'
import { spendsOf } from '../../../../src/core/chain/x/spends.ts'
import { encodeUTXO, type UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { UTXOSet } from '../../../../src/core/coins/utxo-set.ts'
import type { Draft } from '../../../../src/core/draft/draft.ts'
import { buildExport } from '../../../../src/core/draft/x/export.ts'
import { buildImport, planImport } from '../../../../src/core/draft/x/import.ts'
import { buildTransfer, type TransferOptions } from '../../../../src/core/draft/x/transfer.ts'
import { codeOf } from '../../../helpers/vectors.ts'
import { addressNamed, alice, bob, carol, coin, coins, idOf, trio } from '../../coins/samples.ts'
import { addressText, context, expectSound, fee, funds, native, now } from './sound.ts'

// Regression tests for defects that other libraries for this chain have.

const avax = 1_000_000_000n
const rich = native('rich', 5n * avax)
const token = idOf('token')

function pay(options: Partial<TransferOptions>): Draft {
  const outputs = [{ to: addressText(bob), amount: avax }]
  const draft = buildTransfer({ context, funds: funds(rich), outputs, ...options })
  expectSound(draft)
  return draft
}

const paying = (output: object) =>
  codeOf(() => pay({ outputs: [{ to: bob, amount: 1n, ...output }] }))

describe('building and encoding', () => {
  it('D1: an export goes to the given chain or fails', () => {
    const exporting = (destinationChain: string) =>
      buildExport({
        context,
        funds: funds(rich),
        destinationChain,
        outputs: [{ to: bob, amount: 1n }],
      })
    const destination = (destinationChain: string) => {
      const { unsignedTx } = exporting(destinationChain)
      return unsignedTx.type === 'ExportTx' && hex.encode(unsignedTx.destinationChain)
    }
    expect(destination('C')).toBe(
      '7fc93d85c6d62c5b2ac0b519c87010ea5294012d1e407030d6acd0021cac10d5',
    )
    expect(destination('P')).toBe('00'.repeat(32))
    expect(codeOf(() => exporting('X'))).toBe('SAME_CHAIN')
    expect(codeOf(() => exporting(formatID(context.chainID)))).toBe('SAME_CHAIN')
    for (const wrong of ['', 'c', 'constructor', '11111111111111111111111111111111LpoYZ'])
      expect(codeOf(() => exporting(wrong))).toBe('UNKNOWN_CHAIN')
  })

  it('D2: an asset ID with a wrong or missing character is rejected', () => {
    const right = formatID(context.assetID)
    expect(paying({ assetID: right })).toBeUndefined()
    const changed = `${right.slice(0, 20)}${right[20] === 'a' ? 'b' : 'a'}${right.slice(21)}`
    expect(paying({ assetID: changed })).toBe('ENC_BAD_CHECKSUM')
    expect(paying({ assetID: `${right.slice(0, -1)}1` })).toMatch(/^ENC_/)
    for (const wrong of [right.slice(0, 30), '', 'AVAX'])
      expect(paying({ assetID: wrong })).toMatch(/^ENC_/)
    expect(paying({ assetID: new Uint8Array(31) })).toBe('ENC_WRONG_LENGTH')
    expect(paying({ assetID: new Uint8Array(32) })).toBe('EMPTY_ASSET_ID')
  })

  it('D3: an address must have 20 bytes', () => {
    for (const size of [0, 10, 19, 21, 32])
      expect(paying({ to: new Uint8Array(size) })).toBe('ENC_WRONG_LENGTH')
    const long = `X-${encodeBech32('fuji', new Uint8Array(32))}`
    expect(paying({ to: long })).toBe('ENC_WRONG_LENGTH')
  })

  it('D4: an address of another network or chain is rejected', () => {
    expect(paying({ to: addressText(bob) })).toBeUndefined()
    expect(paying({ to: addressText(bob, 'X', 'avax') })).toBe('ENC_WRONG_HRP')
    expect(paying({ to: addressText(bob, 'P') })).toBe('ENC_WRONG_CHAIN')
    expect(paying({ to: addressText(bob, 'hello') })).toBe('ENC_WRONG_CHAIN')
    expect(paying({ to: `${addressText(bob)}-junk` })).toMatch(/^ENC_/)
    expect(codeOf(() => pay({ changeTo: addressText(bob, 'X', 'local') }))).toBe('ENC_WRONG_HRP')
    const exporting = (to: string) =>
      codeOf(() =>
        buildExport({
          context,
          funds: funds(rich),
          destinationChain: 'P',
          outputs: [{ to, amount: 1n }],
        }),
      )
    expect(exporting(addressText(bob, 'P'))).toBeUndefined()
    expect(exporting(addressText(bob))).toBe('ENC_WRONG_CHAIN')
    expect(exporting(addressText(bob, 'P', 'avax'))).toBe('ENC_WRONG_HRP')
  })

  it('D5: a UTXO that is in the set twice is spent once', () => {
    const u = native('u', 5_000_000n)
    const set = funds(u, u)
    set.utxos.add([encodeUTXO(u)])
    const payment = () => pay({ funds: set, outputs: [{ to: bob, amount: 7_000_000n }] })
    expect(codeOf(payment)).toBe('BUILDER_INSUFFICIENT_FUNDS')
    set.utxos.add([native('v', 5_000_000n)])
    expect(payment().unsignedTx.inputs).toHaveLength(2)
    // A selection made by hand cannot do it either.
    const twin = { utxo: u, signatureIndices: [0] }
    const selection = { coins: [twin, twin], owners: [alice], change: [], size: 0 }
    expect(
      codeOf(() => pay({ funds: selection, outputs: [{ to: bob, amount: 7_000_000n }] })),
    ).toBe('INPUTS_NOT_SORTED_UNIQUE')
  })

  it('D6: a fee above maxFee is rejected', () => {
    const dear = { ...context, txFee: 4n * avax }
    const outputs = [{ to: bob, amount: 1_000_000n }]
    expect(codeOf(() => pay({ context: dear, outputs }))).toBe('FEE_ABOVE_MAX')
    expect(pay({ context: dear, outputs, maxFee: 4n * avax }).fee).toBe(4n * avax)
    expect(codeOf(() => pay({ maxFee: fee - 1n }))).toBe('FEE_ABOVE_MAX')
    expect(pay({ maxFee: fee }).fee).toBe(fee)
  })

  it('D7: nothing is burned unless requested', () => {
    const tokens = coin('tokens', 1_000_000n, { assetID: token })
    const pinned = { ...funds(rich, tokens), pinned: [tokens] }
    expect(pay({ funds: pinned }).change).toContainEqual({ assetID: token, amount: 1_000_000n })
    const burning = pay({ funds: pinned, burn: [{ assetID: token, amount: 400_000n }] })
    expect(burning.burned).toEqual([{ assetID: token, amount: 400_000n }])
    expect(burning.change).toContainEqual({ assetID: token, amount: 600_000n })
  })

  it('D8: change goes to one address', () => {
    const owners = [carol, ...trio]
    const change = (options: Partial<TransferOptions>) =>
      pay(options).unsignedTx.outputs.find(({ output }) => output.amount !== avax)!.output
    expect(change({ funds: { ...funds(rich), owners } })).toMatchObject({
      threshold: 1,
      addresses: [carol],
    })
    expect(change({ funds: { ...funds(rich), owners }, changeTo: addressText(bob) })).toMatchObject(
      {
        threshold: 1,
        addresses: [bob],
      },
    )
  })

  it('D9: a duplicate owner is ignored', () => {
    const draft = pay({ funds: { ...funds(rich), owners: [alice, alice] } })
    expect(draft.unsignedTx.inputs[0]!.input.signatureIndices).toEqual([0])
  })

  it('D10: what the node would reject is rejected with the violated rule', () => {
    expect(paying({ amount: 0n })).toBe('OUTPUT_ZERO_AMOUNT')
    expect(paying({ to: [alice, bob], threshold: 3 })).toBe('OWNERS_UNSPENDABLE')
    expect(paying({ to: [] })).toBe('OWNERS_UNSPENDABLE')
    expect(paying({ threshold: 0 })).toBe('OWNERS_UNOPTIMIZED')
    expect(paying({ to: [bob, bob], threshold: 1 })).toBe('ADDRS_NOT_SORTED_UNIQUE')
    expect(paying({ to: [alice, bob] })).toBe('THRESHOLD_MISSING')
    expect(paying({ amount: -1n })).toBe('ENC_INVALID')
    expect(codeOf(() => pay({ memo: new Uint8Array(1000) }))).toBe('MEMO_TOO_LARGE')
    expect(codeOf(() => pay({ memo: 'é'.repeat(129) }))).toBe('MEMO_TOO_LARGE')
    expect(pay({ memo: 'é'.repeat(128) }).unsignedTx.memo).toHaveLength(256)
    expect(
      codeOf(() =>
        buildExport({ context, funds: funds(rich), destinationChain: 'P', outputs: [] }),
      ),
    ).toBe('NO_EXPORT_OUTPUTS')
  })

  it('D11: sums above 64 bits are rejected', () => {
    const most = 2n ** 64n - 1n
    const list = [rich, coin('m1', most, { assetID: token }), coin('m2', most, { assetID: token })]
    const paid = (...amounts: bigint[]) =>
      codeOf(() =>
        pay({
          funds: funds(...list),
          outputs: amounts.map((amount) => ({ to: bob, amount, assetID: token })),
        }),
      )
    expect(paid(2n ** 64n + 5n)).toBe('AMOUNT_OVERFLOW')
    expect(paid(most, 6n)).toBe('AMOUNT_OVERFLOW')
    expect(paid(most)).toBeUndefined()
  })
})

describe('import', () => {
  const P = new Uint8Array(32)
  const importing = { context, sourceChain: 'P', to: addressText(alice) }
  const fundsIn = (utxos: UTXOSet, owners = [alice]) => ({ utxos, owners, now })
  const atomic = (...list: readonly UTXO[]) => {
    const set = new UTXOSet()
    set.add(list, { sourceChain: P })
    return set
  }

  it('D12: local UTXOs pay the missing part of the fee, with change on this chain', () => {
    const set = atomic(native('small', 500_000n))
    expect(codeOf(() => buildImport({ ...importing, funds: fundsIn(set) }))).toBe(
      'BUILDER_INSUFFICIENT_FUNDS',
    )
    set.add([native('local', avax)])
    const draft = buildImport({ ...importing, funds: fundsIn(set) })
    expectSound(draft)
    const { unsignedTx: tx } = draft
    expect(tx.inputs.map(({ txID }) => txID)).toEqual([idOf('local')])
    expect(tx.type === 'ImportTx' && tx.importedInputs.map(({ txID }) => txID)).toEqual([
      idOf('small'),
    ])
    expect(draft.change).toEqual([{ assetID: context.assetID, amount: avax - 500_000n }])
    expect(tx.outputs).toHaveLength(1)
  })

  it('D13: outputs of several assets are sorted', () => {
    const assets = ['21e6', 'f6aa', '0427', 'ed5f'].map((start) =>
      hex.decode(start.padEnd(64, '0')),
    )
    const set = atomic(
      native('fee', avax),
      ...assets.map((assetID, i) => coin(`t${i}`, 5n, { assetID })),
    )
    const draft = buildImport({ ...importing, funds: fundsIn(set) })
    expectSound(draft)
    expect(draft.unsignedTx.outputs).toHaveLength(5)
  })

  it('D14: credentials of local inputs precede those of imported ones', () => {
    const set = atomic(coin('token', 5n, { assetID: token }))
    set.add([native('local', avax, { threshold: 2, addresses: trio })])
    const draft = buildImport({ ...importing, funds: fundsIn(set, trio) })
    expectSound(draft)
    expect(spendsOf(draft.unsignedTx).map(({ signers }) => signers.signatureIndices)).toEqual([
      [0, 1],
      [0],
    ])
    expect(draft.utxos.map(({ txID }) => txID)).toEqual([idOf('local'), idOf('token')])
  })

  it('D15: a thousand UTXOs are imported in transactions within the size limit', () => {
    const list = coins(1000, 10_000n, { assetID: context.assetID })
    const plan = planImport({ ...importing, funds: fundsIn(atomic(...list)) })
    const drafts = [...plan.drafts()]
    expect(drafts.map(({ utxos }) => utxos.length)).toEqual([405, 405, 190])
    for (const draft of drafts) {
      expectSound(draft)
      expect(draft.signedSize).toBeLessThanOrEqual(65_536)
    }
    expect(codeOf(() => buildImport({ ...importing, funds: fundsIn(atomic(...list)) }))).toBe(
      'FUNDS_DO_NOT_FIT',
    )
  })
})

describe('size, speed, memory', () => {
  it('D16: no transaction exceeds the size limit', () => {
    const list = coins(5000, 10_000n, { assetID: context.assetID })
    const inputs = (count: bigint) =>
      pay({ funds: funds(...list), outputs: [{ to: bob, amount: count * 10_000n - fee }] })
    expect(inputs(400n).signedSize).toBe(64_538)
    expect(inputs(406n).signedSize).toBe(65_504)
    for (const count of [407n, 500n, 1000n, 5000n])
      expect(codeOf(() => inputs(count))).toBe('FUNDS_DO_NOT_FIT')
  })

  it('D17: three inputs are selected from fifty thousand UTXOs', () => {
    const many = Array.from({ length: 50_000 }, (_, i) => native(`${i}`, BigInt(i + 1) * 1000n))
    const draft = pay({ funds: funds(...many), outputs: [{ to: bob, amount: 140_000_000n }] })
    expect(draft.unsignedTx.inputs).toHaveLength(3)
  })

  it('D18: a thousand addresses with one UTXO each', () => {
    const owners = Array.from({ length: 1000 }, (_, i) => addressNamed(`owner ${i}`))
    const list = owners.map((owner, i) => native(`${i}`, 10_000n, { addresses: [owner] }))
    const draft = pay({
      funds: { ...funds(...list), owners },
      outputs: [{ to: bob, amount: 399n * 10_000n - fee }],
    })
    expect(draft.unsignedTx.inputs).toHaveLength(399)
  })

  it('D19: a UTXO with thousands of owners is decoded quickly or rejected', () => {
    const claiming = (count: number) => {
      const bytes = new Uint8Array(98 + 20 * count)
      bytes.set(encodeUTXO(native('crowd', 5n * avax)).subarray(0, 98))
      const view = new DataView(bytes.buffer)
      view.setUint32(94, count)
      for (let i = 0; i < count; i++) view.setUint32(98 + 20 * i, i)
      return bytes
    }
    const set = new UTXOSet()
    expect(set.add([claiming(13_000), claiming(50_000), claiming(100_000)])).toEqual({
      added: 1,
      known: 0,
      opaque: 2,
    })
    expect(set.opaque().map(({ reason }) => reason.code)).toEqual([
      'CODEC_TOO_BIG',
      'CODEC_TOO_BIG',
    ])
    const last = claiming(13_000).slice(-20)
    const selected = pay({ funds: { utxos: set, owners: [last], now } })
    expect(selected.unsignedTx.inputs[0]!.input.signatureIndices).toEqual([12_999])
  })
})
