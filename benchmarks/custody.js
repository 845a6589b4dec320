import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatAddress, KeyChain, parseAmount } from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { blockID } from 'avmkit/codec'
import { openCustody } from 'avmkit/custody'
import { createDevNode } from 'avmkit/devnode'
import { loadWasmBackend } from 'avmkit/wasm'
import { applyBlock } from '../dist/custody/chain/apply-block.js'
import { Database } from '../dist/custody/database/database.js'
import { reserveUTXOs } from '../dist/custody/payouts/drafts.js'
import { fundPayouts } from '../dist/custody/payouts/funding.js'
import { startServer } from '../scripts/postgres.js'
import { row } from './lib/harness.js'

const pg = createRequire(new URL('../package.json', import.meta.url))('pg')

const PAYOUTS = 10_000
const WORKERS = 4
const ROWS = 1_000_000
const FEW = 10_000
const BLOCKS = 60
const TXS = 100
/** Payouts per second that blocks allow: one block per second with about two of the largest transactions. */
const CHAIN_LIMIT = 1_600

const backend = await loadWasmBackend()
const keys = new KeyChain([new Uint8Array(32).fill(1)], { backend })
const AVAX = parseAmount('1')

function address(n) {
  const bytes = new Uint8Array(20).fill(0xcc)
  new DataView(bytes.buffer).setUint32(0, n)
  return bytes
}

const textOf = (bytes) => formatAddress({ chain: 'X', hrp: 'local', address: bytes })

