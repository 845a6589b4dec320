import { createHash } from 'node:crypto'
import { base58, bech32 } from '@scure/base'

// Fields of transactions and their items in the Avalanche app, after its Rust source (ava-labs/ledger-avalanche at 1.4.4,
// app/rust/src/parser). Shares no code with the library, and keeps the peculiarities of the app.

/** An item of the review. */
export type Item = readonly [title: string, text: string]

/** Why the app refuses bytes, as `ParserError` names it. */
export class ParserError extends Error {}

/** The app fails while it draws an item (`ViewError`). */
export class ViewError extends Error {}

/** Reads big-endian numbers, as nom does for the app. */
export class Cursor {
  at = 0
  private readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
  take(size: number): Uint8Array {
    if (this.at + size > this.bytes.length) throw new ParserError('UnexpectedBufferEnd')
    this.at += size
    return this.bytes.slice(this.at - size, this.at)
  }
  u8(): number {
    return this.take(1)[0]!
  }
  u16(): number {
    return (this.u8() << 8) | this.u8()
  }
  u32(): number {
    return this.u16() * 0x10000 + this.u16()
  }
  u64(): bigint {
    return (BigInt(this.u32()) << 32n) | BigInt(this.u32())
  }
  i64(): bigint {
    return BigInt.asIntN(64, this.u64())
  }
  /** Number of bytes that are not read. */
  get left(): number {
    return this.bytes.length - this.at
  }
  peekU32(): number {
    const { at } = this
    const value = this.u32()
    this.at = at
    return value
  }
  tag(type: number): void {
    if (this.u32() !== type) throw new ParserError('InvalidTypeId')
  }
  list<T>(read: () => T, count: number = this.u32()): T[] {
    const items: T[] = []
    // Bounded by the bytes: every item takes some.
    for (let i = 0; i < count; i++) items.push(read())
    return items
  }
}

export type Chain = 'X' | 'P' | 'C'

/** app/rust/vendor/chainIDs.json. */
const CHAIN_IDS: { readonly [text: string]: Chain } = {
  '11111111111111111111111111111111LpoYY': 'P',
  '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM': 'X',
  '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm': 'X',
  '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed': 'X',
  qzfF3A11KzpcHkkqznEyQgupQrCNS6WV6fTUTwZpEKqhj1QE7: 'X',
  '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5': 'C',
  yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp: 'C',
  '2CA6j5zYzasynPsFeNoqWkmTCt3VScMvXUZHbfDJ8k3oGzAPtU': 'C',
  VctwH3nkmztWbkdNXbuo6eCYndsUuemtM9ZFmEUZ5QpA1Fu8G: 'C',
}

export const PREFIXES: ReadonlyMap<number, string> = new Map([
  [1, 'avax'],
  [5, 'fuji'],
  [12345, 'local'],
  [1337, 'custom'],
  [76, 'custom'],
])

export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest())
}

export function cb58(bytes: Uint8Array): string {
  return base58.encode(Uint8Array.from([...bytes, ...sha256(bytes).slice(-4)]))
}

export function chainOf(id: Uint8Array): Chain {
  const chain = CHAIN_IDS[cb58(id)]
  if (chain === undefined) throw new ParserError('InvalidChainId')
  return chain
}

/** The app encodes with an empty prefix where it does not know the network; BIP-173 does not allow that. */
export function addressText(hrp: string, address: Uint8Array): string {
  if (hrp !== '') return bech32.encode(hrp as `${string}`, bech32.toWords(address))
  const words = bech32.toWords(address)
  const polymod = (values: readonly number[]) =>
    values.reduce((sum, value) => {
      const top = sum >>> 25
      const next = ((sum & 0x1ffffff) << 5) ^ value
      const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
      return generators.reduce((s, g, i) => ((top >> i) & 1 ? s ^ g : s), next)
    }, 1)
  const sum = polymod([0, ...words, 0, 0, 0, 0, 0, 0]) ^ 1
  const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
  const checksum = [0, 1, 2, 3, 4, 5].map((i) => (sum >> (5 * (5 - i))) & 31)
  return `1${[...words, ...checksum].map((word) => letters[word]).join('')}`
}

/** `intstr_to_fpstr_inplace`. */
export function fixedPoint(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals)
  const rest = digits.slice(-decimals).replace(/0+$/, '')
  return rest === '' ? whole : `${whole}.${rest}`
}

export const avax = (value: bigint): string => fixedPoint(value, 9)

