import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networks } from '../../src/core/chain/networks.ts'
import { UTXOSet } from '../../src/core/coins/utxo-set.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { buildTransfer } from '../../src/core/draft/x/transfer.ts'
import { requireSigned, type Signed } from '../../src/core/sign/job.ts'
import { signDraft } from '../../src/core/sign/sign.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import {
  createDataClient,
  createMetricsClient,
  createNodeClient,
  type NodeClient,
} from '../../src/node/index.ts'
import { fakeClock } from './fake-clock.ts'
import { readOnlySuite } from './read-only.ts'

// The key of the local network's genesis, published with the node.
const keys = new KeyChain(['PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'])
const url = 'http://node.test'

let node: DevNode
let client: NodeClient
beforeAll(async () => {
  node = await createDevNode({ now: 1_700_000_000, blocks: 'manual' })
  client = createNodeClient({ url, fetch: node.fetch, clock: fakeClock() })
})
afterAll(() => node.close())

/** A payment with a unique amount, so that no two transactions are equal. */
let amount = 1_000n
async function payment(): Promise<Signed> {
  const utxos = new UTXOSet()
  for await (const page of client.utxoPages({ addresses: keys.addresses })) utxos.add(page)
  const owners = keys.addresses
  const draft = buildTransfer({
    context: await client.context(),
    funds: { utxos, owners, now: 1_700_000_000n },
    outputs: [{ to: 'X-local1fc6vufl9stvv7zwz6qvw289x7klwl36z8jqacc', amount: amount++ }],
    changeTo: owners[0]!,
  })
  return requireSigned(signDraft(draft, keys))
}

describe('reading from the development node', () => {
  readOnlySuite(() => client)

  it('gives the built-in context of its network', async () => {
    expect(await client.context()).toEqual(networks.local)
  })

  it('reads its metrics and data APIs', async () => {
    const metrics = createMetricsClient({ url, fetch: node.fetch })
    const data = createDataClient({ url, fetch: node.fetch })
    expect(await metrics.healthCheck()).toMatchObject({ healthy: true })
    expect(await data.healthCheck()).toMatchObject({ healthy: true })
    expect(await data.liveCheck()).toMatchObject({ healthy: true })
    expect((await data.chains()).length).toBeGreaterThan(0)
  })
})

describe('issuing to the development node', () => {
  it('is pending until it is in a block, then accepted', async () => {
    const { bytes, txID, signedTx } = await payment()
    expect(await client.issueTx(bytes)).toEqual({ status: 'pending', txID })
    expect(await client.issueTx(signedTx)).toEqual({ status: 'pending', txID })
    node.produceBlock()
    expect(await client.waitForTx(txID)).toEqual({ status: 'accepted', txID, tx: signedTx })
    // The node reports missing inputs although it has accepted the transaction.
    expect(await client.issueTx(bytes)).toEqual({ status: 'accepted', txID })
  })

  it.each(['bad-gateway', 'lost'] as const)(
    'is unknown after %s, and found by waiting',
    async (kind) => {
      const { bytes, txID } = await payment()
      const disarm = node.injectFault({ kind, on: 'avm.issueTx' })
      await expect(client.issueTx(bytes)).rejects.toMatchObject({ code: 'TX_UNKNOWN', txID })
      disarm()
      node.produceBlock()
      expect(await client.waitForTx(bytes)).toMatchObject({ status: 'accepted', txID })
    },
  )

  it('is issued again after it was dropped', async () => {
    const { bytes, txID } = await payment()
    node.injectFault({ kind: 'vanished' })
    expect(await client.issueTx(bytes)).toEqual({ status: 'pending', txID })
    const clock = fakeClock()
    const sent: string[] = []
    const waiting = createNodeClient({
      url,
      clock,
      fetch: (address, init) => node.fetch(address, init),
      onAttempt: ({ method, outcome }) => {
        if (method !== 'avm.issueTx') return
        sent.push(outcome)
        node.produceBlock()
      },
    })
    expect(await waiting.waitForTx(bytes)).toMatchObject({ status: 'accepted', txID })
    expect(sent).toEqual(['ok'])
  })

  it('is rejected after a conflicting transaction, with a hint', async () => {
    const first = await payment()
    const rival = await payment()
    await client.issueTx(first.bytes)
    await expect(client.issueTx(rival.bytes)).rejects.toMatchObject({
      code: 'MEMPOOL_CONFLICT',
      class: 'rebuild',
      status: 'rejected',
    })
    node.produceBlock()
    // The node repeats the remembered answer, although the conflict is decided.
    await expect(client.waitForTx(rival.bytes)).rejects.toMatchObject({
      code: 'MEMPOOL_CONFLICT',
      remembered: true,
    })
  })

  it('fails on a damaged page, and completes a restarted listing', async () => {
    node.injectFault({ kind: 'bad-checksum', on: 'avm.getUTXOs' })
    const walk = async () => {
      let found = 0
      for await (const { utxos } of client.utxoPages({ addresses: keys.addresses, pageSize: 2 }))
        found += utxos.length
      return found
    }
    await expect(walk()).rejects.toMatchObject({ code: 'REPLY_BAD_UTXO' })
    for (let i = 0; i < 9; i++) node.fund(keys.addresses[0]!, 5n)
    const all = await walk()
    expect(all).toBeGreaterThan(1)
    node.injectFault({ kind: 'restarted-walk', on: 'avm.getUTXOs', after: 1 })
    expect(await walk()).toBe(all)
  })
})
