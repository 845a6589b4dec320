import { describe, expect, it } from 'vitest'
import type { UTXO as PUTXO } from '../../../src/core/chain/p/utxo.ts'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import {
  firstExport,
  importedIn,
  listsAll,
  sumOf,
  transferable,
  transferablesIn,
} from '../../../src/wallet/moves/side.ts'
import type { Attempt } from '../../../src/wallet/store/store.ts'

const id = (n: number) => new Uint8Array(32).fill(n)
const owners = { locktime: 0n, threshold: 1, addresses: [new Uint8Array(20)] }
const outputOf = (amount: bigint): TransferOutput => ({
  type: 'secp256k1fx.TransferOutput',
  amount,
  ...owners,
})
const utxo = (n: number, amount: bigint, asset = 1): UTXO => ({
  txID: id(n),
  outputIndex: n,
  assetID: id(asset),
  output: outputOf(amount),
})
const mint: UTXO = { ...utxo(4, 1n), output: { type: 'secp256k1fx.MintOutput', ...owners } }
const stakeable: PUTXO = {
  ...utxo(5, 1n),
  output: { type: 'stakeable.LockOut', locktime: 9n, output: outputOf(7n) } as PUTXO['output'],
}

describe('transferable', () => {
  it('is a UTXO with an amount that is not stakeable-locked', () => {
    expect(transferable(utxo(1, 5n))).toEqual([utxo(1, 5n)])
    expect(transferable(mint)).toEqual([])
    expect(transferable(stakeable)).toEqual([])
  })

  it('is kept apart from what servers disagree about', () => {
    const servers = { listedBy: ['a.test'], missingFrom: ['b.test'] }
    const disputed = [mint, utxo(6, 8n)].map((one) => ({ utxo: one, ...servers }))
    expect(transferablesIn({ utxos: [mint, utxo(1, 5n)], disputed })).toEqual({
      utxos: [utxo(1, 5n)],
      disputed: [{ reason: 'disputed', assetID: id(1), amount: 8n, count: 1, ...servers }],
    })
  })
})

describe('listsAll', () => {
  const listed = [utxo(1, 5n), utxo(2, 6n, 2), mint, stakeable]
  const inputOf = (n: number, amount: bigint, asset = 1) => ({
    txID: id(n),
    outputIndex: n,
    assetID: id(asset),
    amount,
  })
  const cases: readonly (readonly [string, ReturnType<typeof inputOf>[], boolean])[] = [
    ['every input is listed', [inputOf(2, 6n, 2), inputOf(1, 5n)], true],
    ['there is no input', [], true],
    ['one of two inputs is not listed', [inputOf(1, 5n), inputOf(3, 5n)], false],
    ['one has another amount', [inputOf(1, 5n), inputOf(2, 7n, 2)], false],
    ['one is of another asset', [inputOf(1, 5n, 2)], false],
    ['one has another index', [{ ...inputOf(1, 5n), outputIndex: 0 }], false],
    ['one is no amount', [inputOf(4, 1n)], false],
    ['one is stakeable-locked', [inputOf(5, 7n)], false],
  ]
  for (const [name, inputs, expected] of cases)
    it(`is ${expected} if ${name}`, () => expect(listsAll(listed, inputs)).toBe(expected))
})

it('importedIn lists the imported inputs of an import, and none of anything else', () => {
  const importedInputs = [{ txID: id(1), outputIndex: 0 }]
  expect(importedIn({ unsignedTx: { type: 'ImportTx', importedInputs } })).toBe(importedInputs)
  expect(importedIn({ unsignedTx: { type: 'ExportTx' } })).toEqual([])
})

it('sumOf adds amounts', () => {
  expect(sumOf([])).toBe(0n)
  expect(sumOf([{ amount: 2n }, { amount: 3n }])).toBe(5n)
})

it('firstExport is the oldest export, whatever was claimed besides', () => {
  const kinds = ['cancellation', 'export', 'export', 'import'] as const
  const attempts = kinds.map((kind) => ({ kind }) as Attempt)
  expect(firstExport(attempts)).toBe(attempts[1])
  expect(firstExport(attempts.slice(3))).toBeUndefined()
})
