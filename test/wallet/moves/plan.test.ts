import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { evmAddressBytes, evmAddressOf } from '../../../src/core/c-chain.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import {
  contentOf,
  type OwnRecipients,
  planOf,
  recipientText,
  strayPlanOf,
} from '../../../src/wallet/moves/plan.ts'
import type { MoveCall } from '../../../src/wallet/moves/types.ts'
import { contentDigest } from '../../../src/wallet/payments/content.ts'
import { addressOf } from '../setup.ts'
import { keys, stranger } from './setup.ts'

const { local } = networks
const address = keys.addresses[0]!
const account = evmAddressBytes(keys.publicKeys[0]!)
const own: OwnRecipients = {
  address,
  account: () => account,
  addresses: [address, new Uint8Array(20).fill(3)],
  accounts: [account, new Uint8Array(20).fill(4)],
}
const token = new Uint8Array(32).fill(7)
const call: MoveCall = { from: 'X', to: 'P', amount: 5n }
const plan = (changes: Partial<MoveCall> = {}) => planOf({ ...call, ...changes }, local, own)

describe('planOf', () => {
  it('moves AVAX to the wallet itself by default, with a maximum fee of 0.1 AVAX', () => {
    expect(plan()).toEqual({
      ...call,
      assetID: local.assetID,
      recipient: address,
      maxFee: 100_000_000n,
    })
    expect(plan({ to: 'C' }).recipient).toBe(account)
    expect(plan({ from: 'C', to: 'X', maxFee: 3n })).toMatchObject({
      recipient: address,
      maxFee: 3n,
    })
  })

  it('takes a recipient as it is written on the destination', () => {
    const yours = stranger.addresses[0]!
    const key = stranger.publicKeys[0]!
    expect(plan({ recipient: addressOf(stranger, 'P') }).recipient).toEqual(yours)
    expect(plan({ from: 'P', to: 'X', recipient: addressOf(stranger) }).recipient).toEqual(yours)
    expect(plan({ recipient: yours }).recipient).toEqual(yours)
    expect(plan({ to: 'C', recipient: evmAddressOf(key) }).recipient).toEqual(evmAddressBytes(key))
  })

  const cases: readonly (readonly [string, Partial<MoveCall>, string])[] = [
    ['the same chain twice', { to: 'X' }, 'SAME_CHAIN'],
    ['a token to C', { to: 'C', assetID: token }, 'STUCK_EXPORT'],
    ['a token from C', { from: 'C', assetID: token }, 'STUCK_EXPORT'],
    ['all of a token', { amount: 'all', assetID: token }, 'ENC_INVALID'],
    ['nothing', { amount: 0n }, 'NOTHING_TO_PAY'],
    ['more than an amount can be', { amount: 2n ** 64n }, 'AMOUNT_OVERFLOW'],
    ['an address of another chain', { recipient: addressOf(stranger) }, 'ENC_WRONG_CHAIN'],
    [
      'an address of the wallet as an account',
      { to: 'C', recipient: own.addresses[1]! },
      'STUCK_EXPORT',
    ],
    ['an account of the wallet as an address', { recipient: own.accounts[1]! }, 'STUCK_EXPORT'],
  ]
  for (const [name, changes, code] of cases)
    it(`refuses ${name}`, () => {
      expect(() => plan(changes)).toThrow(expect.objectContaining({ code }))
    })

  it('allows tokens between X and P, and an amount of 1', () => {
    expect(plan({ assetID: token }).assetID).toEqual(token)
    expect(plan({ amount: 1n }).amount).toBe(1n)
  })
})

it('strayPlanOf moves everything', () => {
  const { from: sourceChain, to: destinationChain } = call
  expect(strayPlanOf({ sourceChain, destinationChain, maxFee: 3n }, local, own)).toEqual({
    ...plan({ maxFee: 3n }),
    amount: 'all',
  })
})

it('recipientText is the form of the destination', () => {
  expect(recipientText(plan(), local)).toBe(addressOf(keys, 'P'))
  expect(recipientText(plan({ from: 'P', to: 'X' }), local)).toBe(addressOf(keys))
  expect(recipientText(plan({ to: 'C' }), local)).toBe(evmAddressOf(keys.publicKeys[0]!))
})

describe('contentOf', () => {
  const digest = (changes: Partial<MoveCall>) =>
    hex.encode(contentDigest(contentOf(plan(changes)), local))

  it('binds a key to everything but the maximum fee', () => {
    const digests = [
      {},
      { from: 'C' },
      { from: 'P', to: 'X' },
      { amount: 6n },
      { amount: 'all' },
      { assetID: token },
      { recipient: stranger.addresses[0]! },
    ] as const
    expect(new Set(digests.map(digest)).size).toBe(digests.length)
    expect(digest({ maxFee: 3n })).toBe(digest({}))
  })
})
