import { cb58, checkedHex, formatAddress, hex } from 'avmkit'
import { encodeBech32 } from '../../dist/core/base/encoding/bech32.js'

// Changes to the inputs of a case. Other cases of the pool cross over: pieces of them are put in.

const NUMBERS = [0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000, 0x40000, 0x7fffffff]
const WORDS = [...NUMBERS, 0x80000000, 0xfffffffe, 0xffffffff]
const LONGS = [0n, 1n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]

const byteChanges = [
  (random, bytes) => {
    bytes[random.below(bytes.length)] ^= 1 << random.below(8)
    return bytes
  },
  (random, bytes) => {
    bytes[random.below(bytes.length)] = random.pick(NUMBERS)
    return bytes
  },
  (random, bytes) => {
    if (bytes.length >= 4) bytes.writeUInt32BE(random.pick(WORDS), random.below(bytes.length - 3))
    return bytes
  },
  // Counts and type IDs are small numbers: the next ones are the likeliest to be taken.
  (random, bytes) => {
    if (bytes.length < 4) return bytes
    for (let tries = 0; tries < 32; tries++) {
      const at = random.below(bytes.length - 3)
      const number = bytes.readUInt32BE(at)
      if (number > 32) continue
      bytes.writeUInt32BE(Math.max(0, number + random.pick([-1, 1, 2])), at)
      break
    }
    return bytes
  },
  (random, bytes) => {
    if (bytes.length >= 8)
      bytes.writeBigUInt64BE(random.pick(LONGS), random.below(bytes.length - 7))
    return bytes
  },
  (random, bytes) => bytes.subarray(0, random.below(bytes.length)),
  (random, bytes) => {
    const at = random.below(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(40))])
  },
  // Repeats or moves a piece.
  (random, bytes) => {
    const at = random.below(bytes.length)
    const piece = bytes.subarray(at, at + 1 + random.below(120))
    const to = random.below(bytes.length)
    return Buffer.concat([bytes.subarray(0, to), piece, bytes.subarray(to)])
  },
  (random, bytes) => Buffer.concat([bytes, Buffer.alloc(1 + random.below(4))]),
  // Crossing over.
  (random, bytes, other) => {
    const at = random.below(bytes.length)
    const from = random.chance(2) ? at : random.below(other.length + 1)
    return Buffer.concat([bytes.subarray(0, at), other.subarray(from)])
  },
  (random, bytes, other) => {
    const length = random.pick([4, 8, 20, 32, 65, 1 + random.below(200)])
    const from = random.below(other.length + 1)
    const piece = other.subarray(from, from + length)
    const at = random.below(bytes.length)
    const rest = random.chance(2) ? at + piece.length : at
    return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(rest)])
  },
]

/** Results are cut to this length. */
const MAX_LENGTH = 6000

/** Hex with one to three changes. */
export function mutateHex(random, text, otherText) {
  let bytes = Buffer.from(text, 'hex')
  const other = Buffer.from(otherText, 'hex')
  for (let left = 1 + random.below(3); left > 0 && bytes.length > 0; left--)
    bytes = random.pick(byteChanges)(random, bytes, other)
  return bytes.subarray(0, MAX_LENGTH).toString('hex')
}

const CHARACTERS =
  '0123456789abcdefxXPpCc-:ABCDEFGHJKLMNqpzry9x8gf2tvdw0s3jn54khce6mua7l1oIO \u00e9'

const textChanges = [
  (random, text) => text.slice(0, random.below(text.length + 1)),
  (random, text) => {
    const at = random.below(text.length + 1)
    return text.slice(0, at) + random.pick([...CHARACTERS]) + text.slice(at + random.below(2))
  },
  (random, text, other) =>
    text.slice(0, random.below(text.length + 1)) + other.slice(random.below(other.length + 1)),
  (_, text) => text.toUpperCase(),
  (_, text) => text.toLowerCase(),
  (random, text) => random.pick(['', ' ', '0x', 'X-', 'P-', 'NodeID-', 'PrivateKey-', '1']) + text,
  (_, text) => text.replace(/^[^-]*-/, ''),
]

const randomBytes = (random, length) => Uint8Array.from({ length }, () => random.below(256))

/** Texts with a checksum that holds: a changed character nearly never has one. */
const checkedTexts = {
  cb58: (random, length) => cb58.encode(randomBytes(random, length)),
  id: (random, length) => cb58.encode(randomBytes(random, length)),
  shortID: (random, length) => cb58.encode(randomBytes(random, length)),
  nodeID: (random, length) => `NodeID-${cb58.encode(randomBytes(random, length))}`,
  privateKey: (random, length) => `PrivateKey-${cb58.encode(randomBytes(random, length))}`,
  utxoID: (random, length) =>
    `${cb58.encode(randomBytes(random, length))}:${random.pick(WORDS) + random.below(3)}`,
  hex: (random, length) => checkedHex.encode(randomBytes(random, length)),
  hexc: (random, length) => checkedHex.encode(randomBytes(random, length)),
  hexnc: (random, length) => `0x${hex.encode(randomBytes(random, length))}`,
  bech32: (random, length) =>
    encodeBech32(random.pick(['avax', 'fuji', 'local', 'x']), randomBytes(random, length)),
  address: address('X', 'P', 'C', 'xx'),
  localAddress: address('X', 'avm', 'P'),
  serviceAddress: address('X', 'avm', 'P'),
}

