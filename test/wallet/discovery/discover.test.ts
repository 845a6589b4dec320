import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { formatAddress, parseAddress } from '../../../src/core/base/encoding/address.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import {
  accountFromMnemonic,
  type HDPosition,
  type WatchAccount,
} from '../../../src/core/crypto/hd/index.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { createNodeClient, type NodeClient } from '../../../src/node/index.ts'
import { discoverAccount } from '../../../src/wallet/discovery/index.ts'
import { runs } from '../../helpers/runs.ts'

const { watch } = accountFromMnemonic('test test test test test test test test test test test junk')
const context = networks.local

/** Addresses that hold their position: deriving a thousand real ones takes seconds. */
const quick = {
  address: ({ change, index }: HDPosition) => {
    const bytes = new Uint8Array(20)
    new DataView(bytes.buffer).setUint32(0, change)
    new DataView(bytes.buffer).setUint32(4, index)
    return bytes
  },
  path: ({ change, index }: HDPosition) => `${change}/${index}`,
} as unknown as WatchAccount
const addressAt = (change: number, index: number) =>
  formatAddress({ chain: 'X', hrp: 'local', address: watch.address({ change, index }) })

type Used = readonly [receive: readonly number[], change: readonly number[]]

/** A client of a node on which exactly these positions own one UTXO each; counts its requests. */
function clientOf(used: Used): Pick<NodeClient, 'utxoPages'> & { requests: number } {
  const owned = new Set(
    used.flatMap((list, change) =>
      list.map((index) => hex.encode(quick.address({ change, index }))),
    ),
  )
  const client = {
    requests: 0,
    async *utxoPages({ addresses }: { readonly addresses: readonly unknown[] }) {
      client.requests += Math.ceil(addresses.length / 1024)
      const owners = addresses.map((text) => parseAddress(text as string).address)
      const found = owners.filter((address) => owned.has(hex.encode(address)))
      yield { utxos: found.map((address) => ({ output: { addresses: [address] } })), opaque: [] }
    },
  }
  return client as unknown as ReturnType<typeof clientOf>
}

/** What must be found: indices with fewer than `gap` unused ones before them, counted from the last one found. */
function reachable(indices: readonly number[], gap: number): number[] {
  let last = -1
  return [...new Set(indices)]
    .sort((a, b) => a - b)
    .filter((index) => {
      if (index - last > gap) return false
      last = index
      return true
    })
}

const someIndices = fc.array(fc.nat(150), { maxLength: 12 })

describe('discoverAccount', () => {
  test.prop([someIndices, someIndices, fc.integer({ min: 1, max: 30 })], runs(200))(
    'finds every address within the gap limit, and nothing that is not used',
    async (receive, change, gapLimit) => {
      const client = clientOf([receive, change])
      const { addresses, checked, next } = await discoverAccount(quick, {
        client,
        context,
        gapLimit,
      })
      for (const [branch, indices] of [receive, change].entries()) {
        const found = addresses.filter((one) => one.change === branch).map(({ index }) => index)
        expect(found).toEqual([...new Set(found)].sort((a, b) => a - b))
        expect(found.filter((index) => !indices.includes(index))).toEqual([])
        expect(found).toEqual(expect.arrayContaining(reachable(indices, gapLimit)))
        const last = found.at(-1) ?? -1
        expect(next[branch === 0 ? 'receive' : 'change'].index).toBe(last + 1)
      }
      expect(checked).toBeGreaterThanOrEqual(2 * gapLimit)
      for (const { address, path, change: branch, index } of addresses) {
        expect(hex.encode(address)).toBe(hex.encode(quick.address({ change: branch, index })))
        expect(path).toBe(`${branch}/${index}`)
      }
    },
  )

  it('asks once for an unused account, and seldom for one with a thousand addresses', async () => {
    const empty = clientOf([[], []])
    const found = await discoverAccount(quick, { client: empty, context })
    expect([found.addresses, found.checked, found.evidence]).toEqual([[], 40, 'utxos'])
    expect(empty.requests).toBe(1)
    const full = clientOf([Array.from({ length: 1000 }, (_, i) => i), []])
    const all = await discoverAccount(quick, { client: full, context })
    expect(all.addresses).toHaveLength(1000)
    expect(full.requests).toBeLessThan(10)
  })

  it('asks for at most 1,024 addresses at a time, whatever the gap limit', async () => {
    const client = clientOf([[1999], []])
    const steps: number[] = []
    const found = await discoverAccount(quick, {
      client,
      context,
      gapLimit: 2000,
      onProgress: ({ checked }) => steps.push(checked),
    })
    expect(found.addresses.map(({ index }) => index)).toEqual([1999])
    expect(found.checked).toBeGreaterThanOrEqual(6000)
    expect(steps.map((step, i) => step - (steps[i - 1] ?? 0)).filter((n) => n > 1024)).toEqual([])
  })

  it('finds funds of a node, also those exported to it', async () => {
    const node = await createDevNode()
    const client = createNodeClient({ url: 'http://node', fetch: node.fetch })
    node.fund(addressAt(0, 5), 1n)
    node.fund(addressAt(1, 19), 1n)
    node.exportFrom('P', { address: addressAt(0, 21), amount: 1n })
    const paths = (found: Awaited<ReturnType<typeof discoverAccount>>) =>
      found.addresses.map(({ change, index }) => `${change}/${index}`)
    expect(paths(await discoverAccount(watch, { client, context }))).toEqual(['0/5', '1/19'])
    const sourceChains = ['P']
    const more = await discoverAccount(watch, { client, context, sourceChains })
    expect(paths(more)).toEqual(['0/5', '0/21', '1/19'])
    await node.close()
  })

  it('uses the history that the caller provides', async () => {
    const spent = hex.encode(quick.address({ change: 0, index: 18 }))
    const wasUsed = async (addresses: readonly Uint8Array[]) =>
      addresses.map((address) => hex.encode(address) === spent)
    const client = clientOf([[30], []])
    const blind = await discoverAccount(quick, { client, context })
    expect(blind.addresses).toEqual([])
    const seeing = await discoverAccount(quick, { client, context, wasUsed })
    expect(seeing.addresses.map(({ index, utxos }) => [index, utxos])).toEqual([
      [18, 0],
      [30, 1],
    ])
    expect(seeing.evidence).toBe('history')
  })

  it('refuses invalid gap limits', async () => {
    for (const gapLimit of [0, -1, 1.5, 10_001, Number.NaN])
      await expect(
        discoverAccount(quick, { client: clientOf([[], []]), context, gapLimit }),
      ).rejects.toMatchObject({ code: 'ENC_INVALID', path: 'gapLimit' })
  })
})
