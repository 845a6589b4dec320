import {
  addressText,
  amounts,
  ascii,
  avax,
  type Chain,
  Cursor,
  chainOf,
  difference,
  type Item,
  type NFT,
  owners,
  type Parsed,
  ParserError,
  PREFIXES,
  type Read,
  readBase,
  readInputs,
  readNFT,
  readOutput,
  readOutputs,
  sum,
  transferItems,
} from './app-fields.ts'
import { STAKING_READERS } from './app-staking.ts'

// The parser and the review of the Avalanche app, after its Rust source (ava-labs/ledger-avalanche at 1.4.4,
// app/rust/src/parser).

/** `Transaction::new_into`. Bytes behind the transaction are not noticed. */
export function parseTransaction(bytes: Uint8Array): Parsed {
  const c = new Cursor(bytes)
  if (c.u16() !== 0) throw new ParserError('InvalidCodec')
  const type = c.u32()
  const hrp = PREFIXES.get(c.u32())
  if (hrp === undefined) throw new ParserError('InvalidNetworkId')
  const chain = chainOf(c.take(32))
  const reader = READERS[`${chain}${type}`] ?? READERS[`*${type}`] ?? STAKING_READERS[type]
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

/** By type ID; `*` for every chain, as in `Transaction__Type::try_from`. */
const READERS: { readonly [key: string]: Read } = {
  C0: cImport,
  C1: cExport,
  X1: createAsset,
  '*0': transfer,
  '*2': operation,
  '*3': importOf('X', 'Sending', 'Fee(AVAX)'),
  '*4': exportOf('X'),
  [`*${0x11}`]: importOf('P', 'Importing in P-Chain', 'Fee'),
  [`*${0x12}`]: exportOf('P'),
  [`*${0x22}`]: pBase,
}
