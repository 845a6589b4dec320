import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { addressOf, balanceOf, fee, people, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const to = addressOf(you)

/** Adds entries to every page of UTXOs. */
const adding = (...entries: readonly Uint8Array[]) =>
  scene({
    intercept: async (call, next) => {
      const reply = await next()
      if (call.method !== 'avm.getUTXOs') return reply
      const text = await reply.text()
      const { headers } = reply
      const more = entries.map((bytes) => `"${checkedHex.encode(bytes)}"`).join()
      const page = text
        .replace('"utxos":[', `"utxos":[${more}${text.includes('"utxos":[]') ? '' : ','}`)
        .replace(/"numFetched":"(\d+)"/, (_, n) => `"numFetched":"${Number(n) + entries.length}"`)
      return new Response(page, { headers })
    },
  })

const tooShort = [new Uint8Array(6), new Uint8Array(69)]
/** Long enough for an asset ID, but not a UTXO. */
const withAsset = new Uint8Array(80).fill(7, 2)
const leftBehind = [
  { reason: 'opaque', assetID: new Uint8Array(32).fill(7), amount: 0n, count: 1 },
  { reason: 'opaque', assetID: new Uint8Array(32), amount: 0n, count: 2 },
]

describe('entries of a page that are too short to contain an asset ID', () => {
  it('are reported by a sweep and its preview', async () => {
    const { node, wallet } = await adding(...tooShort, withAsset)
    node.fund(addressOf(me), 3n * fee)
    expect((await wallet().prepare.sweep({ to })).leftBehind).toEqual(leftBehind)
    const result = await wallet().sweep({ to })
    expect(result.leftBehind).toEqual(leftBehind)
    expect(await balanceOf(node, you)).toBe(2n * fee)
  })

  it('are reported by a consolidation', async () => {
    const { node, wallet } = await adding(...tooShort, withAsset)
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    expect((await wallet().consolidate()).leftBehind).toEqual(leftBehind)
  })

  it('are reported by an import', async () => {
    const { node, wallet } = await adding(...tooShort, withAsset)
    node.exportFrom('C', { address: me.addresses[0]!, amount: 3n * fee })
    expect((await wallet().import({ sourceChain: 'C' })).leftBehind).toEqual(leftBehind)
    expect(await balanceOf(node, me)).toBe(2n * fee)
  })
})
