import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { txID } from '../../../src/core/chain/x/ids.ts'
import { type Evidence, recordOutcomes } from '../../../src/custody/chain/outcomes.ts'
import { lockChain } from '../../../src/custody/database/chain-row.ts'
import { recordClaim } from '../../../src/custody/database/claim-rows.ts'
import type { Queries } from '../../../src/custody/database/database.ts'
import { utxoColumn } from '../../../src/custody/database/values.ts'
import type { Claim } from '../../../src/wallet/store/index.ts'
import {
  accepted,
  bytesOf,
  cancellation,
  outputOf,
  payment,
  rival,
  shown,
  txOf,
  utxo,
} from '../../wallet/store/samples.ts'
import { newDatabase } from '../postgres.ts'

/** Runs statements in one transaction, with the lock of the chain's row. */
async function inOne<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
  const database = await newDatabase()
  return database.transaction(async (tx) => {
    await lockChain(tx)
    return work(tx)
  })
}

async function claim(tx: Queries, ...claims: readonly Claim[]): Promise<void> {
  for (const one of claims)
    await recordClaim(tx, one, { purpose: 'payout', fee: 0n, resendMs: 1_000 })
}

/** Adds payouts to the queue, with the content of the claims. */
const queue = (tx: Queries, ...keys: readonly string[]) =>
  tx.query(
    `INSERT INTO @.payments (key, digest, status, address, asset_id, amount)
     SELECT k, $2::bytea, 'queued', substr($2::bytea, 1, 20), $2::bytea, 1 FROM unnest($1::text[]) AS given(k)`,
    [keys, bytesOf('content')],
  )

/** Adds unspent outputs with these names. */
const addOutputs = (tx: Queries, names: string) =>
  tx.query(
    `INSERT INTO @.outputs (tx_id, output_index, asset_id, amount, address, wallet, kind, origin, is_simple, locktime, utxo)
     SELECT t, 7, $2::bytea, 1, substr($2::bytea, 1, 20), 'hot', 'plain', 'other', true, 0, ''
     FROM unnest($1::bytea[]) AS given(t)`,
    [[...names].map((name) => utxo(name).txID), bytesOf('asset')],
  )

/** The names of outputs that pending attempts spend. */
async function claimedOf(tx: Queries, names: string): Promise<string> {
  const rows = await tx.query<{ tx_id: Uint8Array }>('SELECT tx_id FROM @.outputs WHERE claimed')
  const claimed = new Set(rows.map(({ tx_id }) => hex.encode(tx_id)))
  return [...names].filter((name) => claimed.has(hex.encode(utxo(name).txID))).join('')
}

const record = (tx: Queries, { isRival = () => true, ...evidence }: Partial<Evidence>) =>
  recordOutcomes(tx, { accepted: [], isRival, ...evidence })

/** `key: status` of all payments. */
async function statuses(tx: Queries): Promise<string[]> {
  const rows = await tx.query<{ key: string; status: string }>(
    'SELECT key, status FROM @.payments ORDER BY key',
  )
  return rows.map(({ key, status }) => `${key}: ${status}`)
}

/** The outputs that show why attempts ended, in the order of the attempts. */
async function evidenceOf(tx: Queries): Promise<(string[] | null)[]> {
  const rows = await tx.query<{ evidence: readonly Uint8Array[] | null }>(
    'SELECT evidence FROM @.attempts ORDER BY seq',
  )
  return rows.map(({ evidence }) => evidence?.map((one) => hex.encode(one)) ?? null)
}
const named = (...ids: Parameters<typeof utxoColumn>[0][]) =>
  ids.map((id) => hex.encode(utxoColumn(id)))

