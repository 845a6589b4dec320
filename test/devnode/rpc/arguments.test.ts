import { describe, expect, it } from 'vitest'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import {
  type AddressContext,
  decodeBytes,
  parseLocalAddress,
  parseServiceAddress,
  readCB58,
} from '../../../src/devnode/rpc/arguments.ts'
import type { Encoding } from '../../../src/devnode/rpc/params.ts'
import { type GeneratedCase, vectors } from '../../helpers/vectors.ts'
import { call } from '../client.ts'

type TextCase = GeneratedCase & {
  readonly as: string
  readonly text: string
  readonly value?: string
}

const { local } = networks
const chains = new Map<string, Uint8Array>([
  ['X', local.chainID],
  ['avm', local.chainID],
  ...Object.entries(local.chains),
])
for (const id of [...chains.values()]) chains.set(cb58.encode(id), id)

const context: AddressContext = {
  hrp: 'local',
  chainID: local.chainID,
  lookup: (alias) => chains.get(alias),
}

/** The bytes as hex, or the node's error text. */
function outcome(run: () => Uint8Array | string): { value?: string; err?: string } {
  try {
    const result = run()
    return typeof result === 'string' ? { err: result } : { value: hex.encode(result) }
  } catch (error) {
    return { err: (error as Error).message }
  }
}

const readers: { readonly [as: string]: (text: string) => Uint8Array | string } = {
  serviceAddress: (text) => parseServiceAddress(text, context),
  localAddress: (text) => parseLocalAddress(text, context),
  id: (text) => readCB58(text, 32),
  shortID: (text) => readCB58(text, 20),
  hex: (text) => decodeBytes(text, 'hex' as Encoding),
  hexc: (text) => decodeBytes(text, 'hexc' as Encoding),
  hexnc: (text) => decodeBytes(text, 'hexnc' as Encoding),
}

describe('arguments', () => {
  for (const item of vectors<readonly TextCase[]>('generated/text.json')) {
    const read = readers[item.as]
    if (read === undefined) continue
    it(`reads ${item.id} (${item.as}) as the node does`, () => {
      expect(outcome(() => read(item.text))).toEqual(
        item.ok ? { value: item.value } : { err: item.err },
      )
    })
  }
})

// The node decodes base58 of any length: only the checksum of a long text is wrong.
describe.each([1399, 1400, 3_000_000])('a text of %i base58 letters', (length) => {
  const text = 'z'.repeat(length)
  const noSeparator = `couldn't parse address "${text}": no separator found in address`
  const someone = '6Y3kysjF9jnHnYkdS9yGAuoHyae2eNmeV'

  it.each([
    ['avm.getUTXOs', { addresses: [text] }, noSeparator],
    [
      'avm.getUTXOs',
      { addresses: [someone], startIndex: { address: someone, utxo: text } },
      "couldn't parse start index utxo: invalid input checksum",
    ],
    [
      'avm.getBalance',
      { address: text, assetID: 'AVAX' },
      `problem parsing address '${text}': ${noSeparator}`,
    ],
    ['avm.getAllBalances', { address: text }, `problem parsing address '${text}': ${noSeparator}`],
    ['avm.getAssetDescription', { assetID: text }, `asset '${text}' not found`],
  ])('is refused by %s with the same error as a short text', async (method, params, message) => {
    const node = await createDevNode({ now: 1_700_000_000 })
    const { error } = await call(node, method, params)
    // Compared here, because a difference of megabytes should not be printed.
    expect(error?.message === message).toBe(true)
    await node.close()
  })

  it('is rejected for an invalid character', () => {
    expect(readCB58(`${text}0${text}`, 32)).toBe(
      "base58 decoding error: Invalid base58 digit ('0')",
    )
    expect(readCB58(`${text}\u00e9`, 32)).toBe(
      'base58 decoding error: High-bit set on invalid digit',
    )
  })
})
