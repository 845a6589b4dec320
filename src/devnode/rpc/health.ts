import { cb58 } from '../../core/base/encoding/cb58.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import type { PeerList } from '../peers.ts'
import type { MethodHandler } from './envelope.ts'

/** The last accepted block of a chain. */
export type ChainTip = { readonly height: bigint; readonly id: Uint8Array }

/** A chain with a health check. */
export type CheckedChain = {
  readonly tip: ChainTip
  /** The ID of its subnet as text: the tag of its check. */
  readonly subnetID: string
}

/** Data of the health checks. */
export type HealthSources = {
  /** Unix seconds. */
  readonly now: () => bigint
  /** The chains by primary alias, which is the ID of chains without another one. */
  readonly chains: () => { readonly [alias: string]: CheckedChain }
  readonly bootstrapped: () => boolean
  /** Checks that are set to fail, with their messages. */
  readonly failures: ReadonlyMap<string, string>
  readonly peers: PeerList
}

/** A health report, used by both GET and JSON-RPC. */
export type Report = { readonly healthy: boolean; readonly text: string }

/** The three reports: `health` has all checks, `readiness` those of the startup, `liveness` none. */
export type ReportName = 'health' | 'readiness' | 'liveness'

/** The result of a check when it ran for the last time. */
type Result = {
  readonly message: Json | undefined
  readonly error: string | undefined
  /** Unix seconds. */
  readonly time: bigint
  /** Number of failures since the last success, and the time of the first. */
  readonly failures: number
  readonly firstFailure: bigint | undefined
}

/** How often the node runs its checks. */
export const HEALTH_PERIOD_MS = 30_000

/** The tag of all checks. Other tags select the checks of a subnet's chains, in addition to the global checks. */
const ALL = 'all'
const GLOBAL_CHECKS: readonly string[] = [
  'bls',
  'bootstrapped',
  'database',
  'diskspace',
  'futureupgrade',
  'network',
  'router',
]

/** Errors of checks that fail during bootstrapping because the node has no connections. */
const UNCONNECTED: { readonly [check: string]: string } = {
  futureupgrade: 'no validators in the current validator set',
  network:
    'network layer is unhealthy reason: not connected to a minimum of 1 peer(s) only 0, no messages received from network, no messages sent to network',
}

const NOT_YET_RUN: Json = {
  error: 'not yet run',
  timestamp: '0001-01-01T00:00:00Z',
  duration: 0,
}

/** The node's health checks, which run in the background: reports show their last results. */
export class HealthChecks {
  private readonly sources: HealthSources
  private readonly results = new Map<string, Result>()

  constructor(sources: HealthSources) {
    this.sources = sources
    this.run()
  }

  /** The names of all checks, sorted as by Go: upper case first. */
  names(): string[] {
    return [...Object.keys(this.sources.chains()), ...GLOBAL_CHECKS].sort()
  }

  /** Runs all checks, as the node does every 30 seconds, or only those with the given names. */
  run(names: readonly string[] = this.names()): void {
    for (const name of names) this.results.set(name, this.resultOf(name))
  }

  /** Forgets all results and runs the checks, as a node that starts. */
  restart(): void {
    this.results.clear()
    this.run()
  }

  report(name: ReportName, tags: readonly string[]): Report {
    const names =
      name === 'liveness' ? [] : name === 'readiness' ? ['bootstrapped'] : this.selected(tags)
    // The checks of chains that were added since the last run.
    this.run(names.filter((check) => !this.results.has(check)))
    const checks = names.map((check) => [check, this.resultJSON(check)] as const)
    const healthy = names.every(
      (check) => !this.isNotYetRun(check) && this.results.get(check)?.error === undefined,
    )
    return { healthy, text: stringifyJSON({ checks: Object.fromEntries(checks), healthy }) }
  }

