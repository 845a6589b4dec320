import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkedHex, encodeTx, KeyChain, parseAmount, signHash } from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { fileStore } from 'avmkit/store'
import { createWallet } from 'avmkit/wallet'
import { loadWasmBackend } from 'avmkit/wasm'
import { baseTx } from './lib/fixtures.js'
import { row } from './lib/harness.js'

const ROUNDS = 5
/** Maximum cost of a payment, by the number of payments in flight: the fewer, the more requests read blocks. */
const CASES = [
  { concurrent: 60, payments: 2000, atMost: 2.5 },
  { concurrent: 16, payments: 800, atMost: 4 },
]
const SERVE = 'serve a node'

const secret = new Uint8Array(32).fill(5)
const receiver = new Uint8Array(20).fill(9)
const networkID = 4_242

// The node runs in a separate process, so that its processor time is not counted.
if (process.argv[2] === SERVE && process.send !== undefined) await serve(Number(process.argv[3]))

/** Rows `wallet payments …`: single payments with keys and a file store, on a node at the real block pace. */
export async function* payments() {
  for (const { concurrent, payments, atMost } of CASES) {
    const rounds = await measured(concurrent, payments)
    const ratios = rounds.map(({ cpu, floor }) => cpu / floor).sort((a, b) => a - b)
    const { cpu, floor } = rounds.find((one) => one.cpu / one.floor === ratios[ROUNDS >> 1])
    const name = `wallet payments: ${payments} with keys, ${concurrent} concurrent, file store`
    if (concurrent === 60)
      yield row({
        name: `${name}, each`,
        unit: 'requests',
        ours: Math.max(...rounds.map(({ requests }) => requests)) / payments,
        limit: 1.5,
      })
    yield row({
      name: `${name}, CPU time of each, ${ratios[0].toFixed(2)} to ${ratios.at(-1).toFixed(2)} in ${ROUNDS} rounds`,
      unit: 'µs',
      ours: cpu,
      rival: floor,
      rivalName: 'one signature and one fetch',
      atMost,
    })
  }
}

/** CPU times of payments and of what they need at least, which take turns. */
async function measured(concurrent, payments) {
  const backend = await loadWasmBackend()
  const keys = new KeyChain([secret], { backend })
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-bench-'))
  const rounds = []
  try {
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      const server = fork(fileURLToPath(import.meta.url), [SERVE, String(payments)])
      try {
        const url = await new Promise((resolve) => server.once('message', resolve))
        const flow = { concurrent, payments }
        const paid = await pay(url, keys, backend, join(folder, `${round}.store`), flow)
        const least = await floor(url, backend, flow)
        if (round > 0) rounds.push({ ...paid, floor: least })
      } finally {
        server.kill()
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return rounds
}

/** CPU time in microseconds of one payment, and the number of requests of all. */
async function pay(url, keys, backend, path, flow) {
  let requests = 0
  const client = createNodeClient({
    url,
    fetch: (...args) => {
      requests++
      return fetch(...args)
    },
  })
  const store = fileStore(path)
  const wallet = createWallet({ client, keys, store, backend })
  const cpu = await cpuOfEach(flow, async (number) => {
    const call = { to: receiver, amount: BigInt(1000 + number) }
    await wallet.transfer(call, { key: `payment-${number}` })
  })
  await store.close()
  return { cpu, requests }
}

/** CPU time in microseconds of one signature and one plain request with a transaction of the same size. */
async function floor(url, backend, flow) {
  const tx = checkedHex.encode(encodeTx(baseTx(1, 2)))
  const hash = new Uint8Array(randomBytes(32))
  return cpuOfEach(flow, async (id) => {
    signHash(hash, secret, { backend })
    const params = { tx, encoding: 'hex' }
    const response = await fetch(`${url}/ext/bc/X`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'avm.issueTx', params }),
    })
    await response.text()
  })
}

/** Processor time of this process, in microseconds per payment. */
async function cpuOfEach({ concurrent, payments }, pay) {
  const before = process.cpuUsage()
  let next = 0
  const worker = async () => {
    while (next < payments) await pay(next++)
  }
  await Promise.all(Array.from({ length: concurrent }, worker))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / payments
}

async function serve(payments) {
  const address = new KeyChain([secret]).addresses[0]
  const allocation = { address, amount: parseAmount('1') }
  const allocations = Array(2 * payments).fill(allocation)
  const backend = await loadWasmBackend()
  const node = await createDevNode({ networkID, allocations, blocks: 'real', backend })
  process.send((await node.listen()).url)
}
