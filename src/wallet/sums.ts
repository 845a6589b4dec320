import type { NetworkContext } from '../core/chain/networks.ts'
import type { SigningPolicy } from '../core/sign/policy.ts'
import type { SumClaim, SumEffect } from '../core/sign/sums.ts'
import type { WalletOptions } from './options.ts'
import { decodeContent, encodeContent } from './payments/content.ts'
import { contentDetails } from './payments/payment-details.ts'
import type { ClaimedPayment } from './store/store.ts'

/** The parts of a wallet that sums need. */
type SumState = Pick<SumClaim, 'store'> & {
  readonly options: Pick<WalletOptions, 'signing'>
  readonly context: () => Promise<NetworkContext>
  readonly now: (skewSeconds: number) => bigint
}

/** The danger that signing accepts for what is claimed before it is issued: {@link withinSums} checks the sums. */
export const COUNTED: 'UNCHECKED_SUM' = 'UNCHECKED_SUM'

/** The policy that explains such a transaction. */
export function countedPolicy(policy: SigningPolicy | undefined): SigningPolicy | undefined {
  return policy?.sums
    ? {
        ...policy,
        judge: (subject) => policy.judge(subject).filter(({ code }) => code !== COUNTED),
      }
    : policy
}

/**
 * Records payments unless the policy does not allow what leaves by them. Under a policy with sums, payments without a
 * caller's key are kept like others: a store removes those with generated keys once they are accepted, but they must count.
 *
 * @param effect - undefined if the transaction pays nothing that was not counted before
 * @param record - records a claim with these payments. Default: it is only checked
 * @throws SignError `POLICY_SUM`
 */
export async function withinSums(
  state: SumState,
  payments: readonly ClaimedPayment[],
  effect: SumEffect | undefined,
  record?: (payments: readonly ClaimedPayment[]) => Promise<unknown>,
): Promise<unknown> {
  const { sums } = state.options.signing?.policy ?? {}
  if (sums === undefined || effect === undefined) return record?.(payments)
  const context = await state.context()
  return sums.claim({
    store: state.store,
    now: state.now(0),
    context,
    effect,
    payments,
    content: {
      decode: (content) => contentDetails(content, context),
      withLeaves: (content, leaves) => encodeContent({ ...decodeContent(content), leaves }),
    },
    record,
  })
}
