import { fc, test } from '@fast-check/vitest'
import { describe, expect, it, vi } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { decodeUTXO, encodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import { decodeUTXOPage, lazyPage, pageBytes } from '../../../src/core/chain/x/utxo-page.ts'
import { verifyOutput } from '../../../src/core/chain/x/verify/verify-fx.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { anyUTXO } from '../../helpers/arbitraries.ts'
import { bytesOf, codeOf, type GeneratedCase, vectors } from '../../helpers/vectors.ts'
import { alice, bob, coin, coins, idOf, trio } from './samples.ts'

const now = 1000n
const asset = idOf('asset')
const mine = { owners: [alice], now }

describe('UTXOSet.add', () => {
  it('accepts texts, bytes, decoded UTXOs and decoded pages', () => {
    const list = [coin('a', 5n), coin('b', 7n)]
    const bytes = list.map(encodeUTXO)
    const texts = bytes.map(checkedHex.encode)
    for (const page of [list, bytes, texts, decodeUTXOPage(texts)]) {
      const set = new UTXOSet()
      expect(set.add(page)).toEqual({ added: 2, known: 0, opaque: 0 })
      for (const utxo of list) expect(set.get(utxo)).toEqual(utxo)
    }
  })

  it('refuses a page with entries that have no reason, and other values', () => {
    const add = (page: unknown) => () => new UTXOSet().add(page as never)
    const { opaque } = decodeUTXOPage(['0x00'])
    expect(add({ utxos: [], opaque })()).toEqual({ added: 0, known: 0, opaque: 1 })
    for (const entry of [null, undefined, {}, { raw: '0x' }, { raw: 1, reason: opaque[0]!.reason }])
      expect(add({ utxos: [], opaque: [...opaque, entry] })).toThrow(
        expect.objectContaining({ path: 'page.opaque[1]' }),
      )
    expect(add({})).toThrow(/page: expected an array or a decoded page, found an object/)
  })

  it('adds a lazy page without decoding it', () => {
    const page = lazyPage(pageBytes([encodeUTXO(coin('a', 5n))], 'hex'))
    const decoded = vi.spyOn(page, 'utxos', 'get')
    expect(new UTXOSet().add(page).added).toBe(1)
    expect(decoded).not.toHaveBeenCalled()
  })

  it('ignores duplicates within a page and between pages', () => {
    const set = new UTXOSet()
    expect(set.add([coin('a', 5n), coin('a', 5n), coin('b', 7n)]).known).toBe(1)
    expect(set.add([coin('b', 7n)])).toEqual({ added: 0, known: 1, opaque: 0 })
    expect(set.size()).toBe(2)
    expect(set.balances(mine)[0]!.spendable).toBe(12n)
  })

  it('keeps UTXOs exported by another chain apart', () => {
    const set = new UTXOSet()
    const sourceChain = idOf('chain')
    set.add([coin('a', 5n)])
    set.add([coin('b', 7n)], { sourceChain })
    expect(set.balances(mine)[0]!.spendable).toBe(5n)
    expect(set.balances({ ...mine, sourceChain })[0]!.spendable).toBe(7n)
    expect(set.sourceChains).toEqual([sourceChain])
    expect(set.get(coin('b', 7n))).toBeUndefined()
  })

  it('reports undecodable entries and counts the rest', () => {
    const good = checkedHex.encode(encodeUTXO(coin('a', 5n)))
    const unknownType = encodeUTXO(coin('b', 7n))
    unknownType[73] = 9
    const entries = [`${good.slice(0, -1)}z`, good, checkedHex.encode(unknownType)]
    for (const page of [entries, decodeUTXOPage(entries), lazyPage(pageBytes(entries, 'hex'))]) {
      const set = new UTXOSet()
      expect(set.add(page)).toEqual({ added: 1, known: 0, opaque: 2 })
      expect(set.opaque().map(({ raw, reason }) => [raw, reason.code])).toEqual([
        [entries[0], 'ENC_BAD_HEX'],
        [entries[2], 'CODEC_WRONG_TYPE'],
      ])
      // The asset of the second one is readable.
      expect(set.balances(mine)).toMatchObject([{ spendable: 5n, opaque: 1 }])
    }
  })

  it('counts an undecodable entry without a checksum for its asset', () => {
    const unknownType = encodeUTXO(coin('b', 7n))
    unknownType[73] = 9
    const set = new UTXOSet()
    set.add(decodeUTXOPage([`0x${hex.encode(unknownType)}`], { encoding: 'hexnc' }))
    expect(set.balances(mine)).toMatchObject([{ assetID: asset, opaque: 1 }])
  })

  it('does not count an undecodable entry whose checksum is wrong', () => {
    const damaged = checkedHex.encode(encodeUTXO(coin('b', 7n))).replace(/..$/, '00')
    const set = new UTXOSet()
    expect(set.add([damaged])).toMatchObject({ opaque: 1 })
    expect(set.balances(mine)).toEqual([])
  })

  it('does not count outputs that violate the rules', () => {
    const set = new UTXOSet()
    set.add([
      coin('zero', 0n),
      coin('unspendable', 1n, { threshold: 2 }),
      coin('unoptimized', 1n, { threshold: 0 }),
      coin('unsorted', 1n, { addresses: [...trio].reverse() }),
    ])
    expect(set.opaque().map(({ reason }) => reason.code)).toEqual([
      'OUTPUT_ZERO_AMOUNT',
      'OWNERS_UNSPENDABLE',
      'OWNERS_UNOPTIMIZED',
      'ADDRS_NOT_SORTED_UNIQUE',
    ])
    expect(set.size()).toBe(0)
  })

  /** The result of the codec and the rules for these bytes. */
  function judged(bytes: Uint8Array): string | undefined {
    return codeOf(() => verifyOutput(decodeUTXO(bytes).output, ''))
  }

  function agrees(bytes: Uint8Array): void {
    const set = new UTXOSet()
    set.add([bytes])
    const code = judged(bytes)
    expect(set.opaque()[0]?.reason.code).toBe(code)
    if (code !== undefined) return
    const utxo = decodeUTXO(bytes)
    expect(set.get(utxo)).toEqual(utxo)
    expect(set.ofType(utxo.output.type)).toEqual([utxo])
  }

  for (const kind of ['utxo', 'utxo-mutated'])
    for (const item of vectors<GeneratedCase[]>(`generated/${kind}.json`))
      it(`accepts what the codec decodes: ${item.id}`, () => {
        agrees(bytesOf(item))
      })

  test.prop([anyUTXO, fc.nat(), fc.nat(255)])(
    'agrees with the codec and the rules on any UTXO, whole or damaged',
    (utxo, at, byte) => {
      const bytes = encodeUTXO(utxo)
      agrees(bytes)
      agrees(bytes.subarray(0, at % bytes.length))
      const damaged = bytes.slice()
      damaged[at % bytes.length] = byte
      agrees(damaged)
    },
  )

  it('grows beyond its initial tables', () => {
    const list = coins(5000, 3n)
    const set = new UTXOSet()
    for (let i = 0; i < list.length; i += 700)
      set.add(list.slice(i, i + 700).map((utxo) => checkedHex.encode(encodeUTXO(utxo))))
    expect(set.size()).toBe(5000)
    for (const utxo of list.filter((_, i) => i % 97 === 0)) expect(set.get(utxo)).toEqual(utxo)
    expect(set.add(list).known).toBe(5000)
    expect(set.get(coin('absent', 3n))).toBeUndefined()
  })
})

describe('UTXOSet.balances', () => {
  it('reports an asset by availability', () => {
    const set = new UTXOSet()
    const mint = {
      type: 'secp256k1fx.MintOutput',
      locktime: 0n,
      threshold: 1,
      addresses: [alice],
    } as const
    set.add([
      coin('free', 1n),
      coin('free too', 2n, { locktime: now }),
      coin('locked', 10n, { locktime: now + 1n }),
      coin('locked longer', 20n, { locktime: now + 9n }),
      coin('two of three', 100n, { threshold: 2, addresses: trio }),
      coin('one of three', 4n, { threshold: 1, addresses: trio }),
      coin('foreign', 1000n, { addresses: [bob] }),
      coin('reserved', 10_000n),
      { ...coin('right', 0n), output: mint },
      coin('other asset', 5n, { assetID: idOf('other') }),
    ])
    set.reserve([coin('reserved', 1n)], { now })
    const balance = set.balances(mine).find(({ assetID }) => assetID[0] === asset[0])
    expect(balance).toEqual({
      assetID: asset,
      spendable: 7n,
      spendableUTXOs: 3,
      locked: 30n,
      nextUnlock: now + 1n,
      lastUnlock: now + 9n,
      shortOfSigners: 100n,
      otherOwners: 1000n,
      reserved: 10_000n,
      opaque: 0,
      otherOutputs: 1,
    })
    const both = set.balances({ owners: [alice, bob, alice], now })
    expect(both.find(({ assetID }) => assetID[0] === asset[0])!.spendable).toBe(1107n)
  })

  it('adds up to more than 64 bits', () => {
    const set = new UTXOSet()
    set.add([coin('a', 2n ** 64n - 1n), coin('b', 2n ** 64n - 1n), coin('c', 2n ** 32n)])
    expect(set.balances(mine)[0]!.spendable).toBe(2n ** 65n - 2n + 2n ** 32n)
  })

  it('treats an output without owners as spendable by anyone', () => {
    const set = new UTXOSet()
    set.add([coin('a', 5n, { threshold: 0, addresses: [] })])
    expect(set.balances({ owners: [], now })[0]!.spendable).toBe(5n)
  })

  it('rejects invalid owner addresses', () => {
    expect(codeOf(() => new UTXOSet().balances({ owners: [new Uint8Array(19)], now }))).toBe(
      'ENC_WRONG_LENGTH',
    )
  })
})

describe('UTXOSet.reserve', () => {
  const a = coin('a', 5n)
  const b = coin('b', 7n)
  const reserved = (set: UTXOSet, at: bigint) =>
    set.balances({ owners: [alice], now: at })[0]!.reserved

  it('reserves UTXOs until they are released or the time is over', () => {
    const set = new UTXOSet()
    set.add([a, b])
    set.reserve([a], { now })
    set.reserve([b], { now, until: now + 10n })
    expect(reserved(set, now)).toBe(12n)
    expect(reserved(set, now + 10n)).toBe(5n)
    set.release([a])
    expect(reserved(set, now)).toBe(7n)
  })

  it('refuses an end that is not a bigint, and reserves nothing', () => {
    const set = new UTXOSet()
    set.add([a])
    for (const until of [null, Number.NaN, '5', {}, Symbol()])
      expect(() => set.reserve([a], { now, until: until as bigint })).toThrow(
        expect.objectContaining({ code: 'ENC_INVALID' }),
      )
    expect(set.isReserved(a, now)).toBe(false)
  })

  it('offers a released UTXO again after other selections', () => {
    const set = new UTXOSet()
    set.add([a, b])
    const amounts = [{ assetID: asset, amount: 1n }]
    const choose = () =>
      set.select({ ...mine, need: { amounts, baseSize: 0, changeSize: 0 } }).coins[0]!.utxo
    for (let round = 0; round < 3; round++) {
      expect(choose()).toEqual(b)
      set.reserve([b], { now })
      expect(choose()).toEqual(a)
      set.release([b])
    }
    expect(set.balances(mine)).toMatchObject([{ spendable: 12n, spendableUTXOs: 2 }])
  })

  it('reserves all or none, and no UTXO twice', () => {
    const set = new UTXOSet()
    set.add([a, b])
    set.reserve([a], { now, until: now + 10n })
    expect(codeOf(() => set.reserve([b, a], { now }))).toBe('UTXO_RESERVED')
    expect(codeOf(() => set.reserve([b, coin('absent', 1n)], { now }))).toBe('UTXO_NOT_FOUND')
    expect(reserved(set, now)).toBe(5n)
    set.reserve([b, a], { now: now + 10n })
    expect(reserved(set, now + 10n)).toBe(12n)
  })
})

describe('UTXOSet.remove', () => {
  it('names the index that is a bigint', () => {
    const ids = [coin('a', 5n), { ...coin('b', 5n), outputIndex: 1n as never }]
    expect(() => new UTXOSet().remove(ids)).toThrow(
      expect.objectContaining({ code: 'ENC_BAD_INDEX', path: 'ids[1].outputIndex' }),
    )
  })

  it('removes a UTXO once that is listed twice, also if it is reserved', () => {
    for (const isReserved of [false, true]) {
      const set = new UTXOSet()
      const utxos = [coin('a', 5n), coin('b', 7n), coin('c', 9n)]
      set.add(utxos)
      if (isReserved) set.reserve(utxos.slice(0, 1), { now })
      set.remove([utxos[0]!, utxos[0]!])
      expect(set.size()).toBe(2)
      expect(set.balances({ owners: [alice], now })).toMatchObject([
        { spendable: 16n, spendableUTXOs: 2, reserved: 0n },
      ])
    }
  })

  it('removes a UTXO permanently', () => {
    const set = new UTXOSet()
    set.add([coin('a', 5n), coin('b', 7n)])
    set.reserve([coin('a', 5n)], { now })
    set.remove([coin('a', 5n)])
    expect(set.add([coin('a', 5n)]).added).toBe(0)
    expect(set.size()).toBe(1)
    expect(set.get(coin('a', 5n))).toBeUndefined()
    expect(set.balances(mine)).toMatchObject([{ spendable: 7n, reserved: 0n }])
  })
})

describe('UTXOSet.copyOf', () => {
  const sourceChain = idOf('chain')

  test.prop([fc.uniqueArray(anyUTXO, { maxLength: 30, selector: (utxo) => String(utxo.txID) })])(
    'has what the set has of these sources, its reservations included',
    (utxos) => {
      const set = new UTXOSet()
      set.add(['0x00', ...utxos.map(encodeUTXO).map(checkedHex.encode)])
      set.add([coin('a', 5n)], { sourceChain })
      const kept = utxos.filter((utxo) => set.get(utxo) !== undefined)
      const [removed, reserved] = kept
      if (removed !== undefined) set.remove([removed])
      if (reserved !== undefined) set.reserve([reserved], { now })
      const copy = set.copyOf({})
      expect(copy.balances(mine)).toEqual(set.balances(mine))
      expect(copy.opaque()).toEqual(set.opaque())
      for (const utxo of utxos) {
        expect(copy.get(utxo)).toEqual(set.get(utxo))
        expect(copy.isReserved(utxo, now)).toBe(set.isReserved(utxo, now))
      }
      expect(copy.sourceChains).toEqual([])
      expect(set.copyOf({}, { sourceChain }).get(coin('a', 5n), { sourceChain })).toBeDefined()
    },
  )

  it('is independent of the set', () => {
    const set = new UTXOSet()
    set.add([coin('a', 5n), coin('b', 7n)])
    const copy = set.copyOf({})
    set.remove([coin('a', 5n)])
    set.add([coin('c', 9n), '0x00'])
    copy.reserve([coin('b', 7n)], { now })
    expect(copy.balances(mine)[0]).toMatchObject({ spendable: 5n, reserved: 7n, opaque: 0 })
    expect(copy.opaque()).toEqual([])
    expect(set.balances(mine)[0]!.spendable).toBe(16n)
  })
})
