import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeTx, txID } from 'avmkit'
import { fileStore } from 'avmkit/store'
import { baseTx } from './lib/fixtures.js'
import { row } from './lib/harness.js'

const COUNT = 200_000
/** Payments per transaction, so that the file is made quickly. */
const BATCH = 1000
const ROUNDS = 7
const CONCURRENT = 60
const LOAD = 'load a store'

const binding = { networkID: 1, chainID: new Uint8Array(32).fill(7) }

// Each round runs in a new process: programs open a store once, before any code is optimized.
if (process.argv[2] === LOAD && process.send !== undefined) await load(process.argv[3])

/** Rows `wallet store …`: the file store. */
export async function* store() {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-bench-'))
  try {
    yield* completed(join(folder, 'completed.store'))
    yield* claims(join(folder, 'claims.store'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A claim of a signed transaction with one input that no other number has, and its acceptance. */
function claimOf(number, keys) {
  const { unsignedTx, credentials } = baseTx(1, 2)
  const [input] = unsignedTx.inputs
  const bytes = encodeTx({
    unsignedTx: { ...unsignedTx, inputs: [{ ...input, outputIndex: number }] },
    credentials,
  })
  // As large as that of a payment of one owner.
  const content = new Uint8Array(71)
  const payments = keys.map((key) => ({
    key,
    digest: txID(new TextEncoder().encode(key)),
    content,
  }))
  const claim = { kind: 'payment', payments, bytes, fromHeight: 0n }
  const inputs = [{ txID: input.txID, outputIndex: number }]
  return { claim, acceptance: { txID: txID(bytes), inputs } }
}

async function* completed(path) {
  const file = fileStore(path)
  await file.bind(binding)
  for (let start = 0; start < COUNT; start += BATCH) {
    const keys = Array.from(
      { length: BATCH },
      (_, i) => `payment-${String(start + i).padStart(6, '0')}`,
    )
    const { claim, acceptance } = claimOf(start, keys)
    await file.claim(claim)
    await file.recordAcceptance(acceptance)
  }
  await file.compact()
  await file.close()
  yield row({
    name: 'wallet store size per completed payment after compaction',
    unit: 'bytes',
    ours: statSync(path).size / COUNT,
    limit: 200,
  })

  let best = Number.POSITIVE_INFINITY
  let bestCPU = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const child = fork(fileURLToPath(import.meta.url), [LOAD, path])
    const { elapsed, cpu, count } = await new Promise((resolve) => child.once('message', resolve))
    if (count !== COUNT) throw new Error(`${count} of ${COUNT} payments were loaded`)
    best = Math.min(best, elapsed)
    bestCPU = Math.min(bestCPU, cpu)
  }
  yield row({
    name: 'wallet store load 200000 completed payments',
    unit: 'ms',
    ours: best,
    limit: 1000,
  })
  yield row({
    name: 'wallet store load 200000 completed payments, CPU time',
    unit: 'ms',
    ours: bestCPU,
  })
}

async function load(path) {
  const before = process.cpuUsage()
  const start = performance.now()
  const file = fileStore(path)
  await file.bind(binding)
  const elapsed = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  let count = 0
  for await (const { status } of file.list()) if (status === 'accepted') count++
  await file.close()
  process.send({ elapsed, cpu: (user + system) / 1000, count }, () => process.disconnect())
}

/** Claims, including the time in which they wait for the disk. */
async function* claims(path) {
  const file = fileStore(path)
  await file.bind(binding)
  let number = 0
  const next = () => claimOf(number, [`payment-${number++}`])
  const time = async (count) => {
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < 20; round++) {
      const entries = Array.from({ length: count }, next)
      const start = performance.now()
      await Promise.all(entries.map(({ claim }) => file.claim(claim)))
      best = Math.min(best, (1000 * (performance.now() - start)) / count)
      for (const { acceptance } of entries) await file.recordAcceptance(acceptance)
    }
    return best
  }
  const rival = await time(1)
  const ours = await time(CONCURRENT)
  await file.close()
  yield row({
    name: `wallet store claim, ${CONCURRENT} concurrent, each`,
    unit: 'µs',
    ours,
    rival,
    rivalName: 'one at a time',
  })
}
