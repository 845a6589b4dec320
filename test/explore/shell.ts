import { txID as idOf, utxoKey } from '../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../src/core/chain/x/transferables.ts'
import { FundsError } from '../../src/core/coins/errors.ts'
import { isPaying } from '../../src/wallet/machine/facts.ts'
import { next, step } from '../../src/wallet/machine/machine.ts'
import { type Effect, type Event, type Goal, startRun } from '../../src/wallet/machine/run.ts'
import { settledBy } from '../../src/wallet/machine/standing.ts'
import { conflictingInputs } from '../../src/wallet/payments/conflicts.ts'
import { StoreError } from '../../src/wallet/store/errors.ts'
import { requiredInputs } from '../../src/wallet/store/rivals.ts'
import type { Attempt, ClaimedPayment } from '../../src/wallet/store/store.ts'
import type { Call, World } from './world.ts'

/** Number of times that a rejected payment is made again. */
const MAX_REBUILDS = 1

const DIGEST = new Uint8Array(32).fill(7)

/** An answer of a server to a transaction. */
export type Reply = 'taken' | 'lost' | 'refused' | 'not found'

/** What a model decides where the world may go several ways. */
export type Choice = {
  /** Inputs of a draft; undefined if none is possible. */
  readonly inputs?: readonly UTXOID[] | undefined
  readonly reply?: Reply | undefined
  readonly isOutdated?: boolean | undefined
}

/** Begins a call. */
export function begin(world: World, kind: Goal['kind'], keys: readonly string[]): void {
  const payments: ClaimedPayment[] = keys.map((key) => ({ key, digest: DIGEST }))
  const goal: Goal = {
    kind,
    key: kind === 'cancel' ? keys[0] : undefined,
    isGiven: false,
    isMove: false,
    maxRebuilds: kind === 'pay' ? MAX_REBUILDS : 0,
    replaces: kind !== 'complete',
    queriesFirst: false,
    insists: false,
    quorum: world.bounds.quorum,
    timeoutMs: 60_000,
    resendMs: 5_000,
  }
  const phase = kind === 'complete' ? 'query' : 'look'
  const run = startRun(goal, payments, phase)
  const name = `${kind} ${keys.join('+')}`
  world.reports = new Map([...world.reports].filter(([key]) => !keys.includes(key)))
  world.calls.push({ goal: name, run, drafted: undefined, signed: undefined, isOver: false })
}

/** What a call does next. */
export function effectOf(world: World, call: Call): Effect {
  return next(call.run, world.facts(call))
}

/** Effects that change nothing but the progress of their call. */
const QUIET: readonly Effect['do'][] = ['recall', 'sign', 'wait', 'query', 'answer']

/** Effects that change no claims, neither in the store nor in the wallet. */
const WITHOUT_CLAIMS: readonly Effect['do'][] = [
  'sign',
  'wait',
  'query',
  'draft',
  'issue',
  'compare',
]

/**
 * Lets calls go on until each does something that matters. It does not matter when the other effects are performed: if
 * something decides the attempt before, the call looks whatever its phase is.
 */
export function settle(world: World): void {
  for (const call of [...world.calls])
    while (world.calls.includes(call) && isQuiet(world, effectOf(world, call)))
      perform(world, call, {})
}

/** Whether an effect changes nothing but the progress of its call. */
function isQuiet(world: World, effect: Effect): boolean {
  if (effect.do === 'vary') return world.claimed() >= world.maxTxs
  if (effect.do !== 'search') return QUIET.includes(effect.do)
  const { again, before } = searchedFor(world, effect.attempt)
  return again.every((n) => world.pool.has(n)) && before.every((n) => world.ancestors.has(n))
}

/** Performs what a call does next, as the shell does. A call that answers ends. */
export function perform(world: World, call: Call, choice: Choice): void {
  const effect = effectOf(world, call)
  if (!WITHOUT_CLAIMS.includes(effect.do)) world.changeClaims()
  if (effect.do === 'answer') {
    world.calls = world.calls.filter((one) => one !== call)
    world.tell(effect.answer.is === 'ended' ? effect.answer.records : [])
    world.forgetEndings()
    return
  }
  const event = eventOf(world, call, effect, choice)
  call.run = step(call.run, event, world.facts(call))
}

function eventOf(
  world: World,
  call: Call,
  effect: Exclude<Effect, { do: 'answer' }>,
  choice: Choice,
): Event {
  switch (effect.do) {
    case 'look':
      return look(world, call)
    case 'recall':
      return { type: 'recalled', txID: recall(world, call) }
    case 'draft':
      if (choice.inputs === undefined) return { type: 'failed', error: noFunds }
      call.drafted = choice.inputs
      return { type: 'drafted' }
    case 'avoid':
      for (const { key } of call.run.payments) world.readStore(key)
      call.drafted = undefined
      return { type: 'avoided' }
    case 'sign': {
      const { goal, payments } = call.run
      const isCancel = goal.kind === 'cancel'
      call.signed = world.sign(
        isCancel ? 'cancellation' : 'payment',
        isCancel ? [goal.key!] : payments.map(({ key }) => key),
        call.drafted!,
        isCancel ? payments.length : 1,
      )
      return { type: 'signed' }
    }
    case 'claim':
      return claim(world, call, effect.again)
    case 'issue': {
      const reply = choice.reply ?? 'lost'
      const n = world.numberOf(effect.attempt.txID)
      if (reply === 'taken') world.pool = new Set([...world.pool, n])
      const code = reply === 'not found' ? 'UTXO_NOT_FOUND' : 'INSUFFICIENT_FUNDS'
      const isRefused = reply === 'refused' || reply === 'not found'
      const rejection = { code, class: 'rebuild', remembered: true, message: '' } as const
      return {
        type: 'issued',
        turn: 0,
        rejection: isRefused ? rejection : undefined,
        refusals: call.run.rejections + (isRefused ? 1 : 0),
        error: undefined,
      }
    }
    case 'compare':
      return { type: 'compared', comparison: choice.isOutdated ? 'outdated' : 'current' }
    case 'search':
      search(world, effect.attempt)
      return { type: 'searched' }
    case 'vary':
      return vary(world, effect.attempt)
    case 'query':
      return { type: 'queried' }
    case 'wait':
      return { type: 'waited' }
    case 'close':
      world.store.cancel(call.run.goal.key!)
      return { type: 'closed' }
    default:
      throw new Error(`no ${effect.do} in this model`)
  }
}

