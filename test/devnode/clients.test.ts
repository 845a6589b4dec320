import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { vectors } from '../helpers/vectors.ts'

// Calls of other clients, in their order, from a fresh genesis on.

type Exchange = {
  readonly name: string
  readonly path: string
  readonly httpMethod?: string
  readonly request: string
  readonly requestHeaders?: { readonly [name: string]: string }
  readonly httpStatus: number
  readonly headers: { readonly [name: string]: string }
  readonly response: string
}

const { cases } = vectors<{ cases: readonly Exchange[] }>('node-clients.json')

/** When the recording began. */
const BEGIN = Date.parse('2026-11-18T01:12:00Z') / 1000

/** Methods that need staking, which a development node refuses with its own text. */
const REFUSED =
  /^platform\.(getValidatorsAt|getAllValidatorsAt|getRewardUTXOs|sampleValidators|getValidatorFee(Config|State)|getL1Validator)/

/** What no two nodes have in common. */
function normalized(text: string): string {
  return (
    text
      .replace(/"(timestamp|timeOfFirstFailure)":"20[^"]*"/g, '"$1":""')
      .replace(/"(duration|time)":\d+/g, '"$1":0')
      .replace(/"availableDisk(\w+)":\d+/g, '"availableDisk$1":0')
      // Blocks after the genesis contain times, and the development node has no state trie.
      .replace(/("lastAcceptedHeight":[1-9]\d*,"lastAcceptedID":)"\w+"/g, '$1""')
      .replace(/"uptime":"[\d.]+"/g, '"uptime":""')
      .replace(/127\.0\.0\.1:\d+/, '127.0.0.1')
  )
}

/** Members of a block that depend on its time; the genesis must be equal. */
function withoutTimes(name: string, text: string): string {
  if (!/^eth_getBlockByNumber: two|^platform\.getBlockByHeight: first/.test(name)) return text
  return text
    .replace(/"(hash|stateRoot|timestamp|timestampMilliseconds|parentHash)":"0x\w+"/g, '"$1":""')
    .replace(/"block":"0x.{28}/, '"block":"')
    .replace(/.{8}","encoding":"hex"/, '","encoding":"hex"')
    .replace(/("height":1,"id":)"\w+"/, '$1""')
}

const comparable = (name: string, text: string) => withoutTimes(name, normalized(text))

describe('node-clients.json', () => {
  let node: DevNode

  beforeAll(async () => {
    node = await createDevNode({ now: BEGIN })
  })
  afterAll(() => node.close())

  for (const item of cases) {
    it(`answers "${item.name}" as the node did`, async () => {
      if (item.name.startsWith('health')) node.runHealthChecks()
      const response = await node.fetch(`http://localhost${item.path}`, {
        method: item.httpMethod ?? 'POST',
        headers: item.requestHeaders ?? { 'content-type': 'application/json' },
        ...(item.request === '' ? {} : { body: item.request }),
      })
      const text = await response.text()
      if (REFUSED.test(item.name)) {
        expect(text).toMatch(/"error":\{"code":-32\d+,"message":"[^"]+"/)
        return
      }
      expect([response.status, response.headers.get('content-type') ?? '']).toEqual([
        item.httpStatus,
        item.headers['content-type'],
      ])
      if (item.name === 'info.getNodeID') expect(text).toMatch(/"proofOfPossession":"0x\w{192}"/)
      else expect(comparable(item.name, text)).toBe(comparable(item.name, item.response))
    })
  }
})
