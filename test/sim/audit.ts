import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { txID, utxoKey } from '../../src/core/chain/x/ids.ts'
import { burnedBy, consumedUTXOs } from '../../src/core/chain/x/spends.ts'
import type { UTXOID } from '../../src/core/chain/x/transferables.ts'
import { decodeTx } from '../../src/core/chain/x/tx.ts'
import type { Fetch } from '../../src/node/index.ts'
import type { Claim, Store } from '../../src/wallet/store/index.ts'
import { type Cluster, nameOf, type OnChain } from './cluster.ts'
import type { Network } from './network.ts'

const { assetID, txFee } = networks.local

type Claimed = {
  readonly store: object
  readonly kind: Claim['kind']
  readonly keys: readonly string[]
  readonly inputs: ReadonlySet<string>
  /** Inputs, and those of transactions that create one of them and are not accepted: it depends on all of them. */
  readonly roots: ReadonlySet<string>
  /** Whether honest servers refuse it, because another one has reported a lower fee. */
  readonly isUnderpaid: boolean
  /** Whether the store was replaced by an older copy since. */
  isLost: boolean
}

/**
 * Checks invariants 1, 2, 3, 5 and 8 of the payment model at every claim and every request, against all earlier claims and
 * the chain. A broken one need not end in a wrong payment of the same run.
 */
export class ClaimAudit {
  private readonly cluster: Cluster
  private readonly network: Network
  private readonly violations: string[]
  /** Whether wallets believe a server that lies: it may show pending transactions as accepted, and list false UTXOs. */
  private readonly isBelieved: boolean
  private readonly earlier: ReadonlyMap<string, OnChain>
  private readonly claims = new Map<string, Claimed>()

  /**
   * @param network - with a server that lies, which wallets may believe
   * @param earlier - transactions that the owners made before: one may end an attempt, and be issued again
   */
  constructor(
    cluster: Cluster,
    network: Network,
    violations: string[],
    earlier: readonly OnChain[],
  ) {
    this.cluster = cluster
    this.network = network
    this.violations = violations
    this.isBelieved = network.liar?.isBelieved ?? false
    this.earlier = new Map(earlier.map((one) => [nameOf(one.txID), one]))
  }

  /**
   * Observes the claims of a process.
   *
   * @param identity - the same for all processes that share the store
   */
  store(store: Store, identity: object): Store {
    const { claims } = this
    const recorded = (
      { kind, leg }: Pick<Claim, 'kind' | 'leg'>,
      keys: readonly string[],
      bytes: Uint8Array,
    ) => {
      const name = nameOf(txID(bytes))
      if (claims.has(name)) return
      const tx = leg === undefined ? decodeTx(bytes).unsignedTx : undefined
      const spent = leg?.inputs ?? consumedUTXOs(tx!)
      const isUnderpaid = tx !== undefined && burnedBy(tx).get(assetID) < txFee
      const inputs = new Set(spent.map(utxoKey))
      const roots = this.rootsOf(spent)
      const claim = { store: identity, kind, keys, inputs, roots, isUnderpaid, isLost: false }
      // Transactions of moves follow each other, and spend what is not on this chain.
      if (leg === undefined) this.check(claim)
      if (!this.isBelieved && this.network.falseUTXOs.areSpentBy(leg?.chain ?? 'X', bytes))
        this.violations.push(`a ${kind} for ${keys} spends what only a liar has listed`)
      claims.set(name, claim)
    }
    return {
      bind: (binding) => store.bind(binding),
      claim: async (claim) => {
        await store.claim(claim)
        const keys = claim.payments.map(({ key }) => key)
        const other = claims.get(nameOf(txID(claim.bytes)))
        if (other !== undefined && !other.keys.every((key) => keys.includes(key)))
          this.violations.push(`${keys} and ${other.keys} are claimed with the same bytes`)
        recorded(claim, keys, claim.bytes)
      },
      assertOwned: () => store.assertOwned(),
      recordAcceptance: (acceptance) => store.recordAcceptance(acceptance),
      cancel: (key) => store.cancel(key),
      payments: (keys) => store.payments(keys),
      list: () => store.list(),
      // The result of a claim may not have reached the process that made it.
      attempts: async function* (key) {
        for await (const attempt of store.attempts(key)) {
          recorded(attempt, attempt.keys, attempt.bytes)
          yield attempt
        }
      },
    }
  }

