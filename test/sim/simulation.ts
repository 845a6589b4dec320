import type { Secp256k1Backend } from '../../src/core/crypto/backend.ts'
import type { Wallet } from '../../src/wallet/index.ts'
import type { Store } from '../../src/wallet/store/index.ts'
import {
  type Account,
  type BatchName,
  closeStore,
  fallibleMachine,
  restoreOlder,
} from './accounts.ts'
import { Caller } from './calls.ts'
import { checkOutcomes, checkWallets, orphanedKeys } from './checks.ts'
import {
  checkBetween,
  checkMoves,
  maxFees,
  moveCalls,
  randomMoves,
  startOtherChains,
  totalValue,
} from './moves.ts'
import { randomPayments } from './payments.ts'
import { SimulatedProcess } from './process.ts'
import { createScene, fundWallets, type Scene } from './scene.ts'
import { SharedStore, type Storage } from './storage.ts'
import { START } from './virtual-time.ts'
import { openWallet } from './wallets.ts'
import { FAULTS_MS, HEALING_MS, type SimulationResult, World, withSeed } from './world.ts'

/** The largest error of a clock. */
const CLOCK_MS = 3_600_000

/**
 * Runs one seed: processes pay, cancel, sweep, consolidate and import while requests, processes, disks and servers
 * fail or lie. In the end every payment was made once, or not at all, and everybody knows it.
 *
 * @param newStore - makes the stores of all accounts; by default they are in memory or in files
 */
export function simulate(
  seed: number,
  backend: Secp256k1Backend,
  newStore?: () => Promise<Store>,
): Promise<SimulationResult> {
  return run(seed, backend, { isCrossChain: false, newStore })
}

/**
 * Runs one seed with moves between chains, together with payments of the same wallets. In the end every move has also
 * arrived once, or was canceled and its funds never left.
 */
export function simulateMoves(seed: number, backend: Secp256k1Backend): Promise<SimulationResult> {
  return run(seed, backend, { isCrossChain: true })
}

type Options = {
  readonly isCrossChain: boolean
  readonly newStore?: (() => Promise<Store>) | undefined
}

function run(seed: number, backend: Secp256k1Backend, options: Options): Promise<SimulationResult> {
  return withSeed(seed, (random) => {
    const world = new World(seed, random, backend)
    const work = async () =>
      new Simulation(await createScene(world, options.isCrossChain)).run(options.newStore)
    // A database has timers of its own.
    return options.newStore === undefined ? world.time.withTimers(work) : work()
  })
}

class Simulation {
  private readonly scene: Scene
  private readonly world: World

  constructor(scene: Scene) {
    this.scene = scene
    this.world = scene.world
  }

  async run(newStore: Options['newStore']): Promise<SimulationResult> {
    const { scene, world } = this
    const { random, time } = world
    const { cluster, network, foreign } = scene
    const accounts = await this.accounts(newStore)
    fundWallets(scene, accounts)
    const before = scene.isCrossChain ? await totalValue(scene, accounts[0]!) : 0n
    cluster.start()
    if (scene.isCrossChain) startOtherChains(scene)
    for (const account of accounts)
      for (let i = 1 + random.below(2); i > 0; i--) this.startProcess(account)
    if (random.chance(0.5)) this.restartNodes()
    time.after(FAULTS_MS, () => {
      world.heal()
      network.heal()
      for (const { processes } of accounts) for (const process of processes) process.setClock(0)
    })
    const isOver = () => world.isHealed && world.running === 0
    await time.run(isOver, START + FAULTS_MS + HEALING_MS)
    if (world.running === 0) await checkWallets(scene, accounts)
    else await this.endStuck(accounts)
    // A lock that could not be released is taken after a pause.
    await time.until(checkOutcomes(scene, accounts), HEALING_MS)
    let arrived = 0
    if (scene.isCrossChain) {
      const [account] = accounts as [Account]
      arrived = await checkMoves(scene, account)
      // With a quorum of 1, a liar may have shown an import as accepted that never was.
      if (isOver() && !scene.isBelieved) await checkBetween(scene)
      // Only fees are gone.
      const lost = before - (await totalValue(scene, account))
      if (lost > maxFees(scene, account))
        world.violate(`${lost} nAVAX are neither on a chain nor between two, nor fees`)
    }
    await foreign.close()
    await cluster.close()
    const { seed, violations, trace, crashes } = world
    const transactions = cluster.accepted().length
    const virtualMs = time.now - START
    return { seed, violations, trace, crashes, transactions, arrived, virtualMs }
  }

  private async endStuck(accounts: readonly Account[]): Promise<void> {
    const { scene, world } = this
    // They have locks, which are taken from them after a pause.
    for (const { processes } of accounts) for (const process of processes) process.exit()
    for (const account of accounts) {
      const orphaned = await world.time.until(orphanedKeys(scene, account), HEALING_MS)
      if (orphaned.size > 0) return
    }
    world.violate(`stuck: ${world.running} processes did not end`)
  }

