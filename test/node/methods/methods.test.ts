import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatID, parseID } from '../../../src/core/base/encoding/ids.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { encodeBlock } from '../../../src/core/chain/x/block.ts'
import { blockFromJSON, txFromJSON } from '../../../src/core/chain/x/json-in.ts'
import { encodeTx } from '../../../src/core/chain/x/tx.ts'
import { parseJSON, stringifyJSON } from '../../../src/core/codec/json-text.ts'
import {
  methods,
  type NodeClient,
  type NodeIdentity,
  RpcError,
  type TxJSON,
  type UpgradeTime,
} from '../../../src/node/index.ts'
import { vectors } from '../../helpers/vectors.ts'
import { allRecorded, answering, type Recorded, recorded, replay, resultIn } from '../recorded.ts'

/** Calls the client as the recorded request asks, and compares what is sent with what was recorded. */
async function ask<T>(item: Recorded, call: (client: NodeClient) => Promise<T>): Promise<T> {
  const { client, sent } = replay(item)
  const value = await call(client)
  const body = JSON.parse(String(sent[0]!.init.body))
  const asked = JSON.parse(item.request)
  expect(sent[0]!.url).toBe(`http://node.test:9650${item.path}`)
  expect(body.method).toBe(asked.method)
  return value
}

const genesisAsset = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'

