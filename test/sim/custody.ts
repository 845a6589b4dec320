import { setTimeout as sleep } from 'node:timers/promises'
import { equalBytes } from '../../src/core/base/bytes/compare.ts'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { AvmError } from '../../src/core/base/errors.ts'
import { encodeTx } from '../../src/core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../../src/core/crypto/backend.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { buildTransfer } from '../../src/core/draft/x/transfer.ts'
import { requireSigned } from '../../src/core/sign/job.ts'
import { signDraft } from '../../src/core/sign/sign.ts'
import type { DatabasePool } from '../../src/custody/database/database.ts'
import { type Custody, openCustody } from '../../src/custody/index.ts'
import { createNodeClient, type Fetch } from '../../src/node/index.ts'
import { Cluster, newNode } from './cluster.ts'
import { CrashablePool } from './crashable-pool.ts'
import { FastTime } from './fast-time.ts'
import { fund } from './funds.ts'
import { Network, randomFaults } from './network.ts'
import { paysTo, UNIT } from './payments.ts'
import { SimulatedProcess } from './process.ts'
import { type Random, seededRandom } from './random.ts'
import { addLiar } from './scene.ts'
import { START } from './virtual-time.ts'
import { FAULTS_MS, type SimulationResult } from './world.ts'

/** How much faster time passes for nodes and the network. Timers of custody and of the database are real. */
const FACTOR = 10

/** How long everything may take after faults stop, and the pause between two looks; real milliseconds. */
const END_MS = 60_000
const LOOK_MS = 50

const SERVERS = 3
const WORKERS = 2

/** A payout that somebody requests, maybe several times. Nobody else pays its recipient. */
type Wanted = {
  readonly key: string
  readonly to: Uint8Array
  readonly amount: bigint
  readonly cancels: boolean
}

/** The tables that all processes share. */
export type SharedDatabase = {
  readonly schema: string
  /** Makes a pool of connections for a process. */
  readonly newPool: () => Promise<DatabasePool>
}

/**
 * Runs one seed of custody: workers with one database make payouts, credit deposits and collect them, while processes
 * crash, requests fail and one of three servers lies for ever. In the end every payout was made once or canceled, every
 * deposit is credited once, and the audit is balanced. A database has its own time, so two runs of a seed differ.
 */
export async function simulateCustody(
  seed: number,
  backend: Secp256k1Backend,
  database: SharedDatabase,
): Promise<SimulationResult> {
  const random = seededRandom(seed)
  const time = new FastTime(FACTOR, random)
  const setting = { random, time, backend }
  const cluster = await Cluster.create(SERVERS, setting)
  const foreign = await newNode(backend)
  const network = new Network(setting, cluster, foreign, SERVERS)
  // Otherwise several servers could leave out the same UTXO or show the same false chain, which a quorum excludes.
  network.faults = { ...randomFaults(random), hideUTXOs: 0, foreign: 0 }
  const simulation = new CustodySimulation({ seed, ...setting, database, cluster, network })
  simulation.note(addLiar(setting, network, cluster, simulation.hot, false))
  try {
    return await simulation.run()
  } finally {
    await foreign.close()
    await cluster.close()
  }
}

type Parts = {
  readonly seed: number
  readonly random: Random
  readonly time: FastTime
  readonly backend: Secp256k1Backend
  readonly database: SharedDatabase
  readonly cluster: Cluster
  readonly network: Network
}

class CustodySimulation {
  readonly hot: KeyChain
  private readonly customers: KeyChain
  private readonly depositor: KeyChain
  private readonly parts: Parts
  private readonly violations: string[] = []
  private readonly log: string[] = []
  private readonly pools: DatabasePool[] = []
  /** Ends all workers. */
  private readonly stop = new AbortController()
  /** Workers that have not crashed. */
  private readonly working = new Map<SimulatedProcess, Promise<void>>()
  private isHealed = false
  private crashes = 0

  constructor(parts: Parts) {
    this.parts = parts
    this.hot = this.keysOf(1)
    this.customers = this.keysOf(61, 62, 63)
    this.depositor = this.keysOf(90)
  }

