import { describe, expect, it } from 'vitest'
import { AvmError } from '../../../src/core/base/errors.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import type { Explanation } from '../../../src/core/sign/explain/explanation.ts'
import type { CallOptions } from '../../../src/node/http.ts'
import type { Rejection, RejectionCode } from '../../../src/node/issue/rejections.ts'
import type { Candidate } from '../../../src/wallet/evidence/pending.ts'
import { FEE_CHECK_MS } from '../../../src/wallet/machine/issuing.ts'
import { type MoveParts, MoveWork, type Waiting } from '../../../src/wallet/moves/move-work.ts'
import { decodeNote, encodeNote, type MoveNote } from '../../../src/wallet/moves/note.ts'
import {
  type AtomicUTXO,
  type ExportOrder,
  type ImportOrder,
  type LegDraft,
  type MoveChain,
  NO_HEIGHT,
  type Side,
  type Sides,
} from '../../../src/wallet/moves/side.ts'
import type { MoveQuote } from '../../../src/wallet/moves/types.ts'
import { StoreError } from '../../../src/wallet/store/errors.ts'
import type { Attempt } from '../../../src/wallet/store/store.ts'
import type { WalletState } from '../../../src/wallet/wallet-state.ts'
import { exportOnC as anExport, importOnP as anImport } from '../machine/setup.ts'
import { keys } from './setup.ts'

const { local } = networks
const id = (n: number) => new Uint8Array(32).fill(n)
const utxo = (n: number): UTXOID => ({ txID: id(n), outputIndex: 0 })
const atomic = (n: number, amount: bigint): AtomicUTXO => ({
  ...utxo(n),
  assetID: local.assetID,
  output: {
    type: 'secp256k1fx.TransferOutput',
    amount,
    locktime: 0n,
    threshold: 1,
    addresses: [keys.addresses[0]!],
  },
})
const plan: MoveNote = {
  from: 'C',
  to: 'P',
  amount: 50n,
  assetID: local.assetID,
  recipient: keys.addresses[0]!,
  maxFee: 9n,
}
const payments = [{ key: 'a', digest: id(0) }]
const exported: Attempt = { ...anExport, txID: id(1), inputs: [utxo(11)] }
const again: Attempt = { ...exported, txID: id(2), bytes: Uint8Array.of(2) }
const imported: Attempt = { ...anImport, txID: id(3), bytes: Uint8Array.of(3) }
const limits = { totalMs: 1_000, signal: undefined }
const order = { replaced: [], ended: [], exported: undefined }
const refusal = (code: RejectionCode) => ({ code, remembered: true }) as Rejection
const down = new AvmError('HTTP_UNREACHABLE', 'down')
/** What a server, a user or a device does takes a while. */
const later = () => new Promise((resolve) => setImmediate(resolve))

/** What the two chains of a move answer. */
type Answers = {
  /** The price of the next draft, and what an import of it pays. */
  price?: bigint
  arrives?: bigint
  /** The current price, if that of an attempt is too low. */
  above?: bigint | (() => Promise<bigint | undefined>)
  isListed?: boolean
  /** What the export creates, and what its destination lists. */
  created?: readonly AtomicUTXO[]
  listed?: readonly AtomicUTXO[]
  /** What has used the nonce of an export, or imported its UTXOs. */
  nextNonce?: bigint
  rival?: Candidate
  foreignImport?: Candidate
  pending?: readonly Attempt[]
  /** A code that a policy gives to imports. */
  danger?: string
  /** Another process has taken over the store. */
  isLost?: boolean
}