/** `timestamp_to_str_date`: the calendar ends with 2368. */
export function dateText(seconds: bigint): string {
  if (seconds / 86_400n >= 145_732n) throw new ViewError('InvalidTimestamp')
  const text = new Date(Number(seconds) * 1000).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`
}

/** `checked_add` of u64. */
export function sum(amounts: readonly (bigint | undefined)[]): bigint {
  let total = 0n
  for (const amount of amounts) {
    if (amount === undefined) throw new ViewError('UnexpectedError')
    total += amount
    if (total > 0xffffffffffffffffn) throw new ViewError('OperationOverflows')
  }
  return total
}

export function difference(spent: bigint, created: bigint): string {
  if (created > spent) throw new ViewError('OperationOverflows')
  return avax(spent - created)
}

export type Output = {
  readonly type: 'transfer' | 'mint' | 'nft' | 'nft mint' | 'owners'
  readonly amount?: bigint
  /** Stakeable lock, P-Chain only. */
  readonly locked?: bigint
  readonly addresses: readonly Uint8Array[]
  shown: boolean
}

export function owners(c: Cursor): readonly Uint8Array[] {
  c.u64()
  const threshold = c.u32()
  const addresses = c.list(() => c.take(20))
  if (threshold > addresses.length) throw new ParserError('InvalidThreshold')
  return addresses
}

export function readOutput(c: Cursor, chain: Chain): Output {
  let locked: bigint | undefined
  if (chain === 'P' && c.peekU32() === 0x16) {
    c.u32()
    locked = c.u64()
  }
  const type = c.u32()
  if (type === 7) {
    const amount = c.u64()
    const output = { type: 'transfer', amount, addresses: owners(c), shown: true } as const
    return locked === undefined ? { ...output } : { ...output, locked }
  }
  if (chain === 'P' && type === 0x0b) return { type: 'owners', addresses: owners(c), shown: true }
  if (chain === 'X' && type === 6) return { type: 'mint', addresses: owners(c), shown: true }
  if (chain === 'X' && type === 0x0a) {
    c.u32()
    return { type: 'nft mint', addresses: owners(c), shown: true }
  }
  if (chain === 'X' && type === 0x0b) {
    readNFT(c)
    return { type: 'nft', addresses: [], shown: true }
  }
  throw new ParserError('InvalidTypeId')
}

export type NFT = {
  readonly groupID: number
  readonly payload: Uint8Array
  readonly addresses: readonly Uint8Array[]
}

export function readNFT(c: Cursor): NFT {
  const groupID = c.u32()
  const size = c.u32()
  if (size > 1024) throw new ParserError('ValueOutOfRange')
  return { groupID, payload: c.take(size), addresses: owners(c) }
}

export function readOutputs(c: Cursor, chain: Chain): Output[] {
  if (c.peekU32() > 64) throw new ParserError('TooManyOutputs')
  return c.list(() => {
    c.take(32)
    return readOutput(c, chain)
  })
}

/** Returns the amounts of the inputs. */
export function readInputs(c: Cursor): bigint[] {
  return c.list(() => {
    c.take(32 + 4 + 32)
    if (c.peekU32() === 0x15) c.take(4 + 8)
    c.tag(5)
    const amount = c.u64()
    c.list(() => c.u32())
    return amount
  })
}

export type Base = { readonly outputs: Output[]; readonly inputs: bigint[] }

export function readBase(c: Cursor, chain: Chain): Base {
  const outputs = readOutputs(c, chain)
  const inputs = readInputs(c)
  const memo = c.u32()
  if (memo > 256) throw new ParserError('ValueOutOfRange')
  c.take(memo)
  return { outputs, inputs }
}

/** A parsed transaction: which outputs it may hide, and its review. */
export type Parsed = {
  /** Lists whose outputs to the device are hidden; `force` if a single one is, too. */
  readonly hidable: readonly { readonly outputs: readonly Output[]; readonly force: boolean }[]
  readonly items: () => readonly Item[]
}

export function transferItems(
  title: string,
  outputs: readonly Output[],
  hrp: string,
  locks = false,
): Item[] {
  return outputs
    .filter(({ shown }) => shown)
    .flatMap(({ type, amount, addresses, locked }) => {
      if (type !== 'transfer') throw new ViewError('NoData')
      if (locked !== undefined && !locks) throw new ViewError('NoData')
      return [
        [title, `${avax(amount!)} AVAX to `] as const,
        ...addresses.map((address) => ['Address', addressText(hrp, address)] as const),
        ...(locked === undefined
          ? []
          : [['Funds locked', `${avax(amount!)} AVAX until ${dateText(locked)}`] as const]),
      ]
    })
}

export const amounts = (outputs: readonly Output[]): readonly (bigint | undefined)[] =>
  outputs.map(({ amount }) => amount)

export type Read = (c: Cursor, chain: Chain, hrp: string) => Parsed

export function ascii(bytes: Uint8Array): string {
  if (bytes.some((byte) => byte > 0x7f)) throw new ParserError('InvalidAsciiValue')
  return String.fromCharCode(...bytes)
}
