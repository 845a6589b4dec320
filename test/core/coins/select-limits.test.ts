import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { encodeUTXO, type UTXO } from '../../../src/core/chain/x/utxo.ts'
import { lazyPage, pageBytes } from '../../../src/core/chain/x/utxo-page.ts'
import { selectFromPages } from '../../../src/core/coins/stream.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { FundsError } from '../../../src/index.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { alice, coin, idOf, trio } from './samples.ts'

const assets = [idOf('a1'), idOf('a2')] as const
const now = 100n

function setOf(...utxos: readonly UTXO[]): UTXOSet {
  const set = new UTXOSet()
  set.add(utxos)
  return set
}

describe('select', () => {
  it('finds UTXOs with a sum within 64 bits if there are any', () => {
    const top = 2n ** 64n - 1n
    const amounts = [1n, top - 9n, 6n, 4n, 4n]
    const set = setOf(...amounts.map((amount, i) => coin(`c${i}`, amount)))
    const need = {
      amounts: [{ assetID: idOf('asset'), amount: top }],
      baseSize: 1000,
      changeSize: 80,
    }
    const { change } = set.select({ need, owners: [alice], now, maxSize: 1644 })
    expect(change).toEqual([])
  })

  it('rejects UTXOs that no transaction can spend together', () => {
    const pinned = [coin('x', 2n ** 63n), coin('y', 2n ** 63n)]
    const options = { owners: [alice], now, need: { amounts: [], baseSize: 0, changeSize: 80 } }
    expect(codeOf(() => setOf(...pinned).select({ ...options, pinned }))).toBe('AMOUNT_OVERFLOW')
  })

  it('does not consolidate above 64 bits', () => {
    const top = 2n ** 64n - 1n
    const amounts = [top - 5n, 5n, 6n]
    const set = setOf(...amounts.map((amount, i) => coin(`c${i}`, amount)))
    const need = { amounts: [{ assetID: idOf('asset'), amount: 10n }], baseSize: 0, changeSize: 80 }
    const { coins } = set.select({ need, owners: [alice], now, consolidate: {} })
    const sum = coins.reduce(
      (total, { utxo: { output } }) => total + ('amount' in output ? output.amount : 0n),
      0n,
    )
    expect(coins).toHaveLength(2)
    expect(sum).toBe(top)
  })

  it('rejects limits of a consolidation that are not numbers', () => {
    const need = { amounts: [{ assetID: idOf('asset'), amount: 1n }], baseSize: 0, changeSize: 80 }
    const limits = [null, 5, { maxInputs: Number.NaN }, { maxInputs: 'x' }, { maxSize: Number.NaN }]
    for (const consolidate of [...limits, { maxSize: null }] as object[])
      expect(
        codeOf(() => setOf(coin('a', 9n)).select({ need, owners: [alice], now, consolidate })),
      ).toBe('ENC_INVALID')
  })

  it('leaves space for the exact match of the second asset', () => {
    const words = (asset: number, threshold: number) => ({
      assetID: assets[asset]!,
      threshold,
      addresses: threshold === 0 ? [] : threshold === 1 ? [alice] : trio,
    })
    const set = setOf(
      coin('c0', 1n, words(0, 1)),
      coin('c1', 7n, words(0, 0)),
      coin('c2', 5n, words(1, 1)),
      coin('c3', 7n, words(0, 1)),
      coin('c4', 11n, words(0, 3)),
      coin('c5', 5n, words(0, 0)),
    )
    // 11 + 7 of the first, 5 of the second: 299 + 92 + 161 bytes.
    const { change } = set.select({
      need: {
        amounts: [
          { assetID: assets[0], amount: 18n },
          { assetID: assets[1], amount: 5n },
        ],
        baseSize: 1000,
        changeSize: 80,
      },
      owners: trio,
      now,
      maxSize: 1586,
      strategy: 'exact',
    })
    expect(change).toEqual([])
  })

  it('consolidates small UTXOs with a pinned one', () => {
    const big = coin('big', 100n)
    const { coins } = setOf(big, coin('s', 5n), coin('t', 6n)).select({
      need: { amounts: [{ assetID: idOf('asset'), amount: 50n }], baseSize: 100, changeSize: 80 },
      owners: [alice],
      now,
      pinned: [big],
      consolidate: { maxInputs: 3 },
    })
    expect(coins).toHaveLength(3)
  })

  it('reports how much of each asset did not fit if each alone would', () => {
    const of = (asset: number) =>
      Array.from({ length: 5 }, (_, i) => coin(`${asset}/${i}`, 5n, { assetID: assets[asset]! }))
    const options = {
      need: {
        amounts: assets.map((assetID) => ({ assetID, amount: 25n })),
        baseSize: 100,
        changeSize: 80,
      },
      owners: [alice],
      now,
      // Space for seven of the ten UTXOs.
      maxSize: 100 + 7 * 161,
    }
    try {
      setOf(...of(0), ...of(1)).select(options)
      expect.unreachable()
    } catch (error) {
      if (!(error instanceof FundsError)) throw error
      expect(error.code).toBe('FUNDS_DO_NOT_FIT')
      expect(error.assets.map(({ didNotFit }) => didNotFit)).toEqual([0n, 15n])
    }
  })
})

describe('selectFromPages', () => {
  it('reads no page if the given set suffices', async () => {
    const set = setOf(coin('a', 10n))
    const { pagesRead } = await selectFromPages([[coin('b', 1n)]], {
      need: { amounts: [{ assetID: idOf('asset'), amount: 5n }], baseSize: 0, changeSize: 80 },
      owners: [alice],
      now,
      set,
    })
    expect(pagesRead).toBe(0)
  })
})

describe('UTXOSet', () => {
  it('does not reserve removed UTXOs', () => {
    const a = coin('a', 5n)
    const set = setOf(a)
    set.remove([a])
    expect(codeOf(() => set.reserve([a], { now }))).toBe('UTXO_NOT_FOUND')
  })

  it('gives the same reason for a bad checksum in every form of page', () => {
    const good = checkedHex.encode(encodeUTXO(coin('a', 5n)))
    const page = [good, good.slice(0, -1) + (good.endsWith('0') ? '1' : '0')]
    const set = new UTXOSet()
    set.add(lazyPage(pageBytes(page, 'hex')))
    expect(set.opaque().map(({ reason }) => reason.code)).toEqual(['ENC_BAD_CHECKSUM'])
  })

  it('counts many opaque UTXOs of many assets', () => {
    const set = new UTXOSet()
    const raw = Array.from({ length: 5_000 }, (_, i) => {
      const bytes = encodeUTXO(coin(`o${i}`, 5n, { assetID: idOf(`z${i % 4_999}`) }))
      // No output has this type.
      bytes[73] = 99
      return bytes
    })
    set.add(raw)
    const balances = set.balances({ owners: [alice], now })
    expect(balances).toHaveLength(4_999)
    expect(balances.reduce((sum, { opaque }) => sum + opaque, 0)).toBe(5_000)
  })
})
