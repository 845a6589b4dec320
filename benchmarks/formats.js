import { readFileSync } from 'node:fs'
import {
  decodeTx,
  decodeUTXO,
  encodeTx,
  encodeUTXO,
  hex,
  networks,
  parseJSON,
  stringifyJSON,
  txToJSON,
  verifyTx,
} from 'avmkit'
import {
  decodeBlock,
  decodeGenesis,
  encodeBlock,
  encodeGenesis,
  localGenesis,
  txFromJSON,
} from 'avmkit/codec'
import { baseTx, utxoBytes } from './lib/fixtures.js'
import { assertSame, row, time } from './lib/harness.js'

/** Rows `formats …`: what `codec` does not measure of bytes, hex, JSON and rules. */
export default function* formats() {
  yield* hexText()
  yield* transactionTypes()
  yield* structs()
  yield* json()
  yield* rules()
}

const cases = readFileSync(new URL('../conformance/kit/cases.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

/** The longest case of a kind that the node accepts. */
function longest(kind, fits = () => true) {
  const found = cases
    .filter(({ input, answer }) => input.kind === kind && answer.ok && fits(answer))
    .map(({ input }) => input.bytes)
  return hex.decode(found.sort((a, b) => b.length - a.length)[0])
}

function* rows(name, functions) {
  for (const [verb, us] of Object.entries(time(functions)))
    yield row({ name: `formats ${verb} ${name}`, unit: 'µs', ours: us })
}

function* hexText() {
  const bytes = encodeTx(baseTx(100, 2))
  const text = hex.encode(bytes)
  assertSame('hex', hex.decode(text), bytes)
  const encode = time({
    ours: () => hex.encode(bytes),
    rival: () => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex'),
  })
  const rivalName = 'Buffer, which verifies nothing'
  const name = `hex of ${bytes.length} bytes`
  yield row({ name: `formats encode ${name}`, unit: 'µs', ...encode, rivalName, cost: true })
  const decode = time({ ours: () => hex.decode(text), rival: () => Buffer.from(text, 'hex') })
  yield row({ name: `formats decode ${name}`, unit: 'µs', ...decode, rivalName, cost: true })
}

function* transactionTypes() {
  for (const type of ['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx']) {
    const bytes = longest('tx', ({ txType }) => txType === type)
    const tx = decodeTx(bytes)
    assertSame(type, encodeTx(tx), bytes)
    yield* rows(`${type} of ${bytes.length} bytes`, {
      decode: () => decodeTx(bytes),
      encode: () => encodeTx(tx),
    })
  }
}

function* structs() {
  const blockBytes = longest('block')
  const block = decodeBlock(blockBytes)
  assertSame('a block', encodeBlock(block), blockBytes)
  yield* rows(`block of ${block.txs.length} transactions, ${blockBytes.length} bytes`, {
    decode: () => decodeBlock(blockBytes),
    encode: () => encodeBlock(block),
  })
  const genesis = localGenesis(12345)
  const genesisBytes = encodeGenesis(genesis)
  assertSame('a genesis', encodeGenesis(decodeGenesis(genesisBytes)), genesisBytes)
  yield* rows(`genesis of ${genesisBytes.length} bytes`, {
    decode: () => decodeGenesis(genesisBytes),
    encode: () => encodeGenesis(genesis),
  })
  const [bytes] = utxoBytes(1)
  const utxo = decodeUTXO(bytes)
  assertSame('a UTXO', encodeUTXO(utxo), bytes)
  yield* rows('UTXO', { decode: () => decodeUTXO(bytes), encode: () => encodeUTXO(utxo) })
}

function* json() {
  const tx = baseTx(100, 2)
  const text = stringifyJSON(txToJSON(tx, networks.fuji))
  const read = () => txFromJSON(parseJSON(text), networks.fuji)
  assertSame('JSON', encodeTx(read()), encodeTx(tx))
  yield* rows('signed BaseTx, 100 inputs 2 outputs', {
    'print as JSON': () => stringifyJSON(txToJSON(tx, networks.fuji)),
    'read from JSON': read,
  })
}

function* rules() {
  const bytes = longest('syntactic', ({ txType }) => txType === 'BaseTx')
  const tx = decodeTx(bytes)
  verifyTx(tx, networks.local)
  yield* rows(`BaseTx of ${bytes.length} bytes against the stateless rules`, {
    verify: () => verifyTx(tx, networks.local),
  })
}
