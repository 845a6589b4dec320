import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { sha256 } from '../../src/core/base/hash/sha256.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import type { Fetch } from '../../src/node/index.ts'
import { answerOf, type Cluster } from './cluster.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

/** What can go wrong between a wallet and a node, each with its probability per request. */
export type Faults = {
  readonly loseRequest: number
  readonly loseResponse: number
  /** An error text that says nothing about what the node did. */
  readonly errorText: number
  /** An answer that takes up to 20 s. */
  readonly slow: number
  /** `getUTXOs` leaves UTXOs out. */
  readonly hideUTXOs: number
  /** `getTx`, `getAtomicTx` and `getBlockByHeight` say "not found". */
  readonly withhold: number
  /** `issueTx` keeps the transaction and issues it when faults stop. */
  readonly keep: number
  /** `getTx` shows a transaction that is only pending. */
  readonly early: number
  /** The request is answered by a node of another chain. */
  readonly foreign: number
  /** `getTxFee` tells another fee: half of it, for which a transaction is refused, or twice as much. */
  readonly wrongFee: number
}

export const NO_FAULTS: Faults = {
  loseRequest: 0,
  loseResponse: 0,
  errorText: 0,
  slow: 0,
  hideUTXOs: 0,
  withhold: 0,
  keep: 0,
  early: 0,
  foreign: 0,
  wrongFee: 0,
}

const ERROR_TEXTS = [
  'failed to verify transfer: failed to get utxo 2Xb: not found',
  'failed to verify transfer: wrong signature: expected signature from a but got from b',
  'problem decoding transaction: encoding/hex: odd length hex string',
  'payload too large',
  'insufficient funds',
  'tx conflicts with other tx: 2Xb',
  'failed to verify transfer: output is time locked',
  'mempool is full: x size (1) > available space (0)',
  'not found',
  'tx has wrong network ID',
  'insufficient unlocked funds: needs 1 more',
  'failed to get shared memory: not found',
  'invalid nonce',
  'tx exceeds current gas capacity: 2 > 1',
  'something else entirely',
]

const HEADERS = new Headers({ 'content-type': 'application/json' })

type Request = { readonly method: string; readonly params: { readonly [name: string]: unknown } }

/** Routes requests of wallets to nodes of a cluster, with faults. Hosts are `n0`, `n1`, … or `any`. */
export class Network {
  faults: Faults = NO_FAULTS
  /** Whether any server left out UTXOs, or showed those of another chain. */
  hidUTXOs = false
  /** The only node that may lie about acceptance, or -1. */
  liar = -1
  private readonly cluster: Cluster
  private readonly time: VirtualTime
  private readonly random: Random
  private readonly foreign: DevNode
  /** Transactions that a node withheld from the chain. */
  private readonly kept: { readonly path: string; readonly body: string }[] = []
  /** Everything that was issued, by its ID in text. */
  private readonly issued = new Map<string, Uint8Array>()

  constructor(cluster: Cluster, time: VirtualTime, random: Random, foreign: DevNode) {
    this.cluster = cluster
    this.time = time
    this.random = random
    this.foreign = foreign
  }

  /** Faults stop, and everything that was withheld is issued. */
  heal(): void {
    this.faults = NO_FAULTS
    this.cluster.heal()
    for (const { path, body } of this.kept.splice(0))
      this.time.after(this.random.below(5000), () => {
        for (const { node } of this.cluster.nodes) void answerOf(node, path, body)
      })
  }

  readonly fetch: Fetch = async (url, init) => {
    const { random, time, faults } = this
    const host = new URL(url).hostname
    const at = host === 'any' ? random.below(this.cluster.nodes.length) : Number(host.slice(1))
    const body = String(init.body)
    // A batch is treated as its first request.
    const [request] = [JSON.parse(body)].flat() as [Request]
    await time.sleep(1 + random.below(20), init.signal ?? undefined)
    if (random.chance(faults.slow)) await time.sleep(random.below(20_000), init.signal ?? undefined)
    if (random.chance(faults.loseRequest)) throw new TypeError('fetch failed')
    const isForeign = random.chance(faults.foreign)
    if (isForeign) this.hidUTXOs = true
    const answer = isForeign
      ? await answerOf(this.foreign, new URL(url).pathname, body)
      : await this.answer(at, new URL(url).pathname, body, request)
    await time.sleep(1 + random.below(20), init.signal ?? undefined)
    if (random.chance(faults.loseResponse)) throw new TypeError('terminated')
    return { status: 200, headers: HEADERS, body: null, text: async () => answer } as Response
  }

  private async answer(
    at: number,
    path: string,
    body: string,
    { method, params }: Request,
  ): Promise<string> {
    const { random, faults } = this
    const id = /"id":(\d+)/.exec(body)![1]!
    const isIssue = method.endsWith('.issueTx')
    const bytes = isIssue ? checkedHex.decode(String(params.tx)) : undefined
    if (bytes !== undefined) this.issued.set(formatID(sha256(bytes)), bytes)
    if (bytes !== undefined && random.chance(faults.keep)) {
      this.kept.push({ path, body })
      return errorAnswer(id, random.pick(ERROR_TEXTS))
    }
    const isRead = /\.(getTx|getAtomicTx|getBlockByHeight)$/.test(method)
    if (isRead && random.chance(faults.withhold)) return errorAnswer(id, 'not found')
    if (random.chance(faults.errorText)) {
      if (random.chance(0.5)) await this.deliver(at, path, body, bytes)
      return errorAnswer(id, random.pick(ERROR_TEXTS))
    }
    const shown = this.issued.get(String(params.txID))
    const isLie = method === 'avm.getTx' && at === this.liar && random.chance(faults.early)
    if (isLie && shown !== undefined) {
      const result = { tx: checkedHex.encode(shown), encoding: 'hex' }
      return JSON.stringify({ jsonrpc: '2.0', result, id: Number(id) })
    }
    const text = await this.deliver(at, path, body, bytes)
    if (method === 'avm.getTxFee' && random.chance(faults.wrongFee))
      return withOtherFee(text, random.chance(0.5))
    if (method.endsWith('.getUTXOs') && random.chance(faults.hideUTXOs)) {
      this.hidUTXOs = true
      return withoutSome(text, random)
    }
    return text
  }

  private async deliver(
    at: number,
    path: string,
    body: string,
    bytes: Uint8Array | undefined,
  ): Promise<string> {
    const text = await answerOf(this.cluster.nodes[at]!.node, path, body)
    if (bytes !== undefined && path === '/ext/bc/X' && text.includes('"result"'))
      this.cluster.gossip(at, bytes)
    return text
  }
}

function errorAnswer(id: string, message: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    error: { code: -32000, message, data: null },
    id: Number(id),
  })
}

function withOtherFee(text: string, isHalf: boolean): string {
  const answer = JSON.parse(text) as { result?: { txFee: string } }
  if (answer.result === undefined) return text
  const fee = BigInt(answer.result.txFee)
  const txFee = String(isHalf ? fee / 2n : fee * 2n)
  return JSON.stringify({ ...answer, result: { ...answer.result, txFee } })
}

/** A page without some of its UTXOs. */
function withoutSome(text: string, random: Random): string {
  const answer = JSON.parse(text) as {
    result?: { utxos: string[]; numFetched: string }
  }
  if (answer.result === undefined) return text
  const utxos = answer.result.utxos.filter(() => random.chance(0.5))
  return JSON.stringify({
    ...answer,
    result: { ...answer.result, utxos, numFetched: String(utxos.length) },
  })
}
