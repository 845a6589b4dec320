import { expect, it } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import type { Rejection } from '../../../src/node/issue/rejections.ts'
import { type MoveParts, MoveWork } from '../../../src/wallet/moves/move-work.ts'
import type { MoveNote } from '../../../src/wallet/moves/note.ts'
import type { Attempt } from '../../../src/wallet/store/store.ts'

const attempt: Attempt = {
  kind: 'import',
  txID: new Uint8Array(32),
  bytes: new Uint8Array(),
  keys: ['a'],
  inputs: [],
  fromHeight: 1n,
  leg: { chain: 'P', inputs: [], note: new Uint8Array() },
}

/** How an import compares on a chain that lists none of its inputs. */
function compared(rejection: string | undefined, exported: Attempt | undefined, price?: bigint) {
  const side = { priceAbove: async () => price, spendsListed: async () => false }
  const parts = {
    state: { pending: { claims: { attemptsFor: () => [] } } },
    sides: { P: side, X: side },
  } as unknown as MoveParts
  const plan = { from: 'X', to: 'P' } as MoveNote
  const work = new MoveWork(parts, plan, [], networks.local, {})
  const refused = rejection === undefined ? undefined : ({ code: rejection } as Rejection)
  return work.compare(
    { attempt, exported, rejection: refused },
    { totalMs: 1_000, signal: undefined },
  )
}

const accepted: Attempt = { ...attempt, kind: 'export', leg: { ...attempt.leg!, chain: 'X' } }

it.each([
  [
    'a refused import of what others have exported is outdated',
    'INSUFFICIENT_FUNDS',
    undefined,
    undefined,
    'outdated',
  ],
  [
    'a refused import of what this move has exported is not',
    'INSUFFICIENT_FUNDS',
    accepted,
    undefined,
    'current',
  ],
  ['one that no server has refused is not', undefined, undefined, undefined, 'current'],
  ['one with too low a fee is, whatever it spends', undefined, accepted, 9n, 'outdated'],
])('%s', async (_, rejection, exported, price, expected) => {
  expect(await compared(rejection, exported, price)).toBe(expected)
})
