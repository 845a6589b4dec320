import type { NetworkContext } from '../core/chain/networks.ts'
import { explainTx } from '../core/sign/explain/explain.ts'
import type { ExplainOptions, Explanation } from '../core/sign/explain/explanation.ts'
import type { Detected } from './detect.ts'

/** A transaction of any chain, signed or not. */
export type DetectedTx = Extract<
  Detected,
  { kind: 'tx' | 'unsignedTx' | 'pTx' | 'pUnsignedTx' | 'cTx' | 'cUnsignedTx' }
>

/** Whether a document is a transaction. */
export function isTx(found: Detected): found is DetectedTx {
  return /^(tx|unsignedTx|[pc](Unsigned)?Tx)$/.test(found.kind)
}

/** ID of the network that a transaction is for. */
export function networkIDOf({ tx }: DetectedTx): number {
  return 'unsignedTx' in tx ? tx.unsignedTx.networkID : tx.networkID
}

/** Explains a transaction. The owners of the UTXOs that it spends are unknown unless the options name them. */
export function explainDetected(
  found: DetectedTx,
  options: ExplainOptions & { readonly context: NetworkContext },
): Explanation {
  switch (found.kind) {
    case 'tx':
      return explainTx(found.tx, options)
    case 'unsignedTx':
      return explainTx({ unsignedTx: found.tx, credentials: [] }, options)
    case 'pTx':
      return explainTx<'P'>(found.tx, { ...options, chain: 'P' })
    case 'pUnsignedTx':
      return explainTx<'P'>({ unsignedTx: found.tx, credentials: [] }, { ...options, chain: 'P' })
    case 'cTx':
      return explainTx<'C'>(found.tx, { ...options, chain: 'C' })
    case 'cUnsignedTx':
      return explainTx<'C'>({ unsignedTx: found.tx, credentials: [] }, { ...options, chain: 'C' })
  }
}
