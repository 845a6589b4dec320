import { describe, expect, it } from 'vitest'
import { blockID, blockTxIDs, decodeBlock, encodeBlock, formatID } from '../../src/index.ts'
import type { Ground } from './ground.ts'

/** What the chain keeps of a run: to be checked at its end. */
export function blockTests(ground: () => Ground): void {
  describe('the blocks of this run', () => {
    it('decode and encode to the same bytes, are consecutive, and contain every transaction', async () => {
      const { client, witness, firstHeight, txIDs } = ground()
      const lastHeight = await witness.height()
      const seen: string[] = []
      let parent = await witness.blockID(firstHeight)
      for (let height = firstHeight + 1; height <= lastHeight; height++) {
        const bytes = await witness.blockBytes(height)
        const block = decodeBlock(bytes)
        expect(encodeBlock(block)).toEqual(bytes)
        const id = formatID(blockID(block))
        expect(id).toBe(await witness.blockID(height))
        expect(formatID(block.parentID)).toBe(parent)
        expect(block.height).toBe(BigInt(height))
        seen.push(...blockTxIDs(block).map(formatID))
        parent = id
      }
      const last = decodeBlock(await witness.blockBytes(lastHeight))
      expect(await client.avm.getBlockByHeight({ height: BigInt(lastHeight) })).toEqual(last)
      expect(await client.avm.getBlock({ blockID: parent })).toEqual(last)
      expect(seen).toHaveLength(new Set(seen).size)
      expect(seen).toEqual(expect.arrayContaining([...txIDs]))
      expect(txIDs.size).toBeGreaterThan(0)
    })
  })
}
