import { describe, expect, it } from 'vitest'
import { type JournalEntry, JournalRecords } from '../../src/wallet/journal.ts'

const id = (byte: number) => new Uint8Array(32).fill(byte)
const signed = (byte: number, key?: string): JournalEntry => ({
  type: 'signed',
  txID: id(byte),
  bytes: Uint8Array.of(byte),
  ...(key === undefined ? {} : { key }),
})
const refused = (byte: number): JournalEntry => ({
  type: 'refused',
  txID: id(byte),
  code: 'SIG_INVALID',
  reason: 'invalid signature',
})

describe('JournalRecords', () => {
  it('has open what was signed and has no end', () => {
    const records = new JournalRecords([
      signed(1),
      signed(2),
      { type: 'accepted', txID: id(1) },
      signed(3),
      refused(3),
    ])
    expect(records.open()).toMatchObject([{ txID: id(2), bytes: Uint8Array.of(2) }])
  })

  it('believes in an acceptance for good', () => {
    const accepted: JournalEntry = { type: 'accepted', txID: id(1) }
    const records = new JournalRecords([signed(1, 'a'), accepted, refused(1), signed(1, 'a')])
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
    expect(new JournalRecords([{ type: 'accepted', txID: id(9) }]).open()).toEqual([])
  })
})
