import { describe, expect, it } from 'vitest'
import { FundsError } from '../../../src/core/coins/errors.ts'
import {
  AbortError,
  HttpError,
  QuorumError,
  ReplyError,
  RpcError,
  TimeoutError,
} from '../../../src/node/errors.ts'
import { WalletError } from '../../../src/wallet/errors.ts'
import { isTemporary, LISTING_MS } from '../../../src/wallet/machine/listing.ts'
import { next, step } from '../../../src/wallet/machine/machine.ts'
import { type Facts, type Run, startRun } from '../../../src/wallet/machine/run.ts'
import { exportOnC, importOnP, move, facts as noFacts } from './setup.ts'

const facts: Facts = { ...noFacts, attempts: [exportOnC], exported: exportOnC }
const listing: Run = {
  ...startRun(move, [], 'list'),
  again: true,
  listedFrom: 18_000,
  reissueAt: 20_500,
}
const unreachable = new HttpError('HTTP_UNREACHABLE', 'down', { method: 'm', endpoint: 'e' })

describe('a move whose export was accepted', () => {
  const claimed = (changes: Partial<Run> = {}) =>
    step({ ...startRun(move, [], 'claim'), ...changes }, { type: 'claimed' }, facts)

  it('asks its destination for the UTXOs, with the whole time of the call', () => {
    expect(claimed({ isReplacing: true, again: true, deadline: 21_000 })).toMatchObject({
      phase: 'list',
      listedFrom: 20_000,
      reissueAt: 22_000,
      deadline: 80_000,
    })
  })

  it('goes on to ask if it has begun before', () => {
    const { listedFrom, reissueAt } = listing
    const run = claimed({ isReplacing: true, again: true, deadline: 21_000, listedFrom, reissueAt })
    expect(run).toMatchObject({ phase: 'list', listedFrom, reissueAt, deadline: 21_000 })
  })

  it('waits half a second before it asks again, or the rest of its time', () => {
    const waiting: Run = { ...listing, phase: 'wait', round: 9 }
    expect(LISTING_MS).toBe(500)
    expect(next(waiting, facts)).toEqual({ do: 'wait', ms: LISTING_MS })
    expect(next({ ...waiting, deadline: 20_300 }, facts)).toEqual({ do: 'wait', ms: 300 })
  })

  it('lists or issues the export', () => {
    expect(next(listing, facts)).toEqual({ do: 'list', exported: exportOnC, ms: 40_000 })
    expect(next({ ...listing, phase: 'reissue' }, facts)).toEqual({
      do: 'reissue',
      exported: exportOnC,
      ms: 40_000,
    })
  })

  it('reads the store after a pause: another process may have gone on', () => {
    expect(step({ ...listing, phase: 'wait' }, { type: 'waited' }, facts).phase).toBe('look')
    expect(next(listing, { ...facts, attempts: [exportOnC, importOnP] })).toEqual({ do: 'look' })
  })
})

describe('after its destination was asked, a move', () => {
  const missing = new FundsError('UTXO_NOT_FOUND', 'not listed', [])
  const fee = new FundsError('BUILDER_INSUFFICIENT_FUNDS', 'none', [])
  const cases: readonly (readonly [string, boolean | undefined, unknown, number, object])[] = [
    ['imports what is listed', true, undefined, 0, { phase: 'draft', error: undefined }],
    ['waits for what is missing', false, missing, -1, { phase: 'wait', error: missing }],
    ['then issues the export again', false, missing, 0, { phase: 'reissue', error: missing }],
    ['waits if no server answers', undefined, unreachable, -1, { phase: 'wait' }],
    ['then issues the export again, too', undefined, unreachable, 1, { phase: 'reissue' }],
    ['ends if waiting does not help', undefined, fee, 0, { error: fee, answer: { is: 'pending' } }],
  ]
  for (const [name, isListed, error, late, expected] of cases)
    it(name, () => {
      const known = { ...facts, now: listing.reissueAt + late }
      const run = step(
        { ...listing, isReplacing: true },
        { type: 'listed', isListed, error },
        known,
      )
      expect(run).toMatchObject({ answer: undefined, ...expected })
      // What is listed is imported by a further transaction, not a replacement.
      if (isListed) expect(run.isReplacing).toBe(false)
    })

  it('issues its export again after twice the time each', () => {
    // Asked since 18 s, issued again at 20.5 s: then at 23 s, when the time has doubled.
    const run = step(listing, { type: 'reissued' }, { ...facts, now: 20_500 })
    expect(run).toMatchObject({ phase: 'wait', reissueAt: 23_000 })
    expect(step(run, { type: 'reissued' }, { ...facts, now: 23_000 }).reissueAt).toBe(28_000)
  })
})

describe('isTemporary', () => {
  const cases: readonly (readonly [unknown, boolean])[] = [
    [new RpcError('avm.getUTXOs', -32000, 'oops'), true],
    [new TimeoutError('RPC_TIMEOUT', 'late', 1), true],
    [new TimeoutError('TX_TIMEOUT', 'late', 1), true],
    [unreachable, true],
    [new ReplyError('REPLY_EMPTY', 'm', '', 'empty'), true],
    // One of two servers is down for a while.
    [new QuorumError('avm.getUTXOs', 1, { quorum: 2, servers: [1, 2] }), true],
    [new AbortError('wallet', undefined), false],
    [new FundsError('BUILDER_INSUFFICIENT_FUNDS', 'none', []), false],
    [new WalletError('NOT_CONFIRMED', 'no'), false],
    // Of another library.
    [Object.assign(new Error('late'), { code: 'RPC_TIMEOUT' }), false],
    [undefined, false],
  ]
  for (const [error, expected] of cases)
    it(`is ${expected} for ${String(error)}`, () => expect(isTemporary(error)).toBe(expected))
})
