import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { checkedHex, formatAddress, formatID, selectFromPages, UTXOSet, utxoID } from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { decodeUTXOPage } from 'avmkit/codec'
import { utxoBytes } from './lib/fixtures.js'
import { memoryOf, row } from './lib/harness.js'
import { avalanchejs, RIVAL } from './lib/rival.js'
import { payment } from './payment.js'

const COUNT = 100_000
const PAGE = 1024
const ROUNDS = 15
/** Fewer, because each round of the other library takes seconds. */
const RIVAL_ROUNDS = 3
const SERVE = 'serve'

const owner = new Uint8Array(20).fill(7)
const address = formatAddress({ chain: 'X', hrp: 'local', address: owner })

// The server runs in a separate process, so that its processor time is not counted.
if (process.argv[2] === SERVE && process.send !== undefined) serve()

/** Rows `client …`: requests to servers on loopback. */
export default async function* client() {
  yield* payment()
  yield* intake()
}

/** Reads a hundred thousand UTXOs into a set. */
async function* intake() {
  const server = fork(fileURLToPath(import.meta.url), [SERVE])
  const url = await new Promise((resolve) => server.once('message', resolve))
  try {
    const hex = takeIn(url, 'hex')
    const times = await race(url, { ours: hex, floor, plain: takeIn(url, 'hexnc') }, ROUNDS)
    // Run separately, so that the garbage it leaves is not collected during the rounds of the others.
    const against = await race(url, { rival }, RIVAL_ROUNDS)
    const bound = 'fetch, JSON.parse and decoding the same bytes'
    const name = 'client take in 100000 UTXOs in 98 pages'
    yield row({
      name: `${name}, time of its own`,
      unit: 'ms',
      ours: times.ours.own,
      rival: times.floor.own,
      rivalName: bound,
      atMost: 1.5,
    })
    yield row({
      name: `${name}, with waiting`,
      unit: 'ms',
      ours: times.ours.whole,
      rival: times.floor.whole,
      rivalName: bound,
      cost: true,
    })
    yield row({
      name: `${name}, without checksums`,
      unit: 'ms',
      ours: times.plain.own,
      rival: times.ours.own,
      rivalName: 'with checksums',
      cost: true,
    })
    yield row({
      name: `${name}, time of its own, against the incumbent`,
      unit: 'ms',
      ours: times.ours.own,
      rival: against.rival.own,
      rivalName: `${RIVAL} (verifies nothing)`,
    })
    yield* selection(url)
  } finally {
    server.kill()
  }
}

/** A payment that the first page suffices for: time until it is selected, and memory of the set. */
async function* selection(url) {
  const node = createNodeClient({ url })
  const pages = () => node.utxoPages({ addresses: [address] })
  const { value: first } = await pages().next()
  const options = {
    owners: [owner],
    now: 1_800_000_000n,
    need: {
      amounts: [{ assetID: first.utxos[0].assetID, amount: 5_000_000_000n }],
      baseSize: 0,
      changeSize: 0,
    },
  }
  const contestants = {
    ours: () => selectFromPages(pages(), options),
    rival: async () => {
      const set = new UTXOSet()
      for await (const page of pages()) set.add(page)
      return { set, ...set.select(options) }
    },
  }
  const best = {}
  const memory = {}
  for (let round = 0; round < 5; round++)
    for (const [name, run] of Object.entries(contestants)) {
      const { bytes, kept, ms } = await measured(run)
      if (kept.coins.length === 0) throw new Error(`${name} selected nothing`)
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, ms)
      memory[name] = bytes / 1024
    }
  const name = 'client select a payment from pages of 100000 UTXOs'
  const rivalName = 'reading all pages first'
  yield row({ name, unit: 'ms', ...best, rivalName, atLeast: 20 })
  yield row({ name: `${name}, memory held`, unit: 'KiB', ...memory, rivalName, atLeast: 20 })
}

async function measured(run) {
  let ms
  const { bytes, kept } = await memoryOf(async () => {
    const start = performance.now()
    const result = await run()
    ms = performance.now() - start
    return result
  })
  return { bytes, kept, ms }
}

