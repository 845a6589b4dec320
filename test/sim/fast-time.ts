import type { Clock } from '../../src/node/index.ts'
import type { Random } from './random.ts'
import { START, type Time } from './virtual-time.ts'

/** Real time that passes faster. For components with timers of their own, such as a database. */
export class FastTime implements Time {
  private readonly factor: number
  private readonly random: Random
  private readonly began = performance.now()

  constructor(factor: number, random: Random) {
    this.factor = factor
    this.random = random
  }

  get now(): number {
    return START + (performance.now() - this.began) * this.factor
  }

  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms / this.factor)
    return () => clearTimeout(timer)
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = () => {
        cancel()
        reject(signal?.reason)
      }
      const cancel = this.after(ms, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  clock(): Clock {
    return {
      now: () => this.now,
      sleep: (ms, signal) => this.sleep(ms, signal),
      random: () => this.random.next(),
    }
  }

  /** Operations take real time, so a test that has no end fails by its time limit. */
  countOperation(): boolean {
    return true
  }
}
