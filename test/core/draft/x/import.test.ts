import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import type { ImportTx } from '../../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { UTXOSet } from '../../../../src/core/coins/utxo-set.ts'
import type { Plan } from '../../../../src/core/draft/plan.ts'
import { buildImport, type ImportOptions, planImport } from '../../../../src/core/draft/x/import.ts'
import { codeOf } from '../../../helpers/vectors.ts'
import { alice, bob, coin, coins, idOf, trio } from '../../coins/samples.ts'
import { addressText, context, expectSound, fee, native, now } from './sound.ts'

const token = idOf('token')
const C = context.chains.C!

function options(
  imported: readonly UTXO[],
  local: readonly UTXO[] = [],
  extra: Partial<ImportOptions> = {},
): ImportOptions {
  const set = new UTXOSet()
  set.add(imported, { sourceChain: C })
  set.add(local)
  return {
    context,
    funds: { utxos: set, owners: [alice], now },
    sourceChain: 'C',
    to: addressText(bob),
    ...extra,
  }
}

function built(...args: Parameters<typeof options>) {
  const draft = buildImport(options(...args))
  expectSound(draft)
  const tx = draft.unsignedTx as ImportTx
  return {
    draft,
    tx,
    paid: tx.outputs.map(({ output }) => [output.amount, hex.encode(output.addresses[0]!)]),
  }
}

const toBob = (amount: bigint) => [amount, hex.encode(bob)]
const toAlice = (amount: bigint) => [amount, hex.encode(alice)]

describe('buildImport', () => {
  it('takes the fee from what it imports', () => {
    const { tx, paid } = built([native('a', fee), native('b', 5n)], [native('local', fee)])
    expect(paid).toEqual([toBob(5n)])
    expect(tx.inputs).toEqual([])
    expect(tx.sourceChain).toEqual(C)
  })

  it('creates no output if only the fee is imported', () => {
    expect(built([native('a', fee)]).paid).toEqual([])
  })

  it('takes the missing part of the fee from local UTXOs, with change to the owner', () => {
    const { paid, draft } = built(
      [native('a', fee - 3n), coin('t', 7n, { assetID: token })],
      [native('local', 10n), native('foreign', fee, { addresses: [bob] })],
    )
    expect(paid).toContainEqual(toBob(7n))
    expect(paid).toContainEqual(toAlice(7n))
    expect(draft.change).toEqual([{ assetID: context.assetID, amount: 7n }])
    const elsewhere = built([native('a', fee - 3n)], [native('local', 10n)], { changeTo: trio[2]! })
    expect(elsewhere.paid).toEqual([[7n, hex.encode(trio[2]!)]])
  })

  it('takes the whole fee from local UTXOs with feeFrom local', () => {
    const { paid, tx } = built([native('a', 9n * fee)], [native('local', fee)], {
      feeFrom: 'local',
    })
    expect(paid).toEqual([toBob(9n * fee)])
    expect(tx.inputs).toHaveLength(1)
  })

  it('takes nothing from local UTXOs with feeFrom imported', () => {
    const run = () =>
      built([native('a', fee - 1n)], [native('local', fee)], { feeFrom: 'imported' })
    expect(codeOf(run)).toBe('BUILDER_INSUFFICIENT_FUNDS')
  })

  it('imports only requested, spendable UTXOs and assets', () => {
    const list = [
      native('a', 2n * fee),
      native('b', 3n * fee),
      native('locked', fee, { locktime: now + 1n }),
      coin('t', 7n, { assetID: token }),
    ]
    expect(built(list).tx.importedInputs).toHaveLength(3)
    expect(built(list, [], { utxos: [list[1]!] }).paid).toEqual([toBob(2n * fee)])
    expect(built(list, [], { withoutAssets: [token] }).tx.importedInputs).toHaveLength(2)
    const only = built(list, [native('local', fee)], { assets: [token] })
    expect(only.tx.importedInputs).toHaveLength(1)
    expect(only.tx.inputs).toHaveLength(1)
  })

  it('takes local UTXOs only as a list, and only beside a list', () => {
    const { funds, ...others } = options([native('a', 5n)])
    const build = (given: object) => () => buildImport({ ...others, funds: given as never })
    const list = { ...funds, utxos: [native('a', 5n)] }
    expect(build({ ...list, local: [native('local', fee)] })().utxos).toHaveLength(2)
    for (const wrong of [
      { ...list, local: new UTXOSet() },
      { ...funds, local: [native('local', fee)] },
    ])
      expect(build(wrong)).toThrow(
        expect.objectContaining({ code: 'ENC_INVALID', path: 'funds.local' }),
      )
  })

  it('fails if there is nothing to import or nothing to pay with', () => {
    expect(codeOf(() => buildImport(options([])))).toBe('BUILDER_INSUFFICIENT_FUNDS')
    expect(codeOf(() => buildImport(options([], [native('local', fee)])))).toBe(
      'BUILDER_INSUFFICIENT_FUNDS',
    )
    const token5 = coin('t', 5n, { assetID: token })
    expect(codeOf(() => buildImport(options([token5])))).toBe('BUILDER_INSUFFICIENT_FUNDS')
    // UTXOs exported by another chain are not available here.
    expect(
      codeOf(() => buildImport(options([native('a', 2n * fee)], [], { sourceChain: 'P' }))),
    ).toBe('BUILDER_INSUFFICIENT_FUNDS')
    expect(codeOf(() => buildImport(options([], [], { sourceChain: 'X' })))).toBe('SAME_CHAIN')
  })
})

