import type { ChainAlias, SignedTxOf, UnsignedTxOf } from '../core/chain/chain-types.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import type { AnyUTXO } from '../core/sign/chain.ts'
import { explainTx } from '../core/sign/explain/explain.ts'
import type { ExplainOptions, Explanation } from '../core/sign/explain/explanation.ts'
import type { Detected } from './detect.ts'

/** A transaction of any chain, signed or not. */
export type DetectedTx = Extract<
  Detected,
  { kind: 'tx' | 'unsignedTx' | 'pTx' | 'pUnsignedTx' | 'cTx' | 'cUnsignedTx' }
>

/** Whether a document is a transaction. */
export function isTx(found: { readonly kind: string }): found is DetectedTx {
  return /^(tx|unsignedTx|[pc](Unsigned)?Tx)$/.test(found.kind)
}

/** A transaction without its signatures. */
export function unsignedTxOf({ tx }: DetectedTx): UnsignedTxOf<ChainAlias> {
  return 'unsignedTx' in tx ? tx.unsignedTx : tx
}

/** The chain that a transaction is of. */
export function chainOf({ kind }: DetectedTx): ChainAlias {
  return kind.startsWith('p') ? 'P' : kind.startsWith('c') ? 'C' : 'X'
}

/** The UTXOs that can be on a chain: only the P-Chain has stakeable locks, and it has no NFTs and properties. */
export function utxosOn(chain: ChainAlias, utxos: readonly AnyUTXO[]): readonly AnyUTXO[] {
  return utxos.filter(({ output: { type } }) =>
    chain === 'P'
      ? type === 'stakeable.LockOut' || type === 'secp256k1fx.TransferOutput'
      : type !== 'stakeable.LockOut',
  )
}

/** Explains a transaction. The owners of the UTXOs that it spends are unknown unless the options name them. */
export function explainDetected(
  found: DetectedTx,
  options: ExplainOptions & {
    readonly context: NetworkContext
    /** Evidence for what it spends; UTXOs that cannot be on its chain are ignored. */
    readonly utxos?: readonly AnyUTXO[] | undefined
  },
): Explanation {
  const chain = chainOf(found)
  const tx: SignedTxOf<ChainAlias> =
    'unsignedTx' in found.tx
      ? found.tx
      : ({ unsignedTx: found.tx, credentials: [] } as SignedTxOf<ChainAlias>)
  return explainTx<ChainAlias>(tx, {
    ...options,
    chain,
    utxos: utxosOn(chain, options.utxos ?? []),
  })
}
