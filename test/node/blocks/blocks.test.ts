import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../../src/core/base/encoding/address.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { decodeBlock } from '../../../src/core/chain/x/block.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { encodeTx, type SignedTx } from '../../../src/core/chain/x/tx.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { createDevNode, type DevNode } from '../../../src/devnode/index.ts'
import {
  type AcceptedBlock,
  AddressSet,
  type BlocksOptions,
  createNodeClient,
  type NodeClient,
} from '../../../src/node/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { type FakeClock, fakeClock } from '../fake-clock.ts'
import { type BlockServer, blockServers, makeChain, sha256 } from './block-servers.ts'

const chain = makeChain(40)

function serve(servers: { readonly [host: string]: BlockServer }, clock: FakeClock = fakeClock()) {
  const served = blockServers(servers)
  const client = createNodeClient({ url: served.url, fetch: served.fetch, clock })
  return { ...served, client, clock }
}

/** The blocks up to a height. */
async function take(
  client: NodeClient,
  to: number | bigint,
  options: BlocksOptions,
): Promise<AcceptedBlock[]> {
  const blocks: AcceptedBlock[] = []
  for await (const block of client.blocks(options)) {
    blocks.push(block)
    if (block.height >= to) break
  }
  return blocks
}

const nameOf = ({ txID, outputIndex }: UTXOID) => `${hex.encode(txID)}:${outputIndex}`
const names = (utxos: readonly UTXOID[]) => utxos.map(nameOf)