/** A move from C to P whose chains are given, and what it did. */
function scene(given: Answers = {}, { note = plan, options = {} as Waiting } = {}) {
  const answers = { price: 5n, arrives: 50n, isListed: true, ...given }
  const did: unknown[] = []
  const quotes: MoveQuote[] = []
  const exports: { order: ExportOrder; replaced: readonly Attempt[] }[] = []
  const imports: ImportOrder[] = []
  /** The chains of which the price was asked. */
  const priced: MoveChain[] = []
  const draft = (exportedAmount: bigint): LegDraft => ({
    fee: 4n,
    price: answers.price,
    inputs: [utxo(21)],
    exported: [{ assetID: local.assetID, amount: exportedAmount }],
    leftBehind: 0n,
    arrives: [{ assetID: local.assetID, amount: answers.arrives }],
    explanation: {
      warnings:
        answers.danger === undefined ? [] : [{ code: answers.danger, danger: true, message: 'no' }],
    } as unknown as Explanation,
    fromHeight: NO_HEIGHT,
    sign: async () => {
      did.push('sign')
      return Uint8Array.of(9)
    },
    release: () => {
      did.push('release')
    },
  })
  const sideOf = (chain: MoveChain): Partial<Side> => ({
    draftExport: async (asked, _call, replaced) => {
      exports.push({ order: asked, replaced })
      return draft(50n)
    },
    draftImport: async (asked) => {
      imports.push(asked)
      return draft(0n)
    },
    exportedBy: () => [...(answers.created ?? [atomic(1, 60n)])],
    importedBy: () => [utxo(1), utxo(5)],
    atomicUTXOs: async () => ({ utxos: answers.listed ?? [atomic(1, 60n)], disputed: [] }),
    priceAbove: async () => {
      priced.push(chain)
      return typeof answers.above === 'function' ? answers.above() : answers.above
    },
    spendsListed: async () => answers.isListed,
    nonceMismatch: async () =>
      answers.nextNonce === undefined
        ? undefined
        : { account: '0x', export: 1n, next: answers.nextNonce },
    findRival: async () => answers.rival as Candidate & { inputs: UTXOID[] },
    findImport: async () => {
      await later()
      did.push('search')
      return answers.foreignImport
    },
    feeReserve: 2n,
  })
  const state = {
    options: {},
    live: { nextHeight: 7n },
    pending: { claims: { attemptsFor: () => answers.pending ?? [] } },
    store: {
      assertOwned: async () => {
        await later()
        if (answers.isLost) throw new StoreError('STORE_LOST', 'taken over')
        did.push('assertOwned')
      },
    },
    outcomes: {
      decideBy: async ({ txID }: Candidate) => {
        await later()
        did.push(`ended by ${txID[0]}`)
      },
    },
    port: () => ({
      serverCount: () => 2,
      issue: async (_bytes: Uint8Array, turn: number, { timeoutMs }: CallOptions) => {
        await later()
        did.push(`issue ${turn} in ${timeoutMs} ms`)
        if (turn === 0) throw down
      },
    }),
  } as unknown as WalletState
  const parts: MoveParts = {
    state,
    sides: { X: sideOf('X'), P: sideOf('P'), C: sideOf('C') } as Sides,
    confirm: async (quote) => {
      await later()
      did.push('confirm')
      quotes.push(quote)
    },
    exportOwner: () => id(6).subarray(12),
  }
  const work = new MoveWork(parts, note, payments, local, options)
  return { work, did, quotes, exports, imports, priced, answers }
}

