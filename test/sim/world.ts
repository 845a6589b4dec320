import { AvmError } from '../../src/core/base/errors.ts'
import type { Secp256k1Backend } from '../../src/core/crypto/backend.ts'
import { type Random, seededRandom } from './random.ts'
import { START, type Time, VirtualTime } from './virtual-time.ts'

/**
 * How long faults last, and how long everything may take after they stop; virtual milliseconds. A run that takes longer
 * fails. Most end within 70 seconds after the faults.
 */
export const FAULTS_MS = 30_000
export const HEALING_MS = 240_000

/** Limits of a call that is given the time that it needs. */
export const PATIENT = { timeoutMs: 60_000 }

/** What came of a run. */
export type SimulationResult = {
  readonly seed: number
  /** What contradicts the invariants; empty if none is broken. */
  readonly violations: readonly string[]
  /** Everything that happened, for comparing two runs of a seed. */
  readonly trace: string
  readonly crashes: number
  /** Transactions that were accepted. */
  readonly transactions: number
  /** Moves between chains that arrived. */
  readonly arrived: number
  readonly virtualMs: number
}

/** What nodes and networks need. */
export type Setting = {
  readonly random: Random
  readonly backend: Secp256k1Backend
  readonly time: Time
}

/** What all parts of a run share. */
export class World implements Setting {
  readonly seed: number
  readonly random: Random
  readonly backend: Secp256k1Backend
  readonly time: VirtualTime
  readonly violations: string[] = []
  crashes = 0
  /** Processes that have not ended. */
  running = 0
  private readonly log: string[] = []
  private healedAt: number | undefined

  constructor(seed: number, random: Random, backend: Secp256k1Backend) {
    this.seed = seed
    this.random = random
    this.backend = backend
    this.time = new VirtualTime(random)
  }

  get trace(): string {
    return this.log.join('\n')
  }

  /** Whether faults have stopped. */
  get isHealed(): boolean {
    return this.healedAt !== undefined
  }

  /** Milliseconds since faults stopped; 0 before. */
  get healedMs(): number {
    return this.healedAt === undefined ? 0 : this.time.now - this.healedAt
  }

  /** Faults stop. */
  heal(): void {
    this.healedAt = this.time.now
    this.note('faults stop')
  }

  note(text: string): void {
    this.log.push(`${this.time.now - START} ${text}`)
  }

  violate(text: string): void {
    this.violations.push(text)
  }

  /** The code of an error. Errors without one contradict the documentation. */
  codeOf(error: unknown): string {
    if (error instanceof AvmError) return error.code
    this.violate(`untyped error: ${(error as Error)?.stack ?? error}`)
    return 'untyped'
  }
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

/** Repeats a call that fails: requests from before the faults stopped may still be slow, and the disk writes short. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AvmError) || tries === 20) throw error
    }
}
