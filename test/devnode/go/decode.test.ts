import { describe, expect, it } from 'vitest'
import { block } from '../../../src/core/chain/x/block.ts'
import { signedTx } from '../../../src/core/chain/x/tx.ts'
import { utxo } from '../../../src/core/chain/x/utxo.ts'
import type { Codec } from '../../../src/core/codec/io.ts'
import { goDecodeError } from '../../../src/devnode/go/decode.ts'
import { bytesOf, type GeneratedCase, vectors } from '../../helpers/vectors.ts'

const files: readonly (readonly [string, Codec<never>])[] = [
  ['tx', signedTx],
  ['tx-mutated', signedTx],
  ['utxo', utxo],
  ['utxo-mutated', utxo],
  ['block', block],
  ['block-mutated', block],
] as never

describe('goDecodeError', () => {
  for (const [file, codec] of files)
    for (const item of vectors<readonly GeneratedCase[]>(`generated/${file}.json`))
      if (!item.ok)
        it(`returns the node's error text for ${item.id}`, () => {
          expect(goDecodeError(codec, bytesOf(item))).toBe(item.err)
        })
})
