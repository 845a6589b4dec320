import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { decodeBlock } from '../../src/core/chain/x/block.ts'
import { txID } from '../../src/core/chain/x/ids.ts'
import type { SignedTx } from '../../src/core/chain/x/tx.ts'
import { decodeUTXO, type UTXO } from '../../src/core/chain/x/utxo.ts'
import type { Secp256k1Backend } from '../../src/core/crypto/backend.ts'
import type { Handler } from '../../src/devnode/fetch.ts'
import { createDevNode, type DevNode, DevNodeError } from '../../src/devnode/index.ts'
import type { Random } from './random.ts'
import { START, type Time } from './virtual-time.ts'
import type { Setting } from './world.ts'

/** An accepted transaction, as the simulation checks outcomes against it. */
export type OnChain = { readonly tx: SignedTx; readonly txID: Uint8Array }

/** A node of the cluster. */
export type ClusterNode = {
  readonly node: DevNode
  /** How many blocks of the chain it has. */
  height: number
}

/**
 * One chain and several nodes that know it up to different heights. Blocks are produced by nodes at the tip, at most
 * one a second, from their own mempools; transactions and blocks reach the other nodes later, or never.
 */
export class Cluster {
  readonly nodes: readonly ClusterNode[]
  readonly chain: Uint8Array[] = []
  /** Set when faults stop: from then on everything reaches everybody soon. */
  healed = false
  private readonly time: Time
  private readonly random: Random
  private stopped = false

  private constructor(nodes: readonly DevNode[], time: Time, random: Random) {
    this.nodes = nodes.map((node) => ({ node, height: 0 }))
    this.time = time
    this.random = random
  }

  static async create(count: number, { time, random, backend }: Setting): Promise<Cluster> {
    const nodes: DevNode[] = []
    for (let i = 0; i < count; i++) nodes.push(await newNode(backend))
    return new Cluster(nodes, time, random)
  }

  /** Changes every node in the same way, before the simulation starts. Returns what the last change returned. */
  change<T>(make: (node: DevNode) => T): T {
    return this.nodes.map(({ node }) => make(node)).at(-1)!
  }

  /** Starts producing blocks. */
  start(): void {
    const tick = () => {
      if (this.stopped) return
      this.produce()
      this.time.after(this.healed ? 1000 : 500 + this.random.below(3000), tick)
    }
    this.time.after(500, tick)
  }

  /** Puts a transaction into the mempool of a node; false if the node refuses it. */
  async issue(at: number, bytes: Uint8Array): Promise<void> {
    await this.call(at, 'avm.issueTx', { tx: checkedHex.encode(bytes), encoding: 'hex' })
  }

  /** Spreads a transaction from the node that has it. */
  gossip(from: number, bytes: Uint8Array): void {
    this.nodes.forEach((_, to) => {
      if (to === from || (!this.healed && this.random.chance(0.3))) return
      this.time.after(this.random.below(this.healed ? 100 : 2000), () => {
        void this.issue(to, bytes)
      })
    })
  }

  /** A node loses its mempool and its memory of refusals. */
  restart(at: number): void {
    this.nodes[at]!.node.restart()
  }

  /** Faults stop: all nodes catch up. */
  heal(): void {
    this.healed = true
    for (let i = 0; i < this.nodes.length; i++) this.catchUp(i, this.chain.length)
  }

  /** Every accepted transaction since the simulation started, oldest first. */
  accepted(): OnChain[] {
    return this.chain.flatMap((bytes) =>
      decodeBlock(bytes).txs.map((tx) => ({ tx, txID: txID(tx) })),
    )
  }

  /** The UTXOs of addresses at the tip of the chain, or those that another chain has exported to them. */
  async utxosOf(addresses: readonly Uint8Array[], sourceChain?: string): Promise<UTXO[]> {
    const at = this.nodes.findIndex(({ height }) => height === this.chain.length)
    const names = addresses.map((address) => formatAddress({ chain: 'X', hrp: 'local', address }))
    const params = { addresses: names, sourceChain, encoding: 'hex' }
    const { result } = JSON.parse(await this.call(at, 'avm.getUTXOs', params))
    return result.utxos.map((text: string) => decodeUTXO(checkedHex.decode(text)))
  }

  /** Whether a node has a transaction, accepted or not. */
  async isKnown(txID: Uint8Array): Promise<boolean> {
    const params = { txID: formatID(txID) }
    const answers = await Promise.all(
      this.nodes.map((_, at) => this.call(at, 'avm.getTxStatus', params)),
    )
    return answers.some((answer) => JSON.parse(answer).result?.status !== 'Unknown')
  }

  async close(): Promise<void> {
    this.stopped = true
    await Promise.all(this.nodes.map(({ node }) => node.close()))
  }

  /** Calls a method of a node. */
  call(at: number, method: string, params: object): Promise<string> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return answerOf(this.nodes[at]!.node, '/ext/bc/X', body)
  }

  private produce(): void {
    const atTip = this.nodes.flatMap(({ height }, i) => (height === this.chain.length ? [i] : []))
    const producer = this.random.pick(atTip)
    const unixSeconds = Math.floor(this.time.now / 1000)
    for (const { node } of this.nodes) node.setTime(unixSeconds)
    try {
      this.chain.push(this.nodes[producer]!.node.produceBlock())
    } catch (error) {
      if (error instanceof DevNodeError && error.code === 'NO_TRANSACTIONS') return
      throw error
    }
    this.nodes[producer]!.height = this.chain.length
    const { length } = this.chain
    this.nodes.forEach((_, i) => {
      const delay = this.healed ? this.random.below(50) : this.lag()
      if (i !== producer) this.time.after(delay, () => this.catchUp(i, length))
    })
  }

  private lag(): number {
    return this.random.chance(0.2) ? this.random.below(15_000) : this.random.below(300)
  }

  private catchUp(at: number, height: number): void {
    const state = this.nodes[at]!
    while (state.height < height) state.node.acceptBlock(this.chain[state.height++]!)
  }
}

/** A node of a new chain, which is the same for all nodes. */
export function newNode(backend: Secp256k1Backend): Promise<DevNode> {
  return createDevNode({ now: START / 1000, blocks: 'manual', backend })
}

/** What a node answers to a POST, without the platform's Request and Response, which would take most of the time. */
export async function answerOf(node: DevNode, target: string, body: string): Promise<string> {
  const { service } = node as unknown as { readonly service: { readonly answer: Handler } }
  const header = (name: string) => (name === 'content-type' ? 'application/json' : undefined)
  const request = { method: 'POST', target, host: 'localhost', header, body }
  return (await service.answer(request)).body
}

/** The name under which the simulation remembers bytes. */
export function nameOf(bytes: Uint8Array): string {
  return hex.encode(bytes)
}
