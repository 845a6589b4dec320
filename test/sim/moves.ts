import { AvmError } from '../../src/core/base/errors.ts'
import { evmAddressBytes } from '../../src/core/chain/c/evm-address.ts'
import { networks } from '../../src/core/chain/networks.ts'
import type { Secp256k1Backend } from '../../src/core/crypto/backend.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { createDevNode } from '../../src/devnode/index.ts'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
  type NodeClient,
  type PChainClient,
} from '../../src/node/index.ts'
import {
  type CrossChainWallet,
  createCrossChainWallet,
  type MoveChain,
} from '../../src/wallet/moves/index.ts'
import type { FileStore } from '../../src/wallet/store/file/store.ts'
import { memoryStore, type Store } from '../../src/wallet/store/index.ts'
import { Cluster } from './cluster.ts'
import { Machine } from './machine.ts'
import { Network } from './network.ts'
import { SimulatedProcess } from './process.ts'
import type { Random } from './random.ts'
import {
  FAULTS_MS,
  HEALING_MS,
  idleProcess,
  patiently,
  randomFaults,
  withSeed,
} from './simulation.ts'
import { START, VirtualTime } from './virtual-time.ts'

const AVAX = 1_000_000_000n
const FUNDS = 100n * AVAX
/** More than both legs of a move may burn. */
const MAX_FEES = AVAX / 5n
const CHAINS: readonly MoveChain[] = ['X', 'P', 'C']

/** A move that callers ask for. Nobody else pays its recipient, so the chains show how often it was made. */
type Move = {
  readonly key: string
  readonly from: MoveChain
  readonly to: MoveChain
  readonly amount: bigint
  readonly recipient: Uint8Array
  /** Whether somebody tries to cancel it. */
  readonly cancels: boolean
}

/** What came of a run with moves. */
export type MovesResult = {
  readonly seed: number
  readonly violations: readonly string[]
  readonly trace: string
  readonly crashes: number
  /** Moves that arrived. */
  readonly arrived: number
  readonly virtualMs: number
}

/**
 * Runs one seed: processes with one store move funds between the chains of one node while requests, processes, disks
 * and fees fail or change. In the end every move has arrived once, or was canceled and its funds never left.
 */
export function simulateMoves(seed: number, backend: Secp256k1Backend): Promise<MovesResult> {
  return withSeed(seed, (random) => {
    const simulation = new MovesSimulation(seed, random, backend)
    return simulation.time.withTimers(() => simulation.run())
  })
}

class MovesSimulation {
  private readonly seed: number
  private readonly random: Random
  private readonly backend: Secp256k1Backend
  readonly time: VirtualTime
  private readonly keys: KeyChain
  private readonly violations: string[] = []
  private readonly log: string[] = []
  private readonly canceled = new Set<string>()
  /** Number of calls in progress by key; those of crashed processes stay. */
  private readonly calls = new Map<string, number>()
  /** Moves that another call may have made again after a caller was told of their cancellation. */
  private readonly askedAgain = new Set<string>()
  private readonly accepted = new Set<string>()
  private readonly done = new Set<string>()
  private readonly machine: Machine | undefined
  private readonly shared: Store
  private readonly moves: readonly Move[]
  private network: Network | undefined
  private isHealed = false
  private crashes = 0
  private running = 0

  constructor(seed: number, random: Random, backend: Secp256k1Backend) {
    this.seed = seed
    this.random = random
    this.backend = backend
    this.time = new VirtualTime(random)
    this.keys = new KeyChain([new Uint8Array(32).fill(1)], { backend })
    this.shared = memoryStore()
    this.machine = random.chance(0.5) ? new Machine(this.time, random) : undefined
    this.moves = Array.from({ length: 1 + random.below(3) }, (_, i): Move => {
      const from = random.pick(CHAINS)
      const to = random.pick(CHAINS.filter((chain) => chain !== from))
      return {
        key: `move ${i}`,
        from,
        to,
        amount: AVAX + BigInt(random.below(1000)),
        recipient: new Uint8Array(20).fill(200 + i),
        cancels: from === 'X' && random.chance(0.2),
      }
    })
  }

