import { createHash } from 'node:crypto'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { utxoKey } from '../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../src/core/chain/x/transferables.ts'
import { decodeTx } from '../../src/core/chain/x/tx.ts'
import { acceptanceOf } from '../../src/wallet/evidence/acceptance.ts'
import { Pending } from '../../src/wallet/evidence/pending.ts'
import { issuedOf } from '../../src/wallet/machine/facts.ts'
import type { Facts, Run } from '../../src/wallet/machine/run.ts'
import { attemptOf } from '../../src/wallet/store/attempt.ts'
import { Claims } from '../../src/wallet/store/claims.ts'
import type { Claim, ClaimedPayment, Outcome, PaymentRecord } from '../../src/wallet/store/store.ts'
import { deepCopy } from './copy.ts'
import { coin, type ModelTx, modelTx, OWNER } from './model-tx.ts'

/** What may happen at most. */
export type Bounds = {
  /** Each call pays one of these lists of keys, or cancels one key. */
  readonly pays: readonly (readonly string[])[]
  readonly cancels: readonly string[]
  readonly coins: number
  /** Claimed transactions. */
  readonly txs: number
  /** Calls, crashes, and restored stores. */
  readonly calls: number
  readonly crashes: number
  readonly restores: number
  /** Transactions of another holder of the keys. */
  readonly foreign: number
  /** With 1, a server shows whatever was issued as accepted; with 2, an honest one must agree. */
  readonly quorum: 1 | 2
}

/** A call of the wallet that has not ended. */
export type Call = {
  readonly goal: string
  run: Run
  /** Inputs of the draft. */
  drafted: readonly UTXOID[] | undefined
  /** Number of the signed transaction. */
  signed: number | undefined
  /** Whether its time is over, or the caller has aborted. */
  isOver: boolean
}

/** Phases after which a call issues an attempt, if nothing has decided it. */
const BEFORE_ISSUE: readonly Run['phase'][] = ['query', 'issue', 'search', 'vary']

/** The chain, what servers have, a store, and the wallet of one process. */
export class World {
  readonly bounds: Bounds
  txs: readonly ModelTx[] = []
  private numbers: ReadonlyMap<string, number> = new Map()
  private hasOwnClaims = true
  /** The hash, once it was computed: a world that was visited does not change any more. */
  private known: { readonly hash: string; readonly essence: string } | undefined
  /** Numbers of transactions that servers were sent, and those that are accepted. */
  pool: ReadonlySet<number> = new Set()
  accepted: ReadonlySet<number> = new Set()
  /** Transactions that the wallet was shown as accepted, truly or not. */
  shown: ReadonlySet<number> = new Set()
  /** Transactions of a store before it was restored that can never be accepted any more, because of a fence. */
  fenced: ReadonlySet<number> = new Set()
  store: Claims = new Claims()
  backup: Claims | undefined
  pending: Pending = new Pending()
  /** Transactions before pending attempts whose inputs the wallet watches. */
  ancestors: ReadonlySet<number> = new Set()
  calls: Call[] = []
  /** What callers were told last about each key, unless they have asked again. */
  reports: ReadonlyMap<string, Outcome> = new Map()
  /**
   * Keys of payments of which a caller was told that they were rejected or canceled, by a transaction without outputs of the
   * wallet. If the caller asks for them again, the word of the servers has decided.
   */
  decided: ReadonlySet<string> = new Set()
  /** UTXOs that are reserved, as keys. */
  reserved: ReadonlySet<string> = new Set()
  /** Maximum number of transactions that the wallet makes. */
  maxTxs: number
  left: Pick<Bounds, 'calls' | 'crashes' | 'restores' | 'foreign'>

  /** Whether the store is an older copy. */
  get isRestored(): boolean {
    return this.left.restores < this.bounds.restores
  }

  /** Whether an attempt or a draft has reserved a UTXO. */
  isReserved(name: string): boolean {
    const drafts = this.calls.flatMap(({ drafted = [] }) => drafted.map(utxoKey))
    return this.reserved.has(name) || drafts.includes(name)
  }

  constructor(bounds: Bounds) {
    this.bounds = bounds
    this.left = bounds
    this.maxTxs = bounds.txs
    this.pending.await(this.keys, () => {})
  }

  /** A copy that shares the claims until `changeClaims` is called. */
  copy(): World {
    const copy: World = Object.assign(Object.create(World.prototype), this)
    copy.hasOwnClaims = false
    copy.known = undefined
    copy.calls = this.calls.map((call) => ({ ...call }))
    return copy
  }

