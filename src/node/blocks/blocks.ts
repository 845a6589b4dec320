import {
  argument,
  type Check,
  invalid,
  msFrom,
  object,
  optional,
  signal,
} from '../../core/base/argument.ts'
import { id, utxoReference } from '../../core/base/encoding/ids.ts'
import { ArgumentError } from '../../core/base/errors.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import type { UTXOPage } from '../../core/chain/x/utxo-page.ts'
import { anyMs, type Clock, sleepFor, stopwatch } from '../clock.ts'
import { HttpError, isRetryable, TimeoutError } from '../errors.ts'
import { type Address, height, type ID, idBytes } from '../methods/params.ts'
import type { UTXOPagesOptions } from '../pages/utxo-pages.ts'
import { backoff, type RetryPolicy } from '../transport/retry.ts'
import { MAX_PAUSE_MS } from '../transport/transport.ts'
import { MAX_WINDOW, type SequentialReader } from './block-reader.ts'
import {
  type AddressSet,
  type AddressTable,
  type BlockChanges,
  readEach,
  tableOf,
  UTXOIDSet,
  Watch,
  withAllChanges,
} from './watched.ts'

/** Which blocks to follow, and which addresses to watch. */
export type BlocksOptions = {
  /** Height of the first block. Genesis outputs are in no block. */
  readonly from: bigint | number
  /**
   * ID of the block before `from`, saved with the last processed height. With it, a server of another network or a
   * reset node is detected at the first block.
   */
  readonly parentID?: ID | undefined
  /**
   * Addresses whose UTXOs are reported. An {@link AddressSet} may grow during the iteration, which takes effect with
   * the next block.
   *
   * @defaultValue all UTXOs of all addresses
   */
  readonly addresses?: Iterable<Address> | AddressSet | undefined
  /**
   * UTXOs of the addresses that existed before block `from`, so that their consumption is recognized. Only allowed
   * with `addresses`. Pass an empty list if only `created` is needed.
   *
   * @defaultValue read by `getUTXOs` when the iteration starts. UTXOs that were created before block `from` and spent
   * before they are read are then not recognized as consumed.
   */
  readonly utxos?: Iterable<UTXOID> | undefined
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined
  /**
   * Time limit in milliseconds for the requests of one read.
   *
   * @defaultValue `timeoutMs` of the client
   */
  readonly timeoutMs?: number | undefined
  /**
   * First delay in milliseconds if there is no next block yet. It doubles up to `maxPollMs`; half of it is random.
   *
   * @defaultValue 50
   */
  readonly pollMs?: number | undefined
  /**
   * Maximum delay in milliseconds.
   *
   * @defaultValue 2000
   */
  readonly maxPollMs?: number | undefined
  /**
   * Time in milliseconds without a new block after which the iteration fails. Useful for blocks that are known to
   * exist: without it, a server that never returns them is polled forever.
   *
   * @defaultValue none
   */
  readonly idleTimeoutMs?: number | undefined
}

/** Options whose addresses and UTXOs are in tables. They are not copied to lists: there may be millions. */
type CheckedOptions = Omit<BlocksOptions, 'addresses' | 'utxos'> & {
  readonly addresses?: AddressTable | undefined
  readonly utxos?: UTXOIDSet | undefined
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof (value as Iterable<unknown> | null | undefined)?.[Symbol.iterator] === 'function'
}

const addressTable: Check<AddressTable> = (value, at) => {
  if (!isIterable(value)) throw invalid(value, at, 'an iterable of addresses')
  return tableOf(value, at)
}

const utxoIDSet: Check<UTXOIDSet> = (value, at) => {
  if (!isIterable(value)) throw invalid(value, at, 'an iterable of UTXO IDs')
  const set = new UTXOIDSet()
  readEach(value, at, (utxo, itemAt) => set.add(utxoReference(utxo, itemAt)))
  return set
}

/** Pauses below 1 ms would send requests without end. */
const blocksOptions: Check<CheckedOptions> = object<CheckedOptions>({
  from: height,
  parentID: optional(id),
  addresses: optional(addressTable),
  utxos: optional(utxoIDSet),
  signal: optional(signal),
  timeoutMs: optional(anyMs),
  pollMs: optional(msFrom(1)),
  maxPollMs: optional(msFrom(1)),
  idleTimeoutMs: optional(anyMs),
})

/** An accepted block with the UTXOs that it creates and consumes. */
export type AcceptedBlock = BlockChanges & {
  readonly height: bigint
  readonly blockID: Uint8Array
  /** Unix seconds. */
  readonly time: bigint
  /** All transactions, in order of execution. */
  readonly txs: readonly SignedTx[]
  /** UTXOs with an owner among the addresses, in order of creation; without exported outputs. */
  readonly created: readonly UTXO[]
  /**
   * UTXOs of the addresses that were spent: those created since `from`, and those in `utxos`. Without addresses, all,
   * including those imported from other chains.
   */
  readonly consumed: readonly UTXOID[]
}

/** Reads the next blocks, with checked options. */
type FollowReader = Pick<SequentialReader, 'next' | 'readNext'>

/** Calls of the client that following uses. */
export type FollowCalls = {
  readonly reader: (from: bigint | number, parentID: Uint8Array | undefined) => FollowReader
  readonly utxoPages: (options: UTXOPagesOptions) => AsyncIterable<UTXOPage>
  readonly clock: Clock
  /** Delays after failures. The limits on number and total time of retries do not apply. */
  readonly retry: RetryPolicy
}

