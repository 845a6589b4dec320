import { describe } from 'vitest'
import { endToEndSuite } from './suite.ts'

const { AVMKIT_NODE_URL: url, AVMKIT_NODE_KEY: key } = process.env
const isSet = Boolean(url && key)

if (!isSet)
  console.info('AVMKIT_NODE_URL and AVMKIT_NODE_KEY are not both set: no real node is paid with')

describe.skipIf(!isSet)('the node at AVMKIT_NODE_URL', () => {
  endToEndSuite(() => ({ url: url!, key: key! }))
})
