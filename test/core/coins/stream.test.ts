import { describe, expect, it } from 'vitest'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { selectFromPages } from '../../../src/core/coins/stream.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
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
})
