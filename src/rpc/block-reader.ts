import { equalBytes } from '../bytes/compare.ts'
import { type Block, decodeBlock } from '../chain/block.ts'
import { blockID as idOf } from '../chain/ids.ts'
import { MAX_U64 } from '../encoding/amount.ts'
import { decodeHashed } from '../encoding/checked-hex.ts'
import { ID_SIZE } from '../encoding/ids.ts'
import { AvmError, EncodingError } from '../errors.ts'
import type { Clock } from './clock.ts'
import { bytesOf, encodingOf } from './encoded.ts'
import { AbortError, BlockError, HttpError, TimeoutError } from './errors.ts'
import type { CallOptions } from './http.ts'
import { isNotFound } from './issue.ts'
import type { Method } from './method.ts'
import { heightText } from './params.ts'
import { MAX_PAUSE_MS, MAX_TIMER_MS } from './transport.ts'

/** An accepted block, decoded from its bytes, and its ID. */
export type FollowedBlock = { readonly block: Block; readonly blockID: Uint8Array }

/** Where a {@link BlockReader} starts. */
export type BlockReaderOptions = {
  /** Height of the first block to read. */
  readonly from: bigint | number
  /** ID of the block before it, if known: the first block is then checked against it like every later one. */
  readonly parentID?: Uint8Array | undefined
}

/** Options of one read. */
export type BlockReadOptions = {
  readonly signal?: AbortSignal | undefined
  /**
   * For the whole call, including the wait for an earlier call on the same reader. Each of n servers is given an
   * n-th of it, so that a silent one leaves time for the others.
   *
   * @defaultValue `timeoutMs` of the client
   */
  readonly timeoutMs?: number | undefined
  /**
   * Most blocks to return, from 1 up.
   *
   * @defaultValue 16
   */
  readonly limit?: number | undefined
}

/** Reads accepted blocks in order, each once, from any of the client's servers. */
export type BlockReader = {
  /** Height of the block to be read next. */
  readonly next: bigint
  /** ID that the next block must name as its parent; undefined if no block was read and none was given. */
  readonly parentID: Uint8Array | undefined
  /**
   * Reads the blocks that follow, at most 16. Returns an empty list if the server asked does not have the next
   * block, and asks another server first the next time. The first reads ask for one block; as long as all blocks
   * asked for exist, further reads ask for up to 16 at the same time.
   *
   * Calls are serialized. After a failure `next` is unchanged, and the call can be repeated.
   *
   * @throws BlockError `BLOCK_PARENT_MISMATCH` if the next block does not follow the last one, and no other server can
   * have the right one: each has a wrong block too, or a failure that repeating the call does not help against
   * @throws TimeoutError, HttpError, RpcError, ReplyError if no server gave a usable answer
   * @throws AbortError
   */
  readonly read: (options?: BlockReadOptions) => Promise<FollowedBlock[]>
}

/** What a reader needs of the client. */
export type BlockCalls = {
  /** Asks one server for the accepted block at a height, once. */
  readonly getBlock: (
    height: bigint,
    server: number,
    options: CallOptions,
  ) => Promise<FollowedBlock>
  readonly serverCount: number
  /** Default time limit of a call. */
  readonly timeoutMs: number
  readonly clock: Clock
}

const METHOD = 'avm.getBlockByHeight'

/** `avm.getBlockByHeight`, with the block's ID. */
export const blockAtHeight: Method<{ readonly height: bigint }, FollowedBlock> = {
  method: METHOD,
  params: ({ height }) => ({ height: heightText(height), encoding: 'hex' }),
  reply: (r, { height }) => {
    // The checksum of the text is a part of the ID: one hash serves both.
    const { bytes, hash } =
      encodingOf(r) === 'hex'
        ? r.parsed('block', decodeHashed)
        : { bytes: bytesOf(r, 'block'), hash: undefined }
    const block = r.parsed('block', () => decodeBlock(bytes))
    if (block.height !== height)
      throw r.mismatch('block', `the one at height ${height}`, `at ${block.height}`)
    return { block, blockID: hash ?? idOf(bytes) }
  },
}

