import { loadDefaultBackend } from '#backend'
import { hex } from '../core/base/encoding/hex.ts'
import { AvmError } from '../core/base/errors.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import type { Source, UTXOSet } from '../core/coins/utxo-set.ts'
import type { Secp256k1Backend } from '../core/crypto/backend.ts'
import { type IDArgument, toAddress, toOtherChain } from '../core/draft/arguments.ts'
import type { SumEffect } from '../core/sign/sums.ts'
import type { FollowedBlock } from '../node/blocks/block-reader.ts'
import { type Clock, systemClock } from '../node/clock.ts'
import { ignoreAvmError } from '../node/errors.ts'
import type { CallOptions } from '../node/http.ts'
import { requireNetwork } from '../node/network.ts'
import type { NodeClient } from '../node/node.ts'
import { waitFor } from '../node/transport/time-limit.ts'
import { ChainView, defaultQuorum } from '../node/view/view.ts'
import { AccountSearch } from './accounts/account-search.ts'
import type { OwnAddresses } from './accounts/own-addresses.ts'
import type { WalletKeys } from './accounts/wallet-keys.ts'
import { AssetLookup } from './assets.ts'
import type { Waiting } from './balances/waiting.ts'
import { Outcomes } from './evidence/outcomes.ts'
import { Pending } from './evidence/pending.ts'
import type { SendOptions, WalletOptions, WalletWait } from './options.ts'
import type { WalletView } from './payments/intents.ts'
import {
  type ChainPort,
  exportedBy,
  type OtherPorts,
  otherChainOf,
  sourceChainOf,
  xPort,
} from './ports.ts'
import { CatchUp } from './recovery/catch-up.ts'
import { reachedHeight } from './recovery/reached.ts'
import { attemptOf } from './store/attempt.ts'
import { memoryStore, requireBinding } from './store/memory.ts'
import type { Attempt, Claim, ClaimedPayment, Store, StoreBinding } from './store/store.ts'
import { withinSums } from './sums.ts'
import type { UTXODifferences, WalkedUTXOs } from './utxos/compare-lists.ts'
import { leftAsDisputed } from './utxos/disputed.ts'
import { LiveUTXOs } from './utxos/live-utxos.ts'

/** Number of blocks after which the store is told the newest one, although nothing is claimed. */
const RECORDED_BLOCKS = 64n

/** What a wallet knows: the network, its UTXOs, its store and the attempts that are pending there. */
export class WalletState {
  readonly options: WalletOptions
  readonly own: OwnAddresses
  readonly client: NodeClient
  readonly clock: Clock
  readonly store: Store
  /** What servers agree on. */
  readonly chain: ChainView
  readonly maxRebuilds: number
  private readonly clockSkewSeconds: number
  readonly assets: AssetLookup
  private readonly search: AccountSearch
  readonly pending: Pending = new Pending()
  readonly live: LiveUTXOs
  readonly outcomes: Outcomes
  readonly catchUp: CatchUp
  /** Of the store; undefined before it is opened. */
  storeID: Uint8Array | undefined
  private readonly ports: OtherPorts & { readonly X: ChainPort }
  private opening: Promise<void> | undefined
  /** The last context that the addresses of the options were compared with. */
  private compared: NetworkContext | undefined
  /** The network that the store belongs to, once that was checked. */
  private bound: StoreBinding | undefined
  /** Height of the first block that the store knows, once it is open. */
  private storeBegan: bigint | undefined
  /** The newest block that the store was told. */
  private recordedHeight = 0n

