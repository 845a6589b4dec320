import { describe } from 'vitest'
import { createNodeClient } from '../../src/node/index.ts'
import { readOnlySuite } from './read-only.ts'

const url = process.env.AVMKIT_NODE_URL

if (url === undefined) console.info('AVMKIT_NODE_URL is not set: nothing is asked of a real node')

describe.skipIf(url === undefined)('a node at AVMKIT_NODE_URL', () => {
  const client = createNodeClient({ url: url ?? 'http://127.0.0.1' })
  readOnlySuite(() => client)
})
