import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError, CodecError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { type Block, decodeBlock, encodeBlock } from '../../core/chain/x/block.ts'
import { blockTxIDs, txID } from '../../core/chain/x/ids.ts'
import { unsignedSize } from '../../core/chain/x/size.ts'
import { decodeTx, encodeTx, type SignedTx, signedTx } from '../../core/chain/x/tx.ts'
import { verifyTx } from '../../core/chain/x/verify/verify.ts'
import { MAX_SIZE } from '../../core/codec/codec.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { DevNodeError, reasonOf } from '../errors.ts'
import { goDecodeError } from '../go/decode.ts'
import { Signers } from '../ledger/signers.ts'
import { blockOf, checkBlockSize, packBlock, TARGET_BLOCK_SIZE } from './block-builder.ts'
import { verifyBlock } from './block-rules.ts'
import { type ChainTx, chainTx, effectsOf, type VerifiedTx } from './execute.ts'
import { Mempool } from './mempool.ts'
import { type StateView, verifySemantics } from './semantic.ts'
import type { ChainState, Tip } from './state.ts'
import { WalletQueue } from './wallet-queue.ts'

/** Parameters of a chain. */
export type ChainOptions = {
  readonly context: NetworkContext
  readonly state: ChainState
  /** Unix seconds. */
  readonly now: () => bigint
  readonly backend: Secp256k1Backend | undefined
  /** Whether rejections are remembered, as the node does. */
  readonly remembersDrops: boolean
  /** Called with every block before it is accepted. If it throws, the block is not accepted. */
  readonly beforeAccept: (bytes: Uint8Array) => void
}

/** A copy of the state of a chain. */
export type ChainSnapshot = {
  readonly state: ChainState
  readonly mempool: Mempool
  readonly queue: readonly ChainTx[]
}

/** An X-Chain with its mempool. All operations are synchronous, so requests never interleave. */
export class Chain {
  readonly context: NetworkContext
  state: ChainState
  mempool: Mempool = new Mempool()
  private readonly options: ChainOptions
  private readonly signers: Signers
  /**
   * When a transaction was fully verified. If nothing has changed since, the first one of a block is not verified
   * again.
   */
  private readonly admitted = new WeakMap<ChainTx, { tip: Tip; now: StateView['now'] }>()
  private readonly wallet = new WalletQueue((item) => this.submitUnverified(item))

  constructor(options: ChainOptions) {
    this.options = options
    this.context = options.context
    this.state = options.state
    this.signers = new Signers(options.backend)
  }

  /** `avm.issueTx`: verifies against the accepted state and adds to the mempool. */
  issue(bytes: Uint8Array): ChainTx {
    const item = parseXTx(bytes)
    if (this.mempool.has(item.key)) return item
    if (this.options.remembersDrops) {
      const reason = this.mempool.dropped.reasonFor(item.key)
      if (reason !== undefined) throw new DevNodeError('TX_DROPPED', reason)
    }
    try {
      const view = this.view()
      verifyTx(item.tx, this.context)
      this.verify(item, view)
      this.mempool.add(item)
      this.admitted.set(item, { tip: this.state.tip, now: view.now })
    } catch (error) {
      this.remember(item, error)
      throw error
    }
    return item
  }

  /** `wallet.issueTx`: queues without verification. */
  issueUnverified(bytes: Uint8Array): ChainTx {
    const item = parseXTx(bytes)
    this.wallet.issue(item)
    return item
  }

  /**
   * Builds and accepts a block of the given transactions in this order, or of the pending ones, oldest first, up to
   * the node's block size. Invalid ones are dropped. Throws if none is left.
   */
  buildBlock(time?: bigint, keys?: readonly string[]): Uint8Array {
    const { tip } = this.state
    const blockTime = time ?? latest(this.options.now(), tip.time)
    if (blockTime < tip.time)
      throw new DevNodeError(
        'BLOCK_TIME_BEFORE_PARENT',
        `block time must be at least ${tip.time}, is ${blockTime}`,
      )
    const candidates = keys === undefined ? this.mempool.all() : this.pending(keys)
    if (keys !== undefined) checkBlockSize(candidates)
    const { included, dropped } = packBlock(
      candidates,
      this.view(),
      (item, view) => {
        const admission = this.admitted.get(item)
        // The node checks the stateless rules only when it verifies the block, so one invalid transaction makes the
        // whole block invalid. Here only that transaction is dropped.
        if (admission === undefined) verifyTx(item.tx, this.context)
        // Nothing has changed since it was verified, as usual with one block per transaction.
        const unchanged = admission?.tip === tip && admission.now === view.now
        if (!(unchanged && item === candidates[0])) this.verify(item, view)
      },
      keys === undefined ? TARGET_BLOCK_SIZE : MAX_SIZE,
    )
    for (const { item, error } of dropped) {
      this.mempool.remove(item)
      this.remember(item, error)
      this.wallet.decided(item.key)
    }
    if (included.length === 0)
      throw new DevNodeError('NO_TRANSACTIONS', 'no pending transaction can go into a block')
    const block = blockOf(included, tip, blockTime)
    const bytes = encodeBlock(block)
    this.accept(block, bytes, included)
    return bytes
  }

