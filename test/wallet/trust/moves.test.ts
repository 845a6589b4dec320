import { describe, expect, it } from 'vitest'
import {
  type Clock,
  createCChainClient,
  createNodeClient,
  createPChainClient,
} from '../../../src/node/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import type { ChainAlias } from '../../core/sign/chains/mover.ts'
import { isRunToday } from '../../helpers/todays-cases.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { AVAX, keys, type MoveScene, moveScene } from '../moves/setup.ts'
import { type Interceptor, intercepted } from '../requests.ts'
import { type Behavior, badServer } from './bad-servers.ts'
import {
  hostOf,
  inReplacedTime,
  MAX_REQUESTS,
  POSITIONS,
  type Position,
  replacedClock,
  urls,
} from './setup.ts'

type Pair = readonly [from: ChainAlias, to: ChainAlias]

const PAIRS: readonly Pair[] = [
  ['X', 'P'],
  ['P', 'X'],
  ['X', 'C'],
  ['C', 'X'],
]

type Servers = Pick<MoveScene, 'node' | 'ledger' | 'wallet'> & { readonly requests: () => number }

/** A wallet with a quorum of 2 of three servers, some of which may be bad. */
async function threeServers(
  bad: { readonly [position in Position]?: Behavior } = {},
  clock: Clock = virtualClock(),
): Promise<Servers> {
  const { node, wallet, ledger } = await moveScene()
  node.cChain.setBaseFee(25_000_000_000n)
  // Raises the nonce of the account above 0.
  await ledger.import('C', 'X', (await ledger.export('C', 'X', AVAX)).utxos)
  const owner = keys.addresses[0]!
  const servers = new Map<string, Interceptor>()
  for (const position of POSITIONS) {
    const server = await bad[position]?.({ node, clock, owner, spent: [] })
    if (server !== undefined) servers.set(hostOf(position), server)
  }
  let requests = 0
  const at = {
    url: urls,
    fetch: intercepted(
      (url, init) => node.fetch(url, init),
      async (call, next, init) => {
        const server = servers.get(call.host)
        // A call that never ends must not keep the machine busy after its test has failed.
        if (++requests > 2 * MAX_REQUESTS) await clock.sleep(60_000)
        await clock.sleep(server === undefined ? 4 : 2)
        return server === undefined ? next() : server(call, next, init)
      },
    ),
    clock,
  }
  const own: MoveScene['wallet'] = (options) =>
    wallet({
      client: createNodeClient(at),
      pChain: createPChainClient(at),
      cChain: createCChainClient(at),
      quorum: 2,
      clock,
      ...options,
    })
  return { node, ledger, wallet: own, requests: () => requests }
}

/** What a wallet is used for; returns what is then on the two chains. */
type Use = (at: Servers, pair: Pair) => Promise<readonly bigint[]>

const balances = async ({ ledger }: Servers, chains: Pair) => [
  await ledger.balance(chains[0]),
  await ledger.balance(chains[1]),
]

const moveAmount: Use = async (at, [from, to]) => {
  const mine = at.wallet()
  // More than each of the UTXOs has.
  await mine.move({ from, to, amount: 70n * AVAX }, { key: 'a' })
  expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted' }])
  expect(await mine.moves()).toEqual([])
  return balances(at, [from, to])
}

const moveAll: Use = async (at, [from, to]) => {
  await at.wallet().move({ from, to, amount: 'all' })
  return balances(at, [from, to])
}

const importStray: Use = async (at, [from, to]) => {
  for (const amount of [3n, 4n, 5n]) await at.ledger.export(from, to, amount * AVAX)
  const call = { sourceChain: from, destinationChain: to }
  expect((await at.wallet().importStray(call)).leftBehind).toEqual([])
  return balances(at, [from, to])
}

const honest = new Map<string, Promise<readonly bigint[]>>()

/** What a use results in with honest servers; the fees included. */
function expected(name: string, use: Use, pair: Pair): Promise<readonly bigint[]> {
  const key = `${name} ${pair.join()}`
  const result = honest.get(key) ?? threeServers().then((at) => use(at, pair))
  honest.set(key, result)
  return result
}

const TIMED = ['never answers', 'breaks connections after ten seconds']