/** Most requests at the same time. */
const MAX_WINDOW = 16

/** A server that failed is asked last for this long, doubled by each further failure. */
const FIRST_REST_MS = 1_000
const MAX_REST_MS = 60_000

/** The answer for one height; without a block the server is behind. */
type Answer = { readonly server: number; readonly found?: FollowedBlock | undefined }

type ServerState = { failures: number; restsUntil: number }

/**
 * Makes a reader.
 *
 * @throws EncodingError if `from` is no height or `parentID` no ID
 */
export function blockReader(calls: BlockCalls, options: BlockReaderOptions): BlockReader {
  return new SequentialReader(calls, options)
}

class SequentialReader implements BlockReader {
  next: bigint
  parentID: Uint8Array | undefined
  private readonly calls: BlockCalls
  private readonly servers: readonly ServerState[]
  /** Index of the server to be asked first. */
  private server = 0
  /** Reads in a row that got every block they asked for. */
  private streak = 0
  /** Settles when no read is under way. */
  private idle: Promise<unknown> = Promise.resolve()

  constructor(calls: BlockCalls, { from, parentID }: BlockReaderOptions) {
    this.calls = calls
    this.next = startHeight(from)
    this.parentID = parentID === undefined ? undefined : parent(parentID)
    this.servers = Array.from({ length: calls.serverCount }, () => ({ failures: 0, restsUntil: 0 }))
  }

  async read(options: BlockReadOptions = {}): Promise<FollowedBlock[]> {
    const { timeoutMs = this.calls.timeoutMs, limit = MAX_WINDOW, signal } = options
    if (!Number.isInteger(limit) || limit < 1)
      throw new EncodingError('ENC_INVALID', `limit: expected an integer from 1 up, found ${limit}`)
    return within(timeoutMs, signal, async (halted) => {
      const before = this.idle
      let release = () => {}
      this.idle = new Promise<void>((resolve) => {
        release = resolve
      })
      try {
        await Promise.race([before, halted])
        const blocks = await this.readBatch(limit, () =>
          requestOptions(timeoutMs / this.servers.length, halted),
        )
        if (signal?.aborted) throw new AbortError(METHOD, signal.reason)
        this.next += BigInt(blocks.length)
        this.parentID = blocks.at(-1)?.blockID ?? this.parentID
        return blocks
      } finally {
        // A call that gave up while queued must not let the next one pass the call before it.
        void before.then(release)
      }
    })
  }

  private async readBatch(limit: number, call: () => CallOptions): Promise<FollowedBlock[]> {
    // The second read asks for one block too: at the tip blocks come alone, and a request beyond it is wasted.
    const size = Math.min(limit, MAX_WINDOW, 2 ** Math.min(Math.max(0, this.streak - 1), 4))
    const order = this.order()
    const asked = Array.from({ length: size }, (_, i) =>
      // Only the first block's parent is known yet.
      this.ask(this.next + BigInt(i), i === 0 ? this.parentID : undefined, order, call()),
    )
    const blocks: FollowedBlock[] = []
    const { streak } = this
    let { parentID } = this
    this.streak = 0
    for (const answer of await Promise.allSettled(asked)) {
      if (answer.status === 'rejected') {
        if (blocks.length === 0) throw answer.reason
        return blocks
      }
      const { server, found } = answer.value
      this.server = found === undefined ? (server + 1) % this.servers.length : server
      // A block with another parent is asked for again by the next read, alone and at each server.
      if (found === undefined || !follows(found, parentID)) return blocks
      blocks.push(found)
      parentID = found.blockID
    }
    this.streak = streak + 1
    return blocks
  }

