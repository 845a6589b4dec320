import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { hashToSign } from '../../../src/core/chain/x/ids.ts'
import type { TransferableOutput } from '../../../src/core/chain/x/transferables.ts'
import type { SignedTx, UnsignedTx } from '../../../src/core/chain/x/tx.ts'
import type { MoveNote } from '../../../src/wallet/moves/note.ts'
import { contentOf as moveContent } from '../../../src/wallet/moves/plan.ts'
import type { Content } from '../../../src/wallet/payments/content.ts'
import {
  createAssetIntent,
  exportIntent,
  operateIntent,
  sendAllIntent,
  transferIntent,
} from '../../../src/wallet/payments/intents.ts'
import { mayHaveMade } from '../../../src/wallet/recovery/made.ts'
import { AVAX, addressOf, people } from '../setup.ts'

const { local } = networks
const [me, you] = people as [(typeof people)[0], (typeof people)[0]]
const mine = me.addresses[0]!
const yours = you.addresses[0]!
const chainOf = (alias: 'P' | 'C') => local.chains[alias]!
const token = new Uint8Array(32).fill(7)

const paid = (address: Uint8Array, amount: bigint, assetID = AVAX): TransferableOutput => ({
  assetID,
  output: {
    type: 'secp256k1fx.TransferOutput',
    amount,
    locktime: 0n,
    threshold: 1,
    addresses: [address],
  },
})

const base = {
  networkID: local.networkID,
  blockchainID: local.chainID,
  inputs: [],
  memo: new Uint8Array(),
}
const signed = (unsignedTx: UnsignedTx): SignedTx => ({ unsignedTx, credentials: [] })
const baseTx = (outputs: readonly TransferableOutput[], memo: Uint8Array = base.memo) =>
  signed({ ...base, type: 'BaseTx', outputs, memo })
const exportTx = (
  to: 'P' | 'C',
  exportedOutputs: readonly TransferableOutput[],
  memo = base.memo,
) =>
  signed({
    ...base,
    type: 'ExportTx',
    outputs: [paid(mine, 9n)],
    destinationChain: chainOf(to),
    exportedOutputs,
    memo,
  })
const importTx = (from: 'P' | 'C', outputs: readonly TransferableOutput[]) =>
  signed({ ...base, type: 'ImportTx', outputs, sourceChain: chainOf(from), importedInputs: [] })

/** The content of a payment that has several outputs, as one. */
const whole = (contents: readonly Content[]): Content => ({
  kind: contents[0]!.kind,
  parts: contents.flatMap(({ parts }) => parts),
})
const to = addressOf(you)
const toP = addressOf(you, 'P')
const memo = Uint8Array.of(1, 2)
const transfer = whole(transferIntent({ to, amount: 5n }).contents(local))
const withMemo = whole(transferIntent({ to, amount: 5n, memo }).contents(local))
const twice = whole(
  transferIntent({
    outputs: [
      { to, amount: 5n },
      { to, amount: 5n },
    ],
  }).contents(local),
)
const burning = whole(
  transferIntent({ to, amount: 5n, burn: [{ assetID: token, amount: 3n }] }).contents(local),
)
const exporting = whole(
  exportIntent({ destinationChain: 'P', to: toP, amount: 5n }).contents(local),
)
const all = whole(sendAllIntent({ to }).contents(local))
const asset = { name: 'Bait', symbol: 'BAIT', denomination: 0 }
const creating = (name: string) =>
  whole(createAssetIntent({ ...asset, name, minters: [{ to }] }).contents(local))
const created = signed({
  ...base,
  type: 'CreateAssetTx',
  outputs: [],
  ...asset,
  initialStates: [
    {
      fxIndex: 0,
      outputs: [{ type: 'secp256k1fx.MintOutput', locktime: 0n, threshold: 1, addresses: [yours] }],
    },
  ],
})
const operating = whole(operateIntent({ operations: [] }).contents(local).slice(0, 1))
const operated = signed({ ...base, type: 'OperationTx', outputs: [], operations: [] })
const moving = (changes: Partial<MoveNote> = {}) =>
  moveContent({
    from: 'X',
    to: 'P',
    amount: 5n,
    assetID: AVAX,
    recipient: yours,
    maxFee: 0n,
    ...changes,
  })
const moveAll = moving({ amount: 'all' })
const fromC = moving({ from: 'C', to: 'X' })
const given = baseTx([paid(yours, 6n)])
const submitted: Content = {
  kind: 'submit',
  parts: [hex.encode(hashToSign(given.unsignedTx))],
}

