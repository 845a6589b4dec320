import { describe, expect, it } from 'vitest'
import { type JournalEntry, JournalRecords, readPayments } from '../../src/wallet/journal.ts'

const id = (byte: number) => new Uint8Array(32).fill(byte)
const signed = (byte: number, ...keys: string[]): JournalEntry => ({
  type: 'signed',
  txID: id(byte),
  bytes: Uint8Array.of(byte),
  ...(keys.length > 1 ? { keys } : keys.length === 1 ? { key: keys[0]! } : {}),
})
const accepted = (byte: number): JournalEntry => ({ type: 'accepted', txID: id(byte) })
const refused = (byte: number): JournalEntry => ({
  type: 'refused',
  txID: id(byte),
  code: 'SIG_INVALID',
  reason: 'invalid signature',
})

describe('JournalRecords', () => {
  it('has open what was signed and has no end', () => {
    const records = new JournalRecords([signed(1), signed(2), accepted(1), signed(3), refused(3)])
    expect(records.open()).toMatchObject([{ txID: id(2), bytes: Uint8Array.of(2) }])
  })

  it('believes in an acceptance for good', () => {
    const records = new JournalRecords([signed(1, 'a'), accepted(1), refused(1), signed(1, 'a')])
    expect(records.open()).toEqual([])
    expect(records.standing('a')).toMatchObject({ txID: id(1), status: 'accepted' })
  })

  it('has open again what was refused and then sent once more', () => {
    const records = new JournalRecords([signed(1), refused(1), signed(1)])
    expect(records.open()).toMatchObject([{ bytes: Uint8Array.of(1) }])
  })

  it('lets the one transaction stand for a key that was not refused', () => {
    const records = new JournalRecords([signed(1, 'a'), refused(1), signed(2, 'a')])
    expect(records.standing('a')).toMatchObject({ txID: id(2), status: 'open' })
    expect(records.standing('b')).toBeUndefined()
  })

  it('passes over ends of what it does not know', () => {
    expect(new JournalRecords([accepted(9)]).open()).toEqual([])
  })
})

describe('readPayments', () => {
  const cases: readonly (readonly [string, readonly JournalEntry[], object])[] = [
    ['nothing was signed for', [signed(1, 'b')], { due: true, status: 'unknown' }],
    ['was signed for', [signed(1, 'a')], { due: false, status: 'open', txID: id(1) }],
    [
      'was accepted',
      [signed(1, 'a'), accepted(1)],
      { due: false, status: 'accepted', txID: id(1) },
    ],
    ['was refused', [signed(1, 'a'), refused(1)], { due: true, status: 'refused', txID: id(1) }],
    [
      'was refused, and the same bytes signed again',
      [signed(1, 'a'), refused(1), signed(1, 'a')],
      { due: false, status: 'open', txID: id(1) },
    ],
    [
      'was refused, and the same bytes accepted in the end',
      [signed(1, 'a'), refused(1), signed(1, 'a'), accepted(1)],
      { due: false, status: 'accepted', txID: id(1) },
    ],
    [
      'was refused twice',
      [signed(1, 'a'), refused(1), signed(2, 'a'), refused(2)],
      { due: true, status: 'refused', txID: id(2) },
    ],
    [
      'was accepted after a refusal that could not be written down',
      [signed(1, 'a'), signed(2, 'a'), accepted(2)],
      { due: false, status: 'accepted', txID: id(2) },
    ],
    [
      'was signed for after a refusal that could not be written down',
      [signed(1, 'a'), signed(2, 'a')],
      { due: false, status: 'open', txID: id(2) },
    ],
    [
      'stands in a transaction with others',
      [signed(1, 'b', 'a', 'c')],
      { due: false, status: 'open', txID: id(1) },
    ],
    [
      'was refused together with others and then paid alone',
      [signed(1, 'b', 'a'), refused(1), signed(2, 'a'), accepted(2)],
      { due: false, status: 'accepted', txID: id(2) },
    ],
    [
      'was refused, and the same bytes then paid something else',
      [signed(1, 'a'), refused(1), signed(1, 'b'), accepted(1)],
      { due: true, status: 'refused', txID: id(1) },
    ],
    [
      'got its name after it was accepted',
      [signed(1), accepted(1), signed(1, 'a')],
      { due: false, status: 'accepted', txID: id(1) },
    ],
  ]
  for (const [what, entries, payment] of cases)
    it(`knows a payment that ${what}`, () => {
      expect(readPayments(entries, ['a'])).toEqual([{ key: 'a', ...payment }])
    })

  it('knows what refused bytes pay that were signed again under another name', () => {
    const entries = [signed(1, 'a'), refused(1), signed(1, 'b')]
    expect(readPayments(entries, ['b'])).toMatchObject([{ due: false, status: 'open' }])
  })

  it('tells of all that have a name, in the order of their first mention', () => {
    const entries = [signed(1, 'c', 'a'), signed(2), accepted(1), signed(3, 'b')]
    expect(readPayments(entries)).toEqual([
      { key: 'c', due: false, status: 'accepted', txID: id(1) },
      { key: 'a', due: false, status: 'accepted', txID: id(1) },
      { key: 'b', due: false, status: 'open', txID: id(3) },
    ])
  })
})
