import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { MAX_U64 } from '../../../src/core/base/integers.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { decodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import type { Database } from '../../../src/custody/database/database.ts'
import { amountOf } from '../../../src/custody/database/values.ts'
import {
  fundCancellation,
  fundPayouts,
  lockUTXOs,
  unlockedAt,
  unspentUTXOs,
} from '../../../src/custody/payouts/funding.ts'
import type { TakenPayout } from '../../../src/custody/payouts/queue.ts'
import type { CustodyLimits } from '../../../src/custody/settings.ts'
import { withoutTriggers } from '../postgres.ts'
import { AVAX, FEE, scene } from '../setup.ts'

const bytes = (n: number, length: number) => new Uint8Array(length).fill(n)
const [tokenA, tokenB] = [bytes(0xa, 32), bytes(0xb, 32)]

let numbers = 0

/** Adds UTXOs that no block has created, each with a transaction ID of its own, and returns them in this order. */
async function addUTXOs(
  database: Database,
  amounts: readonly bigint[],
  assetID: Uint8Array,
  address: Uint8Array,
  columns = '',
): Promise<UTXO[]> {
  const first = numbers
  numbers += amounts.length
  const rows = await database.query<{ utxo: Uint8Array }>(
    `INSERT INTO @.outputs (tx_id, output_index, asset_id, amount, address, wallet, kind, origin, is_simple, locktime,
       height, utxo)
     SELECT t, 0, $3, n, $4, 'hot', 'plain', 'other', true, 0, 1, '\\x0000'::bytea || t || int4send(0) || $3
       || int4send(7) || decode(lpad(to_hex(div(n, 4294967296)::bigint), 8, '0') || lpad(to_hex(mod(n, 4294967296)::bigint), 8, '0'), 'hex')
       || int8send(0) || int4send(1) || int4send(1) || $4
     FROM unnest($1::bytea[], $2::numeric[]) WITH ORDINALITY AS given(t, n, i) ORDER BY i RETURNING utxo`,
    [
      amounts.map((_, i) => {
        const txID = new Uint8Array(32)
        new DataView(txID.buffer).setUint32(0, first + i)
        return txID
      }),
      amounts,
      assetID,
      address,
    ],
  )
  const utxos = rows.map(({ utxo }) => decodeUTXO(new Uint8Array(utxo)))
  const ids = utxos.map(({ txID }) => `'\\x${hex.encode(txID)}'`).join()
  if (columns !== '')
    await withoutTriggers(database, `UPDATE @.outputs SET ${columns} WHERE tx_id IN (${ids})`)
  return utxos
}

/** Tables with UTXOs of the hot wallet, and the settings of a worker that splits no change. */
async function wallet(
  utxos: {
    readonly avax?: readonly bigint[]
    readonly a?: readonly bigint[]
    readonly b?: readonly bigint[]
  } = {},
  limits: Partial<CustodyLimits> = {},
) {
  const { settings, database } = await scene()
  const own = await settings({ limits: { spareUTXOs: 0, ...limits } })
  const avax = own.context.assetID
  const [owner] = own.hot as [Uint8Array]
  const add = (amounts: readonly bigint[], assetID = avax, columns = '') =>
    addUTXOs(database, amounts, assetID, owner, columns)
  await add(utxos.avax ?? [])
  await add(utxos.a ?? [], tokenA)
  await add(utxos.b ?? [], tokenB)
  const names = new Map([
    [formatID(avax), 'AVAX'],
    [formatID(tokenA), 'A'],
    [formatID(tokenB), 'B'],
  ])
  const nameOf = (assetID: Uint8Array) => names.get(formatID(assetID))!
  let taken = 0
  /** A payout of an asset; further ones have higher numbers. */
  const payout = (asset: 'AVAX' | 'A' | 'B', amount: bigint, isPassable = false): TakenPayout => {
    const seq = String(++taken)
    return {
      seq,
      key: seq,
      digest: bytes(1, 32),
      address: bytes(taken, 20),
      assetID: asset === 'AVAX' ? avax : asset === 'A' ? tokenA : tokenB,
      amount,
      memo: new Uint8Array(),
      priority: 0,
      reference: undefined,
      isReleased: false,
      hasEnded: false,
      isPassable,
    }
  }
  /** What `fundPayouts` decides, in texts. */
  const fund = async (payouts: readonly TakenPayout[], pinned: readonly UTXO[] = []) => {
    const found = await database.transaction((tx) => fundPayouts(tx, own, payouts, pinned))
    const { missing, short, passed, scattered, unpayable, draft } = found
    const decided = {
      paid: found.payouts.map(({ seq }) => seq).join(' '),
      missing: missing.map(
        ({ assetID, amount, seq }) => `${seq ?? '-'}: ${amount} ${nameOf(assetID)}`,
      ),
      short: [...new Set(short.map(nameOf))].join(' '),
      passed: (passed ?? []).map(({ seq }) => seq).join(' '),
      scattered: scattered && `${scattered.amount} ${nameOf(scattered.assetID)}`,
      unpayable: unpayable?.payout.seq,
    }
    const isMade = decided.paid !== '' || payouts.length === 0
    expect(draft !== undefined).toBe(isMade)
    return { decided, draft: draft as Draft }
  }
  return { database, own, owner, avax, add, payout, fund }
}

