import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { txID as idOf, utxoKey } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import type { Acceptance, Attempt, EndedAttempt } from './store.ts'

/** A transaction that ended attempts, and what shows that it was accepted. */
export type Rival = {
  readonly txID: Uint8Array
  /** Unspent own outputs of the rival, and of own transactions that descend from it. */
  evidence: readonly UTXOID[]
  /** The rival and those transactions, encoded. */
  txs: readonly Uint8Array[]
}

/** An attempt that a rival ended. Further rivals were accepted since, maybe because the first one was not. */
export type Ended = Pick<EndedAttempt, 'txID' | 'keys' | 'inputs'> & { readonly rivals: Rival[] }

/** Numbers of outputs and transactions that are kept for a rival. The oldest ones are forgotten first. */
const MAX_EVIDENCE = 64
const MAX_TXS = 16

/**
 * Attempts that ended because a rival was accepted. A server may have shown the rival although it was not accepted. So a
 * further attempt for the same payment must spend an output of the rival: then it is invalid, instead of a second
 * payment, if the rival was not accepted.
 */
export class Rivals {
  /** By the hex of their transaction IDs. */
  readonly all: Map<string, Rival> = new Map()
  readonly ended: Map<string, Ended> = new Map()
  /** The attempts that each rival ended. */
  readonly endedBy: Map<Rival, Set<Ended>> = new Map()
  private readonly byKey = new Map<string, Ended[]>()
  private readonly byInput = new Map<string, Set<Ended>>()
  /** Rivals by the outputs that show them, those included that transactions of the rival have spent. */
  private readonly byEvidence = new Map<string, Set<Rival>>()

  /** Records that an accepted transaction ended an attempt. */
  add(
    { txID, keys, inputs }: Omit<EndedAttempt, 'evidence' | 'txs' | 'rival'>,
    rival: Rival,
  ): void {
    const name = hex.encode(txID)
    const known = this.ended.get(name)
    const ended = known ?? { txID, keys, inputs, rivals: [] }
    if (!ended.rivals.includes(rival)) ended.rivals.push(rival)
    this.all.set(hex.encode(rival.txID), rival)
    this.endedBy.set(rival, (this.endedBy.get(rival) ?? new Set()).add(ended))
    this.index(rival)
    if (known !== undefined) return
    this.ended.set(name, ended)
    for (const key of keys) this.byKey.set(key, [...(this.byKey.get(key) ?? []), ended])
    for (const id of inputs) {
      const input = utxoKey(id)
      this.byInput.set(input, (this.byInput.get(input) ?? new Set()).add(ended))
    }
  }

  /** Ended attempts that an accepted transaction conflicts with and that do not have it as a rival yet. */
  conflicting({ txID, inputs }: Pick<Acceptance, 'txID' | 'inputs'>): Ended[] {
    const ended = new Set(inputs.flatMap((id) => [...(this.byInput.get(utxoKey(id)) ?? [])]))
    return [...ended].filter(
      (one) => ![one, ...one.rivals].some((known) => equalBytes(known.txID, txID)),
    )
  }

  /** The rival that an accepted transaction is. */
  of({ txID, own = [], bytes }: Acceptance): Rival {
    const known = this.all.get(hex.encode(txID))
    if (known !== undefined) return known
    const evidence = own.map((outputIndex) => ({ txID, outputIndex }))
    return { txID, evidence, txs: bytes === undefined ? [] : [bytes] }
  }

  /** The attempts for a payment that ended. */
  endedFor(key: string): readonly EndedAttempt[] {
    return (this.byKey.get(key) ?? []).map(toEndedAttempt)
  }

  /** Adds an ended attempt that another store knows. */
  restore({ rival, evidence, txs, ...ended }: EndedAttempt): void {
    this.add(ended, this.all.get(hex.encode(rival)) ?? { txID: rival, evidence, txs })
  }

