import { explainDraft as explainC } from '../core/c-chain.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import { explainDraft as explainP } from '../core/p-chain.ts'
import type { AtomicExplanation, ExplainAtomicOptions } from '../core/sign/atomic/explain.ts'
import { formatAtomicExplanation } from '../core/sign/atomic/explain-text.ts'
import type { Detected } from './detect.ts'

/** A transaction of the P- or C-Chain, signed or not. */
export type OtherChainTx = Extract<
  Detected,
  { kind: 'pTx' | 'pUnsignedTx' | 'cTx' | 'cUnsignedTx' }
>

/** Explains a transaction of the P- or C-Chain, as data and as text. The owners of the UTXOs it spends are unknown. */
export function explainOtherChainTx(
  found: OtherChainTx,
  context: NetworkContext,
  options: ExplainAtomicOptions,
): { readonly explanation: AtomicExplanation; readonly words: string } {
  const explanation = explained(found, context, options)
  return { explanation, words: formatAtomicExplanation(explanation, context) }
}

function explained(
  found: OtherChainTx,
  context: NetworkContext,
  options: ExplainAtomicOptions,
): AtomicExplanation {
  switch (found.kind) {
    case 'pTx':
      return explainP({ unsignedTx: found.tx.unsignedTx, context }, options)
    case 'pUnsignedTx':
      return explainP({ unsignedTx: found.tx, context }, options)
    case 'cTx':
      return explainC({ unsignedTx: found.tx.unsignedTx, context }, options)
    case 'cUnsignedTx':
      return explainC({ unsignedTx: found.tx, context }, options)
  }
}
