import { expect, vi } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { SignError } from '../../../src/core/sign/errors.ts'
import type { DevNodeOptions } from '../../../src/devnode/index.ts'
import {
  formatPolicy,
  type ParsedPolicy,
  type PolicyRules,
  parsePolicy,
} from '../../../src/signers/policy/index.ts'
import type { Wallet, WalletOptions } from '../../../src/wallet/index.ts'
import { memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { errorFor, type Interceptor } from '../requests.ts'
import { AVAX, addressOf, fee, now, people, type Scene, scene } from '../setup.ts'

export const me: KeyChain = people[0]!
export const you: KeyChain = people[1]!
export const DAY = 86_400

/** A policy that allows some nAVAX within a time. */
export function policyOf(
  amount = 100n,
  seconds: number = DAY,
  more: Partial<PolicyRules> = {},
): ParsedPolicy {
  const sums = [{ assetID: formatID(AVAX), amount, seconds }]
  return parsePolicy(formatPolicy({ name: 'Hot', networkID: 12345, sums, ...more }))
}

/** What {@link limited} returns. */
export type Limited = Omit<Scene, 'wallet'> & {
  readonly store: Store
  /** Opens a wallet with the policy and the store. */
  readonly open: Scene['wallet']
  readonly mine: Wallet
  readonly pass: (seconds: number) => void
  /** Opens a wallet without the policy. */
  readonly free: Scene['wallet']
}

/**
 * A wallet with a policy and some UTXOs, on a clock that the store reads, too, until mocks are restored. The clock of the node
 * is ahead.
 */
export async function limited(
  own: Partial<WalletOptions> & {
    readonly policy?: ParsedPolicy
    readonly intercept?: Interceptor
    readonly fees?: DevNodeOptions['fees']
  } = {},
): Promise<Limited> {
  const { policy = policyOf(), intercept, fees, ...options } = own
  const { node, clock, client, wallet } = await scene({
    now: now + 100 * DAY,
    ...(fees && { fees }),
    ...(intercept && { intercept }),
  })
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now())
  for (let i = 0; i < 12; i++) node.fund(addressOf(me), 10n * fee)
  const store: Store = memoryStore()
  const open = (more: Partial<WalletOptions> = {}) =>
    wallet({ store, signing: { policy }, ...options, ...more })
  const pass = (seconds: number) => clock.advance(seconds * 1000)
  return { node, clock, client, store, open, mine: open(), pass, free: wallet }
}

/** The error that a call is refused with. */
export async function refusal(work: Promise<unknown>): Promise<SignError> {
  const error = await work.then(
    () => 'not refused',
    (one: unknown) => one,
  )
  expect(error).toMatchObject({ name: 'SignError', code: 'POLICY_SUM' })
  return error as SignError
}

/** A node that refuses transactions while `isDown` is set. */
export function switchable(): {
  readonly node: { isDown: boolean }
  readonly intercept: Interceptor
} {
  const node = { isDown: false }
  const intercept: Interceptor = (call, next) =>
    call.tx !== undefined && node.isDown ? errorFor(call, 'mempool is full') : next()
  return { node, intercept }
}

export const short: { readonly wait: { readonly timeoutMs: number } } = {
  wait: { timeoutMs: 1000 },
}