  /** Whether a UTXO is an input of an ended attempt, or shows a rival. */
  isTouched(id: UTXOID): boolean {
    return this.byInput.has(utxoKey(id)) || this.byEvidence.has(utxoKey(id))
  }

  /** The rivals that outputs show. */
  shownBy(ids: readonly UTXOID[]): Set<Rival> {
    return new Set(ids.flatMap((id) => [...(this.byEvidence.get(utxoKey(id)) ?? [])]))
  }

  /**
   * The rivals, and transactions that descend from them, that can never be accepted if a transaction is, because they share
   * an input with it or spend an output of one that does; as hex of their IDs. Not those of which it spends an output: the
   * import of a move has the inputs of its export, too.
   */
  excludedBy({ txID, inputs }: Pick<Acceptance, 'txID' | 'inputs'>): Set<string> {
    const spent = new Set(inputs.map(utxoKey))
    const accepted = new Set([txID, ...inputs.map((id) => id.txID)].map(hex.encode))
    const excluded = new Set<string>()
    const isExcluded = (input: UTXOID) =>
      spent.has(utxoKey(input)) || excluded.has(hex.encode(input.txID))
    for (const bytes of this.txsTouchedBy(inputs)) {
      const name = hex.encode(idOf(bytes))
      if (!accepted.has(name) && consumedUTXOs(decodeTx(bytes).unsignedTx).some(isExcluded))
        excluded.add(name)
    }
    return excluded
  }

  /** Whether a transaction shows for the first time that a rival was not accepted. */
  isNews(acceptance: Pick<Acceptance, 'txID' | 'inputs'>): boolean {
    const isKnown = (tx: Uint8Array) => equalBytes(idOf(tx), acceptance.txID)
    return (
      this.excludedBy(acceptance).size > 0 && !this.txsTouchedBy(acceptance.inputs).some(isKnown)
    )
  }

  /** The transactions of rivals whose evidence these inputs are, or whose attempts had one of them; oldest first. */
  private txsTouchedBy(inputs: readonly UTXOID[]): Uint8Array[] {
    const ended = inputs.flatMap((id) => [...(this.byInput.get(utxoKey(id)) ?? [])])
    const rivals = new Set([...this.shownBy(inputs), ...ended.flatMap((one) => one.rivals)])
    return [...rivals].flatMap(({ txs }) => txs)
  }

  /** Whether a transaction spends an output that shows a rival, and is not known to, or is a further rival. */
  isFollowed(acceptance: Pick<Acceptance, 'txID' | 'inputs'>): boolean {
    return this.changedBy(acceptance).length > 0 || this.conflicting(acceptance).length > 0
  }

  /** The rivals with an output that a transaction spends which does not belong to them yet. */
  private changedBy({ txID, inputs }: Pick<Acceptance, 'txID' | 'inputs'>): Rival[] {
    const isOf = ({ txs }: Rival) => txs.some((tx) => equalBytes(idOf(tx), txID))
    return [...this.shownBy(inputs)].filter((rival) => !isOf(rival))
  }

  /**
   * Replaces the outputs that an accepted transaction spends by its own. If another transaction was said to have spent them,
   * one of the two was not accepted: the outputs of both show the rival, and those that exist can be spent.
   */
  follow(acceptance: Acceptance): void {
    const { txID, inputs, own = [], bytes } = acceptance
    const spent = new Set(inputs.map(utxoKey))
    for (const rival of this.changedBy(acceptance)) {
      this.unindex(rival)
      const left = rival.evidence.filter((id) => !spent.has(utxoKey(id)))
      const shown = [...left, ...own.map((outputIndex) => ({ txID, outputIndex }))]
      rival.evidence = shown.slice(-MAX_EVIDENCE)
      if (bytes !== undefined) rival.txs = [...rival.txs, bytes].slice(-MAX_TXS)
      this.index(rival)
    }
  }

  private index(rival: Rival): void {
    for (const name of shownIn(rival))
      this.byEvidence.set(name, (this.byEvidence.get(name) ?? new Set()).add(rival))
  }

