import { describe, expect, it } from 'vitest'
import { blockID, blockTxIDs, decodeBlock, encodeBlock } from '../../src/codec.ts'
import { formatID } from '../../src/index.ts'
import type { TestEnvironment } from './environment.ts'

/** What the chain keeps of a run: to be checked at its end. */
export function blockTests(env: () => TestEnvironment): void {
  describe('the blocks of this run', () => {
    it('decode and encode to the same bytes, are consecutive, and contain every transaction', async () => {
      const { client, rawNode, firstHeight, txIDs } = env()
      const lastHeight = await rawNode.height()
      const seen: string[] = []
      let parent = await rawNode.blockID(firstHeight)
      for (let height = firstHeight + 1; height <= lastHeight; height++) {
        const bytes = await rawNode.blockBytes(height)
        const block = decodeBlock(bytes)
        expect(encodeBlock(block)).toEqual(bytes)
        const id = formatID(blockID(block))
        expect(id).toBe(await rawNode.blockID(height))
        expect(formatID(block.parentID)).toBe(parent)
        expect(block.height).toBe(BigInt(height))
        seen.push(...blockTxIDs(block).map(formatID))
        parent = id
      }
      const last = decodeBlock(await rawNode.blockBytes(lastHeight))
      expect(await client.avm.getBlockByHeight({ height: BigInt(lastHeight) })).toEqual(last)
      expect(await client.avm.getBlock({ blockID: parent })).toEqual(last)
      expect(seen).toHaveLength(new Set(seen).size)
      expect(seen).toEqual(expect.arrayContaining([...txIDs]))
      expect(txIDs.size).toBeGreaterThan(0)
    })
  })
}