  async run(): Promise<MovesResult> {
    const { random, time, machine } = this
    // One node has all three chains: what one of them exports, the others must be able to import.
    const cluster = await Cluster.create(1, time, random, this.backend)
    const { node } = cluster.nodes[0]!
    const foreign = await createDevNode({
      now: START / 1000,
      blocks: 'manual',
      backend: this.backend,
    })
    this.network = new Network(cluster, time, random, foreign)
    // A node of another chain shows another nonce of the account: an export with it would wait for ever.
    this.network.faults = { ...randomFaults(random, false), foreign: 0 }
    if (machine !== undefined) {
      const chance = random.pick([0, 0.002, 0.01])
      machine.disk.faultOf = () =>
        !this.isHealed && random.chance(chance)
          ? random.pick(['crash', 'crash', 'EIO', 'ENOSPC'] as const)
          : undefined
    }
    const [address] = this.keys.addresses
    const account = evmAddressBytes(this.keys.publicKeys[0]!)
    for (let i = 0; i < 4; i++) {
      node.fund(address!, FUNDS / 4n)
      node.pChain.fund({ address: address!, amount: FUNDS / 4n })
    }
    node.cChain.fund(account, FUNDS)
    const produceOthers = () => {
      const fees = random.chance(0.2) ? random.below(4_000_000) : undefined
      if (fees !== undefined && !this.isHealed)
        node.pChain.setFeeState({ capacity: 1_000_000n, excess: BigInt(fees) })
      if (random.chance(0.2) && !this.isHealed)
        node.cChain.setBaseFee(BigInt(1 + random.below(200)) * AVAX)
      node.pChain.produceBlock()
      node.cChain.produceBlock()
      time.after(this.isHealed ? 1000 : 500 + random.below(3000), produceOthers)
    }
    time.after(700, produceOthers)
    cluster.start()
    for (let i = 1 + random.below(2); i > 0; i--) this.startProcess()
    if (random.chance(0.5)) this.scheduleRestarts(cluster)
    time.after(FAULTS_MS, () => {
      this.isHealed = true
      this.network!.heal()
      this.note('faults stop')
    })
    const isOver = () => this.isHealed && this.running === 0
    await time.run(isOver, START + FAULTS_MS + HEALING_MS)
    if (this.running > 0)
      this.violations.push(`stuck: ${this.running} processes did not end; ${this.log.at(-1)}`)
    else await this.checkWallet()
    const arrived = await this.check(node.fetch as never)
    await foreign.close()
    await cluster.close()
    return {
      seed: this.seed,
      violations: this.violations,
      trace: this.log.join('\n'),
      crashes: this.crashes,
      arrived,
      virtualMs: time.now - START,
    }
  }

  private note(text: string): void {
    this.log.push(`${this.time.now - START} ${text}`)
  }

  private scheduleRestarts(cluster: Cluster): void {
    const tick = () => {
      if (this.isHealed) return
      cluster.restart(0)
      this.note('node restarts')
      this.time.after(1000 + this.random.below(20_000), tick)
    }
    this.time.after(this.random.below(10_000), tick)
  }

  private startProcess(): void {
    const { random, time, machine } = this
    const chance = random.pick([0, 0.003, 0.02])
    const process = new SimulatedProcess(
      random,
      () => (this.isHealed ? 0 : chance),
      () => {
        this.crashes++
        this.note('crash')
        if (random.chance(0.3)) machine?.fail()
        time.after(random.below(5000), () => {
          this.startProcess()
          this.running--
        })
      },
    )
    const store = machine?.open(process) ?? this.shared
    const wallet = this.walletFor(process, store)
    this.running++
    void this.runProcess(process, wallet).then(async () => {
      if ('close' in store) await (store as FileStore).close().catch((error) => this.codeOf(error))
      // The machine failed meanwhile; another process goes on.
      if (!process.alive) return
      process.exit()
      this.running--
    })
  }