  constructor({ options, own }: WalletKeys, others: OtherPorts = {}) {
    const { client, clock = systemClock, store = memoryStore() } = options
    const { pending } = this
    this.options = options
    this.own = own
    this.client = client
    this.clock = clock
    this.store = store
    const { quorum = defaultQuorum(client.servers().length) } = options
    const chain = new ChainView({ client, clock, quorum })
    this.chain = chain
    this.clockSkewSeconds = options.clockSkewSeconds ?? 5
    this.maxRebuilds = options.maxRebuilds ?? 3
    this.assets = new AssetLookup(chain)
    const { wasUsed } = options
    this.search = new AccountSearch(own.account, {
      chain,
      clock,
      wasUsed,
      others: others.listOthers,
    })
    this.ports = { ...others, X: xPort(client, options.keys) }
    this.outcomes = new Outcomes({
      chain,
      clock,
      store,
      pending,
      get addresses() {
        return own.list
      },
      backend: () => this.backend(),
      readStore: () => this.readStore(undefined, false),
      variant: this.ports.X.variant,
      claimVariant: (...variant) => this.claimVariant(...variant),
      ports: others,
      onSpent: (inputs) => this.live.spend(inputs),
      onFree: (inputs) => this.live.reservations.unclaim(inputs),
      onFalse: () => this.live.walkAgain(),
    })
    this.catchUp = new CatchUp({
      ...options,
      chain,
      clock,
      store,
      get addresses() {
        return own.list
      },
      backend: () => this.backend(),
      isAttempt: (txID) => pending.wasAdded(txID),
      made: async () => (await store.bind(this.bound!))?.made ?? [],
      // Other holders of the keys may have spent the outputs that show rivals.
      onBlock: (block) => this.outcomes.read(block, true),
      keep: async (found) => {
        const state = await store.bind({ ...this.bound!, found })
        return state !== undefined && state.found.length >= found.length
      },
      sync: () => reachedHeight(this, {}),
    })
    this.live = new LiveUTXOs({
      client,
      chain,
      clock,
      own,
      searchFrom: () => pending.searchFrom(),
      onReset: (fromHeight) => {
        // The store may have been told a block of another chain.
        this.recordedHeight = 0n
        pending.searchAgain(fromHeight)
      },
      onCaughtUp: async () => {
        pending.endSearch()
        // If this fails, more blocks are read after a restart.
        await this.recordBlock(RECORDED_BLOCKS).catch(() => {})
      },
      onSpend: (tx, height) => this.catchUp.note(tx, height),
      onBlock: (block) => this.readBlock(block),
    })
  }

  /** The addresses of the wallet, 20 bytes each. */
  get addresses(): readonly Uint8Array[] {
    return this.own.list
  }

  /** Height of the first block that the store knows or, if it knows none, that the wallet has applied. */
  get firstHeight(): bigint {
    return this.storeBegan ?? this.live.firstHeight ?? 1n
  }

  /** The backend for signatures; the default one is loaded by the first call. */
  async backend(): Promise<Secp256k1Backend> {
    return this.options.backend ?? loadDefaultBackend()
  }

  /** Unix seconds that locktimes are compared with. */
  now(skewSeconds: number = this.clockSkewSeconds): bigint {
    // The node's clock decides about locktimes. If it is known, a local clock that is ahead must not count.
    const now = Math.min(this.clock.now(), this.chain.nodeTime() ?? Number.POSITIVE_INFINITY)
    return BigInt(Math.max(0, Math.floor(now / 1000) - skewSeconds))
  }

  /** Options of the requests before a transaction is issued. */
  call({
    wait,
    signal,
  }: Pick<SendOptions, 'wait' | 'signal'>): CallOptions & { readonly totalMs: number } {
    return { totalMs: this.wait(wait).timeoutMs, signal }
  }

  /** Time limits of a call; those of the wallet are its defaults. */
  wait(call: WalletWait | undefined): WalletWait & { readonly timeoutMs: number } {
    const { wait } = this.options
    return {
      timeoutMs: call?.timeoutMs ?? wait?.timeoutMs ?? 60_000,
      resendMs: call?.resendMs ?? wait?.resendMs,
    }
  }

  /** Details of the network. Throws if the wallet's addresses or its store belong to another network. */
  async context(call: CallOptions = {}, refresh = false): Promise<NetworkContext> {
    const context = await waitFor('wallet', this.chain.context(call, refresh), call, this.clock)
    if (context !== this.compared) {
      requireNetwork(this.options.network, context)
      for (const address of this.options.addresses ?? []) toAddress(address, context)
    }
    this.compared = context
    try {
      requireBinding(this.bound ?? context, context)
    } catch (error) {
      if (refresh) throw error
      // A cached context may be from a time when the client's URL led to another network.
      return this.context(call, true)
    }
    return context
  }

