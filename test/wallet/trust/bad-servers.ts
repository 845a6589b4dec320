import { onTestFinished } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { type Block, encodeBlock } from '../../../src/core/chain/x/block.ts'
import { createdUTXOs } from '../../../src/core/chain/x/created.ts'
import { txID as idOf } from '../../../src/core/chain/x/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../../src/core/chain/x/tx.ts'
import { decodeUTXO, encodeUTXO, type UTXO } from '../../../src/core/chain/x/utxo.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../../src/devnode/index.ts'
import type { Clock } from '../../../src/node/index.ts'
import { sha256 } from '../../node/blocks/block-servers.ts'
import { FALSE_ENTRIES } from '../false-entries.ts'
import {
  type Call,
  errorFor,
  type Interceptor,
  resultFor,
  silence,
  withResult,
} from '../requests.ts'
import { direct, fee } from '../setup.ts'

/** What a bad server knows. */
export type Surroundings = {
  /** The node that answers where the server does not lie. */
  readonly node: DevNode
  readonly clock: Clock
  /** The address of the wallet. */
  readonly owner: Uint8Array
  /** UTXOs of the wallet that were spent long ago. */
  readonly spent: readonly UTXO[]
}

/** Makes the interceptor of a server, which keeps its own state. */
export type Behavior = (at: Surroundings) => Interceptor | Promise<Interceptor>

const STRANGER = new Uint8Array(20).fill(9)
const INVENTED_AMOUNT = 1_000_000_000_000n
const LISTING = /^(avm|platform|avax)\.getUTXOs$/

/** A server that behaves in all of these ways: the first that applies to a request answers it. */
export function badServer(...names: readonly string[]): Behavior {
  return composed(
    ...names.map((name) => {
      const behavior = BEHAVIORS[name]
      if (behavior === undefined) throw new Error(`unknown behavior: ${name}`)
      return behavior
    }),
  )
}

function composed(...behaviors: readonly Behavior[]): Behavior {
  return async (at) => {
    const parts = await Promise.all(behaviors.map((behavior) => behavior(at)))
    return parts.reduceRight<Interceptor>(
      (inner, outer) => (call, next, init) =>
        outer(call, async () => inner(call, next, init), init),
      (_, next) => next(),
    )
  }
}

/** A server whose lists of UTXOs are changed. */
function listing(change: (utxos: UTXO[], at: Surroundings) => readonly UTXO[]): Behavior {
  return (at) => async (call, next) => {
    if (!LISTING.test(call.method)) return next()
    const { utxos, result } = await listedBy(next)
    return resultFor(call, { ...result, ...entriesOf(change(utxos, at)) })
  }
}

async function listedBy(next: () => Promise<Response>) {
  const { result } = await (await next()).json()
  const utxos: UTXO[] = result.utxos.map((text: string) => decodeUTXO(checkedHex.decode(text)))
  return { utxos, result }
}

function entriesOf(utxos: readonly UTXO[]) {
  return {
    utxos: utxos.map((utxo) => checkedHex.encode(encodeUTXO(utxo))),
    numFetched: String(utxos.length),
  }
}

function invented({ owner, node }: Surroundings, name: string): UTXO {
  const txID = sha256(new TextEncoder().encode(name))
  return { txID, outputIndex: 0, assetID: node.context.assetID, output: outputTo(owner, 1n) }
}

/** A server whose lists continue with invented UTXOs: full pages up to the given number, then an empty one. */
function inventedPages(count: number): Behavior {
  return (at) => {
    const pages = new Map<string, readonly string[]>()
    const padding = (page: number, size: number) => {
      const key = `${page} ${size}`
      if (!pages.has(key)) {
        const utxos = Array.from({ length: size }, (_, i) => invented(at, `${key} ${i}`))
        pages.set(key, entriesOf(utxos).utxos)
      }
      return pages.get(key)!
    }
    return async (call, next) => {
      if (!LISTING.test(call.method)) return next()
      const { startIndex, limit } = call.params as {
        readonly startIndex?: { readonly utxo: string }
        readonly limit?: number
      }
      const page = Number(/^page (\d+)$/.exec(startIndex?.utxo ?? '')?.[1] ?? 0)
      const { result } = page === 0 ? await (await next()).json() : { result: { utxos: [] } }
      // Without it, a walk that never ends would take longer than a test by the machine's clock.
      await at.clock.sleep(2_000)
      const missing = (limit || 1024) - result.utxos.length
      const utxos = [...result.utxos, ...(page < count ? padding(page, missing) : [])]
      const endIndex = { address: 'X-local1', utxo: `page ${page + 1}` }
      const numFetched = String(utxos.length)
      return resultFor(call, { encoding: 'hex', ...result, utxos, numFetched, endIndex })
    }
  }
}