describe('avm methods', () => {
  it('getHeight returns the height of the newest block', async () => {
    const item = recorded('avm.getHeight')
    expect(await ask(item, (c) => c.avm.getHeight())).toBe(0n)
  })

  it('getTxFee returns both fees', async () => {
    const fees = await ask(recorded('avm.getTxFee'), (c) => c.avm.getTxFee())
    expect(fees).toEqual({ txFee: 1_000_000n, createAssetTxFee: 1_000_000n })
  })

  it('getAssetDescription finds assets by alias and by ID', async () => {
    const native = await ask(recorded('avm.getAssetDescription: alias'), (c) =>
      c.avm.getAssetDescription({ assetID: 'AVAX' }),
    )
    expect(native).toEqual({
      assetID: networks.local.assetID,
      name: 'Avalanche',
      symbol: 'AVAX',
      denomination: 9,
    })
    const item = recorded('avm.getAssetDescription: ID')
    const { assetID } = JSON.parse(item.request).params
    const other = await ask(item, (c) => c.avm.getAssetDescription({ assetID: parseID(assetID) }))
    expect(formatID(other.assetID)).toBe(assetID)
  })

  it('getAssetDescription accepts the spelling assetId', async () => {
    const client = answering(
      `{"assetId":"${genesisAsset}","name":"a","symbol":"A","denomination":9}`,
    )
    const { assetID } = await client.avm.getAssetDescription({ assetID: 'A' })
    expect(formatID(assetID)).toBe(genesisAsset)
  })

  it('getAssetDescription rejects an answer about another asset', async () => {
    const item = recorded('avm.getAssetDescription: ID')
    for (const assetID of [networks.local.assetID, formatID(networks.local.assetID)])
      await expect(replay(item).client.avm.getAssetDescription({ assetID })).rejects.toMatchObject({
        code: 'REPLY_MISMATCH',
        field: 'result.assetID',
      })
  })

  it('getBalance returns the UTXOs that it counted', async () => {
    const item = recorded('avm.getBalance')
    const { balance, utxoIDs } = resultIn<{ balance: string; utxoIDs: unknown }>(item)
    const found = await ask(item, (c) => c.avm.getBalance(JSON.parse(item.request).params))
    expect(found.balance).toBe(BigInt(balance))
    expect(
      found.utxoIDs.map((id) => ({ txID: formatID(id.txID), outputIndex: id.outputIndex })),
    ).toEqual(utxoIDs)
  })

  it('getBalance accepts an answer without utxoIDs', async () => {
    const params = { address: new Uint8Array(20), assetID: 'AVAX' }
    const client = answering('{"balance":"18446744073709551615"}')
    expect(await client.avm.getBalance(params)).toEqual({
      balance: 18446744073709551615n,
      utxoIDs: [],
    })
  })

  it('getAllBalances returns the balance of every asset', async () => {
    const item = recorded('avm.getAllBalances')
    const found = await ask(item, (c) => c.avm.getAllBalances(JSON.parse(item.request).params))
    expect(found).toEqual(
      resultIn<{ balances: { asset: string; balance: string }[] }>(item).balances.map((b) => ({
        asset: b.asset,
        balance: BigInt(b.balance),
      })),
    )
  })

  it('getAllBalances reads null as no balances', async () => {
    const client = answering('{"balances":null}')
    expect(await client.avm.getAllBalances({ address: new Uint8Array(20) })).toEqual([])
  })

  it('getBlock and getBlockByHeight return bytes, with and without checksum', async () => {
    const hexItem = recorded('avm.getBlock: hex')
    const { blockID } = JSON.parse(hexItem.request).params
    const block = await ask(hexItem, (c) => c.avm.getBlock({ blockID }))
    expect(checkedHex.encode(encodeBlock(block))).toBe(resultIn(hexItem).block)
    for (const encoding of ['hex', 'hexnc'] as const) {
      const item = recorded(`avm.getBlockByHeight: block 0, ${encoding}`)
      const first = await ask(item, (c) => c.avm.getBlockByHeight({ height: 0, encoding }))
      expect(first).toMatchObject({ height: 0n, time: 1_607_144_400n, txs: [] })
    }
  })

  it('getBlock and getBlockByHeight reject a block other than the requested one', async () => {
    const item = recorded('avm.getBlockByHeight: block 0, hex')
    const blockID = new Uint8Array(32)
    const mismatch = { code: 'REPLY_MISMATCH', field: 'result.block' }
    await expect(replay(item).client.avm.getBlock({ blockID })).rejects.toMatchObject(mismatch)
    await expect(replay(item).client.avm.getBlockByHeight({ height: 1n })).rejects.toMatchObject(
      mismatch,
    )
  })

  it('getBlockByHeightJSON keeps every digit', async () => {
    for (const name of [
      'avm.getBlockByHeight: json',
      'avm.getBlockByHeight: block 0, json, first start of the node',
      'avm.getBlockByHeight: block 0, json, after a restart',
    ]) {
      const item = recorded(name)
      const height = BigInt(resultIn<{ block: { height: string } }>(item).block.height)
      const json = await ask(item, (c) => c.avm.getBlockByHeightJSON({ height }))
      expect(item.response).toContain(`{"block":${stringifyJSON(json)},`)
      expect(blockFromJSON(json, networks.local).height).toBe(height)
    }
  })

  it('getBlockJSON returns the block with an ID', async () => {
    const item = recorded('avm.getBlockByHeight: json')
    const blockID = resultIn<{ block: { id: string } }>(item).block.id
    const json = await replay(item).client.avm.getBlockJSON({ blockID })
    expect(stringifyJSON(json)).toContain(blockID)
  })

  it('JSON of blocks and transactions must be of the requested ones', async () => {
    const block = recorded('avm.getBlockByHeight: json')
    const other = new Uint8Array(32)
    const mismatch = (field: string) => ({ code: 'REPLY_MISMATCH', field })
    await expect(
      replay(block).client.avm.getBlockByHeightJSON({ height: 14 }),
    ).rejects.toMatchObject(mismatch('result.block'))
    await expect(replay(block).client.avm.getBlockJSON({ blockID: other })).rejects.toMatchObject(
      mismatch('result.block.id'),
    )
    await expect(
      replay(recorded('getTx json: import')).client.avm.getTxJSON({ txID: other }),
    ).rejects.toMatchObject(mismatch('result.tx.id'))
  })

  it('JSON of transactions has the members of its type', async () => {
    const item = recorded('getTx json: export')
    const { txID } = JSON.parse(item.request).params
    const { tx } = resultIn<{ tx: TxJSON }>(item)
    const { unsignedTx } = tx
    const [output] = unsignedTx.outputs
    const [input] = unsignedTx.inputs
    const changed = (change: object) => ({ ...tx, unsignedTx: { ...unsignedTx, ...change } })
    const wrong: readonly (readonly [object, string])[] = [
      [{ ...tx, id: 5 }, 'id'],
      [{ ...tx, credentials: undefined }, 'credentials'],
      [
        { ...tx, credentials: [{ fxID: 'a', credential: {} }] },
        'credentials[0].credential.signatures',
      ],
      [{ ...tx, unsignedTx: null }, 'unsignedTx'],
      [changed({ networkID: '12345' }), 'unsignedTx.networkID'],
      [changed({ memo: 5 }), 'unsignedTx.memo'],
      [changed({ outputs: null }), 'unsignedTx.outputs'],
      [
        changed({ outputs: [{ ...output, output: { ...output!.output, amount: '5' } }] }),
        'unsignedTx.outputs[0].output.amount',
      ],
      [
        changed({ outputs: [{ ...output, output: { ...output!.output, addresses: null } }] }),
        'unsignedTx.outputs[0].output.addresses',
      ],
      [
        changed({ inputs: [{ ...input, input: { amount: 1, signatureIndices: ['0'] } }] }),
        'unsignedTx.inputs[0].input.signatureIndices[0]',
      ],
      [changed({ destinationChain: null }), 'unsignedTx.destinationChain'],
      [changed({ exportedOutputs: null }), 'unsignedTx.exportedOutputs'],
      [changed({ operations: [{}] }), 'unsignedTx.operations[0].assetID'],
      [
        changed({ initialStates: [{ fxIndex: 0, fxID: '' }] }),
        'unsignedTx.initialStates[0].outputs',
      ],
    ]
    for (const [json, field] of wrong)
      await expect(
        answering(JSON.stringify({ tx: json, encoding: 'json' })).avm.getTxJSON({ txID }),
        field,
      ).rejects.toMatchObject({ code: 'REPLY_SHAPE', field: `result.tx.${field}` })
    const fine = [
      tx,
      { ...tx, credentials: null, more: 1 },
      changed({ memo: null }),
      changed({ memo: undefined }),
    ]
    for (const json of fine)
      expect(
        await answering(JSON.stringify({ tx: json, encoding: 'json' })).avm.getTxJSON({ txID }),
      ).toEqual(JSON.parse(JSON.stringify(json)))
  })

  it('getTx returns every recorded transaction with the bytes of the node', async () => {
    const items = allRecorded.filter(
      ({ name, request }) =>
        (name.startsWith('getTx hex') || name === 'avm.getTx: genesis asset, hex') &&
        request.includes('avm.getTx'),
    )
    expect(items.length).toBeGreaterThan(5)
    for (const item of items) {
      const { txID } = JSON.parse(item.request).params
      const tx = await ask(item, (c) => c.avm.getTx({ txID }))
      expect(checkedHex.encode(encodeTx(tx))).toBe(resultIn(item).tx)
    }
  })

  it('getTxJSON keeps every digit', async () => {
    const items = allRecorded.filter((item) => item.name.startsWith('getTx json'))
    expect(items.length).toBeGreaterThan(8)
    for (const item of items) {
      const { txID } = JSON.parse(item.request).params
      const json = await ask(item, (c) => c.avm.getTxJSON({ txID }))
      expect(item.response).toContain(`{"tx":${stringifyJSON(json)},`)
      expect(txFromJSON(json, networks.local).unsignedTx.networkID).toBe(12345)
    }
    expect(items.some((item) => item.response.includes('18446744073709551615'))).toBe(true)
  })

  it('getTx rejects a transaction other than the requested one', async () => {
    const txID = parseID('SeLqn3UAUoRymWmwW7axrzJK7JfNaBR2cHCryA6cFscgkny8')
    await expect(
      replay(recorded('avm.getTx: genesis asset, hex')).client.avm.getTx({ txID }),
    ).rejects.toMatchObject({ code: 'REPLY_MISMATCH', method: 'avm.getTx', field: 'result.tx' })
  })

  it('getTxStatus returns the status, also of an unknown transaction', async () => {
    const item = recorded('avm.getTxStatus: accepted')
    const { txID } = JSON.parse(item.request).params
    expect(await ask(item, (c) => c.avm.getTxStatus({ txID }))).toBe('Accepted')
    const none = recorded('avm.getTxStatus: unknown')
    expect(await ask(none, (c) => c.avm.getTxStatus({ txID }))).toBe('Unknown')
  })

  it('getUTXOs returns a page and where it ends', async () => {
    const item = recorded('avm.getUTXOs: 10 UTXOs, limit 4, page 2')
    const page = await ask(item, (c) => c.avm.getUTXOs(JSON.parse(item.request).params))
    const { utxos, endIndex } = resultIn(item)
    expect(page).toEqual({ numFetched: 4, utxos, endIndex, encoding: 'hex' })
  })

  it('getUTXOs keeps the source chain and rejects a wrong one', async () => {
    const page = (sourceChain: string) =>
      JSON.stringify({
        numFetched: '0',
        utxos: [],
        endIndex: { address: '', utxo: '' },
        sourceChain,
        encoding: 'hex',
      })
    const zero = '11111111111111111111111111111111LpoYY'
    const cChain = formatID(networks.local.chains.C!)
    const asked = { addresses: [new Uint8Array(20)] }
    const same: readonly (readonly [string | Uint8Array | undefined, string])[] = [
      ['P', 'P'],
      ['P', zero],
      ['platform', 'P'],
      [zero, 'P'],
      [new Uint8Array(32), zero],
      ['C', cChain],
      [cChain, 'C'],
      ['C', 'evm'],
      [undefined, 'X'],
      [undefined, cChain],
    ]
    for (const [sourceChain, said] of same) {
      const params = sourceChain === undefined ? asked : { ...asked, sourceChain }
      expect((await answering(page(said)).avm.getUTXOs(params)).sourceChain).toBe(said)
    }
    expect((await answering(page('')).avm.getUTXOs(asked)).sourceChain).toBeUndefined()
    const other: readonly (readonly [string | undefined, string])[] = [
      ['P', 'C'],
      ['P', cChain],
      ['C', zero],
      [zero, cChain],
      [cChain, 'P'],
      [undefined, 'P'],
      [undefined, zero],
      [undefined, 'C'],
    ]
    for (const [sourceChain, said] of other) {
      const params = sourceChain === undefined ? asked : { ...asked, sourceChain }
      await expect(
        answering(page(said)).avm.getUTXOs(params),
        `${sourceChain} ${said}`,
      ).rejects.toMatchObject({ code: 'REPLY_MISMATCH', field: 'result.sourceChain' })
    }
  })

  it('sends addresses given as bytes as cb58', async () => {
    const { sent, client } = replay(recorded('address: bare cb58'))
    const address = hex.decode('3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c')
    await client.avm.getUTXOs({ addresses: [address] })
    const { params } = JSON.parse(recorded('address: bare cb58').request)
    expect(JSON.parse(String(sent[0]!.init.body)).params.addresses).toEqual(params.addresses)
  })

  it('issueTx and wallet.issueTx compare the ID with the computed one', async () => {
    const items = allRecorded.filter(
      ({ request, response }) => /issueTx/.test(request) && response.includes('"result"'),
    )
    const whole = items.filter(({ request }) => !request.endsWith('…'))
    expect(whole.length).toBeGreaterThan(8)
    for (const item of whole) {
      const { method, params } = parseJSON(item.request) as {
        method: string
        params: { tx: string; encoding?: string }
      }
      const tx = params.encoding === 'hexnc' ? hex.decode(params.tx) : checkedHex.decode(params.tx)
      const txID = await ask(item, (c) =>
        method === 'wallet.issueTx' ? c.wallet.issueTx({ tx }) : c.avm.issueTx({ tx }),
      )
      expect(formatID(txID)).toBe(resultIn(item).txID)
    }
    const tx = new Uint8Array(80)
    await expect(replay(items[0]!).client.avm.issueTx({ tx })).rejects.toMatchObject({
      code: 'REPLY_MISMATCH',
      field: 'result.txID',
    })
  })
})