  /** Must be called before the claims of the store or the wallet are changed. */
  changeClaims(): void {
    if (this.hasOwnClaims) return
    this.hasOwnClaims = true
    this.store = deepCopy(this.store)
    this.pending = deepCopy(this.pending)
  }

  /** What the machine knows besides the progress of a call. */
  facts({ run, isOver }: Call): Facts {
    const attempts = this.pending.claims.attemptsFor(run.payments.map(({ key }) => key))
    const exported = issuedOf(attempts) && this.pending.exportOf({ attempts })
    // Time passes only for calls that end without an outcome.
    const now = isOver ? Number.MAX_VALUE : 0
    const variants = attempts.length
    return { now, isAborted: isOver, attempts, exported, variants, servers: 1 }
  }

  /** UTXOs that exist if exactly these transactions are accepted. */
  utxosAfter(accepted: Iterable<number>): Map<string, UTXOID> {
    const txs = [...accepted].map((n) => this.txs[n]!)
    const coins = Array.from({ length: this.bounds.coins }, (_, n) => coin(n))
    const all = [...coins, ...txs.flatMap(({ outputs }) => outputs)]
    const utxos = new Map(all.map((id) => [utxoKey(id), id]))
    for (const { inputs } of txs) for (const id of inputs) utxos.delete(utxoKey(id))
    return utxos
  }

  /** Whether the chain can accept a transaction now. */
  isValid(n: number): boolean {
    if (this.accepted.has(n) || this.fenced.has(n)) return false
    const utxos = this.utxosAfter(this.accepted)
    return this.txs[n]!.inputs.every((id) => utxos.has(utxoKey(id)))
  }

  /** What is accepted once a transaction is, with those that it descends from; undefined if it cannot be. */
  acceptedWith(n: number): ReadonlySet<number> | undefined {
    const wanted = new Set([n])
    for (const one of wanted)
      for (const { txID } of this.txs[one]!.inputs)
        if (this.numberOf(txID) >= 0) wanted.add(this.numberOf(txID))
    const after = this.copy()
    for (const one of [...wanted].sort((a, b) => a - b)) {
      if (after.accepted.has(one)) continue
      if (!this.pool.has(one) || !after.isValid(one)) return undefined
      after.accepted = new Set([...after.accepted, one])
    }
    return after.accepted
  }

  /**
   * UTXOs that the wallet may believe in: with a quorum of 2 those of the blocks that it has read; otherwise outputs of
   * whatever was sent to a server, unless such a block spends them.
   */
  listed(): Map<string, UTXOID> {
    if (this.bounds.quorum === 2) return this.utxosAfter(this.shown)
    const utxos = this.utxosAfter([])
    for (const n of [...this.pool, ...this.shown])
      for (const id of this.txs[n]!.outputs) utxos.set(utxoKey(id), id)
    for (const n of this.shown) for (const id of this.txs[n]!.inputs) utxos.delete(utxoKey(id))
    return utxos
  }

  /** Makes and signs a transaction. Returns its number. */
  sign(
    kind: ModelTx['kind'],
    keys: readonly string[],
    inputs: readonly UTXOID[],
    outputs: number,
  ): number {
    const n = this.txs.length
    const tx = modelTx(n, { kind, keys, inputs }, outputs)
    this.txs = [...this.txs, tx]
    this.numbers = new Map([...this.numbers, [hex.encode(tx.txID), n]])
    return n
  }

  /**
   * Claims a transaction, in the store and then in the wallet.
   *
   * @throws StoreError if the store refuses it
   */
  claim(n: number, payments: readonly ClaimedPayment[], again: boolean): void {
    const { kind, bytes } = this.txs[n]!
    if (kind === 'foreign') throw new Error('claimed by nobody')
    const claim: Claim = { kind, payments, bytes, fromHeight: 1n, again }
    const attempt = this.store.check(claim)
    if (attempt === undefined) return
    this.store.add(attempt, payments)
    this.track(attemptOf(claim), payments)
  }

  private track(attempt: ReturnType<typeof attemptOf>, payments: readonly ClaimedPayment[]): void {
    this.pending.add(attempt, payments)
    this.reserved = new Set([...this.reserved, ...attempt.inputs.map(utxoKey)])
  }

  /** Reads attempts of the store that the wallet does not know. */
  readStore(key: string): void {
    for (const attempt of this.store.payments.get(key)?.attempts ?? [])
      if (this.pending.attempt(attempt.txID) === undefined)
        this.track(attempt, this.store.paymentsOf(attempt.keys))
  }

