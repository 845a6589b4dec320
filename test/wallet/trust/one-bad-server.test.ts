import { describe, expect, it } from 'vitest'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import { isRunToday } from '../../helpers/todays-cases.ts'
import { AVAX, addressOf, balanceOf, fee, produceBlocks, utxosOf } from '../setup.ts'
import { type Behavior, badServer } from './bad-servers.ts'
import {
  AMOUNTS,
  EXPORTED,
  EXPORTED_TOTAL,
  inReplacedTime,
  MAX_REQUESTS,
  me,
  POSITIONS,
  replacedClock,
  TOTAL,
  type TrustScene,
  trustScene,
  UNIT,
  you,
} from './setup.ts'

const to = addressOf(you)
const spendable = (amount: bigint) => [{ assetID: AVAX, spendable: amount }]

/** What the wallet is used for, and what must then hold. */
const USES: { readonly [name: string]: (at: TrustScene) => Promise<void> } = {
  'balances and utxos are complete': async ({ node, wallet }) => {
    expect(await wallet().balances()).toMatchObject(spendable(TOTAL))
    const set = await wallet().utxos()
    const listed = set.ofType('secp256k1fx.TransferOutput').map(utxoKey)
    expect(listed.sort()).toEqual((await utxosOf(node, me)).map(utxoKey).sort())
    const [atomic] = await wallet().balances({ sourceChain: 'P' })
    expect(atomic?.spendable).toBe(EXPORTED_TOTAL)
  },

  'transfer spends what there is': async ({ node, wallet }) => {
    const mine = wallet()
    // Needs all UTXOs, then the change.
    await mine.transfer({ to, amount: TOTAL - 3n * fee }, { key: 'a' })
    await mine.transfer({ to, amount: fee }, { key: 'b' })
    expect(await balanceOf(node, you)).toBe(TOTAL - 2n * fee)
    expect(await balanceOf(node, me)).toBe(0n)
    expect(await mine.payments(['a', 'b'])).toMatchObject([
      { status: 'accepted' },
      { status: 'accepted' },
    ])
  },

  'sendAll sends all': async ({ node, wallet }) => {
    await wallet().sendAll({ to })
    expect(await balanceOf(node, you)).toBe(TOTAL - fee)
    expect(await balanceOf(node, me)).toBe(0n)
  },

  'sweep leaves nothing behind': async ({ node, wallet }) => {
    const result = await wallet().sweep({ to })
    expect(result).toMatchObject({ utxoCount: AMOUNTS.length, unspendable: [], leftBehind: [] })
    expect(result.moved).toEqual([{ assetID: AVAX, amount: TOTAL - fee }])
    expect(await balanceOf(node, you)).toBe(TOTAL - fee)
    expect(await balanceOf(node, me)).toBe(0n)
  },

  'consolidate merges all UTXOs': async ({ node, wallet }) => {
    const result = await wallet().consolidate()
    expect(result).toMatchObject({ utxoCount: AMOUNTS.length, leftBehind: [] })
    expect(await utxosOf(node, me)).toMatchObject([{ output: { amount: TOTAL - fee } }])
  },

  'import takes all that was exported': async ({ node, wallet }) => {
    const result = await wallet().import({ sourceChain: 'P' })
    expect(result).toMatchObject({ utxoCount: EXPORTED.length, leftBehind: [] })
    expect(await balanceOf(node, me)).toBe(TOTAL + EXPORTED_TOTAL - fee)
  },

  'a wallet in use goes on': async ({ node, wallet, setBad, clock }) => {
    setBad(false)
    const mine = wallet()
    expect(await mine.balances()).toMatchObject(spendable(TOTAL))
    setBad(true)
    node.fund(addressOf(me), UNIT)
    await mine.transfer({ to, amount: 5n }, { key: 'a' })
    expect(await mine.balances()).toMatchObject(spendable(TOTAL + UNIT - fee - 5n))
    // Long enough for what is known to be compared with the servers.
    clock.advance(120_000)
    expect(await mine.balances()).toMatchObject(spendable(TOTAL + UNIT - fee - 5n))
    await mine.sendAll({ to }, { key: 'b' })
    expect(await balanceOf(node, you)).toBe(TOTAL + UNIT - 2n * fee)
    expect(await mine.payments(['a', 'b'])).toMatchObject([
      { status: 'accepted' },
      { status: 'accepted' },
    ])
    expect(await wallet().balances()).toEqual([])
  },
}