describe('info methods', () => {
  const info = (name: string): Recorded => recorded(`info.${name}`)

  it('getNetworkID, getNetworkName and getNodeIP return what the node reports', async () => {
    expect(await ask(info('getNetworkID'), (c) => c.info.getNetworkID())).toBe(12345)
    expect(await ask(info('getNetworkName'), (c) => c.info.getNetworkName())).toBe('local')
    expect(await ask(info('getNodeIP'), (c) => c.info.getNodeIP())).toBe('127.0.0.1:9651')
  })

  it('getNodeID, getNodeVersion and getVMs return what the node reports', async () => {
    expect(await ask(info('getNodeID'), (c) => c.info.getNodeID())).toEqual(
      resultIn(info('getNodeID')),
    )
    expect(await ask(info('getNodeVersion'), (c) => c.info.getNodeVersion())).toEqual({
      ...resultIn(info('getNodeVersion')),
      rpcProtocolVersion: '45',
    })
    expect(await ask(info('getVMs'), (c) => c.info.getVMs())).toEqual(resultIn(info('getVMs')))
  })

  it('getBlockchainID and isBootstrapped return what the node reports', async () => {
    const item = info('getBlockchainID')
    expect(await ask(item, (c) => c.info.getBlockchainID({ alias: 'X' }))).toEqual(
      networks.local.chainID,
    )
    expect(await ask(info('isBootstrapped'), (c) => c.info.isBootstrapped({ chain: 'X' }))).toBe(
      true,
    )
  })

  it('getTxFee returns the fees of the network', async () => {
    const fees = await ask(info('getTxFee'), (c) => c.info.getTxFee())
    const expected = Object.entries(resultIn(info('getTxFee'))).map(([name, fee]) => [
      name,
      BigInt(fee as string),
    ])
    expect(fees).toEqual(Object.fromEntries(expected))
  })

  it('peers returns typed members of each peer', async () => {
    const none = await ask(info('peers'), (c) => c.info.peers())
    expect(none).toEqual({ numPeers: 0, peers: [] })
    const item = info('peers: one peer')
    const { peers: sent } = resultIn<{ peers: { upgradeTime: string; observedUptime: string }[] }>(
      item,
    )
    const peer = sent[0]!
    const { numPeers, peers } = await ask(item, (c) => c.info.peers({ nodeIDs: [] }))
    expect(numPeers).toBe(1)
    expect(peers).toEqual([
      {
        ...peer,
        upgradeTime: BigInt(peer.upgradeTime),
        observedUptime: Number(peer.observedUptime),
      },
    ])
  })

  it('uptime returns percentages', async () => {
    expect(await ask(info('uptime'), (c) => c.info.uptime())).toEqual({
      rewardingStakePercentage: 100,
      weightedAveragePercentage: 100,
    })
  })

  it('upgrades returns the times of all upgrades', async () => {
    const found = await ask(info('upgrades'), (c) => c.info.upgrades())
    const expected = Object.entries(resultIn(info('upgrades'))).map(([name, value]) => [
      name,
      typeof value === 'number' ? BigInt(value) : value,
    ])
    expect(found).toEqual(Object.fromEntries(expected))
    expect(found.graniteEpochDuration).toBe(30_000_000_000n)
  })

  it('upgrades names every documented time, as text', async () => {
    const result = resultIn(info('upgrades'))
    const times = (await ask(info('upgrades'), (c) => c.info.upgrades())) satisfies {
      readonly [name in UpgradeTime]?: string
    }
    const names: readonly UpgradeTime[] = [
      ...(['apricotPhase1Time', 'apricotPhase2Time', 'apricotPhase3Time'] as const),
      ...(['apricotPhase4Time', 'apricotPhase5Time', 'apricotPhasePre6Time'] as const),
      ...(['apricotPhase6Time', 'apricotPhasePost6Time', 'banffTime', 'cortinaTime'] as const),
      ...(['durangoTime', 'etnaTime', 'fortunaTime', 'graniteTime'] as const),
    ]
    for (const name of names) {
      const time: string | undefined = times[name]
      expect([name, time]).toEqual([name, result[name]])
      const wrong = answering(JSON.stringify({ ...result, [name]: 5 }))
      await expect(wrong.info.upgrades()).rejects.toMatchObject({ field: `result.${name}` })
    }
    const older = answering(JSON.stringify({ ...result, graniteTime: undefined }))
    expect((await older.info.upgrades()).graniteTime).toBeUndefined()
  })

  it('getNodeVersion accepts any text as protocol version', async () => {
    const result = resultIn(info('getNodeVersion'))
    for (const [sent, read] of [
      ['v45-rc', 'v45-rc'],
      [45, '45'],
    ]) {
      const client = answering(JSON.stringify({ ...result, rpcProtocolVersion: sent }))
      expect((await client.info.getNodeVersion()).rpcProtocolVersion).toBe(read)
    }
  })

  it('getNodeID checks the sizes of key and proof', async () => {
    const { nodeID, nodePOP } = resultIn<NodeIdentity>(info('getNodeID'))
    for (const member of ['publicKey', 'proofOfPossession'] as const)
      for (const text of [
        `${nodePOP[member]}00`,
        nodePOP[member].slice(0, -2),
        '0x',
        'abcd',
        '0xzz',
      ]) {
        const client = answering(
          JSON.stringify({ nodeID, nodePOP: { ...nodePOP, [member]: text } }),
        )
        await expect(client.info.getNodeID()).rejects.toMatchObject({
          code: expect.stringMatching(/^REPLY_(MISMATCH|SHAPE)$/),
          field: `result.nodePOP.${member}`,
        })
      }
  })

  it('acps returns nothing if there are no proposals', async () => {
    expect(await ask(info('acps'), (c) => c.info.acps())).toEqual({})
  })
})

