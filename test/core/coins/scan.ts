import { compareBytes } from '../../../src/core/base/bytes/compare.ts'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import type { AssetBalance } from '../../../src/core/coins/balances.ts'
import type { SelectOptions } from '../../../src/core/coins/need.ts'
import type { Viewpoint } from '../../../src/core/coins/viewpoint.ts'

/** A UTXO with a transfer output, its amount and the bytes that spending it takes. */
type Entry = { readonly utxo: UTXO; readonly amount: bigint; readonly size: number }

/** The result of `select`, or the code and the shortfalls of its error. */
export type Outcome =
  | { readonly ids: string[]; readonly change: string[]; readonly size: number }
  | { readonly code: string; readonly shortfalls: object[] }

type Balance = Pick<
  AssetBalance,
  | 'spendable'
  | 'spendableUTXOs'
  | 'locked'
  | 'nextUnlock'
  | 'lastUnlock'
  | 'shortOfSigners'
  | 'reserved'
  | 'otherOwners'
>

type Want = { assetID: Uint8Array; need: bigint; pinned: Entry[]; picked: Entry[] }

const MAX_U64 = 2n ** 64n - 1n
const sum = (entries: readonly Entry[]) => entries.reduce((total, { amount }) => total + amount, 0n)
const bytes = (entries: readonly Entry[]) => entries.reduce((total, { size }) => total + size, 0)
const byID = (a: Entry, b: Entry) =>
  compareBytes(a.utxo.txID, b.utxo.txID) || a.utxo.outputIndex - b.utxo.outputIndex
const sorted = (entries: readonly Entry[], first: 'largest' | 'smallest') =>
  [...entries].sort((a, b) => {
    if (a.amount === b.amount) return byID(a, b)
    return a.amount < b.amount === (first === 'smallest') ? -1 : 1
  })

/** Thrown if no transaction can contain the sum. */
class Overflow extends Error {}

/**
 * The oracle of `UTXOSet`: the same answers from plain objects, by scanning and sorting all of them for every
 * call. Transfer outputs of one source only.
 */
export class ScanSet {
  private readonly utxos = new Map<string, Entry>()
  private readonly removed = new Set<string>()
  private readonly reserved = new Map<string, bigint | undefined>()

  get size(): number {
    return this.utxos.size
  }

  add(utxos: readonly UTXO[]): void {
    for (const utxo of utxos) {
      const key = utxoKey(utxo)
      const { amount, threshold } = utxo.output as TransferOutput
      if (!this.removed.has(key)) this.utxos.set(key, { utxo, amount, size: 92 + 69 * threshold })
    }
  }

  remove(ids: readonly UTXOID[]): void {
    for (const key of ids.map(utxoKey)) {
      if (this.utxos.delete(key)) this.removed.add(key)
      this.reserved.delete(key)
    }
  }

  /** The code of the failure, if there is one. */
  reserve(ids: readonly UTXOID[], now: bigint, until: bigint | undefined): string | undefined {
    for (const key of ids.map(utxoKey)) {
      if (!this.utxos.has(key)) return 'UTXO_NOT_FOUND'
      if (this.isReserved(key, now)) return 'UTXO_RESERVED'
    }
    for (const key of ids.map(utxoKey)) this.reserved.set(key, until)
    return undefined
  }

  release(ids: readonly UTXOID[]): void {
    for (const key of ids.map(utxoKey)) this.reserved.delete(key)
  }

  private isReserved(key: string, now: bigint): boolean {
    const until = this.reserved.get(key)
    return this.reserved.has(key) && (until === undefined || until > now)
  }

  /** Whether a UTXO is spendable, or why not. */
  private kind({ utxo }: Entry, { owners, now }: Viewpoint) {
    const { addresses, threshold, locktime } = utxo.output
    const isHeld = (address: Uint8Array) => owners.some((own) => compareBytes(own, address) === 0)
    const held = addresses.filter(isHeld).length
    if (held < threshold) return held === 0 ? 'otherOwners' : 'shortOfSigners'
    if (locktime > now) return 'locked'
    return this.isReserved(utxoKey(utxo), now) ? 'reserved' : 'spendable'
  }