/** Number of cases so far, of which an eighth is run. */
let cases = 0

/** With each pair if the bad server is the first, and with one pair, in turn, if it is the second or third. */
function check(name: string, use: Use, behaviors: readonly string[], pairs = PAIRS): void {
  for (const [i, behavior] of behaviors.entries())
    for (const position of [POSITIONS[0], POSITIONS[1 + (i % 2)]!])
      for (const pair of position === 'first' ? pairs : [pairs[i % pairs.length]!])
        it.runIf(isRunToday(cases++))(
          `${name} from ${pair[0]} to ${pair[1]} ends: the ${position} server ${behavior}`,
          async () => {
            const balancesAfter = await expected(name, use, pair)
            const isTimed = TIMED.includes(behavior)
            const server = { [position]: badServer(behavior) }
            const at = await threeServers(server, isTimed ? replacedClock : undefined)
            const run = async () => {
              expect(await use(at, pair)).toEqual(balancesAfter)
            }
            await (isTimed ? inReplacedTime(run) : run())
            expect(at.requests()).toBeLessThan(MAX_REQUESTS)
          },
        )
}

const LISTS = [
  'leaves out some UTXOs',
  'leaves out all UTXOs',
  'reports doubled amounts',
  'lists UTXOs of transactions that do not exist',
  'lists invented UTXOs without end',
]

describe('with one bad server of three', { timeout: 10_000 }, () => {
  check('a move', moveAmount, [
    ...LISTS,
    'shows every transaction as accepted and forwards none',
    'takes transactions and drops them',
    'does not find transactions',
    'serves three forged blocks',
    'belongs to another network',
    'answers with status 500',
    'says that nothing is found',
    'reports no prices of gas',
    'reports high prices of gas',
    ...TIMED,
  ])
  // What can be moved from C is no list.
  check('a move of all', moveAll, LISTS, PAIRS.slice(0, 3))
  check('an import of stray UTXOs', importStray, LISTS)

  const account = [
    'reports nonces that are too low',
    'reports nonces that are too high',
    'reports empty accounts',
    'reports rich accounts',
  ]
  const fromC: readonly Pair[] = [['C', 'X']]
  check('a move', moveAmount, account, fromC)
  check('a move of all', moveAll, account, fromC)
})

describe('a quote of a move of all', () => {
  const OMITS = badServer('leaves out some UTXOs')
  const DOWN = badServer('refuses connections')
  for (const from of ['X', 'P'] as const)
    for (const omits of POSITIONS)
      it(`from ${from} counts what one of two servers leaves out: the ${omits}`, async () => {
        const down = POSITIONS.find((position) => position !== omits)!
        const at = await threeServers({ [omits]: OMITS, [down]: DOWN })
        // So many blocks that those with the UTXOs are not read after a walk.
        for (let i = 0; i < 12; i++) at.node.fund(new Uint8Array(20), 1n)
        const call = { from, to: from === 'X' ? 'P' : 'X', amount: 'all' } as const
        const { leftBehind } = await at.wallet().quoteMove(call)
        expect(leftBehind).toBeGreaterThanOrEqual(40n * AVAX)
      })
})

describe('a move to P that another holder of the keys has ended', () => {
  for (const position of POSITIONS)
    it(`ends, although one server hides the import: the ${position}`, async () => {
      const hides = badServer('leaves out all UTXOs', 'does not find transactions')
      const at = await threeServers({ [position]: hides })
      const store = memoryStore()
      const dropping = intercepted(
        (url, init) => at.node.fetch(url, init),
        ({ method }, next) => {
          if (method === 'platform.issueTx') throw new TypeError('fetch failed')
          return next()
        },
      )
      const pChain = createPChainClient({ url: urls, fetch: dropping, clock: virtualClock() })
      const early = at.wallet({ store, pChain, wait: { timeoutMs: 2_000 } })
      const moving = early.move({ from: 'X', to: 'P', amount: AVAX }, { key: 'a' })
      await expect(moving).rejects.toMatchObject({ code: 'MOVE_UNFINISHED' })
      await at.wallet().importStray({ sourceChain: 'X', destinationChain: 'P' })
      expect(await at.wallet({ store }).resume()).toMatchObject([{ status: 'accepted' }])
    })
})
