import { hex } from '../../src/core/base/encoding/hex.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { txID, utxoKey } from '../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../src/core/chain/x/transferables.ts'
import { encodeTx } from '../../src/core/chain/x/tx.ts'
import { Claims } from '../../src/wallet/store/claims.ts'
import { StoreError } from '../../src/wallet/store/errors.ts'
import type { Claim } from '../../src/wallet/store/store.ts'

/** A transaction that was claimed, and so may have been issued. */
type ModelTx = {
  readonly kind: Claim['kind']
  readonly keys: readonly string[]
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

/** What happens: a claim, or a server that shows a transaction as accepted, truly or not. */
export type Step =
  | {
      readonly type: 'claim'
      readonly kind: 'payment' | 'cancellation'
      readonly keys: readonly string[]
      readonly inputs: readonly string[]
    }
  | { readonly type: 'show'; readonly tx: number }

/** Bounds of an exploration. */
export type Bounds = {
  readonly keys: readonly string[]
  readonly coins: number
  /** Maximum number of claimed transactions. */
  readonly claims: number
  /** Maximum number of inputs of a transaction. */
  readonly inputs: number
}

/** Result of an exploration. */
export type Explored = {
  readonly states: number
  /** The shortest sequence of steps after which the chain can accept two payments for one key. */
  readonly violation: readonly Step[] | undefined
}

/**
 * Visits all states that any sequence of claims which the store allows, and any sequence of transactions that a server
 * shows, can lead to. Inputs are chosen freely among all outputs that no shown transaction has spent: a dishonest server
 * can list any of them.
 */
export function explore(bounds: Bounds): Explored {
  let frontier: readonly (readonly Step[])[] = [[]]
  const seen = new Set<string>([new Model(bounds, []).name])
  while (frontier.length > 0) {
    const next: (readonly Step[])[] = []
    for (const path of frontier)
      for (const step of new Model(bounds, path).steps()) {
        const longer = [...path, step]
        const model = new Model(bounds, longer)
        if (model.isRefused || seen.has(model.name)) continue
        seen.add(model.name)
        if (model.paysTwice()) return { states: seen.size, violation: longer }
        next.push(longer)
      }
    frontier = next
  }
  return { states: seen.size, violation: undefined }
}

/** The store after some steps, and all that may be on the chain. */
class Model {
  /** Whether the store refused the last claim. */
  isRefused = false
  private readonly bounds: Bounds
  private readonly claims = new Claims()
  private readonly txs: ModelTx[] = []
  private readonly bytes: Uint8Array[] = []
  private readonly shown = new Set<number>()
  /** Outputs by name. */
  private readonly ids = new Map<string, UTXOID>()
  private readonly names = new Map<string, string>()

  constructor(bounds: Bounds, steps: readonly Step[]) {
    this.bounds = bounds
    for (let i = 0; i < bounds.coins; i++)
      this.addOutput(`c${i}`, { txID: new Uint8Array(32).fill(i + 1), outputIndex: 0 })
    for (const step of steps) this.apply(step)
  }

  private addOutput(name: string, id: UTXOID): void {
    this.ids.set(name, id)
    this.names.set(utxoKey(id), name)
  }

  private apply(step: Step): void {
    if (step.type === 'show') this.show(step.tx)
    else this.claim(step)
  }

  private claim({ kind, keys, inputs }: Extract<Step, { type: 'claim' }>): void {
    const n = this.txs.length
    // As the wallet does: change, and for a cancellation an output for each key of the batch.
    const count = kind === 'payment' ? 1 : this.batchOf(keys[0]!)
    const bytes = txBytes(
      n,
      inputs.map((name) => this.ids.get(name)!),
      count,
    )
    const payments = keys.map((key) => ({ key, digest: new Uint8Array(32).fill(7) }))
    const claim: Claim = { kind, payments, bytes, fromHeight: 1n }
    try {
      const attempt = this.claims.check(claim)
      if (attempt === undefined) throw new Error('claimed twice')
      this.claims.add(attempt, payments)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      this.isRefused = true
      return
    }
    const outputs = Array.from({ length: count }, (_, i) => `t${n}.${i}`)
    for (const [outputIndex, name] of outputs.entries())
      this.addOutput(name, { txID: txID(bytes), outputIndex })
    this.txs.push({ kind, keys, inputs, outputs })
    this.bytes.push(bytes)
  }

  private batchOf(key: string): number {
    const attempts = [...this.claims.attempts.values()].filter(({ keys }) => keys.includes(key))
    return Math.max(1, ...attempts.map(({ keys }) => keys.length))
  }

  private show(tx: number): void {
    this.shown.add(tx)
    const { inputs, outputs } = this.txs[tx]!
    const bytes = this.bytes[tx]!
    this.claims.recordAcceptance({
      txID: txID(bytes),
      inputs: inputs.map((name) => this.ids.get(name)!),
      bytes,
      own: outputs.map((_, i) => i),
    })
  }

  /** All steps that may follow. */
  *steps(): Generator<Step> {
    for (const [tx] of this.txs.entries()) if (!this.shown.has(tx)) yield { type: 'show', tx }
    if (this.txs.length >= this.bounds.claims) return
    const spent = new Set([...this.shown].flatMap((tx) => this.txs[tx]!.inputs))
    const free = [...this.ids.keys()].filter((name) => !spent.has(name))
    const { keys } = this.bounds
    const together = keys.length > 1 ? [keys] : []
    for (const inputs of subsets(free, this.bounds.inputs)) {
      if (!this.isOrdered(inputs)) continue
      for (const some of [...keys.map((key) => [key]), ...together])
        yield { type: 'claim', kind: 'payment', keys: some, inputs }
      for (const key of keys) yield { type: 'claim', kind: 'cancellation', keys: [key], inputs }
    }
  }

  /** Whether coins are used in their order. They are alike, so other orders lead to the same states. */
  private isOrdered(inputs: readonly string[]): boolean {
    const used = new Set([...this.txs.flatMap((tx) => tx.inputs), ...inputs])
    return inputs.every((name) => {
      const before = name.startsWith('c') ? Number(name.slice(1)) : 0
      return Array.from({ length: before }, (_, i) => used.has(`c${i}`)).every(Boolean)
    })
  }

  /** Equal for states from which the same can happen. */
  get name(): string {
    const nameOf = (id: UTXOID) => this.names.get(utxoKey(id))!
    const numbers = new Map(this.bytes.map((bytes, i) => [hex.encode(txID(bytes)), i]))
    const ended = [...this.claims.rivals.ended.values()].map(({ txID: id, rivals }) =>
      [numbers.get(hex.encode(id)), ...rivals.flatMap((one) => one.evidence).map(nameOf)].join(),
    )
    const payments = [...this.claims.payments.values()].map(
      ({ key, outcome }) => `${key} ${outcome?.status}`,
    )
    const pending = [...this.claims.attempts.keys()].map((id) => numbers.get(id))
    return JSON.stringify([this.txs, [...this.shown].sort(), ended.sort(), payments, pending])
  }

  /** Whether the chain can accept two payments for one key, whatever was shown. */
  paysTwice(): boolean {
    return this.txs.some((one, i) =>
      this.txs
        .slice(0, i)
        .some(
          (other, k) =>
            one.kind === 'payment' &&
            other.kind === 'payment' &&
            one.keys.some((key) => other.keys.includes(key)) &&
            this.isPossible([i, k]),
        ),
    )
  }

  /** Whether transactions can all be accepted, together with those that created their inputs. */
  private isPossible(wanted: readonly number[]): boolean {
    const needed = new Set(wanted)
    for (const tx of needed)
      for (const name of this.txs[tx]!.inputs)
        if (name.startsWith('t')) needed.add(Number(name.slice(1).split('.')[0]))
    const inputs = [...needed].flatMap((tx) => this.txs[tx]!.inputs)
    return new Set(inputs).size === inputs.length
  }
}

function* subsets(names: readonly string[], max: number): Generator<string[]> {
  for (const [i, name] of names.entries()) {
    yield [name]
    if (max > 1) for (const rest of subsets(names.slice(i + 1), max - 1)) yield [name, ...rest]
  }
}

/** An unsigned transaction without amounts that matter; the number makes it different from others. */
function txBytes(n: number, inputs: readonly UTXOID[], outputs: number): Uint8Array {
  const { networkID, chainID, assetID } = networks.local
  return encodeTx({
    unsignedTx: {
      type: 'BaseTx',
      networkID,
      blockchainID: chainID,
      inputs: inputs.map((id) => ({
        ...id,
        assetID,
        input: { type: 'secp256k1fx.TransferInput', amount: 9n, signatureIndices: [0] },
      })),
      outputs: Array.from({ length: outputs }, () => ({
        assetID,
        output: {
          type: 'secp256k1fx.TransferOutput',
          amount: 1n,
          locktime: 0n,
          threshold: 1,
          addresses: [new Uint8Array(20)],
        },
      })),
      memo: Uint8Array.of(n),
    },
    credentials: [],
  } as Parameters<typeof encodeTx>[0])
}