  /** Whether a transaction was claimed in a store. */
  isIn(id: Uint8Array, store: object): boolean {
    return this.claims.get(nameOf(id))?.store === store
  }

  /** Whether a transaction was claimed that spends a UTXO. */
  isClaimed(utxo: UTXOID): boolean {
    return [...this.claims.values()].some(({ inputs }) => inputs.has(utxoKey(utxo)))
  }

  /** Whether honest servers refuse a claimed transaction, because its fee is too low. */
  isUnderpaid(id: Uint8Array): boolean {
    return this.claims.get(nameOf(id))?.isUnderpaid === true
  }

  /** The accepted transaction that was claimed for a key in a store, if there is one. */
  acceptedFor(key: string, store: object): Uint8Array | undefined {
    const found = this.cluster.accepted().find(({ txID }) => {
      const claim = this.claims.get(nameOf(txID))
      return claim?.store === store && claim.kind === 'payment' && claim.keys.includes(key)
    })
    return found?.txID
  }

  /** A store was replaced by an older copy: other payments may claim the inputs of what it has forgotten. */
  forget(store: object): void {
    for (const claim of this.claims.values()) if (claim.store === store) claim.isLost = true
  }

  /** Observes requests. */
  fetch(fetch: Fetch): Fetch {
    return (url, init) => {
      const { method, params } = JSON.parse(String(init.body))
      const issued = `${method}`.endsWith('.issueTx') ? checkedHex.decode(params.tx) : undefined
      const name = issued && nameOf(txID(issued))
      if (name !== undefined && !this.claims.has(name) && !this.earlier.has(name))
        this.violations.push('a transaction is issued without a claim')
      return fetch(url, init)
    }
  }

  private check({ store, kind, keys, inputs, roots }: Claimed): void {
    const spent = this.spent()
    const ofStore = [...this.claims.values()].filter((earlier) => earlier.store === store)
    const isSpent = (claim: Claimed) => [...claim.roots].some((input) => spent.has(input))
    const ends = (cancellation: Claimed) =>
      ofStore
        .filter(
          (one) =>
            one.kind !== 'cancellation' && cancellation.keys.some((key) => one.keys.includes(key)),
        )
        .every(isSpent)
    // It spends an output of a transaction that was shown falsely and that conflicts with the chain: no second payment.
    const isLie = [...roots].some((input) => spent.has(input))
    for (const earlier of ofStore) {
      const shares = [...earlier.inputs].some((input) => inputs.has(input))
      const conflicts = [...earlier.roots].some((input) => roots.has(input))
      const isSameKey = earlier.keys.some((key) => keys.includes(key))
      // A cancellation ends with the payments that it cancels.
      const hasEnded = isSpent(earlier) || (earlier.kind === 'cancellation' && ends(earlier))
      if (isSameKey && !conflicts && !hasEnded && !isLie && earlier.kind !== 'cancellation')
        this.violations.push(`a ${kind} for ${keys} does not conflict with a pending attempt`)
      if (!isSameKey && shares && !hasEnded && !earlier.isLost && !this.isBelieved)
        this.violations.push(`a ${kind} for ${keys} claims an input of ${earlier.keys}`)
    }
  }

  private rootsOf(inputs: readonly UTXOID[]): Set<string> {
    const accepted = new Set(this.cluster.accepted().map(({ txID }) => nameOf(txID)))
    const created = inputs.filter(({ txID }) => !accepted.has(nameOf(txID)))
    const parents = created.flatMap(({ txID }) => [...(this.claims.get(nameOf(txID))?.roots ?? [])])
    return new Set([...inputs.map(utxoKey), ...parents])
  }

  /** Every UTXO that is spent on the chain. */
  private spent(): Set<string> {
    const accepted = [...this.earlier.values(), ...this.cluster.accepted()]
    return new Set(accepted.flatMap(({ tx }) => consumedUTXOs(tx.unsignedTx).map(utxoKey)))
  }
}
