import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { sha256 } from '../../src/core/base/hash/sha256.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import type { Fetch } from '../../src/node/index.ts'
import { answerOf, type Cluster } from './cluster.ts'
import { FalseUTXOs } from './false-utxos.ts'
import type { Liar, Question, Reply } from './liars.ts'
import type { Random } from './random.ts'
import type { Setting } from './world.ts'

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

type Request = Question & { readonly id: number }

/** Each kind of fault is absent, rare or frequent. */
export function randomFaults(random: Random): Faults {
  const faults = Object.keys(NO_FAULTS).map((name) => {
    const isEnabled = random.chance(0.4)
    return [name, isEnabled ? random.pick([0.02, 0.1, 0.4]) : 0]
  })
  return Object.fromEntries(faults) as Faults
}

/** Routes requests of wallets to nodes of a cluster, with faults. Hosts are `n0`, `n1`, … or `any`. */
export class Network {
  faults: Faults = NO_FAULTS
  /** Whether a server that is believed left out UTXOs, or showed those of another chain. */
  hidUTXOs = false
  /** Number of hosts; several may lead to the same node. */
  readonly hosts: number
  /** The host that lies, if there is one, and whether wallets believe a single server. */
  liar: { readonly host: number; readonly liar: Liar; readonly isBelieved: boolean } | undefined
  /** Everything that was issued, by its ID in text. */
  readonly issued: Map<string, Uint8Array> = new Map()
  readonly falseUTXOs: FalseUTXOs = new FalseUTXOs()
  private readonly cluster: Cluster
  private readonly world: Setting
  private readonly foreign: DevNode
  /** Transactions that a node withheld from the chain. */
  private readonly kept: { readonly path: string; readonly body: string }[] = []

  constructor(world: Setting, cluster: Cluster, foreign: DevNode, hosts: number) {
    this.world = world
    this.cluster = cluster
    this.foreign = foreign
    this.hosts = hosts
  }

  /** Faults stop, and everything that was withheld is issued. A liar goes on, unless wallets believe it. */
  heal(): void {
    const { random, time } = this.world
    this.faults = NO_FAULTS
    if (this.liar?.isBelieved) this.liar = undefined
    this.cluster.heal()
    for (const { path, body } of this.kept.splice(0))
      time.after(random.below(5000), () => {
        for (const { node } of this.cluster.nodes) void answerOf(node, path, body)
      })
  }

  readonly fetch: Fetch = async (url, init) => {
    const { faults } = this
    const { random, time } = this.world
    const { hostname, pathname } = new URL(url)
    const host = hostname === 'any' ? random.below(this.hosts) : Number(hostname.slice(1))
    const body = String(init.body)
    await time.sleep(1 + random.below(20), init.signal ?? undefined)
    if (random.chance(faults.slow)) await time.sleep(random.below(20_000), init.signal ?? undefined)
    if (random.chance(faults.loseRequest)) throw new TypeError('fetch failed')
    const isForeign = random.chance(faults.foreign)
    if (isForeign) this.hidUTXOs = true
    const answer = isForeign
      ? await answerOf(this.foreign, pathname, body)
      : await this.reply(host, pathname, body)
    await time.sleep(1 + random.below(20), init.signal ?? undefined)
    if (random.chance(faults.loseResponse)) throw new TypeError('terminated')
    const date = new Date(time.now).toUTCString()
    const headers = new Headers({ 'content-type': 'application/json', date })
    return { status: 200, headers, body: null, text: async () => answer } as Response
  }

  /** What a host answers: a liar may change the answer of its node. */
  private async reply(host: number, path: string, body: string): Promise<string> {
    const at = host % this.cluster.nodes.length
    const request = JSON.parse(body) as Request | Request[]
    // A batch is treated as its first request.
    const [first] = [request].flat() as [Request]
    const bytes = issuedIn(first)
    if (bytes !== undefined) this.issued.set(formatID(sha256(bytes)), bytes)
    const answer = () => this.answer(at, path, body, first)
    if (this.liar?.host !== host || Array.isArray(request)) return answer()
    if (this.liar.isBelieved) this.hidUTXOs = true
    const truth = async (): Promise<Reply> => JSON.parse(await answer())
    return JSON.stringify({
      jsonrpc: '2.0',
      ...(await this.liar.liar.reply(request, truth)),
      id: request.id,
    })
  }

  private async answer(
    at: number,
    path: string,
    body: string,
    { method, params, id }: Request,
  ): Promise<string> {
    const { faults } = this
    const { random } = this.world
    const bytes = issuedIn({ method, params })
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

/** The transaction in a request that issues one. */
function issuedIn({ method, params }: Question): Uint8Array | undefined {
  return method.endsWith('.issueTx') ? checkedHex.decode(String(params.tx)) : undefined
}

function errorAnswer(id: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message, data: null }, id })
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