const NOTHING = {
  paid: '',
  missing: [] as string[],
  short: '',
  passed: '',
  scattered: undefined as string | undefined,
  unpayable: undefined as string | undefined,
}

/** Amounts of the outputs that are not for payouts to addresses of one repeated byte below 100. */
const changeOf = ({ unsignedTx }: Draft) =>
  unsignedTx.outputs
    .filter(
      ({ output }) => !output.addresses[0]!.every((byte, _, all) => byte === all[0] && byte < 100),
    )
    .map(({ output }) => amountOf(output))

const sum = (amounts: readonly bigint[]) => amounts.reduce((a, b) => a + b, 0n)

describe('fundPayouts', () => {
  it.each<[string, bigint, object]>([
    ['exactly', 2n * AVAX + FEE, { paid: '1' }],
    ['but for the smallest unit', 2n * AVAX + FEE - 1n, { missing: ['1: 1 AVAX'], short: 'AVAX' }],
    ['except for a part', AVAX + FEE, { missing: [`1: ${AVAX} AVAX`], short: 'AVAX' }],
    // The fee is missing for the transaction, not for a row.
    ['not even with its fee', FEE - 1n, { missing: [`-: ${2n * AVAX + 1n} AVAX`], short: 'AVAX' }],
    ['only with its fee', FEE, { missing: [`1: ${2n * AVAX} AVAX`], short: 'AVAX' }],
  ])('compares a payout with UTXOs that cover it %s', async (_, amount, expected) => {
    const { fund, payout } = await wallet({ avax: [amount] })
    const { decided } = await fund([payout('AVAX', 2n * AVAX)])
    expect(decided).toEqual({ ...NOTHING, ...expected })
  })

  it('needs the fee for payouts of other assets, too', async () => {
    const { fund, payout, add } = await wallet({ a: [10n], avax: [FEE - 3n] })
    const token = payout('A', 10n)
    expect((await fund([token])).decided).toEqual({
      ...NOTHING,
      missing: ['-: 3 AVAX'],
      short: 'A',
    })
    await add([3n])
    expect((await fund([token])).decided).toEqual({ ...NOTHING, paid: '1' })
  })

  it('keeps later payouts of an asset waiting behind one that is short, and no others', async () => {
    const { fund, payout } = await wallet({ a: [10n], b: [5n], avax: [FEE] })
    const payouts = [payout('A', 4n), payout('A', 7n), payout('A', 1n), payout('B', 5n)]
    const { decided, draft } = await fund(payouts)
    // Of the asset A the first and the second together need 11.
    expect(decided).toEqual({ ...NOTHING, paid: '1 4', missing: ['2: 1 A'] })
    expect(changeOf(draft)).toEqual([6n])
  })

  it('makes later payouts before one that has waited long enough, also before a further one', async () => {
    const { fund, payout } = await wallet({ a: [10n], avax: [FEE] })
    const payouts = [payout('A', 11n, true), payout('A', 12n), payout('A', 10n), payout('A', 1n)]
    const { decided } = await fund(payouts)
    expect(decided).toEqual({ ...NOTHING, paid: '3', missing: ['1: 1 A', '2: 2 A', '4: 1 A'] })
  })

  it('names what was passed over if nothing can be made', async () => {
    const { fund, payout } = await wallet({ a: [10n], b: [1n], avax: [FEE] })
    const { decided } = await fund([payout('A', 11n, true), payout('B', 2n), payout('A', 12n)])
    // Later payouts of the asset A need not wait for those of this batch.
    const missing = ['1: 1 A', '3: 2 A', '2: 1 B']
    expect(decided).toEqual({ ...NOTHING, missing, short: 'B', passed: '1 3' })
  })

  it('reports only what is missing once the change of pending transactions is back', async () => {
    const { fund, payout, add, database, avax } = await wallet({ a: [10n], avax: [FEE] })
    const short = payout('A', 20n)
    const missing = async () => (await fund([short])).decided.missing
    expect(await missing()).toEqual(['1: 10 A'])
    await add([9n], tokenA, 'claimed = true')
    expect(await missing()).toEqual(['1: 1 A'])
    // Of another asset, and spent by a block already.
    await add([5n], avax, 'claimed = true')
    await add([5n], tokenA, `claimed = true, spent_tx = tx_id`)
    expect(await missing()).toEqual(['1: 1 A'])
    // A pending transaction that spends the 9 pays 8 of them.
    await withoutTriggers(
      database,
      `INSERT INTO @.payments (key, digest, status, address, asset_id, amount)
       SELECT 'p', asset_id, 'pending', address, asset_id, 8 FROM @.outputs WHERE amount = 9`,
    )
    expect(await missing()).toEqual(['1: 9 A'])
    await add([8n], tokenA, 'claimed = true')
    expect(await missing()).toEqual(['1: 1 A'])
    // Exactly enough: nothing is missing, although the payout has to wait.
    await add([1n], tokenA, 'claimed = true')
    expect((await fund([short])).decided).toEqual({ ...NOTHING, short: 'A' })
  })

  it.each([
    [MAX_U64 - 2n ** 63n, '1 2'],
    [MAX_U64 - 2n ** 63n + 1n, '1'],
  ])('pays of an asset at most 2^64 − 1: 2^63 and %d', async (second, paid) => {
    const { fund, payout } = await wallet({ a: [2n ** 63n, second], avax: [FEE] })
    const { decided } = await fund([payout('A', 2n ** 63n), payout('A', second)])
    // The second one is not short, and does not wait for funds.
    expect(decided).toEqual({ ...NOTHING, paid })
  })

  it('keeps later payouts of an asset behind one that would exceed 2^64 − 1, and no others', async () => {
    const { fund, payout } = await wallet({
      a: [2n ** 63n, 2n ** 63n - 1n, 1n],
      b: [1n],
      avax: [FEE],
    })
    const half = 2n ** 63n
    const payouts = [payout('A', half), payout('A', half), payout('A', 5n), payout('B', 1n)]
    expect((await fund(payouts)).decided).toEqual({ ...NOTHING, paid: '1 4' })
  })

  it('holds a payout whose inputs would add up to more than 2^64 − 1', async () => {
    const { fund, payout } = await wallet({ a: [2n ** 63n + 1n, 2n ** 63n], avax: [FEE] })
    const { decided } = await fund([payout('A', 2n ** 63n + 2n)])
    expect(decided).toEqual({ ...NOTHING, unpayable: '1' })
  })

  it('selects from 384 UTXOs of an asset; if there may be more, they must be consolidated', async () => {
    const { fund, payout, add } = await wallet({ a: Array(383).fill(1n), avax: [FEE] })
    const [most, more] = [payout('A', 384n), payout('A', 385n)]
    expect((await fund([most])).decided).toEqual({ ...NOTHING, missing: ['1: 1 A'], short: 'A' })
    await add([1n], tokenA)
    const { decided, draft } = await fund([most])
    expect(decided).toEqual({ ...NOTHING, paid: '1' })
    expect(draft.unsignedTx.inputs).toHaveLength(385)
    expect((await fund([more])).decided).toEqual({ ...NOTHING, short: 'A', scattered: '1 A' })
    // Those of another asset are not the reason, and are reported.
    const other = payout('B', 2n)
    expect((await fund([more, other])).decided).toEqual({
      ...NOTHING,
      missing: [`${other.seq}: 2 B`],
      short: 'A B',
      scattered: '1 A',
    })
  })

  it('makes half of the payouts if their inputs do not fit into a transaction', async () => {
    const many = Array<bigint>(250).fill(1n)
    const { fund, payout } = await wallet({ a: many, b: many, avax: [FEE] })
    const [first, second] = [payout('A', 250n), payout('B', 250n)]
    expect((await fund([first, second])).decided).toEqual({ ...NOTHING, paid: '1' })
  })

  it('asks for the asset with the most UTXOs to be consolidated if one payout needs too many', async () => {
    const many = Array<bigint>(200).fill(FEE / 200n)
    const { fund, payout } = await wallet({ avax: many, a: Array(300).fill(1n) })
    const { decided } = await fund([payout('A', 300n)])
    expect(decided).toEqual({ ...NOTHING, short: 'A', scattered: '0 A' })
  })

  it('spends what is pinned, whoever owns it, and counts it', async () => {
    const { fund, payout, database, avax, own } = await wallet({ avax: [FEE, AVAX] })
    const pinned = await addUTXOs(database, [AVAX], avax, bytes(0xdd, 20))
    const { decided, draft } = await fund([payout('AVAX', 2n * AVAX)], pinned)
    expect(decided).toEqual({ ...NOTHING, paid: '1' })
    expect(draft.unsignedTx.inputs).toHaveLength(3)
    // Without payouts it goes back to the hot wallet.
    const alone = await fund([], pinned)
    expect(alone.decided).toEqual(NOTHING)
    expect(alone.draft.utxos.map(({ txID }) => txID)).toEqual(pinned.map(({ txID }) => txID))
    expect(alone.draft.unsignedTx.outputs.map(({ output }) => output.addresses[0])).toEqual([
      own.hot[0],
    ])
    expect(changeOf(alone.draft)).toEqual([AVAX - FEE])
    // A payout that is short is not replaced by nothing.
    expect((await fund([payout('AVAX', 3n * AVAX)], pinned)).decided.paid).toBe('')
  })

  it.each([
    ['is more than enough', 2n * AVAX, [], 0],
    ['is exactly enough', 3n * AVAX - FEE, [], 0],
    ['lacks one unit', 3n * AVAX - FEE + 1n, [AVAX], 2],
  ])(
    'locks other UTXOs only if what is pinned is not enough: it %s',
    async (_, amount, added, locked) => {
      const { payout, database, avax, own, owner, add } = await wallet({ avax: [AVAX, AVAX] })
      const pinned = await add([3n * AVAX])
      const free = await database.transaction(async (tx) => {
        const { draft } = await fundPayouts(tx, own, [payout('AVAX', amount)], pinned)
        const spent = draft!.utxos.map(({ output }) => amountOf(output))
        expect(spent.toSorted()).toEqual([...added, 3n * AVAX].toSorted())
        // As another worker sees it.
        return database.transaction((other) =>
          lockUTXOs(other, 'hot', [owner], avax, 99n * AVAX, pinned),
        )
      })
      expect(free).toHaveLength(2 - locked)
    },
  )

  describe('splits change', () => {
    /** Amounts of the change of a payout of 1 AVAX from one UTXO. */
    const split = async (utxo: bigint, spareUTXOs: number, others: readonly bigint[] = []) => {
      const { fund, payout } = await wallet({ avax: [utxo, ...others] }, { spareUTXOs })
      const { draft } = await fund([payout('AVAX', AVAX)])
      expect(draft.unsignedTx.inputs).toHaveLength(1)
      const change = changeOf(draft)
      expect(sum(change)).toBe(utxo - AVAX - FEE)
      return change.toSorted((a, b) => (a < b ? -1 : 1))
    }
    const batch = AVAX + FEE

    it.each([
      // The UTXO that is spent is still one of those that are present.
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 3],
      [9, 8],
      [16, 8],
    ])('until there are %d UTXOs: into %d', async (spareUTXOs, parts) => {
      const change = await split(100n * AVAX, spareUTXOs)
      const each = (100n * AVAX - batch) / BigInt(parts)
      expect(change).toHaveLength(parts)
      expect(change.slice(0, -1)).toEqual(Array(parts - 1).fill(each))
    })

    it.each([
      [2n * batch - 1n, 1],
      [2n * batch, 2],
      [3n * batch - 1n, 2],
      [3n * batch, 3],
    ])('of %d so that each part pays for another batch: into %d', async (change, parts) => {
      expect(await split(batch + change, 16)).toHaveLength(parts)
    })

    it('but not of a draft that spends what is pinned', async () => {
      const { fund, payout, add } = await wallet({}, { spareUTXOs: 16 })
      const { draft } = await fund([payout('AVAX', AVAX)], await add([100n * AVAX]))
      expect(changeOf(draft)).toHaveLength(1)
    })

    it('and does not count UTXOs that only show something', async () => {
      // One unit each: outputs of cancellations.
      expect(await split(100n * AVAX, 4, [1n, 1n, 1n])).toHaveLength(3)
      expect(await split(100n * AVAX, 4, [2n, 2n])).toHaveLength(1)
    })
  })
})

