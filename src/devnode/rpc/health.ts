import { cb58 } from '../../core/base/encoding/cb58.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import type { PeerList } from '../peers.ts'
import type { Tip } from '../x-chain/state.ts'
import type { MethodHandler } from './envelope.ts'

/** Data of the health checks. */
export type HealthService = {
  /** Unix seconds. */
  readonly now: () => bigint
  readonly tip: () => Tip
  readonly bootstrapped: () => boolean
  /** Checks that are set to fail, with their messages. */
  readonly failures: ReadonlyMap<string, string>
  readonly peers: PeerList
}

/** A health report, used by both GET and JSON-RPC. */
export type Report = { readonly healthy: boolean; readonly text: string }

/** The three reports: `health` has all checks, `readiness` those of the startup, `liveness` none. */
export type ReportName = 'health' | 'readiness' | 'liveness'

/** The tag of all checks. Other tags select the checks of a subnet's chains, in addition to the global checks. */
const ALL = 'all'
const PRIMARY_NETWORK = '11111111111111111111111111111111LpoYY'
const CHAIN_CHECKS = ['C', 'P', 'X']

/** Creates a report. Checks run on request; those of the node run every 30 seconds. */
export function report(name: ReportName, tags: readonly string[], service: HealthService): Report {
  const names =
    name === 'liveness' ? [] : name === 'readiness' ? ['bootstrapped'] : healthChecks(tags, service)
  const failed = (check: string) => failureOf(check, service)
  const checks = names.map((check) => [check, checkResult(check, failed(check), service)] as const)
  const healthy = names.every((check) => failed(check) === undefined)
  return { healthy, text: stringifyJSON({ checks: Object.fromEntries(checks), healthy }) }
}

/** The methods of `health.*` by name. */
export function healthHandlers(service: HealthService): { readonly [name: string]: MethodHandler } {
  const method =
    (name: ReportName): MethodHandler =>
    (params) =>
      report(name, params.strings('tags'), service).text
  return {
    health: method('health'),
    readiness: method('readiness'),
    liveness: method('liveness'),
  }
}

/** Names of the checks, sorted by bytes, upper case first. During bootstrapping P is the only chain. */
function healthChecks(tags: readonly string[], service: HealthService): string[] {
  const chains = tags.length === 0 || tags.includes(ALL) || tags.includes(PRIMARY_NETWORK)
  return [
    ...(chains ? (service.bootstrapped() ? CHAIN_CHECKS : ['P']) : []),
    ...['bls', 'bootstrapped', 'database', 'diskspace', 'futureupgrade', 'network', 'router'],
  ]
}

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

function failureOf(check: string, service: HealthService): string | undefined {
  if (service.bootstrapped()) return service.failures.get(check)
  return isNotYetRun(check, service) ? 'not yet run' : UNCONNECTED[check]
}

function isNotYetRun(check: string, service: HealthService): boolean {
  return !service.bootstrapped() && (check === 'P' || check === 'bootstrapped')
}

function checkResult(check: string, error: string | undefined, service: HealthService): Json {
  if (isNotYetRun(check, service)) return NOT_YET_RUN
  const timestamp = new Date(Number(service.now()) * 1000).toISOString().replace('.000Z', 'Z')
  const message = checkMessage(check, service)
  return {
    ...(message === undefined ? {} : { message }),
    ...(error === undefined ? {} : { error }),
    timestamp,
    duration: 1000,
    ...(error === undefined ? {} : { contiguousFailures: 1, timeOfFirstFailure: timestamp }),
  }
}

function checkMessage(check: string, service: HealthService): Json | undefined {
  switch (check) {
    case 'bls':
      return service.bootstrapped() ? 'node has the correct BLS key' : 'node is not a validator'
    case 'bootstrapped':
      return []
    case 'database':
      return undefined
    case 'diskspace':
      return { availableDiskBytes: 100_000_000_000, availableDiskPercentage: 50 }
    case 'futureupgrade':
      if (!service.bootstrapped()) return undefined
      return {
        localUpgradeTime: '2020-12-05T05:00:00Z',
        modeUpgradeTime: '1970-01-01T00:00:00Z',
        modeUpgradeWeightPercentage: 0,
        numUpgradeTimes: 0,
      }
    case 'network':
      return service.peers.health()
    case 'router':
      return { longestRunningRequest: '0s', outstandingRequests: 0 }
    default:
      return chainMessage(check, service.tip())
  }
}

function chainMessage(chain: string, tip: Tip): Json {
  const height = chain === 'X' ? tip.height : 0n
  return {
    engine: {
      consensus: {
        avgAcceptanceTime: '0s',
        lastAcceptedHeight: height,
        // ID of the outer (Snowman++) block, which getBlock does not find, except for the first.
        lastAcceptedID: cb58.encode(chain === 'X' && height === 0n ? tip.id : sha256(tip.id)),
        longestProcessingBlock: '0s',
        processingBlocks: 0,
      },
      vm: null,
    },
    networking: { disconnectedValidators: [], percentConnected: 1 },
  }
}