describe('blocks', () => {
  it('yields every block from a height, decoded from its bytes', async () => {
    const { client } = serve({ a: { chain } })
    for (const from of [3, 3n]) {
      const blocks = await take(client, 39, { from })
      expect(
        blocks.map(({ height, blockID, time, txs }) => ({ height, blockID, time, txs })),
      ).toEqual(
        chain.slice(3).map(({ bytes, id }) => {
          const { height, time, txs } = decodeBlock(bytes)
          return { height, blockID: id, time, txs }
        }),
      )
    }
  })

  it('sends no request after the consumer stops', async () => {
    const { client, asked } = serve({ a: { chain } })
    await take(client, 5, { from: 0 })
    const count = asked.length
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked.length).toBe(count)
  })

  it('ends when the signal is aborted: before the first block, between two, and while waiting', async () => {
    const { client, asked } = serve({ a: { chain } })
    for await (const _ of client.blocks({ from: 0, signal: AbortSignal.abort() })) expect.fail()
    expect(asked).toEqual([])
    const seen: bigint[] = []
    const between = new AbortController()
    for await (const { height } of client.blocks({ from: 0, signal: between.signal })) {
      seen.push(height)
      // In the middle of a batch of eight.
      if (height === 10n) between.abort()
    }
    expect(seen.at(-1)).toBe(10n)
    const waiting = new AbortController()
    const clock: FakeClock = {
      ...fakeClock(),
      sleep: async () => {
        waiting.abort()
        throw waiting.signal.reason
      },
    }
    const tip = serve({ a: { chain } }, clock)
    for await (const _ of tip.client.blocks({ from: 40, signal: waiting.signal })) expect.fail()
    expect(tip.asked).toEqual(['a 40'])
  })

  it('polls at growing intervals at the tip, one request each, and immediately after a block', async () => {
    const server: BlockServer = {
      chain,
      tip: 9,
      behave: (_, count) => {
        if (count === 9) server.tip = 10
        if (count === 12) server.tip = 11
        return undefined
      },
    }
    const { client, asked, clock } = serve({ a: server })
    const blocks = await take(client, 11, { from: 10 })
    expect(blocks.map(({ height }) => height)).toEqual([10n, 11n])
    expect(clock.pauses).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000, 2000, 50, 100])
    expect(asked).toEqual([...Array(10).fill('a 10'), ...Array(3).fill('a 11')])
  })

  it('uses the intervals it is given', async () => {
    const { client, clock } = serve({
      a: { chain, tip: 0, behave: (_, count) => (count < 4 ? undefined : 'lost') },
    })
    const controller = new AbortController()
    const { signal } = controller
    const { sleep } = clock
    const pauses: number[] = []
    Object.assign(clock, {
      sleep: (ms: number) => {
        pauses.push(ms)
        if (pauses.length === 4) controller.abort()
        return sleep(ms, signal)
      },
    })
    for await (const _ of client.blocks({ from: 1, signal, pollMs: 10, maxPollMs: 25 }))
      expect.fail()
    expect(pauses).toEqual([10, 20, 25, 25])
  })

  it('retries temporary failures without limit, with bounded delays', async () => {
    const { client, clock } = serve({
      a: { chain, behave: (_, count) => (count < 60 ? 'lost' : undefined) },
    })
    const blocks = await take(client, 2, { from: 0 })
    expect(blocks.map(({ height }) => height)).toEqual([0n, 1n, 2n])
    expect(clock.pauses.length).toBe(60)
    expect(clock.pauses.slice(0, 4)).toEqual([250, 500, 1000, 2000])
    expect(Math.max(...clock.pauses)).toBe(8000)
  })

  it('waits as long as a server asks, but at most an hour', async () => {
    const busy = (seconds: string) =>
      new Response('', { status: 429, headers: { 'retry-after': seconds } })
    const { client, clock } = serve({
      a: {
        chain,
        behave: (_, count) => (count === 0 ? busy('30') : count === 1 ? busy('999999') : undefined),
      },
    })
    await take(client, 0, { from: 0 })
    expect(clock.pauses).toEqual([30_000, 3_600_000])
  })

  it('survives an unresponsive server', async () => {
    const { client } = serve({
      a: { chain, behave: (height, count) => (height === 3 && count < 4 ? 'silent' : undefined) },
    })
    const blocks = await take(client, 39, { from: 0, timeoutMs: 20 })
    expect(blocks.map(({ blockID }) => blockID)).toEqual(chain.map(({ id }) => id))
  })

  it('waits for a bootstrapping node, also before it knows its chains', async () => {
    for (const stage of ['platform', 'chains'] as const) {
      const node = await createDevNode({ now: 1_700_000_000 })
      node.fund(new Uint8Array(20), 1n)
      node.setBootstrapping(stage)
      const clock = fakeClock()
      const { sleep } = clock
      const client = createNodeClient({
        url: 'http://node',
        fetch: node.fetch as never,
        clock: Object.assign(clock, {
          sleep: (ms: number) => {
            node.setBootstrapping('done')
            return sleep(ms)
          },
        }),
      })
      const [first] = await take(client, 1, { from: 1 })
      expect([first?.height, clock.pauses.length]).toEqual([1n, 1])
      await node.close()
    }
  })

  it('throws permanent failures', async () => {
    const other = makeChain(60, { salt: 1 })
    const mixed = [...chain.slice(0, 20), ...other.slice(20)]
    const { client } = serve({ a: { chain: mixed } })
    const seen: bigint[] = []
    const follow = async (options: BlocksOptions) => {
      for await (const { height } of client.blocks(options)) seen.push(height)
    }
    await expect(follow({ from: 0 })).rejects.toMatchObject({
      code: 'BLOCK_PARENT_MISMATCH',
      height: 20n,
    })
    expect(seen).toEqual(chain.slice(0, 20).map((_, i) => BigInt(i)))
    const wrong = serve({ a: { chain, behave: () => ({ block: '0x00' }) } })
    await expect(wrong.client.blocks({ from: 0 }).next()).rejects.toMatchObject({
      code: 'REPLY_SHAPE',
    })
  })

  it('recognizes a reset node by the ID of the block before', async () => {
    const { client } = serve({ a: { chain } })
    const parentID = makeChain(6, { salt: 1 })[5]!.id
    await expect(client.blocks({ from: 6, parentID }).next()).rejects.toMatchObject({
      code: 'BLOCK_PARENT_MISMATCH',
      height: 6n,
      expected: parentID,
      found: chain[5]!.id,
    })
  })

  it('rejects invalid options immediately', () => {
    const { client } = serve({ a: { chain } })
    const utxo = { txID: new Uint8Array(32), outputIndex: 0 }
    for (const [options, code] of [
      [{ from: -1 }, 'ENC_INVALID'],
      [{ from: 1.5 }, 'ENC_INVALID'],
      [{ from: '7' }, 'ENC_INVALID'],
      [{ from: 0, pollMs: 0 }, 'ENC_INVALID'],
      [{ from: 0, maxPollMs: -5 }, 'ENC_INVALID'],
      [{ from: 0, idleTimeoutMs: Number.NaN }, 'ENC_INVALID'],
      [{ from: 0, utxos: [utxo] }, 'ENC_INVALID'],
      [{ from: 0, addresses: ['X-fuji1abc'] }, undefined],
      [{ from: 0, addresses: [new Uint8Array(19)] }, 'ENC_WRONG_LENGTH'],
      [{ from: 0, parentID: new Uint8Array(3) }, 'ENC_WRONG_LENGTH'],
      [
        { from: 0, addresses: [], utxos: [{ ...utxo, txID: new Uint8Array(3) }] },
        'ENC_WRONG_LENGTH',
      ],
      [{ from: 0, addresses: [], utxos: [{ ...utxo, outputIndex: -1 }] }, 'ENC_BAD_INDEX'],
    ] as const)
      expect(() => client.blocks(options as never)).toThrow(
        expect.objectContaining(code === undefined ? { name: 'ArgumentError' } : { code }),
      )
  })
})

