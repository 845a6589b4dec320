import { ZERO_ID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { type Source, UTXOSet } from '../../core/coins/utxo-set.ts'
import type { FollowedBlock } from '../../node/blocks/block-reader.ts'
import type { Clock } from '../../node/clock.ts'
import { AbortError, ignoreAvmError, ReplyError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import type { NodeClient } from '../../node/node.ts'
import { MAX_PAGE_SIZE } from '../../node/pages/utxo-pages.ts'
import type { Limits } from '../../node/transport/time-limit.ts'
import { type DisputedUTXO, utxosIn } from '../../node/view/utxo-votes.ts'
import type { AgreedUTXOs, ChainView, ServerList } from '../../node/view/view.ts'
import type { OwnAddresses } from '../accounts/own-addresses.ts'
import type { BlockReference } from '../store/store.ts'
import { BlockSource, isOtherChain } from './block-source.ts'
import { type Applied, firstAfter, min, withBlock } from './chain-position.ts'
import { Changes } from './changes.ts'
import {
  differences,
  pageOf,
  reconcile,
  type UTXODifferences,
  undecidedAfter,
  type WalkedUTXOs,
} from './compare-lists.ts'
import { SharedPolls } from './polls.ts'
import { hasUTXO, Reservations } from './reservations.ts'
import { SpendLog } from './spend-log.ts'
import { UnseenSpends } from './unseen-spends.ts'
import { walkUTXOs, withServers } from './walks.ts'

/** Interval at which a set of at most one page is compared with another walk. */
const WALK_CHECK_MS = 60_000

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
  private readonly blocks: BlockSource
  /** Height of the first block that was read after the walk. */
  private start = 0n
  /** Height of the first block that was read after the first walk. */
  private first: bigint | undefined
  /** How often the set was filled by a walk. */
  fills = 0
  /** When the set was last filled by a walk or compared with one, in clock milliseconds. */
  private walkedAt = 0
  /** Whether the next poll starts with a walk. */
  private isStale = false
  /** Whether the next walk that fills the set reads from every server, and whether the last one did. */
  private wantsAll = false
  private isFromAll = false
  /** Number of addresses that the last walk included. More may be watched since, also because of another chain. */
  private walkedAddresses = 0
  /** Height of the next block to be applied. */
  private nextToApply: bigint | undefined
  private applied: Applied = {}
  /**
   * What blocks up to the height of the walk create is added once all of these are applied, because later ones may spend
   * it. Some of them may be withheld for a while.
   */
  private early = new UTXOSet()
  private walkedHeight = 0n
  private readonly unseen: UnseenSpends
  private readonly spends = new SpendLog()
  private readonly polls: SharedPolls
  /** When the last poll that ended began, in clock milliseconds. */
  private polledAt = Number.NEGATIVE_INFINITY
  private readonly changes = new Changes()

  constructor(options: LiveUTXOsOptions) {
    this.options = options
    this.blocks = new BlockSource(options)
    this.unseen = new UnseenSpends(options.clock)
    this.polls = new SharedPolls(options.clock, (isWanted) => this.poll(isWanted))
    this.reservations = new Reservations(
      () => this.utxos,
      () => this.changes.notify(),
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
    return this.applied.parent
  }

  /** Whether a UTXO is in the set, atomic ones included. */
  has(id: UTXOID): boolean {
    return hasUTXO(this.utxos, id)
  }

  /** Whether a UTXO is in the set, or will be. */
  private knows(id: UTXOID): boolean {
    return this.has(id) || hasUTXO(this.early, id)
  }

  /** Removes UTXOs that an accepted transaction spends which no block has shown yet, so that no draft takes them. */
  spend(ids: readonly UTXOID[]): void {
    const spent = ids.filter((id) => this.knows(id))
    this.unseen.add(spent)
    this.spends.add(ids)
    this.utxos.remove(spent)
    this.early.remove(spent)
  }

  /** Reads blocks again from a height, for an attempt that one of them may have decided before it was known. */
  rewind(height: bigint): void {
    if (!this.blocks.rewind(height)) return
    this.start = min(this.start, height)
    // What was applied from there on may have come from another chain, which was higher.
    this.nextToApply = height
    // Until they are read, the set has UTXOs that later ones of these blocks spend.
    this.polledAt = Number.NEGATIVE_INFINITY
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
    if (this.blocks.isStarted && !this.isStale && age >= 0 && age < maxAgeMs) return
    await this.polls.wait(limits)
  }

  private async poll(isWanted: () => boolean): Promise<void> {
    try {
      await this.advance(isWanted)
    } catch (error) {
      if (!isWanted() || !(isOtherChain(error) || this.blocks.isAlone)) throw error
      // The blocks came from a server of another chain, or the only server that was read fails. Start again once; a
      // second failure is reported to the caller.
      if (!isOtherChain(error)) this.blocks.useAll()
      await this.advance(isWanted)
    }
  }

  private async advance(isWanted: () => boolean): Promise<void> {
    const { clock } = this.options
    const startedAt = clock.now()
    try {
      if (this.isStale) {
        this.reset(this.blocks.next)
        this.blocks.useAll()
      }
      if (!this.blocks.isStarted) await this.load()
      await this.applyBlocks(isWanted)
      // What these addresses own may have been created before the blocks that were read.
      if (this.options.own.list.length > this.walkedAddresses)
        return await this.advanceAgain(isWanted)
      await this.options.onCaughtUp()
      await this.blocks.checkAnchor()
      // The clock may have been set back.
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
    this.options.own.account?.note(utxos.flatMap(({ output }) => output.addresses))
  }

  private async applyBlocks(isWanted: () => boolean): Promise<void> {
    for (let behind = 0; behind < this.blocks.emptyReads; ) {
      const blocks = await this.blocks.read()
      behind = blocks.length === 0 ? behind + 1 : 0
      for (const followed of blocks) {
        // Applying a block may rewind the source: the others are then read again, if there are any.
        if (followed.block.height >= this.blocks.next!) break
        await this.apply(followed)
      }
      if (blocks.length === 0 || isWanted()) continue
      // A server may invent blocks without end.
      this.blocks.useNext()
      throw new AbortError('wallet', 'no call waits any longer')
    }
  }

  /** @param unread - height of the first block that was not read from the right chain */
  private reset(unread: bigint = this.start): void {
    if (this.blocks.isStarted) this.options.onReset(unread)
    this.blocks.stop()
    this.applied = {}
    this.isStale = false
    this.polledAt = Number.NEGATIVE_INFINITY
  }

  /** Fills a new set by a walk, which blocks follow. */
  private async load(): Promise<void> {
    const { chain, own } = this.options
    const fromAll = this.wantsAll
    this.wantsAll = false
    this.isFromAll = false
    this.walkedAddresses = own.list.length
    const list = { addresses: own.list, sources: [{}], withHeight: true, fromAll }
    if (chain.quorum > 1) {
      this.startFrom(await chain.utxos(list, {}))
      this.isFromAll = fromAll
      return
    }
    const { tip, ...listed } = await withServers(this.blocks.client, (server) =>
      this.listFrom(server),
    )
    this.startFrom({ ...listed, disputed: [] }, tip)
  }

  /** What one server lists, or any, and the first block that is read after that, if it should exist. */
  private async listFrom(server: NodeClient): Promise<ServerList & Pick<Applied, 'tip'>> {
    const { chain, own, searchFrom } = this.options
    const list = { addresses: own.list, sources: [{}], withHeight: true }
    const { set, height } = await chain.listOf(server, list, {})
    const from = firstAfter(height, searchFrom())
    // A server that reports too large a height must not hide the blocks below it.
    const first = from <= height ? await this.blocks.blockAt(from) : undefined
    if (from <= height && first === undefined)
      throw new ReplyError(
        'REPLY_MISMATCH',
        'avm.getBlockByHeight',
        'result.block',
        `no server has block ${from}, although one reports height ${height}`,
      )
    // If this block came from a server of another chain, the first block that is read will differ from it.
    return { set, height, tip: first && { height: from, blockID: first.blockID } }
  }

  private startFrom({ set, height, disputed }: AgreedUTXOs, tip?: BlockReference): void {
    const { clock, chain, searchFrom } = this.options
    this.utxos = set
    this.unseen.clear()
    this.undecided = disputed
    // An attempt may have become known during the walk.
    this.start = firstAfter(height, searchFrom())
    this.first ??= this.start
    this.nextToApply = this.start
    this.applied = { tip }
    this.early = new UTXOSet()
    this.walkedHeight = height
    // A height that servers agree on needs no check, and those that have reached it may withhold its blocks.
    this.blocks.start(this.start, chain.quorum === 1 ? height : 0n)
    this.walkedAt = clock.now()
    this.fills++
    // Last, because reservations may have changed during the requests above.
    this.reservations.markIn(set)
    if (this.options.own.account !== undefined) this.noteOwners(utxosIn(set, {}))
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
    const from = { chain, addresses: own.list, client: this.blocks.client, fromAll }
    return walkUTXOs(from, source, call)
  }

  /** A fresh copy of all UTXOs, with the wallet's reservations, from every server that answers. */
  async copy(source: Source, call: CallOptions): Promise<UTXOSet> {
    const { length } = this.options.client.servers()
    const { set } =
      length === 1 ? await this.list(source, call, true) : await this.walk(source, call)
    this.reservations.markIn(set)
    return set
  }

  /**
   * Like {@link copy}, with what servers disagree about. The set is brought up to date as well.
   *
   * @param fills - a set that was filled more often is recent enough for the caller, and only brought up to date
   */
  async walk(source: Source, call: CallOptions, fills: number = this.fills): Promise<WalkedUTXOs> {
    const isRecent = !this.blocks.isStarted || this.fills > fills
    const first = isRecent ? await this.walkFirst(source, call) : undefined
    if (first !== undefined) return first
    return this.spends.during((isSpent) => this.walkDuring(source, call, isSpent))
  }

  /** The walk that fills the set, if it reads from all servers; undefined if a call has begun it that does not. */
  private async walkFirst(source: Source, call: CallOptions): Promise<WalkedUTXOs | undefined> {
    const { client, chain } = this.options
    const isOnly = client.servers().length === 1
    if (!isOnly && chain.quorum === 1) return undefined
    this.wantsAll = !this.blocks.isStarted || this.isStale
    await this.sync(call)
    if (!isOnly && !this.isFromAll) return undefined
    const isAtomic = source.sourceChain !== undefined
    const disputed = isAtomic ? await this.walkAtomic(source, call) : this.undecided
    const set = this.utxos.copyOf({}, ...(isAtomic ? [source] : []))
    this.reservations.markIn(set)
    return { set, disputed }
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
      if (reconcile(this.utxos, set, isSpent)) {
        // The walk that fills the set reads heights as well, and blocks from the lowest one on.
        this.walkAgain()
        const anew = await this.walkFirst(source, call)
        if (anew !== undefined) return anew
      }
      this.undecided = disputed.filter((one) => isLocal(one) && !this.has(one.utxo))
    } else if (disputed.length > 0) this.walkAgain()
    const isAtomic = source.sourceChain !== undefined
    if (isAtomic) this.utxos.add(utxosIn(set, source), source)
    this.reservations.markIn(this.utxos)
    this.reservations.markIn(set)
    const local = this.options.chain.quorum > 1 ? this.undecided : disputed.filter(isLocal)
    return { set, disputed: isAtomic ? disputed.filter((one) => !isLocal(one)) : local }
  }

  /** Adds the UTXOs that another chain exported to the wallet. Returns those that servers disagree about. */
  async walkAtomic(source: Source, call: CallOptions): Promise<readonly DisputedUTXO[]> {
    const { chain, own } = this.options
    const list = { addresses: own.list, sources: [source], fromAll: true }
    const { set, disputed } = await chain.utxos(list, call)
    const found = pageOf(set, source)
    this.utxos.add(found, source)
    this.noteOwners(found.utxos)
    this.reservations.markIn(this.utxos)
    return disputed
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

  private compareWith(walked: WalkedUTXOs): UTXODifferences {
    const found = differences(this.utxos, walked)
    if (found.missing.length + found.extra.length > 0) this.walkAgain()
    return found
  }

  /** Makes the next `sync` start with a walk: a server may have omitted UTXOs from the last one. */
  walkAgain(): void {
    this.isStale = true
    this.polledAt = Number.NEGATIVE_INFINITY
  }

  private async apply(followed: FollowedBlock): Promise<void> {
    this.applied = withBlock(this.applied, followed)
    const { height, txs } = followed.block
    for (const tx of txs) {
      const consumed = consumedUTXOs(tx.unsignedTx)
      if (consumed.some((id) => this.knows(id))) this.options.onSpend(tx, height)
      this.utxos.remove(consumed)
      this.early.remove(consumed)
      this.spends.add(consumed)
      this.unseen.remove(consumed)
      // The ID costs an encoding, so it is computed only for transactions that pay the wallet.
      const isOurs = createdUTXOs(tx, ZERO_ID).some((utxo) => this.isOwn(utxo))
      if (!isOurs) continue
      const created = createdUTXOs(tx).filter((utxo) => this.isOwn(utxo))
      const set = height < this.walkedHeight ? this.early : this.utxos
      set.add(created)
      this.noteOwners(created)
    }
    if (height === this.walkedHeight) {
      this.utxos.add(utxosIn(this.early, {}))
      this.early = new UTXOSet()
    }
    this.undecided = undecidedAfter(this.undecided, txs)
    await this.options.onBlock(followed)
    // The call may have rewound.
    this.nextToApply = min(height + 1n, this.blocks.next!)
    this.changes.notify()
  }

  private isOwn({ output }: UTXO): boolean {
    return output.addresses.some((address) => this.options.own.has(address))
  }

  /** Resolves when the set or its reservations have changed. */
  changed(signal?: AbortSignal): Promise<void> {
    return this.changes.next(signal)
  }
}