function outputTo(address: Uint8Array, amount: bigint) {
  const owners = { locktime: 0n, threshold: 1, addresses: [address] }
  return { type: 'secp256k1fx.TransferOutput' as const, amount, ...owners }
}

/** A transaction that nobody signed. */
function forgedTx(
  { networkID, chainID, assetID }: DevNode['context'],
  spent: readonly UTXO[],
  to: Uint8Array,
): SignedTx {
  const inputs = spent.map(({ txID, outputIndex, assetID, output }) => {
    const amount = 'amount' in output ? output.amount : 1n
    const input = { type: 'secp256k1fx.TransferInput' as const, amount, signatureIndices: [0] }
    return { txID, outputIndex, assetID, input }
  })
  return {
    unsignedTx: {
      type: 'BaseTx',
      networkID,
      blockchainID: chainID,
      outputs: [{ assetID, output: outputTo(to, INVENTED_AMOUNT) }],
      inputs,
      memo: new Uint8Array(),
    },
    credentials: inputs.map(() => ({
      type: 'secp256k1fx.Credential',
      signatures: [new Uint8Array(65).fill(1)],
    })),
  }
}

/** Forged transactions that pay the wallet, and that spend what it has. */
async function forgedTxs(at: Surroundings): Promise<SignedTx[]> {
  const { context } = at.node
  const owned: UTXO[] = []
  for await (const { utxos } of direct(at.node).utxoPages({ addresses: [at.owner] }))
    owned.push(...utxos)
  return [forgedTx(context, [invented(at, 'forged')], at.owner), forgedTx(context, owned, STRANGER)]
}

/** The blocks of a server from some height on. */
class Fork {
  private readonly base: bigint
  private parentID: Uint8Array
  private readonly blocks: string[] = []
  private readonly txs = new Map<string, string>()

  constructor(base: bigint, parentID: Uint8Array) {
    this.base = base
    this.parentID = parentID
  }

  /** A fork of the last block of a node. */
  static async of(node: DevNode): Promise<Fork> {
    const { avm } = direct(node)
    const height = await avm.getHeight({})
    return new Fork(height, sha256(encodeBlock(await avm.getBlockByHeight({ height }))))
  }

  get height(): bigint {
    return this.base + BigInt(this.blocks.length)
  }

  add(txs: readonly SignedTx[] = []): void {
    const block: Block = {
      type: 'StandardBlock',
      parentID: this.parentID,
      height: this.height + 1n,
      time: 1_700_000_000n,
      merkleRoot: new Uint8Array(32),
      txs,
    }
    const bytes = encodeBlock(block)
    this.parentID = sha256(bytes)
    this.blocks.push(checkedHex.encode(bytes))
    for (const tx of txs) {
      const bytes = encodeTx(tx)
      this.txs.set(formatID(idOf(bytes)), checkedHex.encode(bytes))
    }
  }

  answer(call: Call, next: () => Promise<Response>): Promise<Response> | Response {
    if (call.method === 'avm.getHeight') return resultFor(call, { height: String(this.height) })
    const tx = call.method === 'avm.getTx' && this.txs.get(call.txID!)
    if (tx) return resultFor(call, { tx, encoding: 'hex' })
    if (call.method !== 'avm.getBlockByHeight') return next()
    const height = BigInt(call.params.height as string)
    if (height <= this.base) return next()
    const block = this.blocks[Number(height - this.base) - 1]
    return block === undefined ? noBlock(call) : resultFor(call, { block, encoding: 'hex' })
  }
}

/** A server with its own blocks from the first request on. */
function forking(make: (at: Surroundings) => Promise<Fork>): Behavior {
  return (at) => {
    let fork: Promise<Fork> | undefined
    return async (call, next) => {
      fork ??= make(at)
      return (await fork).answer(call, next)
    }
  }
}

/** As the node answers for a block that it does not have. */
function noBlock(call: Call): Response {
  return errorFor(call, `couldn't get block at height ${call.params.height}: not found`)
}

/** A server that answers some methods in its own way. */
function replying(
  methods: RegExp,
  reply: (
    call: Call,
    next: () => Promise<Response>,
    init: RequestInit,
    at: Surroundings,
  ) => Promise<Response> | Response,
): Behavior {
  return (at) => (call, next, init) =>
    // Batches of the Ethereum API have no method.
    methods.test(`${call.method}`) ? reply(call, next, init, at) : next()
}

/** A server that answers a method of the Ethereum API in its own way, also within batches. */
function replyingEth(method: string, result: string): Behavior {
  return () => (_, next, init) => withResult(method, result, next, init)
}

