import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { sha256 } from '../../src/core/base/hash/sha256.ts'
import { networks } from '../../src/core/chain/networks.ts'
import {
  decodeUTXO as decodePUTXO,
  encodeUTXO as encodePUTXO,
  type UTXO as PUTXO,
} from '../../src/core/chain/p/utxo.ts'
import { type Block, decodeBlock, encodeBlock } from '../../src/core/chain/x/block.ts'
import { blockID } from '../../src/core/chain/x/ids.ts'
import { decodeTx, type SignedTx } from '../../src/core/chain/x/tx.ts'
import { decodeUTXO, encodeUTXO, type UTXO } from '../../src/core/chain/x/utxo.ts'
import type { FalseUTXOs } from './false-utxos.ts'
import type { Random } from './random.ts'

/** A request, as a server reads it. */
export type Question = {
  readonly method: string
  readonly params: { readonly [name: string]: unknown }
}

/** What a server answers. */
export type Reply = {
  readonly result?: object | undefined
  readonly error?: object
}

/** What a liar knows. */
export type Surroundings = {
  readonly random: Random
  /** The addresses of the wallets. */
  readonly owners: readonly Uint8Array[]
  /** Every transaction that was issued, by its ID in text. */
  readonly issued: ReadonlyMap<string, Uint8Array>
  /** What it has listed falsely, to be noted here. */
  readonly falseUTXOs: FalseUTXOs
  /** What an honest server answers. */
  readonly ask: (method: string, params: object) => Promise<Reply>
  /** Sends a transaction to an honest server, some time later. */
  readonly releaseLater: (bytes: Uint8Array) => void
}

/** A false answer to some requests. */
type Lie = {
  readonly about: RegExp
  readonly tell: (question: Question, truth: () => Promise<Reply>) => Promise<Reply> | Reply
}

/** Makes a lie that has a memory of its own. */
type NewLie = (at: Surroundings) => Lie

/** A UTXO that a server of any chain lists. */
type ListedUTXO = UTXO | PUTXO

/** Lists of the X-Chain, and what was exported to the C-Chain. */
const UTXOS = {
  decode: decodeUTXO as (bytes: Uint8Array) => ListedUTXO,
  encode: encodeUTXO as (utxo: ListedUTXO) => Uint8Array,
}
const P_UTXOS: typeof UTXOS = {
  decode: decodePUTXO,
  encode: encodePUTXO as typeof UTXOS.encode,
}

const STRANGER = new Uint8Array(20).fill(9)
const INVENTED_AMOUNT = 1_000_000_000_000n

/** Blocks that a liar shows beyond those that it took as a model. */
const MAX_FORGED = 6

/** What a server can lie about, named as in: a server that … */
const LIES = {
  'leaves out some UTXOs': listing((utxos, { random }) => utxos.filter(() => random.chance(0.5))),
  'lists no UTXOs': listing(() => []),
  'invents UTXOs': listing((utxos, at) => [...utxos, invented(at)]),
  'changes amounts': listing((utxos, { random }) =>
    utxos.map((utxo) => (random.chance(0.5) ? withOtherAmount(utxo, random) : utxo)),
  ),
  'shows blocks with other parents': ({ random }) =>
    changedBlocks((block) => ({ ...block, parentID: random.bytes(32) })),
  'shows blocks without their transactions': ({ random }) =>
    changedBlocks((block) => ({ ...block, txs: block.txs.filter(() => random.chance(0.3)) })),
  'shows blocks with invented transactions': forging((at) => [forgedTx(at)]),
  'shows blocks with pending transactions': forging(({ issued }) =>
    [...issued.values()].slice(-3).map(decodeTx),
  ),
  'withholds blocks': () => ({ about: /\.getBlockByHeight$/, tell: notFound }),
  'withholds transactions': () => ({ about: /\.(getTx|getAtomicTx)$/, tell: notFound }),
  'shows pending transactions as accepted': pendingAsAccepted,
  'does not issue transactions': () => ({ about: ISSUE, tell: issuedReply }),
  'issues transactions later': ({ releaseLater }) => ({
    about: ISSUE,
    tell: (question) => {
      if (question.method === 'avm.issueTx') releaseLater(issuedBytes(question))
      return issuedReply(question)
    },
  }),
  'reports another fee': ({ random }) =>
    changed(/^avm\.getTxFee$/, ({ txFee }: { txFee: string }) => ({
      txFee: String(random.chance(0.5) ? BigInt(txFee) / 2n : BigInt(txFee) * 2n),
    })),
  'reports another height': ({ random }) =>
    changed(/^avm\.getHeight$/, ({ height }: { height: string }) => ({
      height: String(random.chance(0.5) ? BigInt(height) / 2n : BigInt(height) * 1000n),
    })),
} satisfies { readonly [name: string]: NewLie }

