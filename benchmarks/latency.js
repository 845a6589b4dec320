import { fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { formatID, KeyChain, parseAmount, txID } from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { createWallet } from 'avmkit/wallet'
import { loadWasmBackend } from 'avmkit/wasm'
import { row } from './lib/harness.js'

const PAYMENTS = 500
const CONCURRENT = 16
const PROBE_MS = 5
const SERVE = 'serve a node'
const networkID = 4_242
const secret = new Uint8Array(32).fill(5)
const receiver = new Uint8Array(20).fill(9)

// The node runs in a separate process, so that its work does not delay the wallet.
if (process.argv[2] === SERVE && process.send !== undefined) await serve()

/** Row `wallet latency`: how long after a block is accepted the wallet knows the outcome of a payment in it. */
export async function* latency() {
  const server = fork(fileURLToPath(import.meta.url), [SERVE])
  try {
    const url = await new Promise((resolve) => server.once('message', resolve))
    const stop = new AbortController()
    const probing = probe(url, stop.signal)
    const known = await outcomes(url)
    stop.abort()
    const seen = await probing
    const delays = []
    for (const [height, time] of seen) {
      const { txs } = await createNodeClient({ url }).avm.getBlockByHeight({ height })
      for (const tx of txs) delays.push(known.get(formatID(txID(tx))) - time)
    }
    if (delays.length !== PAYMENTS) throw new Error(`${delays.length} payments are in blocks`)
    delays.sort((a, b) => a - b)
    yield row({
      name: `wallet latency: outcome after the block, 95th percentile of ${PAYMENTS} payments, ${CONCURRENT} concurrent`,
      unit: 'ms',
      ours: delays[Math.floor(PAYMENTS * 0.95)],
      limit: 60,
    })
  } finally {
    server.kill()
  }
}

/** When each height was first reported, in milliseconds of this process. */
async function probe(url, signal) {
  const { avm } = createNodeClient({ url })
  const seen = new Map()
  for (let last = 0n; !signal.aborted; ) {
    const height = await avm.getHeight()
    for (; last < height; last++) seen.set(last + 1n, performance.now())
    await sleep(PROBE_MS)
  }
  return seen
}

/** When the outcome of each payment was known, by the ID of its transaction. */
async function outcomes(url) {
  const backend = await loadWasmBackend()
  const keys = new KeyChain([secret], { backend })
  const wallet = createWallet({ client: createNodeClient({ url }), keys, backend })
  const known = new Map()
  let next = 0
  const pay = async () => {
    while (next < PAYMENTS) {
      const receipt = await wallet.transfer({ to: receiver, amount: BigInt(1000 + next++) })
      known.set(formatID(receipt.txID), performance.now())
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, pay))
  return known
}

async function serve() {
  const address = new KeyChain([secret]).addresses[0]
  const allocations = Array(2 * PAYMENTS).fill({ address, amount: parseAmount('1') })
  const backend = await loadWasmBackend()
  const node = await createDevNode({ networkID, allocations, blocks: 'real', backend })
  process.send((await node.listen()).url)
}