/** A server that changes members of the results of a method. */
function changing(methods: RegExp, change: (result: Json, call: Call) => Json): Behavior {
  return replying(methods, async (call, next) => {
    const { result } = await (await next()).json()
    return resultFor(call, { ...result, ...change(result, call) })
  })
}

// biome-ignore lint/suspicious/noExplicitAny: results of all methods
type Json = { readonly [name: string]: any }

/** Another node, without the blocks and transactions of the first. */
async function otherNode({ node }: Surroundings, options: DevNodeOptions): Promise<DevNode> {
  const other = await createDevNode({ now: node.now(), blocks: 'manual', ...options })
  onTestFinished(() => other.close())
  return other
}

const ROUTES: readonly (readonly [prefix: string, route: string])[] = [
  ['avm.', '/ext/bc/X'],
  ['info.', '/ext/info'],
  ['platform.', '/ext/bc/P'],
  ['avax.', '/ext/bc/C/avax'],
]

/** A server that forwards all requests to a node. */
function answeredBy(node: DevNode): Interceptor {
  return ({ method }, _, init) => {
    const [, route] = ROUTES.find(([prefix]) => `${method}`.startsWith(prefix)) ?? []
    return node.fetch(`http://other.test${route ?? '/ext/bc/C/rpc'}`, init)
  }
}

const ANY = /./
const ISSUE = /^(avm|platform|avax)\.issueTx$/
const BLOCK = /^avm\.getBlockByHeight$/

function issuedTx({ params }: Call): { readonly text: string; readonly txID: string } {
  const text = params.tx as string
  return { text, txID: formatID(idOf(checkedHex.decode(text))) }
}

