import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import * as cChain from '../../src/core/c-chain.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import * as pChain from '../../src/core/p-chain.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../src/devnode/index.ts'
import { requireSigned, signDraft } from '../../src/index.ts'
import { Mover } from '../core/sign/chains/mover.ts'
import { codeOf } from '../helpers/vectors.ts'
import { ewoq, others } from './txs.ts'

const NOW = 1_800_000_000
const fees = { weights: pChain.DEFAULT_GAS_WEIGHTS, price: 1n }
const keys = new KeyChain([ewoq.privateKey])
const account = cChain.evmAddressOf(keys.publicKeys[0]!)

let node: DevNode
const start = async (options: DevNodeOptions = {}) => {
  node = await createDevNode({ now: NOW, ...options })
  return new Mover(node, ewoq.privateKey)
}
afterEach(() => node.close())

async function post(path: string, body: unknown): Promise<unknown> {
  const response = await node.fetch(`http://localhost${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return JSON.parse(await response.text())
}

const issue = async (path: string, method: string, bytes: Uint8Array) =>
  (await post(path, {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: { tx: checkedHex.encode(bytes), encoding: 'hex' },
  })) as { result?: { txID: string }; error?: { message: string } }

/** A signed export from the C-Chain account of the test key. */
function cExport(amount: bigint, baseFee: bigint, nonce = 0n): Uint8Array {
  const draft = cChain.buildExport({
    context: node.context,
    account: { address: account, nonce },
    baseFee,
    destinationChain: 'X',
    outputs: [{ to: ewoq.text, amount }],
  })
  return requireSigned(signDraft(draft, keys)).bytes
}

describe('the P- and C-Chain of a development node', () => {
  it('are restored from a folder with the shared memory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avmkit-others-'))
    try {
      const mover = await start({ folder })
      await mover.export('X', 'P', 3_000_000_000n)
      await mover.export('P', 'C', 2_000_000_000n)
      await mover.export('C', 'X', 1_000_000_000n)
      const moved = await mover.export('C', 'P', 4_000_000_000n)
      await mover.import('C', 'P', moved.utxos)
      node.pChain.fund({ address: others[0]!.address, amount: 5n, stakeableLocktime: 1n })
      node.pChain.setFeeState({ capacity: 77n, excess: 88n })
      node.cChain.fund(account, 9n)
      node.cChain.setBaseFee(1234n)
      const digest = hex.encode(node.stateDigest())
      await node.close()
      const again = await start({ folder })
      expect(hex.encode(node.stateDigest())).toBe(digest)
      expect(node.pChain.feeState()).toEqual({ capacity: 77n, excess: 88n, price: 1n })
      expect(await again.c.eth.baseFee()).toBe(1234n)
      expect(await again.pUTXOs('X')).toHaveLength(1)
      expect(await again.cUTXOs('P')).toHaveLength(1)
      expect(await again.xUTXOs('C')).toHaveLength(1)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('are restored from a snapshot together with X', async () => {
    const mover = await start()
    const snapshot = node.snapshot()
    const digest = hex.encode(node.stateDigest())
    const before = await mover.balance('C')
    const { utxos } = await mover.export('P', 'C', 2_000_000_000n)
    await mover.import('P', 'C', utxos)
    await mover.export('C', 'X', 1_000_000_000n)
    expect(hex.encode(node.stateDigest())).not.toBe(digest)
    node.restore(snapshot)
    expect(hex.encode(node.stateDigest())).toBe(digest)
    expect(await mover.balance('C')).toBe(before)
    expect(await mover.xUTXOs('C')).toEqual([])
    // The same export is possible once more.
    await mover.export('P', 'C', 2_000_000_000n)
  })

  it('lose only pending transactions in a restart', async () => {
    const mover = await start({ blocks: 'manual' })
    const bytes = cExport(1_000_000_000n, 1n)
    const { result } = await issue('/ext/bc/C/avax', 'avax.issueTx', bytes)
    const txID = result!.txID
    expect((await mover.c.avax.getAtomicTxStatus({ txID })).status).toBe('Processing')
    node.restart()
    expect((await mover.c.avax.getAtomicTxStatus({ txID })).status).toBe('Unknown')
    await issue('/ext/bc/C/avax', 'avax.issueTx', bytes)
    expect(node.cChain.produceBlock()).toBe(1)
    node.restart()
    expect(await mover.c.avax.getAtomicTx({ txID })).toMatchObject({ blockHeight: 1n })
  })

  it('print lists of the genesis as [] after a restart, and as null before', async () => {
    await start()
    const firstBlock = async () =>
      JSON.stringify(
        await post('/ext/bc/X', {
          jsonrpc: '2.0',
          id: 1,
          method: 'avm.getBlockByHeight',
          params: { height: 0, encoding: 'json' },
        }),
      )
    expect(await firstBlock()).toContain('"txs":null')
    node.restart()
    expect(await firstBlock()).toContain('"txs":[]')
  })

  it('show their heights in the metrics', async () => {
    const mover = await start()
    await mover.export('P', 'X', 1_000_000_000n)
    const response = await node.fetch('http://localhost/ext/metrics')
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(await response.text()).toContain('avalanche_snowman_last_accepted_height{chain="P"} 1\n')
  })
})

describe('the C-Chain', () => {
  it('follows Helicon from the date of the network', async () => {
    const endOf = async (networkID: number, now: number) => {
      node = await createDevNode({ networkID, now })
      const { hrp } = node.context
      const reply = (await post('/ext/bc/C/avax', {
        jsonrpc: '2.0',
        id: 1,
        method: 'avax.getUTXOs',
        params: { addresses: [], sourceChain: 'X' },
      })) as { result?: object; error?: object }
      await node.close()
      return [hrp, reply.error === undefined]
    }
    expect(await endOf(5, 1_785_250_799)).toEqual(['fuji', false])
    expect(await endOf(5, 1_785_250_800)).toEqual(['fuji', true])
    expect(await endOf(1, 1_790_089_199)).toEqual(['avax', false])
    expect(await endOf(1, 1_790_089_200)).toEqual(['avax', true])
    expect(await endOf(12345, 1_900_000_000)).toEqual(['local', false])
    await start()
  })

  it('ends pages with the first UTXO of the next one since Helicon, and then with the terminal index', async () => {
    const mover = await start({ helicon: true })
    for (const amount of [1_000_000n, 2_000_000n, 3_000_000n]) await mover.export('P', 'C', amount)
    const ask = (limit: number, startIndex?: { address: string; utxo: string }) =>
      mover.c.avax.getUTXOs({
        addresses: keys.addresses,
        sourceChain: 'P',
        limit,
        ...(startIndex === undefined ? {} : { startIndex }),
      })
    const all = (await ask(1024)).utxos
    expect(all).toHaveLength(3)
    // With a limit of 1 the walk advances, and repeats nothing.
    const walked: string[] = []
    let page = await ask(1)
    for (let i = 0; i < 3; i++) {
      walked.push(...page.utxos)
      page = await ask(1, page.endIndex)
    }
    expect(walked).toEqual(all)
    const terminal = (await ask(3)).endIndex
    const address = formatAddress({
      chain: 'C',
      hrp: 'local',
      address: new Uint8Array(20).fill(255),
    })
    expect(terminal).toEqual({ address, utxo: formatID(new Uint8Array(32).fill(255)) })
    expect(await ask(3, terminal)).toMatchObject({
      numFetched: 0,
      utxos: [],
      endIndex: {
        address: formatAddress({ chain: 'C', hrp: 'local', address: new Uint8Array(20) }),
        utxo: formatID(new Uint8Array(32)),
      },
    })
  })

  // Recorded on avalanchego (commit 1cf1fc3d, network local) after Helicon; amounts are those of this test.
  it('answers with the messages of the node since Helicon', async () => {
    const mover = await start({ helicon: true })
    const own = mover.addressOn('C')
    const message = async (method: string, params: object) => {
      const body = { jsonrpc: '2.0', id: 1, method: `avax.${method}`, params }
      const { error, result } = (await post('/ext/bc/C/avax', body)) as {
        error?: { message: string }
        result?: unknown
      }
      return error?.message ?? result
    }
    const none = { txID: '11111111111111111111111111111111LpoYY', encoding: 'hex' }
    expect(await message('getAtomicTx', none)).toBe('fetching tx: reading tx: not found')
    expect(await message('getAtomicTxStatus', none)).toEqual({ status: 'Unknown' })
    const bytes = cExport(1_000_000_000n, 1n)
    const { result } = await issue('/ext/bc/C/avax', 'avax.issueTx', bytes)
    expect(await message('getAtomicTx', { txID: result!.txID, encoding: 'json' })).toBe(
      'encoding tx: encoding tx: unsupported encoding in method',
    )
    const pages = (params: object) =>
      message('getUTXOs', { addresses: [own], sourceChain: 'X', encoding: 'hex', ...params })
    expect(await pages({ sourceChain: '' })).toBe(
      'parsing source chainID "": there is no ID with alias: ',
    )
    expect(await pages({ addresses: [mover.addressOn('X')] })).toBe(
      'parsing address "X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u": expected chainID "2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC" but got "2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed"',
    )
    expect(await pages({ startIndex: { address: 'nope', utxo: 'nope' } })).toBe(
      'parsing start address "nope": no separator found in address',
    )
    const refused = async (tx: Uint8Array) =>
      (await issue('/ext/bc/C/avax', 'avax.issueTx', tx)).error!.message
    expect(await refused(bytes)).toBe(
      `issuing tx: state verification: nonce mismatch: address ${account} has nonce 1 but needs 0`,
    )
    expect(await refused(cExport(900_000_000_000_000_000n, 1n, 1n))).toBe(
      `issuing tx: state verification: insufficient funds: address ${account} has balance 49999998999999999000000000 but needs 900000000000000001000000000`,
    )
  })

  it('rejects a fee below the base fee before Helicon, and keeps it pending after', async () => {
    await start({ helicon: false })
    node.cChain.setBaseFee(50_000_000_000n)
    const cheap = () => cExport(1_000_000_000n, 25_000_000_000n)
    const refused = await issue('/ext/bc/C/avax', 'avax.issueTx', cheap())
    expect(refused.error!.message).toBe('export tx flow check failed due to: insufficient funds')
    await node.close()
    const mover = await start({ helicon: true })
    node.cChain.setBaseFee(50_000_000_000n)
    const bytes = cheap()
    const txID = cChain.txID(bytes)
    expect((await issue('/ext/bc/C/avax', 'avax.issueTx', bytes)).error).toBeUndefined()
    expect((await mover.c.avax.getAtomicTxStatus({ txID })).status).toBe('Unknown')
    node.cChain.setBaseFee(25_000_000_000n)
    expect((await mover.c.avax.getAtomicTxStatus({ txID })).status).toBe('Accepted')
  })

  it('answers batches and rejects invalid arguments of the Ethereum API', async () => {
    await start()
    const call = (method: string, params: unknown = []) => ({
      jsonrpc: '2.0',
      id: 7,
      method,
      params,
    })
    expect(await post('/ext/bc/C/rpc', [call('eth_chainId'), call('eth_blockNumber')])).toEqual([
      { jsonrpc: '2.0', id: 7, result: '0xa868' },
      { jsonrpc: '2.0', id: 7, result: '0x0' },
    ])
    const codeOfCall = async (body: unknown) =>
      ((await post('/ext/bc/C/rpc', body)) as { error?: { code: number } }).error?.code
    expect(await codeOfCall('{')).toBe(-32700)
    expect(await codeOfCall([])).toBe(-32600)
    expect(await codeOfCall(call('eth_nothing'))).toBe(-32601)
    expect(await codeOfCall(call('eth_getBalance', ['8db9', 'latest']))).toBe(-32602)
    expect(await codeOfCall(call('eth_getBalance', [`${account}00`, 'latest']))).toBe(-32602)
    expect(await codeOfCall(call('eth_getBalance', [account]))).toBe(-32602)
    expect(await codeOfCall(call('eth_getBalance', { address: account }))).toBe(-32602)
    // The node accepts a wrong checksum.
    const wrong = account.toLowerCase().replace(/[a-f]/, (letter) => letter.toUpperCase())
    expect(await codeOfCall(call('eth_getBalance', [wrong, 'latest']))).toBeUndefined()
  })
})

describe('the P-Chain', () => {
  it('includes what waits for capacity once there is enough', async () => {
    const mover = await start({ blocks: 'real', blockTimeMs: 10 })
    const ids: string[] = []
    const export1 = async (utxo: pChain.UTXO) => {
      const draft = pChain.buildExport({
        context: node.context,
        funds: { utxos: [utxo], owners: keys.addresses, now: node.now() },
        ...{ fees, destinationChain: 'X', outputs: [{ to: mover.addressOn('X'), amount: 1n }] },
      })
      const { bytes } = requireSigned(signDraft(draft, keys))
      const { result } = await issue('/ext/bc/P', 'platform.issueTx', bytes)
      ids.push(result!.txID)
    }
    const statuses = () =>
      Promise.all(ids.map(async (txID) => (await mover.p.platform.getTxStatus({ txID })).status))
    for (const amount of [1n, 2n, 3n])
      node.pChain.fund({ address: ewoq.address, amount: amount * 1_000_000_000n })
    const utxos = (await mover.pUTXOs()).slice(0, 3)
    await export1(utxos[0]!)
    await expect.poll(statuses).toEqual(['Committed'])
    const { capacity } = node.pChain.feeState()
    const gas = pChain.DEFAULT_PRICE_CONFIG.maxCapacity - capacity
    // Enough for one; the clock stands still, so that nothing refills it.
    node.pChain.setFeeState({ capacity: gas + gas / 2n, excess: 0n })
    await export1(utxos[1]!)
    await export1(utxos[2]!)
    await expect.poll(statuses).toEqual(['Committed', 'Committed', 'Processing'])
    await setTimeout(50)
    node.setTime(NOW + 60)
    await expect.poll(statuses).toEqual(['Committed', 'Committed', 'Committed'])
  })

  it('rejects more gas than the current capacity, and accepts it later', async () => {
    const mover = await start()
    node.pChain.setFeeState({ capacity: 0n, excess: 0n })
    await mover.export('P', 'X', 1_000_000_000n)
    // The clock stands still, so that nothing refills the capacity.
    node.pChain.setFeeState({ capacity: 5000n, excess: 0n })
    await expect(mover.export('P', 'X', 1_000_000_000n)).rejects.toMatchObject({
      code: 'GAS_ABOVE_CAPACITY',
      class: 'retry-later',
      remembered: true,
    })
    node.setTime(NOW + 1)
    await mover.export('P', 'X', 1_000_000_001n)
  })

  it('rejects a fee below the price, and reports the missing amount', async () => {
    const mover = await start()
    node.pChain.setFeeState({ capacity: 1_000_000n, excess: 0n })
    await mover.export('P', 'X', 1_000_000_000n)
    node.pChain.setFeeState({ capacity: 1_000_000n, excess: 1_500_003n })
    expect(node.pChain.feeState().price).toBe(2n)
    const draft = pChain.buildExport({
      context: networks.local,
      funds: { utxos: await mover.pUTXOs(), owners: keys.addresses, now: BigInt(NOW) },
      fees,
      destinationChain: 'X',
      outputs: [{ to: ewoq.text, amount: 1_000_000_000n }],
    })
    const { bytes } = requireSigned(signDraft(draft, keys))
    const { error } = await issue('/ext/bc/P', 'platform.issueTx', bytes)
    expect(error!.message).toContain('insufficient unlocked funds: needs 5215 more')
  })

  it('checks the arguments of its controls', async () => {
    await start()
    expect(codeOf(() => node.pChain.fund({ address: ewoq.address, amount: 0n }))).toBe(
      'ENC_INVALID',
    )
    expect(codeOf(() => node.pChain.setFeeState({ capacity: -1n, excess: 0n }))).toBe('ENC_INVALID')
    expect(codeOf(() => node.cChain.setBaseFee(-1n))).toBe('ENC_INVALID')
    expect(codeOf(() => node.cChain.fund('0x00', 1n))).toBe('ENC_WRONG_LENGTH')
    expect(codeOf(() => node.pChain.fund({ address: 'X-local1', amount: 1n }))).toMatch(/^ENC_/)
  })
})
