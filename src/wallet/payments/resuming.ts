import { bigintFrom, type Check, object, optional } from '../../core/base/argument.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { countdown } from '../../node/clock.ts'
import { bigintHeight } from '../../node/methods/params.ts'
import { isBatchTx, type RedraftOptions, replaceBatchTx } from '../batches/batch-tx.ts'
import { WalletError } from '../errors.ts'
import { eachInFlight } from '../in-flight.ts'
import { sendMembers, type WalletWait } from '../options.ts'
import { isMove } from '../ports.ts'
import type { Outcome } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import type { AttemptGroup } from './attempts.ts'
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
  const { groups } = state.pending
  const { timeoutMs, ...wait } = state.wait(options.wait)
  const remainingMs = countdown(state.clock, timeoutMs)
  let left = groups.length
  await eachInFlight(groups, RESUMED_IN_FLIGHT, async (group) => {
    const keys = group.payments.map(({ key }) => key)
    const newest = group.attempts.at(-1)?.txID.slice()
    // Shares the time that is left equally: payments that stay pending must not use up that of the others.
    const share = { ...wait, timeoutMs: remainingMs() / Math.ceil(left-- / RESUMED_IN_FLIGHT) }
    try {
      const outcome = await resumeGroup(engine, context, group, { ...options, wait: share })
      const isCanceled = outcome.status === 'canceled'
      const ended = isCanceled ? (await engine.canceledOf(group)).map(({ key }) => key) : keys
      resumed.push({ keys: ended, ...outcome })
      const others = keys.filter((key) => !ended.includes(key))
      if (others.length > 0) resumed.push({ ...outcome, keys: others, status: 'rejected' })
    } catch (error) {
      const txID = group.attempts.at(-1)?.txID.slice() ?? newest
      if (!(error instanceof AvmError) || txID === undefined) throw error
      resumed.push({ keys, txID, status: 'pending', error })
    }
  })
  return resumed
}

function resumeGroup(
  engine: Engine,
  context: NetworkContext,
  group: AttemptGroup,
  options: RedraftOptions,
): Promise<Outcome> {
  if (!isMove(group)) {
    const replace = async (wait: WalletWait) =>
      (await replaceBatchTx(engine, group, { ...options, wait })) !== undefined
    return engine.issueUntilDecided(group, options, {
      queryFirst: true,
      replace: isBatchTx(group, context) ? replace : undefined,
    })
  }
  if (engine.completeMove !== undefined) return engine.completeMove(group, options)
  throw new WalletError('MOVE_UNFINISHED', 'this wallet cannot complete a move between chains', {
    hint: 'resume it with createCrossChainWallet and the same store',
  })
}
