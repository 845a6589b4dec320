import {
  buildTransfer,
  checkedHex,
  decodeUTXO,
  encodeTx,
  encodeUTXO,
  formatID,
  KeyChain,
  networks,
  planSweep,
  requireSigned,
  signDraft,
  sweepPages,
  UTXOSet,
} from 'avmkit'
import { decodeUTXOPage, encodeUnsignedTx } from 'avmkit/codec'
import { assertSame, memoryOf, row, time } from './lib/harness.js'
import { avalanchejs, RIVAL, rival } from './lib/rival.js'

const context = networks.fuji
const owner = new Uint8Array(20).fill(7)
const receiver = new Uint8Array(20).fill(9)
const owners = [owner]
const now = 1_700_000_000n

/** Rows `select …`: choosing UTXOs and building with them. */
export default async function* select() {
  const rivalTime = yield* against()
  yield* growth(rivalTime)
  yield* changes()
  yield* sweep()
  yield* sweepByPage()
  yield* intake()
}

// The same numbers in every run, without a million calls to the system's source of randomness.
let seed = 1
function random() {
  seed = (Math.imul(seed, 0x6c078965) + 1) >>> 0
  return seed
}

/** An encoded UTXO with a pseudorandom ID. */
function utxo(amount, address = owner) {
  const txID = new Uint8Array(32)
  for (let i = 0; i < 32; i++) txID[i] = random() >>> 24
  return encodeUTXO({
    txID,
    outputIndex: random() >>> 30,
    assetID: context.assetID,
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount,
      locktime: 0n,
      threshold: 1,
      addresses: [address],
    },
  })
}

/** Three large UTXOs, which the payment needs, then smaller ones of different amounts. */
function utxos(count) {
  return Array.from({ length: count }, (_, i) =>
    utxo(i < 3 ? 2_000_000_000n : 1_000_000n + BigInt(random() >>> 2)),
  )
}

const amount = 5_000_000_000n

function payment(set) {
  return buildTransfer({
    context,
    funds: { utxos: set, owners, now },
    outputs: [{ to: receiver, amount }],
  })
}

function* against() {
  const bytes = utxos(10_000)
  const set = new UTXOSet()
  set.add(bytes)
  const theirs = bytes.map(rival.decodeUTXO)
  const theirContext = {
    networkID: context.networkID,
    hrp: context.hrp,
    xBlockchainID: formatID(context.chainID),
    avaxAssetID: formatID(context.assetID),
    baseTxFee: context.txFee,
  }
  const build = () =>
    avalanchejs.avm.newBaseTx(
      theirContext,
      [owner],
      theirs,
      [avalanchejs.TransferableOutput.fromNative(theirContext.avaxAssetID, amount, [receiver])],
      { changeAddresses: [owner] },
    )
  assertSame(
    'a payment of three inputs',
    encodeUnsignedTx(payment(set).unsignedTx),
    build().toBytes(),
  )
  const ours = time({ ours: () => payment(set) })
  const slow = time({ rival: build }, { windows: 3, windowMs: 1, warmUpMs: 1 })
  yield row({
    name: 'select 3 inputs out of 10000 UTXOs and build the payment',
    unit: 'µs',
    ...ours,
    ...slow,
    rivalName: RIVAL,
    atLeast: 100,
  })
  return slow.rival
}

function setOf(count) {
  const set = new UTXOSet()
  for (let left = count; left > 0; left -= 1000) set.add(utxos(1000))
  // The first selection sorts the set.
  payment(set)
  return set
}

/** The cost of selecting a few UTXOs must not grow with the size of the set. */
function* growth(rivalTime) {
  const counts = [1000, 10_000, 100_000, 1_000_000]
  const sets = counts.map(setOf)
  const spent = time(
    Object.fromEntries(counts.map((count, i) => [count, () => payment(sets[i])])),
    { windows: 10, windowMs: 60 },
  )
  for (const count of counts)
    yield row({
      name: `select 3 inputs out of ${count} UTXOs of ours and build the payment`,
      unit: 'µs',
      ours: spent[count],
      ...(count > 10_000 && {
        rival: spent[10_000],
        rivalName: 'the same for 10000',
        atMost: 2,
      }),
    })
  yield row({
    name: 'select 3 inputs out of 1000000 UTXOs and build, against the incumbent out of 10000',
    unit: 'µs',
    ours: spent[1_000_000],
    rival: rivalTime,
    rivalName: `${RIVAL} out of 10000`,
    atLeast: 5000,
  })
}

/**
 * Changes of one UTXO in a sorted set: it is added, reserved for a draft, released, and removed. Every window uses new
 * UTXOs, because a removed one cannot be added again.
 */
