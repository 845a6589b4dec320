import { sha256 } from '@noble/hashes/sha2.js'
import { base58, bech32 } from '@scure/base'
import {
  cb58,
  checkedHex,
  decodeTx,
  decodeUTXO,
  encodeTx,
  encodeUTXO,
  formatAddress,
  parseAddress,
} from 'avmkit'
import { decodeUTXOPage } from 'avmkit/codec'
import { assetID, baseTx, utxoBytes } from './lib/fixtures.js'
import { encodeBaseTx } from './lib/hand-encoder.js'
import { assertSame, memoryOf, row, time } from './lib/harness.js'
import { RIVAL, rival } from './lib/rival.js'

/** Rows `codec …`: decoding and encoding of transactions, UTXOs, IDs and addresses. */
export default async function* codec() {
  yield* transactions()
  yield* pages()
  yield* texts()
  yield* growth()
  yield* memory()
}

function* transactions() {
  const bytes = encodeTx(baseTx(100, 2))
  const ours = decodeTx(bytes)
  const theirs = rival.decodeTx(bytes)
  const encoded = [encodeTx(ours), encodeBaseTx(ours), rival.encodeTx(theirs)]
  assertSame('a transaction of 100 inputs', bytes, ...encoded)
  const decode = time({ ours: () => decodeTx(bytes), rival: () => rival.decodeTx(bytes) })
  const name = 'signed BaseTx, 100 inputs 2 outputs'
  yield row({ name: `codec decode ${name}`, unit: 'µs', ...decode, rivalName: RIVAL, atLeast: 80 })
  const encode = time({
    ours: () => encodeTx(ours),
    rival: () => rival.encodeTx(theirs),
    byHand: () => encodeBaseTx(ours),
  })
  yield row({
    name: `codec encode ${name}`,
    unit: 'µs',
    ours: encode.ours,
    rival: encode.rival,
    rivalName: RIVAL,
    atLeast: 22,
  })
  yield row({
    name: `codec encode ${name}, against an encoder of this type only`,
    unit: 'µs',
    ours: encode.ours,
    rival: encode.byHand,
    rivalName: 'written by hand, with the same checks',
    atMost: 1.3,
  })
}

function* pages() {
  const bytes = utxoBytes(1024)
  const page = bytes.map(checkedHex.encode)
  const reply = JSON.stringify({ utxos: page })
  const { utxos, opaque } = decodeUTXOPage(page)
  if (opaque.length > 0) throw new Error('a UTXO of our page cannot be decoded')
  bytes.forEach((utxo, i) => {
    assertSame('a UTXO', utxo.subarray(2), encodeUTXO(utxos[i]).subarray(2))
    assertSame('a UTXO', utxo.subarray(2), rival.encodeUTXO(rival.decodeUTXO(utxo)))
  })
  const text = time({
    ours: () => decodeUTXOPage(page),
    rival: () => rival.decodePage(page),
    parse: () => JSON.parse(reply),
  })
  yield row({
    name: 'codec decode page of 1024 UTXOs from hex, checksums verified',
    unit: 'µs',
    ours: text.ours,
    rival: text.rival,
    rivalName: `${RIVAL} (verifies none)`,
    atLeast: 5,
  })
  yield row({
    name: 'codec decode page of 1024 UTXOs from hex, against reading its JSON',
    unit: 'µs',
    ours: text.ours,
    rival: text.parse,
    rivalName: 'JSON.parse of the same page',
    cost: true,
  })
  const raw = time({ ours: () => decodeUTXOPage(bytes), rival: () => bytes.map(rival.decodeUTXO) })
  yield row({
    name: 'codec decode 1024 UTXOs from byte arrays',
    unit: 'µs',
    ...raw,
    rivalName: RIVAL,
    atLeast: 12,
  })
}

