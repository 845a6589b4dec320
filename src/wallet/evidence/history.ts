import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import { countdown } from '../../node/clock.ts'
import type { CallOptions } from '../../node/http.ts'
import type { NodeClient } from '../../node/node.ts'
import { waitFor } from '../../node/transport/time-limit.ts'
import type { Attempt } from '../store/store.ts'
import { max } from '../utxos/chain-position.ts'
import type { WalletState } from '../wallet-state.ts'

/** Number of blocks of the first search of a pass; each further search reads four times as many. */
const FIRST_DEPTH = 32n
const GROWTH = 4n
/** Number of blocks after which a search can be interrupted without reading them again. */
const STRIDE = 256n
/** Time limit of one search. */
const SEARCH_MS = 10_000

/** Reading the blocks of a server from the last to the first, in several searches. */
type Pass = {
  /** The keys of the payments that were pending when the pass began. */
  readonly keys: ReadonlySet<string>
  /** The lowest height that was read. */
  low: bigint
  depth: bigint
}

/**
 * Looks in old blocks for transactions that decide pending attempts. An attempt may spend a UTXO that was spent below
 * the height of its claim: a server that was far behind listed it, or it was signed long before it was claimed. Every
 * server is read by itself, because one may be behind or withhold blocks.
 */
export class History {
  private readonly state: WalletState
  /** The pass of each server. */
  private readonly passes = new Map<NodeClient, Pass>()
  private running: Promise<void> | undefined

  constructor(state: WalletState) {
    this.state = state
  }

  /**
   * Reads older blocks of a server than the last search. Concurrent calls share a search, whatever their time limits.
   *
   * @param turn - number of the server, modulo the number of servers
   */
  search(attempt: Attempt, turn: number, call: CallOptions): Promise<void> {
    const servers = this.state.client.servers()
    this.running ??= this.extend(servers[turn % servers.length]!, attempt).finally(() => {
      this.running = undefined
    })
    return waitFor('wallet', this.running, call, this.state.clock)
  }

  /** Continues the pass of a server, or begins one if the payments of the attempt are not part of it. */
  private async extend(server: NodeClient, { keys }: Attempt): Promise<void> {
    const { clock, pending } = this.state
    const remainingMs = countdown(clock, SEARCH_MS)
    const known = this.passes.get(server)
    const pass = keys.every((key) => known?.keys.has(key))
      ? known!
      : {
          keys: new Set([...pending.claims.attempts.values()].flatMap((one) => one.keys)),
          low: (await server.avm.getHeight({}, { totalMs: SEARCH_MS })) + 1n,
          depth: FIRST_DEPTH,
        }
    this.passes.set(server, pass)
    const end = max(1n, pass.low - pass.depth)
    while (pass.low > end && remainingMs() > 0) {
      const from = max(end, pass.low - STRIDE)
      await this.read(server, from, pass.low, remainingMs)
      pass.low = from
    }
    pass.depth *= GROWTH
    // The next search begins again: some blocks may have come from another server behind the same URL.
    if (pass.low === 1n) this.passes.delete(server)
  }

  /** Takes the blocks of a server from a height up to, but not including, `end` as evidence. */
  private async read(
    server: NodeClient,
    from: bigint,
    end: bigint,
    remainingMs: () => number,
  ): Promise<void> {
    const { live, outcomes } = this.state
    const reader = server.blockReader({ from })
    while (reader.next < end) {
      const limit = Math.min(16, Number(end - reader.next))
      const blocks = await reader.read({ limit, timeoutMs: Math.max(1, remainingMs()) })
      // The server does not have the block, although it reported a greater height.
      if (blocks.length === 0) return
      for (const block of blocks) {
        const spent = block.block.txs.flatMap(({ unsignedTx }) => consumedUTXOs(unsignedTx))
        // The walk listed a UTXO that had been spent.
        if (spent.some((id) => live.has(id))) live.walkAgain()
        await outcomes.read(block, false)
      }
    }
  }
}