  /** Binds the store and reads its pending attempts, once. */
  async open(call: CallOptions = {}, refresh = false): Promise<NetworkContext> {
    const context = await this.context(call, refresh)
    const { networkID, chainID } = context
    const binding = { networkID, chainID }
    this.opening ??= this.store
      .bind(binding)
      .then(async (known) => {
        this.bound = binding
        this.storeID = known?.id
        this.storeBegan = known?.blocks[0]?.height
        for (const ended of known?.ended ?? []) this.pending.claims.rivals.restore(ended)
        this.catchUp.begin(known?.blocks ?? [], known?.found ?? [])
        // Shared by all calls that wait for it, whatever their time limits.
        await this.search.run(context, this.call({}), known?.indexes)
        return this.readStore()
      })
      .catch((error) => {
        this.opening = undefined
        throw error
      })
    await waitFor('wallet', this.opening, call, this.clock)
    return context
  }

  /**
   * Searches the P- and C-Chain again if they did not answer before, for calls that use them.
   *
   * @throws RpcError, HttpError or another AvmError if they do not answer now
   */
  searchOthers(context: NetworkContext): Promise<void> {
    return this.search.complete(context, this.call({}))
  }

  /**
   * Opens the store for what it knows of payments.
   *
   * @throws StoreError `STORE_MISMATCH` if the chain began anew
   */
  async openPayments(call: CallOptions): Promise<NetworkContext> {
    const context = await this.open(call)
    await this.catchUp.check(call).catch((error) => {
      // A node that is behind keeps the wallet only from claiming.
      if (!(error instanceof AvmError) || error.code === 'STORE_MISMATCH') throw error
    })
    return context
  }

  /** How an attempt is issued; undefined if the wallet does not use its chain. */
  port(attempt: Attempt): ChainPort | undefined {
    return this.ports[otherChainOf(attempt) ?? 'X']
  }

  /**
   * Tracks attempts that other processes have claimed meanwhile, for one key or for all, and forgets those whose end they
   * have recorded: the blocks of other chains, which would show it, are not read.
   *
   * @param forgets - false if a transaction is known that decides the attempts
   */
  async readStore(key?: string, forgets = true): Promise<void> {
    const { pending } = this
    const { attempts } = pending.claims
    const known = new Set(key === undefined ? attempts.values() : pending.claims.attemptsFor([key]))
    for await (const attempt of this.store.attempts(key)) {
      known.delete(attempts.get(hex.encode(attempt.txID))!)
      if (this.pending.attempt(attempt.txID) !== undefined) continue
      const records = await this.store.payments(attempt.keys)
      const payments = records.flatMap(({ key, digest, generated }) =>
        digest === undefined ? [] : [{ key, digest, generated }],
      )
      if (payments.length > 0) this.track(attempt, payments)
    }
    if (known.size === 0 || !forgets) return
    const { made = [] } = (await this.store.bind(this.bound!)) ?? {}
    this.live.reservations.unclaim(pending.drop(known, made))
  }

  /** Reads blocks again from a height on, for the outcomes of pending attempts. */
  searchAgain(fromHeight: bigint): void {
    this.pending.searchAgain(fromHeight)
    this.live.rewind(fromHeight)
  }

  /**
   * Tells the store the newest block that was applied and that another one follows.
   *
   * @param distance - number of blocks since the last one that it was told, below which it is not
   */
  async recordBlock(distance = 1n): Promise<void> {
    const block = this.live.confirmed
    if (block === undefined || this.bound === undefined || !this.catchUp.isComplete) return
    if (this.recordedHeight > 0n && block.height < this.recordedHeight + distance) return
    this.recordedHeight = block.height
    await this.store.bind({ ...this.bound, block })
  }

  /** Decides pending attempts by a block, and tells the store a block that contains one. */
  private async readBlock(followed: FollowedBlock): Promise<void> {
    const { blockID, block } = followed
    const isOwn = await this.outcomes.read(followed, true)
    if (!isOwn || this.bound === undefined || !this.catchUp.isComplete) return
    const firm = { height: block.height, blockID, firm: true }
    await this.store.bind({ ...this.bound, block: firm }).catch(ignoreAvmError)
  }

  /**
   * Records an attempt in the store, then tracks it.
   *
   * @param effect - as of `withinSums`
   * @throws StoreError as `Store.claim` does; `STORE_MISMATCH`, `STORE_AHEAD`; SignError `POLICY_SUM`
   */
  async claim(claim: Claim, effect?: SumEffect): Promise<Attempt> {
    await this.catchUp.check({})
    await this.recordBlock()
    await this.recordIndexes(claim)
    await withinSums(this, claim.payments, effect, (payments) =>
      this.store.claim({ ...claim, payments }),
    )
    const attempt = attemptOf(claim)
    this.track(attempt, claim.payments)
    return attempt
  }

