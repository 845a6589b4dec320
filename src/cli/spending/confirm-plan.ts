import type { BatchPreview } from '../../wallet/index.ts'
import type { Invocation } from '../invocation.ts'
import { confirmText } from '../terminal/confirm.ts'
import { paintFor } from '../terminal/paint.ts'
import { describePlan, overviewOf, warningText } from './batch-text.ts'
import type { Spending } from './spending.ts'

/** A `confirmPlan` option of a wallet, which asks once for all transactions. With `--yes` only warnings are printed. */
export function planConfirmation(
  spending: Spending,
  invocation: Invocation,
): (preview: BatchPreview) => Promise<boolean> {
  const { values, progress, io } = invocation
  return async (preview) => {
    if (preview.transactions === 0) return true
    progress.end()
    if (values.has('yes')) {
      // Without confirmation, warnings are still printed.
      const { warnings } = overviewOf(preview.drafts(), spending, invocation)
      for (const warning of warnings) invocation.warn(warning.code, warningText(warning))
      return true
    }
    const paint = paintFor(io.stderr, io.env)
    const { text } = await describePlan(preview, spending, invocation, paint)
    await confirmText(invocation, text, 'Sign and send all of this?')
    return true
  }
}
