import { describe, expect, it } from 'vitest'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { encodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { networks, planSweep } from '../../../src/index.ts'
import { alice, bob, coin, trio } from './samples.ts'

const now = 1000n
const mine = { owners: [alice], now }
const { assetID } = networks.fuji

let made = 0

/** A number of new UTXOs. */
function fresh(count: number, amount: bigint): UTXO[] {
  return Array.from({ length: count }, () => coin(`${made++}`, amount, { assetID }))
}

const rows = (set: UTXOSet) => set.holdings({}).store.rows

describe('UTXOSet.remove', () => {
  it('uses memory only for present UTXOs and the latest removals', () => {
    const set = new UTXOSet()
    const stays = fresh(50, 7n)
    set.add(stays)
    let last: UTXO[] = []
    for (let round = 0; round < 60; round++) {
      last = fresh(1000, 3n)
      set.add(last)
      set.select({
        ...mine,
        need: { amounts: [{ assetID, amount: 4n }], baseSize: 0, changeSize: 0 },
      })
      set.remove(last)
      expect(rows(set)).toBeLessThan(2 * 17_500 + 1050)
    }
    expect(set.size()).toBe(50)
    expect(set.balances(mine)).toMatchObject([{ spendable: 350n, spendableUTXOs: 50 }])
    for (const utxo of stays) expect(set.get(utxo)).toEqual(utxo)
    expect(set.add(last).added).toBe(0)
  })

  it('remembers the last 16,384 removals, and forgets old ones', () => {
    const set = new UTXOSet()
    const old = fresh(1, 3n)
    set.add(old)
    set.remove(old)
    const later = fresh(16_383, 3n).map(encodeUTXO)
    set.add(later)
    set.remove(set.ofType('secp256k1fx.TransferOutput'))
    expect(set.add([...old, ...later]).added).toBe(0)
    const latest = fresh(16_384, 3n)
    set.add(latest)
    set.remove(latest)
    expect(set.add([...old, ...later, ...latest]).added).toBe(16_384)
  })

  it('changes nothing else when it compacts', () => {
    const set = new UTXOSet()
    const mint = {
      type: 'secp256k1fx.MintOutput',
      locktime: 0n,
      threshold: 1,
      addresses: [alice],
    } as const
    const stays = [
      coin('free', 1n, { assetID }),
      coin('locked', 2n, { assetID, locktime: 5000n }),
      coin('two of three', 4n, { assetID, threshold: 2, addresses: trio }),
      coin('of Bob', 8n, { assetID, addresses: [bob] }),
      coin('anybody’s', 16n, { assetID, threshold: 0, addresses: [] }),
      coin('reserved', 32n, { assetID }),
      coin('reserved for a while', 64n, { assetID }),
      { ...coin('right', 0n, { assetID }), output: mint },
    ]
    set.add(stays)
    set.reserve([stays[5]!], { now })
    set.reserve([stays[6]!], { now, until: now + 10n })
    const before = [set.balances(mine), set.balances({ ...mine, now: now + 10n })]
    const many = fresh(20_000, 3n)
    set.add(many)
    set.remove(many)
    expect(rows(set)).toBeLessThanOrEqual(20_008)
    expect([set.balances(mine), set.balances({ ...mine, now: now + 10n })]).toEqual(before)
    for (const utxo of stays) expect(set.get(utxo)).toEqual(utxo)
    expect(set.ofType('secp256k1fx.MintOutput')).toEqual([stays[7]])
    set.release([stays[5]!])
    expect(set.balances(mine)).toMatchObject([{ spendable: 49n, reserved: 64n }])
  })

  it('does not change the drafts of an existing plan', () => {
    const set = new UTXOSet()
    set.add(fresh(20_000, 1_000_000n))
    const plan = planSweep({ context: networks.fuji, funds: { utxos: set, ...mine }, to: bob })
    const spent: UTXO[] = []
    for (const { utxos } of plan.drafts()) {
      spent.push(...utxos)
      set.remove(utxos)
      set.add(fresh(100, 5n))
    }
    expect(new Set(spent.map(({ txID }) => txID.join())).size).toBe(20_000)
    expect(spent.every(({ output }) => 'amount' in output && output.amount === 1_000_000n)).toBe(
      true,
    )
  })
})