function address(...chains) {
  return (random) =>
    formatAddress({
      chain: random.pick(chains),
      hrp: random.pick(['local', 'local', 'avax', 'fuji', 'custom']),
      address: randomBytes(random, 20),
    })
}

function mutateText(random, item, other) {
  const make = checkedTexts[item.as]
  // Now and then the usual lengths, else any.
  const length = random.pick([20, 32, 32, random.below(40), random.below(40)])
  let text = make !== undefined && random.chance(2) ? make(random, length) : item.text
  if (text === item.text || random.chance(3))
    text = random.pick(textChanges)(random, text, other.text)
  return { ...item, text: text.slice(0, 400).toWellFormed() }
}

const number = (random) =>
  String(
    random.pick([
      () => BigInt(random.below(10)),
      () => BigInt(random.next()),
      () => (BigInt(random.next()) << 32n) | BigInt(random.next()),
      () => BigInt(random.next()) >> BigInt(random.below(32)),
      () => random.pick(LONGS),
    ])(),
  )

const onBytes = (name) => (random, item, other) =>
  item[name] === undefined || other[name] === undefined
    ? item
    : { ...item, [name]: mutateHex(random, item[name], other[name]) }

/** Changes one UTXO, the time, or the transaction. */
const onSpending = (bytes, utxos, price) => (random, item, other) => {
  const choice = random.below(10)
  // The node's clock is a signed number.
  if (choice === 0) return { ...item, now: String(BigInt(number(random)) >> 2n) }
  if (choice === 1 && price) return { ...item, price: String(random.next()) }
  const list = item[utxos] ?? []
  if (choice < 5 && list.length > 0) {
    const at = random.below(list.length)
    const from = other[utxos]?.[0] ?? list[at]
    return { ...item, [utxos]: list.with(at, mutateHex(random, list[at], from)) }
  }
  return onBytes(bytes)(random, item, other)
}

const shuffled = (random, list) =>
  list
    .map((value) => [random.next(), value])
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value)

const changes = {
  tx: onBytes('bytes'),
  'genesis-tx': onBytes('bytes'),
  'genesis-bytes': onBytes('bytes'),
  utxo: onBytes('bytes'),
  block: onBytes('bytes'),
  syntactic: onBytes('bytes'),
  'utxos-of-tx': onBytes('bytes'),
  semantic: onSpending('bytes', 'utxos', false),
  size: onBytes('unsigned'),
  order: (random, item, other) => {
    const pieces = item.what === other.what ? [...item.elements, ...other.elements] : item.elements
    return { ...item, elements: shuffled(random, pieces).slice(0, 2 + random.below(8)) }
  },
  // A hash of another length is no hash, and refused here.
  recover: (random, item, other) =>
    random.chance(4)
      ? { ...item, hash: hex.encode(randomBytes(random, 32)) }
      : onBytes('signature')(random, item, other),
  sign: (random, item) => {
    if (item.privateKey === undefined) return item
    const key = { privateKey: hex.encode(randomBytes(random, 32)) }
    if (item.message === undefined)
      return { ...item, ...key, hash: hex.encode(randomBytes(random, 32)) }
    return { ...item, ...key, message: hex.encode(randomBytes(random, random.below(60))) }
  },
  text: mutateText,
  'p-tx': onBytes('signed'),
  'c-tx': onBytes('signed'),
  'p-utxo': onBytes('utxo'),
  'p-spend': onSpending('signed', 'spends', true),
  'c-spend': onSpending('signed', 'spends', true),
  'p-fee': (random, item) => ({
    kind: item.kind,
    minPrice: number(random),
    // The node's own is never 0.
    conversion: String(BigInt(number(random)) || 1n),
    capacity: number(random),
    excess: number(random),
    seconds: number(random),
    gas: number(random),
  }),
  'c-fee': (random, item) => ({ kind: item.kind, gas: number(random), baseFee: number(random) }),
}

/** Whether a case can be changed. Long ones are only in the vectors: they take more time than they tell. */
export function isMutable({ kind, parts, what }) {
  return kind in changes && parts === undefined && what !== 'context'
}

/** A changed copy of a case. */
export function mutate(random, item, other) {
  return changes[item.kind](random, item, other)
}