/**
 * Lies after which a wallet that believes them can have payments that stay pending, because nothing proves that their
 * inputs will never exist. With a quorum of 1 they would not end.
 */
const ENDLESS: readonly string[] = ['invents UTXOs', 'shows blocks with invented transactions']

/** A server that lies, each time or sometimes, in several ways. */
export class Liar {
  readonly lies: readonly string[]
  private readonly parts: readonly { readonly lie: Lie; readonly chance: number }[]
  private readonly random: Random

  /** @param isBelieved - whether wallets believe a single server */
  constructor(at: Surroundings, isBelieved: boolean) {
    const { random } = at
    const names = (Object.keys(LIES) as (keyof typeof LIES)[]).filter(
      (name) => !isBelieved || !ENDLESS.includes(name),
    )
    const drawn = names.filter(() => random.chance(0.25))
    const lies = drawn.length === 0 ? [random.pick(names)] : drawn
    this.random = random
    this.lies = lies
    this.parts = lies.map((name) => ({ lie: LIES[name](at), chance: random.pick([0.2, 0.6, 1]) }))
  }

  /** The first lie that concerns a request and is told now answers it. */
  async reply(question: Question, truth: () => Promise<Reply>): Promise<Reply> {
    for (const { lie, chance } of this.parts)
      if (lie.about.test(question.method) && this.random.chance(chance))
        return lie.tell(question, truth)
    return truth()
  }
}

const ISSUE = /^(avm|platform|avax)\.issueTx$/

/** Changes members of results. */
function changed<Result extends object>(
  about: RegExp,
  change: (result: Result, question: Question) => object,
): Lie {
  return {
    about,
    tell: async (question, truth) => {
      const reply = await truth()
      return reply.result === undefined
        ? reply
        : { result: { ...reply.result, ...change(reply.result as Result, question) } }
    },
  }
}

/** Changes lists of UTXOs on all chains, also of those that another chain has exported. */
function listing(
  change: (utxos: readonly ListedUTXO[], at: Surroundings) => readonly ListedUTXO[],
): NewLie {
  return (at) =>
    changed(
      /^(avm|platform|avax)\.getUTXOs$/,
      ({ utxos: listed }: { utxos: readonly string[] }, { method }) => {
        const { decode, encode } = method === 'platform.getUTXOs' ? P_UTXOS : UTXOS
        const changed = change(
          listed.map((text) => decode(checkedHex.decode(text))),
          at,
        )
        const utxos = changed.map((utxo) => checkedHex.encode(encode(utxo)))
        utxos.forEach((text, i) => {
          if (!listed.includes(text)) at.falseUTXOs.add(changed[i]!)
        })
        return { utxos, numFetched: String(utxos.length) }
      },
    )
}

/** A UTXO that does not exist, of a few that are always the same. */
function invented({ random, owners }: Surroundings): UTXO {
  const txID = sha256(Uint8Array.of(random.below(4)))
  const output = outputTo(owners[0]!, INVENTED_AMOUNT)
  return { txID, outputIndex: 0, assetID: networks.local.assetID, output }
}

function withOtherAmount(utxo: ListedUTXO, random: Random): ListedUTXO {
  const { output } = utxo
  if (output.type !== 'secp256k1fx.TransferOutput') return utxo
  const amount = random.chance(0.5) ? output.amount * 2n : 1n
  return { ...utxo, output: { ...output, amount } }
}

function outputTo(address: Uint8Array, amount: bigint) {
  const owners = { locktime: 0n, threshold: 1, addresses: [address] }
  return { type: 'secp256k1fx.TransferOutput' as const, amount, ...owners }
}

