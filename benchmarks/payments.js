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

const PAYMENTS = 2000
const CONCURRENT = 60
const ROUNDS = 3
const SERVE = 'serve a node'

const secret = new Uint8Array(32).fill(5)
const receiver = new Uint8Array(20).fill(9)
const networkID = 4_242

// The node runs in a separate process, so that its processor time is not counted.
if (process.argv[2] === SERVE && process.send !== undefined) await serve()

/** Rows `wallet payments …`: single payments with keys and a file store, on a node at the real block pace. */
export async function* payments() {
  const backend = await loadWasmBackend()
  const keys = new KeyChain([secret], { backend })
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-bench-'))
  const best = { payment: Number.POSITIVE_INFINITY, floor: Number.POSITIVE_INFINITY }
  let requests = 0
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const server = fork(fileURLToPath(import.meta.url), [SERVE])
      try {
        const url = await new Promise((resolve) => server.once('message', resolve))
        const paid = await pay(url, keys, backend, join(folder, `${round}.store`))
        // The first round warms up.
        if (round === 0) continue
        requests = Math.max(requests, paid.requests)
        best.payment = Math.min(best.payment, paid.cpu)
        best.floor = Math.min(best.floor, await floor(url, backend))
      } finally {
        server.kill()
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  const name = `wallet payments: ${PAYMENTS} with keys, ${CONCURRENT} concurrent, file store`
  yield row({
    name: `${name}, each`,
    unit: 'requests',
    ours: requests / PAYMENTS,
    limit: 1.5,
  })
  yield row({
    name: `${name}, CPU time of each`,
    unit: 'µs',
    ours: best.payment,
    rival: best.floor,
    rivalName: 'one signature and one fetch',
    atMost: 3,
  })
}

/** CPU time in microseconds of one payment, and the number of requests of all. */
async function pay(url, keys, backend, path) {
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
  let next = 0
  const cpu = await cpuTime(() =>
    concurrently(async () => {
      while (next < PAYMENTS) {
        const number = next++
        const call = { to: receiver, amount: BigInt(1000 + number) }
        await wallet.transfer(call, { key: `payment-${number}` })
      }
    }),
  )
  await store.close()
  return { cpu, requests }
}

/** CPU time in microseconds of one signature and one plain request with a transaction of the same size. */
async function floor(url, backend) {
  const tx = checkedHex.encode(encodeTx(baseTx(1, 2)))
  const hash = new Uint8Array(randomBytes(32))
  let next = 0
  return cpuTime(() =>
    concurrently(async () => {
      while (next < PAYMENTS) {
        const id = next++
        signHash(hash, secret, { backend })
        const params = { tx, encoding: 'hex' }
        const response = await fetch(`${url}/ext/bc/X`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id, method: 'avm.issueTx', params }),
        })
        await response.text()
      }
    }),
  )
}

function concurrently(work) {
  return Promise.all(Array.from({ length: CONCURRENT }, work))
}

/** Processor time of this process, in microseconds per payment. */
async function cpuTime(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / PAYMENTS
}

async function serve() {
  const address = new KeyChain([secret]).addresses[0]
  const allocation = { address, amount: parseAmount('1') }
  const allocations = Array(2 * PAYMENTS).fill(allocation)
  const backend = await loadWasmBackend()
  const node = await createDevNode({ networkID, allocations, blocks: 'real', backend })
  process.send((await node.listen()).url)
}
