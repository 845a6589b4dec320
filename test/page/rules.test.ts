import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../src/core/sign/request/explain-request.ts'
import { groupsOf } from '../../src/page/elements/address.ts'
import { headline, summaryOf } from '../../src/page/elements/summary.ts'
import { keyFit } from '../../src/page/key-fit.ts'
import { type Progress, STEPS, signBlocker, stepStates } from '../../src/page/steps.ts'
import { beginsSecret, mayBeSecret } from '../../src/page/typed-secret.ts'
import { keysOf, owners } from '../core/sign/fixtures.ts'
import { nobody, plain, requestOf } from '../core/sign/scenes.ts'

const begin: Progress = { document: 'none', hasKeys: false, unaccepted: 0, isSigned: false }

describe('stepStates', () => {
  /** The steps that can be opened, and those that are done. */
  const cases: readonly (readonly [Partial<Progress>, string, string])[] = [
    [{}, 'Load', ''],
    [{ document: 'other' }, 'Load', 'Load'],
    [{ document: 'transaction' }, 'Load Check', 'Load'],
    [{ document: 'request' }, 'Load Check Key Sign Take away', 'Load'],
    [{ document: 'request', hasKeys: true }, 'Load Check Key Sign Take away', 'Load Check Key'],
    [
      { document: 'request', isSigned: true },
      'Load Check Key Sign Take away',
      'Load Check Key Sign',
    ],
    // Keys of an earlier document do not open the steps of another one.
    [{ document: 'transaction', hasKeys: true, isSigned: true }, 'Load Check', 'Load'],
  ]
  for (const [progress, open, done] of cases)
    it(`opens ${open} for ${JSON.stringify(progress)}`, () => {
      const states = stepStates({ ...begin, ...progress })
      expect(STEPS.filter((name) => states[name].isOpen).join(' ')).toBe(open)
      expect(STEPS.filter((name) => states[name].isDone).join(' ')).toBe(done)
    })
})

describe('signBlocker', () => {
  it('names the first thing that is missing', () => {
    const request: Progress = { ...begin, document: 'request' }
    expect(signBlocker(begin)).toBe('Load a signing request first.')
    expect(signBlocker({ ...request, unaccepted: 2 })).toBe('Enter a key first.')
    expect(signBlocker({ ...request, hasKeys: true, unaccepted: 2 })).toMatch(/^Accept the 2/)
    expect(signBlocker({ ...request, hasKeys: true, unaccepted: 1 })).toMatch(/^Accept the danger/)
    expect(signBlocker({ ...request, hasKeys: true })).toBeUndefined()
    expect(signBlocker({ ...request, document: 'transaction', hasKeys: true })).toBeDefined()
  })
})

describe('beginsSecret', () => {
  const secrets = [
    'PrivateKey-',
    ' privatekey-ewoq',
    'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN',
    'xprv9s21',
    'legal winner thank y',
    'Legal Winner\tthank ',
    'test test test test test test test test test test test jnk',
  ]
  const documents = [
    '',
    'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
    'legal',
    'legal winner',
    // Not a word of the list.
    'hello there general kenobi ',
    '{"format":"avmkit-signing-request"}',
    `0x${'00'.repeat(100)}`,
    '2ZBKo6Ww3uWJJzaXHqSqhbBL9K3tBPAz3u4KGp3RDoob7yfsjX',
  ]
  for (const text of secrets) it(`recognizes ${text}`, () => expect(beginsSecret(text)).toBe(true))
  for (const text of documents)
    it(`lets ${text.slice(0, 40)} be`, () => expect(mayBeSecret(text)).toBe(false))
  it('leaves 32 bytes in hex to mayBeSecret: a document that is typed may begin with them', () => {
    for (const text of ['ab'.repeat(32), `0x${'AB'.repeat(32)}\n`, `${'ab'.repeat(31)}a`]) {
      expect(beginsSecret(text), text).toBe(false)
      expect(mayBeSecret(text), text).toBe(true)
    }
    expect(mayBeSecret('ab'.repeat(31))).toBe(false)
  })
})

describe('keyFit', () => {
  it('finds the signers among keys, in any signer set, and who is missing', () => {
    const sets = [
      { signers: ['a', 'b'], missing: ['b'] },
      { signers: ['a', 'c'], missing: ['c'] },
    ]
    expect(keyFit(['c', 'x'], sets)).toEqual({ signing: ['c'], needed: ['b', 'c'] })
    expect(keyFit(['x'], sets).signing).toEqual([])
    // A signer who has signed already fits.
    expect(keyFit(['a'], sets).signing).toEqual(['a'])
  })
})

describe('groupsOf', () => {
  it('divides addresses and accounts into groups of four that together are the address', () => {
    for (const [address, first] of [
      ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 'X-local1'],
      ['P-avax1g65uqn6t77p656w64023nh8nd9updzmxwd59gh', 'P-avax1'],
      ['0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC', '0x'],
    ] as const) {
      const groups = groupsOf(address)
      expect(groups[0]).toBe(first)
      expect(groups.join('')).toBe(address)
      expect(groups.slice(1, -1).every(({ length }) => length === 4)).toBe(true)
    }
    expect(groupsOf('abcdefgh')).toEqual(['abcd', 'efgh'])
  })
})

describe('summaryOf', () => {
  it('sums up what one recipient gets, the largest first, and names nobody as anyone', () => {
    const scene = {
      spend: [[owners(1, 0), 10_000_000]],
      pay: [
        [owners(1, 3), 1_000_000],
        [owners(1, 3), 2_000_000],
        [owners(1, 4), 2_500_000],
        [owners(1, 0), 4_499_000],
      ],
    } as const
    const summary = summaryOf(explainRequest(requestOf(scene), { ours: keysOf(0) }))
    expect(summary.leaves.map(({ number, unit, outputs }) => [number, unit, outputs])).toEqual([
      ['3', 'AVAX', 2],
      ['2.5', 'AVAX', 1],
    ])
    expect(summary.returns.map(({ number }) => number)).toEqual(['4.499'])
    expect([summary.fee, summary.burned]).toEqual(['0.001 AVAX', []])
    expect(headline(summary)).toMatchObject({ amount: '3 AVAX', more: 1 })
    const open = { ...scene, pay: [[nobody, 9_999_000]] } as const
    const { address, recipient } = headline(summaryOf(explainRequest(requestOf(open), {})))!
    expect([address, recipient]).toEqual([undefined, 'anyone'])
    const vault = headline(summaryOf(explainRequest(requestOf(plain), { ours: keysOf(5) })))!
    expect([vault.address, vault.recipient]).toEqual([undefined, '2 of 2 owners'])
  })
})
