import { hex } from '../../src/core/base/encoding/hex.ts'
import { takeLock } from '../../src/storage/lock.ts'
import type { Processes } from '../../src/storage/processes.ts'
import { type FileStore, openFileStore } from '../../src/wallet/store/file/store.ts'
import { MemoryDisk } from '../helpers/memory-disk.ts'
import type { SimulatedProcess } from './process.ts'
import type { Random } from './random.ts'
import type { Storage } from './storage.ts'
import type { VirtualTime } from './virtual-time.ts'

const PATH = '/payments.journal'

/**
 * A machine with a disk on which processes keep a file store. A process can die alone, and then what it wrote stays; or
 * the machine loses power, and then all processes die and what was not synced is lost.
 */
export class Machine implements Storage {
  readonly disk: MemoryDisk
  private readonly time: VirtualTime
  private readonly random: Random
  private readonly processes = new Map<number, SimulatedProcess>()
  /** Locks whose holders answer to probes, by nonce. */
  private readonly listening = new Set<string>()
  private started = 0
  private holder: SimulatedProcess | undefined
  isLockStolen = false
  private copy: Uint8Array | undefined

  constructor(time: VirtualTime, random: Random) {
    this.time = time
    this.random = random
    this.disk = new MemoryDisk(random.below(2 ** 31))
  }

  open(process: SimulatedProcess): FileStore {
    const pid = ++this.started
    this.processes.set(pid, process)
    const disk = this.disk.disk()
    const processes = this.processesOf(pid, process)
    const lock = async (directory: string) => {
      const taken = await takeLock(directory, { disk, processes, waitMs: 0 })
      if (this.holder?.alive) this.isLockStolen = true
      this.holder = process
      const release = async (isDirty?: boolean) => {
        if (this.holder === process) this.holder = undefined
        await taken.release(isDirty)
      }
      return { ...taken, release }
    }
    return openFileStore(PATH, { disk, lock })
  }

  async removeLock(): Promise<void> {
    this.holder = undefined
    const disk = this.disk.disk()
    const names = await disk.list(`${PATH}.lock`).catch(() => [])
    for (const name of names) await disk.remove(`${PATH}.lock/${name}`).catch(() => {})
  }

  failIfDead(): void {
    if (this.disk.isDead) this.fail()
  }

  backUp(): boolean {
    this.copy = this.disk.contentOf(PATH)?.slice()
    return this.copy !== undefined
  }

  restore(): void {
    this.fail()
    this.disk.put(PATH, this.copy!)
  }

  fail(): void {
    this.disk.crash()
    for (const process of this.processes.values()) process.crash()
    this.processes.clear()
  }

  private processesOf(pid: number, process: SimulatedProcess): Processes {
    return {
      announce: async () => {
        const nonce = hex.encode(this.random.bytes(16))
        this.listening.add(nonce)
        return {
          holder: { nonce, pid, host: 'machine', hasSocket: true },
          withdraw: async () => {
            this.listening.delete(nonce)
          },
        }
      },
      // A suspended process is alive.
      probe: async (_directory, holder) =>
        this.listening.has(holder.nonce) && this.processes.get(holder.pid)?.alive
          ? 'alive'
          : 'dead',
      now: () => this.time.now,
      sleep: (ms) => process.clock().sleep(ms),
    }
  }
}