  /** Sums per kind of one asset. */
  balance(assetID: Uint8Array, view: Viewpoint): Balance {
    const sums = { spendable: 0n, locked: 0n, shortOfSigners: 0n, reserved: 0n, otherOwners: 0n }
    const unlocks: bigint[] = []
    let spendableUTXOs = 0
    for (const entry of this.ofAsset([...this.utxos.values()], assetID)) {
      const kind = this.kind(entry, view)
      sums[kind] += entry.amount
      if (kind === 'locked') unlocks.push(entry.utxo.output.locktime)
      if (kind === 'spendable') spendableUTXOs++
    }
    unlocks.sort((a, b) => (a < b ? -1 : 1))
    const times = unlocks.length > 0 && { nextUnlock: unlocks[0]!, lastUnlock: unlocks.at(-1)! }
    return { ...sums, ...times, spendableUTXOs }
  }

  private ofAsset(entries: readonly Entry[], assetID: Uint8Array): Entry[] {
    return entries.filter(({ utxo }) => compareBytes(utxo.assetID, assetID) === 0)
  }

  /** `pinned`, `order` and `only` must name UTXOs that can be spent. */
  select(options: SelectOptions): Outcome {
    return new Scan(this, options).run()
  }

  /** The selectable UTXOs of an asset. */
  candidates(assetID: Uint8Array, options: SelectOptions): Entry[] {
    const { order = [], only, excluded = [], pinned = [], strategy } = options
    const left = new Set([...excluded, ...pinned].map(utxoKey))
    const kept = only && new Set(only.map(utxoKey))
    const pool = strategy === 'given' ? this.named(order) : [...this.utxos.values()]
    return this.ofAsset(pool, assetID).filter((entry) => {
      const key = utxoKey(entry.utxo)
      if (left.has(key) || kept?.has(key) === false) return false
      return this.kind(entry, options) === 'spendable'
    })
  }

  named(ids: readonly UTXOID[]): Entry[] {
    return [...new Set(ids.map(utxoKey))].map((key) => this.utxos.get(key)!)
  }
}

class Scan {
  private readonly set: ScanSet
  private readonly options: SelectOptions
  private readonly maxSize: number
  private readonly wants: Want[]

  constructor(set: ScanSet, options: SelectOptions) {
    this.set = set
    this.options = options
    this.maxSize = options.maxSize ?? 65_536
    this.wants = []
    const want = (assetID: Uint8Array) => {
      let found = this.wants.find((other) => compareBytes(other.assetID, assetID) === 0)
      if (found === undefined) {
        found = { assetID, need: 0n, pinned: [], picked: [] }
        this.wants.push(found)
      }
      return found
    }
    for (const { assetID, amount } of options.need.amounts)
      if (amount > 0n) want(assetID).need += amount
    for (const entry of set.named(options.pinned ?? [])) want(entry.utxo.assetID).pinned.push(entry)
  }

  run(): Outcome {
    try {
      this.choose()
    } catch (error) {
      if (!(error instanceof Overflow)) throw error
      return { code: 'AMOUNT_OVERFLOW', shortfalls: [] }
    }
    if (this.failed()) return this.failure()
    const picked = this.wants.flatMap((want) => [...want.pinned, ...want.picked]).sort(byID)
    const change = this.wants.filter((want) => this.sum(want) > want.need)
    return {
      ids: picked.map(({ utxo }) => utxoKey(utxo)),
      change: change.map((want) => String(this.sum(want) - want.need)),
      size: this.size(),
    }
  }

