import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FaultKind } from '../../src/devnode/index.ts'
import { checkedHex, formatID, txID } from '../../src/index.ts'
import { testSeed, todaysFrom } from '../helpers/todays-cases.ts'
import { seededRandom } from '../sim/random.ts'
import { avmkit, ended } from './child.ts'
import { proxyTo } from './proxy.ts'
import { BOB, BOB_WORDS, cli, devNode, EWOQ, EWOQ_KEY, folder } from './shell.ts'

const ROUNDS = todaysFrom(0, 30).length
/** Chooses the faults and the moments. */
const random = seededRandom(testSeed)
const COINS_PER_ROUND = 80
const COIN = 100_000_000n
const FEE = 1_000_000n
/** The balance that the local genesis gives the recipient. */
const GENESIS = 300_000_000_000_000_000n

const FAULTS: readonly FaultKind[] = ['lost', 'bad-gateway', 'empty', 'false-refusal', 'cut']

/** The IDs of transactions in requests. */
function issuedIn(body: string): string | undefined {
  const { method, params } = JSON.parse(body || '{}') as {
    method?: string
    params?: { tx: string }
  }
  return method === 'avm.issueTx' ? formatID(txID(checkedHex.decode(params!.tx))) : undefined
}

describe('sweep', () => {
  it(`loses nothing and pays nothing twice when it is killed ${ROUNDS} times`, {
    timeout: 240_000,
  }, async () => {
    const node = await devNode()
    let left = 0
    let child: ReturnType<typeof avmkit> | undefined
    const issued = new Set<string>()
    const url = await proxyTo(node, (body) => {
      const id = issuedIn(body)
      if (id !== undefined) issued.add(id)
      if (--left === 0) child?.process.kill('SIGKILL')
      return true
    })
    const inside = folder()
    const journal = join(inside, 'journal')
    const env = { AVMKIT_URL: url, AVMKIT_KEY: BOB_WORDS }
    // Small transactions, so that there are many points at which the process can be killed.
    const argv = ['sweep', EWOQ, '--clear-sign', '--journal', journal, '--yes', '--json']
    const moments: number[] = []
    let funded = 0n
    for (let kills = 0; kills < ROUNDS; ) {
      for (let i = 0; i < COINS_PER_ROUND; i++) node.fund(BOB, COIN)
      funded += BigInt(COINS_PER_ROUND) * COIN
      for (const [i, on] of ['avm.issueTx', 'avm.getTx', 'avm.getUTXOs'].entries()) {
        const kind = random.pick(FAULTS)
        // A node that returns empty lists is not included, because a client cannot detect that.
        if (on === 'avm.issueTx' || kind !== 'false-refusal')
          node.injectFault({ kind, on, after: (kills + i) % 3 })
      }
      left = 1 + random.below(24)
      moments.push(left)
      child = avmkit(argv, env, inside)
      if ((await child.exited).code === null) kills++
    }
    left = 0
    node.restart()
    const last = await ended(avmkit(argv, env, inside))
    expect([last.code, last.err], `killed at requests ${moments.join(', ')}`).toEqual([
      0,
      expect.stringMatching(/^\{"note":"checked \d+ addresses, [^\n]*\n$/),
    ])

    // Every transaction of the journal has an end; generated keys are forgotten with it.
    const list = await cli(['journal', 'list', '--journal', journal, '--json'])
    expect(list.json()).toMatchObject({ payments: [] })
    let accepted = 0
    for (const id of issued) {
      const { status } = (await cli(['status', id, '--json'], { node })).json()
      if (status === 'accepted') accepted++
    }
    type Balance = { assets: { spendable: string }[] }
    const balanceOf = async (address: string) =>
      (await cli(['balance', address, '--json'], { node })).json<Balance>().assets
    expect(await balanceOf(BOB)).toEqual([])
    const [received] = await balanceOf(EWOQ)
    expect(BigInt(received!.spendable)).toBe(GENESIS + funded - FEE * BigInt(accepted))
  })
})

describe('payout', () => {
  it('pays every key once, wherever it is killed', { timeout: 240_000 }, async () => {
    const node = await devNode()
    let left = 0
    let child: ReturnType<typeof avmkit> | undefined
    const url = await proxyTo(node, () => {
      if (--left === 0) child?.process.kill('SIGKILL')
      return true
    })
    const inside = folder()
    const rows = Array.from({ length: 6 }, (_, i) => `key-${i},${BOB},${i + 1}`)
    writeFileSync(join(inside, 'payouts.csv'), ['key,address,amount', ...rows].join('\n'))
    const argv = [
      'payout',
      'payouts.csv',
      '--batch',
      '2',
      '--yes',
      '--json',
      '--journal',
      'journal',
    ]
    const env = { AVMKIT_URL: url, AVMKIT_KEY: EWOQ_KEY }
    let kills = 0
    // Killed later in every run, until a run ends by itself.
    for (let run = 1; run <= 30; run++) {
      left = 4 * run
      child = avmkit(argv, env, inside)
      const { code, err } = await child.exited
      if (code === null) kills++
      else {
        expect([code, err]).toEqual([0, ''])
        break
      }
    }
    expect(kills).toBeGreaterThan(2)
    left = 0
    const again = await ended(avmkit(argv, env, inside))
    expect(JSON.parse(again.out)).toMatchObject({ paid: 0, paidBefore: 6 })
    const { utxos } = (await cli(['utxos', BOB, '--sort', 'amount', '--json'], { node })).json<{
      utxos: { utxo: { output: { amount: number } } }[]
    }>()
    expect(utxos.map(({ utxo }) => utxo.output.amount / 1e9)).toEqual(rows.map((_, i) => 6 - i))
  })
})
