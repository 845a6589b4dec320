import { describe, expect, it } from 'vitest'
import { cb58 } from '../../src/core/base/encoding/cb58.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { parseID } from '../../src/core/base/encoding/ids.ts'
import { decodeBlock } from '../../src/core/chain/x/block.ts'
import { blockTxIDs } from '../../src/core/chain/x/ids.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { vectors } from '../helpers/vectors.ts'
import { ask, call } from './client.ts'

type Event = {
  readonly n: number
  readonly clock: string
  readonly event: 'tx' | 'block' | 'atomic-utxos' | 'atomic-consumed' | 'chain'
  readonly name?: string
  readonly bytes?: string
  readonly txID?: string
  readonly expect?: 'accepted' | 'refused'
  readonly error?: string
  readonly errorCode?: number
  readonly time?: string | number
  readonly txIDs?: readonly string[]
  readonly sourceChain?: string
  readonly destinationChain?: string
  readonly utxos?: readonly string[]
  readonly utxoIDs?: readonly string[]
  readonly chainID?: string
  readonly subnetID?: string
}

type Balance = { readonly asset: string; readonly balance: string }
type Final = {
  readonly height: number
  readonly clock: string
  readonly lastBlockID: string
  readonly utxos: { readonly [address: string]: readonly string[] }
  readonly atomicUTXOs: {
    readonly [chain: string]: { readonly [address: string]: readonly string[] }
  }
  readonly exportedUTXOs: { readonly [chain: string]: readonly string[] }
  readonly allBalances: { readonly [address: string]: readonly Balance[] }
  readonly allBalancesIncludePartial: { readonly [address: string]: readonly Balance[] }
  readonly assets: readonly { readonly assetID: string }[]
}
type Sequence = { readonly events: readonly Event[]; readonly final: Final }

/** Every UTXO of an address by pages, hex without checksum, in the order of the pages. */
async function walk(node: DevNode, address: string, sourceChain?: string): Promise<string[]> {
  const found = new Set<string>()
  let startIndex: object | undefined
  for (;;) {
    const page = await ask<{ utxos: string[]; endIndex: object; numFetched: string }>(
      node,
      'avm.getUTXOs',
      { addresses: [address], limit: 10, encoding: 'hexnc', startIndex, sourceChain },
    )
    for (const utxo of page.utxos) found.add(utxo.slice(2))
    if (Number(page.numFetched) < 10) return [...found]
    startIndex = page.endIndex
  }
}

const byAsset = (balances: readonly Balance[]) =>
  [...balances].sort((a, b) => (a.asset < b.asset ? -1 : 1))

describe('node-sequence.json', () => {
  const { events, final } = vectors<Sequence>('node-sequence.json')

  it('reproduces the results, messages, blocks and final state of the recorded node', async () => {
    const node = await createDevNode({ now: Number(events[0]!.clock), blocks: 'manual' })
    for (const item of events) {
      node.setTime(Number(item.clock))
      switch (item.event) {
        case 'tx': {
          const reply = await call<object>(node, 'avm.issueTx', {
            tx: `0x${item.bytes}`,
            encoding: 'hexnc',
          })
          const { code, message } = reply.error ?? {}
          expect({ n: item.n, name: item.name, result: reply.result, code, message }).toEqual({
            n: item.n,
            name: item.name,
            result: item.expect === 'accepted' ? { txID: item.txID } : undefined,
            code: item.errorCode,
            message: item.error,
          })
          break
        }
        case 'block': {
          const recorded = hex.decode(item.bytes!)
          const block = decodeBlock(recorded)
          const made = node.produceBlock({ time: block.time, txIDs: blockTxIDs(block) })
          expect({ n: item.n, bytes: hex.encode(made) }).toEqual({ n: item.n, bytes: item.bytes })
          break
        }
        case 'atomic-utxos':
          node.addAtomicUTXOs(parseID(item.sourceChain!), item.utxos!.map(hex.decode))
          break
        case 'atomic-consumed':
          node.takeExportedUTXOs(parseID(item.destinationChain!), item.utxoIDs!.map(parseID))
          break
        case 'chain':
          node.addChain(parseID(item.chainID!), parseID(item.subnetID!))
      }
    }

    node.setTime(Number(final.clock))
    expect(await ask(node, 'avm.getHeight')).toEqual({ height: String(final.height) })
    const last = await ask<{ block: { id: string } }>(node, 'avm.getBlockByHeight', {
      height: final.height,
      encoding: 'json',
    })
    expect(last.block.id).toBe(final.lastBlockID)
    for (const [address, utxos] of Object.entries(final.utxos))
      expect([address, (await walk(node, address)).sort()]).toEqual([address, [...utxos].sort()])
    for (const [chain, owners] of Object.entries(final.atomicUTXOs))
      for (const [address, utxos] of Object.entries(owners))
        expect((await walk(node, address, chain)).sort()).toEqual([...utxos].sort())
    for (const [chain, utxos] of Object.entries(final.exportedUTXOs))
      expect(node.exportedUTXOs(parseID(chain)).map(hex.encode).sort()).toEqual([...utxos].sort())
    for (const [includePartial, balances] of [
      [false, final.allBalances],
      [true, final.allBalancesIncludePartial],
    ] as const)
      for (const [address, expected] of Object.entries(balances)) {
        const reply = await ask<{ balances: Balance[] }>(node, 'avm.getAllBalances', {
          address,
          includePartial,
        })
        expect(byAsset(reply.balances)).toEqual(byAsset(expected))
      }
    for (const asset of final.assets)
      expect(await ask(node, 'avm.getAssetDescription', { assetID: asset.assetID })).toEqual(asset)
    await node.close()
  })

  it('builds the recorded blocks from the pending transactions', async () => {
    const node = await createDevNode({ now: Number(events[0]!.clock), blocks: 'manual' })
    let alike = 0
    for (const item of events) {
      node.setTime(Number(item.clock))
      if (item.event === 'tx')
        await call(node, 'avm.issueTx', { tx: `0x${item.bytes}`, encoding: 'hexnc' })
      if (item.event === 'atomic-utxos')
        node.addAtomicUTXOs(parseID(item.sourceChain!), item.utxos!.map(hex.decode))
      if (item.event === 'chain') node.addChain(parseID(item.chainID!), parseID(item.subnetID!))
      if (item.event !== 'block') continue
      const { time } = decodeBlock(hex.decode(item.bytes!))
      if (hex.encode(node.produceBlock({ time })) === item.bytes) alike++
    }
    expect(alike).toBe(events.filter(({ event }) => event === 'block').length)
    await node.close()
  })

  it('returns every block by height and by ID', async () => {
    const node = await createDevNode({ blocks: 'manual' })
    const { block } = await ask<{ block: { id: string } }>(node, 'avm.getBlockByHeight', {
      encoding: 'json',
    })
    const reply = await ask(node, 'avm.getBlock', { blockID: block.id })
    expect(reply).toEqual(await ask(node, 'avm.getBlockByHeight', { height: 0 }))
    expect(cb58.decode(block.id)).toHaveLength(32)
    await node.close()
  })
})