  private choose(): void {
    const { strategy = 'fewest', consolidate } = this.options
    let room = this.maxSize - this.options.need.baseSize
    for (const want of this.wants) {
      const candidates = this.candidates(want)
      if (strategy === 'all') want.picked = candidates
      if (strategy === 'all' || this.sum(want) >= want.need) continue
      const order =
        strategy === 'given'
          ? candidates
          : sorted(candidates, strategy === 'smallest' ? 'smallest' : 'largest')
      const exact = strategy === 'exact' ? this.exactly(want, room) : undefined
      if (exact !== undefined) want.picked = exact
      else for (const entry of order) if (this.sum(want) < want.need) want.picked.push(entry)
      room -= bytes(want.picked)
    }
    if (this.failed() || this.wants.some((want) => this.sum(want) > MAX_U64)) {
      if (strategy === 'all') {
        if (this.wants.every((want) => this.sum(want) >= want.need)) this.refuseOverflow()
        return
      }
      this.refit()
      if (this.failed()) return
      this.refuseOverflow()
      if (strategy === 'exact') for (const want of this.wants) this.dropChange(want)
      if (strategy === 'smallest') this.fill({})
    }
    if (consolidate !== undefined) this.fill(consolidate)
  }

  private failed(): boolean {
    return this.size() > this.maxSize || this.wants.some((want) => this.sum(want) < want.need)
  }

  private refuseOverflow(): void {
    if (this.wants.some((want) => this.sum(want) > MAX_U64)) throw new Overflow()
  }

  private refit(): void {
    const { baseSize, changeSize } = this.options.need
    const room = this.maxSize - baseSize - bytes(this.wants.flatMap(({ pinned }) => pinned))
    for (const want of this.wants) {
      want.picked = []
      const amount = want.need - this.sum(want)
      if (amount <= 0n) continue
      want.picked = frontier(this.candidates(want), room).reach(amount) ?? []
      if (this.sum(want) <= MAX_U64) continue
      const found =
        this.exactly(want, room - changeSize, MAX_U64 - want.need) ?? this.exactly(want, room)
      if (found === undefined) throw new Overflow()
      want.picked = found
    }
    for (const want of this.wants) {
      if (this.size() <= this.maxSize) break
      if (this.sum(want) > want.need && want.need > sum(want.pinned))
        this.shrink(want, bytes(want.picked) + changeSize - 1)
    }
  }

  private dropChange(want: Want): void {
    if (this.sum(want) === want.need || want.need <= sum(want.pinned)) return
    const { changeSize } = this.options.need
    this.shrink(want, this.maxSize - this.size() + bytes(want.picked) + changeSize)
  }

  /** Tries selections without change, with fewer and fewer bytes. */
  private shrink(want: Want, room: number): void {
    let found = this.exactly(want, room)
    while (found !== undefined) {
      want.picked = found
      found = this.exactly(want, bytes(found) - 1)
    }
  }

  private fill(limits: {
    readonly maxInputs?: number | undefined
    readonly maxSize?: number | undefined
  }): void {
    const limit = Math.min(limits.maxSize ?? this.maxSize, this.maxSize)
    const inputs = () =>
      this.wants.reduce((n, { pinned, picked }) => n + pinned.length + picked.length, 0)
    for (const want of this.wants) {
      if (want.picked.length + want.pinned.length === 0) continue
      const taken = new Set(want.picked)
      for (const entry of sorted(this.candidates(want), 'smallest')) {
        if (inputs() >= (limits.maxInputs ?? Number.POSITIVE_INFINITY)) return
        if (taken.has(entry)) continue
        const change = this.sum(want) > want.need ? 0 : this.options.need.changeSize
        if (this.size() + entry.size + change > limit) break
        if (this.sum(want) + entry.amount > MAX_U64) break
        want.picked.push(entry)
      }
    }
  }

  private candidates({ assetID }: Want): Entry[] {
    return this.set.candidates(assetID, this.options)
  }

  private sum({ pinned, picked }: Want): bigint {
    return sum(pinned) + sum(picked)
  }

  private size(): number {
    const { baseSize, changeSize } = this.options.need
    return this.wants.reduce(
      (size, want) =>
        size +
        bytes(want.pinned) +
        bytes(want.picked) +
        (this.sum(want) > want.need ? changeSize : 0),
      baseSize,
    )
  }