  /** Whether the wallet learns something from a transaction: blocks are read again if one may have been decided before. */
  isNews(n: number): boolean {
    return !this.shown.has(n) || this.pending.isTouched(this.txs[n]!.inputs)
  }

  /** A block with a transaction is read. */
  show(n: number): void {
    this.shown = new Set([...this.shown, n])
    const { bytes, txID, inputs } = this.txs[n]!
    if (!this.pending.isTouched(inputs)) return
    this.changeClaims()
    const candidate = { tx: decodeTx(bytes), txID, inputs }
    const acceptance = acceptanceOf(candidate, this.pending, [OWNER])
    this.store.recordAcceptance(acceptance)
    const free = new Set(this.pending.record(acceptance).map(utxoKey))
    this.forgetEndings()
    this.reserved = new Set([...this.reserved].filter((name) => !free.has(name)))
  }

  /** Only calls keep how their payments have ended. */
  forgetEndings(): void {
    const awaited = new Set(this.calls.flatMap(({ run }) => run.payments.map(({ key }) => key)))
    this.pending.forgetEndings(this.keys.filter((key) => !awaited.has(key)))
  }

  /** A caller is told how payments have ended. */
  tell(records: readonly PaymentRecord[]): void {
    const reports = new Map(this.reports)
    const decided = new Set(this.decided)
    for (const { key, status, txID, ended = [] } of records) {
      reports.set(key, { status, txID } as Outcome)
      const isShown = ended.every(({ evidence }) => evidence.length > 0)
      if (status !== 'accepted' && !isShown) decided.add(key)
    }
    this.reports = reports
    this.decided = decided
    this.pending.tell(records)
  }

  private get keys(): string[] {
    return this.bounds.pays.flat()
  }

  /** The process ends and starts again: only the store is left. */
  restart(): void {
    this.calls = []
    this.pending = new Pending()
    this.ancestors = new Set()
    this.pending.await(this.keys, () => {})
    this.reserved = new Set()
    const keys = [...this.store.payments.keys()]
    for (const key of keys)
      for (const one of this.store.rivals.endedFor(key)) this.pending.claims.rivals.restore(one)
    for (const key of keys) this.readStore(key)
  }

  /** The store becomes the older copy. Whatever was signed since and is not accepted is excluded by a fence. */
  restoreBackup(): void {
    this.store = deepCopy(this.backup!)
    const isLost = (n: number) =>
      !this.accepted.has(n) && !this.store.attempts.has(hex.encode(this.txs[n]!.txID))
    this.fenced = new Set([...this.txs.keys()].filter(isLost))
    this.restart()
  }

  /** How many transactions the wallet has made. */
  claimed(): number {
    return this.txs.filter(({ kind }) => kind !== 'foreign').length
  }

  /** The number of a transaction. */
  numberOf(txID: Uint8Array): number {
    return this.numbers.get(hex.encode(txID)) ?? -1
  }

  /** Keys that accepted transactions have paid, one entry per payment. */
  paid(): string[] {
    const payments = [...this.accepted].map((n) => this.txs[n]!)
    return payments.flatMap(({ kind, keys }) => (kind === 'payment' ? keys : []))
  }

  /** Equal for worlds from which the same can happen. Afterwards the world must not be changed, only its copies. */
  get hash(): string {
    this.known ??= this.hashes()
    return this.known.hash
  }

  private hashes(): { hash: string; essence: string } {
    const { left, backup, bounds, essence } = this
    const isOne = bounds.quorum === 1
    const rest = [
      left.restores > 0 && backup && this.namesOf(backup),
      // With a quorum of 2, nobody relies on what callers were told; with 1, it may be false.
      isOne && [[...this.decided].sort(), this.toldNow()],
      !isOne && this.reportsNow(),
    ]
    return { hash: hashOf(essence + JSON.stringify(rest)), essence }
  }

  private toldNow(): string[] {
    return this.pending.toldOf(this.keys.map((key) => this.store.record(key))).sort()
  }

  private reportsNow(): unknown[] {
    const reports = [...this.reports].sort(([a], [b]) => (a < b ? -1 : 1))
    return reports.map(([key, { status, txID }]) => [key, status, this.numberOf(txID)])
  }

  /** Equal for worlds from which the same happens without faults and further calls. */
  get essence(): string {
    return this.known?.essence ?? this.computeEssence()
  }