  async run(): Promise<SimulationResult> {
    const { seed, time, cluster, network } = this.parts
    const wanted = this.wantedPayouts()
    const deposits = this.signDeposits()
    this.fundHot(wanted)
    cluster.start()
    const custody = await this.open(await this.newPool(), network.fetch)
    // From now on, because faults may be so frequent that the first call ends only after them.
    const healing = time.sleep(FAULTS_MS).then(() => this.heal())
    const addresses = this.customers.addresses.map(textOf)
    // Outputs to an address that is watched later are found by a walk.
    await this.repeat('watch', () => custody.watch(addresses.slice(0, 2)))
    for (let i = 0; i < WORKERS; i++) await this.startWorker()
    const asked = [
      ...wanted.map((payout) => this.request(custody, payout)),
      ...deposits.map((bytes) => this.deposit(bytes)),
      this.later(() => this.repeat('watch', () => custody.watch(addresses))),
    ]
    await healing
    await this.within('requests end', Promise.all(asked))
    await this.check(custody, wanted, deposits.length)
    // A worker that has only just started ends like the others.
    await this.startWorker()
    this.stop.abort()
    await this.within('workers stop', Promise.all(this.working.values()))
    await this.within('connections close', Promise.all(this.pools.map((pool) => pool.end())))
    return {
      seed,
      violations: this.violations,
      trace: this.log.join('\n'),
      crashes: this.crashes,
      transactions: cluster.accepted().length,
      arrived: 0,
      virtualMs: time.now - START,
    }
  }

  private heal(): void {
    this.isHealed = true
    this.parts.network.heal()
    this.note('faults stop')
  }

  note(text: string): void {
    this.log.push(`${Math.round(this.parts.time.now - START)} ${text}`)
  }

  private keysOf(...bytes: number[]): KeyChain {
    const { backend } = this.parts
    return new KeyChain(
      bytes.map((byte) => new Uint8Array(32).fill(byte)),
      { backend },
    )
  }

  private wantedPayouts(): Wanted[] {
    const { random } = this.parts
    return Array.from({ length: 3 + random.below(10) }, (_, i) => ({
      key: `payout ${i}`,
      to: new Uint8Array(20).fill(i).fill(150, 0, 1),
      amount: UNIT * BigInt(1 + random.below(5)),
      cancels: random.chance(0.2),
    }))
  }

  private fundHot(wanted: readonly Wanted[]): void {
    const [address] = this.hot.addresses as [Uint8Array]
    const amount = wanted.reduce((sum, payout) => sum + payout.amount, 100n * UNIT)
    for (let i = 0; i < 4; i++) this.parts.cluster.change((node) => fund(node, { address, amount }))
  }

  /** Transactions of somebody else that pay customers. */
  private signDeposits(): Uint8Array[] {
    const { random, cluster } = this.parts
    const { context } = cluster.nodes[0]!.node
    const [address] = this.depositor.addresses as [Uint8Array]
    return Array.from({ length: 2 + random.below(5) }, () => {
      const amount = UNIT * BigInt(10 + random.below(10))
      const utxos = [cluster.change((node) => fund(node, { address, amount }))]
      const draft = buildTransfer({
        context,
        funds: { utxos, owners: [address], now: BigInt(START / 1000) },
        outputs: [{ to: random.pick(this.customers.addresses), amount: 5n * UNIT }],
        changeTo: address,
      })
      return encodeTx(requireSigned(signDraft(draft, this.depositor)).signedTx)
    })
  }

  private async newPool(): Promise<DatabasePool> {
    const pool = await this.parts.database.newPool()
    this.pools.push(pool)
    return pool
  }

  private open(database: DatabasePool, fetch: Fetch): Promise<Custody> {
    const url = Array.from({ length: SERVERS }, (_, i) => `http://n${i}`)
    return openCustody({
      database,
      schema: this.parts.database.schema,
      client: createNodeClient({ url, fetch, retry: { retries: 1 } }),
      keys: this.keysOf(1, 61, 62, 63),
      hot: this.hot.addresses,
      backend: this.parts.backend,
      sweeps: [
        { type: 'collect', above: 0n },
        { type: 'consolidate', above: 12 },
      ],
      limits: { draftMs: 2_000, leaderMs: 500, resendMs: 50, maxBatch: 3, spareUTXOs: 3 },
      log: ({ event, message }) => this.note(`${event}: ${message}`),
    })
  }

  /** Starts a worker, and another one after it has crashed. */
  private async startWorker(): Promise<void> {
    const { random, time, network } = this.parts
    const chance = random.pick([0, 0.005, 0.02])
    const process = new SimulatedProcess({
      time,
      random,
      crashChance: () => (this.isHealed ? 0 : chance),
      onCrash: () => {
        this.crashes++
        this.note('crash')
        this.working.delete(process)
        pool.break()
        time.after(random.below(5000), () => void this.startWorker())
      },
    })
    const pool = new CrashablePool(await this.newPool(), process)
    const custody = await this.open(pool, process.fetch(network.fetch))
    const { signal } = this.stop
    const work = custody.work({ signal }).catch((error) => void this.codeOf('work', error))
    // It may have crashed in its first operation.
    if (process.alive) this.working.set(process, work)
    // A worker sweeps by itself only every ten seconds.
    void this.later(() => this.repeat('sweep', () => custody.sweep()))
  }

