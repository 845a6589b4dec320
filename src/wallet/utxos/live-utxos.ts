import { equalBytes } from '../../core/base/bytes/compare.ts'
import { ZERO_ID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { type Source, UTXOSet } from '../../core/coins/utxo-set.ts'
import type {
  BlockReader,
  BlockReaderOptions,
  FollowedBlock,
} from '../../node/blocks/block-reader.ts'
import { type Clock, sleepFor } from '../../node/clock.ts'
import { AbortError, BlockError, ignoreAvmError, ReplyError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import type { NodeClient } from '../../node/node.ts'
import { MAX_PAGE_SIZE } from '../../node/pages/utxo-pages.ts'
import { onAbort } from '../../node/transport/abort.ts'
import type { Limits } from '../../node/transport/time-limit.ts'
import { type DisputedUTXO, notIn, utxosIn } from '../../node/view/utxo-votes.ts'
import type { AgreedUTXOs, ChainView } from '../../node/view/view.ts'
import type { OwnAddresses } from '../accounts/own-addresses.ts'
import type { BlockReference } from '../store/store.ts'
import { SharedPolls } from './polls.ts'
import { hasUTXO, Reservations } from './reservations.ts'
import { SpendLog } from './spend-log.ts'
import { UnseenSpends } from './unseen-spends.ts'
import { walkUTXOs, withServers } from './walks.ts'

/**
 * Number of blocks before the start height of the initial walk that are applied again: pages may come from servers
 * that far behind.
 */
const MARGIN = 8n

const READ_TIMEOUT_MS = 10_000

/** Interval at which a set of at most one page is compared with another walk. */
const WALK_CHECK_MS = 60_000

/** Interval at which the last block is compared with the servers' while no new block is accepted. */
const ANCHOR_CHECK_MS = 15_000

/** Maximum number of requests for a block that servers should have, and the pause between them. */
const MAX_TRIES = 5
const FIND_RETRY_MS = 200

/** How the wallet's UTXOs differ from those that the node lists. A UTXO whose content differs is in both lists. */
export type UTXODifferences = {
  /** Listed by the node, not known here. */
  readonly missing: readonly UTXOID[]
  /** Known here, not listed by the node. */
  readonly extra: readonly UTXOID[]
}

/** A copy of the UTXOs of a wallet. */
export type WalkedUTXOs = Pick<AgreedUTXOs, 'set' | 'disputed'>

/** Dependencies of {@link LiveUTXOs}. */
export type LiveUTXOsOptions = {
  readonly client: NodeClient
  readonly chain: ChainView
  readonly clock: Clock
  readonly own: OwnAddresses
  /** Lowest height of a block that may decide a pending attempt. Reading starts there or below. */
  readonly searchFrom: () => bigint | undefined
  /**
   * Called when all blocks from a height on have to be read again, because some came from a server of another chain.
   */
  readonly onReset: (fromHeight: bigint) => void
  /** Called when all blocks that servers have were applied. */
  readonly onCaughtUp: () => Promise<void>
  /** Called with every transaction that spends a UTXO of the wallet, before its block is applied. */
  readonly onSpend: (tx: SignedTx, height: bigint) => void
  /** Called with every block, after it was applied. */
  readonly onBlock: (block: FollowedBlock) => Promise<void>
}

/**
 * The UTXOs of a wallet, kept current from accepted blocks. One walk of `getUTXOs`, bracketed by heights, fills the
 * set; from then on only blocks are read. Atomic UTXOs are added by `walkAtomic`, because exports of other chains
 * are not in blocks of this one; their consumption is.
 */
export class LiveUTXOs {
  private readonly options: LiveUTXOsOptions
  readonly reservations: Reservations
  private utxos = new UTXOSet()
  /** UTXOs that too few servers list, or do not list, and that no block has decided since. */
  private undecided: readonly DisputedUTXO[] = []
  private reader: BlockReader | undefined
  /** The client that is read: of all servers or, after a poll that did not reach the last block, of one of them. */
  private source: NodeClient
  /** Rotates the server that is read alone. */
  private turn = 0
  /** Height of the first block that was read after the walk. */
  private start = 0n
  /** Height of the first block that was read after the first walk. */
  private first: bigint | undefined
  /** When a block was last applied or the last block was checked, in clock milliseconds. */
  private anchoredAt = 0
  /** When the set was last filled by a walk or compared with one, in clock milliseconds. */
  private walkedAt = 0
  /** Whether the next poll starts with a walk. */
  private isStale = false
  /** Whether addresses are watched that the last walk did not include. */
  private hasGrown = false
  /** Height of the next block to be applied. */
  private nextToApply: bigint | undefined
  /** Height that a server reported before the walk; 0n if servers agreed on it. */
  private reportedHeight = 0n
  /** The highest block that was applied or, before the first one, that a server returned. */
  private tip: BlockReference | undefined
  /** The block before it, if it was applied as well. */
  private parent: BlockReference | undefined
  private readonly unseen: UnseenSpends
  private readonly spends = new SpendLog()
  private readonly polls: SharedPolls
  /** When the last poll that ended began, in clock milliseconds. */
  private polledAt = Number.NEGATIVE_INFINITY
  /** Resolves the promises of `changed`. */
  private readonly waiting = new Set<() => void>()

  constructor(options: LiveUTXOsOptions) {
    this.options = options
    this.source = options.client
    this.unseen = new UnseenSpends(options.clock)
    this.polls = new SharedPolls(options.clock, (isWanted) => this.poll(isWanted))
    this.reservations = new Reservations(
      () => this.utxos,
      () => this.notify(),
    )
  }

  /** The set; complete once `sync` has resolved. */
  get set(): UTXOSet {
    return this.utxos
  }

  /** UTXOs of this chain that are not in the set because servers disagree. */
  get disputed(): readonly DisputedUTXO[] {
    return this.undecided
  }

  /** Height of the first block that was applied; undefined before the initial walk. */
  get firstHeight(): bigint | undefined {
    return this.first
  }

  /** Height of the next block to be applied; undefined before the initial walk. */
  get nextHeight(): bigint | undefined {
    return this.nextToApply
  }

  /** The newest block that was applied together with one that follows it; undefined if there is none. */
  get confirmed(): BlockReference | undefined {
    return this.parent
  }

  /** Whether a UTXO is in the set, atomic ones included. */
  has(id: UTXOID): boolean {
    return hasUTXO(this.utxos, id)
  }

  /** Removes UTXOs that an accepted transaction spends which no block has shown yet, so that no draft takes them. */
  spend(ids: readonly UTXOID[]): void {
    const spent = ids.filter((id) => this.has(id))
    this.unseen.add(spent)
    this.spends.add(ids)
    this.utxos.remove(spent)
  }

  /** Reads blocks again from a height, for an attempt that one of them may have decided before it was known. */
  rewind(height: bigint): void {
    if (this.reader === undefined || this.reader.next <= height) return
    this.start = min(this.start, height)
    this.reader = this.readerFrom({ from: height })
  }

  private readerFrom(start: BlockReaderOptions): BlockReader {
    return this.options.chain.blockReader(start, this.source)
  }

  /**
   * Applies all blocks that are accepted by now. A server may have blocks without end: then it ends when no call waits any
   * longer, and the next poll continues after the last block that was applied.
   *
   * @param maxAgeMs - a poll that has ended, and began at most this long ago, is good enough
   * @throws AbortError, TimeoutError
   */
  async sync(limits: Limits = {}, maxAgeMs = 0): Promise<void> {
    const { clock } = this.options
    // The age is negative if the clock was set back.
    const age = clock.now() - this.polledAt
    if (this.reader !== undefined && !this.isStale && age >= 0 && age < maxAgeMs) return
    await this.polls.wait(limits)
  }

  private async poll(isWanted: () => boolean): Promise<void> {
    try {
      await this.advance(isWanted)
    } catch (error) {
      const isAlone = this.source !== this.options.client
      if (!isWanted() || !(isOtherChain(error) || isAlone)) throw error
      // The blocks came from a server of another chain, or the only server that was read fails. Start again once; a
      // second failure is reported to the caller.
      if (!isOtherChain(error)) this.readFrom(this.options.client)
      await this.advance(isWanted)
    }
  }

  private async advance(isWanted: () => boolean): Promise<void> {
    const { clock } = this.options
    const startedAt = clock.now()
    try {
      if (this.isStale) {
        this.reset(this.reader?.next)
        this.source = this.options.client
      }
      this.reader ??= await this.load()
      await this.applyBlocks(isWanted)
      // What these addresses own may have been created before the blocks that were read.
      if (this.hasGrown) return await this.advanceAgain(isWanted)
      await this.options.onCaughtUp()
      // The clock may have been set back.
      if (Math.abs(clock.now() - this.anchoredAt) > ANCHOR_CHECK_MS) await this.checkAnchor()
      if (Math.abs(clock.now() - this.walkedAt) > WALK_CHECK_MS) await this.checkWalk(isWanted)
      this.polledAt = startedAt
      if (!this.unseen.isDoubtful) return
      this.walkAgain()
      await this.advance(isWanted)
    } catch (error) {
      // A block of another chain, or one that was applied only in part.
      if (isOtherChain(error) || !(error instanceof AvmError)) this.reset()
      throw error
    }
  }

  /** Starts with a walk. A server may invent UTXOs, so that ever more addresses are watched. */
  private async advanceAgain(isWanted: () => boolean): Promise<void> {
    if (!isWanted()) throw new AbortError('wallet', 'no call waits any longer')
    this.walkAgain()
    await this.advance(isWanted)
  }

  /** Watches further addresses of the account if new ones are used. */
  private noteOwners(utxos: readonly UTXO[]): void {
    const { account } = this.options.own
    if (account?.note(utxos.flatMap(({ output }) => output.addresses))) this.hasGrown = true
  }

  private async applyBlocks(isWanted: () => boolean): Promise<void> {
    const { chain, client, clock } = this.options
    const emptyReads = this.source === client ? chain.emptyReads : 1
    // Servers may be at different heights: each of them is asked for the next block.
    for (let behind = 0; behind < emptyReads; ) {
      // Applying a block may rewind the reader.
      const blocks = await this.reader!.read({ timeoutMs: READ_TIMEOUT_MS })
      behind = blocks.length === 0 ? behind + 1 : 0
      for (const block of blocks) await this.apply(block)
      if (blocks.length === 0) continue
      this.anchoredAt = clock.now()
      if (isWanted()) continue
      // A server may invent blocks without end. The next poll reads another one, which continues here if it has the
      // same blocks.
      const servers = chain.quorum > 1 ? [] : client.servers()
      if (servers.length > 1) this.readFrom(servers[++this.turn % servers.length]!)
      throw new AbortError('wallet', 'no call waits any longer')
    }
  }

  /** Reads the next blocks from other servers. The last block is then compared with theirs. */
  private readFrom(source: NodeClient): void {
    this.source = source
    this.anchoredAt = Number.NEGATIVE_INFINITY
    if (this.reader === undefined) return
    const { next: from, parentID } = this.reader
    this.reader = this.readerFrom({ from, parentID })
  }

  /** @param unread - height of the first block that was not read from the right chain */
  private reset(unread: bigint = this.start): void {
    if (this.reader !== undefined) this.options.onReset(unread)
    this.reader = undefined
    this.parent = undefined
    this.isStale = false
    this.polledAt = Number.NEGATIVE_INFINITY
  }

  private load(): Promise<BlockReader> {
    const { chain, own } = this.options
    this.hasGrown = false
    if (chain.quorum === 1) return withServers(this.source, (server) => this.loadFrom(server))
    return chain
      .utxos({ addresses: own.list, sources: [{}], withHeight: true }, {})
      .then((list) => this.startFrom(list))
  }

  /** Fills a new set by a walk of one server, or any, and returns a reader for the blocks that follow. */
  private async loadFrom(server: NodeClient): Promise<BlockReader> {
    const { chain, own } = this.options
    const list = { addresses: own.list, sources: [{}], withHeight: true }
    const { set, height } = await chain.listOf(server, list, {})
    const from = this.firstAfter(height)
    // A server that reports too large a height must not hide the blocks below it.
    const first = from <= height ? await this.blockAt(from) : undefined
    if (from <= height && first === undefined)
      throw new ReplyError(
        'REPLY_MISMATCH',
        'avm.getBlockByHeight',
        'result.block',
        `no server has block ${from}, although one reports height ${height}`,
      )
    // If this block came from a server of another chain, the first block that is read will differ from it.
    const tip = first && { height: from, blockID: first.blockID }
    return this.startFrom({ set, height, disputed: [] }, tip)
  }

  /** Height of the first block to apply after a walk that began at a height. */
  private firstAfter(height: bigint): bigint {
    const start = max(1n, height + 1n - MARGIN)
    return min(start, this.options.searchFrom() ?? start)
  }

  /** Takes the result of a walk and returns a reader for the blocks that follow. */
  private startFrom({ set, height, disputed }: AgreedUTXOs, tip?: LiveUTXOs['tip']): BlockReader {
    const { clock, chain } = this.options
    this.utxos = set
    this.unseen.clear()
    this.undecided = disputed
    // An attempt may have become known during the walk.
    this.start = this.firstAfter(height)
    this.first ??= this.start
    this.nextToApply = this.start
    this.tip = tip
    // A height that servers agree on needs no check, and those that have reached it may withhold its blocks.
    this.reportedHeight = chain.quorum === 1 ? height : 0n
    this.anchoredAt = clock.now()
    this.walkedAt = clock.now()
    // Last, because reservations may have changed during the requests above.
    this.reservations.markIn(set)
    if (this.options.own.account !== undefined) this.noteOwners(utxosIn(set, {}))
    return this.readerFrom({ from: this.start })
  }

  /** The block at a height that servers should have; undefined if none returns it after some tries. */
  private async blockAt(height: bigint): Promise<FollowedBlock | undefined> {
    const reader = this.readerFrom({ from: height })
    for (let tries = 1; ; tries++) {
      const [block] = await reader.read({ timeoutMs: READ_TIMEOUT_MS, limit: 1 })
      if (block !== undefined || tries === MAX_TRIES) return block
      // Servers may be behind.
      await sleepFor(this.options.clock, FIND_RETRY_MS, 'wallet', undefined)
    }
  }

  /**
   * Checks that servers have the last block applied, and that the height reported before the walk was reached.
   * Otherwise the blocks or the height came from a server of another chain, whose height this chain may reach only much
   * later.
   */
  private async checkAnchor(): Promise<void> {
    const { next, parentID } = this.reader!
    if (next <= this.reportedHeight) throw new BlockError(next, parentID ?? ZERO_ID, ZERO_ID)
    if (parentID === undefined) return
    const found = await this.blockAt(next - 1n)
    if (found === undefined || !equalBytes(found.blockID, parentID))
      throw new BlockError(next - 1n, parentID, found?.blockID ?? ZERO_ID)
    this.anchoredAt = this.options.clock.now()
  }

  /**
   * Compares a set of at most one page with another walk. If the pages of the first came from a server that was further
   * behind than the margin, UTXOs that were spent before the blocks that were read would stay in the set forever.
   * Larger sets are compared only by `checkUTXOs`, because a walk of theirs takes long, or if servers disagreed about
   * UTXOs that are not in the set: those that were behind may decide now.
   */
  private async checkWalk(isWanted: () => boolean): Promise<void> {
    this.walkedAt = this.options.clock.now()
    if (this.utxos.size() > MAX_PAGE_SIZE && this.undecided.length === 0) return
    const fresh = await this.list({}, {}, false).catch(ignoreAvmError)
    if (fresh === undefined) return
    await this.applyBlocks(isWanted)
    this.compareWith(fresh)
    this.undecided = fresh.disputed.filter(({ utxo }) => !this.has(utxo))
    if (this.isStale) await this.advance(isWanted)
  }

  private list(source: Source, call: CallOptions, fromAll: boolean): Promise<AgreedUTXOs> {
    const { chain, own } = this.options
    return walkUTXOs({ chain, addresses: own.list, client: this.source, fromAll }, source, call)
  }

  /** A fresh copy of all UTXOs, with the wallet's reservations, from every server that answers. */
  async copy(source: Source, call: CallOptions): Promise<UTXOSet> {
    const { length } = this.options.client.servers()
    const { set } =
      length === 1 ? await this.list(source, call, true) : await this.walk(source, call)
    this.reservations.markIn(set)
    return set
  }

  /** Like {@link copy}, with what servers disagree about. The set is brought up to date as well. */
  walk(source: Source, call: CallOptions): Promise<WalkedUTXOs> {
    return this.spends.during((isSpent) => this.walkDuring(source, call, isSpent))
  }

  private async walkDuring(
    source: Source,
    call: CallOptions,
    isSpent: (id: UTXOID) => boolean,
  ): Promise<WalkedUTXOs> {
    const { set, disputed } = await this.list(source, call, true)
    await this.sync(call)
    const isLocal = (one: DisputedUTXO) => one.source.sourceChain === undefined
    if (this.options.chain.quorum > 1) {
      // What is in agreed blocks is newer than the lists, and decides where they differ.
      this.utxos.add(utxosIn(set, {}).filter((utxo) => !isSpent(utxo)))
      set.add(utxosIn(this.utxos, {}))
      set.remove(notIn(this.utxos, set))
      this.undecided = disputed.filter((one) => isLocal(one) && !this.has(one.utxo))
    } else if (disputed.length > 0) this.walkAgain()
    const isAtomic = source.sourceChain !== undefined
    if (isAtomic) this.utxos.add(utxosIn(set, source), source)
    this.reservations.markIn(this.utxos)
    this.reservations.markIn(set)
    const local = this.options.chain.quorum > 1 ? this.undecided : disputed.filter(isLocal)
    return { set, disputed: isAtomic ? disputed.filter((one) => !isLocal(one)) : local }
  }

  /** Adds the UTXOs that another chain exported to the wallet. */
  async walkAtomic(source: Source, call: CallOptions): Promise<void> {
    const { chain, own } = this.options
    const list = { addresses: own.list, sources: [source], fromAll: true }
    const { set } = await chain.utxos(list, call)
    const found = utxosIn(set, source)
    this.utxos.add(found, source)
    this.noteOwners(found)
    this.reservations.markIn(this.utxos)
  }

  /**
   * Compares the set, updated from blocks, with a fresh walk. While blocks are accepted, a difference may be temporary.
   * After a difference the next poll starts with a walk.
   */
  async compare(call: CallOptions): Promise<UTXODifferences> {
    const fresh = await this.list({}, call, false)
    await this.sync(call)
    return this.compareWith(fresh)
  }

  /** What servers disagree about now is no difference: they have agreed on it before. */
  private compareWith({ set, disputed }: WalkedUTXOs): UTXODifferences {
    const undecided = new Set(disputed.map(({ utxo }) => utxoKey(utxo)))
    const extra = notIn(set, this.utxos).filter((utxo) => !undecided.has(utxoKey(utxo)))
    const differences = { missing: notIn(this.utxos, set), extra }
    if (differences.missing.length + differences.extra.length > 0) this.walkAgain()
    return differences
  }

  /** Makes the next `sync` start with a walk: a server may have omitted UTXOs from the last one. */
  walkAgain(): void {
    this.isStale = true
    this.polledAt = Number.NEGATIVE_INFINITY
  }

  private async apply(followed: FollowedBlock): Promise<void> {
    this.requireSameChain(followed)
    const { height, txs } = followed.block
    for (const tx of txs) {
      const consumed = consumedUTXOs(tx.unsignedTx)
      if (consumed.some((id) => this.has(id))) this.options.onSpend(tx, height)
      this.utxos.remove(consumed)
      this.spends.add(consumed)
      this.unseen.remove(consumed)
      // The ID costs an encoding, so it is computed only for transactions that pay the wallet.
      const isOurs = createdUTXOs(tx, ZERO_ID).some((utxo) => this.isOwn(utxo))
      if (!isOurs) continue
      const created = createdUTXOs(tx).filter((utxo) => this.isOwn(utxo))
      this.utxos.add(created)
      this.noteOwners(created)
    }
    if (this.undecided.length > 0) this.decide(followed)
    await this.options.onBlock(followed)
    this.nextToApply = max(this.nextToApply ?? 0n, followed.block.height + 1n)
    this.notify()
  }

  /** Ends disputes about UTXOs that a block creates or consumes. */
  private decide({ block: { txs } }: FollowedBlock): void {
    const decided = txs.flatMap((tx) => [...consumedUTXOs(tx.unsignedTx), ...createdUTXOs(tx)])
    const names = new Set(decided.map(utxoKey))
    this.undecided = this.undecided.filter(({ utxo }) => !names.has(utxoKey(utxo)))
  }

  /**
   * After a rewind, blocks that were applied before are read again, possibly from a server of another chain. Comparing
   * the highest one is sufficient, because its ID depends on all blocks before it.
   */
  private requireSameChain({ block, blockID }: FollowedBlock): void {
    const { height } = block
    if (this.tip?.height === height && !equalBytes(this.tip.blockID, blockID))
      throw new BlockError(height, this.tip.blockID, blockID)
    if (this.tip !== undefined && height <= this.tip.height) return
    if (this.tip?.height === height - 1n) this.parent = this.tip
    this.tip = { height, blockID }
  }

  private isOwn({ output }: UTXO): boolean {
    return output.addresses.some((address) => this.options.own.has(address))
  }

  /** Resolves when the set or its reservations have changed. */
  changed(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.waiting.delete(done)
        forget()
        resolve()
      }
      this.waiting.add(done)
      const forget = onAbort(signal, done)
    })
  }

  private notify(): void {
    for (const done of [...this.waiting]) done()
  }
}

function isOtherChain(error: unknown): boolean {
  return error instanceof BlockError && error.code === 'BLOCK_PARENT_MISMATCH'
}

/** The larger of two heights. */
export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The smaller of two heights. */
export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