/** Changes blocks, each time in another way. */
function changedBlocks(change: (block: Block) => Block): Lie {
  return changed(/^avm\.getBlockByHeight$/, ({ block }: { block: string }) =>
    blockResult(encodeBlock(change(decodeBlock(checkedHex.decode(block))))),
  )
}

/** Shows a fork of the chain, each block of which follows the previous one; a few blocks are above the others. */
function forging(txsOf: (at: Surroundings) => readonly SignedTx[]): NewLie {
  return (at) => {
    const forged = new Map<bigint, Uint8Array>()
    return {
      about: /^avm\.getBlockByHeight$/,
      tell: async ({ params }, truth) => {
        const height = BigInt(String(params.height))
        const known = forged.get(height)
        if (known !== undefined) return { result: blockResult(known) }
        const txs = txsOf(at)
        const parent = forged.get(height - 1n) ?? (await trueBlock(at, height - 1n))
        if (txs.length === 0 || parent === undefined || forged.size === MAX_FORGED) return truth()
        const model = await trueBlock(at, height)
        const { time, txs: others } = decodeBlock(model ?? parent)
        const bytes = encodeBlock({
          type: 'StandardBlock',
          parentID: blockID(parent),
          height,
          time,
          merkleRoot: new Uint8Array(32),
          txs: model === undefined ? txs : [...others, ...txs],
        })
        forged.set(height, bytes)
        return { result: blockResult(bytes) }
      },
    }
  }
}

async function trueBlock({ ask }: Surroundings, height: bigint): Promise<Uint8Array | undefined> {
  const params = { height: String(height), encoding: 'hex' }
  const { result } = await ask('avm.getBlockByHeight', params)
  return result && checkedHex.decode((result as { block: string }).block)
}

function blockResult(bytes: Uint8Array): object {
  return { block: checkedHex.encode(bytes), encoding: 'hex' }
}

/** A transaction that nobody signed: it pays the wallet from nothing, or spends what the wallet has. */
function forgedTx(at: Surroundings): SignedTx {
  const isGift = at.random.chance(0.5)
  const spent = isGift ? invented(at) : ownUTXO(at)
  const { networkID, chainID, assetID } = networks.local
  const amount = 'amount' in spent.output ? spent.output.amount : 1n
  const to = isGift ? at.owners[0]! : STRANGER
  return {
    unsignedTx: {
      type: 'BaseTx',
      networkID,
      blockchainID: chainID,
      outputs: [{ assetID, output: outputTo(to, INVENTED_AMOUNT) }],
      inputs: [
        {
          ...spent,
          input: { type: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] },
        },
      ],
      memo: new Uint8Array(),
    },
    credentials: [{ type: 'secp256k1fx.Credential', signatures: [new Uint8Array(65).fill(1)] }],
  }
}

/** An output of a transaction that was issued, which the wallet may have. */
function ownUTXO(at: Surroundings): UTXO {
  const bytes = [...at.issued.values()].at(-1)
  return bytes === undefined
    ? invented(at)
    : { ...invented(at), txID: sha256(bytes), outputIndex: at.random.below(2) }
}

/** Shows transactions that were issued as accepted, on all chains. */
function pendingAsAccepted({ issued }: Surroundings): Lie {
  return {
    about: /^(avm\.getTx|platform\.getTxStatus|avax\.getAtomicTx|avax\.getAtomicTxStatus)$/,
    tell: ({ method, params }, truth) => {
      const bytes = issued.get(String(params.txID))
      if (bytes === undefined) return truth()
      const tx = { tx: checkedHex.encode(bytes), encoding: 'hex' }
      const result = {
        'avm.getTx': tx,
        'platform.getTxStatus': { status: 'Committed' },
        'avax.getAtomicTx': { ...tx, blockHeight: '1' },
        'avax.getAtomicTxStatus': { status: 'Accepted', blockHeight: '1' },
      }[method]
      return { result }
    },
  }
}

function issuedBytes({ params }: Question): Uint8Array {
  return checkedHex.decode(String(params.tx))
}

function issuedReply(question: Question): Reply {
  return { result: { txID: formatID(sha256(issuedBytes(question))) } }
}

function notFound(): Reply {
  return { error: { code: -32000, message: 'not found', data: null } }
}
