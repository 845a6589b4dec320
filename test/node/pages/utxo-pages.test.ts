import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { decodeUTXO, type UTXO } from '../../../src/core/chain/x/utxo.ts'
import {
  createNodeClient,
  type UTXOPagesOptions,
  type UTXOProgress,
} from '../../../src/node/index.ts'
import { fakeClock } from '../fake-clock.ts'
import {
  type Asked,
  coin,
  give,
  type Lists,
  modelFetch,
  nameOf,
  owner,
  spend,
} from '../model-node.ts'
import { recorded, resultIn } from '../recorded.ts'

type Before = (asked: Asked, n: number) => void

function pagesOf(lists: Lists, options: UTXOPagesOptions, before?: Before) {
  const fetch = modelFetch(lists, before)
  return createNodeClient({ url: 'http://node.test', fetch, clock: fakeClock() }).utxoPages(options)
}

async function namesIn(
  lists: Lists,
  options: UTXOPagesOptions,
  before?: Before,
): Promise<string[]> {
  const names: string[] = []
  for await (const { utxos } of pagesOf(lists, options, before)) names.push(...utxos.map(nameOf))
  return names
}

function listsOf(coins: readonly UTXO[]): Lists {
  const lists: Lists = new Map()
  give(lists, coins)
  return lists
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i)
const sorted = (names: readonly string[]) => [...names].sort()

describe('the model node', () => {
  it('pages as the recorded node does', async () => {
    const names = ['page 1', 'page 2', 'page 3'].map((p) => `avm.getUTXOs: 10 UTXOs, limit 4, ${p}`)
    const atomic = ['page 1', 'page 2'].map((p) => `avm.getUTXOs: atomic from P, limit 3, ${p}`)
    for (const group of [names, atomic]) {
      const lists: Lists = new Map()
      const { params } = JSON.parse(recorded(group[0]!).request)
      const whole = [
        ...new Set(group.flatMap((name) => resultIn<{ utxos: string[] }>(recorded(name)).utxos)),
      ]
      give(lists, whole.map((text) => decodeUTXO(checkedHex.decode(text))).reverse())
      expect(params.addresses).toHaveLength(1)
      for (const name of group) {
        const body = JSON.parse(recorded(name).request)
        const init = {
          body: JSON.stringify({ ...body, params: { encoding: 'hex', ...body.params } }),
        }
        const reply = (await (await modelFetch(lists)('', init)).json()) as { result: unknown }
        expect(reply.result, name).toEqual(resultIn(recorded(name)))
      }
    }
  })
})