describe('fundCancellation', () => {
  const cancel = async (amount: bigint, count: number, others: readonly bigint[] = []) => {
    const { own, add, database } = await wallet()
    const pinned = await add([amount])
    await add(others)
    const draft = await database.transaction((tx) => fundCancellation(tx, own, pinned, count))
    if (draft === undefined) return undefined
    expect(draft.unsignedTx.inputs.map(({ txID }) => txID)).toContainEqual(pinned[0]!.txID)
    const spent = sum(draft.utxos.map(({ output }) => amountOf(output)))
    const amounts = draft.unsignedTx.outputs.map(({ output }) => amountOf(output))
    expect(sum(amounts)).toBe(spent - FEE)
    for (const { output } of draft.unsignedTx.outputs)
      expect(output.addresses).toEqual([own.hot[0]])
    return { inputs: draft.utxos.length, outputs: amounts.length, size: draft.signedSize }
  }

  it.each([
    ['as its change', AVAX, 1, [], 1],
    ['for each of several', AVAX, 3, [], 1],
    ['of one unit each, if that is all', FEE + 3n, 3, [AVAX], 1],
    ['from another UTXO, if one unit is missing', FEE + 2n, 3, [AVAX], 2],
    ['from another UTXO, if all of them are', FEE, 3, [AVAX], 2],
  ])('has an output for a payout: %s', async (_, amount, count, others, inputs) => {
    const found = await cancel(amount, count, others)
    expect(found!.inputs).toBe(inputs)
    expect(found!.outputs).toBeGreaterThanOrEqual(count)
  })

  it.each([
    [FEE + 2n, 3, []],
    [FEE, 1, []],
    [FEE - 2n, 1, [2n]],
  ])('is undefined for lack of funds: %d for %d outputs', async (amount, count, others) => {
    expect(await cancel(amount, count, others)).toBeUndefined()
  })

  it.each([1, 200])('has as many outputs as fit beside %d inputs', async (inputs) => {
    const { own, add, database } = await wallet()
    const pinned = await add(Array(inputs).fill(AVAX))
    const draft = await database.transaction((tx) => fundCancellation(tx, own, pinned, 5_000))
    expect(draft!.unsignedTx.inputs).toHaveLength(inputs)
    // The network takes at most 64 KiB.
    expect(draft!.signedSize).toBeLessThanOrEqual(65_536)
    expect(draft!.signedSize).toBeGreaterThan(64_000)
  })

  it.each([
    [FEE + 3n, 2],
    [FEE + 2n, 0],
  ])(
    'locks other UTXOs only if what is pinned is not enough: %d for 3 outputs',
    async (amount, free) => {
      const { own, owner, avax, add, database } = await wallet({ avax: [AVAX, AVAX] })
      const pinned = await add([amount])
      const others = await database.transaction(async (tx) => {
        await fundCancellation(tx, own, pinned, 3)
        return database.transaction((other) =>
          lockUTXOs(other, 'hot', [owner], avax, 99n * AVAX, pinned),
        )
      })
      expect(others).toHaveLength(free)
    },
  )

  it('spends a UTXO of another asset back, and takes the fee from the hot wallet', async () => {
    const { own, add, database } = await wallet({ avax: [2n * AVAX] })
    const pinned = await add([7n], tokenA)
    const draft = await database.transaction((tx) => fundCancellation(tx, own, pinned, 1))
    const amounts = draft!.unsignedTx.outputs.map(({ output }) => amountOf(output))
    expect(new Set(amounts)).toEqual(new Set([7n, 2n * AVAX - FEE]))
  })
})

