import { describe, expect, it } from 'vitest'
import { networks } from '../../../src/chain/networks.ts'
import {
  type AddressContext,
  decodeBytes,
  parseLocalAddress,
  parseServiceAddress,
  readCB58,
} from '../../../src/devnode/rpc/arguments.ts'
import type { Encoding } from '../../../src/devnode/rpc/params.ts'
import { cb58 } from '../../../src/encoding/cb58.ts'
import { hex } from '../../../src/encoding/hex.ts'
import { type GeneratedCase, vectors } from '../../helpers/vectors.ts'

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

/** The bytes as hex, or the node's words. */
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
