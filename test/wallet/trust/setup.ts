import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import {
  createDevNode,
  type DevNode,
  type DevNodeOptions,
  type DevNodeSnapshot,
} from '../../../src/devnode/index.ts'
import { type Clock, createNodeClient, type Fetch, systemClock } from '../../../src/node/index.ts'
import { createWallet, type Wallet, type WalletOptions } from '../../../src/wallet/index.ts'
import { type VirtualClock, virtualClock } from '../../helpers/virtual-clock.ts'
import { type Call, type Interceptor, intercepted } from '../requests.ts'
import { addressOf, direct, fee, now, people, utxosOf } from '../setup.ts'
import type { Behavior } from './bad-servers.ts'

export const POSITIONS = ['first', 'second', 'third'] as const
export type Position = (typeof POSITIONS)[number]

/** With ports, because a default port may be left out of the name of a server. */
export const SERVERS = ['a.test:9650', 'b.test:9650', 'c.test:9650'] as const
export const urls: readonly string[] = SERVERS.map((server) => `http://${server}`)

/** The host name of a server, without its port. */
export function hostOf(position: Position): string {
  return SERVERS[POSITIONS.indexOf(position)]!.split(':')[0]!
}

export const me: KeyChain = people[0]!
export const you: KeyChain = people[1]!
const stranger = people[2]!

export const UNIT: bigint = 10n * fee
/** The UTXOs of the wallet, in the order of their blocks. */
export const AMOUNTS: readonly bigint[] = [10n * UNIT, 20n * UNIT, 30n * UNIT]
export const TOTAL: bigint = 60n * UNIT
/** What the P-Chain has exported to the wallet. */
export const EXPORTED: readonly bigint[] = [4n * UNIT, 5n * UNIT, 6n * UNIT]
export const EXPORTED_TOTAL: bigint = 15n * UNIT

/** More requests than any call should need. */
export const MAX_REQUESTS = 2_000

type Start = { readonly snapshot: DevNodeSnapshot; readonly spent: readonly UTXO[] }
let starting: Promise<Start> | undefined

/** The state in which every test starts, made once. */
async function start(): Promise<Start> {
  const node = await createDevNode({ now })
  for (let i = 0; i < 2; i++) node.fund(addressOf(me), 50n * UNIT)
  const spent = await utxosOf(node, me)
  const early = createWallet({ client: direct(node), keys: me, clock: virtualClock() })
  await early.sendAll({ to: addressOf(stranger) })
  // So many blocks that those before are not read again after a walk.
  const passTime = () => {
    for (let i = 0; i < 12; i++) node.fund(addressOf(stranger), 1n)
  }
  passTime()
  for (const amount of AMOUNTS) node.fund(addressOf(me), amount)
  passTime()
  const address = addressOf(me)
  node.exportFrom('P', ...EXPORTED.map((amount) => ({ address, amount })))
  const snapshot = node.snapshot()
  await node.close()
  return { snapshot, spent }
}

/** A node with the chain on which tests start, and what was spent on it. */
export async function startedNode(options: DevNodeOptions = {}): Promise<{
  readonly node: DevNode
  readonly spent: readonly UTXO[]
}> {
  starting ??= start()
  const { snapshot, spent } = await starting
  const node = await createDevNode({ now, ...options })
  onTestFinished(() => node.close())
  node.restore(snapshot)
  return { node, spent }
}

/** Three servers of one network, some of which are bad. */
export type TrustScene = {
  readonly node: DevNode
  readonly clock: Clock & Pick<VirtualClock, 'advance'>
  /** Every request so far. */
  readonly requests: readonly Call[]
  /** Makes the bad servers bad or honest. They are bad at the beginning. */
  readonly setBad: (isBad: boolean) => void
  /** By default a wallet with a quorum of 2. */
  readonly wallet: (options?: Partial<WalletOptions>) => Wallet
}

/** The servers are called by their positions; those that are not named are honest. */
export async function trustScene(
  bad: { readonly [position in Position]?: Behavior },
  options: {
    readonly url?: readonly string[]
    /** By default a virtual one. */
    readonly clock?: Clock & Pick<VirtualClock, 'advance'>
    readonly blocks?: DevNodeOptions['blocks']
  } = {},
): Promise<TrustScene> {
  const { url = urls, clock = virtualClock() } = options
  const { node, spent } = await startedNode({ blocks: options.blocks })
  const surroundings = { node, clock, owner: me.addresses[0]!, spent }
  const servers = new Map<string, Interceptor>()
  for (const position of POSITIONS) {
    const behavior = bad[position]
    if (behavior !== undefined) servers.set(hostOf(position), await behavior(surroundings))
  }
  let isBad = true
  const requests: Call[] = []
  const reach: Fetch = (to, init) => node.fetch(to, init)
  const fetch = intercepted(reach, async (call, next, init) => {
    requests.push(call)
    // A call that never ends must not keep the machine busy after its test has failed.
    if (requests.length > 2 * MAX_REQUESTS) {
      await clock.sleep(60_000)
      throw new TypeError('too many requests')
    }
    const server = isBad ? servers.get(call.host) : undefined
    // Bad servers are faster, so that their answers are the first. Without a delay, endless answers would not let any
    // time pass.
    await clock.sleep(server === undefined ? 4 : 2)
    return server === undefined ? next() : server(call, next, init)
  })
  const client = createNodeClient({ url, fetch, clock })
  return {
    node,
    clock,
    requests,
    setBad: (value) => {
      isBad = value
    },
    wallet: (own = {}) => createWallet({ client, keys: me, clock, quorum: 2, ...own }),
  }
}

/** The clock of the machine, but with the timers and the date that a test replaces. */
export const replacedClock: Clock & Pick<VirtualClock, 'advance'> = {
  ...systemClock,
  now: () => Date.now(),
  random: () => 1,
  advance: (ms) => {
    vi.setSystemTime(Date.now() + ms)
  },
}

/**
 * Runs a task in simulated time. Limits of single requests are timers of the machine, which a virtual clock does not
 * move; so these are replaced.
 */
export async function inReplacedTime(task: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_700_000_000_000 })
  try {
    let isDone = false
    const running = task().finally(() => {
      isDone = true
    })
    running.catch(() => {})
    for (let i = 0; !isDone; i++) {
      if (i > 20_000) throw new Error('the call does not end')
      for (let turn = 0; turn < 5; turn++) await nextTurn()
      if (!isDone) await vi.advanceTimersToNextTimerAsync()
    }
    await running
  } finally {
    vi.useRealTimers()
  }
}
