import { createHash } from 'node:crypto'
import { base58, bech32 } from '@scure/base'

// The parser and the review of the Avalanche app, after its Rust source (ava-labs/ledger-avalanche at 1.4.4,
// app/rust/src/parser). It shares no code with the library, and keeps the peculiarities of the app.

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

type Chain = 'X' | 'P' | 'C'

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

const PREFIXES = new Map([
  [1, 'avax'],
  [5, 'fuji'],
  [12345, 'local'],
  [1337, 'custom'],
  [76, 'custom'],
])

export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest())
}

function cb58(bytes: Uint8Array): string {
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
function fixedPoint(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals)
  const rest = digits.slice(-decimals).replace(/0+$/, '')
  return rest === '' ? whole : `${whole}.${rest}`
}

const avax = (value: bigint) => fixedPoint(value, 9)

/** `timestamp_to_str_date`: the calendar ends with 2368. */
function dateText(seconds: bigint): string {
  if (seconds / 86_400n >= 145_732n) throw new ViewError('InvalidTimestamp')
  const text = new Date(Number(seconds) * 1000).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`
}

/** `checked_add` of u64. */
function sum(amounts: readonly (bigint | undefined)[]): bigint {
  let total = 0n
  for (const amount of amounts) {
    if (amount === undefined) throw new ViewError('UnexpectedError')
    total += amount
    if (total > 0xffffffffffffffffn) throw new ViewError('OperationOverflows')
  }
  return total
}

function difference(spent: bigint, created: bigint): string {
  if (created > spent) throw new ViewError('OperationOverflows')
  return avax(spent - created)
}

type Output = {
  readonly type: 'transfer' | 'mint' | 'nft' | 'nft mint' | 'owners'
  readonly amount?: bigint
  /** Stakeable lock, P-Chain only. */
  readonly locked?: bigint
  readonly addresses: readonly Uint8Array[]
  shown: boolean
}

function owners(c: Cursor): readonly Uint8Array[] {
  c.u64()
  const threshold = c.u32()
  const addresses = c.list(() => c.take(20))
  if (threshold > addresses.length) throw new ParserError('InvalidThreshold')
  return addresses
}

function readOutput(c: Cursor, chain: Chain): Output {
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

type NFT = {
  readonly groupID: number
  readonly payload: Uint8Array
  readonly addresses: readonly Uint8Array[]
}

function readNFT(c: Cursor): NFT {
  const groupID = c.u32()
  const size = c.u32()
  if (size > 1024) throw new ParserError('ValueOutOfRange')
  return { groupID, payload: c.take(size), addresses: owners(c) }
}

function readOutputs(c: Cursor, chain: Chain): Output[] {
  if (c.peekU32() > 64) throw new ParserError('TooManyOutputs')
  return c.list(() => {
    c.take(32)
    return readOutput(c, chain)
  })
}

/** Returns the amounts of the inputs. */
function readInputs(c: Cursor): bigint[] {
  return c.list(() => {
    c.take(32 + 4 + 32)
    if (c.peekU32() === 0x15) c.take(4 + 8)
    c.tag(5)
    const amount = c.u64()
    c.list(() => c.u32())
    return amount
  })
}

type Base = { readonly outputs: Output[]; readonly inputs: bigint[] }

function readBase(c: Cursor, chain: Chain): Base {
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

/** `Transaction::new_into`. Bytes behind the transaction are not noticed. */
export function parseTransaction(bytes: Uint8Array): Parsed {
  const c = new Cursor(bytes)
  if (c.u16() !== 0) throw new ParserError('InvalidCodec')
  const type = c.u32()
  const hrp = PREFIXES.get(c.u32())
  if (hrp === undefined) throw new ParserError('InvalidNetworkId')
  const chain = chainOf(c.take(32))
  const reader = READERS[`${chain}${type}`] ?? READERS[`*${type}`]
  if (reader === undefined) throw new ParserError('InvalidTransactionType')
  return reader(c, chain, hrp)
}

/** `disable_output_if`: each path toggles the outputs of its address. */
export function toggleOutputs({ hidable }: Parsed, address: Uint8Array): void {
  for (const { outputs, force } of hidable) {
    if (outputs.length <= 1 && !force) continue
    for (const output of outputs) {
      const isOwn = Buffer.compare(output.addresses[0] ?? new Uint8Array(), address) === 0
      if (output.addresses.length === 1 && isOwn) output.shown = !output.shown
    }
  }
}

function transferItems(
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

const amounts = (outputs: readonly Output[]) => outputs.map(({ amount }) => amount)

type Read = (c: Cursor, chain: Chain, hrp: string) => Parsed

function otherChain(c: Cursor, chain: Chain): Chain {
  const other = chainOf(c.take(32))
  if (other === chain) throw new ParserError('InvalidTransactionType')
  return other
}

const transfer: Read = (c, _chain, hrp) => {
  const { outputs, inputs } = readBase(c, 'X')
  if (outputs.some(({ type }) => type !== 'transfer')) throw new ParserError('UnexpectedType')
  return {
    hidable: [{ outputs, force: false }],
    items: () => [
      ['Transfer', 'Transaction'],
      ...transferItems('Transfer', outputs, hrp),
      ['Fee(AVAX)', difference(sum(inputs), sum(amounts(outputs)))],
    ],
  }
}

const pBase: Read = (c, _chain, hrp) => {
  const { outputs, inputs } = readBase(c, 'P')
  return {
    hidable: [{ outputs, force: false }],
    items: () => [
      ['P-Chain', 'BaseTx'],
      ...transferItems('Amount', outputs, hrp, true),
      ['Fee(AVAX)', difference(sum(inputs), sum(amounts(outputs)))],
    ],
  }
}

function importOf(outputChain: 'X' | 'P', kind: string, feeTitle: string): Read {
  return (c, chain, hrp) => {
    const { outputs, inputs } = readBase(c, outputChain)
    const source = otherChain(c, chain)
    const imported = readInputs(c)
    return {
      hidable: [{ outputs, force: false }],
      items: () => [
        ['ImportTx', kind],
        ...transferItems('Amount', outputs, hrp),
        ['From ', `${source} Chain`],
        [feeTitle, difference(sum([...inputs, ...imported]), sum(amounts(outputs)))],
      ],
    }
  }
}

function exportOf(outputChain: 'X' | 'P'): Read {
  return (c, chain, hrp) => {
    const { outputs, inputs } = readBase(c, outputChain)
    const destination = otherChain(c, chain)
    const exported = readOutputs(c, outputChain)
    if ([...outputs, ...exported].some(({ locked }) => locked !== undefined))
      throw new ParserError('UnexpectedType')
    return {
      hidable: [
        { outputs, force: false },
        { outputs: exported, force: false },
      ],
      items: () => [
        ['Export Tx', `${chain} to ${destination} Chain`],
        ...transferItems('Amount', exported, hrp),
        ['Fee(AVAX)', difference(sum(inputs), sum(amounts([...outputs, ...exported])))],
      ],
    }
  }
}

const cImport: Read = (c, chain) => {
  const source = otherChain(c, chain)
  const inputs = readInputs(c)
  if (c.peekU32() > 64) throw new ParserError('TooManyOutputs')
  const outputs = c.list(() => {
    const address = c.take(20)
    const amount = c.u64()
    c.take(32)
    return { address, amount }
  })
  return {
    // Compared with addresses of accounts, so that the device's own never match.
    hidable: [],
    items: () => [
      ['ImportTx', 'Importing in C-Chain'],
      ...outputs.flatMap(({ address, amount }): Item[] => [
        ['Amount', avax(amount)],
        ['To', `0x${Buffer.from(address).toString('hex')}`],
      ]),
      ['From ', `${source} Chain`],
      ['Fee', difference(sum(inputs), sum(outputs.map(({ amount }) => amount)))],
    ],
  }
}

const cExport: Read = (c, chain, hrp) => {
  const destination = otherChain(c, chain)
  const inputs = c.list(() => {
    c.take(20)
    const amount = c.u64()
    c.take(32 + 8)
    return amount
  })
  const outputs = readOutputs(c, 'C')
  return {
    hidable: [{ outputs, force: false }],
    items: () => [
      ['Export Tx', `C to ${destination} Chain`],
      ...transferItems('Amount', outputs, hrp),
      ['Fee(AVAX)', difference(sum(inputs), sum(amounts(outputs)))],
    ],
  }
}

function ascii(bytes: Uint8Array): string {
  if (bytes.some((byte) => byte > 0x7f)) throw new ParserError('InvalidAsciiValue')
  return String.fromCharCode(...bytes)
}

function nftItems({ groupID, payload, addresses }: NFT): Item[] {
  const isASCII = payload.every((byte) => byte < 0x80)
  const limit = isASCII ? 50 : 25
  const part = payload.slice(0, limit)
  const text = isASCII ? ascii(part) : `0x${Buffer.from(part).toString('hex')}`
  return [
    ['GroupID: ', String(groupID)],
    ['Payload: ', payload.length > limit ? `${text}...` : text],
    ...addresses.map((address): Item => ['Owner: ', addressText('', address)]),
  ]
}

/** The app expects type IDs in a minting operation and no list of owners in an NFT's; the node writes neither so. */
function readOperation(c: Cursor): () => Item[] {
  c.take(32)
  c.list(() => c.take(36))
  const type = c.u32()
  c.list(() => c.u32())
  if (type === 0x0c || type === 0x0d) {
    const nft = readNFT(c)
    const name = type === 0x0c ? 'NFTMintOperation' : 'NFTTransferOperation'
    return () => [['Op. Type:', name], ...nftItems(nft)]
  }
  if (type !== 8) throw new ParserError('InvalidTypeId')
  c.tag(6)
  owners(c)
  c.tag(7)
  const amount = c.u64()
  const addresses = owners(c)
  return () => [
    ['Op. Type:', 'SECPMintOperation'],
    ['SECPMint', 'Operation'],
    ['Transfer: ', `${avax(amount)} AVAX to `],
    ...addresses.map((address): Item => ['Address', addressText('', address)]),
  ]
}

const operation: Read = (c, chain, hrp) => {
  if (chain !== 'X') throw new ParserError('InvalidChainId')
  const { outputs, inputs } = readBase(c, 'X')
  const operations = c.list(() => readOperation(c))
  return {
    hidable: [{ outputs, force: true }],
    items: () => [
      ['Operation', 'Transaction'],
      ...transferItems('Transfer', outputs, hrp),
      ...operations.flatMap((items) => items()),
      ['Fee(AVAX)', difference(sum(inputs), sum(amounts(outputs)))],
    ],
  }
}

const createAsset: Read = (c) => {
  const { outputs, inputs } = readBase(c, 'X')
  const name = ascii(c.take(c.u16()))
  const symbol = ascii(c.take(c.u16()))
  if (name.length > 128 || symbol.length > 4) throw new ParserError('ValueOutOfRange')
  const denomination = c.u8()
  c.list(() => {
    if (c.u32() > 1) throw new ParserError('UnexpectedType')
    return c.list(() => readOutput(c, 'X'))
  })
  return {
    hidable: [],
    items: () => [
      ['CreateAsset', 'Transaction'],
      ['Asset Name', name],
      ['Asset symbol', symbol],
      ['Denomination', String(denomination)],
      ['Fee(AVAX)', difference(sum(inputs), sum(amounts(outputs)))],
    ],
  }
}

// Staking and subnets: the library has no such transactions, the device signs them for others.

type Validator = { readonly weight: bigint; readonly items: (weightItem: Item) => Item[] }

function readValidator(c: Cursor): Validator {
  const nodeID = c.take(20)
  const [start, end, weight] = [c.u64(), c.u64(), c.u64()]
  if (end <= start) throw new ParserError('InvalidTimestamp')
  return {
    weight,
    items: (weightItem) => [
      ['Validator', `NodeID-${cb58(nodeID)}`],
      ['Start time', dateText(start)],
      ['End time', dateText(end)],
      weightItem,
    ],
  }
}

function staking(title: string, hasShares: boolean): Read {
  return (c, _chain, hrp) => {
    const { outputs, inputs } = readBase(c, 'P')
    const validator = readValidator(c)
    const stake = readOutputs(c, 'P')
    if (sum(amounts(stake)) !== validator.weight) throw new ParserError('InvalidStakingAmount')
    c.tag(0x0b)
    const rewards = owners(c)
    const shares = hasShares ? c.u32() : 0
    return {
      hidable: [
        { outputs, force: true },
        { outputs: stake, force: true },
      ],
      items: () => [
        [title, 'Transaction'],
        ...transferItems('Transfer', outputs, hrp, true),
        ...validator.items(['Total stake(AVAX)', avax(validator.weight)]),
        ...transferItems('Stake', stake, hrp, true),
        ...rewards.map((address): Item => ['Rewards to', addressText(hrp, address)]),
        ...(hasShares ? [['Delegate fee(%)', fixedPoint(BigInt(shares), 4)] as const] : []),
        ['Fee(AVAX)', difference(sum(inputs), sum(amounts([...outputs, ...stake])))],
      ],
    }
  }
}

function subnet(read: (c: Cursor, hrp: string) => readonly Item[]): Read {
  return (c, _chain, hrp) => {
    const { outputs, inputs } = readBase(c, 'P')
    const items = read(c, hrp)
    return {
      hidable: [],
      items: () => [...items, ['Fee(AVAX)', difference(sum(inputs), sum(amounts(outputs)))]],
    }
  }
}

function readAuthorization(c: Cursor): void {
  c.tag(0x0a)
  c.list(() => c.u32())
}

const subnetValidator = subnet((c) => {
  const validator = readValidator(c)
  const subnetID = cb58(c.take(32))
  readAuthorization(c)
  return [
    ['SubnetValidator', 'Transaction'],
    ...validator.items(['Weight', String(validator.weight)]),
    ['SubnetID', subnetID],
  ]
})

const createChain = subnet((c) => {
  const subnetID = cb58(c.take(32))
  const name = ascii(c.take(c.u16()))
  const vmID = cb58(c.take(32))
  c.list(() => c.take(32))
  const genesis = c.take(c.u32())
  readAuthorization(c)
  return [
    ['CreateChain', 'transaction'],
    ['SubnetID', subnetID],
    ['ChainName', name],
    ['VMID', vmID],
    ['GenesisData', Buffer.from(sha256(genesis)).toString('hex')],
  ]
})

const createSubnet = subnet((c, hrp) => {
  c.tag(0x0b)
  return [
    ['CreateSubnet', 'transaction'],
    ...owners(c).map((address): Item => ['Owner address', addressText(hrp, address)]),
  ]
})

/** By type ID; `*` for every chain, as in `Transaction__Type::try_from`. */
const READERS: { readonly [key: string]: Read } = {
  C0: cImport,
  C1: cExport,
  X1: createAsset,
  '*0': transfer,
  '*2': operation,
  '*3': importOf('X', 'Sending', 'Fee(AVAX)'),
  '*4': exportOf('X'),
  [`*${0x0c}`]: staking('AddValidator', true),
  [`*${0x0d}`]: subnetValidator,
  [`*${0x0e}`]: staking('AddDelegator', false),
  [`*${0x0f}`]: createChain,
  [`*${0x10}`]: createSubnet,
  [`*${0x11}`]: importOf('P', 'Importing in P-Chain', 'Fee'),
  [`*${0x12}`]: exportOf('P'),
  [`*${0x22}`]: pBase,
}
