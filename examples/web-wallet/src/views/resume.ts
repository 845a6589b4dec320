import { announce } from '../dom.ts'
import { FormKeys } from '../pending-form.ts'
import { withReview } from '../review.ts'
import type { Session } from '../session.ts'

/** How long opening the wallet waits for payments that are pending. They can be continued or canceled afterwards. */
const RESUME_MS = 5_000

/** The forms that pay. */
export const formKeys = { send: new FormKeys('send'), move: new FormKeys('move') }

/**
 * Runs a call under the key of a form. The key is done when the call succeeds, or when it fails before the payment was
 * claimed: then nothing was issued. In all other cases it is kept, because the payment may still be accepted.
 */
export async function underKey<Result>(
  forms: FormKeys,
  key: string,
  { wallet }: Session,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await call()
    forms.done(key)
    return result
  } catch (error) {
    const [payment] = await wallet.payments([key]).catch(() => [])
    if (payment?.status === 'unknown') forms.done(key)
    throw error
  }
}

/**
 * Completes payments and moves that an earlier visit left pending, and clears the forms of those that are accepted. What
 * the earlier visit has signed is issued again as it is; nothing else is signed without a review.
 */
export async function resumePending({ wallet }: Session): Promise<void> {
  await withReview((consent) => wallet.resume({ ...consent, wait: { timeoutMs: RESUME_MS } }))
  for (const forms of Object.values(formKeys))
    if (await clearAccepted(forms, wallet)) announce('A payment of your last visit was completed.')
}

/** Forgets forms whose payment was accepted, maybe by another tab: they must not be offered again. */
export async function clearAccepted(forms: FormKeys, wallet: Session['wallet']): Promise<boolean> {
  let isAny = false
  for (const { key } of forms.pending) {
    const [payment] = await wallet.payments([key])
    if (payment?.status !== 'accepted') continue
    forms.done(key)
    isAny = true
  }
  return isAny
}