/** A transaction as blocks have it, without valid signatures. */
function transferOf(
  inputs: readonly UTXOID[],
  owners: readonly Uint8Array[],
  serial: number,
): SignedTx {
  const assetID = new Uint8Array(32).fill(9)
  const memo = new Uint8Array(4)
  new DataView(memo.buffer).setUint32(0, serial)
  return {
    unsignedTx: {
      type: 'BaseTx',
      networkID: 12345,
      blockchainID: new Uint8Array(32),
      outputs: owners.map((owner) => ({
        assetID,
        output: {
          type: 'secp256k1fx.TransferOutput',
          amount: 1n,
          locktime: 0n,
          threshold: 1,
          addresses: [owner],
        },
      })),
      inputs: inputs.map((id) => ({
        ...id,
        assetID,
        input: { type: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [0] },
      })),
      memo,
    },
    credentials: [],
  }
}

/** A development node with two wallets, and a client of it. */
async function funded(): Promise<{
  node: DevNode
  client: NodeClient
  alice: KeyChain
  bob: KeyChain
  pay: (from: KeyChain, to: KeyChain, amount: bigint) => Promise<Uint8Array>
}> {
  const node = await createDevNode({ now: 1_700_000_000 })
  const client = createNodeClient({ url: 'http://node', fetch: node.fetch as never })
  const [alice, bob] = [1, 2].map((n) => new KeyChain([new Uint8Array(32).fill(n)])) as [
    KeyChain,
    KeyChain,
  ]
  node.fund(alice.addresses[0]!, 50_000_000n)
  node.fund(bob.addresses[0]!, 50_000_000n)
  const pay = async (from: KeyChain, to: KeyChain, amount: bigint) => {
    const wallet = createWallet({ client, keys: from })
    return (await wallet.transfer({ to: to.addresses[0]!, amount })).txID
  }
  return { node, client, alice, bob, pay }
}

/** The UTXOs of an address according to the node. */
async function unspent(client: NodeClient, keys: KeyChain): Promise<string[]> {
  const found: string[] = []
  for await (const { utxos } of client.utxoPages({ addresses: keys.addresses }))
    found.push(...names(utxos))
  return found.sort()
}

/** The UTXOs of `known` that are unspent after the blocks. */
function balance(blocks: readonly AcceptedBlock[], known: readonly string[] = []): string[] {
  const left = new Set(known)
  for (const { created, consumed } of blocks) {
    for (const name of names(created)) left.add(name)
    for (const name of names(consumed)) expect(left.delete(name), name).toBe(true)
  }
  return [...left].sort()
}