  /** Builds a block of pending transactions. False if nothing is left to build. */
  buildPending(): boolean {
    if (this.mempool.size === 0) return false
    try {
      this.buildBlock()
      return true
    } catch (error) {
      if (!(error instanceof DevNodeError) || error.code !== 'NO_TRANSACTIONS') throw error
      return this.mempool.size > 0
    }
  }

  /** Accepts a block built elsewhere, if it follows the last one and satisfies the rules. */
  acceptBlock(bytes: Uint8Array): void {
    const { block, txs } = parseBlock(bytes)
    const { tip } = this.state
    const verified = verifyBlock(block, txs, tip, this.view(), this.context, (item, view) =>
      this.verify(item, view),
    )
    this.accept(block, bytes, verified)
  }

  /** Applies a block that this chain accepted before, without checking the rules again. */
  replayBlock(bytes: Uint8Array): void {
    const { block, txs } = parseBlock(bytes)
    const { tip } = this.state
    if (block.height !== tip.height + 1n || hex.encode(block.parentID) !== hex.encode(tip.id))
      throw new DevNodeError(
        'LOG_CORRUPT',
        `expected the block at height ${tip.height + 1n}, found height ${block.height}`,
      )
    const verified = txs.map((item) => ({ item, effects: effectsOf(item) }))
    this.state.applyBlock(block, bytes, verified)
  }

  snapshot(): ChainSnapshot {
    return {
      state: this.state.clone(),
      mempool: this.mempool.clone(),
      queue: this.wallet.items(),
    }
  }

  restore(snapshot: ChainSnapshot): void {
    this.state = snapshot.state.clone()
    this.mempool = snapshot.mempool.clone()
    this.wallet.restore(snapshot.queue)
  }

  /** Discards pending transactions, as a restart does. */
  forgetPending(): void {
    this.mempool = new Mempool()
    this.wallet.restore([])
  }

  private accept(block: Block, bytes: Uint8Array, txs: readonly VerifiedTx[]): void {
    this.options.beforeAccept(bytes)
    this.state.applyBlock(block, bytes, txs)
    for (const { item } of txs) {
      this.mempool.remove(item)
      this.wallet.decided(item.key)
    }
  }

  private verify(item: ChainTx, view: StateView): void {
    const signed = item.bytes.subarray(0, unsignedSize(item.tx.unsignedTx))
    verifySemantics(item.tx, view, this.context.chainID, this.signers.of(signed))
  }

  private view(): StateView {
    return this.state.view(this.options.now())
  }

  private pending(keys: readonly string[]): ChainTx[] {
    return keys.map((key) => {
      const item = this.mempool.get(key)
      if (item === undefined)
        throw new DevNodeError('TX_NOT_PENDING', `transaction ${key} is not pending`)
      return item
    })
  }

  private submitUnverified(item: ChainTx): void {
    if (!this.mempool.has(item.key)) this.mempool.add(item)
  }

  private remember(item: ChainTx, error: unknown): void {
    if (error instanceof AvmError && error.code === 'MEMPOOL_FULL') return
    if (this.options.remembersDrops) this.mempool.dropped.remember(item.key, reasonOf(error))
  }
}

function latest(a: bigint, b: bigint): bigint {
  return a < b ? b : a
}

function parseXTx(bytes: Uint8Array): ChainTx {
  let tx: SignedTx
  try {
    tx = decodeTx(bytes)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    throw new DevNodeError('TX_UNDECODABLE', goDecodeError(signedTx, bytes), { cause: error })
  }
  return chainTx(tx, bytes, txID(bytes))
}

function parseBlock(bytes: Uint8Array): { block: Block; txs: ChainTx[] } {
  const block = decodeBlock(bytes)
  const ids = blockTxIDs(block)
  return { block, txs: block.txs.map((tx, i) => chainTx(tx, encodeTx(tx), ids[i]!)) }
}