describe('health methods and routes', () => {
  it('read the answers of a running node', async () => {
    for (const name of ['health', 'readiness', 'liveness'] as const) {
      const health = await ask(recorded(`health.${name}`), (c) => c.health[name]())
      expect(health.healthy).toBe(resultIn(recorded(`health.${name}`)).healthy)
      expect(Object.keys(health.checks)).toEqual(
        Object.keys(resultIn<{ checks: object }>(recorded(`health.${name}`)).checks),
      )
    }
  })

  it('requests each GET route, with tags', async () => {
    const { client, sent } = replay(recorded('health GET'))
    await client.healthGet.root()
    await client.healthGet.health({ tags: ['a b', 'c'] })
    await client.healthGet.readiness({ tags: [new Uint8Array(32)] })
    await client.healthGet.liveness()
    expect(sent.map(({ url, init }) => `${init.method} ${url.slice(21)}`)).toEqual([
      'GET /ext/health',
      'GET /ext/health/health?tag=a%20b&tag=c',
      'GET /ext/health/readiness?tag=11111111111111111111111111111111LpoYY',
      'GET /ext/health/liveness',
    ])
  })

  it('accepts 503 with a health body', async () => {
    const item = recorded('bootstrapping: health GET')
    expect(item.httpStatus).toBe(503)
    const health = await replay(item).client.healthGet.root()
    expect(health.healthy).toBe(false)
    expect(health.checks.P).toMatchObject({ error: 'not yet run', duration: 0n })
  })

  it('uses the status of a GET route if the body is not a report', async () => {
    const get = (status: number, response: string, type: string) => {
      const item = { name: '', path: '', request: '', httpStatus: status, response }
      return replay({ ...item, headers: { 'content-type': type } }).client.healthGet.root()
    }
    const bodies = [
      ['', 'text/plain'],
      ['OK', 'text/plain'],
      ['{}', 'application/json'],
      ['{"hello":"world"}', 'application/json'],
      ['[]', ''],
    ] as const
    for (const [body, type] of bodies) {
      expect(await get(200, body, type)).toEqual({ healthy: true, checks: {} })
      expect(await get(503, body, type)).toEqual({ healthy: false, checks: {} })
      await expect(get(404, body, type)).rejects.toMatchObject({ code: 'HTTP_STATUS' })
    }
    const report = '{"checks":{},"healthy":false}'
    expect((await get(200, report, 'application/json')).healthy).toBe(false)
    await expect(get(200, '{"healthy":"no"}', 'application/json')).rejects.toMatchObject({
      field: 'body.healthy',
    })
    // A page of a gateway or another server is no information about the node.
    await expect(get(200, '<html>', 'text/html')).rejects.toMatchObject({
      code: 'REPLY_CONTENT_TYPE',
    })
    await expect(get(503, '<html>', 'text/html')).rejects.toMatchObject({ code: 'HTTP_STATUS' })
  })

  it('sends tags by JSON-RPC', async () => {
    const { client, sent } = replay(recorded('health.health'))
    await client.health.health({ tags: ['a'] })
    expect(JSON.parse(String(sent[0]!.init.body)).params).toEqual({ tags: ['a'] })
  })
})