  private walletFor(process: SimulatedProcess, store: Store): CrossChainWallet {
    const { random, machine } = this
    const clock = process.clock(this.time.clock())
    const connection = {
      url: 'http://n0',
      fetch: process.fetch(this.network!.fetch),
      clock,
      retry: { retries: 1 },
    }
    return createCrossChainWallet({
      client: createNodeClient(connection),
      pChain: createPChainClient(connection),
      cChain: createCChainClient(connection),
      keys: this.keys,
      backend: this.backend,
      store: process.store(store, () => {
        if (machine?.disk.isDead) machine.fail()
      }),
      clock,
      wait: { timeoutMs: 3000 + random.below(10_000), resendMs: 1000 + random.below(4000) },
    })
  }

  /** Everything that a process does; never resolves if it crashes. */
  private async runProcess(process: SimulatedProcess, wallet: CrossChainWallet): Promise<void> {
    const pause = (ms: number) => process.clock(this.time.clock()).sleep(ms)
    const jobs = this.moves.flatMap((move) => [
      () => this.move(pause, wallet, move),
      ...(move.cancels ? [() => this.cancel(pause, wallet, move)] : []),
    ])
    await Promise.all(
      jobs.map(async (job) => {
        await pause(this.random.below(8000))
        await job()
      }),
    )
  }

  private async move(
    pause: (ms: number) => Promise<void>,
    wallet: CrossChainWallet,
    { key, from, to, amount, recipient }: Move,
  ): Promise<void> {
    while (!this.done.has(key)) {
      this.calls.set(key, 1 + (this.calls.get(key) ?? 0))
      try {
        await wallet.move({ from, to, amount, recipient }, { key })
        this.ended(key)
        this.note(`${key} from ${from} to ${to} arrived`)
        this.done.add(key)
      } catch (error) {
        this.ended(key)
        const code = this.codeOf(error)
        const { cause } = error as Error
        this.note(
          `${key} from ${from} to ${to}: ${code}${cause instanceof Error ? `, ${cause.message}` : ''}`,
        )
        if (code === 'PAYMENT_CANCELED') {
          this.canceled.add(key)
          if (this.calls.get(key)! > 0) this.askedAgain.add(key)
          this.done.add(key)
          return
        }
        await pause(100 + this.random.below(3000))
        if (this.random.chance(0.3)) await wallet.resume().catch((cause) => this.codeOf(cause))
      }
    }
  }

  private ended(key: string): void {
    this.calls.set(key, this.calls.get(key)! - 1)
  }

  private async cancel(
    pause: (ms: number) => Promise<void>,
    wallet: CrossChainWallet,
    { key }: Move,
  ): Promise<void> {
    while (!this.done.has(key)) {
      try {
        const { status } = await wallet.cancel(key)
        this.note(`cancel ${key}: ${status}`)
        return
      } catch (error) {
        this.note(`cancel ${key}: ${this.codeOf(error)}`)
        await pause(500 + this.random.below(5000))
      }
    }
  }

  private codeOf(error: unknown): string {
    if (error instanceof AvmError) {
      // Every transaction is in the store, so none can have made a move that it does not know.
      if (['KEY_CONFLICT', 'STUCK_EXPORT', 'PAYMENT_MAYBE_MADE'].includes(error.code))
        this.violations.push(`unexpected ${error.code}`)
      return error.code
    }
    this.violations.push(`untyped error: ${(error as Error)?.stack ?? error}`)
    return 'untyped'
  }

