import { hex } from '../../src/core/base/encoding/hex.ts'
import { AvmError } from '../../src/core/base/errors.ts'
import { networks } from '../../src/core/chain/networks.ts'
import type { Secp256k1Backend } from '../../src/core/crypto/backend.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { createDevNode } from '../../src/devnode/index.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { createWallet, type Wallet, type WalletError } from '../../src/wallet/index.ts'
import type { FileStore } from '../../src/wallet/store/file/store.ts'
import { memoryStore, type PaymentRecord, type Store } from '../../src/wallet/store/index.ts'
import { ClaimAudit } from './audit.ts'
import { Cluster, nameOf, type OnChain } from './cluster.ts'
import { Machine } from './machine.ts'
import { type Faults, Network, NO_FAULTS } from './network.ts'
import { SimulatedProcess } from './process.ts'
import { type Random, seededRandom } from './random.ts'
import { START, VirtualTime } from './virtual-time.ts'

/** How long faults last, and how long everything may take after they stop; virtual milliseconds. */
export const FAULTS_MS = 30_000
export const HEALING_MS = 600_000

const UNIT = networks.local.txFee

/** More than any UTXO has at the start: such a payment spends several. */
const LARGE = 60n * UNIT

/** What several keys pay, also in different stores. */
const EQUAL = { to: recipient(99, 0), amount: 5000n }

/** A payment that callers ask for. */
type Payment = {
  readonly key: string
  /** Its own, so that the chain shows how often it was made; or that of other keys with equal content. */
  readonly to: Uint8Array
  readonly amount: bigint
  /** Another amount, if a caller asks for it under the same key. Either is paid, never both. */
  readonly otherAmount: bigint | undefined
  /** Whether somebody tries to cancel it. */
  readonly cancels: boolean
  /** The payments that are made with it in one transaction, itself included. */
  readonly batch: readonly string[]
}

/** What a caller was told. */
type Report = {
  readonly payment: Pick<Payment, 'key' | 'to'>
  /** What the caller may conclude that was paid. */
  readonly amounts: readonly (bigint | undefined)[]
  readonly status: 'accepted' | 'canceled'
  readonly txID: Uint8Array
}

/** A store, the payments that are claimed in it, and the processes that use it. */
type Account = {
  /** Shared by all processes; undefined if they use a file on a machine. */
  readonly store: Store | undefined
  readonly machine: Machine | undefined
  readonly payments: readonly Payment[]
  readonly done: Set<string>
  readonly wallets: Set<Wallet>
}

/** How wallets reach the nodes. */
type Settings = {
  readonly network: Network
  readonly url: string | string[]
  readonly quorum: number
  readonly audit: ClaimAudit
}

/** What came of a run. */
export type SimulationResult = {
  readonly seed: number
  /** What contradicts the invariants; empty if none is broken. */
  readonly violations: readonly string[]
  /** A digest of everything that happened, for comparing two runs of a seed. */
  readonly trace: string
  readonly crashes: number
  readonly transactions: number
  readonly virtualMs: number
}

/**
 * Runs one seed.
 *
 * @param newStore - makes the stores of all accounts; by default they are in memory or in files
 */
export async function simulate(
  seed: number,
  backend: Secp256k1Backend,
  newStore?: () => Promise<Store>,
): Promise<SimulationResult> {
  return withSeed(seed, (random) => {
    const simulation = new Simulation(seed, random, backend, newStore)
    // A database has timers of its own.
    return newStore === undefined
      ? simulation.time.withTimers(() => simulation.run())
      : simulation.run()
  })
}

/** Runs work whose only randomness is the seed. */
export async function withSeed<T>(seed: number, work: (random: Random) => Promise<T>): Promise<T> {
  const random = seededRandom(seed)
  const platformRandom = crypto.getRandomValues
  // Nonce entropy and generated keys come from the seed.
  crypto.getRandomValues = ((array: Uint8Array) => {
    array.set(random.bytes(array.length))
    return array
  }) as typeof crypto.getRandomValues
  try {
    return await work(random)
  } finally {
    crypto.getRandomValues = platformRandom
  }
}

class Simulation {
  private readonly seed: number
  private readonly random: Random
  private readonly backend: Secp256k1Backend
  private readonly newStore: (() => Promise<Store>) | undefined
  readonly time: VirtualTime
  private readonly violations: string[] = []
  private readonly reports: Report[] = []
  private readonly log: string[] = []
  private readonly keys: KeyChain
  private settings: Settings | undefined
  private isHealed = false
  private crashes = 0
  private running = 0