type Example = {
  readonly name: string
  readonly method: string
  readonly request?: { readonly params?: unknown }
  readonly response?: { readonly result?: unknown }
  readonly params?: unknown
  readonly result?: unknown
}

/** Documented examples whose bytes are of another chain or of an obsolete format. */
const WRONG_EXAMPLES = ['avm.getBlock', 'avm.getBlockByHeight', 'avm.issueTx', 'wallet.issueTx']

describe('documented examples', () => {
  const known = Object.entries(methods).flatMap(([service, table]) =>
    Object.entries(table).map(([name, { method }]) => ({ service, name, method })),
  )
  for (const example of vectors<readonly Example[]>('rpc-examples.json')) {
    const result = example.response?.result ?? example.result
    const entry = known.find(({ method, name }) => {
      const { encoding } = (example.request?.params ?? {}) as { encoding?: string }
      return method === example.method && name.endsWith('JSON') === (encoding === 'json')
    })
    if (result === undefined || entry === undefined) continue
    it(`${example.name} ${WRONG_EXAMPLES.includes(example.name) ? 'is rejected' : 'is read'}`, async () => {
      const client = answering(JSON.stringify(result))
      const table = client[entry.service as 'avm'] as unknown as {
        [name: string]: (params: unknown) => Promise<unknown>
      }
      const { tx, height, encoding, ...others } = (example.request?.params ??
        example.params ??
        {}) as { tx?: string; height?: string; encoding?: string }
      const call = table[entry.name]!({
        ...others,
        ...(tx === undefined ? {} : { tx: checkedHex.decode(tx) }),
        ...(height === undefined ? {} : { height: BigInt(height) }),
        ...(encoding === undefined || encoding === 'json' ? {} : { encoding }),
      })
      if (WRONG_EXAMPLES.includes(example.name))
        await expect(call).rejects.toMatchObject({ code: expect.stringMatching(/^REPLY_/) })
      else await expect(call).resolves.toBeDefined()
    })
  }
})

