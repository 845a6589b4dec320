import type { Wallet } from '../../src/wallet/index.ts'
import type { Attempt, PaymentRecord, Store } from '../../src/wallet/store/index.ts'
import { Machine } from './machine.ts'
import type { Move } from './moves.ts'
import type { Payment } from './payments.ts'
import { idleProcess, type SimulatedProcess } from './process.ts'
import type { Storage } from './storage.ts'
import { patiently, type World } from './world.ts'

/** Calls that handle everything a wallet has, in as many transactions as needed. */
export type BatchName =
  | 'sweep'
  | 'consolidate'
  | 'import from P'
  | 'import from C'
  | 'import from P to C'
  | 'import from C to P'

/** A store, what callers ask the wallets with this store to do, and the processes that use it. */
export type Account = {
  readonly storage: Storage
  readonly payments: readonly Payment[]
  readonly batches: readonly BatchName[]
  readonly moves: readonly Move[]
  /** Whether an external signer signs instead of keys in memory. */
  readonly hasSigner: boolean
  /** Keys of payments and moves that have ended, and batches. */
  readonly done: Set<string>
  readonly wallets: Set<Wallet>
  readonly processes: Set<SimulatedProcess>
  /** Whether a process has ended by itself: the bytes that only it knew are lost. */
  hasLeft: boolean
  /** Whether its store was replaced by an older copy. */
  isRestored: boolean
  /** Whether nobody has called `recover` since then. */
  mustRecover: boolean
  /** Transactions that have made payments although the store does not know it, as a person found out. */
  readonly unrecorded: Set<string>
}

/** What a caller was told. */
export type Report = {
  readonly payment: Pick<Payment, 'key' | 'to' | 'amount' | 'otherAmount' | 'renews'>
  readonly status: 'accepted' | 'canceled'
  readonly txID: Uint8Array
}

/** A machine whose disk may fail in any operation. */
export function fallibleMachine(world: World): Machine {
  const { random, time } = world
  const machine = new Machine(time, random)
  const chance = random.pick([0, 0.002, 0.01])
  machine.disk.faultOf = () =>
    !world.isHealed && random.chance(chance)
      ? random.pick(['crash', 'crash', 'EIO', 'ENOSPC'] as const)
      : undefined
  return machine
}

/** Replaces the store of an account by its copy: its processes end, and the keys are used again. */
export function restoreOlder(account: Account): void {
  const alive = [...account.processes].filter((process) => process.alive)
  for (const process of alive) process.crash()
  account.storage.restore()
  account.done.clear()
  account.isRestored = true
  account.mustRecover = true
}

/** What the store says in the end. */
export function recordOf(account: Account, world: World, key: string): Promise<PaymentRecord> {
  return readStore(account, world, async (store) => (await store.payments([key]))[0]!)
}

/** The attempts that are pending in the end. */
export function pendingAttempts(account: Account, world: World): Promise<Attempt[]> {
  return readStore(account, world, async (store) => {
    const attempts: Attempt[] = []
    for await (const attempt of store.attempts()) attempts.push(attempt)
    return attempts
  })
}

/** Reads a store, anew from the disk if it is a file. */
function readStore<T>(
  { storage }: Account,
  world: World,
  read: (store: Store) => Promise<T>,
): Promise<T> {
  // The disk writes short at random.
  return patiently(async () => {
    const process = idleProcess(world.time)
    const store = storage.open(process)
    try {
      return await read(store)
    } finally {
      await closeStore(store).catch(() => {})
      process.exit()
    }
  })
}

/** Closes a file. */
export async function closeStore(store: object): Promise<void> {
  if ('close' in store) await (store as { close(): Promise<void> }).close()
}