  /** Once everything has ended, a new process finds nothing unfinished and nothing reserved. */
  private async checkWallet(): Promise<void> {
    const { machine, time, violations } = this
    if (machine?.disk.isDead) machine.fail()
    const process = idleProcess()
    const store = machine?.open(process) ?? this.shared
    const wallet = this.walletFor(process, store)
    let isChecked = false
    const work = async () => {
      for (const { keys, status } of await patiently(() => wallet.resume()))
        if (status === 'pending' && this.askedAgain.has(keys[0]!))
          await patiently(() => wallet.cancel(keys[0]!))
      const left = await patiently(() => wallet.moves())
      for (const { key, stage, location } of left)
        violations.push(`${key} is unfinished: ${stage}, ${location}`)
      const balances = await patiently(() => wallet.balances())
      if (balances.some(({ reserved }) => reserved > 0n)) violations.push('UTXOs stay reserved')
      for (const { key } of this.moves) {
        const [record] = await patiently(() => wallet.payments([key]))
        const { status } = record!
        if (status === 'accepted') this.accepted.add(key)
        const expected = this.canceled.has(key) ? 'canceled' : 'accepted'
        if (status !== expected && !this.askedAgain.has(key))
          violations.push(`${key} is recorded as ${status}, expected ${expected}`)
      }
    }
    void work()
      .catch((error) => violations.push(`checking the wallet failed: ${error}`))
      .finally(() => {
        isChecked = true
      })
    await time.run(() => isChecked, time.now + HEALING_MS)
    if (!isChecked) violations.push('checking the wallet did not end')
    if ('close' in store) await (store as FileStore).close().catch((error) => this.codeOf(error))
  }

  /** Compares what the chains hold with what callers were told. Returns how many moves arrived. */
  private async check(fetch: typeof globalThis.fetch): Promise<number> {
    const { violations } = this
    const connection = {
      url: 'http://n0',
      fetch: (url: string, init: RequestInit) => fetch(url, init),
    }
    const x = createNodeClient(connection)
    const p = createPChainClient(connection)
    const c = createCChainClient(connection)
    const on: { readonly [chain in MoveChain]: (owner: Uint8Array) => Promise<bigint> } = {
      X: (owner) => sumOf(x, owner),
      P: (owner) => sumOf(p, owner),
      C: async (owner) => (await c.account(owner)).balance / AVAX,
    }
    const [address] = this.keys.addresses
    const account = evmAddressBytes(this.keys.publicKeys[0]!)
    let total = (await on.X(address!)) + (await on.P(address!)) + (await on.C(account))
    let arrived = 0
    for (const { key, to, amount, recipient } of this.moves) {
      const received = await on[to](recipient)
      total += received
      const times = received === 0n ? 0 : received < 2n * amount ? 1 : 2
      if (times === 1) arrived++
      const isPaid = this.askedAgain.has(key) ? this.accepted.has(key) : !this.canceled.has(key)
      const expected = this.done.has(key) && isPaid ? 1 : 0
      if (times > 1) violations.push(`${key} was moved twice`)
      if (this.done.has(key) && times !== expected)
        violations.push(`${key} arrived ${times} times, expected ${expected}`)
      if (times === 1 && received < amount - MAX_FEES)
        violations.push(`${key} arrived with ${received} of ${amount}`)
    }
    // Nothing lies between the chains in the end, and only fees are gone.
    const lost = 3n * FUNDS - total
    if (this.isHealed && this.running === 0 && lost > MAX_FEES * BigInt(this.moves.length))
      violations.push(`${lost} nAVAX are neither on a chain nor fees`)
    return arrived
  }
}

async function sumOf(client: NodeClient | PChainClient, owner: Uint8Array): Promise<bigint> {
  let sum = 0n
  for await (const { utxos } of client.utxoPages({ addresses: [owner] }))
    for (const { output, assetID } of utxos)
      if (output.type === 'secp256k1fx.TransferOutput' && isAVAX(assetID)) sum += output.amount
  return sum
}

function isAVAX(assetID: Uint8Array): boolean {
  return assetID.every((byte, i) => byte === networks.local.assetID[i])
}
