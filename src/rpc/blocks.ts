import { utxoID } from '../chain/ids.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { SignedTx } from '../chain/tx.ts'
import type { UTXO } from '../chain/utxo.ts'
import type { UTXOPage } from '../chain/utxo-page.ts'
import { EncodingError } from '../errors.ts'
import type { BlockReader, BlockReaderOptions } from './block-reader.ts'
import { type Clock, sleepFor } from './clock.ts'
import { HttpError } from './errors.ts'
import { type Address, type ID, idBytes } from './params.ts'
import { backoff, type RetryPolicy } from './retry.ts'
import { MAX_PAUSE_MS } from './transport.ts'
import type { UTXOPagesOptions } from './utxo-pages.ts'
import { AddressSet, allChanges, type BlockChanges, Watch } from './watched.ts'

/** Which blocks to follow, and what to look for in them. */
export type BlocksOptions = {
  /** Height of the first block. Outputs of the genesis are in no block. */
  readonly from: bigint | number
  /**
   * ID of the block before `from`, as kept with the height that was processed last: tells a server of another
   * network or a node that was reset at the first block.
   */
  readonly parentID?: ID | undefined
  /**
   * Whose UTXOs are reported. An {@link AddressSet} can grow during the iteration, which takes effect with the next
   * block.
   *
   * @defaultValue all UTXOs of all addresses
   */
  readonly addresses?: Iterable<Address> | AddressSet | undefined
  /**
   * UTXOs of the addresses that existed before block `from`, so that their consumption is recognized. Only allowed
   * with `addresses`; an empty list if only `created` is of interest.
   *
   * @defaultValue those that one walk of `getUTXOs` finds when the iteration starts. UTXOs that were created before
   * block `from` and spent before the walk reached them are then not recognized as consumed.
   */
  readonly utxos?: Iterable<UTXOID> | undefined
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined
  /**
   * For the requests of one read of blocks.
   *
   * @defaultValue `timeoutMs` of the client
   */
  readonly timeoutMs?: number | undefined
  /**
   * First pause when there is no next block yet. It doubles up to `maxPollMs`, and half of it is random.
   *
   * @defaultValue 50
   */
  readonly pollMs?: number | undefined
  /** @defaultValue 2000 */
  readonly maxPollMs?: number | undefined
}

/** An accepted block and what it did to the UTXOs that are followed. */
export type AcceptedBlock = BlockChanges & {
  readonly height: bigint
  readonly blockID: Uint8Array
  /** Unix seconds. */
  readonly time: bigint
  /** All transactions, in the order of their execution. */
  readonly txs: readonly SignedTx[]
  /** UTXOs with an owner among the addresses, in the order of their creation. Exported outputs are not among them. */
  readonly created: readonly UTXO[]
  /**
   * UTXOs of the addresses that were spent: those created since `from`, and those in `utxos`. Without addresses all,
   * including those that were imported from other chains.
   */
  readonly consumed: readonly UTXOID[]
}

/** What following needs of the client. */
export type FollowCalls = {
  readonly reader: (options: BlockReaderOptions) => BlockReader
  readonly utxoPages: (options: UTXOPagesOptions) => AsyncIterable<UTXOPage>
  readonly clock: Clock
  /** Pauses after failures; its limits of their number do not apply. */
  readonly retry: RetryPolicy
}

/** Addresses of one walk of `getUTXOs`, which holds each as text. */
const WALKED_AT_ONCE = 16_384

/**
 * Follows accepted blocks until the signal fires or the consumer stops. Failures that may pass are retried for ever.
 *
 * @throws EncodingError if an option cannot be used
 */
export function followBlocks(
  calls: FollowCalls,
  options: BlocksOptions,
): AsyncGenerator<AcceptedBlock, void, undefined> {
  const { parentID, addresses, utxos } = options
  const reader = calls.reader({
    from: options.from,
    parentID: parentID === undefined ? undefined : idBytes(parentID),
  })
  if (utxos !== undefined && addresses === undefined)
    throw new EncodingError('ENC_INVALID', 'utxos: needs addresses')
  const watch =
    addresses === undefined
      ? undefined
      : new Watch(addresses instanceof AddressSet ? addresses : new AddressSet(addresses))
  for (const utxo of utxos ?? []) {
    // Refuses what names no UTXO.
    utxoID(utxo.txID, utxo.outputIndex)
    watch?.know(utxo)
  }
  return new Follower(calls, options, reader, watch).run()
}

class Follower {
  private readonly calls: FollowCalls
  private readonly options: BlocksOptions
  private readonly reader: BlockReader
  /** Undefined if everything is reported. */
  private readonly watch: Watch | undefined

  constructor(
    calls: FollowCalls,
    options: BlocksOptions,
    reader: BlockReader,
    watch: Watch | undefined,
  ) {
    this.calls = calls
    this.options = options
    this.reader = reader
    this.watch = watch
  }

  async *run(): AsyncGenerator<AcceptedBlock, void, undefined> {
    const { signal } = this.options
    try {
      if (this.watch !== undefined && this.options.utxos === undefined)
        await this.findUTXOs(this.watch)
      for (let misses = 0; ; ) {
        signal?.throwIfAborted()
        const blocks = await this.persist(() => this.reader.read(this.callOptions()))
        for (const { block, blockID } of blocks) {
          signal?.throwIfAborted()
          const { height, time, txs } = block
          const changes = this.watch?.changes(block) ?? allChanges(block)
          // Not copied by a spread, which would compute what nobody may look at.
          yield Object.assign(changes, { height, blockID, time, txs })
        }
        if (blocks.length > 0) misses = 0
        else await this.pause(this.pollGap(misses++))
      }
    } catch (error) {
      // The caller knows that it ended the iteration.
      if (!signal?.aborted) throw error
    }
  }

  /** One walk over the UTXOs that the addresses have now. */
  private async findUTXOs(watch: Watch): Promise<void> {
    const { addresses } = watch
    const rest = addresses[Symbol.iterator]()
    for (;;) {
      const group: Uint8Array[] = []
      for (let i = 0; i < WALKED_AT_ONCE; i++) {
        const next = rest.next()
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

  /** Repeats a task until it succeeds or fails for good. */
  private async persist<T>(task: () => Promise<T>): Promise<T> {
    const { clock, retry } = this.calls
    for (let failures = 0; ; failures++) {
      try {
        return await task()
      } catch (error) {
        if ((error as { retryable?: boolean }).retryable !== true) throw error
        const asked = error instanceof HttpError ? (error.retryAfterMs ?? 0) : 0
        const own = backoff(retry, failures, clock.random())
        await this.pause(Math.max(own, Math.min(asked, MAX_PAUSE_MS)))
      }
    }
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