describe('lockUTXOs', () => {
  const lock = async (
    { database, owner }: Awaited<ReturnType<typeof wallet>>,
    amount: bigint,
    except: readonly UTXO[] = [],
  ) => {
    const locked = await database.transaction((tx) =>
      lockUTXOs(tx, 'hot', [owner], tokenA, amount, except),
    )
    return locked.map(({ output }) => amountOf(output))
  }

  it('takes the largest ones, and more if these are not enough', async () => {
    const at = await wallet({ a: Array.from({ length: 40 }, (_, i) => BigInt(i + 1)) })
    const largest = Array.from({ length: 40 }, (_, i) => BigInt(40 - i))
    expect(await lock(at, 40n + 39n + 38n + 37n)).toEqual(largest.slice(0, 4))
    const more = await lock(at, 40n + 39n + 38n + 37n + 1n)
    expect(more.length).toBeGreaterThan(4)
    expect(more).toEqual(largest.slice(0, more.length))
    expect(await lock(at, 820n)).toEqual(largest)
    // All that there are.
    expect(await lock(at, 821n)).toEqual(largest)
  })

  it('takes no more than 384', async () => {
    const at = await wallet({ a: Array(386).fill(2n) })
    expect(await lock(at, 2n * 386n)).toHaveLength(384)
  })

  it.each([
    ['of another asset', `asset_id = '\\x${'0b'.repeat(32)}'`],
    ['of another wallet', `wallet = 'cold'`],
    ['of an address that is not given', `address = '\\x${'05'.repeat(20)}'`],
    ['that a block has spent', 'spent_tx = asset_id'],
    ['of a block that was taken back', 'spent_tx = tx_id'],
    ['that a pending transaction spends', 'claimed = true'],
    ['that needs other signatures', 'is_simple = false'],
    ['that is locked', 'locktime = extract(epoch FROM now()) + 60'],
    // Clocks of nodes may be behind.
    ['that was locked until now', 'locktime = floor(extract(epoch FROM now()))'],
  ])('leaves a UTXO out %s', async (_, columns) => {
    const at = await wallet({ a: [1n] })
    await at.add([5n], tokenA, columns)
    expect(await lock(at, 6n)).toEqual([1n])
  })

  it('leaves out those that are named, and those of a draft', async () => {
    const at = await wallet({ a: [1n] })
    const [named] = await at.add([5n], tokenA)
    expect(await lock(at, 6n, [named!])).toEqual([1n])
    const [draft] = await at.database.query<{ id: string }>(
      `INSERT INTO @.drafts (worker, purpose, expires_at) VALUES ('w', 'payout', now() + interval '1 hour') RETURNING id`,
    )
    await at.add([7n], tokenA, `draft = ${draft!.id}`)
    expect(await lock(at, 13n)).toEqual([5n, 1n])
  })

  it('takes a UTXO whose locktime has passed', async () => {
    const at = await wallet({ a: [1n] })
    await at.add([5n], tokenA, 'locktime = floor(extract(epoch FROM now())) - 60')
    expect(await lock(at, 6n)).toEqual([5n, 1n])
  })
})

describe('unspentUTXOs', () => {
  it.each([
    ['unspent', 'claimed = false', true],
    ['that a pending transaction spends', 'claimed = true', true],
    ['that a block has spent', 'spent_tx = asset_id', false],
    ['that needs other signatures', 'is_simple = false', false],
  ])('looks for UTXOs by ID: one %s', async (_, columns, isFound) => {
    const { add, database } = await wallet({ a: [1n] })
    const [utxo] = await add([5n], tokenA, columns)
    const found = await database.transaction((tx) => unspentUTXOs(tx, [utxo!]))
    expect(found).toEqual(isFound ? [utxo] : [])
  })
})

describe('unlockedAt', () => {
  const locked = (...locktimes: bigint[]) =>
    locktimes.map((locktime) => ({ output: { locktime } }) as UTXO)

  it('is the latest locktime, 0 without any', () => {
    expect(unlockedAt([])).toBe(0n)
    expect(unlockedAt(locked(0n, 0n))).toBe(0n)
    expect(unlockedAt(locked(5n, 9n, 7n))).toBe(9n)
    expect(unlockedAt(locked(1n))).toBe(1n)
  })
})
