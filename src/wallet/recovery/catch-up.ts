import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { txID as idOf } from '../../core/chain/x/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import type { BlockReader, FollowedBlock } from '../../node/blocks/block-reader.ts'
import type { Clock } from '../../node/clock.ts'
import { BlockError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import { waitFor } from '../../node/transport/time-limit.ts'
import type { ChainView } from '../../node/view/view.ts'
import { readBlocks } from '../evidence/read-blocks.ts'
import { txSigners } from '../evidence/signatures.ts'
import type { BlockProgress, WalletOptions } from '../options.ts'
import { StoreError } from '../store/errors.ts'
import type { BlockReference, FoundTx, Store } from '../store/store.ts'

/** An accepted transaction that keys of the wallet signed and its store does not know. */
export type UnrecordedTx = {
  readonly height: bigint
  readonly txID: Uint8Array
  readonly tx: SignedTx
}

/** Dependencies of {@link CatchUp}. */
export type CatchUpOptions = {
  readonly chain: ChainView
  readonly clock: Clock
  readonly store: Store
  readonly addresses: readonly Uint8Array[]
  readonly backend: () => Promise<Secp256k1Backend>
  /** Applies all blocks, and returns the height up to which there are some. */
  readonly sync: () => Promise<bigint>
  /** Whether a transaction is or was an attempt of this wallet. */
  readonly isAttempt: (txID: Uint8Array) => boolean
  /** Takes the transactions of a block as evidence. */
  readonly onBlock: (block: FollowedBlock) => Promise<unknown>
  /** IDs of accepted payments without a caller's key, which the store lists no longer. */
  readonly made: () => Promise<readonly Uint8Array[]>
  /** Tells the store transactions in blocks that need not be read again. Returns whether it keeps them. */
  readonly keep: (found: readonly FoundTx[]) => Promise<boolean>
} & Pick<WalletOptions, 'maxBehind' | 'onCatchUp'>

/** Default of `maxBehind`. */
const MAX_BEHIND = 10_000

/** Maximum number of reads of a block that is below the height that servers agree on. */
const MAX_READS = 5

/** Limits the memory for transactions that are noted while blocks are followed. */
const MAX_NOTED = 10_000

/**
 * Compares the store with the chain. A store that was restored from a backup does not know later payments: the blocks
 * since its last one are read before the first payment with a caller's key, and own transactions in them that it does
 * not know are noted.
 */
export class CatchUp {
  /** Own accepted transactions that the store does not know, by the hex of their IDs. */
  readonly unrecorded: Map<string, UnrecordedTx> = new Map()
  private readonly options: CatchUpOptions
  /** Blocks that the store knew when it was opened, the newest one last. */
  private blocks: readonly BlockReference[] = []
  /** The newest of them that the chain has. */
  private known: BlockReference | undefined
  private isChecked = true
  private isDone = true
  /** Whether the store keeps what was found. Otherwise the next process has to read the blocks again. */
  private isKept = true
  private running: Promise<void> | undefined

  constructor(options: CatchUpOptions) {
    this.options = options
  }

  /** Whether the blocks since the newest one of the store were read. Before that, the store must not be told newer ones. */
  get isComplete(): boolean {
    return this.isChecked && this.isDone && this.isKept
  }

  /** Begins with what a store knows. */
  begin(blocks: readonly BlockReference[], found: readonly FoundTx[]): void {
    for (const { height, bytes } of found) {
      const txID = idOf(bytes)
      this.unrecorded.set(hex.encode(txID), { height, txID, tx: decodeTx(bytes) })
    }
    this.blocks = blocks
    this.isChecked = blocks.length === 0
    this.isDone = blocks.length === 0
  }

  /**
   * Finds the newest block of the store that the chain has. A dishonest server may have shown a newer one. If the chain has
   * no firm one, it began anew.
   *
   * @throws StoreError `STORE_MISMATCH`, `STORE_AHEAD`
   */
  async check(call: CallOptions): Promise<void> {
    if (this.isChecked) return
    const { blocks } = this
    this.known = undefined
    for (const block of blocks.toReversed()) {
      if (!(await this.isOnChain(block, call))) continue
      this.known = block
      break
    }
    const firm = blocks.findLast((one) => one.firm)
    if (firm !== undefined && !blocks.some((one) => one.firm && this.includes(one)))
      throw otherChain(firm)
    this.isChecked = true
    this.isDone = this.known === undefined
  }

  /** Whether a block is the newest one that the chain has, or one before it. */
  private includes({ height }: BlockReference): boolean {
    return this.known !== undefined && height <= this.known.height
  }

  /** @throws StoreError `STORE_AHEAD` if the block is firm or the oldest one, and the chain is not so high */
  private async isOnChain(
    block: BlockReference,
    { signal, totalMs }: CallOptions,
  ): Promise<boolean> {
    const { height, blockID, firm } = block
    const { chain } = this.options
    const reader = chain.blockReader({ from: height })
    let maxReads = chain.emptyReads
    for (let reads = 1; reads <= maxReads; reads++) {
      const [found] = await reader.read({ signal, timeoutMs: totalMs, limit: 1 })
      if (found !== undefined) return equalBytes(found.blockID, blockID)
      // Each read waits longer for servers that are slow.
      const mayBeSlow = reads === 1 && chain.quorum > 1
      if (mayBeSlow && (await chain.height({ signal, totalMs })) >= height) maxReads = MAX_READS
    }
    if (!firm && block !== this.blocks[0]) return false
    throw new StoreError('STORE_AHEAD', `the chain has no block ${height}, which the store knows`, {
      hint: 'nothing was signed; the node is behind, or the chain began anew; if a server had shown false blocks, call recover',
    })
  }

  /**
   * Reads the blocks since the newest one of the store, once.
   *
   * @throws StoreError `STORE_MISMATCH`, `STORE_AHEAD`, `STORE_BEHIND`
   */
  async run(call: CallOptions): Promise<void> {
    await this.check(call)
    if (this.isDone) return
    // Shared by concurrent calls, whatever their time limits.
    this.running ??= this.read().finally(() => {
      this.running = undefined
    })
    await waitFor('wallet', this.running, call, this.options.clock)
  }

  private async read(): Promise<void> {
    const { chain, sync, onCatchUp, maxBehind = MAX_BEHIND } = this.options
    const { height, blockID, firm } = this.known!
    const end = await sync()
    if (end - height > maxBehind)
      throw new StoreError(
        'STORE_BEHIND',
        `the store is ${end - height} blocks behind, at block ${height}; at most ${maxBehind} are read`,
        {
          hint: `nothing was signed; call recover({ fromHeight: ${height}n }) once, or raise maxBehind`,
        },
      )
    const reader = chain.blockReader({ from: height + 1n, parentID: blockID })
    try {
      await this.keep(await this.scan(reader, end, onCatchUp))
    } catch (error) {
      if (!(error instanceof BlockError)) throw error
      // The next call looks for the newest block again: a server of another chain may have shown this one.
      this.isChecked = false
      throw firm ? otherChain(this.known!, error) : error
    }
    this.isDone = true
  }

  /**
   * Notes own transactions of the blocks up to a height.
   *
   * @returns those that the store does not know
   * @throws ReplyError if no server has all these blocks
   */
  async scan(
    reader: BlockReader,
    end: bigint,
    onProgress: ((progress: BlockProgress) => void) | undefined,
    { signal, totalMs }: CallOptions = {},
  ): Promise<UnrecordedTx[]> {
    const { chain, clock, addresses, onBlock } = this.options
    const options = { chain, clock, signal, totalMs, onProgress }
    const own = new Set(addresses.map(hex.encode))
    const backend = await this.options.backend()
    const found: UnrecordedTx[] = []
    for await (const blocks of readBlocks(reader, end, options))
      for (const followed of blocks) {
        const { height, txs } = followed.block
        for (const tx of txs)
          if (txSigners(tx, backend).some((signer) => own.has(hex.encode(signer))))
            found.push({ height, txID: idOf(tx), tx })
        await onBlock(followed)
      }
    const known = await this.recorded(found)
    const unrecorded = found.filter(({ txID }) => !known.has(hex.encode(txID)))
    for (const one of unrecorded) this.unrecorded.set(hex.encode(one.txID), one)
    return unrecorded
  }

  /** Ends the reading: `recover` has read blocks from an earlier height on, and found transactions in them. */
  async end(found: readonly UnrecordedTx[]): Promise<void> {
    await this.keep(found)
    this.isChecked = true
    this.isDone = true
  }

  private async keep(found: readonly UnrecordedTx[]): Promise<void> {
    if (found.length > 0)
      this.isKept = await this.options.keep(
        found.map(({ height, tx }) => ({ height, bytes: encodeTx(tx) })),
      )
  }

  /** Notes a transaction that spends UTXOs of the wallet. */
  note(tx: SignedTx, height: bigint): void {
    const txID = idOf(tx)
    if (this.options.isAttempt(txID)) return
    this.unrecorded.set(hex.encode(txID), { height, txID, tx })
    // Those of other wallets with the same store are in it.
    const [oldest] = this.unrecorded.keys()
    if (this.unrecorded.size > MAX_NOTED) this.unrecorded.delete(oldest!)
  }

  /**
   * Those of the transactions that the store knows as its own, by the hex of their IDs. One that has rejected a payment may
   * be a later attempt for it, which an older copy of the store does not know.
   */
  async recorded(txs: readonly UnrecordedTx[]): Promise<Set<string>> {
    const known = new Set<string>()
    if (txs.length === 0) return known
    const { store } = this.options
    for await (const { txID, status, ended = [] } of store.list()) {
      if (txID !== undefined && status === 'accepted') known.add(hex.encode(txID))
      for (const attempt of ended) known.add(hex.encode(attempt.txID))
    }
    for await (const { txID } of store.attempts()) known.add(hex.encode(txID))
    for (const txID of await this.options.made()) known.add(hex.encode(txID))
    return known
  }
}

function otherChain({ height, blockID }: BlockReference, cause?: unknown): StoreError {
  return new StoreError(
    'STORE_MISMATCH',
    `the store knows block ${formatID(blockID)} at height ${height}, the chain has another one there`,
    {
      cause,
      hint: 'if the chain began anew, use a new store for it; if a server had shown false blocks, call recover',
    },
  )
}