describe('blocks with addresses', () => {
  it('reports what watched addresses receive and spend, consistent with the node', async () => {
    const { node, client, alice, bob, pay } = await funded()
    for (let i = 1n; i <= 4n; i++) {
      await pay(alice, bob, 1_000_000n * i)
      await pay(bob, alice, 2_000_000n)
    }
    const height = await client.avm.getHeight()
    for (const keys of [alice, bob]) {
      const blocks = await take(client, height, { from: 1, addresses: keys.addresses })
      expect(balance(blocks)).toEqual(await unspent(client, keys))
      expect(blocks.flatMap(({ consumed }) => consumed).length).toBeGreaterThan(3)
    }
    await node.close()
  })

  it('accepts addresses as text', async () => {
    const { node, client, alice } = await funded()
    const text = formatAddress({ chain: 'X', hrp: 'local', address: alice.addresses[0]! })
    const [block] = await take(client, 1, { from: 1, addresses: [text] })
    expect(block?.created.length).toBe(1)
    await node.close()
  })

  it('reports everything if no addresses are given, and nothing for an empty list', async () => {
    const { node, client, alice, bob, pay } = await funded()
    const txID = await pay(alice, bob, 1_000_000n)
    const [block] = await take(client, 3, { from: 3 })
    const [tx] = block!.txs as [SignedTx]
    expect(names(block!.created)).toEqual(
      tx.unsignedTx.outputs.map((_, outputIndex) => nameOf({ txID, outputIndex })),
    )
    expect(names(block!.consumed)).toEqual(names(tx.unsignedTx.inputs))
    expect(block!.created).toBe(block!.created)
    // Imports consume what other chains exported.
    const [funding] = await take(client, 1, { from: 1 })
    const { unsignedTx } = funding!.txs[0]!
    expect(names(funding!.consumed)).toEqual(
      names(unsignedTx.type === 'ImportTx' ? unsignedTx.importedInputs : []),
    )
    const [none] = await take(client, 3, { from: 3, addresses: [] })
    expect([none!.created, none!.consumed]).toEqual([[], []])
    await node.close()
  })

  it('recognizes earlier UTXOs by reading them or from the option', async () => {
    const { node, client, alice, bob, pay } = await funded()
    const before = await unspent(client, alice)
    // More than one group of addresses, with what is looked for in the last one.
    const others = Array.from({ length: 16_384 }, (_, n) => {
      const address = new Uint8Array(20)
      new DataView(address.buffer).setUint32(0, n)
      return address
    })
    const addresses = [...others, ...alice.addresses]
    const walked = client.blocks({ from: 3, addresses })
    const given = client.blocks({
      from: 3,
      addresses,
      utxos: before.map((name) => {
        const [txID, outputIndex] = name.split(':') as [string, string]
        return { txID: hex.decode(txID), outputIndex: Number(outputIndex) }
      }),
    })
    const ignored = client.blocks({ from: 3, addresses, utxos: [] })
    // The walk belongs to the first step.
    const first = walked.next()
    while ((await client.avm.getHeight()) < 3n) await pay(alice, bob, 1_000_000n)
    const block = (await first).value!
    expect(names(block.consumed)).toEqual(before)
    expect(names((await given.next()).value!.consumed)).toEqual(before)
    expect((await ignored.next()).value!.consumed).toEqual([])
    // Created before `from` and spent before the walk: not recognized, as documented.
    const late = await take(client, 3, { from: 3, addresses })
    expect(late[0]!.consumed).toEqual([])
    await Promise.all([walked.return(), given.return(), ignored.return()])
    await node.close()
  })

  it('retries reading the UTXOs', async () => {
    const { node, client, alice } = await funded()
    const clock = fakeClock()
    let walks = 0
    const careful = createNodeClient({
      url: 'http://node',
      clock,
      retry: { retries: 0 },
      fetch: async (url, init) => {
        if (String(init.body).includes('getUTXOs') && ++walks <= 5) throw new TypeError('failed')
        return node.fetch(url, init)
      },
    })
    const [block] = await take(careful, 1, { from: 1, addresses: alice.addresses })
    expect([block!.created.length, walks, clock.pauses.length]).toEqual([1, 6, 5])
    expect(await client.avm.getHeight()).toBe(2n)
    await node.close()
  })

  it('takes addresses that are added during the iteration into account from the next block on', async () => {
    const { node, client, alice, bob, pay } = await funded()
    const addresses = new AddressSet()
    const seen: number[] = []
    await pay(alice, bob, 1_000_000n)
    await pay(bob, alice, 1_000_000n)
    for await (const { height, created, consumed } of client.blocks({ from: 1, addresses })) {
      seen.push(created.length, consumed.length)
      if (height === 1n) addresses.add(bob.addresses[0]!)
      if (height === 3n) addresses.add(alice.addresses)
      if (height === 4n) break
    }
    // Funding of alice; of bob; payment to bob; bob's own, with change to him and 1 for alice.
    expect(seen).toEqual([0, 0, 1, 0, 1, 0, 2, 1])
    await node.close()
  })

  it('follows thousands of UTXOs that come and go', async () => {
    const [ours, theirs] = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)]
    /** Unspent outputs of all blocks so far, and whether they are ours. */
    const unspentOnes: [UTXOID, boolean][] = []
    const expected: { created: string[]; consumed: string[] }[] = []
    const gone: UTXOID[] = []
    let n = 0
    const long = makeChain(150, {
      txs: (height) => {
        const changes = { created: [] as string[], consumed: [] as string[] }
        expected.push(changes)
        // Impossible on a real chain: a spent UTXO is not reported again.
        if (height === 149)
          return [transferOf([...gone.slice(0, 1_000), ...gone.slice(-1_000)], [], n)]
        return Array.from({ length: 20 }, () => {
          // More come than go at first, later all go.
          const spent = unspentOnes.splice(
            (n * 7919) % (unspentOnes.length + 1),
            height < 60 ? 1 : 3,
          )
          const owners = height < 120 ? [n % 3 === 0, n % 5 === 0] : [false]
          const tx = transferOf(
            spent.map(([id]) => id),
            owners.map((our) => (our ? ours : theirs)),
            n++,
          )
          gone.push(...spent.map(([id]) => id))
          const txID = sha256(encodeTx(tx))
          changes.consumed.push(...spent.filter(([, our]) => our).map(([id]) => nameOf(id)))
          owners.forEach((our, outputIndex) => {
            unspentOnes.push([{ txID, outputIndex }, our])
            if (our) changes.created.push(nameOf({ txID, outputIndex }))
          })
          return tx
        })
      },
    })
    const { client } = serve({ a: { chain: long } })
    const blocks = await take(client, 149, { from: 0, addresses: [ours], utxos: [] })
    const found = blocks.map(({ created, consumed }) => ({
      created: names(created),
      consumed: names(consumed),
    }))
    expect(found).toEqual(expected)
    expect(found.flatMap(({ consumed }) => consumed).length).toBeGreaterThan(1_200)
  })

  it('finds a deposit among a million addresses', async () => {
    const addresses = new AddressSet()
    const bytes = new Uint8Array(20)
    const view = new DataView(bytes.buffer)
    const address = (n: number) => {
      view.setUint32(8, n)
      return bytes
    }
    for (let n = 0; n < 1_000_000; n++) addresses.add(address(n))
    const node = await createDevNode({ now: 1_700_000_000 })
    const client = createNodeClient({ url: 'http://node', fetch: node.fetch as never })
    for (const n of [999_999, 1_000_000, 0]) node.fund(address(n).slice(), 5n)
    const blocks = await take(client, 3, { from: 1, addresses, utxos: [] })
    expect(blocks.map(({ created }) => created.length)).toEqual([1, 0, 1])
    await node.close()
  })
})

