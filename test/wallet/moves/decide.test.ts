import { describe, expect, it } from 'vitest'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { Pending } from '../../../src/wallet/evidence/pending.ts'
import { decideMove, isClaimed } from '../../../src/wallet/moves/decide.ts'
import type { Attempt } from '../../../src/wallet/store/store.ts'

const id = (n: number) => new Uint8Array(32).fill(n)
const output = (n: number): UTXOID => ({ txID: id(n), outputIndex: 0 })

/** A transaction of the move with key `a`, with an ID of one repeated byte. */
function attemptOf(
  kind: Attempt['kind'],
  n: number,
  inputs: readonly UTXOID[],
  keys: readonly string[] = ['a'],
): Attempt {
  return { kind, txID: id(n), bytes: new Uint8Array(), keys, inputs, fromHeight: 1n }
}

const first = attemptOf('export', 1, [output(11), output(12)])
const second = attemptOf('export', 2, [output(11), output(13)])
/** Imports what the second export has exported; it also lists the inputs of that. */
const imported = attemptOf('import', 3, [output(2), ...second.inputs])
const cancellation = attemptOf('cancellation', 4, [output(11), output(14)])
const otherMove = attemptOf('export', 5, [output(15)], ['b'])

/** A transaction that others have made. */
const rival = (...inputs: readonly number[]) => ({ txID: id(9), inputs: inputs.map(output) })

/** What is recorded when a transaction is accepted while these are pending, and some were shown as accepted. */
function decided(
  candidate: { readonly txID: Uint8Array; readonly inputs: readonly UTXOID[] },
  attempts: readonly Attempt[],
  shown: readonly Attempt[] = [],
) {
  const pending = new Pending()
  for (const attempt of attempts) {
    const exported = attempt.kind === 'export' ? [{ txID: attempt.txID, outputIndex: 0 }] : []
    const payments = attempt.keys.map((key) => ({ key, digest: id(0) }))
    pending.add(attempt, payments, exported)
  }
  for (const attempt of shown) pending.markExported(attempt)
  const found = decideMove(candidate, pending)
  const names = new Set(found?.inputs.map(utxoKey))
  return { pending, decision: found && [found.txID[0], [...names].sort()] }
}

const names = (...inputs: readonly number[]) => inputs.map((n) => utxoKey(output(n))).sort()

describe('decideMove', () => {
  it('takes note of an accepted export, which does not end the move', () => {
    const woken: string[] = []
    const attempts = [first, second]
    const pending = new Pending()
    for (const attempt of attempts) pending.add(attempt, [{ key: 'a', digest: id(0) }])
    pending.await(['a'], () => woken.push('a'))
    expect(decideMove(second, pending)).toBeUndefined()
    expect(pending.exportOf({ attempts })).toBe(second)
    expect(woken).toEqual(['a'])
  })

  const cases: readonly (readonly [
    string,
    Parameters<typeof decided>,
    readonly [number, readonly string[]] | undefined,
  ])[] = [
    [
      'ends a move with its import, and the export whose outputs that spends',
      [imported, [first, second, imported]],
      [3, names(2, 11, 13)],
    ],
    [
      'ends it also if a block shows the import, which has only the exported inputs',
      [{ ...imported, inputs: [output(2)] }, [first, second, imported]],
      [3, names(2, 11, 13)],
    ],
    [
      'records all inputs that an import has claimed, also if its export is not known',
      [{ ...imported, inputs: [output(2)] }, [imported]],
      [3, names(2, 11, 13)],
    ],
    [
      'ends an import that spends nothing of this move with its own inputs',
      [{ ...imported, inputs: [output(7)] }, [{ ...imported, inputs: [output(7)] }]],
      [3, names(7)],
    ],
    [
      'ends a move with its export if others have imported what that exported',
      [rival(2, 30), [first, second]],
      [2, names(2, 30, 11, 13)],
    ],
    [
      'ends it so as well if its own import is claimed',
      [rival(2), [first, second, imported]],
      [2, names(2, 11, 13)],
    ],
    [
      'rejects the exports whose inputs others have spent',
      [rival(11), [first, second]],
      [9, names(11)],
    ],
    [
      'does not if an export was shown as accepted',
      [rival(11), [first, second], [second]],
      undefined,
    ],
    ['does not if the import of one is claimed', [rival(11), [first, second, imported]], undefined],
    [
      'takes no output of an import for one of an export',
      [rival(3, 11), [first, second, imported]],
      undefined,
    ],
    [
      'ends a move with its cancellation',
      [cancellation, [first, cancellation]],
      [4, names(11, 14)],
    ],
    [
      'ends the one of two moves whose export it imports',
      [rival(5, 11), [first, otherMove]],
      [5, names(5, 11, 15)],
    ],
    [
      'does not reject two moves if one of them was shown as exported',
      [rival(11, 15), [first, otherMove], [otherMove]],
      undefined,
    ],
    ['rejects two moves otherwise', [rival(11, 15), [first, otherMove]], [9, names(11, 15)]],
  ]
  for (const [name, given, expected] of cases)
    it(name, () => {
      expect(decided(...given).decision).toEqual(expected)
    })

  it('keeps what else is known of the transaction', () => {
    const pending = new Pending()
    pending.add(first, [{ key: 'a', digest: id(0) }])
    expect(decideMove({ ...rival(11), isAgreed: true }, pending)).toMatchObject({ isAgreed: true })
  })
})

describe('isClaimed', () => {
  const { pending } = decided(rival(), [first, second, otherMove])
  const cases: readonly (readonly [string, number, readonly Attempt[], boolean])[] = [
    ['an input of one attempt', 12, [], true],
    ['what no attempt spends', 14, [], false],
    ['an input of attempts that are all excepted', 11, [first, second], false],
    ['an input of which only one attempt is excepted', 11, [first], true],
    ['an input of another attempt', 15, [first, second], true],
  ]
  for (const [name, n, except, expected] of cases)
    it(`is ${expected} for ${name}`, () => {
      expect(isClaimed(pending, output(n), except)).toBe(expected)
    })
})
