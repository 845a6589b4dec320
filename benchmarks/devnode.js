import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { Worker } from 'node:worker_threads'
import {
  addressOf,
  checkedHex,
  decodeTx,
  encodeTx,
  formatAddress,
  networks,
  publicKeyOf,
  signHash,
  txID,
} from 'avmkit'
import { encodeUnsignedTx, hashToSign } from 'avmkit/codec'
import { createDevNode } from 'avmkit/devnode'
import { loadWasmBackend } from 'avmkit/wasm'
import { memoryOf, row } from './lib/harness.js'

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i + 1)
const ADDRESS = addressOf(publicKeyOf(KEY))
const TEXT = formatAddress({ chain: 'X', hrp: 'local', address: ADDRESS })
const AMOUNT = 10n * networks.local.txFee
const { networkID, txFee } = networks.local

/** Rows `devnode …`: the development node over loopback HTTP, in a thread of its own. */
export default async function* devnode() {
  yield* transactions()
  yield* pages()
  yield* startUp()
  yield* memory()
}

/** Genesis allocations: `count` UTXOs of one owner. */
const allocations = (count) =>
  Array.from({ length: count }, () => ({ address: ADDRESS, amount: AMOUNT }))

function transferOf(context, outputIndex, outputs) {
  const unsignedTx = {
    type: 'BaseTx',
    networkID,
    blockchainID: context.chainID,
    outputs,
    inputs: [
      {
        txID: context.assetID,
        outputIndex,
        assetID: context.assetID,
        input: { type: 'secp256k1fx.TransferInput', amount: AMOUNT, signatureIndices: [0] },
      },
    ],
    memo: new Uint8Array(0),
  }
  const signature = signHash(hashToSign(unsignedTx), KEY)
  return encodeTx({
    unsignedTx,
    credentials: [{ type: 'secp256k1fx.Credential', signatures: [signature] }],
  })
}

const outputOf = (context, amount) => ({
  assetID: context.assetID,
  output: {
    type: 'secp256k1fx.TransferOutput',
    amount,
    locktime: 0n,
    threshold: 1,
    addresses: [ADDRESS],
  },
})

/** A node in a separate thread, so that the client's work is not counted as the node's. */
async function served(count) {
  const worker = new Worker(
    `import { parentPort, workerData } from 'node:worker_threads'
     import { createDevNode } from 'avmkit/devnode'
     const { address, amount, count } = workerData
     const allocations = Array.from({ length: count }, () => ({ address, amount }))
     const node = await createDevNode({ allocations })
     parentPort.postMessage(await node.listen())`,
    { eval: true, workerData: { address: ADDRESS, amount: AMOUNT, count } },
  )
  const { url } = await new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return { url, stop: () => worker.terminate() }
}

function post(agent, url, body) {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { 'content-type': 'application/json' } }
    const sent = request(`${url}/ext/bc/X`, options, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks).toString()))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const call = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Sends all bodies over a few connections, and returns the microseconds per request. */
async function timed(url, bodies, check) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  let next = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (next < bodies.length) check(await post(agent, url, bodies[next++]))
    }),
  )
  const elapsed = performance.now() - start
  agent.destroy()
  return (1000 * elapsed) / bodies.length
}

async function* transactions() {
  const rounds = 25
  const each = 40
  const node = await createDevNode({ allocations: allocations(rounds * each) })
  const { context } = node
  await node.close()
  const txs = Array.from({ length: rounds * each }, (_, i) =>
    transferOf(context, i, [outputOf(context, AMOUNT - txFee)]),
  )
  const signatures = txs.map((bytes) => {
    const { unsignedTx, credentials } = decodeTx(bytes)
    return [hashToSign(encodeUnsignedTx(unsignedTx)), credentials[0].signatures[0]]
  })
  const bodies = txs.map((bytes) => call('avm.issueTx', { tx: checkedHex.encode(bytes) }))
  const backend = await loadWasmBackend()
  const { url, stop } = await served(rounds * each)
  let ours = Number.POSITIVE_INFINITY
  let rival = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds; i++) {
    const part = (list) => list.slice(i * each, (i + 1) * each)
    const start = performance.now()
    for (const [hash, signature] of part(signatures)) backend.recover(hash, signature)
    rival = Math.min(rival, (1000 * (performance.now() - start)) / each)
    const took = await timed(url, part(bodies), (reply) => {
      if (!reply.includes('"txID"')) throw new Error(reply)
    })
    ours = Math.min(ours, took)
  }
  const agent = new Agent()
  const last = JSON.parse(await post(agent, url, call('avm.getHeight')))
  if (last.result.height !== String(rounds * each))
    throw new Error('not every transaction was accepted')
  agent.destroy()
  await stop()
  yield row({
    name: 'devnode transactions of one signature, verified and accepted, over HTTP',
    unit: 'µs',
    ours,
    rival,
    rivalName: 'one recovery by WebAssembly alone',
    atMost: 6,
  })
}

async function* pages() {
  const { url, stop } = await served(3 * 1024)
  const bodies = Array.from({ length: 40 }, () => call('avm.getUTXOs', { addresses: [TEXT] }))
  const check = (reply) => {
    if (!reply.includes('"numFetched":"1024"')) throw new Error(reply.slice(0, 200))
  }
  let ours = Number.POSITIVE_INFINITY
  for (let i = 0; i < 4; i++) ours = Math.min(ours, await timed(url, bodies, check))
  await stop()
  yield row({ name: 'devnode getUTXOs pages of 1024, over HTTP', unit: 'µs', ours })
}

async function* startUp() {
  const program = `import { request } from 'node:http'
    import { createDevNode } from 'avmkit/devnode'
    const node = await createDevNode()
    const { url } = await node.listen()
    const options = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const sent = request(url + '/ext/bc/X', options, (response) => {
      response.resume().on('end', () => {
        process.stdout.write(String(performance.now()))
        node.close()
      })
    })
    sent.end(${JSON.stringify(call('avm.getHeight'))})`
  let ours = Number.POSITIVE_INFINITY
  for (let i = 0; i < 9; i++) ours = Math.min(ours, Number(await outputOfProgram(program)))
  yield row({
    name: 'devnode from the start of the process to the first answer over HTTP',
    unit: 'ms',
    ours,
    limit: 300,
  })
}

function outputOfProgram(program) {
  return new Promise((resolve, reject) => {
    const args = ['--input-type=module', '-e', program]
    const child = spawn(process.execPath, args, {
      cwd: new URL('.', import.meta.url),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.on('exit', (code) => (code === 0 ? resolve(text) : reject(new Error(`exit ${code}`))))
  })
}

async function* memory() {
  const perTx = 700
  const count = Math.ceil(100_000 / perTx)
  const options = { allocations: allocations(count), blocks: 'manual' }
  const maker = await createDevNode(options)
  const outputs = Array.from({ length: perTx }, () => outputOf(maker.context, 1000n))
  const blocks = []
  for (let i = 0; i < count; i++) {
    const bytes = transferOf(maker.context, i, outputs)
    const body = call('avm.issueTx', { tx: checkedHex.encode(bytes) })
    const headers = { 'content-type': 'application/json' }
    await maker.fetch('http://node/ext/bc/X', { method: 'POST', headers, body })
    blocks.push(maker.produceBlock({ txIDs: [txID(bytes)] }))
  }
  await maker.close()
  const node = await createDevNode(options)
  const { bytes } = await memoryOf(() => {
    for (const block of blocks) node.acceptBlock(block)
    return node
  })
  await node.close()
  yield row({ name: 'devnode memory of 100 000 UTXOs held', unit: 'MB', ours: bytes / 1e6 })
}