describe('a draft', () => {
  it('is an export first', async () => {
    const { work, exports, did, quotes } = scene()
    const { claim } = await (await work.draft(order, limits)).sign()
    expect(exports).toMatchObject([{ order: { destinationChain: 'P', maxFee: 9n }, replaced: [] }])
    expect(claim).toMatchObject({ kind: 'export', payments, bytes: Uint8Array.of(9) })
    expect(claim.leg).toMatchObject({ chain: 'C', inputs: [utxo(21)] })
    expect(decodeNote(claim.leg!.note)).toEqual(plan)
    expect(did).toEqual(['confirm', 'sign'])
    expect(work.quote).toBe(quotes[0])
  })

  it('of an export is refused, and releases its UTXOs, if a policy refuses the import', async () => {
    const { work, did } = scene({ danger: 'POLICY_RECIPIENT' })
    await expect(work.draft(order, limits)).rejects.toMatchObject({ code: 'POLICY_RECIPIENT' })
    expect(did).toEqual(['release'])
    // The caller accepts or refuses other dangers when it signs.
    await scene({ danger: 'HIGH_FEE' }).work.draft(order, limits)
  })

  it('is an import once the export was accepted, and claims its inputs as well', async () => {
    const { work, imports, did } = scene()
    const { claim } = await (await work.draft({ ...order, exported }, limits)).sign()
    expect(imports).toEqual([
      { sourceChain: 'C', utxos: [atomic(1, 60n)], recipient: plan.recipient, maxFee: 9n },
    ])
    expect(claim).toMatchObject({ kind: 'import', leg: { chain: 'P' } })
    expect(claim.leg!.inputs).toEqual([utxo(21), utxo(11)])
    expect(did).toEqual(['sign'])
  })

  it('is an export with the same amounts if it replaces exports', async () => {
    const { work, exports } = scene()
    const { claim } = await (
      await work.draft({ ...order, replaced: [exported, again] }, limits)
    ).sign()
    expect(claim.kind).toBe('export')
    expect(exports).toEqual([
      {
        order: {
          destinationChain: 'P',
          amounts: [{ assetID: local.assetID, amount: 60n }],
          owner: id(6).subarray(12),
          maxFee: 9n,
        },
        replaced: [exported, again],
      },
    ])
    const whole = scene({}, { note: { ...plan, amount: 'all' } })
    await whole.work.draft({ ...order, replaced: [exported] }, limits)
    expect(whole.exports[0]!.order.amounts).toBe('all')
  })

  it('is an import of the same UTXOs if it replaces an import', async () => {
    const { work, imports } = scene()
    const replaced = [exported, again, imported]
    const { claim } = await (await work.draft({ ...order, replaced, exported }, limits)).sign()
    expect(claim.kind).toBe('import')
    expect(imports[0]!.utxos).toEqual([atomic(1, 60n)])
  })

  it('is an import of those UTXOs that are listed if it replaces one of stray UTXOs', async () => {
    const listed = [atomic(5, 8n), atomic(6, 9n)]
    const { work, imports } = scene({ listed })
    await work.draft({ ...order, replaced: [imported] }, limits)
    expect(imports[0]!.utxos).toEqual([atomic(5, 8n)])
  })
})

describe('the height from which blocks are read for a claim', () => {
  const cases = [
    ['export', 'X', 'P', NO_HEIGHT],
    // A block of X may contain an import by another holder of the keys.
    ['export', 'P', 'X', 7n],
    ['export', 'C', 'P', NO_HEIGHT],
    ['import', 'C', 'X', NO_HEIGHT],
  ] as const
  for (const [kind, from, to, height] of cases)
    it(`is ${height === 7n ? 'the next one' : 'that of the draft'} for an ${kind} from ${from} to ${to}`, async () => {
      const { work } = scene({}, { note: { ...plan, from, to } })
      const draft = { fromHeight: NO_HEIGHT, inputs: [], sign: async () => id(0) } as never
      expect((await work.signable(kind, draft).sign()).claim.fromHeight).toBe(height)
    })
})

describe('an import that pays less than the amount', () => {
  const importOf = async (arrives: bigint, amount: MoveNote['amount'] = 50n) => {
    const made = scene({ arrives }, { note: { ...plan, amount } })
    await (await made.work.draft({ ...order, exported }, limits)).sign()
    return made
  }
  it('is confirmed before it is signed', async () => {
    const { did, quotes } = await importOf(49n)
    expect(did).toEqual(['confirm', 'sign'])
    expect(quotes).toMatchObject([
      { exported: [{ amount: 60n }], arrives: [{ amount: 49n }], exportFee: 0n },
    ])
  })
  it('is not if it pays the amount, or everything is moved', async () => {
    expect((await importOf(50n)).did).toEqual(['sign'])
    expect((await importOf(1n, 'all')).did).toEqual(['sign'])
  })
})