  /** The coins that exist at the start are equal: of their orders, that with the first name is taken. */
  private computeEssence(): string {
    const coins = Array.from({ length: this.bounds.coins }, (_, n) => n)
    const names = ordersOf(coins).map((order) =>
      JSON.stringify(this.essentials((id) => this.nameOfUTXO(id, order))),
    )
    return hashOf(names.sort()[0]!)
  }

  private nameOfUTXO(id: UTXOID, order: readonly number[]): string {
    const n = this.numberOf(id.txID)
    return n < 0 ? `c${order[id.txID[0]! - 1]}` : `t${n}.${id.outputIndex}`
  }

  private essentials(name: (id: UTXOID) => string): unknown {
    const namesOf = (ids: readonly UTXOID[]) => ids.map(name).sort()
    // Their number of rejections matters only if a server does not have an input, which this model answers only in the end.
    const calls = this.calls.map(({ goal, run, drafted, signed, isOver }) => [
      goal,
      run.phase,
      run.again,
      run.rebuilds,
      run.isReplacing,
      run.refusal !== undefined,
      // The next answer replaces it.
      !BEFORE_ISSUE.includes(run.phase) && run.rejection?.code,
      run.compareAt > 0,
      run.answer?.is,
      run.payments.length,
      run.ended.map((one) => namesOf(one.evidence)),
      run.phase === 'avoid' && namesOf(run.avoided),
      drafted && namesOf(drafted),
      signed,
      isOver,
    ])
    return [
      this.txs.map(
        ({ kind, keys, inputs, outputs }, n) =>
          this.isKnown(n) && [kind, keys, namesOf(inputs), outputs.length],
      ),
      [...this.pool].filter((n) => this.isRelevant(n)).sort(),
      [...this.accepted].sort(),
      [...this.shown].sort(),
      [...this.fenced].sort(),
      this.namesOf(this.store, name),
      this.namesOf(this.pending.claims, name),
      [...this.ancestors].sort(),
      // What each does next does not depend on their order.
      calls.map((call) => JSON.stringify(call)).sort(),
      this.isRestored,
    ]
  }

  /** Whether anybody has a transaction, or its claim: otherwise only that it was made limits how many follow. */
  private isKnown(n: number): boolean {
    const name = hex.encode(this.txs[n]!.txID)
    const claims = [this.store, this.pending.claims, ...(this.backup ? [this.backup] : [])]
    return (
      this.pool.has(n) ||
      this.shown.has(n) ||
      this.calls.some(({ signed }) => signed === n) ||
      claims.some(({ attempts, rivals }) => attempts.has(name) || rivals.ended.has(name))
    )
  }

  /** Whether it matters that servers have a transaction: with a quorum of 2 only if it can still be accepted. */
  private isRelevant(n: number): boolean {
    if (this.bounds.quorum === 1) return true
    return !this.accepted.has(n) && !this.isImpossible(n)
  }

  /** Whether the chain can never accept a transaction: an input is spent, or can never exist. */
  private isImpossible(n: number): boolean {
    if (this.accepted.has(n)) return false
    if (this.fenced.has(n)) return true
    const spent = new Set([...this.accepted].flatMap((one) => this.txs[one]!.inputs.map(utxoKey)))
    return this.txs[n]!.inputs.some((id) => {
      const parent = this.numberOf(id.txID)
      return spent.has(utxoKey(id)) || (parent >= 0 && this.isImpossible(parent))
    })
  }

  private namesOf(
    { payments, attempts, rivals, made }: Claims,
    name: (id: UTXOID) => string = utxoKey,
  ): unknown {
    const number = (txID: Uint8Array) => this.numberOf(txID)
    return [
      [...payments.values()].map(({ key, outcome }) => [
        key,
        outcome?.status,
        outcome && number(outcome.txID),
      ]),
      [...attempts.values()].map(({ txID }) => number(txID)),
      [...rivals.ended.values()].map((ended) => [
        number(ended.txID),
        ended.rivals.map(({ txID, evidence }) => [number(txID), evidence.map(name).sort()]),
      ]),
      [...made.values()].map(number),
    ]
  }
}

/** All orders of a few numbers. */
function ordersOf(numbers: readonly number[]): number[][] {
  if (numbers.length < 2) return [[...numbers]]
  return numbers.flatMap((first) =>
    ordersOf(numbers.filter((one) => one !== first)).map((others) => [first, ...others]),
  )
}

/** Long enough that no two of some millions are equal. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 22)
}