function takeIn(url, encoding) {
  const node = createNodeClient({ url })
  return async () => {
    const taken = []
    for await (const { utxos } of node.utxoPages({ addresses: [address], encoding }))
      for (const utxo of utxos) taken.push(utxo)
    return taken.length
  }
}

/** The minimum for any client: request each page, parse its JSON, decode its UTXOs. */
async function floor(url) {
  const taken = []
  let startIndex
  for (let id = 1; ; id++) {
    const params = { addresses: [address], limit: PAGE, startIndex, encoding: 'hex' }
    const response = await fetch(`${url}/ext/bc/X`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'avm.getUTXOs', params }),
    })
    const { result } = JSON.parse(await response.text())
    for (const utxo of decodeUTXOPage(result.utxos).utxos) taken.push(utxo)
    if (result.utxos.length < PAGE) return taken.length
    startIndex = result.endIndex
  }
}

async function rival(url) {
  const api = new avalanchejs.avm.AVMApi(url)
  const taken = []
  let startIndex
  for (;;) {
    const { utxos, endIndex } = await api.getUTXOs({
      addresses: [address],
      limit: PAGE,
      startIndex,
    })
    for (const utxo of utxos) taken.push(utxo)
    if (utxos.length < PAGE) return taken.length
    startIndex = endIndex
  }
}

/**
 * Runs the contestants in turns and returns the best round of each: wall time, and processor time of this process,
 * which excludes waiting for the server and other load on the machine.
 */
async function race(url, contestants, rounds) {
  const best = {}
  const names = Object.keys(contestants)
  for (let round = 0; round <= rounds; round++) {
    // Each contestant also collects the garbage of the previous one, so the order changes every round.
    names.push(names.shift())
    if (round % names.length === 0) names.reverse()
    for (const name of names) {
      const before = process.cpuUsage()
      const start = performance.now()
      const taken = await contestants[name](url)
      const whole = performance.now() - start
      const { user, system } = process.cpuUsage(before)
      if (taken !== COUNT) throw new Error(`${name} took in ${taken} of ${COUNT} UTXOs`)
      // The first round warms up.
      const past =
        round < 2 ? { own: Number.POSITIVE_INFINITY, whole: Number.POSITIVE_INFINITY } : best[name]
      best[name] = {
        own: Math.min(past.own, (user + system) / 1000),
        whole: Math.min(past.whole, whole),
      }
    }
  }
  return best
}

/** Answers `avm.getUTXOs` as the node does: pages of 1,024, each starting after the end of the previous one. */
function serve() {
  const bytes = utxoBytes(COUNT, owner)
  const pages = { hex: [], hexnc: [] }
  const starts = new Map()
  for (let at = 0; at < COUNT; at += PAGE) {
    const slice = bytes.slice(at, at + PAGE)
    const last = slice.at(-1)
    const index = new DataView(last.buffer, last.byteOffset).getUint32(34)
    const endIndex = { address, utxo: formatID(utxoID(last.slice(2, 34), index)) }
    starts.set(endIndex.utxo, pages.hex.length + 1)
    const body = (encoding, utxos) => {
      const result = { numFetched: String(slice.length), utxos, endIndex, encoding }
      return Buffer.from(`{"jsonrpc":"2.0","result":${JSON.stringify(result)},"id":`)
    }
    pages.hex.push(body('hex', slice.map(checkedHex.encode)))
    pages.hexnc.push(
      body(
        'hexnc',
        slice.map((utxo) => `0x${Buffer.from(utxo).toString('hex')}`),
      ),
    )
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { id, params } = JSON.parse(text)
    const page = params.startIndex === undefined ? 0 : starts.get(params.startIndex.utxo)
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
    // Two writes make the response chunked, as the node sends answers of this size.
    response.write(pages[params.encoding][page])
    response.end(`${id}}\n`)
  })
  server.listen(0, '127.0.0.1', () => {
    process.send(`http://127.0.0.1:${server.address().port}`)
  })
}
