import { equalBytes } from '../../core/base/bytes/compare.ts'
import { ZERO_ID } from '../../core/base/encoding/ids.ts'
import type {
  BlockReader,
  BlockReaderOptions,
  FollowedBlock,
} from '../../node/blocks/block-reader.ts'
import { type Clock, sleepFor } from '../../node/clock.ts'
import { BlockError } from '../../node/errors.ts'
import type { NodeClient } from '../../node/node.ts'
import type { ChainView } from '../../node/view/view.ts'

const READ_TIMEOUT_MS = 10_000

/** Interval at which the last block is compared with the servers' while no new block is accepted. */
const ANCHOR_CHECK_MS = 15_000

/** Maximum number of requests for a block that servers should have, and the pause between them. */
const MAX_TRIES = 5
const FIND_RETRY_MS = 200

/** Dependencies of {@link BlockSource}. */
export type BlockSourceOptions = {
  readonly client: NodeClient
  readonly chain: ChainView
  readonly clock: Clock
}

/**
 * The blocks that follow a walk: from all servers or, after a poll that did not reach the last block, from one of them. While
 * no new block is accepted, the last one is compared with the servers' from time to time.
 */
export class BlockSource {
  private readonly options: BlockSourceOptions
  /** The client that is read: of all servers, or of one of them. */
  private source: NodeClient
  /** Rotates the server that is read alone. */
  private turn = 0
  private reader: BlockReader | undefined
  /** Height that a server reported before the walk; 0n if servers agreed on it. */
  private reportedHeight = 0n
  /** When a block was last read or the last block was checked, in clock milliseconds. */
  private anchoredAt = 0

  constructor(options: BlockSourceOptions) {
    this.options = options
    this.source = options.client
  }

  get client(): NodeClient {
    return this.source
  }

  /** Whether a single one of several servers is read. */
  get isAlone(): boolean {
    return this.source !== this.options.client
  }

  /** Whether there was a walk that blocks follow. */
  get isStarted(): boolean {
    return this.reader !== undefined
  }

  /** Height of the next block; undefined before a walk. */
  get next(): bigint | undefined {
    return this.reader?.next
  }

  /** Number of consecutive empty reads after which no server has a further block: they may be at different heights. */
  get emptyReads(): number {
    return this.isAlone ? 1 : this.options.chain.emptyReads
  }

  /** Begins after a walk. */
  start(from: bigint, reportedHeight: bigint): void {
    this.reader = this.readerOf({ from })
    this.reportedHeight = reportedHeight
    this.anchoredAt = this.options.clock.now()
  }

  /** Needs another walk. */
  stop(): void {
    this.reader = undefined
  }

  /** Reads blocks again from a height. Returns false if they are still to be read. */
  rewind(height: bigint): boolean {
    if (this.reader === undefined || this.reader.next <= height) return false
    this.reader = this.readerOf({ from: height })
    return true
  }

  async read(): Promise<FollowedBlock[]> {
    const blocks = await this.reader!.read({ timeoutMs: READ_TIMEOUT_MS })
    if (blocks.length > 0) this.anchoredAt = this.options.clock.now()
    return blocks
  }

  /** The next blocks come from all servers. */
  useAll(): void {
    this.use(this.options.client)
  }

  /** With a quorum of 1, the next blocks come from another server alone, which continues if it has the same blocks. */
  useNext(): void {
    const { chain, client } = this.options
    const servers = chain.quorum > 1 ? [] : client.servers()
    if (servers.length > 1) this.use(servers[++this.turn % servers.length]!)
  }

  /** Reads the next blocks from other servers. The last block is then compared with theirs. */
  private use(source: NodeClient): void {
    this.source = source
    this.anchoredAt = Number.NEGATIVE_INFINITY
    if (this.reader === undefined) return
    const { next: from, parentID } = this.reader
    this.reader = this.readerOf({ from, parentID })
  }

  private readerOf(start: BlockReaderOptions): BlockReader {
    return this.options.chain.blockReader(start, this.source)
  }

  /** The block at a height that servers should have; undefined if none returns it after some tries. */
  async blockAt(height: bigint): Promise<FollowedBlock | undefined> {
    const reader = this.readerOf({ from: height })
    for (let tries = 1; ; tries++) {
      const [block] = await reader.read({ timeoutMs: READ_TIMEOUT_MS, limit: 1 })
      if (block !== undefined || tries === MAX_TRIES) return block
      // Servers may be behind.
      await sleepFor(this.options.clock, FIND_RETRY_MS, 'wallet', undefined)
    }
  }

  /**
   * From time to time, checks that servers have the last block, and that the height reported before the walk was reached.
   * Otherwise the blocks or the height came from a server of another chain, whose height this chain may reach only much
   * later.
   *
   * @throws BlockError `BLOCK_PARENT_MISMATCH`
   */
  async checkAnchor(): Promise<void> {
    const { clock } = this.options
    // The clock may have been set back.
    if (Math.abs(clock.now() - this.anchoredAt) <= ANCHOR_CHECK_MS) return
    const { next, parentID } = this.reader!
    if (next <= this.reportedHeight) throw new BlockError(next, parentID ?? ZERO_ID, ZERO_ID)
    if (parentID === undefined) return
    const found = await this.blockAt(next - 1n)
    if (found === undefined || !equalBytes(found.blockID, parentID))
      throw new BlockError(next - 1n, parentID, found?.blockID ?? ZERO_ID)
    this.anchoredAt = clock.now()
  }
}

/** Whether an error shows that blocks came from servers of different chains. */
export function isOtherChain(error: unknown): boolean {
  return error instanceof BlockError && error.code === 'BLOCK_PARENT_MISMATCH'
}
