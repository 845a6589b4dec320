import { memoryStore, type Store } from '../../src/wallet/store/index.ts'
import type { SimulatedProcess } from './process.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Where the processes of an account keep their payments. */
export type Storage = {
  /** Opens the store in a process. */
  readonly open: (process: SimulatedProcess) => Store
  /** The power fails: what was not synced is lost. */
  readonly fail: () => void
  /** Ends all processes if the disk has failed in one of their operations. */
  readonly failIfDead: () => void
  /** Somebody removes the lock by hand, although a process may have it. */
  readonly removeLock: () => Promise<void>
  /** Whether two processes had the lock at the same time, although nobody removed it. */
  readonly isLockStolen: boolean
  /** Makes a copy of the store, if that is possible. */
  readonly backUp: () => boolean
  /** Replaces the store by its copy. No process has it open. */
  readonly restore: () => void
}

/** A store that all processes share: in memory, or in a database. It survives all of them. */
export class SharedStore implements Storage {
  readonly isLockStolen = false
  private store: Store
  /** Repeats all changes until it becomes the backup. */
  private readonly copy: Store | undefined
  private isBackedUp = false
  /** The ID of the store, which its copy has as well. */
  private id: Uint8Array | undefined

  private constructor(store: Store, copy: Store | undefined) {
    this.store = store
    this.copy = copy
  }

  static inMemory(): SharedStore {
    return new SharedStore(memoryStore(), memoryStore())
  }

  /** A store outside of the simulation, for whose operations time stands still. */
  static outside(store: Store, time: VirtualTime): SharedStore {
    return new SharedStore(timed(store, time), undefined)
  }

  open(): Store {
    return {
      bind: async (binding) => {
        const state = await this.change((store) => store.bind(binding))
        this.id ??= state?.id
        return state && { ...state, id: this.id! }
      },
      claim: (claim) => this.change((store) => store.claim(claim)),
      assertOwned: () => this.store.assertOwned(),
      recordAcceptance: (acceptance) => this.change((store) => store.recordAcceptance(acceptance)),
      cancel: (key) => this.change((store) => store.cancel(key)),
      payments: (keys) => this.store.payments(keys),
      list: () => this.store.list(),
      attempts: (key) => this.store.attempts(key),
    }
  }

  fail(): void {}

  failIfDead(): void {}

  async removeLock(): Promise<void> {}

  backUp(): boolean {
    this.isBackedUp = true
    return this.copy !== undefined
  }

  restore(): void {
    this.store = this.copy!
  }

  private change<T>(make: (store: Store) => Promise<T>): Promise<T> {
    // A change that the store refuses has no effect on the copy either.
    if (!this.isBackedUp && this.copy !== undefined) void make(this.copy).catch(() => {})
    return make(this.store)
  }
}

function timed(store: Store, time: VirtualTime): Store {
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