  private unindex(rival: Rival): void {
    for (const name of shownIn(rival)) {
      const rivals = this.byEvidence.get(name)
      rivals?.delete(rival)
      if (rivals?.size === 0) this.byEvidence.delete(name)
    }
  }

  private remove(ended: Ended): void {
    this.ended.delete(hex.encode(ended.txID))
    for (const id of ended.inputs) {
      const others = this.byInput.get(utxoKey(id))
      others?.delete(ended)
      if (others?.size === 0) this.byInput.delete(utxoKey(id))
    }
    for (const rival of ended.rivals) {
      const others = this.endedBy.get(rival)
      others?.delete(ended)
      if (others?.size === 0) this.removeRival(rival)
    }
  }

  private removeRival(rival: Rival): void {
    this.endedBy.delete(rival)
    this.all.delete(hex.encode(rival.txID))
    this.unindex(rival)
  }

  /** Forgets the attempts for a payment that was made. */
  forget(key: string): void {
    const ended = this.byKey.get(key)
    if (ended === undefined) return
    for (const one of ended)
      if (one.keys.every((other) => other === key || !this.byKey.has(other))) this.remove(one)
    this.byKey.delete(key)
  }
}

/** The outputs that show a rival, spent or not, by their keys. */
function shownIn({ evidence, txs }: Rival): string[] {
  return [...evidence, ...spentIn(txs)].map(utxoKey)
}

/** Outputs of a rival, and of transactions that descend from it, which others of these transactions spend. */
export function spentIn(txs: readonly Uint8Array[]): UTXOID[] {
  if (txs.length < 2) return []
  const ids = new Set(txs.map((tx) => hex.encode(idOf(tx))))
  const inputs = txs.flatMap((tx) => consumedUTXOs(decodeTx(tx).unsignedTx))
  return inputs.filter(({ txID }) => ids.has(hex.encode(txID)))
}

function toEndedAttempt({ txID, keys, inputs, rivals }: Ended): EndedAttempt {
  // A rival without own outputs shows nothing, and may be the one that was accepted.
  const isShown = rivals.every(({ evidence }) => evidence.length > 0)
  return {
    txID,
    keys,
    inputs,
    rival: rivals[0]!.txID,
    evidence: isShown ? rivals.flatMap(({ evidence }) => evidence) : [],
    txs: rivals.flatMap(({ txs }) => txs),
  }
}

/**
 * The inputs of which a further attempt must spend one: outputs that show the rival, or inputs of the attempt itself. What
 * was said to be spent is unspent if that was a lie.
 */
export function requiredInputs({ evidence, inputs, txs }: EndedAttempt): readonly UTXOID[] {
  return evidence.length === 0 ? [] : [...evidence, ...spentIn(txs), ...inputs]
}

/**
 * Whether an attempt may be made for a payment of which another one has ended. One of the transactions that show the rival
 * may be claimed, too: a store that was restored learns only afterwards that it made the payment.
 */
export function spendsEvidence(
  { txID, inputs }: Pick<Attempt, 'txID' | 'inputs'>,
  ended: EndedAttempt,
): boolean {
  const required = new Set(requiredInputs(ended).map(utxoKey))
  return (
    required.size === 0 ||
    inputs.some((id) => required.has(utxoKey(id))) ||
    ended.txs.some((tx) => equalBytes(idOf(tx), txID))
  )
}

/** Whether an attempt can be accepted only if a rival of an ended one was. */
export function dependsOnRival(
  { inputs, kind }: Pick<Attempt, 'inputs' | 'kind'>,
  { rivals }: { readonly rivals: readonly Rival[] },
): boolean {
  const shown = new Set(rivals.flatMap(({ evidence }) => evidence.map(utxoKey)))
  return kind === 'cancellation' || inputs.some((id) => shown.has(utxoKey(id)))
}
