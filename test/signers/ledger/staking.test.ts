import { describe, expect, it } from 'vitest'
import '../../../src/core/p-chain.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { type LedgerError, ledgerScreensOf } from '../../../src/signers/ledger/index.ts'
import { shownByApp } from './app-shown.ts'

// Each rule of the app has a transaction that keeps it, and one that does not.

const u16 = (value: number) => value.toString(16).padStart(4, '0')
const u32 = (value: number) => value.toString(16).padStart(8, '0')
const u64 = (value: number) => value.toString(16).padStart(16, '0')
const blob = (bytes: string) => u32(bytes.length / 2) + bytes
const list = (items: readonly string[]) => u32(items.length) + items.join('')
const fill = (byte: string, size: number) => byte.repeat(size)

const P = fill('00', 32)
const X = hex.encode(networks.fuji.chainID)
const NODE = fill('a1', 20)
const SUBNET = fill('5b', 32)
const AUTH = u32(10) + list([u32(0)])
const output = (amount: number, threshold = 1, owners = [fill('01', 20)]) =>
  fill('aa', 32) + u32(7) + u64(amount) + u64(0) + u32(threshold) + list(owners)
const input = fill('bb', 32) + u32(0) + fill('aa', 32) + u32(5) + u64(10 ** 9) + list([u32(0)])
const validator = (start: number, end: number, weight: number) =>
  NODE + u64(start) + u64(end) + u64(weight)
const owners = (locktime = 0, threshold = 1) =>
  u32(11) + u64(locktime) + u32(threshold) + list([fill('02', 20)])
const account = (threshold = 1) => u32(threshold) + list([fill('03', 20)])

type Around = {
  readonly outputs?: readonly string[]
  readonly memo?: string
  readonly chain?: string
}

/** The bytes of a transaction of Fuji with one input of 1 AVAX. */
function tx(
  type: number,
  rest: string,
  { outputs = [], memo = '', chain = P }: Around = {},
): string {
  return u16(0) + u32(type) + u32(5) + chain + list(outputs) + list([input]) + blob(memo) + rest
}

const delegator = (
  start: number,
  end: number,
  weight: number,
  rewards = owners(),
  around?: Around,
) => tx(14, validator(start, end, weight) + list([output(7)]) + rewards, around)
const subnetOf = (owner: string, around?: Around) => tx(16, owner, around)
const chainOf = (name: string) =>
  tx(15, SUBNET + u16(name.length / 2) + name + SUBNET + list([SUBNET]) + blob('01') + AUTH)
const added = (size: number, balance: number) =>
  u32(size) + NODE + u64(5) + u64(balance) + fill('cc', 144) + account() + account()
const converted = (subnet: string, manager: string, validators: readonly string[]) =>
  tx(35, subnet + SUBNET + blob(manager) + list(validators) + AUTH)
const call = (payload: string, network = 5, kind = 1) =>
  blob(
    u16(0) +
      u32(network) +
      SUBNET +
      blob(u16(0) + u32(kind) + blob(NODE) + blob(payload)) +
      fill('dd', 40),
  )
const weight = (type = 3) => u16(0) + u32(type) + SUBNET + u64(1) + u64(2)
const registered = (threshold = 1) =>
  u16(0) +
  u32(1) +
  SUBNET +
  u32(20) +
  NODE +
  fill('cc', 48) +
  u64(9) +
  account() +
  account(threshold) +
  u64(4)

const rules: readonly (readonly [rule: string, kept: string, broken: string])[] = [
  ['the stake is the weight', delegator(1, 2, 7), delegator(1, 2, 8)],
  ['a validation has a duration', delegator(1, 2, 7), delegator(2, 2, 7)],
  ['the calendar ends', delegator(1, 145_732 * 86_400 - 1, 7), delegator(1, 145_732 * 86_400, 7)],
  ['owners can sign', delegator(1, 2, 7), delegator(1, 2, 7, owners(0, 2))],
  ['owners of a subnet have no locktime', subnetOf(owners()), subnetOf(owners(1))],
  [
    'owners of outputs can sign',
    subnetOf(owners(), { outputs: [output(1)] }),
    subnetOf(owners(), { outputs: [output(1, 2)] }),
  ],
  [
    'memos are short',
    subnetOf(owners(), { memo: fill('00', 256) }),
    subnetOf(owners(), { memo: fill('00', 257) }),
  ],
  [
    'there are 64 outputs at most',
    subnetOf(owners(), { outputs: Array(64).fill(output(1)) }),
    subnetOf(owners(), { outputs: Array(65).fill(output(1)) }),
  ],
  ['names are ASCII', chainOf('4d79'), chainOf('c3a4')],
  [
    'the fee is not negative',
    converted(SUBNET, NODE, [added(20, 9)]),
    converted(SUBNET, NODE, [added(20, 2e9)]),
  ],
  ['the primary network stays', converted(SUBNET, '', []), converted(P, '', [])],
  ['managers have 32 bytes', converted(SUBNET, SUBNET, []), converted(SUBNET, `${SUBNET}00`, [])],
  ['messages are of a known network', tx(37, call(weight())), tx(37, call(weight(), 6))],
  ['messages are calls', tx(37, call(weight())), tx(37, call(weight(), 5, 2))],
  ['messages are of the type', tx(37, call(weight())), tx(37, call(weight(1)))],
  [
    'owners of an L1 validator can sign',
    tx(36, u64(1) + fill('cc', 96) + call(registered())),
    tx(36, u64(1) + fill('cc', 96) + call(registered(2))),
  ],
  [
    'a base transaction keeps the rules',
    tx(34, '', { outputs: [output(1)] }),
    tx(34, '', { outputs: [output(1, 2)] }),
  ],
  ['its memo, too', tx(34, '', { memo: fill('00', 256) }), tx(34, '', { memo: fill('00', 257) })],
]

function codeOf(bytes: Uint8Array): string | undefined {
  try {
    ledgerScreensOf(bytes)
    return undefined
  } catch (error) {
    return (error as LedgerError).code
  }
}

describe('ledgerScreensOf', () => {
  it.each(rules)('knows that %s', (_rule, kept, broken) => {
    const shown = ledgerScreensOf(hex.decode(kept)).map(({ title, text }) => [title, text])
    expect(shown).toEqual(shownByApp(hex.decode(kept), []))
    expect(codeOf(hex.decode(broken))).toBe('LEDGER_UNSUPPORTED')
    expect(shownByApp(hex.decode(broken), [])).toBeUndefined()
  })

  it('refuses what the app would misread or could not count', () => {
    // The app skips the size of a node ID.
    expect(codeOf(hex.decode(converted(SUBNET, NODE, [added(21, 9)])))).toBe('LEDGER_UNSUPPORTED')
    // It reads staking on any chain.
    expect(codeOf(hex.decode(delegator(1, 2, 7, owners(), { chain: X })))).toBe('CODEC_WRONG_TYPE')
    const many = (count: number) =>
      hex.decode(converted(SUBNET, NODE, Array(count).fill(added(20, 0))))
    expect(ledgerScreensOf(many(251)).length).toBe(255)
    expect(codeOf(many(252))).toBe('LEDGER_UNSUPPORTED')
  })
})