describe('AddressSet', () => {
  const address = (n: number) => new Uint8Array(20).fill(n)

  it('contains each address once, in whatever form it is given', () => {
    const text = formatAddress({ chain: 'X', hrp: 'fuji', address: address(1) })
    const set = new AddressSet([address(1), text])
      .add(text)
      .add(address(2))
      .add([address(3)])
    expect(set.size).toBe(3)
    expect([...set]).toEqual([1, 2, 3].map(address))
    expect([1, 2, 3, 4].map((n) => set.has(address(n)))).toEqual([true, true, true, false])
    expect(set.has(text)).toBe(true)
  })

  it('distinguishes addresses that differ in one bit', () => {
    const set = new AddressSet([address(0)])
    for (let bit = 0; bit < 160; bit++) {
      const other = address(0)
      other[bit >> 3]! |= 1 << (bit & 7)
      expect(set.has(other)).toBe(false)
      expect(set.add(other).has(other)).toBe(true)
    }
    expect(set.size).toBe(161)
  })

  it('rejects invalid addresses', () => {
    for (const wrong of [new Uint8Array(21), 'X-local1abc', 7, undefined])
      expect(() => new AddressSet([wrong as never])).toThrow(
        expect.objectContaining({ name: 'ArgumentError' }),
      )
  })
})
