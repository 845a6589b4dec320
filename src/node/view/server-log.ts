import { type Clock, countdown } from '../clock.ts'
import type { ServerRequest } from '../http.ts'

/** What is known of one server. */
export type ServerReport = ServerRequest & {
  /**
   * Why other servers were last asked first, and until when, in Unix milliseconds; undefined if others have confirmed an
   * answer of this one since.
   */
  readonly setAside: { readonly reason: string; readonly until: number } | undefined
}

/** A server that is set aside is asked last for this time, which doubles each time up to the maximum. */
const FIRST_REST_MS = 1_000
const MAX_REST_MS = 60_000

type Entry = {
  setAside: { readonly reason: string; readonly until: number; readonly restLeft: () => number }
  /** How often it was set aside, one time after the other. */
  failures: number
}

const NOT_SET_ASIDE: Entry['setAside'] = { reason: '', until: 0, restLeft: () => 0 }

/** What is known of each server, and in which order they are asked. */
export class ServerLog {
  private readonly entries: readonly Entry[]
  private readonly clock: Clock
  /** Indices of the servers, preferred ones first. */
  private preferred: readonly number[]

  /** @param servers - number of servers */
  constructor(servers: number, clock: Clock) {
    this.clock = clock
    this.entries = Array.from({ length: servers }, () => ({
      setAside: NOT_SET_ASIDE,
      failures: 0,
    }))
    this.preferred = [...this.entries.keys()]
  }

  /** Indices of all servers; those that are set aside come last. */
  order(): number[] {
    const isResting = (server: number) => this.entries[server]!.setAside.restLeft() > 0
    return [
      ...this.preferred.filter((server) => !isResting(server)),
      ...this.preferred.filter(isResting),
    ]
  }

  /** Notes an answer that others confirm. */
  confirm(server: number): void {
    const entry = this.entries[server]!
    entry.setAside = NOT_SET_ASIDE
    entry.failures = 0
  }

  /** Asks other servers first from now on: this one is behind. */
  demote(server: number): void {
    this.preferred = [...this.preferred.filter((other) => other !== server), server]
  }

  /** Asks other servers first for a while. */
  setAside(server: number, reason: string): void {
    const entry = this.entries[server]!
    // Requests that run at the same time often fail for the same reason, and count once.
    if (entry.setAside.restLeft() > 0) return
    const restMs = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** entry.failures++)
    const until = this.clock.now() + restMs
    entry.setAside = { reason, until, restLeft: countdown(this.clock, restMs) }
  }

  /** @param requests - the last request to each server */
  report(requests: readonly ServerRequest[]): ServerReport[] {
    return this.entries.map(({ setAside: { reason, until } }, i) => ({
      ...requests[i]!,
      setAside: reason === '' ? undefined : { reason, until },
    }))
  }
}