function* changes() {
  const steps = {
    add: (set, { bytes }) => set.add([bytes]),
    reserve: (set, { id }) => set.reserve([id], { now }),
    release: (set, { id }) => set.release([id]),
    remove: (set, { id }) => set.remove([id]),
  }
  const counts = [10_000, 1_000_000]
  const sets = counts.map(setOf)
  const maps = counts.map(mapOf)
  const best = new Map()
  const note = (key, us) => best.set(key, Math.min(us, best.get(key) ?? Number.POSITIVE_INFINITY))
  const perWindow = 100
  for (let window = 0; window < 100; window++)
    for (const [i, set] of sets.entries()) {
      const size = set.size()
      const added = Array.from({ length: perWindow }, () => {
        const bytes = utxo(1_000_000n + BigInt(random() >>> 2))
        return { bytes, id: decodeUTXO(bytes) }
      })
      let all = 0
      for (const [name, step] of Object.entries(steps)) {
        const start = performance.now()
        for (const item of added) step(set, item)
        const us = (1000 * (performance.now() - start)) / perWindow
        note(`${name} ${counts[i]}`, us)
        all += us
      }
      note(`all ${counts[i]}`, all)
      if (set.size() !== size) throw new Error('UTXOs were lost')
      const keys = Array.from({ length: perWindow }, randomKey)
      const start = performance.now()
      for (const key of keys) maps[i].set(key, key)
      note(`map ${counts[i]}`, (1000 * (performance.now() - start)) / perWindow)
    }
  for (const name of ['all', ...Object.keys(steps)])
    yield row({
      name: `select ${name === 'all' ? 'add, reserve, release and remove' : name} one UTXO in a set of 1000000`,
      unit: 'µs',
      ours: best.get(`${name} 1000000`),
      rival: best.get(`${name} 10000`),
      rivalName: 'the same for 10000',
      ...(name === 'all' ? { atMost: 2 } : { cost: true }),
    })
  // The cost of larger memory alone: the entries of the small one stay in the processor's cache.
  yield row({
    name: 'select set one entry of a Map of 1000000 numbers, for comparison',
    unit: 'µs',
    ours: best.get('map 1000000'),
    rival: best.get('map 10000'),
    rivalName: 'the same for 10000',
    cost: true,
  })
}

const randomKey = () => random() * 0x10_0000 + (random() & 0xf_ffff)

function mapOf(count) {
  const map = new Map()
  while (map.size < count) map.set(randomKey(), 0)
  return map
}

function* sweep() {
  const keys = new KeyChain([new Uint8Array(32).fill(1)])
  const [address] = keys.addresses
  const set = new UTXOSet()
  for (let i = 0; i < 100; i++)
    set.add(Array.from({ length: 1000 }, () => utxo(BigInt(random()) + 3000n, address)))
  // One draft at a time, as they are signed and issued.
  const plan = (use) => {
    const options = { context, funds: { utxos: set, owners: keys.addresses, now }, to: receiver }
    for (const draft of planSweep(options).drafts()) use(draft)
  }
  // Not in turns: the transactions that are kept for encoding would slow down the garbage collection of ours.
  const options = { windows: 60, windowMs: 1, warmUpMs: 1500 }
  const ours = time({ ours: () => plan(() => {}) }, options)
  const txs = []
  plan((draft) => txs.push(requireSigned(signDraft(draft, keys)).signedTx))
  const encoding = time({ rival: () => txs.map(encodeTx) }, options)
  yield row({
    name: 'select sweep plan of 100000 UTXOs into drafts',
    unit: 'ms',
    ours: ours.ours / 1000,
    rival: encoding.rival / 1000,
    rivalName: `encoding these ${txs.length} transactions, signed`,
    atMost: 2,
  })
}

/** What a sweep by page holds near the end of a million UTXOs. */
async function* sweepByPage() {
  const count = 1_000_000
  function* pages() {
    for (let left = count; left > 0; left -= 1000)
      yield Array.from({ length: 1000 }, () => utxo(BigInt(random()) + 3000n))
  }
  const { bytes, kept } = await memoryOf(async () => {
    const { drafts, leftBehind } = sweepPages(pages(), { context, owners, now, to: receiver })
    let spent = 0
    while (spent < 0.99 * count) spent += (await drafts.next()).value.utxos.length
    return { drafts, leftBehind }
  })
  if (kept.leftBehind().length > 0) throw new Error('the sweep leaves something behind')
  yield row({
    name: `select sweep of ${count} UTXOs by page, memory held near its end`,
    unit: 'MB',
    ours: bytes / 1e6,
    limit: 10,
  })
}

async function* intake() {
  const count = 1_000_000
  // As in a client, the entries of one reply exist at a time. A million strings would be marked by every garbage
  // collection, which took a seventh of the time of taking them in.
  const replies = []
  for (let left = count; left > 0; left -= 1000) {
    const page = Array.from({ length: 1000 }, () => checkedHex.encode(utxo(BigInt(random()) + 1n)))
    replies.push(Buffer.from(JSON.stringify(page)))
  }
  /** Milliseconds that `use` takes for all pages, without parsing the replies. */
  const timeOf = (use) => {
    let sum = 0
    for (const reply of replies) {
      const page = JSON.parse(reply.toString())
      const start = performance.now()
      use(page)
      sum += performance.now() - start
    }
    return sum
  }
  const takeIn = () => {
    const set = new UTXOSet()
    const filling = timeOf((page) => set.add(page))
    const start = performance.now()
    const balances = set.balances({ owners, now })
    return { set, balances, spent: filling + performance.now() - start }
  }
  const { bytes, kept } = await memoryOf(() => {
    const taken = takeIn()
    const need = { amounts: [{ assetID: context.assetID, amount: 1n }], baseSize: 0, changeSize: 0 }
    taken.set.select({ owners, now, need })
    return taken
  })
  if (kept.balances[0].spendableUTXOs !== count) throw new Error('UTXOs were lost')
  yield row({
    name: `select memory held per UTXO of ${count}, in order, above the pages`,
    unit: 'bytes',
    ours: bytes / count,
    limit: 120,
  })
  // Of the same million, so that neither side reads from the processor's cache.
  const best = { ours: Number.POSITIVE_INFINITY, rival: Number.POSITIVE_INFINITY }
  for (let round = 0; round < 8; round++) {
    best.ours = Math.min(best.ours, takeIn().spent)
    best.rival = Math.min(best.rival, timeOf(decodeUTXOPage))
  }
  yield row({
    name: `select take in ${count} UTXOs from hex and tell balances, each`,
    unit: 'ns',
    ours: (1_000_000 * best.ours) / count,
    rival: (1_000_000 * best.rival) / count,
    rivalName: 'decoding them and keeping nothing',
    atMost: 1.5,
  })
}