/** Number of addresses per call of `utxoPages`. It is limited because each address is converted to text. */
const ADDRESSES_PER_WALK = 16_384

/**
 * Follows accepted blocks until the signal is aborted or the consumer stops. Temporary failures are retried without
 * limit unless `idleTimeoutMs` is set.
 *
 * @throws ArgumentError if an option is invalid
 */
export function followBlocks(
  calls: FollowCalls,
  given: BlocksOptions,
): AsyncGenerator<AcceptedBlock, void, undefined> {
  const options = argument('blocks', given, blocksOptions)
  const { from, parentID, addresses, utxos } = options
  if (utxos !== undefined && addresses === undefined)
    throw new ArgumentError('ENC_INVALID', 'blocks: utxos requires addresses', { path: 'utxos' })
  const watch = addresses && new Watch(addresses, utxos)
  const reader = calls.reader(from, parentID === undefined ? undefined : idBytes(parentID))
  return new BlockFollower(calls, options, reader, watch).run()
}

class BlockFollower {
  private readonly calls: FollowCalls
  private readonly options: CheckedOptions
  private readonly reader: FollowReader
  /** Undefined if all UTXOs are reported. */
  private readonly watch: Watch | undefined
  /** Milliseconds since the start, or since the last new block. */
  private idleMs: () => number

  constructor(
    calls: FollowCalls,
    options: CheckedOptions,
    reader: FollowReader,
    watch: Watch | undefined,
  ) {
    this.calls = calls
    this.options = options
    this.reader = reader
    this.watch = watch
    this.idleMs = stopwatch(calls.clock)
  }

  async *run(): AsyncGenerator<AcceptedBlock, void, undefined> {
    const { signal } = this.options
    try {
      if (this.watch !== undefined && this.options.utxos === undefined)
        await this.findUTXOs(this.watch)
      for (let misses = 0; ; ) {
        if (signal?.aborted) return
        // Blocks are requested ahead, but decoded one by one: many decoded blocks in memory slow garbage collection.
        const [followed] = await this.persist(() =>
          this.reader.readNext({ ...this.callOptions(), limit: 1, ahead: MAX_WINDOW }),
        )
        if (followed === undefined) {
          this.checkIdleTime()
          await this.pause(this.pollGap(misses++))
          continue
        }
        const { block, blockID } = followed
        const { height, time, txs } = block
        const details = { height, blockID, time, txs }
        yield this.watch === undefined
          ? withAllChanges(details)
          : { ...details, ...this.watch.changes(block) }
        misses = 0
        // The time that the consumer took does not count.
        this.idleMs = stopwatch(this.calls.clock)
      }
    } catch (error) {
      // The caller ended the iteration itself.
      if (!signal?.aborted) throw error
    }
  }

  /** Reads the current UTXOs of the addresses. */
  private async findUTXOs(watch: Watch): Promise<void> {
    const { addresses } = watch
    const remaining = addresses[Symbol.iterator]()
    for (;;) {
      const group: Uint8Array[] = []
      for (let i = 0; i < ADDRESSES_PER_WALK; i++) {
        const next = remaining.next()
        if (next.done) break
        group.push(next.value)
      }
      if (group.length === 0) return
      await this.persist(async () => {
        const pages = this.calls.utxoPages({ addresses: group, ...this.callOptions() })
        for await (const { utxos } of pages) for (const utxo of utxos) watch.know(utxo)
      })
    }
  }

  /** Repeats a task until it succeeds or fails permanently. */
  private async persist<T>(task: () => Promise<T>): Promise<T> {
    const { clock, retry } = this.calls
    for (let failures = 0; ; failures++) {
      try {
        return await task()
      } catch (error) {
        if (!isRetryable(error)) throw error
        this.checkIdleTime(error)
        const requestedMs = error instanceof HttpError ? (error.retryAfterMs ?? 0) : 0
        const backoffMs = backoff(retry, failures, clock.random())
        await this.pause(Math.max(backoffMs, Math.min(requestedMs, MAX_PAUSE_MS)))
      }
    }
  }

  /** Throws if there was no new block for too long. */
  private checkIdleTime(cause?: unknown): void {
    const { idleTimeoutMs } = this.options
    if (idleTimeoutMs === undefined || this.idleMs() < idleTimeoutMs) return
    const message = `no block at height ${this.reader.next} within ${idleTimeoutMs} ms`
    throw cause ?? new TimeoutError('RPC_TIMEOUT', message, idleTimeoutMs)
  }

  private pollGap(misses: number): number {
    const { pollMs = 50, maxPollMs = 2_000 } = this.options
    const policy = { ...this.calls.retry, firstDelayMs: pollMs, maxDelayMs: maxPollMs }
    return backoff(policy, misses, this.calls.clock.random())
  }

  private pause(ms: number): Promise<void> {
    return sleepFor(this.calls.clock, ms, 'blocks', this.options.signal)
  }

  private callOptions(): { signal?: AbortSignal | undefined; timeoutMs?: number | undefined } {
    const { signal, timeoutMs } = this.options
    return {
      signal,
      timeoutMs,
    }
  }
}
