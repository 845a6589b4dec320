import { bigintFrom, type Check, object, optional } from '../../core/base/argument.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { countdown } from '../../node/clock.ts'
import { bigintHeight } from '../../node/methods/params.ts'
import { isBatchTx, type RedraftOptions, redrafting } from '../batches/batch-tx.ts'
import { WalletError } from '../errors.ts'
import { eachInFlight } from '../in-flight.ts'
import { type SendOptions, sendMembers } from '../options.ts'
import { isMove } from '../ports.ts'
import type { Group } from '../store/claims.ts'
import type { Outcome } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import type { Ended } from './ended.ts'
import type { Engine } from './engine.ts'

/** A pending payment of the store, after an attempt to complete it. */
export type Resumed = {
  readonly keys: readonly string[]
  /** The accepted transaction, or the newest attempt if it is still pending. */
  readonly txID: Uint8Array
  readonly status: 'pending' | Outcome['status']
  /** Why it is still pending. */
  readonly error?: unknown
}

/** Options of resuming. */
export type ResumeOptions = RedraftOptions & {
  /** Read blocks again from this height on. */
  readonly fromHeight?: bigint | undefined
}

/** Description of `ResumeOptions`. */
export const resumeOptions: Check<ResumeOptions> = object<ResumeOptions>({
  ...sendMembers,
  maxFee: optional(bigintFrom(0n)),
  fromHeight: optional(bigintHeight),
})

const RESUMED_IN_FLIGHT = 16

/** Completes every pending payment of the store, as far as possible within the time limit. */
export async function resumePayments(
  state: WalletState,
  engine: Engine,
  { fromHeight, ...options }: ResumeOptions,
): Promise<Resumed[]> {
  const context = await state.openPayments(state.call(options))
  await state.readStore()
  if (fromHeight !== undefined) state.searchAgain(fromHeight)
  const resumed: Resumed[] = []
  const groups = state.pending.claims.groups()
  const { timeoutMs, ...wait } = state.wait(options.wait)
  const remainingMs = countdown(state.clock, timeoutMs)
  let left = groups.length
  // From now on, because payments may end before it is their turn.
  const keys = groups.flatMap(({ payments }) => payments.map(({ key }) => key))
  const forget = state.pending.await(keys, () => {})
  try {
    await eachInFlight(groups, RESUMED_IN_FLIGHT, async (group) => {
      // Shares the time that is left equally: payments that stay pending must not use up that of the others.
      const share = { ...wait, timeoutMs: remainingMs() / Math.ceil(left-- / RESUMED_IN_FLIGHT) }
      const limited = { ...options, wait: share }
      resumed.push(...(await resumeGroup(state, engine, context, group, limited)))
    })
  } finally {
    forget()
  }
  return resumed
}

async function resumeGroup(
  state: WalletState,
  engine: Engine,
  context: NetworkContext,
  group: Group,
  options: RedraftOptions,
): Promise<Resumed[]> {
  const { payments, attempts } = group
  const keys = payments.map(({ key }) => key)
  try {
    const { outcome, records } = isMove(attempts)
      ? await resumeMove(engine, group, options)
      : await engine.run(
          { kind: 'complete', replaces: isBatchTx(payments, context) },
          payments,
          redrafting(engine, payments, options),
          options,
          'query',
        )
    if (outcome.status !== 'canceled') return [{ keys, ...outcome }]
    // The payments that were made with a canceled one are rejected, and may be made again.
    const of = (isCanceled: boolean) =>
      records.filter(({ status }) => (status === 'canceled') === isCanceled).map(({ key }) => key)
    const others: Resumed = { ...outcome, keys: of(false), status: 'rejected' }
    return [{ keys: of(true), ...outcome }, ...(others.keys.length > 0 ? [others] : [])]
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    const { txID } = state.pending.claims.attemptsFor(keys).at(-1) ?? attempts.at(-1)!
    return [{ keys, txID: txID.slice(), status: 'pending', error }]
  }
}

function resumeMove(engine: Engine, group: Group, options: SendOptions): Promise<Ended<unknown>> {
  if (engine.completeMove !== undefined) return engine.completeMove(group, options)
  throw new WalletError('MOVE_UNFINISHED', 'this wallet cannot complete a move between chains', {
    hint: 'resume it with createCrossChainWallet and the same store',
  })
}
