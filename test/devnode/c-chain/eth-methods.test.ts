import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDevNode, type DevNode } from '../../../src/devnode/index.ts'
import { call } from '../client.ts'

// Recorded on avalanchego 1.14.2, network local, as all replies and messages of this file.
const GENESIS = '0x608ddbd611241719b64642d8e152537e2a5bdf46b6ddb9e8f15340c5e007b8b1'
const UNKNOWN = GENESIS.replace(/.$/, '2')
const FUNDED = '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'
const WARP = '0x0200000000000000000000000000000000000005'
const BLACKHOLE = '0x0100000000000000000000000000000000000000'

let node: DevNode
beforeEach(async () => {
  node = await createDevNode({ now: 1_794_964_320 })
})
afterEach(() => node.close())

/** The result of a method, or the code and text of its error. */
const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
  const { result, error } = await call<unknown>(node, method, params, '/ext/bc/C/rpc')
  return error === undefined ? result : [error.code, error.message]
}

describe('the Ethereum API', () => {
  it.each([
    ['0x00', '0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a'],
    ['0x', '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['', '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ])('hashes the bytes %j', async (bytes, hash) => {
    expect(await ask('web3_sha3', bytes)).toBe(hash)
  })

  it.each([
    ['0x0', 'hex string of odd length'],
    ['00', 'hex string without 0x prefix'],
    ['0xzz', 'invalid hex string'],
    [1, 'non-string'],
    [null, 'non-string'],
  ])('refuses to hash %j', async (value, reason) => {
    expect(await ask('web3_sha3', value)).toEqual([
      -32602,
      `invalid argument 0: json: cannot unmarshal ${reason} into Go value of type hexutil.Bytes`,
    ])
  })

  it('has blocks without uncles', async () => {
    expect(await ask('eth_getUncleCountByBlockNumber', 'latest')).toBe('0x0')
    expect(await ask('eth_getUncleCountByBlockNumber', '0x5')).toBeNull()
    expect(await ask('eth_getUncleCountByBlockHash', GENESIS)).toBe('0x0')
    expect(await ask('eth_getUncleCountByBlockHash', UNKNOWN)).toBeNull()
  })

  it('has the headers of blocks', async () => {
    const block = (await ask('eth_getBlockByNumber', 'latest', false)) as object
    const {
      transactions: _,
      uncles: __,
      size: ___,
      blockExtraData: ____,
      ...header
    } = block as Record<string, unknown>
    expect(JSON.stringify(await ask('eth_getHeaderByNumber', 'latest'))).toBe(
      JSON.stringify(header),
    )
    expect(await ask('eth_getHeaderByHash', GENESIS)).toEqual(header)
    expect(await ask('eth_getHeaderByHash', UNKNOWN)).toBeNull()
    expect(await ask('eth_getHeaderByNumber', '0x5')).toEqual([
      -32000,
      'cannot query unfinalized data',
    ])
  })

  it('pays fees to the blackhole, and suggests prices', async () => {
    expect(await ask('eth_coinbase')).toBe(BLACKHOLE)
    expect(await ask('eth_etherbase')).toBe(BLACKHOLE)
    node.cChain.setBaseFee(1n)
    const price = { maxPriorityFeePerGas: '0x1', maxFeePerGas: '0x3' }
    expect(await ask('eth_suggestPriceOptions')).toEqual({
      slow: price,
      normal: price,
      fast: price,
    })
    expect(await ask('eth_pendingTransactions')).toEqual([])
  })

  it('has no subscriptions', async () => {
    expect(await ask('eth_unsubscribe', '0x1')).toEqual([-32000, 'subscription not found'])
    expect(await ask('net_unsubscribe', '0x1')).toEqual([-32000, 'subscription not found'])
    expect(await ask('eth_unsubscribe', 1)).toEqual([
      -32602,
      'invalid argument 0: json: cannot unmarshal number into Go value of type rpc.ID',
    ])
    expect(await ask('eth_unsubscribe')).toEqual([-32602, 'missing value for required argument 0'])
  })

  it.each(['eth_getChainConfig', 'eth_getUncleByBlockNumberAndIndex', 'eth_getLogs'])(
    'says that %s is not available',
    async (method) => {
      expect(await ask(method)).toEqual([
        -32000,
        expect.stringMatching(new RegExp(`^${method} is not available`)),
      ])
    },
  )

  it('counts a transaction of the warp precompile, which has code', async () => {
    expect(await ask('eth_getTransactionCount', WARP, 'latest')).toBe('0x1')
    expect(await ask('eth_getTransactionCount', WARP, '0x0')).toBe('0x1')
    expect(await ask('eth_getTransactionCount', FUNDED, 'latest')).toBe('0x0')
    expect(await ask('eth_getCode', WARP, 'latest')).toBe('0x01')
  })

  it.each(['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'])(
    '%s requires a boolean requireCanonical',
    async (method) => {
      const refused = [
        -32602,
        'invalid argument 1: json: cannot unmarshal object into Go value of type string',
      ]
      for (const block of [
        { blockHash: GENESIS, requireCanonical: 'x' },
        { blockNumber: '0x0', requireCanonical: 1 },
        { requireCanonical: 'x' },
      ])
        expect(await ask(method, FUNDED, block)).toEqual(refused)
      for (const requireCanonical of [true, null])
        expect(await ask(method, FUNDED, { blockHash: GENESIS, requireCanonical })).toMatch(/^0x/)
    },
  )
})
