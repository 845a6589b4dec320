import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { chooseCoins } from '../../../src/core/coins/chosen.ts'
import { FundsError } from '../../../src/core/coins/errors.ts'
import type { Coin } from '../../../src/core/coins/pool.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { alice, coin, trio } from './samples.ts'

const now = 1000n

/** The result, or the message of the error. */
function outcome(run: () => readonly Coin[]): readonly Coin[] | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof FundsError) return `${error.code}: ${error.message}`
    throw error
  }
}

describe('chooseCoins', () => {
  it('returns the signers of each UTXO in the given order', () => {
    const shared = coin('shared', 7n, { threshold: 2, addresses: trio })
    const own = coin('own', 5n)
    const chosen = chooseCoins([shared, own], { owners: [...trio, alice], now })
    expect(chosen.coins).toEqual([
      { utxo: shared, signatureIndices: [0, 1] },
      { utxo: own, signatureIndices: [0] },
    ])
    expect(chosen.owners).toEqual([...trio, alice])
  })

  it('rejects UTXOs that cannot exist and invalid owners or times', () => {
    const view = { owners: [alice], now }
    const output = { ...coin('x', 5n).output, locktime: 4_000_000_000n }
    const locked = { ...coin('x', 5n), output } as UTXO
    const broken: readonly (readonly [string, unknown, unknown])[] = [
      ['ENC_INVALID', locked, { owners: [alice], now: 5_000_000_000 }],
      ['MISSING_OPTION', locked, { owners: [alice] }],
      ['ENC_WRONG_LENGTH', coin('x', 5n), { owners: [alice, alice.subarray(1)], now }],
      ['ENC_INVALID', coin('x', 5n), { owners: ['X-local1'], now }],
      ['ADDRS_NOT_SORTED_UNIQUE', coin('x', 5n, { addresses: [alice, alice] }), view],
      ['OWNERS_UNOPTIMIZED', coin('x', 5n, { threshold: 0 }), view],
      ['OUTPUT_ZERO_AMOUNT', coin('x', 0n), view],
      ['CODEC_BAD_VALUE', coin('x', -5n), view],
      ['CODEC_BAD_VALUE', { ...coin('x', 5n), outputIndex: 1.5 }, view],
      ['CODEC_BAD_VALUE', { ...coin('x', 5n), txID: new Uint8Array(31) }, view],
      ['ENC_INVALID', undefined, view],
    ]
    for (const [code, utxo, seen] of broken)
      expect([code, codeOf(() => chooseCoins([utxo as UTXO], seen as typeof view))]).toEqual([
        code,
        code,
      ])
  })

  const anyCoin = fc
    .record({ addresses: fc.subarray(trio), threshold: fc.nat(3), locktime: fc.bigInt(0n, 2000n) })
    .filter(({ addresses, threshold }) => threshold <= addresses.length)
    .filter(({ addresses, threshold }) => (threshold === 0) === (addresses.length === 0))
    .map((words) => coin('any', 5n, words))
  const mintRight: UTXO = {
    ...coin('right', 5n),
    output: { type: 'secp256k1fx.MintOutput', locktime: 0n, threshold: 1, addresses: [alice] },
  }

  test.prop([fc.oneof(anyCoin, fc.constant(mintRight)), fc.subarray(trio), fc.bigInt(0n, 2000n)])(
    'agrees with a set in which the UTXO is pinned',
    (utxo, owners, time) => {
      const set = new UTXOSet()
      set.add([utxo])
      const view = { owners, now: time }
      const need = { amounts: [], baseSize: 0, changeSize: 0 }
      const asked = () => set.select({ ...view, need, pinned: [utxo] }).coins
      expect(outcome(() => chooseCoins([utxo], view).coins)).toEqual(outcome(asked))
    },
  )
})