const noFunds = new FundsError('UTXO_NOT_FOUND', 'no inputs')

function look(world: World, call: Call): Event {
  const { goal, payments } = call.run
  call.drafted = undefined
  const keys = goal.key === undefined ? payments.map(({ key }) => key) : [goal.key]
  const records = keys.map((key) => {
    const record = world.store.record(key)
    const isKnown = world.pending.ending(key) !== undefined
    if (record.status === 'pending' && !isKnown) world.readStore(key)
    if (record.status !== 'pending' || !isKnown) world.pending.setEnded(record)
    return settledBy(record, world.pending.ending(key))
  })
  const first = records.find(({ status }) => status === 'pending')
  const group = first && world.pending.claims.groupOf(first.key)
  return { type: 'looked', records, group, told: world.pending.toldOf(records) }
}

/** An accepted payment that a restored store does not know. */
function recall(world: World, { run }: Call): Uint8Array | undefined {
  const keys = run.payments.map(({ key }) => key).join()
  const n = [...world.accepted].find((one) => {
    const { kind, keys: paid } = world.txs[one]!
    return kind === 'payment' && paid.join() === keys
  })
  if (n === undefined || !world.isRestored) return undefined
  const { bytes, txID, inputs } = world.txs[n]!
  const { payments } = run
  const attempt = world.store.check({ kind: 'payment', payments, bytes, fromHeight: 1n })
  if (attempt !== undefined) world.store.add(attempt, payments)
  world.store.recordAcceptance({ txID, inputs })
  return txID
}

function claim(world: World, call: Call, again: boolean): Event {
  const { kind, keys } = world.txs[call.signed!]!
  const payments = call.run.payments.filter(({ key }) => keys.includes(key))
  call.drafted = undefined
  try {
    world.claim(call.signed!, kind === 'payment' ? call.run.payments : payments, again)
    return { type: 'claimed' }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (error.code === 'KEY_PENDING')
      world.pending.forgetEndings(call.run.payments.map(({ key }) => key))
    return { type: 'refused', error }
  } finally {
    call.signed = undefined
  }
}

/** Own transactions before an attempt are issued again, and their inputs are watched. */
function search(world: World, attempt: Attempt): void {
  const { again, before } = searchedFor(world, attempt)
  world.pool = new Set([...world.pool, ...again])
  world.ancestors = new Set([...world.ancestors, ...before])
  for (const n of before) world.pending.ancestors.add(world.txs[n]!.txID, world.txs[n]!.inputs)
}

/** Numbers of own transactions before an attempt that are issued again, and of those that created its inputs. */
function searchedFor(
  world: World,
  { inputs }: Attempt,
): { readonly again: readonly number[]; readonly before: readonly number[] } {
  const rivals = [...world.pending.claims.rivals.shownBy(inputs)]
  return {
    again: rivals.flatMap(({ txs }) => txs.map((bytes) => world.numberOf(idOf(bytes)))),
    before: inputs.map(({ txID }) => world.numberOf(txID)).filter((n) => n >= 0),
  }
}

function vary(world: World, attempt: Attempt): Event {
  if (world.claimed() >= world.maxTxs) return { type: 'varied' }
  const outputs = world.txs[world.numberOf(attempt.txID)]!.outputs.length
  const n = world.sign(attempt.kind, attempt.keys, attempt.inputs, outputs)
  try {
    world.claim(n, world.pending.claims.paymentsOf(attempt.keys), true)
    return { type: 'varied' }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { type: 'varied', error }
  }
}

/** All inputs that a draft may have: those that it must spend, and up to one further UTXO. */
export function draftsOf(
  world: World,
  { replaced, ended }: Extract<Effect, { do: 'draft' }>,
): (readonly UTXOID[])[] {
  if (world.claimed() >= world.maxTxs) return []
  const listed = world.listed()
  const own = new Set(replaced.flatMap(({ inputs }) => inputs.map(utxoKey)))
  const isListed = (id: UTXOID) => listed.has(utxoKey(id))
  const isFree = (id: UTXOID) =>
    isListed(id) && (own.has(utxoKey(id)) || !world.isReserved(utxoKey(id)))
  const shared = conflictingInputs(replaced.filter(isPaying), isListed)
  const required = ended.map((one) => ({ inputs: requiredInputs(one) }))
  const evidence = conflictingInputs(
    required.filter(({ inputs }) => inputs.length > 0),
    isFree,
  )
  if (shared === undefined || evidence === undefined) return []
  const pinned = new Map([...shared, ...evidence].map((id) => [utxoKey(id), id]))
  const base = [...pinned.values()]
  const others = [...listed.values()].filter((id) => isFree(id) && !pinned.has(utxoKey(id)))
  const larger = others.map((id) => [...base, id])
  return base.length > 0 ? [base, ...larger] : larger
}
