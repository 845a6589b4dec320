import { describe, expect, it } from 'vitest'
import { MAX_U64 } from '../../../src/core/base/integers.ts'
import type { AssetAmount } from '../../../src/core/chain/amounts.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { Explanation } from '../../../src/core/sign/explain/explanation.ts'
import type { MoveNote } from '../../../src/wallet/moves/note.ts'
import { amountsOf, quoteImport, quoteMove } from '../../../src/wallet/moves/quote.ts'
import type {
  ExportOrder,
  ImportOrder,
  LegDraft,
  Side,
  Sides,
} from '../../../src/wallet/moves/side.ts'
import type { EndedAttempt } from '../../../src/wallet/store/store.ts'
import { addressOf } from '../setup.ts'
import { keys } from './setup.ts'

const { local } = networks
const AVAX = local.assetID
const token = new Uint8Array(32).fill(7)
const owner = new Uint8Array(20).fill(8)
const avax = (amount: bigint): AssetAmount => ({ assetID: AVAX, amount })
const tokens = (amount: bigint): AssetAmount => ({ assetID: token, amount })
const explanations = { export: {} as Explanation, import: {} as Explanation }
const call = { totalMs: 1_000 }
const ended: readonly EndedAttempt[] = []

const plan: MoveNote = {
  from: 'P',
  to: 'X',
  amount: 50n,
  assetID: AVAX,
  recipient: keys.addresses[0]!,
  maxFee: 9n,
}

/** Two chains: an import costs 10 nAVAX, of which an export reserves twice as much. */
function chains({ balance = 1_000n, importFee = 10n } = {}) {
  const exports: ExportOrder[] = []
  const imports: ImportOrder[] = []
  let released = 0
  const leg = (explanation: Explanation): Omit<LegDraft, 'exported' | 'arrives'> => ({
    fee: 4n,
    price: 1n,
    inputs: [],
    leftBehind: 3n,
    explanation,
    fromHeight: 0n,
    sign: async () => new Uint8Array(),
    release: () => {
      released++
    },
  })
  const side: Partial<Side> = {
    feeReserve: 2n,
    draftExport: async (order) => {
      exports.push(order)
      const exported = order.amounts === 'all' ? [avax(balance)] : order.amounts
      return { ...leg(explanations.export), exported, arrives: [] }
    },
    draftImport: async (order) => {
      imports.push(order)
      const sums = amountsOf(order.utxos)
      const left = sums.map((one) =>
        one.assetID === AVAX ? { ...one, amount: one.amount - importFee } : one,
      )
      if (left.some(({ amount }) => amount < 0n)) throw new RangeError('too little')
      if (sums.some(({ amount }) => amount > MAX_U64)) throw new RangeError('too much')
      const arrives = left.filter(({ amount }) => amount > 0n)
      return { ...leg(explanations.import), fee: importFee, exported: [], arrives }
    },
  }
  const sides = { X: side, P: side, C: side } as Sides
  const quote = (changes: Partial<MoveNote> = {}) =>
    quoteMove({ ...plan, ...changes }, sides, owner, local, call, ended)
  return { quote, exports, imports, released: () => released }
}

describe('quoteMove', () => {
  it('exports the amount and twice the fee of the import, and quotes both transactions', async () => {
    const { quote, exports, imports, released } = chains()
    const { quote: quoted, draft } = await quote()
    expect(exports).toEqual([
      { destinationChain: 'X', amounts: [avax(70n)], owner, maxFee: plan.maxFee },
    ])
    expect(quoted).toEqual({
      from: 'P',
      to: 'X',
      exported: [avax(70n)],
      arrives: [avax(60n)],
      leftBehind: 3n,
      exportFee: 4n,
      importFee: 10n,
      recipient: addressOf(keys),
      explanations,
    })
    expect(draft.explanation).toBe(explanations.export)
    // What is imported is what the export creates for its owner.
    expect(imports.at(-1)).toMatchObject({
      sourceChain: 'P',
      recipient: plan.recipient,
      maxFee: plan.maxFee,
      utxos: [
        {
          outputIndex: 0,
          assetID: AVAX,
          output: {
            type: 'secp256k1fx.TransferOutput',
            amount: 70n,
            locktime: 0n,
            threshold: 1,
            addresses: [owner],
          },
        },
      ],
    })
    expect(released()).toBe(0)
  })

  it('exports AVAX for the fee beside a token', async () => {
    const { quote, exports, imports } = chains()
    const { quote: quoted } = await quote({ assetID: token })
    expect(exports[0]!.amounts).toEqual([tokens(50n), avax(20n)])
    expect(imports.at(-1)!.utxos.map(({ outputIndex }) => outputIndex)).toEqual([0, 1])
    expect(quoted.arrives).toEqual([tokens(50n), avax(10n)])
  })

  it('exports everything, and drafts the import once', async () => {
    const { quote, exports, imports } = chains()
    const { quote: quoted } = await quote({ amount: 'all' })
    expect(exports[0]!.amounts).toBe('all')
    expect(imports).toHaveLength(1)
    expect(quoted).toMatchObject({ exported: [avax(1_000n)], arrives: [avax(990n)] })
  })

  it('refuses a move of which nothing arrives, and releases its UTXOs', async () => {
    const { quote, released } = chains({ balance: 10n })
    await expect(quote({ amount: 'all' })).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
    })
    expect(released()).toBe(1)
  })

  it('releases its UTXOs if the import cannot be drafted', async () => {
    const { quote, released } = chains({ balance: 9n })
    await expect(quote({ amount: 'all' })).rejects.toThrow(RangeError)
    expect(released()).toBe(1)
  })
})

it('quoteImport shows what an import pays of what was exported, and no export', async () => {
  const { quote } = chains()
  const { draft } = await quote({ amount: 'all' })
  const imported: LegDraft = { ...draft, arrives: [avax(6n)], explanation: explanations.import }
  expect(quoteImport(plan, [avax(10n)], imported, local)).toEqual({
    from: 'P',
    to: 'X',
    exported: [avax(10n)],
    arrives: [avax(6n)],
    leftBehind: 0n,
    exportFee: 0n,
    importFee: 4n,
    recipient: addressOf(keys),
    explanations: { import: explanations.import },
  })
})