describe('recordOutcomes', () => {
  it('keeps the outputs that a wallet tells, for each attempt that they show to have ended', async () => {
    await inOne(async (tx) => {
      await claim(tx, payment('k1', 'a'), payment('k2', 'b'), payment('k3', 'c'))
      const bytes = txOf(['a', 'b'], 'rival')
      const ending = { txID: txID(bytes), inputs: [utxo('a'), utxo('b')], own: [0], bytes }
      await record(tx, { accepted: [ending], isTold: true })
      expect(await statuses(tx)).toEqual(['k1: rejected', 'k2: rejected', 'k3: pending'])
      const first = named(outputOf(ending))
      expect(await evidenceOf(tx)).toEqual([first, first, null])
      // Nothing ends, but another output shows now that they have ended. The spent one is looked for, too.
      const next = shown(outputOf(ending), 'next')
      await record(tx, { accepted: [next], isTold: true })
      const later = named(outputOf(next), outputOf(ending))
      expect(await evidenceOf(tx)).toEqual([later, later, null])
    })
  })

  it('keeps no outputs of transactions that a block contains: they are in the tables', async () => {
    await inOne(async (tx) => {
      await claim(tx, payment('k', 'a'))
      await record(tx, { accepted: [shown(utxo('a'), 'rival')], height: 7n })
      expect(await statuses(tx)).toEqual(['k: rejected'])
      expect(await evidenceOf(tx)).toEqual([null])
    })
  })

  it('returns a payout to the queue after four foreign transactions; after the fifth it has failed', async () => {
    await inOne(async (tx) => {
      await queue(tx, 'k')
      for (const [i, name] of [...'abcde'].entries()) {
        await claim(tx, payment('k', name))
        const decided = await record(tx, { accepted: [rival(name)], height: 7n })
        expect(decided.rejected).toHaveLength(1)
        expect(await statuses(tx)).toEqual([i < 4 ? 'k: queued' : 'k: rejected'])
      }
      const heights = await tx.query('SELECT DISTINCT outcome, decided_height FROM @.attempts')
      expect(heights).toEqual([{ outcome: 'rejected', decided_height: '7' }])
    })
  })

  it('returns payouts to the queue however often own transactions end their attempts', async () => {
    await inOne(async (tx) => {
      for (const name of 'abcdef') {
        const [key, other] = ['k', `other ${name}`]
        await queue(tx, ...(name === 'a' ? [key, other] : [other]))
        await claim(tx, payment([key, other], name), cancellation(other, name))
        const canceled = accepted(cancellation(other, name), name)
        const decided = await record(tx, { accepted: [canceled], height: 7n })
        expect(decided).toMatchObject({ accepted: [{ keys: [other] }], rejected: [{}] })
        expect(await statuses(tx)).toContain('k: queued')
        expect(await statuses(tx)).toContain(`${other}: canceled`)
      }
    })
  })

  it('cancels a payout that is to be canceled when its attempt ends', async () => {
    await inOne(async (tx) => {
      await queue(tx, 'canceled', 'other')
      await claim(tx, payment(['canceled', 'other'], 'a'))
      await tx.query(`UPDATE @.payments SET cancel = true WHERE key = 'canceled'`)
      await record(tx, { accepted: [rival('a')], height: 7n })
      expect(await statuses(tx)).toEqual(['canceled: canceled', 'other: queued'])
    })
  })

  it('makes a payout paid whose attempt had ended, also while another attempt is pending', async () => {
    await inOne(async (tx) => {
      await queue(tx, 'queued', 'pending')
      for (const key of ['queued', 'pending']) {
        const first = payment(key, key[0]!)
        await claim(tx, first)
        const ending = shown(utxo(key[0]!), 'rival')
        await record(tx, { accepted: [ending], isTold: true })
        const again = { ...payment(key, ''), bytes: txOf([outputOf(ending)], 'again') }
        if (key === 'pending') await claim(tx, again)
        const decided = await record(tx, {
          accepted: [accepted(first, key[0]!)],
          height: 8n,
          // A transaction that is an attempt counts, whatever it conflicts with.
          isRival: () => false,
        })
        expect(decided.accepted).toMatchObject([{ keys: [key] }])
        expect(await statuses(tx)).toContain(`${key}: accepted`)
        // The other attempt spends an output of a transaction that was not accepted.
        expect(decided.rejected).toHaveLength(key === 'pending' ? 1 : 0)
      }
    })
  })

  it('makes inputs of ended attempts available, unless a pending one spends them', async () => {
    await inOne(async (tx) => {
      await addOutputs(tx, 'abcd')
      await queue(tx, 'k', 'other')
      await claim(tx, payment('k', 'ab'), payment('k', 'bc'), payment('other', 'd'))
      expect(await claimedOf(tx, 'abcd')).toBe('abcd')
      await record(tx, { accepted: [rival('a')], height: 7n })
      expect(await statuses(tx)).toEqual(['k: pending', 'other: pending'])
      expect(await claimedOf(tx, 'abcd')).toBe('bcd')
      await record(tx, { accepted: [accepted(payment('k', 'bc'), 'bc')], height: 8n })
      expect(await statuses(tx)).toEqual(['k: accepted', 'other: pending'])
      expect(await claimedOf(tx, 'abcd')).toBe('d')
    })
  })

  it('skips a transaction that is no rival of the attempts that it conflicts with', async () => {
    await inOne(async (tx) => {
      await queue(tx, 'a', 'b')
      await claim(tx, payment('a', 'a'), payment('b', 'b'))
      const asked: string[][] = []
      const decided = await record(tx, {
        accepted: [rival('a'), rival('x'), rival('b')],
        isRival: (_, conflicting) => {
          asked.push(conflicting.flatMap(({ keys }) => [...keys]))
          return conflicting.some(({ keys }) => keys.includes('b'))
        },
      })
      expect(asked).toContainEqual(['a'])
      expect(decided.rejected).toMatchObject([{ keys: ['b'] }])
      expect(await statuses(tx)).toEqual(['a: pending', 'b: queued'])
    })
  })

  it('leaves moves to their wallets, and keeps what they spend on other chains from being claimed', async () => {
    await inOne(async (tx) => {
      const leg = { chain: 'P', inputs: [utxo('y')], note: bytesOf('note') } as const
      const move = { ...payment('move', 'a', { kind: 'export' }), leg }
      await claim(tx, move, payment('other', 'b'))
      for (const one of [accepted(move, 'a'), rival('a')])
        await record(tx, { accepted: [one], height: 7n, skipMoves: true })
      expect(await statuses(tx)).toEqual(['move: pending', 'other: pending'])
      // Others of the same block count.
      await record(tx, { accepted: [rival('a'), rival('b')], height: 7n, skipMoves: true })
      expect(await statuses(tx)).toEqual(['move: pending', 'other: rejected'])
      await record(tx, { accepted: [accepted(move, 'a')] })
      const moved = await tx.query<{ tx_id: Uint8Array }>('SELECT tx_id FROM @.moved_inputs')
      expect(moved.map(({ tx_id }) => hex.encode(tx_id))).toEqual([hex.encode(utxo('y').txID)])
    })
  })
})