const LISTING = 'balances and utxos are complete'
const IN_USE = 'a wallet in use goes on'

/** Number of cases so far, of which an eighth is run. */
let cases = 0

/**
 * The server is the first for all uses, and the second and third for some.
 *
 * @param isTimed - whether the server makes requests reach their time limits
 */
function usesWith(
  behavior: string,
  server: Behavior,
  uses: readonly string[],
  isTimed = false,
): void {
  const everywhere = uses === ALL ? [LISTING, IN_USE] : [IN_USE]
  describe(`one of three servers ${behavior}:`, { timeout: 10_000 }, () => {
    for (const use of uses)
      for (const position of everywhere.includes(use) ? POSITIONS : POSITIONS.slice(0, 1))
        it.runIf(isRunToday(cases++))(`${use}: it is the ${position}`, async () => {
          const at = await trustScene(
            { [position]: server },
            isTimed ? { clock: replacedClock } : {},
          )
          const run = () => USES[use]!(at)
          await (isTimed ? inReplacedTime(run) : run())
          expect(at.requests.length).toBeLessThan(MAX_REQUESTS)
        })
  })
}

const LISTS = [
  'leaves out some UTXOs',
  'leaves out all UTXOs',
  'reports doubled amounts',
  'reports amounts of 1',
  'lists UTXOs of transactions that do not exist',
  'lists outputs that transactions do not have',
  'lists a thousand invented UTXOs',
  'lists several pages of invented UTXOs',
  'lists invented UTXOs without end',
  'invents UTXOs and the transactions that create them',
  'lists UTXOs that were spent long ago',
  'stays at an old block',
]

const OTHERS = [
  'serves three forged blocks',
  'serves another chain',
  'serves forged blocks without end',
  'shows every transaction as accepted and forwards none',
  'has no blocks',
  'has no old blocks',
  'reports a height far too high',
  'reports height 0',
  'belongs to another network',
  'answers with status 500',
  'asks for a pause of an hour',
  'answers with a page of HTML',
  'answers with empty results',
  'says that nothing is found',
  'refuses connections',
  'reports the IDs of another network',
  'reports another asset as AVAX',
  'reports no fee',
  'reports ten times the fee',
  'does not find transactions',
  'takes transactions and drops them',
  'rejects transactions because of their inputs',
  'rejects transactions because of their signatures',
]

const ALL = Object.keys(USES)
// Where lists are honest, a sweep, a consolidation and sendAll differ only in their plans; a wallet in use sends all.
const MOST = ALL.filter((use) => !/^(consolidate|sweep|sendAll)/.test(use))

for (const name of LISTS) usesWith(name, badServer(name), ALL)
for (const name of OTHERS) usesWith(name, badServer(name), MOST)
for (const name of ['never answers', 'breaks connections after ten seconds'])
  usesWith(name, badServer(name), MOST, true)
usesWith('is as honest as the others', badServer(), ALL)

for (const [title, names] of Object.entries({
  'forges blocks, transactions and lists': [
    'serves three forged blocks',
    'invents UTXOs and the transactions that create them',
    'shows every transaction as accepted and forwards none',
  ],
  'leaves out all UTXOs and has no blocks': ['leaves out all UTXOs', 'has no blocks'],
  'drops transactions and does not find any': [
    'takes transactions and drops them',
    'does not find transactions',
  ],
}))
  usesWith(title, badServer(...names), MOST)

describe('a payment that only a forged block contains', () => {
  for (const position of POSITIONS)
    it(`is pending until the network accepts it: the ${position} server forges`, async () => {
      const server = badServer('shows every transaction as accepted and forwards none')
      const { node, wallet } = await trustScene({ [position]: server }, { blocks: 'manual' })
      const mine = wallet({ wait: { timeoutMs: 30_000 } })
      const paying = mine.transfer({ to, amount: 5n }, { key: 'a' })
      await expect(paying).rejects.toMatchObject({ code: 'TX_PENDING' })
      expect(await mine.payments(['a'])).toMatchObject([{ status: 'pending' }])
      produceBlocks(node)
      expect(await mine.resume()).toMatchObject([{ status: 'accepted' }])
      expect(await balanceOf(node, you)).toBe(5n)
    })
})
