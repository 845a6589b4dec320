import { compareBytes } from '../bytes/compare.ts'
import { checkedHex } from '../encoding/checked-hex.ts'
import { hex } from '../encoding/hex.ts'
import { AvmError } from '../errors.ts'
import { type CoinStore, FACT, MARK } from './coin-store.ts'
import type { Shortfall } from './errors.ts'
import { CLASS, type Standpoint } from './owner-groups.ts'
import type { OpaqueCoin, Source, UTXOSet } from './utxo-set.ts'
import type { Viewpoint } from './viewpoint.ts'

/** What there is of one asset. Amounts are sums, which may exceed what one output can hold. */
export type AssetBalance = Omit<Shortfall, 'needed' | 'didNotFit' | 'available'> & {
  readonly spendable: bigint
  /** How many coins make up `spendable`. */
  readonly spendableCoins: number
  /** UTXOs that are no amounts: mint rights, NFTs, properties. Whoever owns them. */
  readonly otherOutputs: number
}

/** A kind of its own beside the classes of owners. */
const RESERVED = 4
const KINDS = 5

/** What `UTXOSet.balances` answers, counting the rows from `first` on. */
export function balancesOf(set: UTXOSet, view: Viewpoint & Source, first = 0): AssetBalance[] {
  const { store, opaque } = set.holdings(view)
  const standpoint = store.owners.standpoint(view)
  const sums = new Sums(store.assets.size)
  addUp(set, store, standpoint, view.now, sums, first)
  const unread = new Map<string, { readonly assetID: Uint8Array; count: number }>()
  for (const coin of opaque.values()) {
    const assetID = assetOf(coin)
    if (assetID === undefined) continue
    const name = hex.encode(assetID)
    const entry = unread.get(name)
    if (entry === undefined) unread.set(name, { assetID, count: 1 })
    else entry.count++
  }
  const balances: AssetBalance[] = []
  for (let asset = 0; asset < store.assets.size; asset++) {
    if (sums.count(asset) === 0) continue
    const assetID = store.assetID(asset)
    const name = unread.size === 0 ? '' : hex.encode(assetID)
    balances.push(sums.balance(asset, assetID, unread.get(name)?.count ?? 0))
    unread.delete(name)
  }
  const none = new Sums(1)
  for (const { assetID, count } of unread.values()) balances.push(none.balance(0, assetID, count))
  return balances.sort((a, b) => compareBytes(a.assetID, b.assetID))
}

function addUp(
  set: UTXOSet,
  store: CoinStore,
  { classes }: Standpoint,
  now: bigint,
  sums: Sums,
  first: number,
): void {
  const { marks, facts, owners } = store
  for (let row = first; row < store.size; row++) {
    const group = facts[4 * row + FACT.group]!
    const asset = facts[4 * row + FACT.asset]!
    let kind = classes[group]!
    if (marks[row] !== 0) {
      if (marks[row]! & MARK.gone) continue
      if (marks[row]! & MARK.other) {
        sums.others[asset]!++
        continue
      }
      if (kind === CLASS.spendable && set.isReserved(store.id(row), now)) kind = RESERVED
    }
    sums.add(asset * KINDS + kind, facts[4 * row + FACT.high]!, facts[4 * row + FACT.low]!)
    if (kind === CLASS.locked) sums.lock(asset, owners.locktime(group))
  }
}

/** Sums per asset and kind, as halves of 64 bits in doubles: no BigInt is made per coin. */
class Sums {
  readonly others: Uint32Array
  private readonly counts: Uint32Array
  private readonly highs: Float64Array
  private readonly lows: Float64Array
  private readonly unlocks = new Map<number, { next: bigint; last: bigint }>()

  constructor(assets: number) {
    this.others = new Uint32Array(assets)
    this.counts = new Uint32Array(assets * KINDS)
    this.highs = new Float64Array(assets * KINDS)
    this.lows = new Float64Array(assets * KINDS)
  }

  add(at: number, high: number, low: number): void {
    const sum = this.lows[at]! + low
    const carry = sum >= 0x1_0000_0000 ? 1 : 0
    this.lows[at] = sum - carry * 0x1_0000_0000
    this.highs[at] = this.highs[at]! + high + carry
    this.counts[at] = this.counts[at]! + 1
  }

  lock(asset: number, until: bigint): void {
    const unlocks = this.unlocks.get(asset)
    if (unlocks === undefined) this.unlocks.set(asset, { next: until, last: until })
    else if (until < unlocks.next) unlocks.next = until
    else if (until > unlocks.last) unlocks.last = until
  }

  /** How many UTXOs there are of an asset, of whatever kind. */
  count(asset: number): number {
    let count = this.others[asset]!
    for (let kind = 0; kind < KINDS; kind++) count += this.counts[asset * KINDS + kind]!
    return count
  }

  balance(asset: number, assetID: Uint8Array, opaque: number): AssetBalance {
    const sum = (kind: number) =>
      (BigInt(this.highs[asset * KINDS + kind]!) << 32n) + BigInt(this.lows[asset * KINDS + kind]!)
    const unlocks = this.unlocks.get(asset)
    return {
      assetID,
      spendable: sum(CLASS.spendable),
      spendableCoins: this.counts[asset * KINDS + CLASS.spendable]!,
      locked: sum(CLASS.locked),
      ...(unlocks && { nextUnlock: unlocks.next, lastUnlock: unlocks.last }),
      shortOfSigners: sum(CLASS.shortOfSigners),
      reserved: sum(RESERVED),
      otherOwners: sum(CLASS.otherOwners),
      opaque,
      otherOutputs: this.others[asset]!,
    }
  }
}

/** The asset of what cannot be read, where that much of it can: its place is the same in all UTXOs. */
function assetOf({ raw }: OpaqueCoin): Uint8Array | undefined {
  try {
    const bytes = typeof raw === 'string' ? checkedHex.decode(raw) : raw
    return bytes.length >= 70 && bytes[0] === 0 && bytes[1] === 0 ? bytes.slice(38, 70) : undefined
  } catch (error) {
    if (error instanceof AvmError) return undefined
    throw error
  }
}
