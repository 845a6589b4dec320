import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { checkedHex } from 'avmkit'
import { AddressSet, createNodeClient } from 'avmkit/client'
import { blockID, decodeBlock, encodeBlock } from 'avmkit/codec'
import { baseTx } from './lib/fixtures.js'
import { memoryOf, row } from './lib/harness.js'

const BLOCKS = 200
const TXS = 100
const ROUNDS = 15
const IN_FLIGHT = 16
const ADDRESSES = 100_000
const SERVE = 'serve-blocks'

const watched = new Uint8Array(20).fill(7)

// The server runs in a separate process, so that its processor time is not counted.
if (process.argv[2] === SERVE && process.send !== undefined) serve()

/** Rows `wallet follower …`: catching up on blocks of 100 transactions. */
export async function* follow() {
  const server = fork(fileURLToPath(import.meta.url), [SERVE])
  const url = await new Promise((resolve) => server.once('message', resolve))
  try {
    const texts = await Promise.all(Array.from({ length: BLOCKS }, (_, i) => ask(url, i)))
    const blocks = texts.map((text) => checkedHex.decode(JSON.parse(text).result.block))
    const addresses = randomAddresses(ADDRESSES - 1).add(watched)
    const best = await race({
      ours: () => catchUp(url, { addresses, utxos: [] }, BLOCKS),
      txs: () => catchUp(url, {}, 0),
      all: () => catchUp(url, {}, 2 * TXS * BLOCKS),
      floor: () => floor(url),
      decode: () => {
        for (const bytes of blocks) decodeBlock(bytes)
      },
    })
    const name = `wallet follower: ${BLOCKS} blocks of ${TXS} transactions, CPU time`
    const rivalName = 'fetch, JSON.parse, checkedHex.decode and decodeBlock'
    const details = { unit: 'ms', rival: best.floor, rivalName }
    const watching = `${name}, ${ADDRESSES} addresses watched`
    yield row({ ...details, name: watching, ours: best.ours, atMost: 1.5 })
    yield row({ ...details, name: `${name}, transactions only`, ours: best.txs, atMost: 1.5 })
    yield row({ ...details, name: `${name}, all UTXOs reported`, ours: best.all, cost: true })
    yield row({
      name: `${watching}, against decoding alone`,
      unit: 'ms',
      ours: best.ours,
      rival: best.decode,
      rivalName: 'decodeBlock',
      cost: true,
    })
    const { bytes } = await memoryOf(() => randomAddresses(1_000_000))
    const perAddress = bytes / 1_000_000
    yield row({
      name: 'wallet follower: memory of 1000000 watched addresses, each',
      unit: 'bytes',
      ours: perAddress,
      limit: 45,
    })
  } finally {
    server.kill()
  }
}

function randomAddresses(count) {
  const addresses = new AddressSet()
  for (let i = 0; i < count; i++) addresses.add(new Uint8Array(randomBytes(20)))
  return addresses
}

/** Reads all blocks, and the UTXOs that they create if some are expected. */
async function catchUp(url, options, expected) {
  const client = createNodeClient({ url })
  let created = 0
  for await (const block of client.blocks({ from: 0n, ...options })) {
    if (expected > 0) created += block.created.length
    if (block.height === BigInt(BLOCKS - 1)) break
  }
  if (created !== expected) throw new Error(`found ${created} of ${expected} UTXOs`)
}

async function ask(url, height) {
  const params = { height: String(height), encoding: 'hex' }
  const response = await fetch(`${url}/ext/bc/X`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: height, method: 'avm.getBlockByHeight', params }),
  })
  return response.text()
}

/** The minimum for any client, with the same number of concurrent requests: request, parse and decode each block. */
async function floor(url) {
  for (let from = 0; from < BLOCKS; from += IN_FLIGHT)
    await Promise.all(
      Array.from({ length: Math.min(IN_FLIGHT, BLOCKS - from) }, async (_, i) => {
        const { result } = JSON.parse(await ask(url, from + i))
        decodeBlock(checkedHex.decode(result.block))
      }),
    )
}

/** Runs the contestants in turns, and returns the best round of each: milliseconds of processor time of this process. */
async function race(contestants) {
  const best = {}
  const names = Object.keys(contestants)
  for (let round = 0; round <= ROUNDS; round++) {
    // Each contestant also collects the garbage of the previous one, so the order changes every round.
    names.push(names.shift())
    if (round % names.length === 0) names.reverse()
    for (const name of names) {
      const before = process.cpuUsage()
      await contestants[name]()
      const { user, system } = process.cpuUsage(before)
      // The first rounds warm up.
      const past = round < 2 ? Number.POSITIVE_INFINITY : best[name]
      best[name] = Math.min(past, (user + system) / 1000)
    }
  }
  return best
}

/** Answers `avm.getBlockByHeight`; one output of each block belongs to the watched address. */
function serve() {
  const bodies = []
  let parentID = new Uint8Array(32)
  for (let height = 0; height < BLOCKS; height++) {
    const txs = Array.from({ length: TXS }, () => baseTx(2, 2))
    txs[height % TXS].unsignedTx.outputs[0].output.addresses = [watched]
    const bytes = encodeBlock({
      type: 'StandardBlock',
      parentID,
      height: BigInt(height),
      time: 1_700_000_000n,
      merkleRoot: new Uint8Array(32),
      txs,
    })
    parentID = blockID(bytes)
    const result = { block: checkedHex.encode(bytes), encoding: 'hex' }
    bodies.push(Buffer.from(`{"jsonrpc":"2.0","result":${JSON.stringify(result)},"id":`))
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { id, params } = JSON.parse(text)
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
    const body = bodies[Number(params.height)]
    const message = `couldn't get block at height ${params.height}: not found`
    const error = JSON.stringify({ code: -32000, message, data: null })
    // Two writes make the response chunked, as the node sends answers of this size.
    response.write(body ?? `{"jsonrpc":"2.0","error":${error},"id":`)
    response.end(`${id}}\n`)
  })
  server.listen(0, '127.0.0.1', () => {
    process.send(`http://127.0.0.1:${server.address().port}`)
  })
}