/** Rows `custody …`: deposits and payouts on a real PostgreSQL with fsync. */
export default async function* custody() {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-bench-'))
  const own = process.env.AVMKIT_POSTGRES_URL === undefined
  const server = own
    ? await startServer(folder, { fsync: true })
    : { url: process.env.AVMKIT_POSTGRES_URL, name: 'AVMKIT_POSTGRES_URL', stop: () => {} }
  console.error(`custody: ${server.name}, fsync on`)
  const pool = new pg.Pool({ connectionString: server.url, max: 20 })
  try {
    yield await requesting(pool)
    yield* await paying(server.url)
    yield await reserving(pool)
    yield await following(pool)
  } finally {
    await pool.end()
    server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function openSystem(pool, schema, node) {
  const client = createNodeClient({ url: 'http://node', fetch: node.fetch })
  const system = await openCustody({ database: pool, schema, client, keys, backend })
  await system.migrate()
  return system
}

/** Ten thousand payouts into the queue, against plain INSERT statements of the same rows. */
async function requesting(pool) {
  const node = await createDevNode({ backend })
  const ours = []
  const bare = []
  const requests = Array.from({ length: PAYOUTS }, (_, i) => ({
    key: `payout ${i}`,
    to: textOf(address(i)),
    amount: AVAX + BigInt(i),
  }))
  for (let round = 0; round < 4; round++) {
    const schema = `request_${round}`
    const system = await openSystem(pool, schema, node)
    await system.status()
    const start = performance.now()
    await system.requestPayouts(requests)
    ours.push(performance.now() - start)
    const { rows } = await pool.query(
      `SELECT key, digest, status, address, asset_id, amount, memo, priority, not_before FROM ${schema}.payments`,
    )
    // With the same indexes, without triggers and events.
    await pool.query(`CREATE TABLE ${schema}.plain (LIKE ${schema}.payments INCLUDING ALL)`)
    const begin = performance.now()
    // The same rows and batches, inserted as most programs do.
    const names = Object.keys(rows[0])
    for (let i = 0; i < rows.length; i += 5_000) {
      const values = []
      const places = rows.slice(i, i + 5_000).map((payment) => {
        const first = values.length
        values.push(...names.map((name) => payment[name]))
        return `(${names.map((_, n) => `$${first + n + 1}`).join(',')})`
      })
      await pool.query(
        `INSERT INTO ${schema}.plain (${names.join(',')}) VALUES ${places.join(',')}`,
        values,
      )
    }
    bare.push(performance.now() - begin)
    await pool.query(`DROP SCHEMA ${schema} CASCADE`)
  }
  await node.close()
  return row({
    name: `custody request ${PAYOUTS} payouts in batches`,
    unit: 'ms',
    ours: Math.min(...ours),
    rival: Math.min(...bare),
    rivalName: 'plain multi-row INSERT',
    atMost: 2,
  })
}

/** Ten thousand payouts by four workers, from the request to the last outcome. */
async function paying(url) {
  const node = await createDevNode({ backend, blocks: 'real' })
  for (let i = 0; i < 24; i++) node.fund(keys.addresses[0], 100_000n * AVAX)
  const systems = []
  for (let i = 0; i < WORKERS; i++) {
    const client = createNodeClient({ url: 'http://node', fetch: node.fetch })
    systems.push(await openCustody({ database: url, schema: 'paying', client, keys, backend }))
  }
  const [first] = systems
  await first.migrate()
  const controller = new AbortController()
  const working = systems.map((system) => system.work({ signal: controller.signal }))
  while ((await first.status()).syncedSecondsAgo === undefined) await sleep(50)
  await first.requestPayouts(
    Array.from({ length: PAYOUTS }, (_, i) => ({
      key: `payout ${i}`,
      to: textOf(address(i)),
      amount: AVAX,
    })),
  )
  const before = systems.reduce((sum, system) => sum + system.roundTrips(), 0)
  const start = performance.now()
  let polls = 0
  for (;;) {
    polls++
    const { payouts } = await first.status()
    if (payouts.paid === PAYOUTS) break
    await sleep(200)
  }
  const seconds = (performance.now() - start) / 1000
  // Reading the status takes five statements.
  const trips = systems.reduce((sum, system) => sum + system.roundTrips(), 0) - before - 5 * polls
  controller.abort()
  await Promise.all(working)
  const report = await first.audit()
  if (!report.balanced) throw new Error('the books do not balance')
  await Promise.all(systems.map((system) => system.close()))
  await node.close()
  const name = `custody ${PAYOUTS} payouts with ${WORKERS} workers`
  return [
    row({
      name: `${name}: database round trips per payout`,
      unit: '',
      ours: trips / PAYOUTS,
      limit: 0.2,
    }),
    row({
      name: `${name}: time per payout, against the limit of blocks`,
      unit: 'ms',
      ours: (1000 * seconds) / PAYOUTS,
      rival: 1000 / CHAIN_LIMIT,
      rivalName: `${CHAIN_LIMIT} payouts/s by block size`,
      atMost: 2,
    }),
  ]
}

/** Free UTXOs of the hot wallet, made by the database itself. */
async function fillOutputs(pool, schema, count, assetID) {
  await pool.query(
    `INSERT INTO ${schema}.outputs (tx_id, output_index, asset_id, amount, address, wallet, kind, origin, is_simple,
       locktime, utxo, height)
     SELECT t, 0, $2, a, $3, 'hot', 'plain', 'other', true, 0,
       '\\x0000'::bytea || t || int4send(0) || $2 || int4send(7) || int8send(a) || int8send(0) || int4send(1)
         || int4send(1) || $3, 1
     FROM (SELECT sha256(int8send(i)) AS t, 1000000000 + (i * 7919) % 1000003 AS a
       FROM generate_series(1, $1::bigint) AS i) AS made`,
    [count, Buffer.from(assetID), Buffer.from(keys.addresses[0])],
  )
  await pool.query(`ANALYZE ${schema}.outputs`)
}

/** Selecting and reserving UTXOs for one payout, in a large wallet and in a small one. */
async function reserving(pool) {
  const node = await createDevNode({ backend })
  const times = {}
  const runs = []
  for (const count of [FEW, ROWS]) {
    const schema = `reserve_${count}`
    const system = await openSystem(pool, schema, node)
    await fillOutputs(pool, schema, count, node.context.assetID)
    await system.status()
    const settings = {
      context: node.context,
      hot: [keys.addresses[0]],
      limits: { spareUTXOs: 0 },
    }
    runs.push({ count, schema, settings, database: new Database(pool, schema, false) })
    times[count] = []
  }
  const payout = {
    seq: '1',
    key: 'payout',
    digest: new Uint8Array(32),
    address: address(1),
    assetID: node.context.assetID,
    amount: AVAX / 2n,
    memo: new Uint8Array(),
    priority: 0,
  }
  for (let round = 0; round < 300; round++)
    for (const { count, settings, database } of runs) {
      const start = performance.now()
      await database.transaction(async (tx) => {
        const { draft } = await fundPayouts(tx, settings, [payout])
        const [made] = await tx.query(
          `INSERT INTO @.drafts (worker, purpose, expires_at) VALUES ('bench', 'bench', now()) RETURNING id`,
        )
        await reserveUTXOs(tx, made.id, draft.utxos)
      })
      times[count].push(performance.now() - start)
    }
  for (const { schema } of runs) await pool.query(`DROP SCHEMA ${schema} CASCADE`)
  await node.close()
  return row({
    name: `custody select and reserve UTXOs for one payout out of ${ROWS}`,
    unit: 'ms',
    ours: median(times[ROWS]),
    rival: median(times[FEW]),
    rivalName: `out of ${FEW}`,
    atMost: 1.5,
  })
}

/** Applying full blocks with a million watched addresses. */
async function following(pool) {
  const node = await createDevNode({ backend })
  const schema = 'follow'
  const system = await openSystem(pool, schema, node)
  await system.status()
  await pool.query(
    `INSERT INTO ${schema}.addresses (address, watched, walked)
     SELECT substr(sha256(int8send(i)), 1, 20), true, true FROM generate_series(1, $1::bigint) AS i`,
    [ROWS],
  )
  await pool.query(`ANALYZE ${schema}.addresses`)
  await pool.query(
    `UPDATE ${schema}.chain SET next_height = 1, unknown_from = 1, last_block = NULL`,
  )
  const { rows } = await pool.query(`SELECT address FROM ${schema}.addresses LIMIT ${BLOCKS * TXS}`)
  const blocks = manyBlocks(node.context, rows)
  const database = new Database(pool, schema, false)
  const options = {
    epoch: 0n,
    assets: [node.context.assetID],
    backend,
    channels: { deposits: 'bench_deposits', work: 'bench_work' },
  }
  const start = performance.now()
  for (const block of blocks) await database.transaction((tx) => applyBlock(tx, block, options))
  const seconds = (performance.now() - start) / 1000
  const { rows: found } = await pool.query(`SELECT count(*) FROM ${schema}.outputs`)
  if (Number(found[0].count) !== BLOCKS * TXS) throw new Error('deposits are missing')
  await pool.query(`DROP SCHEMA ${schema} CASCADE`)
  await node.close()
  return row({
    name: `custody follower, blocks of ${TXS} transactions, ${ROWS} addresses`,
    unit: 'ms',
    ours: (1000 * seconds) / BLOCKS,
    limit: 50,
  })
}

function manyBlocks({ networkID, chainID, assetID }, rows) {
  const blocks = []
  let parentID = new Uint8Array(32)
  for (let height = 1; height <= BLOCKS; height++) {
    const txs = Array.from({ length: TXS }, (_, i) => {
      const n = (height - 1) * TXS + i
      const owner = new Uint8Array(rows[n].address)
      const output = (to) => ({
        assetID,
        output: {
          type: 'secp256k1fx.TransferOutput',
          amount: AVAX + BigInt(n),
          locktime: 0n,
          threshold: 1,
          addresses: [to],
        },
      })
      const spent = new Uint8Array(32).fill(7)
      new DataView(spent.buffer).setUint32(0, n)
      return {
        unsignedTx: {
          type: 'BaseTx',
          networkID,
          blockchainID: chainID,
          outputs: [output(owner), output(address(n))],
          inputs: [
            {
              txID: spent,
              outputIndex: 0,
              assetID,
              input: { type: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [0] },
            },
          ],
          memo: new Uint8Array(),
        },
        credentials: [{ type: 'secp256k1fx.Credential', signatures: [new Uint8Array(65)] }],
      }
    })
    const block = {
      type: 'StandardBlock',
      parentID,
      height: BigInt(height),
      time: 1_700_000_000n,
      merkleRoot: new Uint8Array(32),
      txs,
    }
    parentID = blockID(block)
    blocks.push({ block, blockID: parentID })
  }
  return blocks
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
}