  /** During bootstrapping P is the only chain. */
  private selected(tags: readonly string[]): string[] {
    const chains = this.sources.chains()
    const hasAll = tags.length === 0 || tags.includes(ALL)
    return this.names().filter((check) => {
      const chain = chains[check]
      if (chain === undefined) return true
      if (!this.sources.bootstrapped() && check !== 'P') return false
      return hasAll || tags.includes(chain.subnetID)
    })
  }

  private isNotYetRun(check: string): boolean {
    return !this.sources.bootstrapped() && (check === 'P' || check === 'bootstrapped')
  }

  private resultOf(check: string): Result {
    const { bootstrapped, failures, now } = this.sources
    const error = bootstrapped() ? failures.get(check) : UNCONNECTED[check]
    const before = this.results.get(check)
    const time = now()
    return {
      message: this.messageOf(check),
      error,
      time,
      failures: error === undefined ? 0 : (before?.failures ?? 0) + 1,
      firstFailure: error === undefined ? undefined : (before?.firstFailure ?? time),
    }
  }

  private resultJSON(check: string): Json {
    if (this.isNotYetRun(check)) return NOT_YET_RUN
    const { message, error, time, failures, firstFailure } = this.results.get(check)!
    return {
      ...(message === undefined ? {} : { message }),
      ...(error === undefined ? {} : { error }),
      timestamp: localTime(time),
      duration: 1000,
      ...(firstFailure === undefined
        ? {}
        : { contiguousFailures: failures, timeOfFirstFailure: localTime(firstFailure) }),
    }
  }

  private messageOf(check: string): Json | undefined {
    const { bootstrapped, peers, chains } = this.sources
    const chain = chains()[check]
    if (chain !== undefined) return chainMessage(chain.tip)
    switch (check) {
      case 'bls':
        return bootstrapped() ? 'node has the correct BLS key' : 'node is not a validator'
      case 'bootstrapped':
        return []
      case 'diskspace':
        return { availableDiskBytes: 100_000_000_000, availableDiskPercentage: 50 }
      case 'futureupgrade':
        if (!bootstrapped()) return undefined
        return {
          localUpgradeTime: '2020-12-05T05:00:00Z',
          modeUpgradeTime: '1970-01-01T00:00:00Z',
          modeUpgradeWeightPercentage: 0,
          numUpgradeTimes: 0,
        }
      case 'network':
        return peers.health()
      case 'router':
        return { longestRunningRequest: '0s', outstandingRequests: 0 }
      default:
        return undefined
    }
  }
}

/** The methods of `health.*` by name. */
export function healthHandlers(checks: HealthChecks): { readonly [name: string]: MethodHandler } {
  const method =
    (name: ReportName): MethodHandler =>
    (params) =>
      checks.report(name, params.strings('tags')).text
  return {
    health: method('health'),
    readiness: method('readiness'),
    liveness: method('liveness'),
  }
}

function chainMessage({ height, id }: ChainTip): Json {
  return {
    engine: {
      consensus: {
        avgAcceptanceTime: '0s',
        lastAcceptedHeight: height,
        // The ID of the outer (Snowman++) block, which getBlock does not find, except for the first.
        lastAcceptedID: cb58.encode(height === 0n ? id : sha256(id)),
        longestProcessingBlock: '0s',
        processingBlocks: 0,
      },
      vm: null,
    },
    networking: { disconnectedValidators: [], percentConnected: 1 },
  }
}

/** A time in the time zone of this machine, with its offset, as Go prints it. */
function localTime(seconds: bigint): string {
  const ms = Number(seconds) * 1000
  const minutes = -new Date(ms).getTimezoneOffset()
  const text = new Date(ms + minutes * 60_000).toISOString().slice(0, 19)
  if (minutes === 0) return `${text}Z`
  const two = (value: number): string => String(value).padStart(2, '0')
  const distance = Math.abs(minutes)
  return `${text}${minutes < 0 ? '-' : '+'}${two(Math.floor(distance / 60))}:${two(distance % 60)}`
}
