import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/core/codec/json.ts'
import { parseJSON, stringifyJSON } from '../../../src/core/codec/json-text.ts'
import type { NodeClient } from '../../../src/node/index.ts'
import { answering, recorded, replay } from '../recorded.ts'

const u64 = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constant(2n ** 64n - 1n))
const id = '11111111111111111111111111111111LpoYY'
const address = new Uint8Array(20)

/** Every integer of 64 bits in a reply: where it stands in the result, and where it comes out. */
const places: { [name: string]: [(n: string) => string, (c: NodeClient) => Promise<unknown>] } = {
  'avm.getHeight': [(n) => `{"height":${n}}`, (c) => c.avm.getHeight()],
  'avm.getTxFee, txFee': [
    (n) => `{"txFee":${n},"createAssetTxFee":"1"}`,
    async (c) => (await c.avm.getTxFee()).txFee,
  ],
  'avm.getTxFee, createAssetTxFee': [
    (n) => `{"txFee":1,"createAssetTxFee":${n}}`,
    async (c) => (await c.avm.getTxFee()).createAssetTxFee,
  ],
  'avm.getBalance': [
    (n) => `{"balance":${n}}`,
    async (c) => (await c.avm.getBalance({ address, assetID: 'AVAX' })).balance,
  ],
  'avm.getAllBalances': [
    (n) => `{"balances":[{"asset":"AVAX","balance":${n}}]}`,
    async (c) => (await c.avm.getAllBalances({ address }))[0]?.balance,
  ],
  'info.acps': [
    (n) => `{"acps":{"23":{"supportWeight":${n},"objectWeight":${n},"abstainWeight":${n}}}}`,
    async (c) => {
      const acp = (await c.info.acps())['23']!
      expect(acp.supportWeight).toBe(acp.objectWeight)
      expect(acp.supportWeight).toBe(acp.abstainWeight)
      return acp.supportWeight
    },
  ],
  'info.upgrades, a height': [
    (n) => `{"apricotPhase4MinPChainHeight":${n},"cortinaXChainStopVertexID":"${id}"}`,
    async (c) => (await c.info.upgrades()).apricotPhase4MinPChainHeight,
  ],
  'info.peers, upgradeTime': [
    (n) => `{"numPeers":"1","peers":[{"ip":"","nodeID":"","version":"","lastSent":"",
      "lastReceived":"","observedUptime":"1","upgradeTime":${n}}]}`,
    async (c) => (await c.info.peers()).peers[0]?.upgradeTime,
  ],
  'health.health, duration': [
    (n) => `{"checks":{"P":{"duration":${n}}},"healthy":true}`,
    async (c) => (await c.health.health()).checks.P?.duration,
  ],
}
for (const fee of [
  'createSubnetTxFee',
  'transformSubnetTxFee',
  'createBlockchainTxFee',
  'addPrimaryNetworkValidatorFee',
  'addPrimaryNetworkDelegatorFee',
  'addSubnetValidatorFee',
  'addSubnetDelegatorFee',
] as const)
  places[`info.getTxFee, ${fee}`] = [
    (n) => `{"txFee":"1","createAssetTxFee":"1","${fee}":${n}}`,
    async (c) => (await c.info.getTxFee())[fee],
  ]

describe('64-bit integers in replies', () => {
  for (const [name, [write, read]] of Object.entries(places))
    test.prop([u64, fc.boolean()])(`keep all digits in ${name}`, async (n, asText) => {
      const client = answering(write(asText ? `"${n}"` : `${n}`))
      expect(await read(client)).toBe(n)
    })

  test.prop([u64, u64])('keep all digits in a JSON transaction', async (amount, locktime) => {
    const given = parseJSON(recorded('getTx json: export').response) as { result: { tx: Json } }
    const text = stringifyJSON(given.result.tx)
      .replace(/"amount":[0-9]+/, `"amount":${amount}`)
      .replace(/"locktime":[0-9]+/, `"locktime":${locktime}`)
    const txID = (given.result.tx as { id: string }).id
    const json = await answering(`{"tx":${text},"encoding":"json"}`).avm.getTxJSON({ txID })
    expect(stringifyJSON(json)).toBe(text)
    const { output } = json.unsignedTx.outputs[0]!
    expect(BigInt(output.amount!)).toBe(amount)
    expect(BigInt(output.locktime)).toBe(locktime)
  })

  test.prop([u64, u64])('keep all digits in a JSON block', async (height, time) => {
    const text = `{"parentID":"${id}","height":${height},"time":${time},"merkleRoot":"${id}","txs":[],"id":"${id}"}`
    const client = answering(`{"block":${text},"encoding":"json"}`)
    expect(stringifyJSON(await client.avm.getBlockByHeightJSON({ height }))).toBe(text)
  })

  test.prop([u64])('keep all digits in the message of a health check', async (n) => {
    const client = answering(`{"checks":{"X":{"message":{"height":${n}}}},"healthy":true}`)
    const { checks } = await client.health.health()
    expect(stringifyJSON(checks.X!.message!)).toBe(`{"height":${n}}`)
  })

  test.prop([u64])('keep all digits as a height in a request', async (height) => {
    const { client, sent } = replay(recorded('avm.getHeight'))
    await expect(client.avm.getBlockByHeight({ height })).rejects.toMatchObject({
      code: 'REPLY_SHAPE',
      field: 'result.block',
    })
    expect(String(sent[0]!.init.body)).toContain(`"height":"${height}"`)
  })
})

describe('integers that do not fit', () => {
  const wrong = [
    '-1',
    '18446744073709551616',
    '"18446744073709551616"',
    '1.5',
    '"1e3"',
    '""',
    '"0x5"',
  ]
  for (const value of [...wrong, 'true', 'null', '[]', '{}'])
    it(`are rejected as a height, with method and field: ${value}`, async () => {
      await expect(answering(`{"height":${value}}`).avm.getHeight()).rejects.toMatchObject({
        code: 'REPLY_SHAPE',
        method: 'avm.getHeight',
        field: 'result.height',
      })
    })

  it('are rejected as a network ID above 32 bits', async () => {
    const client = answering('{"networkID":"4294967296"}')
    await expect(client.info.getNetworkID()).rejects.toMatchObject({ code: 'REPLY_SHAPE' })
  })
})