function* texts() {
  const id = assetID
  const text = cb58.encode(id)
  if (text !== rival.encodeCB58(id)) throw new Error('contestants differ on cb58')
  assertSame('cb58', cb58.decode(text), rival.decodeCB58(text))
  const scureEncode = (bytes) => {
    const checked = new Uint8Array(bytes.length + 4)
    checked.set(bytes)
    checked.set(sha256(bytes).subarray(28), bytes.length)
    return base58.encode(checked)
  }
  const scureDecode = (letters) => {
    const checked = base58.decode(letters)
    const bytes = checked.subarray(0, -4)
    const sum = sha256(bytes)
    for (let i = 0; i < 4; i++) if (sum[28 + i] !== checked[bytes.length + i]) throw new Error()
    return bytes
  }
  if (scureEncode(id) !== text) throw new Error('contestants differ on cb58')
  const encode = time({
    ours: () => cb58.encode(id),
    rival: () => rival.encodeCB58(id),
    scure: () => scureEncode(id),
  })
  const decode = time({
    ours: () => cb58.decode(text),
    rival: () => rival.decodeCB58(text),
    scure: () => scureDecode(text),
  })
  yield* pair('codec cb58 encode 32 bytes', encode, 5, '@scure/base 2.4.0 with noble')
  yield* pair(
    'codec cb58 decode 32 bytes, checksum verified',
    decode,
    5,
    '@scure/base 2.4.0 with noble',
  )

  const address = id.slice(0, 20)
  const written = formatAddress({ chain: 'X', hrp: 'fuji', address })
  if (written !== rival.formatAddress('X', 'fuji', address)) throw new Error('contestants differ')
  assertSame('an address', parseAddress(written).address, rival.parseAddress(written)[2])
  const format = time({
    ours: () => formatAddress({ chain: 'X', hrp: 'fuji', address }),
    rival: () => rival.formatAddress('X', 'fuji', address),
    scure: () => `X-${bech32.encode('fuji', bech32.toWords(address))}`,
  })
  const parse = time({
    ours: () => parseAddress(written),
    rival: () => rival.parseAddress(written),
    scure: () => bech32.fromWords(bech32.decode(written.slice(2)).words),
  })
  yield* pair('codec address format', format, 8, '@scure/base 2.4.0')
  yield* pair('codec address parse', parse, 12, '@scure/base 2.4.0')
}

function* pair(name, { ours, rival: theirs, scure }, atLeast, scureName) {
  yield row({ name, unit: 'µs', ours, rival: theirs, rivalName: RIVAL, atLeast })
  yield row({
    name: `${name}, against a library`,
    unit: 'µs',
    ours,
    rival: scure,
    rivalName: scureName,
  })
}

/**
 * The cost per UTXO must not grow with their number. Every call decodes other UTXOs, so that the processor's cache does
 * not favor a small number of them, and keeps none, like a program that only reads what it needs of a page. In the last
 * row all are kept: the garbage collector then copies a hundred thousand of them.
 */
function* growth() {
  const all = utxoBytes(100_000)
  let at = 0
  const read = (count, keep) => {
    for (let left = count; left > 0; left -= 1000) {
      const page = decodeUTXOPage(all.slice(at, at + 1000))
      at = (at + 1000) % all.length
      keep?.push(page)
    }
  }
  const options = { windows: 10, windowMs: 100, warmUpMs: 300 }
  const contestants = (counts, keeping) =>
    Object.fromEntries(counts.map((count) => [count, () => read(count, keeping ? [] : undefined)]))
  const dropped = time(contestants([1000, 10_000, 100_000, 1_000_000], false), options)
  for (const count of [10_000, 100_000, 1_000_000])
    yield row({
      name: `codec decode ${count} UTXOs in pages, each`,
      unit: 'µs',
      ours: dropped[count] / count,
      rival: dropped[1000] / 1000,
      rivalName: 'the same for 1000',
      atMost: 1.2,
    })
  const kept = time(contestants([1000, 100_000], true), options)
  yield row({
    name: 'codec decode 100000 UTXOs and keep all, each',
    unit: 'µs',
    ours: kept[100_000] / 100_000,
    rival: kept[1000] / 1000,
    rivalName: 'the same for 1000',
    cost: true,
  })
}

async function* memory() {
  const bytes = utxoBytes(100_000)
  const ours = await memoryOf(() => decodeUTXOPage(bytes))
  const theirs = await memoryOf(() => bytes.map(rival.decodeUTXO))
  if (encodeUTXO(ours.kept.utxos[7]).join() !== encodeUTXO(decodeUTXO(bytes[7])).join())
    throw new Error('contestants differ on a UTXO')
  yield row({
    name: 'codec memory held per decoded UTXO',
    unit: 'bytes',
    ours: ours.bytes / bytes.length,
    rival: theirs.bytes / theirs.kept.length,
    rivalName: RIVAL,
    limit: 700,
  })
}