describe('planImport', () => {
  it('refuses a size in which no transaction fits', () => {
    const call = options([native('a', 2n * fee)])
    expect(codeOf(() => planImport({ ...call, maxSize: 334 }))).toBe('TX_TOO_LARGE')
    expect(planImport({ ...call, maxSize: 335 }).transactions).toBe(1)
  })

  it('limits the UTXOs that pay fees by funds.only, and those it imports by utxos', () => {
    const tokens = coins(2, 5n, { assetID: token })
    const locals = [native('x', 9n * fee), native('y', 2n * fee)]
    const { funds, ...others } = options(tokens, locals)
    const spent = (made: Plan) => [...made.drafts()].flatMap(({ utxos }) => utxos)
    const only = { ...funds, only: [locals[1]!] }
    const pinned = { ...only, pinned: [locals[0]!] }
    expect(codeOf(() => planImport({ ...others, funds: pinned }))).toBe('UNKNOWN_OPTION')
    expect(spent(planImport({ ...others, funds: only }))).toEqual([locals[1], ...tokens])
    expect(spent(planImport({ ...others, funds: only, utxos: [tokens[1]!] }))).toEqual([
      locals[1],
      tokens[1],
    ])
    const excluded = { ...funds, excluded: [locals[0]!, tokens[0]!] }
    expect(spent(planImport({ ...others, funds: excluded }))).toEqual([locals[1], tokens[1]])
    // The limit on UTXOs of this chain does not apply to those of another.
    const nothing = { ...others, funds: only, utxos: [] }
    expect(codeOf(() => buildImport(nothing))).toBe('BUILDER_INSUFFICIENT_FUNDS')
    const nobody = planImport({ ...others, funds: { ...funds, only: [] } })
    expect(nobody).toMatchObject({ transactions: 0, leftBehind: [{ reason: 'fee', count: 2 }] })
  })

  it('imports in several transactions, each with its own local UTXOs if needed', () => {
    const tokens = coins(1000, 5n, { assetID: token })
    const made = planImport(
      options(tokens, [native('x', fee), native('y', 3n * fee), native('z', fee)]),
    )
    const drafts = [...made.drafts()]
    expect(drafts).toHaveLength(3)
    for (const draft of drafts) {
      expectSound(draft)
      expect(draft.signedSize).toBeLessThanOrEqual(65_536)
      expect(draft.unsignedTx.inputs).toHaveLength(1)
    }
    expect(made.leftBehind).toEqual([])
  })

  it('reports UTXOs whose fee nobody pays', () => {
    const tokens = coins(500, 5n, { assetID: token })
    const made = planImport(options(tokens, [native('x', fee)]))
    expect(made.transactions).toBe(1)
    expect(made.leftBehind).toEqual([
      { reason: 'fee', assetID: token, amount: 5n * 96n, count: 96 },
    ])
  })

  const anyCoin = fc.record({
    amount: fc.oneof(fc.bigInt({ min: 1n, max: 50n }), fc.bigInt({ min: fee / 3n, max: 2n * fee })),
    of: fc.constantFrom(0, 1, 2),
    threshold: fc.constantFrom(1, 1, 2),
  })
  const anyCoins = fc.array(anyCoin, { maxLength: 20 })

  test.prop([
    anyCoins,
    anyCoins,
    fc.constantFrom('imported' as const, 'local' as const, 'either' as const),
    fc.integer({ min: 800, max: 3000 }),
  ])('imports every UTXO once, or reports why not', (imported, local, feeFrom, maxSize) => {
    const assets = [context.assetID, token, idOf('other')]
    const toCoins = (specs: typeof imported, name: string) =>
      specs.map(({ amount, of, threshold }, i) =>
        coin(`${name}${i}`, amount, {
          assetID: assets[of]!,
          threshold,
          addresses: threshold === 1 ? [alice] : trio,
        }),
      )
    const { funds, ...others } = options(toCoins(imported, 'i'), toCoins(local, 'l'))
    const made = planImport({ ...others, funds: { ...funds, owners: trio }, feeFrom, maxSize })
    const drafts = [...made.drafts()]
    for (const draft of drafts) {
      expectSound(draft)
      expect(draft.signedSize).toBeLessThanOrEqual(maxSize)
    }
    const spent = drafts.flatMap(({ utxos }) => utxos.map(({ txID }) => hex.encode(txID)))
    expect(new Set(spent).size).toBe(spent.length)
    const count = drafts.reduce(
      (sum, { unsignedTx }) => sum + (unsignedTx as ImportTx).importedInputs.length,
      0,
    )
    const left = made.leftBehind.reduce((sum, entry) => sum + (entry.count ?? 0), 0)
    expect(count + left).toBe(imported.length)
  })
})