  constructor(
    seed: number,
    random: Random,
    backend: Secp256k1Backend,
    newStore: (() => Promise<Store>) | undefined,
  ) {
    this.seed = seed
    this.newStore = newStore
    this.random = random
    this.backend = backend
    this.time = new VirtualTime(random)
    this.keys = new KeyChain([new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)], { backend })
  }

  async run(): Promise<SimulationResult> {
    const { random, time } = this
    const nodeCount = 1 + random.below(3)
    const cluster = await Cluster.create(nodeCount, time, random, this.backend)
    const foreign = await createDevNode({
      now: START / 1000,
      blocks: 'manual',
      backend: this.backend,
    })
    for (let i = random.below(12); i >= 0; i--) foreign.fund(new Uint8Array(20).fill(7), 1n)
    const network = new Network(cluster, time, random, foreign)
    const topology = random.pick(['list', 'balanced'] as const)
    const quorum = topology === 'list' && nodeCount === 3 && random.chance(0.5) ? 2 : 1
    network.faults = randomFaults(random, quorum > 1)
    if (quorum > 1) network.liar = random.below(nodeCount)
    const [a, b] = this.keys.addresses
    const url = topology === 'balanced' ? 'http://any' : cluster.nodes.map((_, i) => `http://n${i}`)
    const accounts = await this.accounts()
    const large = accounts.flatMap(({ payments }) => payments).filter(({ amount }) => amount > UNIT)
    // Each large payment needs two of these or more.
    for (let i = 2 + random.below(8) + 3 * large.length; i > 0; i--)
      cluster.fund(random.pick([a!, b!]), UNIT * BigInt(20 + random.below(40)))
    cluster.start()
    const audit = new ClaimAudit(cluster, this.violations)
    this.settings = { network, url, quorum, audit }
    for (const account of accounts)
      for (let i = 1 + random.below(2); i > 0; i--) this.startProcess(account)
    this.scheduleRestarts(cluster)
    time.after(FAULTS_MS, () => {
      this.isHealed = true
      network.heal()
      this.note('faults stop')
    })
    const isOver = () => this.isHealed && this.running === 0
    await time.run(isOver, START + FAULTS_MS + HEALING_MS)
    if (this.running > 0) this.violations.push(`stuck: ${this.running} processes did not end`)
    else await this.checkWallets(accounts, network)
    await this.check(accounts, cluster)
    await foreign.close()
    await cluster.close()
    return {
      seed: this.seed,
      violations: this.violations,
      trace: this.log.join('\n'),
      crashes: this.crashes,
      transactions: cluster.accepted().length,
      virtualMs: time.now - START,
    }
  }

  private note(text: string): void {
    this.log.push(`${this.time.now - START} ${text}`)
  }

  /** One account with a store shared by its processes, sometimes a second with the same keys and its own store. */
  private async accounts(): Promise<Account[]> {
    const { random } = this
    const stores = await Promise.all(Array.from({ length: 2 }, () => this.newStore?.()))
    return Array.from({ length: 1 + random.below(2) }, (_, index) => {
      const count = 1 + random.below(5)
      const keyOf = (i: number) => `payment ${index}/${i}`
      // Payments below this number are made together.
      const together = random.chance(0.3) ? random.below(count) : 0
      const payments = Array.from({ length: count }, (_unused, i): Payment => {
        const isBatch = together > 1 && i < together
        const isEqual = !isBatch && random.chance(0.2)
        const isSingle = !isBatch && !isEqual
        const small = 1000n * BigInt(index + 1) + BigInt(i)
        const amount = isEqual ? EQUAL.amount : random.chance(0.2) ? LARGE + small : small
        return {
          key: keyOf(i),
          to: isEqual ? EQUAL.to : recipient(100 + index, i),
          amount,
          otherAmount: isSingle && random.chance(0.15) ? amount + 500n : undefined,
          cancels: isSingle && random.chance(0.25),
          batch: isBatch ? Array.from({ length: together }, (_one, at) => keyOf(at)) : [keyOf(i)],
        }
      })
      const outside = stores[index]
      const isFile = random.chance(0.5) && outside === undefined
      return {
        store: isFile ? undefined : outside === undefined ? memoryStore() : this.timed(outside),
        machine: isFile ? this.machine() : undefined,
        payments,
        done: new Set<string>(),
        wallets: new Set<Wallet>(),
      }
    })
  }

  /** A store outside of the simulation, for whose operations time stands still. */
  private timed(store: Store): Store {
    const { time } = this
    const all = async function* <T>(items: AsyncIterable<T>) {
      const list: T[] = []
      const read = async () => {
        for await (const item of items) list.push(item)
      }
      await time.during(read())
      yield* list
    }
    return {
      bind: (binding) => time.during(store.bind(binding)),
      claim: (claim) => time.during(store.claim(claim)),
      assertOwned: () => time.during(store.assertOwned()),
      recordAcceptance: (acceptance) => time.during(store.recordAcceptance(acceptance)),
      cancel: (key) => time.during(store.cancel(key)),
      payments: (keys) => time.during(store.payments(keys)),
      list: () => all(store.list()),
      attempts: (key) => all(store.attempts(key)),
    }
  }

  /** A machine whose disk may fail in any operation. */
  private machine(): Machine {
    const machine = new Machine(this.time, this.random)
    const chance = this.random.pick([0, 0.002, 0.01])
    machine.disk.faultOf = () =>
      !this.isHealed && this.random.chance(chance)
        ? this.random.pick(['crash', 'crash', 'EIO', 'ENOSPC'] as const)
        : undefined
    return machine
  }

  private startProcess(account: Account): void {
    const { random, time } = this
    const chance = random.pick([0, 0, 0.003, 0.02])
    const wallets = account.wallets
    let wallet: Wallet | undefined
    let hasEnded = false
    const process = new SimulatedProcess(
      random,
      () => (this.isHealed || hasEnded ? 0 : chance),
      () => {
        this.crashes++
        if (wallet !== undefined) wallets.delete(wallet)
        this.note('crash')
        // Sometimes the whole machine fails.
        if (random.chance(0.3)) account.machine?.fail()
        time.after(random.below(5000), () => {
          this.startProcess(account)
          this.running--
        })
      },
    )
    const store = account.store ?? account.machine!.open(process)
    if (random.chance(0.2))
      time.after(random.below(20_000), () => {
        if (!this.isHealed) process.suspend(time.sleep(random.below(20_000)))
      })
    if (random.chance(0.1))
      time.after(random.below(20_000), () => {
        if (!this.isHealed) void account.machine?.removeLock()
      })
    wallet = this.walletFor(account, process, store)
    wallets.add(wallet)
    this.running++
    void this.runProcess(process, account, wallet).then(async () => {
      // A file belongs to one process until it closes it.
      if ('close' in store && process.alive) {
        wallets.delete(wallet!)
        await (store as FileStore).close().catch((error) => this.codeOf(error))
      }
      // It crashed meanwhile; another process goes on.
      if (!process.alive) return
      if ('close' in store) process.exit()
      // Otherwise its wallet is checked later; a crash would start another process.
      hasEnded = true
      this.running--
    })
  }

  private walletFor(account: Account, process: SimulatedProcess, store: Store): Wallet {
    const { random } = this
    const { machine } = account
    const { network, url, quorum, audit } = this.settings!
    const clock = process.clock(this.time.clock())
    const client = createNodeClient({
      url,
      fetch: process.fetch(audit.fetch(network.fetch)),
      clock,
      retry: { retries: 1 },
    })
    return createWallet({
      client,
      keys: this.keys,
      backend: this.backend,
      store: process.store(audit.store(store, account), () => {
        if (machine?.disk.isDead) machine.fail()
      }),
      clock,
      quorum,
      wait: { timeoutMs: 3000 + random.below(10_000), resendMs: 1000 + random.below(4000) },
    })
  }

  /** Everything that a process does; never resolves if it crashes. */
  private async runProcess(
    process: SimulatedProcess,
    account: Account,
    wallet: Wallet,
  ): Promise<void> {
    const { random } = this
    const work = account.payments.flatMap((payment) => {
      const jobs = [() => this.pay(process, account, wallet, payment)]
      if (payment.otherAmount !== undefined) {
        const other = { ...payment, amount: payment.otherAmount }
        jobs.push(() => this.pay(process, account, wallet, other))
      }
      if (payment.cancels) jobs.push(() => this.cancel(process, account, wallet, payment))
      return jobs
    })
    await Promise.all(
      work.map(async (job) => {
        await this.pause(process, random.below(10_000))
        await job()
      }),
    )
  }

  private pause(process: SimulatedProcess, ms: number): Promise<void> {
    return process.clock(this.time.clock()).sleep(ms)
  }

  private async pay(
    process: SimulatedProcess,
    account: Account,
    wallet: Wallet,
    payment: Payment,
  ): Promise<void> {
    const { random } = this
    let again = false
    while (!account.done.has(payment.key)) {
      try {
        const parts =
          payment.batch.length === 1
            ? [payment]
            : account.payments.filter(({ key }) => payment.batch.includes(key))
        const outputs = parts.map(({ to, amount }) => ({ to, amount }))
        const keys = parts.map(({ key }) => key)
        const { txID } = await wallet.transfer({ outputs }, { keys, again })
        for (const part of parts)
          this.report({ payment: part, amounts: [part.amount], status: 'accepted', txID }, account)
        return
      } catch (error) {
        const isDisputed = payment.otherAmount !== undefined
        if (isDisputed && error instanceof AvmError && error.code === 'KEY_CONFLICT') return
        const code = this.codeOf(error)
        this.note(`pay ${payment.key}: ${code}`)
        if (code === 'STORE_LOST') process.crash()
        if (code === 'PAYMENT_CANCELED') return
        if (code === 'PAYMENT_MAYBE_MADE') again = this.isOfOthers(error as WalletError, account)
        await this.pause(process, 100 + random.below(3000))
        if (random.chance(0.2)) await wallet.resume().catch((cause) => this.codeOf(cause))
      }
    }
  }

  /** Another account with the same keys may make an equal payment. */
  private isOfOthers({ txID, keys }: WalletError, account: Account): boolean {
    const isOwn = this.settings!.audit.isIn(txID!, account)
    if (isOwn) this.violations.push(`${keys} may be made by a transaction of its own store`)
    return !isOwn
  }

  private async cancel(
    process: SimulatedProcess,
    account: Account,
    wallet: Wallet,
    payment: Payment,
  ): Promise<void> {
    const { key } = payment
    while (!account.done.has(key)) {
      try {
        const { status, txID } = await wallet.cancel(key)
        const amounts = [payment.amount, payment.otherAmount]
        this.report({ payment, amounts, status, txID }, account)
        return
      } catch (error) {
        const code = this.codeOf(error)
        this.note(`cancel ${key}: ${code}`)
        if (code === 'STORE_LOST') process.crash()
        await this.pause(process, 500 + this.random.below(5000))
      }
    }
  }

  private codeOf(error: unknown): string {
    if (error instanceof AvmError) {
      if (error.code === 'KEY_CONFLICT' || error.code === 'KEYS_TAKEN')
        this.violations.push(`unexpected ${error.code}`)
      return error.code
    }
    this.violations.push(`untyped error: ${(error as Error)?.stack ?? error}`)
    return 'untyped'
  }

  private report(report: Report, account: Account): void {
    this.reports.push(report)
    account.done.add(report.payment.key)
    this.note(`${report.payment.key} ${report.status} ${hex.encode(report.txID).slice(0, 8)}`)
  }

  private scheduleRestarts(cluster: Cluster): void {
    const { random, time } = this
    const tick = () => {
      if (this.isHealed) return
      cluster.restart(random.below(cluster.nodes.length))
      this.note('node restarts')
      time.after(1000 + random.below(20_000), tick)
    }
    if (random.chance(0.5)) time.after(random.below(10_000), tick)
  }

  private async check(accounts: readonly Account[], cluster: Cluster): Promise<void> {
    const { violations } = this
    if (accounts.some(({ machine }) => machine?.isLockStolen)) violations.push('a lock was stolen')
    const accepted = cluster.accepted()
    const byID = new Map(accepted.map((one) => [nameOf(one.txID), one]))
    // Of each recipient: the keys of payments that are recorded as accepted, by transaction.
    const paid = new Map<string, Map<string, string>>()
    for (const account of accounts)
      for (const payment of account.payments) {
        const { key, to } = payment
        const { status, txID } = await recordOf(account, key)
        const transactions = paid.get(nameOf(to)) ?? new Map<string, string>()
        paid.set(nameOf(to), transactions)
        if (status === 'accepted' && txID !== undefined) {
          const other = transactions.get(nameOf(txID))
          if (other !== undefined) violations.push(`${key} and ${other} are one transaction`)
          transactions.set(nameOf(txID), key)
        }
        if (txID !== undefined && status !== 'pending' && !byID.has(nameOf(txID)))
          violations.push(`${key}: recorded transaction is not on the chain`)
        if (this.isHealed && this.running === 0 && status === 'pending')
          violations.push(`${key} is still pending`)
      }
    for (const [to, transactions] of paid)
      for (const one of accepted)
        if (recipientsOf(one).includes(to) && !transactions.has(nameOf(one.txID)))
          violations.push(`paid, but not recorded as accepted: ${nameOf(one.txID)}`)
    for (const { payment, amounts, status, txID } of this.reports) {
      const { key, to } = payment
      const found = byID.get(nameOf(txID))
      if (found === undefined)
        violations.push(`${key} reported ${status}, but it is not on the chain`)
      else if (pays(found, to, amounts) !== (status === 'accepted'))
        violations.push(`${key} reported ${status}, but the transaction says otherwise`)
    }
  }

  /** Once nothing is pending, nothing stays reserved, and every wallet's UTXOs are those of the node. */
  private async checkWallets(accounts: readonly Account[], network: Network): Promise<void> {
    const { violations, time } = this
    const files: FileStore[] = []
    let left = 0
    for (const account of accounts) {
      // A process may have ended without noticing that the disk had failed.
      if (account.machine?.disk.isDead) account.machine.fail()
      if (account.machine === undefined) continue
      const process = idleProcess()
      const store = account.machine.open(process)
      account.wallets.add(this.walletFor(account, process, store))
      files.push(store)
    }
    for (const wallet of accounts.flatMap((account) => [...account.wallets])) {
      left++
      void this.checkWallet(wallet, network)
        .catch((error) => violations.push(`checking a wallet failed: ${error}`))
        .finally(() => left--)
    }
    await time.run(() => left === 0, time.now + HEALING_MS)
    if (left > 0) violations.push('checking the wallets did not end')
    // Outcomes are synced when a file is closed. Releasing its lock may fail, because the disk writes short at random.
    for (const file of files) await file.close().catch((error) => this.codeOf(error))
  }

  private async checkWallet(wallet: Wallet, network: Network): Promise<void> {
    const { violations } = this
    // A wallet that has read blocks of another chain notices it after 15 seconds without a block.
    await this.time.sleep(20_000)
    // A payment that was canceled may have been asked for again, and nobody waits for it any more.
    for (const { keys, status } of await patiently(() => wallet.resume()))
      if (status === 'pending') await patiently(() => wallet.cancel(keys[0]!))
    const balances = await patiently(() => wallet.balances())
    if (balances.some(({ reserved }) => reserved > 0n)) violations.push('UTXOs stay reserved')
    const differs = async () => {
      const { missing, extra } = await patiently(() => wallet.checkUTXOs())
      return missing.length + extra.length > 0
    }
    // The first check repairs what servers left out of the initial walk.
    if (!(await differs())) return
    if (!network.hidUTXOs) violations.push('UTXOs differ')
    if (await differs()) violations.push('UTXOs differ after a fresh walk')
  }
}

