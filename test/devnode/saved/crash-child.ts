import { createDevNode } from '../../../src/devnode/index.ts'

/** The program that `crash.test.ts` kills: a node with a folder, serving until it ends. */
const folder = process.argv[2]!
const node = await createDevNode({ folder, now: 1_700_000_000, blocks: 'auto' })
const { url } = await node.listen()
process.stdout.write(`${url}\n`)
