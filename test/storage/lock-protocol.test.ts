import { describe, expect, it } from 'vitest'
import type { Disk } from '../../src/storage/disk.ts'
import { type Lock, takeLock } from '../../src/storage/lock.ts'
import type { Liveness, LockHolder, Processes } from '../../src/storage/processes.ts'
import { MemoryDisk, seeded } from '../helpers/memory-disk.ts'
import { runCount } from '../helpers/runs.ts'

const DIRECTORY = '/payments.lock'
/** More with `npm run test:fuzz`. */
const SEEDS = runCount(30)

/** Processes that share a disk in memory and know exactly which of them are alive. */
class Machine {
  readonly disk = new MemoryDisk()
  readonly dead = new Set<string>()
  private nonces = 0
  private readonly random: () => number

  constructor(seed: number) {
    this.random = seeded(seed)
  }

  processes(name: string): Processes {
    return {
      announce: async () => {
        await this.pause()
        const nonce = (++this.nonces).toString(16).padStart(32, '0')
        const holder: LockHolder = { nonce, pid: 1, host: name, hasSocket: true }
        return { holder, withdraw: () => this.pause() }
      },
      probe: async (_directory, { host }): Promise<Liveness> => {
        await this.pause()
        return this.dead.has(host) ? 'dead' : 'alive'
      },
      now: () => 0,
      sleep: () => this.pause(),
    }
  }

  /** A disk on which every operation takes a random time. */
  slowDisk(): Disk {
    const disk = this.disk.disk()
    const slow = (operation: (...args: never[]) => Promise<unknown>) => {
      return async (...args: never[]) => {
        await this.pause()
        const result = await operation(...args)
        await this.pause()
        return result
      }
    }
    return Object.fromEntries(
      Object.entries(disk).map(([name, operation]) => [name, slow(operation)]),
    ) as Disk
  }

  /** Pauses for a random time, sometimes a very long one. */
  async pause(): Promise<void> {
    const turns = this.random() < 0.05 ? 300 : Math.floor(this.random() * 10)
    for (let i = 0; i < turns; i++) await undefined
  }

  below(count: number): number {
    return Math.floor(this.random() * count)
  }
}

describe('takeLock', () => {
  it('never gives the lock to two live processes, for any order of their steps', async () => {
    let takes = 0
    let deaths = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const machine = new Machine(seed)
      const holders = new Set<string>()
      let lives = 0
      const worker = async () => {
        let name = `life ${++lives}`
        for (let round = 0; round < 6; round++) {
          const options = {
            disk: machine.slowDisk(),
            processes: machine.processes(name),
            waitMs: 0,
          }
          const lock = await takeLock(DIRECTORY, options).catch((error): Lock | undefined => {
            expect(error.code).toBe('FILE_IN_USE')
            return undefined
          })
          if (lock === undefined) {
            await machine.pause()
            continue
          }
          takes++
          expect([...holders], `seed ${seed}`).toEqual([])
          holders.add(name)
          await machine.pause()
          await lock.assertHeld()
          if (machine.below(3) === 0) {
            // It dies, and a new process takes its place.
            holders.delete(name)
            machine.dead.add(name)
            name = `life ${++lives}`
            deaths++
          } else {
            holders.delete(name)
            await lock.release()
          }
        }
      }
      await Promise.all(Array.from({ length: 4 }, worker))
      const names = await machine.disk.disk().list(DIRECTORY)
      expect(names.filter((name) => /^\d+$/.test(name)).length).toBeLessThanOrEqual(1)
    }
    expect(takes).toBeGreaterThan(3 * SEEDS)
    expect(deaths).toBeGreaterThan(SEEDS / 2)
  })

  it('does not give the lock to a process that was suspended while others had it', async () => {
    const machine = new Machine(1)
    const options = (name: string) => ({
      disk: machine.disk.disk(),
      processes: machine.processes(name),
      waitMs: 0,
    })
    // It resumes after its generation was taken, released and removed by another process.
    const late = machine.disk.disk()
    let wake = () => {}
    const asleep = new Promise<void>((resolve) => {
      wake = resolve
    })
    let isSuspended = false
    const suspended = takeLock(DIRECTORY, {
      ...options('late'),
      disk: {
        ...late,
        link: async (path, to) => {
          if (!isSuspended) {
            isSuspended = true
            await asleep
            // The state before the other processes removed their files.
            await late.create(path).then(
              (file) => file.append(new TextEncoder().encode('{"nonce":"x","pid":1}')),
              () => {},
            )
          }
          return late.link(path, to)
        },
      },
    })
    while (!isSuspended) await undefined
    await (await takeLock(DIRECTORY, options('first'))).release()
    const holder = await takeLock(DIRECTORY, options('second'))
    wake()
    await expect(suspended).rejects.toMatchObject({ code: 'FILE_IN_USE' })
    await holder.assertHeld()
    await holder.release()
  })
  it('does not go beyond the last generation', async () => {
    const machine = new Machine(1)
    const disk = machine.disk.disk()
    await disk.makeDirectory(DIRECTORY)
    const file = await disk.create(`${DIRECTORY}/999999999999999`)
    await file.append(new TextEncoder().encode('free'))
    await file.close()
    let announced = 0
    const { announce, ...processes } = machine.processes('a')
    const counting: typeof announce = (directory) => {
      announced++
      return announce(directory)
    }
    const options = { disk, processes: { ...processes, announce: counting }, waitMs: 0 }
    await expect(takeLock(DIRECTORY, options)).rejects.toMatchObject({ code: 'FILE_IN_USE' })
    expect(announced).toBe(0)
  })
})