  /**
   * Records which addresses of the account are used, together with those that a transaction pays. Before it is claimed: no
   * other transaction gets its change address, even after a crash.
   */
  private async recordIndexes({ bytes, leg }: Claim): Promise<void> {
    const { account } = this.own
    if (account === undefined) return
    account.claim(this.ports[leg?.chain ?? 'X']?.ownersOf(bytes) ?? [])
    await this.store.bind({ ...this.bound!, indexes: account.indexes })
  }

  /** Records and tracks a variant of an attempt: the same transaction with other signatures. */
  async claimVariant(
    { kind, keys, leg }: Attempt,
    { bytes, fromHeight }: Pick<Attempt, 'bytes' | 'fromHeight'>,
  ): Promise<Attempt> {
    const payments = this.pending.claims.paymentsOf(keys)
    return this.claim({ kind, payments, bytes, fromHeight, leg, again: true })
  }

  private track(attempt: Attempt, payments: readonly ClaimedPayment[]): void {
    this.pending.add(attempt, payments, exportedBy(attempt, this.ports))
    this.live.reservations.claim(attempt.inputs)
    // An input that is gone was spent in a block that was applied before the attempt was known.
    if (!attempt.inputs.every((id) => this.live.has(id))) this.live.rewind(attempt.fromHeight)
  }

  /**
   * The UTXOs of the wallet and what builders need besides them.
   *
   * @param replaced - attempts to draft again: the fee is read again, and atomic UTXOs if they import
   */
  async view(
    call: CallOptions,
    maxAgeMs: number,
    replaced: readonly Attempt[] = [],
  ): Promise<WalletView> {
    const isNew = replaced.length === 0
    const context = isNew ? await this.open(call) : await this.context(call, true)
    await this.live.sync(call, maxAgeMs)
    const sourceChain = sourceChainOf(replaced)
    if (sourceChain !== undefined)
      await waitFor('wallet', this.live.walkAtomic({ sourceChain }, call), call, this.clock)
    return this.viewOf(context, this.live)
  }

  private viewOf(context: NetworkContext, { set: utxos, disputed }: WalkedUTXOs): WalletView {
    const { changeTo } = this.options
    return {
      context,
      utxos,
      disputed: leftAsDisputed(disputed),
      owners: this.addresses,
      now: this.now(),
      changeTo:
        changeTo === undefined ? this.own.account?.nextChange : toAddress(changeTo, context),
    }
  }

  /**
   * A view of a fresh walk, for plans that spend everything; the live set is brought up to date as well.
   *
   * @param refresh - false if the parameters of the network were read just before
   * @param fills - `live.fills` at a time since when a walk that filled the live set is fresh enough
   */
  async walkView(
    source: Source,
    call: CallOptions,
    refresh = true,
    fills?: number,
  ): Promise<WalletView> {
    const context = await this.open(call, refresh)
    const walked = await waitFor('wallet', this.live.walk(source, call, fills), call, this.clock)
    return this.viewOf(context, walked)
  }

  /** Adds UTXOs that only some of several servers list. */
  async complete(call: CallOptions): Promise<void> {
    if (this.client.servers().length > 1) await this.walkView({}, call)
  }

  async source(sourceChain: IDArgument | undefined, call: CallOptions = {}): Promise<Source> {
    if (sourceChain === undefined) return {}
    return { sourceChain: toOtherChain(sourceChain, await this.context(call)).chainID }
  }

  /** What the wallet has on other chains; nothing if it does not use them. */
  async waitingElsewhere(context: NetworkContext, call: CallOptions): Promise<Waiting[]> {
    await this.searchOthers(context)
    return (await this.ports.waiting?.(context, call)) ?? []
  }

  async utxos(sourceChain: IDArgument | undefined): Promise<UTXOSet> {
    const call = this.call({})
    await this.open(call)
    return this.live.copy(await this.source(sourceChain, call), call)
  }

  async checkUTXOs(): Promise<UTXODifferences> {
    const call = this.call({})
    await this.open(call)
    return waitFor('wallet', this.live.compare(call), call, this.clock)
  }
}
