import { sortedBy } from '../../core/chain/x/order.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import type { Draft } from '../../core/draft/draft.ts'
import type { SignResult } from '../../core/sign/job.ts'
import { chainNamed } from '../../core/sign/registry.ts'
import {
  type AcceptCode,
  type SignWithOptions,
  signDraft,
  signDraftWith,
} from '../../core/sign/sign.ts'
import { keyChainSigner } from '../../core/sign/signers.ts'
import { burnsOf, viewTx } from '../../core/sign/warnings.ts'
import { canonicalText } from '../canonical.ts'
import type { WalletOptions } from '../options.ts'

/**
 * Signs with all keys and signers of a wallet.
 *
 * @param extraEntropy - for the nonces, so that equal payments become different transactions
 */
export async function signWithAll(
  { keys, signers = [], signing }: WalletOptions,
  backend: Secp256k1Backend,
  draft: Draft,
  accept: readonly AcceptCode[],
  extraEntropy: Uint8Array,
): Promise<SignResult> {
  const settings: SignWithOptions = {
    ...signing,
    backend,
    extraEntropy,
    // A wallet has more keys than one transaction needs, and a declared burn was requested by the `burn` option.
    accept: [
      'UNUSED_KEY',
      'KEY_NOT_A_SIGNER',
      ...(draft.burned.length > 0 && burnsAsDeclared(draft) ? (['BURN'] as const) : []),
      ...accept,
    ],
  }
  if (keys !== undefined && signers.length === 0) {
    const { paths: _, ...withoutPaths } = settings
    return signDraft(draft, keys, withoutPaths)
  }
  const all = keys === undefined ? signers : [keyChainSigner(keys, { backend }), ...signers]
  return signDraftWith(draft, all, settings)
}

/** Whether the transaction destroys exactly what the draft declares. A draft may come from elsewhere. */
function burnsAsDeclared(draft: Draft): boolean {
  const { beyondFee } = burnsOf(viewTx(chainNamed(draft.chain), draft.unsignedTx), draft.context)
  return (
    canonicalText(sortedBy(beyondFee, ({ assetID }) => assetID)) === canonicalText(draft.burned)
  )
}