  /** Asks servers in turn for one block until one has it or is behind. */
  private async ask(
    height: bigint,
    parentID: Uint8Array | undefined,
    order: readonly number[],
    call: CallOptions,
  ): Promise<Answer> {
    let failure: AvmError | undefined
    let mismatch: BlockError | undefined
    let behind: Answer | undefined
    for (const server of order) {
      const state = this.servers[server]!
      try {
        const found = await this.calls.getBlock(height, server, call)
        state.failures = 0
        if (follows(found, parentID)) return { server, found }
        mismatch = new BlockError(height, parentID!, found.block.parentID)
      } catch (error) {
        if (error instanceof AbortError || !(error instanceof AvmError)) throw error
        if (isNotFound(error)) {
          state.failures = 0
          behind = { server }
          // After a mismatch every server is asked: one that is behind now may have the right block later.
          if (mismatch === undefined) return behind
        } else {
          this.rest(state, error)
          if (!mayPass(failure)) failure = error
        }
      }
    }
    if (behind !== undefined) return behind
    // The right block may still come from a server that has no lasting failure.
    throw mayPass(failure) ? failure : (mismatch ?? failure)
  }

  private rest(state: ServerState, error: AvmError): void {
    const now = this.calls.clock.now()
    // Requests sent at the same time fail for the same reason, which counts once.
    if (state.failures > 0 && state.restsUntil > now) return
    const own = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** state.failures++)
    const asked = error instanceof HttpError ? (error.retryAfterMs ?? 0) : 0
    state.restsUntil = now + Math.max(own, Math.min(asked, MAX_PAUSE_MS))
  }

  /** All servers, those that failed lately at the end. */
  private order(): number[] {
    const { length } = this.servers
    const now = this.calls.clock.now()
    const rests = (i: number) =>
      this.servers[i]!.failures > 0 && this.servers[i]!.restsUntil > now ? 1 : 0
    return Array.from({ length }, (_, i) => (this.server + i) % length).sort(
      (a, b) => rests(a) - rests(b),
    )
  }
}

/**
 * Runs a task until it ends, the caller's signal fires or the time is over, which `halted` tells it by a rejection.
 * By the machine's timer, as all time limits of requests: a server can be silent under any clock.
 */
async function within<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  task: (halted: Promise<never>) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw new AbortError(METHOD, signal.reason)
  let reason: AvmError | undefined
  let halt = (_: AvmError) => {}
  const halted = new Promise<never>((_, reject) => {
    halt = (error) => {
      reason = error
      reject(error)
    }
  })
  halted.catch(() => {})
  const onAbort = () => halt(new AbortError(METHOD, signal?.reason))
  const onTime = () =>
    halt(new TimeoutError('RPC_TIMEOUT', `${METHOD}: no answer within ${timeoutMs} ms`, timeoutMs))
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(onTime, Math.min(timeoutMs, MAX_TIMER_MS))
  try {
    return await task(halted)
  } catch (error) {
    throw error instanceof AbortError ? (reason ?? error) : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Options of one request. Each has a signal of its own: Node warns of more than ten listeners on one. */
function requestOptions(timeoutMs: number, halted: Promise<never>): CallOptions {
  const controller = new AbortController()
  halted.catch(() => controller.abort())
  return { timeoutMs, signal: controller.signal }
}

function mayPass(error: AvmError | undefined): boolean {
  return (error as { readonly retryable?: boolean | undefined } | undefined)?.retryable === true
}

function follows({ block }: FollowedBlock, parentID: Uint8Array | undefined): boolean {
  return parentID === undefined || equalBytes(block.parentID, parentID)
}

function startHeight(from: bigint | number): bigint {
  const isInteger = typeof from === 'bigint' || Number.isSafeInteger(from)
  if (!isInteger || from < 0 || from > MAX_U64)
    throw new EncodingError('ENC_INVALID', `from: expected a height, found ${from}`)
  return BigInt(from)
}

function parent(id: Uint8Array): Uint8Array {
  if (!(id instanceof Uint8Array) || id.length !== ID_SIZE)
    throw new EncodingError('ENC_WRONG_LENGTH', `parentID: expected ${ID_SIZE} bytes`)
  return Uint8Array.from(id)
}