describe('a replacement', () => {
  const compared = async (
    price: bigint,
    above: bigint | undefined,
    replaced: readonly Attempt[],
  ) => {
    const made = scene({ price, ...(above === undefined ? {} : { above }) })
    const comparison = await made.work.compare(
      { attempt: replaced.at(-1)!, exported: undefined, rejection: undefined },
      limits,
    )
    expect(comparison).toBe(above === undefined ? 'current' : 'outdated')
    return { ...made, draft: () => made.work.draft({ ...order, replaced }, limits) }
  }
  for (const [kind, replaced] of [
    ['export', [exported]],
    ['import', [exported, imported]],
  ] as const) {
    it(`of an ${kind} pays the price that made it necessary`, async () => {
      await (await compared(8n, 8n, replaced)).draft()
      await (await compared(9n, 8n, replaced)).draft()
    })
    it(`of an ${kind} is refused, and releases its UTXOs, below that price`, async () => {
      const { draft, did } = await compared(7n, 8n, replaced)
      await expect(draft()).rejects.toMatchObject({ code: 'REPLY_MISMATCH', field: 'price' })
      expect(did).toEqual(['release'])
    })
    it(`of an ${kind} pays any price if the price was not the reason`, async () => {
      await (await compared(0n, undefined, replaced)).draft()
    })
  }
  it('pays any price if nothing was compared', async () => {
    await scene({ price: 0n }).work.draft({ ...order, replaced: [exported] }, limits)
  })
  it('is not the import after an export that was replaced: prices of chains differ', async () => {
    const { draft, work, answers } = await compared(8n, 8n, [exported])
    await draft()
    answers.price = 3n
    await work.draft({ ...order, exported }, limits)
  })
  it('needs no price of an earlier comparison', async () => {
    const { work, answers } = scene({ above: 8n, price: 7n })
    const asked = { attempt: exported, exported: undefined, rejection: undefined }
    await work.compare(asked, limits)
    delete answers.above
    await work.compare(asked, limits)
    await work.draft({ ...order, replaced: [exported] }, limits)
  })
})

describe('a draft of the C-Chain', () => {
  /** The base fee is above that of what is signed, a number of times. */
  const signed = async (times: number, note: Partial<MoveNote> = {}) => {
    let asked = 0
    const above = async () => (asked++ < times ? 99n : undefined)
    const made = scene({ above }, { note: { ...plan, ...note } })
    const draft = await made.work.draft(order, limits)
    await draft.sign()
    return { ...made, asked: () => asked, draft }
  }
  it('is signed once if its fee suffices', async () => {
    expect((await signed(0)).did).toEqual(['confirm', 'sign'])
  })
  it('is drafted, confirmed and signed again while the base fee is above it, at most three times', async () => {
    const round = ['confirm', 'sign']
    const twice = await signed(1)
    expect(twice.did).toEqual([...round, 'release', ...round])
    expect(twice.exports).toHaveLength(2)
    const { did, asked, draft } = await signed(9)
    expect(did.filter((one) => one === 'sign')).toHaveLength(4)
    expect(asked()).toBe(3)
    draft.release()
    expect(did.slice(-2)).toEqual(['sign', 'release'])
  })
  it('is signed once on other chains, or if no server answers', async () => {
    const { did, asked } = await signed(9, { from: 'P', to: 'X' })
    expect([did, asked()]).toEqual([['confirm', 'sign'], 0])
    const silent = scene({ above: () => Promise.reject(down) })
    await (await silent.work.draft(order, limits)).sign()
    expect(silent.did).toEqual(['confirm', 'sign'])
  })
})

