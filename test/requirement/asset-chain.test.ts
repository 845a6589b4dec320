import { expect } from 'vitest'
import { parseAddress } from '../../src/core/base/encoding/address.ts'
import { formatAmount } from '../../src/core/base/encoding/amount.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID, parseID } from '../../src/core/base/encoding/ids.ts'
import { ArgumentError } from '../../src/core/base/errors.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { encodeBlock } from '../../src/core/chain/x/block.ts'
import { encodeTx } from '../../src/core/chain/x/tx.ts'
import { decodeUTXOPage } from '../../src/core/chain/x/utxo-page.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { answering, recorded, replay } from '../node/recorded.ts'
import { address, failureOf, keys, requirement, type World } from './world.ts'

const AVAX = formatID(networks.local.assetID)
const X_CHAIN = formatID(networks.local.chainID)
const P_CHAIN = '11111111111111111111111111111111LpoYY'
const FX = 'spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ'
const own = { addresses: keys.addresses }

const resultOf = (world: World) => JSON.parse(world.last().answer).result
const paramsOf = (world: World) => world.last().body!.params
const txJSON = (world: World, kind: keyof World['txs']) =>
  world.client.avm.getTxJSON({ txID: world.txs[kind] })

requirement({
  'Conventions (node RPC)': [
    [
      'Request envelope: jsonrpc 2.0, id a number, method, params an object',
      async (world) => {
        await world.client.avm.getHeight()
        expect(world.last().body).toEqual({
          jsonrpc: '2.0',
          id: expect.any(Number),
          method: 'avm.getHeight',
          params: {},
        })
      },
    ],
    [
      'Response envelope: result and the id of the request, others are refused',
      async (world) => {
        await world.client.avm.getHeight()
        const { id } = world.last().body!
        expect(JSON.parse(world.last().answer)).toMatchObject({ jsonrpc: '2.0', id })
        const fetch = async () => new Response('{"jsonrpc":"2.0","result":{"height":"1"},"id":77}')
        const client = createNodeClient({ url: 'http://node.test', fetch, retry: { retries: 0 } })
        await expect(client.avm.getHeight()).rejects.toMatchObject({ code: 'REPLY_WRONG_ID' })
      },
    ],
    [
      'Integers in results: decimal strings, read exactly; numbers are accepted too',
      async (world) => {
        await world.client.avm.getTxFee()
        expect(resultOf(world)).toEqual({ txFee: '1000000', createAssetTxFee: '1000000' })
        for (const text of ['"18446744073709551615"', '18446744073709551615'])
          expect(await answering(`{"height":${text}}`).avm.getHeight()).toBe(2n ** 64n - 1n)
      },
    ],
    [
      'Integers in results: numbers inside a decoded transaction, without loss',
      async () => {
        const item = recorded('getTx json: amount 2^64-1')
        const { txID } = JSON.parse(item.request).params
        const { unsignedTx } = await replay(item).client.avm.getTxJSON({ txID })
        const states = unsignedTx.initialStates ?? []
        const outputs = [
          ...unsignedTx.outputs.map(({ output }) => output),
          ...states.flatMap((state) => state.outputs),
        ]
        expect(outputs.map(({ amount }) => amount)).toContain(2n ** 64n - 1n)
      },
    ],
    [
      'Integers in results: percentages as decimal strings',
      async (world) => {
        expect((await world.client.info.uptime()).rewardingStakePercentage).toBe(100)
        expect(resultOf(world).rewardingStakePercentage).toBe('100.0000')
      },
    ],
    [
      'Hex encoding: 0x and hexadecimal digits',
      async (world) => {
        await world.client.avm.getTx({ txID: world.txs.transfer })
        expect(resultOf(world).tx).toMatch(/^0x[0-9a-f]+$/)
        const client = answering('{"block":"00","encoding":"hex"}')
        await expect(client.avm.getBlockByHeight({ height: 0 })).rejects.toMatchObject({
          code: 'REPLY_SHAPE',
        })
      },
    ],
    [
      'Block IDs: cb58',
      async (world) => {
        const { id } = await world.client.avm.getBlockByHeightJSON({ height: 1 })
        expect(await world.client.avm.getBlock({ blockID: parseID(id) })).toMatchObject({
          height: 1n,
        })
        expect(paramsOf(world)).toMatchObject({ blockID: id })
      },
    ],
    [
      'Chain reference: a chain ID or an alias',
      async (world) => {
        for (const chain of ['X', 'P', 'C', X_CHAIN, networks.local.chainID])
          expect(await world.client.info.isBootstrapped({ chain })).toBe(true)
      },
    ],
    [
      'Address: chain alias, dash, encoded address; any other text is refused before it is sent',
      async (world) => {
        expect(parseAddress(address)).toEqual({
          chain: 'X',
          hrp: 'local',
          address: keys.addresses[0],
        })
        const seen = world.exchanges.length
        for (const text of ['X-local1', 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', ''])
          expect(
            await failureOf(world.client.avm.getAllBalances({ address: text })),
          ).toBeInstanceOf(ArgumentError)
        expect(world.exchanges.length).toBe(seen)
      },
    ],
    [
      'Fee unit: the smallest unit of the native asset',
      async (world) => {
        const { txFee } = await world.client.avm.getTxFee()
        const { denomination } = await world.client.avm.getAssetDescription({ assetID: 'AVAX' })
        expect(formatAmount(txFee, denomination)).toBe('0.001')
      },
    ],
    [
      'Timestamps: ISO 8601 in UTC in info results',
      async (world) => {
        const { banffTime } = await world.client.info.upgrades()
        expect(new Date(banffTime!).toISOString()).toBe(banffTime!.replace('Z', '.000Z'))
      },
    ],
  ],

  'Asset-chain resources': [
    [
      'Balance entry: asset, the native one by its symbol, and balance',
      async (world) => {
        const balances = await world.client.avm.getAllBalances({ address })
        expect(balances.find(({ asset }) => asset === 'AVAX')?.balance).toBeTypeOf('bigint')
        expect(balances).toContainEqual({ asset: world.txs.asset, balance: 100n })
      },
    ],
    [
      'Balance result: balance and utxoIDs, which may be absent',
      async (world) => {
        const assetID = world.txs.asset
        const found = await world.client.avm.getBalance({ address, assetID })
        expect(found).toEqual({
          balance: 100n,
          utxoIDs: [{ txID: parseID(assetID), outputIndex: expect.any(Number) }],
        })
        const client = answering('{"balance":"5"}')
        expect(await client.avm.getBalance({ address, assetID })).toEqual({
          balance: 5n,
          utxoIDs: [],
        })
      },
    ],
    [
      'Asset description: assetID or assetId, name, symbol',
      async (world) => {
        const assetID = world.txs.asset
        expect(await world.client.avm.getAssetDescription({ assetID })).toEqual({
          assetID: parseID(assetID),
          name: 'Gold',
          symbol: 'GLD',
          denomination: 2,
        })
        const other = `{"assetId":"${assetID}","name":"Gold","symbol":"GLD","denomination":"2"}`
        expect((await answering(other).avm.getAssetDescription({ assetID })).name).toBe('Gold')
      },
    ],
    [
      'Asset description: denomination scales what is shown by 10^denomination',
      () => {
        expect([0, 1, 2].map((denomination) => formatAmount(100n, denomination))).toEqual([
          '100',
          '10',
          '1',
        ])
      },
    ],
    [
      'Block result: block in the encoding asked for, hex or json',
      async (world) => {
        const block = await world.client.avm.getBlockByHeight({ height: 1 })
        expect(resultOf(world)).toEqual({
          block: checkedHex.encode(encodeBlock(block)),
          encoding: 'hex',
        })
        const json = await world.client.avm.getBlockByHeightJSON({ height: 1 })
        expect(resultOf(world).encoding).toBe('json')
        expect(json.txs).toHaveLength(block.txs.length)
      },
    ],
    [
      'Transaction result: tx as hex or as an object',
      async (world) => {
        const txID = world.txs.transfer
        const tx = await world.client.avm.getTx({ txID })
        expect(resultOf(world)).toEqual({ tx: checkedHex.encode(encodeTx(tx)), encoding: 'hex' })
        expect((await txJSON(world, 'transfer')).id).toBe(txID)
        expect(resultOf(world).encoding).toBe('json')
      },
    ],
    [
      'Decoded transaction: unsignedTx, credentials one per input, id',
      async (world) => {
        const { unsignedTx, credentials, id } = await txJSON(world, 'transfer')
        expect(credentials).toHaveLength(unsignedTx.inputs.length)
        expect(id).toBe(world.txs.transfer)
      },
    ],
    [
      'unsignedTx: networkID, blockchainID, outputs, inputs, memo as hex',
      async (world) => {
        const { unsignedTx } = await txJSON(world, 'transfer')
        expect(unsignedTx).toMatchObject({
          networkID: 12345,
          blockchainID: X_CHAIN,
          memo: '0x68656c6c6f',
        })
        expect(unsignedTx.outputs.length).toBeGreaterThan(0)
        expect(unsignedTx.inputs.length).toBeGreaterThan(0)
      },
    ],
    [
      'unsignedTx: destinationChain and exportedOutputs of an export',
      async (world) => {
        const { unsignedTx } = await txJSON(world, 'export')
        expect(unsignedTx.destinationChain).toBe(P_CHAIN)
        expect(unsignedTx.exportedOutputs).toEqual([
          {
            assetID: AVAX,
            fxID: FX,
            output: { addresses: [address], amount: 5000, locktime: 0, threshold: 1 },
          },
        ])
      },
    ],
    [
      'unsignedTx: sourceChain and importedInputs of an import',
      async (world) => {
        const { unsignedTx } = await txJSON(world, 'import')
        expect(unsignedTx.sourceChain).toBe(P_CHAIN)
        expect(unsignedTx.importedInputs).toHaveLength(1)
      },
    ],
    [
      'Input: txID, outputIndex, assetID, fxID, input with amount and signatureIndices',
      async (world) => {
        const [input] = (await txJSON(world, 'import')).unsignedTx.importedInputs!
        expect(input).toEqual({
          txID: expect.any(String),
          outputIndex: expect.any(Number),
          assetID: AVAX,
          fxID: FX,
          input: { amount: 50_000_000, signatureIndices: [0] },
        })
      },
    ],
    [
      'Output: assetID, fxID, output with addresses, amount, locktime and threshold',
      async (world) => {
        const { outputs } = (await txJSON(world, 'transfer')).unsignedTx
        expect(outputs).toContainEqual({
          assetID: AVAX,
          fxID: FX,
          output: { addresses: [address], amount: 1000, locktime: 0, threshold: 1 },
        })
      },
    ],
    [
      'Credential: fxID and signatures as hex',
      async (world) => {
        const { credentials } = await txJSON(world, 'transfer')
        expect(credentials![0]).toEqual({
          fxID: FX,
          credential: { signatures: [expect.stringMatching(/^0x[0-9a-f]{130}$/)] },
        })
      },
    ],
    [
      'Fee record: txFee and createAssetTxFee',
      async (world) =>
        expect(await world.client.avm.getTxFee()).toEqual({
          txFee: 1_000_000n,
          createAssetTxFee: 1_000_000n,
        }),
    ],
    [
      'UTXO page: numFetched, utxos, endIndex, encoding',
      async (world) => {
        const page = await world.client.avm.getUTXOs(own)
        expect(page).toMatchObject({
          numFetched: page.utxos.length,
          endIndex: { address, utxo: expect.any(String) },
          encoding: 'hex',
        })
        expect(decodeUTXOPage(page.utxos).utxos).toHaveLength(page.numFetched)
      },
    ],
    [
      'UTXO page: sourceChain, optional, and refused if it is another',
      async (world) => {
        const page = await world.client.avm.getUTXOs({ ...own, sourceChain: 'P' })
        expect(page.sourceChain).toBeUndefined()
        const named = answering(JSON.stringify({ ...resultOf(world), sourceChain: 'P' }))
        const { sourceChain } = await named.avm.getUTXOs({ ...own, sourceChain: 'P' })
        expect(sourceChain).toBe('P')
        await expect(named.avm.getUTXOs({ ...own, sourceChain: 'C' })).rejects.toMatchObject({
          code: 'REPLY_MISMATCH',
        })
      },
    ],
  ],

  'States and transitions': [
    [
      'Transaction status: Accepted and Unknown, as current nodes say',
      async (world) => {
        const { client, txs } = world
        expect(await client.avm.getTxStatus({ txID: txs.transfer })).toBe('Accepted')
        expect(await client.avm.getTxStatus({ txID: new Uint8Array(32).fill(1) })).toBe('Unknown')
      },
    ],
    [
      'Transaction status: Processing and Rejected, as older nodes say; nothing else',
      async () => {
        const txID = new Uint8Array(32)
        for (const status of ['Accepted', 'Processing', 'Rejected', 'Unknown'])
          expect(await answering(`{"status":"${status}"}`).avm.getTxStatus({ txID })).toBe(status)
        await expect(
          answering('{"status":"Dropped"}').avm.getTxStatus({ txID }),
        ).rejects.toMatchObject({ code: 'REPLY_MISMATCH' })
      },
    ],
  ],

  'A. Node RPC': [
    [
      'Every call is a POST with content type application/json',
      async (world) => {
        await world.client.avm.getHeight()
        expect(world.last().verb).toBe('POST')
        expect(world.last().headers.get('content-type')).toBe('application/json')
      },
    ],
    [
      'Path: /ext/bc/X, or /ext/bc/<blockchain_id> for another chain',
      async (world) => {
        await world.client.avm.getHeight()
        expect(world.last().target).toBe('/ext/bc/X')
        expect(await world.client.forChain(X_CHAIN).avm.getHeight()).toBe(4n)
        expect(world.last().target).toBe(`/ext/bc/${X_CHAIN}`)
      },
    ],
    [
      'avm.getAllBalances: address',
      async (world) => {
        await world.client.avm.getAllBalances({ address })
        expect(paramsOf(world)).toEqual({ address })
      },
    ],
    [
      'avm.getAssetDescription: assetID',
      async (world) => {
        await world.client.avm.getAssetDescription({ assetID: networks.local.assetID })
        expect(paramsOf(world)).toEqual({ assetID: AVAX })
      },
    ],
    [
      'avm.getBalance: address and assetID',
      async (world) => {
        await world.client.avm.getBalance({ address, assetID: 'AVAX' })
        expect(paramsOf(world)).toEqual({ address, assetID: 'AVAX' })
      },
    ],
    [
      'avm.getBlock: blockID and encoding, hex by default',
      async (world) => {
        const { id } = await world.client.avm.getBlockByHeightJSON({ height: 2 })
        const block = await world.client.avm.getBlock({ blockID: id })
        expect(paramsOf(world)).toEqual({ blockID: id, encoding: 'hex' })
        expect(block.height).toBe(2n)
        expect((await world.client.avm.getBlockJSON({ blockID: id })).height).toBe(2)
        expect(paramsOf(world)).toEqual({ blockID: id, encoding: 'json' })
      },
    ],
    [
      'avm.getBlockByHeight: height as a decimal string, and encoding',
      async (world) => {
        await world.client.avm.getBlockByHeight({ height: 2n })
        expect(paramsOf(world)).toEqual({ height: '2', encoding: 'hex' })
        await world.client.avm.getBlockByHeightJSON({ height: 2 })
        expect(paramsOf(world)).toEqual({ height: '2', encoding: 'json' })
      },
    ],
    [
      'avm.getHeight: height of the last accepted block',
      async (world) => {
        const height = await world.client.avm.getHeight()
        await world.client.avm.getBlockByHeight({ height })
        await expect(
          world.client.avm.getBlockByHeight({ height: height + 1n }),
        ).rejects.toMatchObject({ code: 'RPC_NOT_FOUND' })
      },
    ],
    [
      'avm.getTx: txID and encoding, hex by default',
      async (world) => {
        const txID = world.txs.export
        expect((await world.client.avm.getTx({ txID })).unsignedTx.type).toBe('ExportTx')
        expect(paramsOf(world)).toEqual({ txID, encoding: 'hex' })
        await txJSON(world, 'export')
        expect(paramsOf(world)).toEqual({ txID, encoding: 'json' })
      },
    ],
    [
      'avm.getTxFee: no parameters',
      async (world) => {
        await world.client.avm.getTxFee()
        expect(paramsOf(world)).toEqual({})
      },
    ],
    [
      'avm.getTxStatus: txID',
      async (world) => {
        await world.client.avm.getTxStatus({ txID: parseID(world.txs.asset) })
        expect(paramsOf(world)).toEqual({ txID: world.txs.asset })
      },
    ],
    [
      'avm.getUTXOs: addresses, limit, startIndex, sourceChain, encoding',
      async (world) => {
        const { endIndex } = await world.client.avm.getUTXOs({ addresses: [address], limit: 1 })
        await world.client.avm.getUTXOs({
          addresses: [address],
          limit: 5,
          startIndex: endIndex,
          sourceChain: networks.local.chains.P!,
          encoding: 'hex',
        })
        expect(paramsOf(world)).toEqual({
          addresses: [address],
          limit: 5,
          startIndex: endIndex,
          sourceChain: P_CHAIN,
          encoding: 'hex',
        })
      },
    ],
    [
      'avm.issueTx: tx and encoding; the result is the txID',
      async (world) => {
        const sent = world.exchanges.find(({ body }) => body?.method === 'avm.issueTx')!
        const { tx, encoding } = sent.body!.params as { tx: string; encoding: string }
        expect([encoding, tx.slice(0, 2)]).toEqual(['hex', '0x'])
        expect(JSON.parse(sent.answer).result).toEqual({ txID: world.txs.transfer })
      },
    ],
    [
      'wallet.issueTx: path /ext/bc/X/wallet, as avm.issueTx, without its checks',
      async (world) => {
        const { unsignedTx, credentials } = await world.client.avm.getTx({
          txID: world.txs.transfer,
        })
        // Accepted already: avm.issueTx would refuse it.
        const txID = await world.client.wallet.issueTx({ tx: { unsignedTx, credentials } })
        expect(formatID(txID)).toBe(world.txs.transfer)
        expect(world.last().target).toBe('/ext/bc/X/wallet')
        expect(world.last().body!.method).toBe('wallet.issueTx')
        world.node.restart()
      },
    ],
  ],

  'avm.getUTXOs rules': [
    [
      '1. Each UTXO references at least one of the addresses',
      async (world) => {
        const { utxos } = decodeUTXOPage((await world.client.avm.getUTXOs(own)).utxos)
        expect(utxos.length).toBeGreaterThan(1)
        for (const { output } of utxos) expect(output.addresses).toContainEqual(keys.addresses[0])
      },
    ],
    [
      '2. At most limit UTXOs; omitted or above 1024 it is 1024',
      async (world) => {
        for (const limit of [1, 2])
          expect((await world.client.avm.getUTXOs({ ...own, limit })).numFetched).toBe(limit)
        const whole = await world.client.avm.getUTXOs(own)
        expect(await world.client.avm.getUTXOs({ ...own, limit: 5000 })).toEqual(whole)
      },
    ],
    [
      '3. and 4. endIndex as the next startIndex fetches the next set',
      async (world) => {
        const first = await world.client.avm.getUTXOs({ ...own, limit: 1 })
        const startIndex = first.endIndex
        const second = await world.client.avm.getUTXOs({ ...own, limit: 1, startIndex })
        const both = await world.client.avm.getUTXOs({ ...own, limit: 2 })
        expect([...first.utxos, ...second.utxos]).toEqual(both.utxos)
      },
    ],
    [
      '5. A page shorter than limit ends the listing',
      async (world) => {
        const { numFetched } = await world.client.avm.getUTXOs(own)
        const seen = world.exchanges.length
        let found = 0
        for await (const { utxos } of world.client.utxoPages({ ...own, pageSize: 2 }))
          found += utxos.length
        expect(found).toBe(numFetched)
        expect(world.exchanges.length - seen).toBe(Math.floor(numFetched / 2) + 1)
      },
    ],
    [
      '6. A UTXO that comes again, and a set that changes, give each UTXO once',
      async (world) => {
        const count = async () => {
          const names: string[] = []
          for await (const { utxos } of world.client.utxoPages({ ...own, pageSize: 2 }))
            for (const { txID, outputIndex } of utxos)
              names.push(`${formatID(txID)}:${outputIndex}`)
          expect(new Set(names).size).toBe(names.length)
          return names.length
        }
        const before = await count()
        world.node.injectFault({ kind: 'restarted-walk', on: 'avm.getUTXOs', after: 1 })
        expect(await count()).toBe(before)
      },
    ],
    [
      '7. With sourceChain: UTXOs exported from there to the asset chain',
      async (world) => {
        const [exported] = world.node.exportFrom('C', { address, amount: 77n })
        const page = await world.client.avm.getUTXOs({ ...own, sourceChain: 'C' })
        expect(decodeUTXOPage(page.utxos).utxos).toEqual([exported])
        const local = decodeUTXOPage((await world.client.avm.getUTXOs(own)).utxos)
        expect(local.utxos).not.toContainEqual(exported)
      },
    ],
  ],
})
