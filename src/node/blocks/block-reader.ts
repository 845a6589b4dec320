import {
  signal as abortSignal,
  argument,
  bytesOf,
  type Check,
  integerFrom,
  object,
  optional,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { decodeHashed } from '../../core/base/encoding/checked-hex.ts'
import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import { type Block, decodeBlock } from '../../core/chain/x/block.ts'
import { blockID as idOf } from '../../core/chain/x/ids.ts'
import { anyMs, type Clock, countdown } from '../clock.ts'
import { AbortError, BlockError, HttpError, isRetryable } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import { isNotFound } from '../issue/issue.ts'
import { bytesMember, encodingOf } from '../methods/encoded.ts'
import type { Exchange } from '../methods/method.ts'
import { height as anyHeight } from '../methods/params.ts'
import { runWithin, throwIfAborted } from '../transport/time-limit.ts'
import { MAX_PAUSE_MS } from '../transport/transport.ts'

/** An accepted block, decoded from its bytes, and its ID. */
export type FollowedBlock = { readonly block: Block; readonly blockID: Uint8Array }

/** Where a {@link BlockReader} starts. */
export type BlockReaderOptions = {
  /** Height of the first block to read. */
  readonly from: bigint | number
  /** ID of the block before it, if known: the first block is then checked against it like every later one. */
  readonly parentID?: Uint8Array | undefined
}

/** Describes `BlockReaderOptions`. */
export const blockReaderOptions: Check<BlockReaderOptions> = object<BlockReaderOptions>({
  from: anyHeight,
  parentID: optional(bytesOf(ID_SIZE)),
})

/** Options of one read. */
export type BlockReadOptions = {
  /** Aborts the call with an AbortError. */
  readonly signal?: AbortSignal | undefined
  /**
   * Time limit of the whole call in milliseconds, including the wait for an earlier call on the same reader. It is
   * divided among the servers, so that an unresponsive one leaves time for the others.
   *
   * @defaultValue `timeoutMs` of the client
   */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum number of blocks to return, at least 1.
   *
   * @defaultValue 16
   */
  readonly limit?: number | undefined
  /**
   * Maximum number of blocks to request at once, at least 1. Those beyond `limit` are decoded by later reads, which
   * keeps fewer decoded blocks in memory.
   *
   * @defaultValue `limit`
   */
  readonly ahead?: number | undefined
}

const blockReadOptions: Check<BlockReadOptions> = object<BlockReadOptions>({
  signal: optional(abortSignal),
  timeoutMs: optional(anyMs),
  limit: optional(integerFrom(1)),
  ahead: optional(integerFrom(1)),
})

/** Reads accepted blocks in order, each once, from any server of the client. */
export type BlockReader = {
  /** Height of the next block to read. */
  readonly next: bigint
  /** ID that the next block must have as its parent; undefined if no block was read and none was given. */
  readonly parentID: Uint8Array | undefined
  /**
   * Reads the next blocks, at most 16. Returns an empty list if the requested server does not have the next block
   * yet; the next call then starts with another server. The first reads request one block each. As long as all
   * requested blocks exist, later reads request up to 16 in parallel.
   *
   * Calls are serialized. After a failure `next` is unchanged, and the call can be repeated.
   *
   * @throws BlockError `BLOCK_PARENT_MISMATCH` if the next block does not follow the last one, and no other server
   * can have the right one: each has a wrong block too, or a permanent failure
   * @throws TimeoutError, HttpError, RpcError, ReplyError if no server gave a usable answer
   * @throws AbortError
   */
  readonly read: (options?: BlockReadOptions) => Promise<FollowedBlock[]>
}

/** Decodes an answer. Throws ReplyError if it is not the requested block. */
export type DecodeAnswer = () => FollowedBlock

/** Calls of the client that a reader uses. */
export type BlockCalls = {
  /** Requests the accepted block at a height from one server, once. */
  readonly getBlock: (height: bigint, server: number, options: CallOptions) => Promise<DecodeAnswer>
  readonly serverCount: number
  /** Default time limit of a read. */
  readonly timeoutMs: number
  readonly clock: Clock
}

const BLOCK_METHOD = 'avm.getBlockByHeight'

/**
 * `avm.getBlockByHeight`, with the block's ID. The result is a function that decodes the block when it is needed:
 * decoded blocks take much memory.
 */
export const blockAtHeight: Exchange<{ readonly height: bigint }, DecodeAnswer> = {
  method: BLOCK_METHOD,
  params: ({ height }) => ({ height: String(height), encoding: 'hex' }),
  reply:
    (r, { height }) =>
    () => {
      // The checksum of the hex text is part of the block ID, so the bytes are hashed once.
      const { bytes, hash } =
        encodingOf(r) === 'hex'
          ? r.parsed('block', decodeHashed)
          : { bytes: bytesMember(r, 'block'), hash: undefined }
      const block = r.parsed('block', () => decodeBlock(bytes))
      if (block.height !== height)
        throw r.mismatch('block', `the one at height ${height}`, `at ${block.height}`)
      return { block, blockID: hash ?? idOf(bytes) }
    },
}

/** Maximum number of parallel requests. */
export const MAX_WINDOW = 16

/** A server that failed is tried last for this time, which doubles with each further failure up to the maximum. */
const FIRST_REST_MS = 1_000
const MAX_REST_MS = 60_000

/** The answer for one height. `decode` is undefined if the server does not have the block yet. */
type Answer = { readonly server: number; readonly decode?: DecodeAnswer | undefined }

type ServerState = {
  /** Number of consecutive failures. */
  failures: number
  /** Milliseconds for which the server is still tried last. */
  restLeft: () => number
}

/** The reader of a client. */
export class SequentialReader implements BlockReader {
  next: bigint
  parentID: Uint8Array | undefined
  private readonly calls: BlockCalls
  private readonly servers: readonly ServerState[]
  /** Index of the server to try first. */
  private server = 0
  /** Number of consecutive reads that returned every requested block. */
  private streak = 0
  /** Answers for the blocks from `next` on that were not returned yet. */
  private received: DecodeAnswer[] = []
  /** Resolves when no read is in progress. */
  private idle: Promise<unknown> = Promise.resolve()

  constructor(calls: BlockCalls, options: BlockReaderOptions) {
    this.calls = calls
    this.next = BigInt(options.from)
    this.parentID = options.parentID
    this.servers = Array.from({ length: calls.serverCount }, () => ({
      failures: 0,
      restLeft: () => 0,
    }))
  }

  async read(options?: BlockReadOptions): Promise<FollowedBlock[]> {
    return this.readNext(argument('read', options ?? {}, blockReadOptions))
  }

  /** `read` with checked options. */
  readNext(options: BlockReadOptions): Promise<FollowedBlock[]> {
    const { timeoutMs = this.calls.timeoutMs, limit = MAX_WINDOW, ahead = limit, signal } = options
    return runWithin(BLOCK_METHOD, { signal, totalMs: timeoutMs }, async (halted) => {
      const before = this.idle
      let release = () => {}
      this.idle = new Promise<void>((resolve) => {
        release = resolve
      })
      try {
        await Promise.race([before, halted])
        const blocks = await this.readBatch(limit, ahead, () =>
          requestOptions(timeoutMs / this.servers.length, halted),
        )
        throwIfAborted(BLOCK_METHOD, signal)
        this.received.splice(0, blocks.length)
        this.next += BigInt(blocks.length)
        this.parentID = blocks.at(-1)?.blockID ?? this.parentID
        return blocks
      } finally {
        // If this call times out while queued, the next one must still wait for the call before it.
        void before.then(release)
      }
    })
  }

  /** The next blocks: those that were received but not decoded yet, otherwise newly requested ones. */
  private async readBatch(
    limit: number,
    ahead: number,
    call: () => CallOptions,
  ): Promise<FollowedBlock[]> {
    const blocks = this.decodeReceived(limit)
    if (blocks.length > 0) return blocks
    this.received = await this.request(Math.min(ahead, MAX_WINDOW), call)
    return this.decodeReceived(limit)
  }

  /** Decodes received answers up to one that is not the next block. The next read requests that one again. */
  private decodeReceived(limit: number): FollowedBlock[] {
    const blocks: FollowedBlock[] = []
    let { parentID } = this
    for (const decode of this.received.slice(0, limit)) {
      const found = decodedOrUndefined(decode)
      if (found === undefined || !follows(found, parentID)) {
        // The next read requests this block alone, and tries all servers.
        this.streak = 0
        return blocks
      }
      blocks.push(found)
      parentID = found.blockID
    }
    return blocks
  }

  /** Requests blocks from `next` on. The first is decoded already and follows the last block. */
  private async request(max: number, call: () => CallOptions): Promise<DecodeAnswer[]> {
    // The second request is also for one block: at the tip, blocks arrive one by one.
    const size = Math.min(max, 2 ** Math.min(Math.max(0, this.streak - 1), 4))
    const order = this.order()
    const requests = Array.from({ length: size }, (_, i) =>
      this.requestBlock(this.next + BigInt(i), order, call()),
    )
    const received: DecodeAnswer[] = []
    const { streak } = this
    this.streak = 0
    for (const answer of await Promise.allSettled(requests)) {
      if (answer.status === 'rejected') {
        if (received.length === 0) throw answer.reason
        return received
      }
      const { server, decode } = answer.value
      this.server = decode === undefined ? (server + 1) % this.servers.length : server
      if (decode === undefined) return received
      received.push(decode)
    }
    this.streak = streak + 1
    return received
  }

  /** Tries servers in turn for one block until one has it or does not have it yet. */
  private async requestBlock(
    height: bigint,
    order: readonly number[],
    call: CallOptions,
  ): Promise<Answer> {
    let failure: AvmError | undefined
    let mismatch: BlockError | undefined
    let behind: Answer | undefined
    for (const server of order) {
      const state = this.servers[server]!
      try {
        const decode = await this.calls.getBlock(height, server, call)
        // The parent of later blocks is not known yet.
        const found = height === this.next ? decode() : undefined
        state.failures = 0
        if (found === undefined) return { server, decode }
        if (follows(found, this.parentID)) return { server, decode: () => found }
        mismatch = new BlockError(height, this.parentID!, found.block.parentID)
      } catch (error) {
        if (error instanceof AbortError || !(error instanceof AvmError)) throw error
        if (isNotFound(error)) {
          state.failures = 0
          behind = { server }
          // After a mismatch all servers are tried: one that is behind may have the right block later.
          if (mismatch === undefined) return behind
        } else {
          this.rest(state, error)
          if (!isRetryable(failure)) failure = error
        }
      }
    }
    if (behind !== undefined) return behind
    // A server with a temporary failure may still have the right block.
    throw isRetryable(failure) ? failure : (mismatch ?? failure)
  }

  private rest(state: ServerState, error: AvmError): void {
    // Parallel requests often fail for the same reason, so their failures count once.
    if (isResting(state)) return
    const restMs = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** state.failures++)
    const requestedMs = error instanceof HttpError ? (error.retryAfterMs ?? 0) : 0
    const longer = Math.max(restMs, Math.min(requestedMs, MAX_PAUSE_MS))
    state.restLeft = countdown(this.calls.clock, longer)
  }

  /** All servers; those that failed recently come last. */
  private order(): number[] {
    const { length } = this.servers
    const resting = this.servers.map((state) => Number(isResting(state)))
    return Array.from({ length }, (_, i) => (this.server + i) % length).sort(
      (a, b) => resting[a]! - resting[b]!,
    )
  }
}

function isResting({ failures, restLeft }: ServerState): boolean {
  return failures > 0 && restLeft() > 0
}

/** Options of one request. Each has its own signal: Node warns about more than ten listeners on one signal. */
function requestOptions(timeoutMs: number, halted: Promise<never>): CallOptions {
  const controller = new AbortController()
  halted.catch(() => controller.abort())
  return { timeoutMs, signal: controller.signal }
}

function follows({ block }: FollowedBlock, parentID: Uint8Array | undefined): boolean {
  return parentID === undefined || equalBytes(block.parentID, parentID)
}

/** Returns undefined if an answer is not the requested block. */
function decodedOrUndefined(decode: DecodeAnswer): FollowedBlock | undefined {
  try {
    return decode()
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    return undefined
  }
}
