import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { formatAddress, parseAmount } from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { openCustody } from 'avmkit/custody'
import { openTokens, openWebhooks, serveCustody } from 'avmkit/custody-service'
import { createDevNode } from 'avmkit/devnode'
import { startServer } from '../scripts/postgres.js'
import { row } from './lib/harness.js'

const pg = createRequire(new URL('../package.json', import.meta.url))('pg')

const PAYOUTS = 1_000
const CONNECTIONS = 32
const ROUNDS = 8
const MESSAGES = 10_000
const AVAX = parseAmount('1')

const textOf = (n) => {
  const address = new Uint8Array(20).fill(0xcc)
  new DataView(address.buffer).setUint32(0, n)
  return formatAddress({ chain: 'X', hrp: 'local', address })
}

/** Payouts with keys that no other round has. */
const requestsOf = (round, count) =>
  Array.from({ length: count }, (_, i) => ({
    key: `${round}-${i}`,
    to: textOf(i),
    amount: AVAX + BigInt(i),
  }))

/** Rows `service …`: the HTTP service of custody on a real PostgreSQL with fsync. */
export default async function* service() {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-bench-'))
  const own = process.env.AVMKIT_POSTGRES_URL === undefined
  const server = own
    ? await startServer(folder, { fsync: true })
    : { url: process.env.AVMKIT_POSTGRES_URL, name: 'AVMKIT_POSTGRES_URL', stop: () => {} }
  console.error(`service: ${server.name}, fsync on`)
  const pool = new pg.Pool({ connectionString: server.url, max: 20 })
  const node = await createDevNode()
  try {
    yield* await requesting(pool, node)
    yield await delivering(pool, node)
  } finally {
    await node.close()
    await pool.end()
    server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function openSystem(pool, schema, node) {
  const client = createNodeClient({ url: 'http://node', fetch: node.fetch })
  const custody = await openCustody({ database: pool, schema, client })
  await custody.migrate()
  await custody.status()
  return custody
}

/**
 * A thousand requests of one payout each over HTTP, against as many calls in process. The other rows tell what is left: one
 * call with all payouts has one transaction, and a server that does nothing has the cost of HTTP alone.
 */
async function requesting(pool, node) {
  const schema = 'service_request'
  const custody = await openSystem(pool, schema, node)
  const tokens = await openTokens({ database: pool, schema })
  const { token } = await tokens.add({ name: 'bench', roles: ['requester'] })
  const { url, close } = await serveCustody({ custody, database: pool, schema })
  const bare = await bareServer()
  const client = clientThread({ url, token, connections: CONNECTIONS })
  const bareClient = clientThread({ url: bare.url, token, connections: CONNECTIONS })
  const bodiesOf = (round) =>
    requestsOf(round, PAYOUTS).map(({ key, to, amount }) => ({
      key,
      body: JSON.stringify({ to, amount: String(amount) }),
    }))
  const times = { service: [], bare: [], each: [], together: [] }
  for (let round = 0; round < ROUNDS; round++) {
    times.service.push(await client.send(bodiesOf(`service${round}`)))
    times.bare.push(await bareClient.send(bodiesOf(`bare${round}`)))
    const together = requestsOf(`together${round}`, PAYOUTS)
    times.together.push(await timed(() => custody.requestPayouts(together)))
    const each = requestsOf(`each${round}`, PAYOUTS)
    const loop = async () => {
      for (let next = each.pop(); next !== undefined; next = each.pop())
        await custody.requestPayouts([next])
    }
    times.each.push(await timed(() => Promise.all(Array.from({ length: CONNECTIONS }, loop))))
  }
  await client.stop()
  await bareClient.stop()
  await close()
  bare.close()
  const { rows } = await pool.query(`SELECT count(*) FROM ${schema}.payments`)
  if (Number(rows[0].count) !== 3 * ROUNDS * PAYOUTS) throw new Error('payouts are missing')
  await pool.query(`DROP SCHEMA ${schema} CASCADE`)
  const rowAgainst = (rival, rivalName, bound) =>
    row({
      name: `service ${PAYOUTS} requests of one payout over ${CONNECTIONS} connections`,
      unit: 'ms',
      ours: Math.min(...times.service),
      rival: Math.min(...times[rival]),
      rivalName,
      ...bound,
    })
  return [
    rowAgainst('each', 'requestPayouts in process, one each', { atMost: 3 }),
    rowAgainst('together', 'requestPayouts in process, all at once', { cost: true }),
    rowAgainst('bare', 'node:http that does nothing', { cost: true }),
  ]
}

/** Answers every request with the text of a new payout. */
async function bareServer() {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end('{"key":"payout","added":true}')
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}

async function timed(work) {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Delivers a message about each of many payouts to a receiver on loopback, from the request to the last answer. */
async function delivering(pool, node) {
  const schema = 'service_webhooks'
  const custody = await openSystem(pool, schema, node)
  const receiver = await receiverThread()
  const { close } = await serveCustody({
    custody,
    database: pool,
    schema,
    webhooks: [
      {
        name: 'bench',
        url: receiver.url,
        secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
        topics: ['payout'],
      },
    ],
  })
  const webhooks = await openWebhooks({ database: pool, schema })
  while ((await webhooks.list()).length === 0) await sleep(20)
  await custody.requestPayouts(requestsOf('warm', MESSAGES / 10))
  await receiver.received(MESSAGES / 10)
  // As large exchanges have them: many accounts, each with a few payouts.
  const requests = requestsOf('measured', MESSAGES).map((request, i) => ({
    ...request,
    reference: `user ${i % 2_000}`,
  }))
  const ms = await timed(async () => {
    await custody.requestPayouts(requests)
    await receiver.received(MESSAGES / 10 + MESSAGES)
  })
  await close()
  await receiver.stop()
  await pool.query(`DROP SCHEMA ${schema} CASCADE`)
  return row({
    name: `service webhooks, time per message, ${MESSAGES} to a loopback receiver`,
    unit: 'ms',
    ours: ms / MESSAGES,
    limit: 1,
  })
}

/** A client in a separate thread, so that its work is not counted as the service's. */
function clientThread(data) {
  const worker = new Worker(
    `import { Agent, request } from 'node:http'
     import { parentPort, workerData } from 'node:worker_threads'
     const { url, token, connections } = workerData
     const agent = new Agent({ keepAlive: true, maxSockets: connections })
     const post = ({ key, body }) => new Promise((resolve, reject) => {
       const headers = { authorization: 'Bearer ' + token, 'idempotency-key': key,
         'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
       const sent = request(url + '/v1/payouts', { method: 'POST', agent, headers }, (response) => {
         response.resume()
         response.on('end', () => response.statusCode === 201
           ? resolve() : reject(new Error('status ' + response.statusCode)))
       })
       sent.on('error', reject)
       sent.end(body)
     })
     parentPort.on('message', async (bodies) => {
       const start = performance.now()
       await Promise.all(Array.from({ length: connections }, async () => {
         for (let next = bodies.pop(); next !== undefined; next = bodies.pop()) await post(next)
       }))
       parentPort.postMessage(performance.now() - start)
     })`,
    { eval: true, workerData: data },
  )
  const send = (bodies) =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.postMessage(bodies)
    })
  return { send, stop: () => worker.terminate() }
}

/** A receiver of webhooks in a separate thread. */
async function receiverThread() {
  const worker = new Worker(
    `import { createServer } from 'node:http'
     import { parentPort } from 'node:worker_threads'
     const ids = new Set()
     let wanted = Infinity
     const tell = () => { if (ids.size >= wanted) { wanted = Infinity; parentPort.postMessage('all') } }
     const server = createServer((request, response) => {
       request.resume()
       request.on('end', () => {
         ids.add(request.headers['webhook-id'])
         response.writeHead(204).end()
         tell()
       })
     })
     parentPort.on('message', (count) => { wanted = count; tell() })
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`,
    { eval: true },
  )
  const next = () =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
  const port = await next()
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** Waits until so many different messages were received. */
    received: async (count) => {
      worker.postMessage(count)
      await next()
    },
    stop: () => worker.terminate(),
  }
}