  /** One account with a store shared by its processes, sometimes a second with the same keys and its own store. */
  private async accounts(newStore: Options['newStore']): Promise<Account[]> {
    const { scene, world } = this
    const { random, time } = world
    const { isCrossChain, assets } = scene
    const stores = await Promise.all(Array.from({ length: 2 }, () => newStore?.()))
    const count = isCrossChain ? 1 : 1 + random.below(2)
    return Array.from({ length: count }, (_, index): Account => {
      const outside = stores[index]
      const isFile = random.chance(0.5)
      const inMemory = () => (isFile ? fallibleMachine(world) : SharedStore.inMemory())
      const storage: Storage = outside ? SharedStore.outside(outside, time) : inMemory()
      // Moves between the P- and C-Chain leave nothing on the X-Chain that a restored store could find.
      const isToRestore = !isCrossChain && !outside && random.chance(0.2)
      const batches: BatchName[] = ['sweep', 'consolidate', 'import from P', 'import from C']
      if (isCrossChain) batches.push('import from P to C', 'import from C to P')
      const account: Account = {
        storage,
        payments: randomPayments(random, index, assets, isToRestore),
        batches: batches.filter(() => random.chance(0.2)),
        moves: isCrossChain ? randomMoves(random) : [],
        hasSigner: !isCrossChain && random.chance(0.25),
        done: new Set(),
        wallets: new Set(),
        processes: new Set(),
        hasLeft: false,
        isRestored: false,
        mustRecover: false,
        unrecorded: new Set(),
      }
      if (isToRestore) this.restoreLater(account)
      return account
    })
  }

  /** Backs up a store, and replaces it by the copy some time later. */
  private restoreLater(account: Account): void {
    const { random, time } = this.world
    time.after(1000 + random.below(10_000), () => {
      if (!account.storage.backUp()) return
      time.after(1000 + random.below(12_000), () => {
        this.world.note('an older store is restored')
        this.scene.audit.forget(account)
        restoreOlder(account)
        if (![...account.processes].some(({ alive }) => alive)) this.startProcess(account)
      })
    })
  }

  private startProcess(account: Account): void {
    const { scene, world } = this
    const { random, time } = world
    const chance = random.pick([0, 0, 0.003, 0.02])
    let wallet: Wallet | undefined
    let hasEnded = false
    const process = new SimulatedProcess({
      time,
      random,
      crashChance: () => (world.isHealed || hasEnded ? 0 : chance),
      onCrash: () => {
        world.crashes++
        if (wallet !== undefined) account.wallets.delete(wallet)
        world.note('crash')
        // Sometimes the whole machine fails.
        if (random.chance(0.3)) account.storage.fail()
        if (!hasEnded)
          time.after(random.below(5000), () => {
            this.startProcess(account)
            world.running--
          })
      },
    })
    account.processes.add(process)
    const store = account.storage.open(process)
    this.disturb(account, process)
    wallet = openWallet(scene, account, process, store)
    account.wallets.add(wallet)
    world.running++
    const caller = new Caller(scene, account, process, wallet)
    void caller.run(moveCalls(caller)).then(async () => {
      account.hasLeft = true
      // A file belongs to one process until it closes it.
      if ('close' in store && process.alive) {
        account.wallets.delete(wallet!)
        await closeStore(store).catch((error) => world.codeOf(error))
      }
      // It crashed meanwhile; another process goes on.
      if (!process.alive) return
      if ('close' in store) process.exit()
      // Otherwise its wallet is checked later; a crash would start another process.
      hasEnded = true
      world.running--
    })
  }

  /** Suspends a process, sets its clock, or removes its lock. */
  private disturb({ storage }: Account, process: SimulatedProcess): void {
    const { world } = this
    const { random, time } = world
    const sometimes = (chance: number, act: () => void) => {
      if (random.chance(chance))
        time.after(random.below(20_000), () => {
          if (!world.isHealed) act()
        })
    }
    sometimes(0.2, () => process.suspend(time.sleep(random.below(20_000))))
    sometimes(0.1, () => void storage.removeLock())
    for (let i = 0; i < 2; i++)
      sometimes(0.2, () => process.setClock(random.below(2 * CLOCK_MS) - CLOCK_MS))
  }

  private restartNodes(): void {
    const { world, scene } = this
    const { random, time } = world
    const tick = () => {
      if (world.isHealed) return
      scene.cluster.restart(random.below(scene.cluster.nodes.length))
      world.note('node restarts')
      time.after(1000 + random.below(20_000), tick)
    }
    time.after(random.below(10_000), tick)
  }
}
