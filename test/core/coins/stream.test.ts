import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { selectFromPages } from '../../../src/core/coins/stream.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { runs } from '../../helpers/runs.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { alice, bob, coin, idOf } from './samples.ts'

const assetID = idOf('asset')
const options = (amount: bigint) => ({
  owners: [alice],
  now: 0n,
  need: { amounts: [{ assetID, amount }], baseSize: 138, changeSize: 80 },
})

/** Pages of ten UTXOs of 10 each, with a count of requested pages. */
async function* pages(asked: { count: number }, of: readonly Uint8Array[] = [alice]) {
  for (let n = 0; n < 50; n++) {
    asked.count++
    yield Array.from({ length: 10 }, (_, i): UTXO => coin(`${n}-${i}`, 10n, { addresses: of }))
  }
}

describe('selectFromPages', () => {
  it('stops requesting pages once the need is met', async () => {
    const asked = { count: 0 }
    const found = await selectFromPages(pages(asked), options(250n))
    expect(found.coins).toHaveLength(25)
    expect(asked.count).toBe(3)
    expect(found.pagesRead).toBe(3)
    expect(found.set.size()).toBe(30)
  })

  it('reads only the first page if nothing is needed', async () => {
    const asked = { count: 0 }
    await selectFromPages(pages(asked), options(0n))
    expect(asked.count).toBe(1)
  })

  it('continues if the amount suffices but in too many UTXOs', async () => {
    const asked = { count: 0 }
    async function* poorThenRich() {
      yield* pages(asked)
      asked.count++
      yield [coin('rich', 10_000n)]
      asked.count++
      yield [coin('richer', 20_000n)]
    }
    const found = await selectFromPages(poorThenRich(), options(4500n))
    expect(found.coins).toHaveLength(1)
  })

  it('fails after reading everything, and selects as from a whole set if everything was read', async () => {
    const asked = { count: 0 }
    const error = await selectFromPages(pages(asked), options(5001n)).catch((e: unknown) => e)
    expect(asked.count).toBe(50)
    expect(error).toMatchObject({ assets: [{ needed: 5001n, available: 5000n }] })
    const others = await selectFromPages(pages(asked, [bob]), options(1n)).catch((e: unknown) => e)
    expect(others).toMatchObject({ assets: [{ available: 0n, otherOwners: 5000n }] })
    const list = [coin('a', 1n), coin('b', 2n), coin('c', 3n)]
    const set = new UTXOSet()
    set.add(list)
    const { coins } = await selectFromPages(
      list.map((utxo) => [utxo]),
      { ...options(4n), strategy: 'all' },
    )
    expect(coins).toEqual(set.select({ ...options(4n), strategy: 'all' }).coins)
  })

  it('reads on until it finds a pinned UTXO', async () => {
    const pinned = [coin('late', 1n)]
    const found = await selectFromPages([[coin('early', 50n)], pinned], { ...options(10n), pinned })
    expect(found.coins).toHaveLength(2)
    const never = await selectFromPages([[]], { ...options(0n), pinned }).catch((e: unknown) => e)
    expect(never).toMatchObject({ code: 'UTXO_NOT_FOUND' })
  })

  const anyPages = fc.array(
    fc.array(
      fc.record({
        amount: fc.oneof(fc.bigInt({ min: 1n, max: 20n }), fc.bigInt({ min: 1n, max: 2n ** 40n })),
        owner: fc.constantFrom(alice, alice, alice, bob),
        locktime: fc.constantFrom(0n, 0n, 9n),
      }),
      { maxLength: 6 },
    ),
    { maxLength: 8 },
  )

  test.prop([anyPages, fc.bigInt({ min: 0n, max: 200n })], runs(400))(
    'selects enough from the pages that it read, exactly if a set of all pages does',
    async (specs, amount) => {
      const all = specs.map((page, p) =>
        page.map(({ amount: value, owner, locktime }, i) =>
          coin(`${p}/${i}`, value, { addresses: [owner], locktime }),
        ),
      )
      const whole = new UTXOSet()
      for (const page of all) whole.add(page)
      const possible = codeOf(() => whole.select(options(amount))) === undefined
      const found = await selectFromPages(all, options(amount)).catch((error: unknown) => {
        expect(error).toMatchObject({ code: codeOf(() => whole.select(options(amount))) })
        return undefined
      })
      expect(found !== undefined).toBe(possible)
      if (found === undefined) return
      const read = all.slice(0, found.pagesRead).flat()
      expect(found.set.size()).toBe(read.length)
      const chosen = read.filter((utxo) =>
        found.coins.some(
          ({ utxo: { txID, outputIndex } }) =>
            Buffer.compare(txID, utxo.txID) === 0 && outputIndex === utxo.outputIndex,
        ),
      )
      expect(chosen).toHaveLength(found.coins.length)
      const outputs = chosen.map(({ output }) => output as TransferOutput)
      expect(
        outputs.every(({ addresses, locktime }) => addresses[0] === alice && locktime === 0n),
      ).toBe(true)
      expect(outputs.reduce((sum, output) => sum + output.amount, 0n)).toBeGreaterThanOrEqual(
        amount,
      )
    },
  )
})
