import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../../src/core/base/bytes/compare.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { address } from '../../../../src/core/chain/owners.ts'
import { output } from '../../../../src/core/chain/x/fx.ts'
import {
  type Compare,
  compareInitialStates,
  compareInputs,
  compareOperations,
  compareOutputs,
  compareStateOutputs,
  isSorted,
  isSortedUnique,
} from '../../../../src/core/chain/x/order.ts'
import {
  initialState,
  operation,
  transferableInput,
  transferableOutput,
  utxoIDCodec,
} from '../../../../src/core/chain/x/transferables.ts'
import { decode } from '../../../../src/core/codec/codec.ts'
import type { Codec } from '../../../../src/core/codec/io.ts'
import { type GeneratedCase, vectors } from '../../../helpers/vectors.ts'

type Order = { codec: Codec<never>; compare: Compare<never>; accepts: typeof isSorted }

// The node's own sort functions and checks of order (avalanchego 1.14.2).
const orders = {
  outputs: { codec: transferableOutput, compare: compareOutputs, accepts: isSorted },
  inputs: { codec: transferableInput, compare: compareInputs, accepts: isSortedUnique },
  operations: { codec: operation, compare: compareOperations, accepts: isSortedUnique },
  initialStates: { codec: initialState, compare: compareInitialStates, accepts: isSortedUnique },
  stateOutputs: { codec: output, compare: compareStateOutputs, accepts: isSorted },
  addresses: { codec: address, compare: compareBytes, accepts: isSortedUnique },
  utxoIDs: { codec: utxoIDCodec, compare: compareInputs, accepts: isSortedUnique },
} as unknown as { readonly [what: string]: Order }

describe('the orderings', () => {
  type Case = GeneratedCase & {
    what: string
    elements: string[]
    sorted: number[]
    accepted: boolean
  }
  for (const item of vectors<Case[]>('generated/order.json'))
    it(`of ${item.what} agree with the node on ${item.id}`, () => {
      const { codec, compare, accepts } = orders[item.what]!
      const elements = item.elements.map((text) => decode(codec, hex.decode(`0000${text}`)))
      const positions = elements.map((_, i) => i)
      positions.sort((a, b) => compare(elements[a]!, elements[b]!))
      expect(positions).toEqual(item.sorted)
      expect(accepts(elements, compare)).toBe(item.accepted)
    })
})
