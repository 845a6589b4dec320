import { expect, it } from 'vitest'
import type { BlockReader, FollowedBlock } from '../../../src/node/blocks/block-reader.ts'
import type { NodeClient } from '../../../src/node/index.ts'
import type { ChainView } from '../../../src/node/view/view.ts'
import { BlockSource } from '../../../src/wallet/utxos/block-source.ts'
import { people, scene } from '../setup.ts'

const START = 1_000_000

/** A source after block 4, whose servers have the block that is given now. */
function source(blockID: Uint8Array) {
  let now = START
  let asked = 0
  const read = async () => {
    asked++
    return [{ blockID, block: { height: 4n } } as unknown as FollowedBlock]
  }
  const reader = { next: 5n, parentID: new Uint8Array(32).fill(1), read } as unknown as BlockReader
  const blocks = new BlockSource({
    client: {} as NodeClient,
    chain: { quorum: 1, emptyReads: 1, blockReader: () => reader } as unknown as ChainView,
    clock: { now: () => now, sleep: async () => {}, random: () => 0 },
  })
  blocks.start(5n, 4n)
  const checkAt = async (ms: number) => {
    now = START + ms
    await blocks.checkAnchor()
    return asked
  }
  return { checkAt }
}

it.each([
  ['soon', 15_000, 0],
  ['after a while', 15_001, 1],
  ['if the clock was set back', -15_001, 1],
])('the last block is compared %s', async (_, ms, asked) => {
  expect(await source(new Uint8Array(32).fill(1)).checkAt(ms)).toBe(asked)
})

it.each([15_001, -15_001])('another last block is found %s ms later', async (ms) => {
  await expect(source(new Uint8Array(32).fill(2)).checkAt(ms)).rejects.toMatchObject({
    code: 'BLOCK_PARENT_MISMATCH',
  })
})

it('the height is read before the walk: what is spent meanwhile is in blocks above it', async () => {
  const methods: string[] = []
  const { node, wallet } = await scene({
    intercept: ({ method }, next) => {
      methods.push(method)
      return next()
    },
  })
  node.fund(people[0]!.addresses[0]!, 10n)
  await wallet().balances()
  const order = methods.filter((name) => ['avm.getHeight', 'avm.getUTXOs'].includes(name))
  expect(order).toEqual(['avm.getHeight', 'avm.getUTXOs'])
})