describe('mayHaveMade', () => {
  const cases: readonly (readonly [string, Content, SignedTx, boolean])[] = [
    ['a transfer with its output', transfer, baseTx([paid(mine, 9n), paid(yours, 5n)]), true],
    ['a transfer with another amount', transfer, baseTx([paid(yours, 6n)]), false],
    ['a transfer to another recipient', transfer, baseTx([paid(mine, 5n)]), false],
    ['a transfer of another asset', transfer, baseTx([paid(yours, 5n, token)]), false],
    [
      'a transfer with a memo that was not asked for',
      transfer,
      baseTx([paid(yours, 5n)], memo),
      false,
    ],
    ['a transfer with its memo', withMemo, baseTx([paid(yours, 5n)], memo), true],
    ['a transfer without its memo', withMemo, baseTx([paid(yours, 5n)]), false],
    ['a transfer that also burns', burning, baseTx([paid(yours, 5n)]), true],
    [
      'equal outputs, if there are as many',
      twice,
      baseTx([paid(yours, 5n), paid(yours, 5n)]),
      true,
    ],
    ['equal outputs, not if there are fewer', twice, baseTx([paid(yours, 5n)]), false],
    ['an export with its output', exporting, exportTx('P', [paid(yours, 5n)]), true],
    ['an export to another chain', exporting, exportTx('C', [paid(yours, 5n)]), false],
    ['an export of another amount', exporting, exportTx('P', [paid(yours, 6n)]), false],
    [
      'an export with a memo that was not asked for',
      exporting,
      exportTx('P', [paid(yours, 5n)], memo),
      false,
    ],
    ['an export that is a transfer', exporting, baseTx([paid(yours, 5n)]), false],
    ['the whole balance, whatever it was', all, baseTx([paid(yours, 123n)]), true],
    [
      'the whole balance beside change',
      all,
      baseTx([paid(mine, 1n, token), paid(yours, 123n)]),
      true,
    ],
    ['the whole balance to others', all, baseTx([paid(mine, 123n)]), false],
    ['the whole balance of another asset', all, baseTx([paid(yours, 123n, token)]), false],
    ['a new asset', creating('Bait'), created, true],
    ['a new asset with another name', creating('Bail'), created, false],
    ['a new asset that is a transfer', creating('Bait'), given, false],
    ['operations', operating, operated, true],
    ['operations that are a transfer', operating, given, false],
    ['a given transaction', submitted, given, true],
    ['a given transaction that is another one', submitted, baseTx([paid(yours, 7n)]), false],
    ['a move by its export', moving(), exportTx('P', [paid(mine, 5n)]), true],
    [
      'a move by its export with the fee of the import',
      moving(),
      exportTx('P', [paid(mine, 6n)]),
      true,
    ],
    ['a move by an export of less', moving(), exportTx('P', [paid(mine, 4n)]), false],
    [
      'a move by an export of another asset',
      moving(),
      exportTx('P', [paid(mine, 5n, token)]),
      false,
    ],
    ['a move by an export to another chain', moving(), exportTx('C', [paid(mine, 5n)]), false],
    [
      'a move by an export with a further asset',
      moving({ assetID: token }),
      exportTx('P', [paid(mine, 5n), paid(mine, 5n, token)]),
      true,
    ],
    ['a move by a transfer', moving(), baseTx([paid(mine, 5n)]), false],
    ['a move of everything by any export', moveAll, exportTx('P', [paid(mine, 1n)]), true],
    [
      'a move of everything by an export of another asset',
      moveAll,
      exportTx('P', [paid(mine, 1n, token)]),
      false,
    ],
    [
      'a move to X by an import for its recipient',
      fromC,
      importTx('C', [paid(mine, 1n), paid(yours, 1n)]),
      true,
    ],
    ['a move to X by an import for others', fromC, importTx('C', [paid(mine, 5n)]), false],
    ['a move to X by an import from another chain', fromC, importTx('P', [paid(yours, 5n)]), false],
    ['a move to X by a transfer', fromC, baseTx([paid(yours, 5n)]), false],
    [
      'a move between other chains by an import',
      moving({ from: 'C', to: 'P' }),
      importTx('C', [paid(yours, 5n)]),
      false,
    ],
    ['a batch, which is no payment', { kind: 'batch', parts: [] }, given, false],
    ['an import of stray UTXOs', { kind: 'import', parts: [] }, importTx('C', []), false],
  ]
  for (const [name, content, tx, expected] of cases)
    it(`${expected ? 'recognizes' : 'does not recognize'} ${name}`, () => {
      expect(mayHaveMade(content, tx, local)).toBe(expected)
    })
})