/** Repeats a call that fails: requests from before the faults stopped may still be slow, and the disk writes short. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AvmError) || tries === 20) throw error
    }
}

/** What the store says in the end, read anew from the disk if it is a file. */
async function recordOf({ store, machine }: Account, key: string): Promise<PaymentRecord> {
  if (store !== undefined) return (await store.payments([key]))[0]!
  for (let tries = 0; ; tries++) {
    const file = machine!.open(idleProcess())
    try {
      return (await file.payments([key]))[0]!
    } catch (error) {
      // The disk writes short at random.
      if (!(error instanceof AvmError) || tries === 100) throw error
    } finally {
      await file.close().catch(() => {})
    }
  }
}

/** A process that never crashes. */
export function idleProcess(): SimulatedProcess {
  return new SimulatedProcess(
    seededRandom(1),
    () => 0,
    () => {},
  )
}

function recipient(first: number, rest: number): Uint8Array {
  return new Uint8Array(20).fill(rest).fill(first, 0, 1)
}

function recipientsOf({ tx }: OnChain): string[] {
  return tx.unsignedTx.outputs.flatMap(({ output }) => output.addresses.map(nameOf))
}

function pays({ tx }: OnChain, to: Uint8Array, amounts: readonly (bigint | undefined)[]): boolean {
  const name = nameOf(to)
  return tx.unsignedTx.outputs.some(
    ({ output }) =>
      amounts.includes(output.amount) &&
      output.addresses.some((address) => nameOf(address) === name),
  )
}

/** Each kind of fault is absent, rare or frequent. */
export function randomFaults(random: Random, withLiar: boolean): Faults {
  const faults = Object.keys(NO_FAULTS).map((name) => {
    const isEnabled = random.chance(0.4)
    return [name, isEnabled ? random.pick([0.02, 0.1, 0.4]) : 0]
  })
  const drawn = Object.fromEntries(faults) as Faults
  return { ...drawn, early: withLiar ? 0.5 : 0 }
}