/** What a server can do wrong, named as in: a server that … */
const BEHAVIORS: { readonly [name: string]: Behavior } = {
  'leaves out some UTXOs': listing((utxos) => utxos.filter((_, i) => i % 2 === 1)),
  'leaves out all UTXOs': listing(() => []),
  'reports doubled amounts': listing((utxos) => utxos.flatMap(FALSE_ENTRIES['a false amount']!)),
  'reports amounts of 1': listing((utxos) =>
    utxos.map((utxo) =>
      'amount' in utxo.output ? { ...utxo, output: { ...utxo.output, amount: 1n } } : utxo,
    ),
  ),
  'lists UTXOs of transactions that do not exist': listing((utxos, at) => [
    ...['one', 'two'].map((name) => ({
      ...invented(at, name),
      output: outputTo(at.owner, INVENTED_AMOUNT),
    })),
    ...utxos,
  ]),
  'lists outputs that transactions do not have': listing((utxos) =>
    utxos.flatMap(FALSE_ENTRIES['a UTXO that does not exist']!),
  ),
  'lists a thousand invented UTXOs': listing((utxos, at) => [
    ...utxos,
    ...Array.from({ length: 1_000 }, (_, i) => invented(at, `${i}`)),
  ]),
  'lists several pages of invented UTXOs': inventedPages(4),
  'lists invented UTXOs without end': inventedPages(Number.POSITIVE_INFINITY),
  'invents UTXOs and the transactions that create them': (at) => {
    const tx = forgedTx(at.node.context, [invented(at, 'input')], at.owner)
    const bytes = encodeTx(tx)
    const list = listing((utxos) => [...utxos, ...createdUTXOs(tx)])(at) as Interceptor
    return (call, next, init) =>
      call.method === 'avm.getTx' && call.txID === formatID(idOf(bytes))
        ? resultFor(call, { tx: checkedHex.encode(bytes), encoding: 'hex' })
        : list(call, next, init)
  },
  'lists UTXOs that were spent long ago': (at) => {
    const list = listing((utxos) => [...at.spent, ...utxos])(at) as Interceptor
    return (call, next, init) =>
      call.method === 'avm.getUTXOs' && call.params.sourceChain === undefined
        ? list(call, next, init)
        : next()
  },

  'serves three forged blocks': forking(async (at) => {
    const fork = await Fork.of(at.node)
    for (const tx of await forgedTxs(at)) fork.add([tx])
    fork.add()
    return fork
  }),
  'serves another chain': forking(async (at) => {
    const fork = new Fork(0n, new Uint8Array(32))
    const height = await direct(at.node).avm.getHeight({})
    const txs = await forgedTxs(at)
    while (fork.height < height + 3n) fork.add(fork.height < height ? [] : txs.splice(0, 1))
    return fork
  }),
  'serves forged blocks without end': (at) => {
    let fork: Promise<Fork> | undefined
    return async (call, next) => {
      fork ??= Fork.of(at.node)
      const forged = await fork
      if (call.method === 'avm.getBlockByHeight') {
        // Without it, a reader that never stops would take longer than a test by the machine's clock.
        await at.clock.sleep(200)
        const height = BigInt(call.params.height as string)
        while (forged.height < height + 20n) forged.add()
      }
      return forged.answer(call, next)
    }
  },
  'shows every transaction as accepted and forwards none': (at) => {
    let fork: Promise<Fork> | undefined
    const taken = new Map<string, string>()
    return async (call, next) => {
      if (ISSUE.test(call.method)) {
        const { text, txID } = issuedTx(call)
        taken.set(txID, text)
        if (call.tx !== undefined) {
          fork ??= Fork.of(at.node)
          const forged = await fork
          forged.add([decodeTx(call.tx)])
        }
        return resultFor(call, { txID })
      }
      const tx = taken.get(`${call.params.txID}`)
      if (tx !== undefined && /\.get(Atomic)?Tx$/.test(call.method))
        return resultFor(call, { tx, encoding: 'hex', blockHeight: '0' })
      if (tx !== undefined && /\.get(Atomic)?TxStatus$/.test(call.method)) {
        const status = call.method.startsWith('platform') ? 'Committed' : 'Accepted'
        return resultFor(call, { status, blockHeight: '0' })
      }
      return fork === undefined ? next() : (await fork).answer(call, next)
    }
  },
  'has no blocks': replying(BLOCK, noBlock),
  'has no old blocks': replying(BLOCK, async (call, next, _, { node }) => {
    const tip = await direct(node).avm.getHeight({})
    return BigInt(call.params.height as string) < tip - 1n ? noBlock(call) : next()
  }),
  'reports a height far too high': changing(/^(avm|platform)\.getHeight$/, () => ({
    height: '1000000000',
  })),
  'reports height 0': changing(/^(avm|platform)\.getHeight$/, () => ({ height: '0' })),
  'stays at an old block': async (at) => answeredBy(await otherNode(at, {})),
  'belongs to another network': async (at) => {
    const other = await otherNode(at, { networkID: 990_001 })
    other.fund(at.owner, INVENTED_AMOUNT)
    return answeredBy(other)
  },

  'answers with status 500': replying(ANY, () => new Response('no', { status: 500 })),
  'asks for a pause of an hour': replying(
    ANY,
    () => new Response('no', { status: 429, headers: { 'retry-after': '3600' } }),
  ),
  'answers with a page of HTML': replying(ANY, () => new Response('<html>')),
  'answers with empty results': replying(ANY, (call) => resultFor(call, {})),
  'says that nothing is found': replying(ANY, (call) => errorFor(call, 'not found')),
  'refuses connections': replying(ANY, () => {
    throw new TypeError('fetch failed')
  }),
  'breaks connections after ten seconds': replying(ANY, async (_, __, ___, { clock }) => {
    await clock.sleep(10_000)
    throw new TypeError('fetch failed')
  }),
  'never answers': () => (_, __, init) => silence(init),
  'reports the IDs of another network': changing(/^info\.getBlockchainID$/, () => ({
    blockchainID: formatID(new Uint8Array(32).fill(5)),
  })),
  'reports another asset as AVAX': changing(/^avm\.getAssetDescription$/, () => ({
    assetID: formatID(new Uint8Array(32).fill(5)),
  })),

  'reports no fee': changing(/\.getTxFee$/, () => ({ txFee: '0', createAssetTxFee: '0' })),
  'reports ten times the fee': changing(/\.getTxFee$/, () => ({ txFee: String(10n * fee) })),
  'reports no prices of gas': composed(
    changing(/^platform\.getFeeState$/, () => ({ price: '0', excess: '0' })),
    replyingEth('eth_baseFee', '0x0'),
  ),
  'reports high prices of gas': composed(
    changing(/^platform\.getFeeState$/, ({ price }) => ({ price: String(10 * Number(price)) })),
    replyingEth('eth_baseFee', `0x${250_000_000_000n.toString(16)}`),
  ),
  'reports nonces that are too low': replyingEth('eth_getTransactionCount', '0x0'),
  'reports nonces that are too high': replyingEth('eth_getTransactionCount', '0x64'),
  'reports empty accounts': replyingEth('eth_getBalance', '0x0'),
  'reports rich accounts': replyingEth('eth_getBalance', `0x${(10n ** 30n).toString(16)}`),

  'does not find transactions': replying(/\.get(Atomic)?Tx(Status)?$/, (call) =>
    errorFor(call, 'not found'),
  ),
  'takes transactions and drops them': replying(ISSUE, (call) =>
    resultFor(call, { txID: issuedTx(call).txID }),
  ),
  'rejects transactions because of their inputs': replying(ISSUE, (call) =>
    errorFor(call, 'failed to get utxo: not found'),
  ),
  'rejects transactions because of their signatures': replying(ISSUE, (call) =>
    errorFor(call, 'wrong signature'),
  ),
}