  private exactly(want: Want, room: number, slack = 0n): Entry[] | undefined {
    const amount = want.need - sum(want.pinned)
    const fitting = sorted(this.candidates(want), 'largest')
      .filter((entry) => entry.amount <= amount + slack)
      .slice(0, 1000)
    return exactMatch(fitting, amount, room, slack)
  }

  private failure(): Outcome {
    const { baseSize } = this.options.need
    let left = this.maxSize - baseSize - bytes(this.wants.flatMap(({ pinned }) => pinned))
    const shortfalls = this.wants.map((want) => {
      const candidates = this.candidates(want)
      const best = frontier(candidates, left)
      const pinned = sum(want.pinned)
      if (want.need > pinned) left -= bytes(best.reach(want.need - pinned) ?? candidates)
      const { spendable, spendableUTXOs, ...rest } = this.set.balance(want.assetID, this.options)
      return {
        assetID: want.assetID,
        needed: want.need,
        available: pinned + sum(candidates),
        didNotFit: sum(candidates) - best.most,
        ...rest,
        opaque: 0,
      }
    })
    const short = shortfalls.filter(({ available, needed }) => available < needed)
    return short.length > 0
      ? { code: 'BUILDER_INSUFFICIENT_FUNDS', shortfalls: short }
      : { code: 'FUNDS_DO_NOT_FIT', shortfalls }
  }
}

/** Depth first through the candidates, the larger ones first; gives up after 100,000 steps. */
function exactMatch(
  candidates: readonly Entry[],
  amount: bigint,
  bytesLeft: number,
  slack: bigint,
): Entry[] | undefined {
  const picked: number[] = []
  let left = amount
  let room = bytesLeft
  let at = 0
  for (let step = 0; step < 100_000; step++) {
    if (left <= 0n) return picked.map((i) => candidates[i]!)
    const entry = candidates[at]
    if (entry !== undefined && sum(candidates.slice(at)) >= left && room > 0) {
      const before = candidates[at - 1]
      const isTwin = before?.amount === entry.amount && before.size === entry.size
      const repeats = isTwin && picked.at(-1) !== at - 1
      if (entry.amount <= left + slack && entry.size <= room && !repeats) {
        picked.push(at)
        left -= entry.amount
        room -= entry.size
      }
      at++
      continue
    }
    const last = picked.pop()
    if (last === undefined) return undefined
    left += candidates[last]!.amount
    room += candidates[last]!.size
    at = last + 1
  }
  return undefined
}

/** The most that candidates bring within a number of bytes, and the fewest bytes for a need: a knapsack. */
function frontier(candidates: readonly Entry[], bytesLeft: number) {
  const units = Math.max(0, Math.floor(bytesLeft / 23))
  const classes = new Map<number, Entry[]>()
  for (const entry of sorted(candidates, 'largest')) {
    const weight = entry.size / 23
    classes.set(weight, [...(classes.get(weight) ?? []), entry])
  }
  type Choice = { readonly amount: bigint; readonly entries: readonly Entry[] }
  let best: Choice[] = Array.from({ length: units + 1 }, () => ({ amount: 0n, entries: [] }))
  for (const [weight, entries] of classes) {
    const before = best
    best = before.map((choice, at) => {
      let better = choice
      let amount = 0n
      for (let count = 1; count <= entries.length && count * weight <= at; count++) {
        amount += entries[count - 1]!.amount
        const rest = before[at - count * weight]!
        if (rest.amount + amount > better.amount)
          better = {
            amount: rest.amount + amount,
            entries: [...rest.entries, ...entries.slice(0, count)],
          }
      }
      return better
    })
  }
  return {
    most: best.at(-1)!.amount,
    reach: (need: bigint): Entry[] | undefined => {
      const found = best.find(({ amount }) => amount >= need)
      return found && [...found.entries]
    },
  }
}