  /** Requests a payout, sometimes twice, and maybe cancels it. */
  private async request(custody: Custody, { key, to, amount, cancels }: Wanted): Promise<void> {
    const { random } = this.parts
    const payout = { key, to: textOf(to), amount }
    const ask = () => this.repeat(key, () => custody.requestPayouts([payout]))
    await this.later(ask)
    if (random.chance(0.3)) await this.later(ask)
    if (cancels) await this.later(() => this.repeat(`cancel ${key}`, () => custody.cancel([key])))
  }

  /** Issues a deposit until it is accepted. */
  private async deposit(bytes: Uint8Array): Promise<void> {
    const { cluster, time } = this.parts
    const isAccepted = () => cluster.accepted().some(({ tx }) => equalBytes(encodeTx(tx), bytes))
    await this.later(async () => {})
    while (!isAccepted()) {
      for (const at of cluster.nodes.keys()) await cluster.issue(at, bytes)
      await time.sleep(1000)
    }
  }

  /** Does something at a random time. */
  private async later(act: () => Promise<unknown>): Promise<void> {
    const { time, random } = this.parts
    await time.sleep(random.below(FAULTS_MS / 2))
    await act()
  }

  /** Repeats a call that fails because of a fault. */
  private async repeat(name: string, call: () => Promise<unknown>): Promise<void> {
    while (!this.stop.signal.aborted)
      try {
        await call()
        return
      } catch (error) {
        const code = this.codeOf(name, error)
        this.note(`${name}: ${code}`)
        // The payout has ended before it could be canceled.
        if (code === 'PAYOUT_STATUS') return
        await this.parts.time.sleep(1000)
      }
  }

  private codeOf(name: string, error: unknown): string {
    if (error instanceof AvmError) return error.code
    this.violations.push(`${name}: untyped error: ${(error as Error)?.stack ?? error}`)
    return 'untyped'
  }

  /** Waits until everything has ended, and compares the chain with the tables. */
  private async check(
    custody: Custody,
    wanted: readonly Wanted[],
    deposits: number,
  ): Promise<void> {
    const { cluster } = this.parts
    await this.until('payouts end', async () =>
      (await custody.payouts()).every(({ status }) => status !== 'queued' && status !== 'pending'),
    )
    await this.until('deposits are credited', async () => {
      return (await custody.deposits()).length >= deposits
    })
    await this.until('deposits are collected', async () => {
      await this.repeat('sweep', () => custody.sweep())
      return (await cluster.utxosOf(this.customers.addresses)).length === 0
    })
    await this.until('the audit is balanced', async () => {
      const { balanced, missing, extra } = await custody.audit()
      return balanced && missing.length + extra.length === 0
    })
    await this.checkPayouts(custody, wanted)
    const cursors = (await custody.deposits()).map(({ cursor }) => cursor)
    if (cursors.length !== deposits || cursors.some((cursor, i) => cursor !== BigInt(i + 1)))
      this.violations.push(`${deposits} deposits have the cursors ${cursors}`)
  }

  private async checkPayouts(custody: Custody, wanted: readonly Wanted[]): Promise<void> {
    const accepted = this.parts.cluster.accepted()
    for (const { key, to } of wanted) {
      const [payout] = await custody.payouts({ keys: [key] })
      const times = accepted.filter((one) => paysTo(one, to)).length
      const expected = payout?.status === 'paid' ? 1 : 0
      if (payout?.status === 'failed') this.violations.push(`${key} has failed`)
      if (times !== expected)
        this.violations.push(`${key} is ${payout?.status}, and was paid ${times} times`)
    }
  }

  /** Looks until something has happened. */
  private async until(what: string, look: () => Promise<boolean>): Promise<void> {
    let isOver = false
    const looking = async () => {
      while (!isOver && !(await look().catch((error) => this.codeOf(what, error) === '')))
        await sleep(LOOK_MS)
    }
    await this.within(what, looking())
    isOver = true
  }

  /** Waits for work that must end. */
  private async within(what: string, work: Promise<unknown>): Promise<void> {
    const isLate = Symbol('late')
    const limit = new AbortController()
    const late = sleep(END_MS, isLate, { signal: limit.signal }).catch(() => undefined)
    if ((await Promise.race([work, late])) === isLate)
      this.violations.push(`not within ${END_MS} ms: ${what}`)
    limit.abort()
  }
}

function textOf(address: Uint8Array): string {
  return formatAddress({ chain: 'X', hrp: 'local', address })
}