describe('recorded errors', () => {
  const refused = allRecorded.filter(
    ({ response, request, httpStatus }) =>
      httpStatus === 200 && response.includes('"error":{"code"') && request.startsWith('{"json'),
  )
  it('contain the code and message of the node', async () => {
    expect(refused.length).toBeGreaterThan(100)
    for (const item of refused) {
      const { error } = JSON.parse(item.response)
      const failure = await replay(item)
        .client.avm.getHeight()
        .catch((caught) => caught)
      expect(failure, item.name).toBeInstanceOf(RpcError)
      expect(failure).toMatchObject({ nodeCode: error.code, nodeMessage: error.message })
    }
  })

  it('distinguishes not found, unsupported and invalid arguments', async () => {
    const codes = []
    for (const name of [
      'avm.getTx: unknown',
      'method: unknown',
      'params: negative height',
      'avm.getTx: missing txID',
    ])
      codes.push(
        await replay(recorded(name))
          .client.avm.getHeight()
          .catch((error) => error.code),
      )
    expect(codes).toEqual([
      'RPC_NOT_FOUND',
      'RPC_METHOD_NOT_FOUND',
      'RPC_BAD_ARGUMENT',
      'RPC_ERROR',
    ])
  })

  it.each([
    ['http: GET on an RPC path', 405, 'HTTP_STATUS'],
    ['http: no content type', 415, 'HTTP_STATUS'],
    ['http: host name not allowed', 403, 'HTTP_STATUS'],
    ['http: unknown path', 404, 'HTTP_STATUS'],
    ['http: path not canonical', 301, 'HTTP_REDIRECT'],
    ['bootstrapping: path of a chain that bootstraps', 503, 'HTTP_BOOTSTRAPPING'],
  ])('%s is status %i and %s', async (name, status, code) => {
    await expect(replay(recorded(name)).client.avm.getHeight()).rejects.toMatchObject({
      code,
      status,
      method: 'avm.getHeight',
    })
  })

  it('an empty body is an error', async () => {
    const item = recorded('envelope: no id, executed, empty answer')
    await expect(replay(item).client.avm.getHeight()).rejects.toMatchObject({ code: 'REPLY_EMPTY' })
  })
})