describe('compare', () => {
  const compare = async (
    given: Answers,
    rejection: RejectionCode | undefined,
    attempt: Attempt = imported,
    of: Attempt | undefined = undefined,
  ) => {
    const { work, did } = scene(given)
    const asked = { attempt, exported: of, rejection: rejection && refusal(rejection) }
    return [await work.compare(asked, limits), did]
  }

  const nonce: Answers = { pending: [exported, again], nextNonce: 2n }
  it('finds an export useless whose nonce is used, which ends it by what has used it', async () => {
    expect(await compare(nonce, 'WRONG_NONCE', exported)).toEqual(['useless', []])
    const rival = { txID: id(8), inputs: [] }
    expect(await compare({ ...nonce, rival }, 'WRONG_NONCE', exported)).toEqual([
      'useless',
      ['ended by 8'],
    ])
  })
  it('finds an export current whose nonce is not used yet', async () => {
    expect(await compare({ ...nonce, nextNonce: 0n }, 'WRONG_NONCE', exported)).toEqual([
      'current',
      [],
    ])
    expect(await compare({ nextNonce: 2n }, 'WRONG_NONCE', exported)).toEqual(['current', []])
    expect(await compare(nonce, 'TIMELOCKED', exported)).toEqual(['current', []])
  })

  it('issues an export again whose UTXOs no server finds, and looks for another import of them', async () => {
    const missing = 'ATOMIC_UTXO_NOT_FOUND'
    const issued = ['assertOwned', 'issue 0 in 1000 ms', 'issue 1 in 1000 ms']
    expect(await compare({ listed: [] }, missing, imported, exported)).toEqual([
      'current',
      [...issued, 'search'],
    ])
    const foreignImport = { txID: id(8), inputs: [] }
    expect(await compare({ listed: [], foreignImport }, missing, imported, exported)).toEqual([
      'current',
      [...issued, 'search', 'ended by 8'],
    ])
    // Nothing is missing.
    const listed = [atomic(1, 60n), atomic(5, 1n)]
    expect(await compare({ listed }, missing, imported, exported)).toEqual(['current', issued])
    // Others have exported it.
    expect(await compare({ listed, isListed: false }, missing)).toEqual(['outdated', []])
    expect(await compare({ listed }, missing, again, undefined)).toEqual(['current', []])
  })

  it('looks for another import once per call', async () => {
    const { work, did } = scene({ listed: [] })
    const asked = { attempt: imported, exported, rejection: refusal('UTXO_NOT_FOUND') }
    await work.compare(asked, limits)
    await work.compare(asked, limits)
    expect(did.filter((one) => one === 'search')).toHaveLength(1)
    expect(did.filter((one) => one === 'issue 1 in 1000 ms')).toHaveLength(2)
  })
})

it('compare asks the chain of an attempt, which for a cancellation of a move is X', async () => {
  const { work, priced } = scene()
  const attempts = [
    exported,
    imported,
    { ...anExport, kind: 'cancellation', leg: undefined } as const,
  ]
  for (const attempt of attempts)
    await work.compare({ attempt, exported: undefined, rejection: undefined }, limits)
  expect(priced).toEqual(['C', 'P', 'X'])
})

describe('list', () => {
  it('is undefined if everything is listed that was exported', async () => {
    const { work } = scene({ listed: [atomic(5, 1n), atomic(1, 60n)] })
    expect(await work.list(exported, limits)).toBeUndefined()
  })
  it('is the reason if anything is missing', async () => {
    const { work } = scene({ listed: [atomic(5, 1n)] })
    expect(await work.list(exported, limits)).toMatchObject({ code: 'UTXO_NOT_FOUND' })
    const half = scene({ created: [atomic(1, 60n), atomic(5, 1n)], listed: [atomic(5, 1n)] })
    expect(await half.work.list(exported, limits)).toMatchObject({ code: 'UTXO_NOT_FOUND' })
  })
})

it('reissue sends an export to every server, and looks for another import', async () => {
  const { work, did } = scene({ listed: [] })
  await work.reissue(exported, { ...limits, totalMs: 60_000 })
  const ms = FEE_CHECK_MS
  expect(did).toEqual(['assertOwned', `issue 0 in ${ms} ms`, `issue 1 in ${ms} ms`, 'search'])
})

it('reissue sends nothing if another process has taken over the store', async () => {
  const { work, did } = scene({ isLost: true })
  await expect(work.reissue(exported, limits)).rejects.toMatchObject({ code: 'STORE_LOST' })
  await later()
  expect(did).toEqual([])
})

it('unfinished names what was found missing in the call, and asks nobody again', async () => {
  const listed: AtomicUTXO[] = []
  const { work } = scene({ listed })
  const attempts = [{ ...exported, leg: { ...exported.leg!, note: encodeNote(plan) } }]
  const move = { payments, attempts, exported, error: down }
  expect(await work.unfinished(move)).toMatchObject({ move: { stage: 'exported', missing: [] } })
  await work.reissue(exported, limits)
  expect(await work.unfinished(move)).toMatchObject({ move: { missing: [utxo(1)] } })
})