describe('utxoPages', () => {
  test.prop([
    fc.array(fc.uniqueArray(fc.nat(6), { minLength: 1, maxLength: 3 }), { maxLength: 60 }),
    fc.integer({ min: 2, max: 9 }),
    fc.integer({ min: 1, max: 8 }),
    fc.integer({ min: 1, max: 4 }),
    fc.boolean(),
    fc.constantFrom('hex' as const, 'hexnc' as const),
  ])(
    'finds every UTXO once, whatever the owners, sizes and groups',
    async (owners, pageSize, groupSize, concurrency, atomic, encoding) => {
      const coins = owners.map((set, i) => coin(i, set.map(owner)))
      const options = {
        addresses: range(7).map(owner),
        pageSize,
        groupSize,
        concurrency,
        encoding,
        ...(atomic ? { sourceChain: 'P' } : {}),
      }
      const names = await namesIn(listsOf(coins), options)
      expect(sorted(names)).toEqual(sorted(coins.map(nameOf)))
    },
  )

  /** Walks a list while the start of pages is spent, as the bits of a number say. */
  async function walkWhileSpending(
    count: number,
    pageSize: number,
    atomic: boolean,
    bits: number,
  ): Promise<void> {
    const coins = range(count).map((i) => coin(i, [owner(1)]))
    const lists = listsOf(coins)
    const gone = new Set<string>()
    const before: Before = ({ startIndex }, n) => {
      if (startIndex === undefined || (bits >> (n % 16)) % 2 === 0) return
      const start = coins.find((utxo) => nameOf(utxo) === startIndex.utxo)
      if (start === undefined) return
      spend(lists, [start])
      gone.add(nameOf(start))
    }
    const options = { addresses: [owner(1)], pageSize, ...(atomic ? { sourceChain: 'C' } : {}) }
    const names = await namesIn(lists, options, before)
    expect(new Set(names).size).toBe(names.length)
    for (const name of coins.map(nameOf)) if (!gone.has(name)) expect(names).toContain(name)
  }

  test.prop([
    fc.integer({ min: 5, max: 40 }),
    fc.integer({ min: 2, max: 6 }),
    fc.boolean(),
    fc.nat(),
  ])('finds every UTXO that remains when the start of a page is spent', walkWhileSpending)

  it('continues when the start of consecutive pages is spent', async () => {
    await walkWhileSpending(12, 2, false, 1036929159)
  })

  it('steps back instead of starting again when the start was spent', async () => {
    const coins = range(1000).map((i) => coin(i, [owner(1)]))
    const lists = listsOf(coins)
    let asked = 0
    // Newest first: page 8 is asked with the last coin of page 7, which is spent just then.
    const names = await namesIn(
      lists,
      { addresses: [owner(1)], pageSize: 100 },
      ({ startIndex }, n) => {
        asked++
        if (n === 7)
          spend(
            lists,
            coins.filter((utxo) => nameOf(utxo) === startIndex!.utxo),
          )
      },
    )
    expect(names).toHaveLength(1000)
    // Ten full pages and an empty one, one restart, and one page more for the step.
    expect(asked).toBe(12)
  })

  it('steps back further when the UTXO before is spent too', async () => {
    const coins = range(60).map((i) => coin(i, [owner(1)]))
    const lists = listsOf(coins)
    const left = coins.filter((_, i) => i < 20 || i >= 27)
    const names = await namesIn(lists, { addresses: [owner(1)], pageSize: 20 }, (_, n) => {
      if (n === 2) spend(lists, coins.slice(20, 27))
    })
    for (const utxo of left) expect(names).toContain(nameOf(utxo))
  })

  it('splits more than 1,024 addresses, and requests duplicates once', async () => {
    const coins = range(2500).map((i) => coin(i, [owner(i)]))
    const groups: number[] = []
    const text = formatAddress({ chain: 'X', hrp: 'local', address: owner(7) })
    const addresses = [...range(2500).map(owner), owner(7), text]
    const names = await namesIn(listsOf(coins), { addresses }, ({ addresses: sent }) => {
      groups.push(sent.length)
    })
    expect(sorted(names)).toEqual(sorted(coins.map(nameOf)))
    expect(new Set(groups)).toEqual(new Set([1024, 452]))
  })

  it('respects the concurrency', async () => {
    const lists = listsOf(range(50).map((i) => coin(i, [owner(i)])))
    let running = 0
    let most = 0
    const model = modelFetch(lists)
    const client = createNodeClient({
      url: 'http://node.test',
      fetch: async (url, init) => {
        most = Math.max(most, ++running)
        const reply = await model(url, init)
        running--
        return reply
      },
    })
    const found: UTXO[] = []
    const options = { addresses: range(50).map(owner), groupSize: 1, concurrency: 3 }
    for await (const { utxos } of client.utxoPages(options)) found.push(...utxos)
    expect(found).toHaveLength(50)
    expect(most).toBe(3)
  })

  it('sends no request after the consumer stops', async () => {
    const lists = listsOf(range(100).map((i) => coin(i, [owner(1)])))
    let asked = 0
    for await (const { utxos } of pagesOf(
      lists,
      { addresses: [owner(1)], pageSize: 10 },
      () => asked++,
    )) {
      expect(utxos).toHaveLength(10)
      break
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toBe(1)
  })

  it('aborts the requests of other groups when the consumer stops', async () => {
    const signals: AbortSignal[] = []
    const model = modelFetch(listsOf([coin(1, [owner(0)])]))
    let calls = 0
    const client = createNodeClient({
      url: 'http://node.test',
      fetch: (url, init) => {
        signals.push(init.signal!)
        // The first group answers, the others never do.
        if (calls++ === 0) return model(url, init)
        return new Promise((_, reject) => {
          init.signal!.addEventListener('abort', () => reject(init.signal!.reason))
        })
      },
    })
    const options = { addresses: range(3).map(owner), groupSize: 1 }
    for await (const { utxos } of client.utxoPages(options)) {
      expect(utxos).toHaveLength(1)
      break
    }
    expect(signals.map((signal) => signal.aborted)).toEqual([false, true, true])
  })

  it('reports progress', async () => {
    const shared = range(3).map((i) => coin(i, [owner(1), owner(2)]))
    const steps: UTXOProgress[] = []
    const onProgress = (step: UTXOProgress) => void steps.push(step)
    const options = { addresses: [owner(1), owner(2)], groupSize: 1, concurrency: 1, onProgress }
    await namesIn(listsOf(shared), options)
    expect(steps).toEqual([
      { pages: 1, utxos: 3, opaque: 0, duplicates: 0, groups: 2 },
      { pages: 2, utxos: 3, opaque: 0, duplicates: 3, groups: 2 },
    ])
  })

  it('ends after totalMs, however many pages there are', async () => {
    const lists = listsOf(range(40).map((i) => coin(i, [owner(1)])))
    const clock = fakeClock()
    const fetch = modelFetch(lists, () => clock.advance(100))
    const client = createNodeClient({ url: 'http://node.test', fetch, clock })
    const walk = async (totalMs: number) => {
      let pages = 0
      for await (const _ of client.utxoPages({ addresses: [owner(1)], pageSize: 2, totalMs }))
        pages++
      return pages
    }
    expect(await walk(60_000)).toBe(20)
    const start = clock.now()
    await expect(walk(1000)).rejects.toMatchObject({ code: 'RPC_TIMEOUT', timeoutMs: 1000 })
    expect(clock.now() - start).toBe(1000)
  })

  it('ends when the signal is aborted', async () => {
    const controller = new AbortController()
    const lists = listsOf(range(100).map((i) => coin(i, [owner(1)])))
    const options = { addresses: [owner(1)], pageSize: 10, signal: controller.signal }
    await expect(
      namesIn(lists, options, (_, n) => n === 3 && controller.abort()),
    ).rejects.toMatchObject({
      code: 'ABORTED',
    })
  })

  it('reports each undecodable entry once and continues', async () => {
    const unknownKind = checkedHex.encode(
      hex.decode(`0000${'01'.repeat(32)}00000001${'02'.repeat(32)}000000ff`),
    )
    const result = {
      numFetched: '2',
      utxos: [unknownKind, unknownKind],
      endIndex: { address: '', utxo: '' },
    }
    const client = createNodeClient({
      url: 'http://node.test',
      fetch: async () => new Response(JSON.stringify({ jsonrpc: '2.0', result })),
    })
    const seen = []
    for await (const { opaque } of client.utxoPages({ addresses: [owner(1)] })) seen.push(...opaque)
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({
      index: 0,
      raw: unknownKind,
      reason: { code: 'CODEC_UNKNOWN_TYPE' },
    })
  })

  it('reads a recorded page with every kind of output', async () => {
    const item = recorded('avm.getUTXOs: output kinds 6, 7, 10, 15')
    const client = createNodeClient({
      url: 'http://node.test',
      fetch: async () => new Response(item.response),
    })
    const kinds = new Set<string>()
    for await (const { utxos, opaque } of client.utxoPages({ addresses: [owner(1)] })) {
      expect(opaque).toEqual([])
      for (const utxo of utxos) kinds.add(utxo.output.type)
    }
    expect(kinds).toContain('nftfx.MintOutput')
  })

  it.each([
    [{ addresses: [] }],
    [{ addresses: [owner(1)], pageSize: 1 }],
    [{ addresses: [owner(1)], pageSize: 1025 }],
    [{ addresses: [owner(1)], groupSize: 0 }],
    [{ addresses: [owner(1)], concurrency: 0 }],
  ])('rejects invalid options', async (options) => {
    await expect(namesIn(new Map(), options)).rejects.toMatchObject({ code: 'ENC_INVALID' })
  })

  it('rejects an address of 19 bytes, which the node would pad', async () => {
    await expect(namesIn(new Map(), { addresses: [new Uint8Array(19)] })).rejects.toMatchObject({
      code: 'ENC_WRONG_LENGTH',
    })
    const short = JSON.parse(recorded('address: 19 bytes are accepted').request).params.addresses[0]
    await expect(namesIn(new Map(), { addresses: [short] })).rejects.toMatchObject({
      code: expect.stringMatching(/^ENC_/),
    })
  })
})
