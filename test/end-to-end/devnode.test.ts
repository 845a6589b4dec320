import { afterAll, beforeAll, describe } from 'vitest'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import type { Target } from './environment.ts'
import { endToEndSuite } from './suite.ts'

/** The key of the local network's funds, published with the node. */
const EWOQ_KEY = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'

describe('the development node, over HTTP', () => {
  let node: DevNode
  let target: Target

  beforeAll(async () => {
    node = await createDevNode()
    target = { ...(await node.listen()), key: EWOQ_KEY }
  })

  afterAll(() => node.close())

  endToEndSuite(() => target)
})
